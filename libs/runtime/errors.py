"""One table of reasons; every refusal carries google.rpc.ErrorInfo of the domain `paiju`."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, NoReturn

import grpc
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

DOMAIN = "paiju"

_INVALID = grpc.StatusCode.INVALID_ARGUMENT
_PRECONDITION = grpc.StatusCode.FAILED_PRECONDITION
_EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED
_EXISTS = grpc.StatusCode.ALREADY_EXISTS
_NOT_FOUND = grpc.StatusCode.NOT_FOUND

REASONS: Mapping[str, grpc.StatusCode] = MappingProxyType(
    {
        "UNKNOWN_GAME": _INVALID,
        "UNKNOWN_OPTION": _INVALID,
        "BAD_OPTION_VALUE": _INVALID,
        "UNKNOWN_PLAYERS": _INVALID,
        "BAD_REQUEST": _INVALID,
        "BAD_STATE": _INVALID,
        "NOT_A_CHOICE": _INVALID,
        "ACCOUNT_NOT_OF_MATCH": _INVALID,
        "DUPLICATE_ACCOUNT": _INVALID,
        "NOT_ZERO_SUM": _INVALID,
        "UNKNOWN_MATCH": _NOT_FOUND,
        "UNKNOWN_ACCOUNT": _NOT_FOUND,
        "UNKNOWN_TRANSACTION": _NOT_FOUND,
        "UNKNOWN_ROUND": _NOT_FOUND,
        "NOT_YOUR_SEAT": grpc.StatusCode.PERMISSION_DENIED,
        "AUDIT_DISABLED": grpc.StatusCode.PERMISSION_DENIED,
        "BAD_TOKEN": grpc.StatusCode.UNAUTHENTICATED,
        "STALE_PROMPT": _PRECONDITION,
        "PROMPT_CLOSED": _PRECONDITION,
        "ROUND_NOT_ENDED": _PRECONDITION,
        "MATCH_CLOSED": _PRECONDITION,
        "MATCH_FULL": _PRECONDITION,
        "NOT_STARTED": _PRECONDITION,
        "ALREADY_STARTED": _PRECONDITION,
        "INSUFFICIENT_FUNDS": _PRECONDITION,
        "BALANCE_OUT_OF_RANGE": _PRECONDITION,
        "ESCROW_NOT_EMPTY": _PRECONDITION,
        "POLICY_UNSUPPORTED": grpc.StatusCode.UNIMPLEMENTED,
        "COMMAND_ID_REUSED": _EXISTS,
        "ACCOUNT_EXISTS": _EXISTS,
        "ROUND_ALREADY_SETTLED": _EXISTS,
        "SLOW_CONSUMER": _EXHAUSTED,
        "LIMIT_EXCEEDED": _EXHAUSTED,
        "OVERLOADED": _EXHAUSTED,
        "REPLACED": grpc.StatusCode.ABORTED,
        "NOT_OWNER": grpc.StatusCode.UNAVAILABLE,
        "DRAINING": grpc.StatusCode.UNAVAILABLE,
        "UPSTREAM_UNAVAILABLE": grpc.StatusCode.UNAVAILABLE,
        "INTERNAL": grpc.StatusCode.INTERNAL,
    }
)


class StartupError(Exception):
    """A service cannot start; the text is the one line its operator reads."""


class PaijuError(Exception):
    """A refusal: its reason decides the status, its fields go to ErrorInfo.metadata."""

    def __init__(self, reason: str, message: str, **fields: str) -> None:
        """Refuses with a reason of REASONS; `message` and `fields` reach the client."""
        super().__init__(f"{reason}: {message}")
        self.code = REASONS[reason]
        self.reason = reason
        self.message = message
        self.fields = fields


class Reason(NamedTuple):
    """What a client reads from a failed call: `reason` is empty if no ErrorInfo came."""

    reason: str
    metadata: dict[str, str]


def refuse(reason: str, message: str, **fields: str) -> NoReturn:
    """Raises PaijuError where an expression reads better than a statement."""
    raise PaijuError(reason, message, **fields)


def to_status(err: PaijuError) -> status_pb2.Status:
    """The wire form of a refusal."""
    status = status_pb2.Status(code=err.code.value[0], message=err.message)
    info = error_details_pb2.ErrorInfo(reason=err.reason, domain=DOMAIN, metadata=err.fields)
    status.details.add().Pack(info)
    return status


def of_status(status: status_pb2.Status) -> Reason:
    """The reason inside a google.rpc.Status (errors of a Session come per command)."""
    info = error_details_pb2.ErrorInfo()
    for detail in status.details:
        if detail.Unpack(info):
            return Reason(info.reason, dict(info.metadata))
    return Reason("", {})


def reason_of(rpc_error: grpc.RpcError) -> Reason:
    """The reason of a failed call, for clients."""
    status = rpc_status.from_call(rpc_error)
    return Reason("", {}) if status is None else of_status(status)
