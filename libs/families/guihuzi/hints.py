"""听牌 hints: the faces a hand waits for and what each is worth by source (G18, G21)."""

from collections.abc import Callable
from typing import Any

from libs.families.guihuzi.score import Occasion, Scoring, Verdict, judge
from libs.families.guihuzi.split import Concealed, check_hand
from libs.families.guihuzi.waits import waits
from libs.game.sheet import HandSpec, Win, WinSource
from libs.game.variant import Wait, Worth

SOURCES = (WinSource.OWN_DRAW, WinSource.OTHER_DRAW)


def _judged(hand: Concealed, win: Win, bao_ting: bool, scoring: Scoring) -> Verdict:
    return judge(Occasion(hand, win, False, bao_ting), scoring)


def hints(scoring_for: Callable[[Any], Scoring]) -> Callable[[HandSpec, int], tuple[Wait, ...]]:
    """The variant's `waits`. 海底 is not assumed; 报听 counts if the seat has it (G26). Raises
    HandError for a hand that no play could lead to."""

    def of(spec: HandSpec, seat: int) -> tuple[Wait, ...]:
        scoring = scoring_for(spec.options)
        seen = spec.seats[seat]
        check_hand(seen.counts, seen.melds)
        hand, bao_ting = Concealed(bytes(seen.counts), seen.melds), bool(seen.facts.get("bao_ting"))
        result = []
        for face in waits(hand, scoring.hand):
            worth = []
            for source in SOURCES:
                verdict = _judged(hand, Win(seat, face, source, seat), bao_ting, scoring)
                if verdict.best and not verdict.reason:
                    worth.append(Worth(source, verdict.best.yingxi, verdict.best.amount))
            if worth:
                result.append(Wait(face, tuple(worth)))
        return tuple(result)

    return of
