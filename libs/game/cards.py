"""Cards, decks and the hand notation (docs/rules/README.md, "Card notation").

A card is a small integer, the same number as `paiju.game.v1.Card` on the wire: a face, not one of
its copies. Faces of every game live in one table, so a card reads the same in every service.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

HIDDEN = 99
"""A card whose face the reader may not know; the same size on the wire as any face."""

SMALL = "一二三四五六七八九十"
BIG = "壹贰叁肆伍陆柒捌玖拾"


def _build_names() -> dict[int, str]:
    names = {1 + i: c for i, c in enumerate(SMALL)} | {11 + i: c for i, c in enumerate(BIG)}
    for first, suit in ((21, "S"), (31, "C"), (41, "H")):
        names |= {first + i: f"{suit}{i + 1}" for i in range(9)}
    return names | {50: "HT", 51: "HJ", 52: "HQ", 53: "HK", 54: "XJ", 55: "DJ", HIDDEN: "?"}


NAMES: dict[int, str] = _build_names()
FACES: dict[str, int] = {name: card for card, name in NAMES.items()} | {"陸": 16}

RED_ZI_PAI = frozenset(FACES[c] for c in "二七十贰柒拾")


class NotationError(ValueError):
    """A hand string with a symbol that names no card; `symbol` is that part."""

    def __init__(self, symbol: str) -> None:
        super().__init__(f"no card is written {symbol!r}")
        self.symbol = symbol


def parse(text: str) -> tuple[int, ...]:
    """Cards of a hand string, in the order written.

    字牌 are written face by face, spaces allowed (`一一一 二七十`); playing cards are separated
    by spaces (`S1 HT DJ`). Raises NotationError.
    """
    cards: list[int] = []
    for word in text.split():
        if word in FACES:
            cards.append(FACES[word])
            continue
        for symbol in word:
            if symbol not in FACES:
                raise NotationError(word)
            cards.append(FACES[symbol])
    return tuple(cards)


def show(cards: Iterable[int]) -> str:
    """The hand string of `cards`: 字牌 run together, playing cards spaced."""
    names = [NAMES[card] for card in cards]
    return ("" if all(len(name) == 1 for name in names) else " ").join(names)


@dataclass(frozen=True)
class Deck:
    """Which faces a game uses and how many copies of each."""

    name: str
    copies: tuple[tuple[int, int], ...]
    """(face, copies), by face."""

    @cached_property
    def width(self) -> int:
        """Length of a count vector: highest face + 1 (index 0 stays 0)."""
        return max(face for face, _ in self.copies) + 1

    @cached_property
    def size(self) -> int:
        """Number of cards."""
        return sum(n for _, n in self.copies)

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Copies of each face, indexed by face."""
        vector = [0] * self.width
        for face, n in self.copies:
            vector[face] = n
        return tuple(vector)

    @cached_property
    def cards(self) -> bytes:
        """Every card of the deck in face order: what a shuffle starts from."""
        return bytes(face for face, n in self.copies for _ in range(n))

    def count(self, cards: Iterable[int]) -> list[int]:
        """Count vector of `cards`. Raises NotationError for a face this deck does not have."""
        vector = [0] * self.width
        for card in cards:
            if not 0 < card < self.width or not self.counts[card]:
                raise NotationError(NAMES.get(card, str(card)))
            vector[card] += 1
        return vector


def expand(counts: Sequence[int]) -> bytes:
    """The cards of a count vector, in face order."""
    return bytes(card for card, n in enumerate(counts) for _ in range(n))


ZI_PAI = Deck("zi_pai_80", tuple((face, 4) for face in range(1, 21)))
