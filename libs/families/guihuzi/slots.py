"""Registers and phases of the family: what the numbers in a state mean."""

from enum import IntEnum


class Seat(IntEnum):
    """Registers of a seat; masks have bit `face`."""

    CHI_CLOSED = 0
    """Mask: faces closed for 吃 (G14)."""
    PENG_CLOSED = 1
    """Mask: faces closed for 碰 (G8, G14)."""
    WAI_CLOSED = 2
    """Mask: faces whose 歪 was declined (G9)."""
    GREY = 3
    """Mask: faces that may not be discarded (G13)."""
    SI_SHOU = 4
    """Flag: dead hand (G16)."""
    BAO_TING = 5
    """1: ready after the dealer's first discard, nothing discarded since (G26)."""


class Reg(IntEnum):
    """Registers of the round."""

    ACTOR = 0
    """The seat that acts in the current phase."""
    FIRST = 1
    """1: the dealer's first discard has been made."""
    LAST_CARD = 2
    """1: the card drawn last was the last of the wall."""
    ASKED_ALONE = 3
    """1: the drawer has answered for the open card before the others are asked (G17)."""


class Phase(IntEnum):
    """Phases; the variant's `phases` tuple is in this order."""

    OPENING = 0
    DEAL_HU = 1
    DISCARD = 2
    OFFER = 3
    WINDOW = 4
    DRAW = 5
    DRAWER = 6
    FIRST_TURN = 7


FLAGS: dict[int, str] = {Seat.SI_SHOU: "si_shou"}
NOTES: dict[int, str] = {
    Seat.CHI_CLOSED: "closed_chi", Seat.PENG_CLOSED: "closed_peng",
    Seat.WAI_CLOSED: "closed_wai", Seat.GREY: "grey",
}  # fmt: skip
