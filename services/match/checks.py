"""Requests are validated here, before anything else looks at them (issue: bad input table)."""

import base64
import binascii
import hashlib
import re
from collections.abc import Sequence

from google.protobuf.message import Message
from paiju.match.v1 import match_pb2 as pb

from libs.runtime.errors import PaijuError, refuse

# No control characters, line ends or marks that turn the direction of what follows.
_PRINTABLE = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]*")
MOST_INT = 2**63 - 1
_ID_CHARS = 64
_NAME_CHARS = 64
_REFERENCE_CHARS = 200
_REASON_CHARS = 200
_SEED_BYTES = 64
_MOST_ROUNDS = 100
_MOST_PLAYERS = 8
_MOST_PHASES = 16
_MOST_MS = 24 * 3600 * 1000
_MOST_AUTO_AFTER = 1000


def bad(field: str, wanted: str) -> PaijuError:
    """A field that cannot be accepted."""
    return PaijuError("BAD_REQUEST", f"{field}: {wanted}", field=field)


def text(field: str, value: str, least: int, most: int) -> str:
    """A printable text of bounded length."""
    if not least <= len(value) <= most or not _PRINTABLE.fullmatch(value):
        raise bad(field, f"{least} to {most} printable characters")
    return value


def command_id(value: str) -> str:
    """The client's name of a mutation."""
    return text("command_id", value, 1, _ID_CHARS)


def match_id(value: str) -> str:
    """A match."""
    return text("match_id", value, 1, _ID_CHARS)


def player(value: pb.Player) -> tuple[str, str]:
    """A player's id and shown name."""
    return (
        text("player.player_id", value.player_id, 1, _ID_CHARS),
        text("player.display_name", value.display_name, 0, _NAME_CHARS),
    )


def number(field: str, value: int, least: int, most: int) -> int:
    """A whole number within bounds."""
    if not least <= value <= most:
        raise bad(field, f"a whole number from {least} to {most}")
    return value


def create(request: pb.CreateMatchRequest) -> None:
    """Everything about a new match that is not the game's own business."""
    command_id(request.command_id)
    text("game", request.game, 1, _ID_CHARS)
    text("reference", request.reference, 0, _REFERENCE_CHARS)
    number("players", request.players, 1, _MOST_PLAYERS)
    number("rounds", request.rounds, 0, _MOST_ROUNDS)
    if len(request.client_seed) > _SEED_BYTES:
        raise bad("client_seed", f"at most {_SEED_BYTES} bytes")
    if request.HasField("creator"):
        player(request.creator)
    _clock(request.clock)
    _enum("dissolve", request.dissolve, pb.DissolvePolicy.values())
    _enum("fee", request.fee, pb.FeePolicy.values())
    if request.fee not in (pb.FEE_POLICY_UNSPECIFIED, pb.FEE_POLICY_NONE):
        refuse("POLICY_UNSUPPORTED", "room fees are not supported yet", field="fee")
    if request.buy_in:
        refuse("POLICY_UNSUPPORTED", "buy-ins are not supported yet", field="buy_in")


def _clock(clock: pb.ClockPolicy) -> None:
    _enum("clock.preset", clock.preset, pb.ClockPolicy.Preset.values())
    for field in ("discard_ms", "claim_ms", "ready_ms", "claim_pause_ms"):
        number(f"clock.{field}", getattr(clock, field), 0, _MOST_MS)
    number("clock.auto_after", clock.auto_after, 0, _MOST_AUTO_AFTER)


def _enum(field: str, value: int, known: Sequence[int]) -> None:
    if value not in known:
        raise bad(field, "a known value")


def reason(value: str) -> str:
    """Why the platform closes a match."""
    return text("reason", value, 0, _REASON_CHARS)


def fingerprint(request: Message) -> bytes:
    """What a command asks: its known fields without the command's own id."""
    asked = type(request)()
    asked.CopyFrom(request)
    asked.ClearField("command_id")
    asked.DiscardUnknownFields()
    return hashlib.sha256(asked.SerializeToString(deterministic=True)).digest()


def wanted(request: pb.ListMatchesRequest) -> None:
    """Which matches a list is to show; phases nobody knows find nothing."""
    text("game", request.game, 0, _ID_CHARS)
    text("reference", request.reference, 0, _REFERENCE_CHARS)
    if len(request.phases) > _MOST_PHASES:
        raise bad("phases", f"at most {_MOST_PHASES}")


def page_size(value: int, default: int, most: int) -> int:
    """A page's size; beyond the bound is a refusal, not a silent cut."""
    if value > most:
        refuse("LIMIT_EXCEEDED", f"page_size: at most {most}", field="page_size", max=str(most))
    return value or default


def page_token(value: str) -> tuple[int, str] | None:
    """Where a page of matches ended."""
    if not value:
        return None
    try:
        at_ms, _, after = base64.urlsafe_b64decode(value.encode()).decode().partition(":")
        text("page_token", after, 1, _ID_CHARS)
        return number("page_token", int(at_ms), 0, MOST_INT), after
    except (ValueError, binascii.Error):
        raise bad("page_token", "the token of the page before") from None


def make_page_token(at_ms: int, after: str) -> str:
    """The token of a page that ends here."""
    return base64.urlsafe_b64encode(f"{at_ms}:{after}".encode()).decode()
