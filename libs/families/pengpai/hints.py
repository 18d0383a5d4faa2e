"""听牌 hints: the faces a hand waits for and what each is worth by source (J13, J26, X18, M9)."""

from collections.abc import Callable
from typing import Any

from libs.families.pengpai.check import check_seat
from libs.families.pengpai.judge import Scoring, Situation, judge, open_faces
from libs.families.pengpai.score import held_of
from libs.game.sheet import HandSpec, WinSource
from libs.game.variant import Wait, Worth

SOURCES = (WinSource.OWN_DRAW, WinSource.DISCARD)


def hints(scoring_for: Callable[[Any], Scoring]) -> Callable[[HandSpec, int], tuple[Wait, ...]]:
    """The variant's `waits`; 海捞 is not assumed. It raises ValueError for an impossible hand."""

    def of(spec: HandSpec, seat: int) -> tuple[Wait, ...]:
        scoring = scoring_for(spec.options)
        check_seat(spec.seats[seat], 0, scoring)
        held = held_of(spec.seats[seat], scoring.deck)
        result = []
        for face in open_faces(held, scoring):
            worth = []
            for source in SOURCES:
                verdict = judge(Situation(held, face, source, scoring))
                if verdict.best and not verdict.reason:
                    worth.append(Worth(source, verdict.best.raw, verdict.best.capped))
            if worth:
                result.append(Wait(face, tuple(worth)))
        return tuple(result)

    return of
