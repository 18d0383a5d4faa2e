"""Registers and phases of the family: what the numbers in a state mean."""

from enum import IntEnum


class Seat(IntEnum):
    """Registers of a seat; masks have bit `face`."""

    CLOSED = 0
    """Mask: faces closed for 吃 and 碰 (Z17)."""
    REN_PENG = 1
    """Mask: faces on which a 碰 was declined (Z10)."""
    RETURNED = 2
    """Mask: discards refused in this turn (L7, Q7)."""
    BARRED = 3
    """Flag: no 吃 and no 碰 after a 冲招 (Z21)."""
    SI_SHOU = 4
    """Flag: dead hand (Z22)."""


class Reg(IntEnum):
    """Registers of the round."""

    ACTOR = 0
    """The seat that acts in the current phase."""
    FIRST = 1
    """The dealer's first discard: 0 still to come, 1 lies open, 2 over."""
    LIANG_ZHANG = 2
    """The 亮张."""
    LAID = 3
    """1 + index of the meld that took the winner's own draw (Z28); 0: none."""
    LAST_CARD = 4
    """1: the card drawn last was the last of the wall."""


class Phase(IntEnum):
    """Phases; the variant's `phases` tuple is in this order."""

    OPENING = 0
    LIANG_ZHANG = 1
    JOIN = 2
    DEAL_HU = 3
    DISCARD = 4
    OTHERS_TI = 5
    OFFER = 6
    WINDOW = 7
    LAID_HU = 8
    DRAW = 9
    FORCED_PAO = 10
    LAID = 11
    FIRST_TURN = 12


FLAGS: dict[int, str] = {Seat.BARRED: "barred", Seat.SI_SHOU: "si_shou"}
NOTES: dict[int, str] = {Seat.CLOSED: "closed", Seat.RETURNED: "returned"}
