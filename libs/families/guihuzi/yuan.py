"""圆: faces of which the winner owns all four, and where those cards came from (G29)."""

from collections.abc import Sequence
from typing import NamedTuple

from libs.families.guihuzi.points import FACES
from libs.game.melds import Meld, MeldKind
from libs.game.sheet import Win, WinSource

FROM_OTHERS = (MeldKind.PENG, MeldKind.PIAO)
"""Melds whose claimed card always came from another seat (G7, G11)."""


class Yuan(NamedTuple):
    """The faces of 内圆 and of 外圆."""

    nei: tuple[int, ...]
    wai: tuple[int, ...]


NO_YUAN = Yuan((), ())


def _from_other(meld: Meld, seat: int) -> int:
    """The card of a meld that came from another seat; 0: none did."""
    if meld.kind in FROM_OTHERS:
        return meld.cards[0]
    eaten = meld.kind == MeldKind.CHI and meld.source not in (-1, seat)
    return meld.claimed if eaten else 0


def yuan_of(counts: Sequence[int], melds: Sequence[Meld], win: Win) -> Yuan:
    """Every face owned four times, hand, table and winning card together."""
    total = list(counts)
    for meld in melds:
        for card in meld.cards:
            total[card] += 1
    total[win.card] += 1
    whole = [face for face in FACES if total[face] == 4]
    others = {_from_other(meld, win.seat) for meld in melds} if whole else set()
    if win.source is WinSource.OTHER_DRAW:
        others.add(win.card)
    return Yuan(
        tuple(face for face in whole if face not in others),
        tuple(face for face in whole if face in others),
    )
