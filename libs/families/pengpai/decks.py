"""The cards of the two games (J1, X1)."""

from collections.abc import Iterator

from libs.game.cards import FACES, Deck

SUITS = {"S": FACES["S1"], "C": FACES["C1"], "H": FACES["H1"]}
"""First card of each suit of nine ranks."""
DA_WANG = FACES["DJ"]
"""大王: a flower in 姜堰23张, an ordinary card in 沙沙儿."""
XIAO_WANG = FACES["XJ"]


def _suited() -> Iterator[tuple[int, int]]:
    """Four of every rank of the three suits."""
    for first in SUITS.values():
        yield from ((first + i, 4) for i in range(9))


def _deck(name: str, others: str) -> Deck:
    """A deck of the suits and of `others`, written `HT4 HJ4`."""
    rest = [(FACES[word[:2]], int(word[2:])) for word in others.split()]
    return Deck(name, (*sorted(_suited()), *rest))


JIANGYAN_132 = _deck("jiangyan_132", "HT4 HJ4 HQ4 HK4 XJ4 DJ4")
SHASHAER_130 = _deck("shashaer_130", "HT5 HJ4 HQ4 HK4 DJ5")
