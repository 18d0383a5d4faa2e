"""Lists of independent items: one that fails carries its own error and leaves the others alone."""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sized
from typing import TypeVar

from google.rpc import status_pb2

from libs.runtime.errors import PaijuError, to_status
from libs.runtime.logs import Logger, frames

MAX_ITEMS = 1024

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Refusal = tuple[str, str, Mapping[str, str]]
"""Reason, message, fields of ErrorInfo.metadata."""


def check_count(items: Sized) -> None:
    """Refuses a list that is too long."""
    if len(items) > MAX_ITEMS:
        raise PaijuError(
            "LIMIT_EXCEEDED", "too many items", field="items", max_items=str(MAX_ITEMS)
        )


class Items:
    """Answers items one by one. `known` knows the refusals behind exceptions of the domain; any
    other exception is logged under an incident id, and its text stays here."""

    def __init__(self, log: Logger, known: Callable[[Exception], Refusal | None]) -> None:
        self._log = log
        self._known = known

    def answers(
        self,
        work: Callable[[Item], Answer],
        items: Iterable[Item],
        failed: Callable[[status_pb2.Status], Answer],
    ) -> list[Answer]:
        """`work` of each item, or `failed` of its error."""
        results = []
        for item in items:
            try:
                results.append(work(item))
            except Exception as error:  # the item's edge: the rest of the list goes on
                results.append(failed(to_status(self.refusal(error))))
        return results

    def whole(self, work: Callable[[Item], Answer], item: Item) -> Answer:
        """`work` of a request that is one item; raises its refusal."""
        try:
            return work(item)
        except Exception as error:  # the call's edge: see `refusal`
            raise self.refusal(error) from None

    def refusal(self, error: Exception) -> PaijuError:
        """What the caller is told about an exception."""
        if isinstance(error, PaijuError):
            return error
        known = self._known(error)
        if known is None:
            return self._hidden(error)
        reason, message, fields = known
        return PaijuError(reason, message, **fields)

    def _hidden(self, error: Exception) -> PaijuError:
        incident = uuid.uuid4().hex[:16]
        self._log.error(
            "item_failed", incident=incident, kind=type(error).__qualname__, frames=frames(error)
        )
        return PaijuError("INTERNAL", "internal error", incident=incident)
