"""What 吃, 碰 and passing do to a seat's later choices: grey and closed faces (G13, G14)."""

from collections.abc import Sequence

from libs.families.guihuzi.points import CHI_WITH, FACES


def chi_groups(hand: Sequence[int], card: int) -> list[bytes]:
    """The groups in which two hand cards would eat the card (G12)."""
    return [
        group for group in CHI_WITH[card] if all(hand[other] for other in group if other != card)
    ]


def same_pair(group: bytes, card: int) -> list[int]:
    """Every face that makes a group with the two cards that eat `card` in `group`, itself too."""
    pair = [other for other in group if other != card]
    return [face for face in FACES if bytes(sorted((face, *pair))) in CHI_WITH[face]]


def grey_after_chi(hand: Sequence[int], card: int, group: bytes) -> int:
    """Mask of the faces still in hand that a 吃 makes grey (G13). `hand` is what is left."""
    return sum(1 << face for face in same_pair(group, card) if hand[face])


def grey_after_peng(hand: Sequence[int], card: int) -> int:
    """Mask of the face if a card of it is left in hand after its 碰 (G13)."""
    return 1 << card if hand[card] else 0


def closed_by_pass(hand: Sequence[int], card: int) -> int:
    """Mask of the faces closed for 吃 by passing a 吃 of the card (G14)."""
    mask = 1 << card
    for group in chi_groups(hand, card):
        for face in same_pair(group, card):
            mask |= 1 << face
    return mask
