"""The scoring service's RPCs. Nothing is kept between calls."""

from collections.abc import Callable, Iterable
from typing import Any

from google.rpc import status_pb2
from paiju.game.v1 import sheet_pb2
from paiju.scoring.v1 import scoring_pb2 as pb
from paiju.scoring.v1.scoring_pb2_grpc import ScoringServiceServicer

from libs.game import engine, settle
from libs.game.variant import Registry
from libs.runtime.errors import PaijuError
from libs.runtime.items import Items, check_count
from libs.wire.hands import hand_spec_of
from libs.wire.options import room_options
from libs.wire.sheets import Heading, line_message, sheet_message

MAX_TOTAL = 2**53
"""Largest total of a seat: a JSON number still holds it, and no factor takes it past int64."""

Context = Any  # grpc.aio.ServicerContext of any request and response


class ScoringServicer(ScoringServiceServicer):
    """Explains what rounds, matches and hands are worth."""

    def __init__(self, registry: Registry, items: Items) -> None:
        self._registry = registry
        self._items = items

    async def ScoreRound(
        self, request: pb.ScoreRoundRequest, context: Context
    ) -> pb.ScoreRoundResponse:
        """Scores finished rounds."""
        return pb.ScoreRoundResponse(results=self._sheets(self._round, request.states))

    async def FinishMatch(
        self, request: pb.FinishMatchRequest, context: Context
    ) -> pb.FinishMatchResponse:
        """Applies a game's end-of-match rules to the totals (M10)."""
        return self._items.whole(self._finish, request)

    async def ExplainHand(
        self, request: pb.ExplainHandRequest, context: Context
    ) -> pb.ExplainHandResponse:
        """Explains hands written down."""
        return pb.ExplainHandResponse(results=self._sheets(self._hand, request.hands))

    def _sheets(
        self, work: Callable[[Any], sheet_pb2.ScoreSheet], items: Any
    ) -> Iterable[pb.SheetResult]:
        check_count(items)
        return self._items.answers(lambda item: pb.SheetResult(sheet=work(item)), items, _failed)

    def _round(self, state: bytes) -> sheet_pb2.ScoreSheet:
        variant, round_no, spec, sheet = settle.settle(self._registry, state)
        return sheet_message(sheet, Heading(variant, round_no, spec.win if spec else None))

    def _hand(self, hand: sheet_pb2.HandSpec) -> sheet_pb2.ScoreSheet:
        variant = engine.find(self._registry, hand.game, hand.release)
        spec = hand_spec_of(variant, hand)
        return sheet_message(variant.score(spec), Heading(variant, 0, spec.win))

    def _finish(self, request: pb.FinishMatchRequest) -> pb.FinishMatchResponse:
        variant = engine.find(self._registry, request.game, request.release)
        totals = tuple(request.totals)
        options = room_options(variant, request.options, len(totals))
        if sum(totals) or any(abs(total) > MAX_TOTAL for total in totals):
            raise PaijuError("BAD_REQUEST", "totals are whole and sum to 0", field="totals")
        finals, lines = variant.finish(options, totals)
        return pb.FinishMatchResponse(
            finals=finals,
            adjustments=[final - total for final, total in zip(finals, totals, strict=True)],
            lines=[line_message(line) for line in lines],
        )


def _failed(error: status_pb2.Status) -> pb.SheetResult:
    return pb.SheetResult(error=error)
