"""Melds: the groups of cards that lie on the table, in every game."""

from enum import IntEnum
from typing import NamedTuple


class MeldKind(IntEnum):
    """Kinds of meld; the numbers are those of `paiju.game.v1.MeldKind`."""

    CHI = 1
    PENG = 2
    WEI = 3
    CHOU_WEI = 4
    PAO = 5
    TI = 6
    WAI = 7
    LIU = 8
    PIAO = 9
    AN_GANG = 10
    AN_GANG_YUAN = 11
    MING_GANG = 12


class Meld(NamedTuple):
    """A group on the table.

    `claimed` is the card that came from a draw or discard (0: all from the hand); `source` is the
    seat that drew or discarded it (-1: nobody); `from_discard` tells a discard from a draw.
    `steps` are earlier forms of a meld that grew (e.g. WEI before TI), oldest first.
    """

    kind: MeldKind
    cards: bytes
    claimed: int = 0
    source: int = -1
    from_discard: bool = False
    steps: tuple[MeldKind, ...] = ()
