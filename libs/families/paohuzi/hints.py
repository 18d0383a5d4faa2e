"""听牌 hints: the faces a hand waits for and what each is worth by source (Z28, M9)."""

from collections.abc import Callable
from typing import Any

from libs.families.paohuzi.score import Occasion, Scoring, judge
from libs.families.paohuzi.shape import check_hand
from libs.families.paohuzi.split import Way
from libs.families.paohuzi.waits import SOURCES, Concealed, waits
from libs.game.sheet import HandSpec, Win, WinSource
from libs.game.variant import Wait, Worth

_WIN_SOURCES = {
    Way.OWN_DRAW: WinSource.OWN_DRAW,
    Way.OTHER_DRAW: WinSource.OTHER_DRAW,
    Way.DISCARD: WinSource.DISCARD,
}


def hints(scoring_for: Callable[[Any], Scoring]) -> Callable[[HandSpec, int], tuple[Wait, ...]]:
    """The variant's `waits`. A 醒 and the last card of the wall are not assumed."""

    def of(spec: HandSpec, seat: int) -> tuple[Wait, ...]:
        scoring = scoring_for(spec.options)
        hand = spec.seats[seat]
        counts = bytes(hand.counts)
        check_hand(counts, hand.melds)
        ways = [way for way in SOURCES if way != Way.DISCARD or scoring.discard_wins]
        found = waits(Concealed(counts, hand.melds), ways, scoring.hand)
        result = []
        for face in sorted({face for faces in found.values() for face in faces}):
            worth = []
            for way in ways:
                if face in found[way]:
                    win = Win(seat, face, _WIN_SOURCES[way])
                    occasion = Occasion(counts, hand.melds, win, seat == spec.dealer)
                    verdict = judge(occasion, scoring)
                    assert verdict.best is not None
                    worth.append(Worth(way + 1, verdict.best.counted, verdict.amount))
            result.append(Wait(face, tuple(worth)))
        return tuple(result)

    return of
