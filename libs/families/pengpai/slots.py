"""Registers and phases of the family: what the numbers in a state mean."""

from enum import IntEnum


class Seat(IntEnum):
    """Registers of a seat; masks have bit `face`."""

    PENG_CLOSED = 0
    """Mask: faces on which a 碰 or 杠 was passed since the last own draw, 碰 or 杠 (J10)."""
    HU_CLOSED = 1
    """Mask: the discard on which a 胡 was passed since then; it bars every discard (J10)."""
    ZHI_TING = 2
    """Flag: 直听 (J30)."""
    BAO_LIU_PENG = 3
    """Flag: 报六碰 announced (J31)."""
    BAO_ASKED = 4
    """1: asked about 报六碰 (J31)."""
    DEALT_FOUR = 5
    """Mask: faces dealt four times or more (J5)."""
    DEALT_FIVE = 6
    """Mask: faces dealt five times (X8)."""
    DECLINED = 7
    """Mask: dealt fours passed in the opening (J5)."""


class Reg(IntEnum):
    """Registers of the round."""

    ACTOR = 0
    """The seat that acts in the current phase."""
    LAST = 1
    """The card the actor drew last, 0: none since its claim or on the deal (J7a)."""
    TURN = 2
    """What kind of turn the actor has (`Turn`)."""
    CAME = 3
    """Opening: 1 if a card came to the actor since it last passed (J4)."""
    HAI_LAO = 4
    """海捞: seats that have drawn or are drawing; 0 before it (J32)."""


class Turn(IntEnum):
    """What a seat may do before it discards."""

    DRAWN = 0
    """胡, 杠 and discards (J7a)."""
    CLAIMED = 1
    """After a 碰: discards only (J7)."""
    FIRST = 2
    """The dealer's first turn: discards only (J7a)."""


class Phase(IntEnum):
    """Phases; the family's `PHASES` tuple is in this order."""

    OPENING = 0
    DEALT_GANG = 1
    FLOWERS = 2
    MORE_GANG = 3
    DEAL_HU = 4
    ZHI_TING = 5
    BAO_LIU_PENG = 6
    OWN_TURN = 7
    OFFER = 8
    WINDOW = 9
    DRAW = 10
    HAI_LAO = 11
    FIRST_TURN = 12
    PLAYS_ITSELF = 13


FLAGS: dict[int, str] = {Seat.ZHI_TING: "zhi_ting", Seat.BAO_LIU_PENG: "bao_liu_peng"}
NOTES: dict[int, str] = {Seat.PENG_CLOSED: "peng_closed", Seat.HU_CLOSED: "hu_closed"}
