"""How a bot plays games of the 字牌 family: seven 门子 with enough 胡息 (Z23, Z27).

A hand is worth the best way to lay its loose cards out as finished groups, pairs and half groups;
a discard gives up least, a claim is taken if it leaves more than passing. 胡息 count for more where
more are needed, and where a hand without red cards needs fewer (Q5) it may give its red ones up.
Only what the seat has seen is used.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import combinations
from random import Random
from typing import NamedTuple

from paiju.game.v1 import action_pb2

from libs.families.paohuzi.points import POINTS, chi_groups, is_big
from libs.game.cards import RED_ZI_PAI
from tools.bot_table import TableView

_GROUP = 12.0
_PAIR = (5.0, 6.0)
_HALF = 3.0
_EDGE = 2.0
_PRICED = 0.5
_CLAIM_MARGIN = 1.0
_USUAL_LEAST = 6
_BLACK = 1.0
"""What each 胡息 fewer that a black hand needs is worth."""

# Loose cards are packed two bits a face, small and big of one number side by side, so that what
# belongs together lies close and many hands share the rest of their search.
_SHIFT = tuple(2 * (2 * ((face - 1) % 10) + (face > 10)) if face else 0 for face in range(21))


class _Part(NamedTuple):
    packed: int
    worth: float


def _pack(cards: Iterable[int]) -> int:
    return sum(1 << _SHIFT[card] for card in cards)


def _fits(hand: int, part: int) -> bool:
    while part:
        low = ((part & -part).bit_length() - 1) & ~1
        if hand >> low & 3 < part >> low & 3:
            return False
        part &= ~(3 << low)
    return True


class Prices(NamedTuple):
    """What a room makes of groups. `huxi`: worth of one 胡息."""

    yi_wu_shi: bool = False
    huxi: float = 1.0


PLAIN = Prices()


@lru_cache(maxsize=16)
def _parts(prices: Prices) -> tuple[tuple[_Part, ...], ...]:
    """Everything a card can be part of, by the bit position of its lowest card."""
    worth: dict[int, float] = {}
    for group in chi_groups(prices.yi_wu_shi):
        worth[_pack(group.cards)] = _GROUP + prices.huxi * group.points
        for half in combinations(group.cards, 2):
            if half[0] == half[1]:
                continue
            packed = _pack(half)
            edge = _EDGE if packed not in worth else _HALF
            price = _PRICED * prices.huxi * (group.points > 0)
            worth[packed] = max(worth.get(packed, 0), edge + price)
    for face in range(1, 21):
        worth[_pack((face, face))] = _PAIR[is_big(face)]
    table: list[list[_Part]] = [[] for _ in range(40)]
    for packed, value in worth.items():
        table[(packed & -packed).bit_length() - 1 & ~1].append(_Part(packed, value))
    return tuple(tuple(parts) for parts in table)


@lru_cache(maxsize=200_000)
def _best(hand: int, prices: Prices) -> float:
    """The most that packed loose cards are worth."""
    if not hand:
        return 0.0
    low = (hand & -hand).bit_length() - 1 & ~1
    most = _best(hand - (1 << low), prices)
    for part in _parts(prices)[low]:
        if _fits(hand, part.packed):
            most = max(most, part.worth + _best(hand - part.packed, prices))
    return most


def worth(hand: Mapping[int, int], prices: Prices = PLAIN) -> float:
    """What concealed cards are worth; 坎 and fours stay whole (Z24)."""
    loose = 0
    total = 0.0
    for face, n in hand.items():
        if n >= 3:
            total += _GROUP + prices.huxi * POINTS["kan" if n == 3 else "ti"][is_big(face)]
        elif n:
            loose += n << _SHIFT[face]
    return total + _best(loose, prices)


class Paohuzi(NamedTuple):
    """A strategy of the family under one room's options. `least`, `least_black`: 胡息 to win with
    red cards and without (L5, Q5)."""

    yi_wu_shi: bool = False
    least: int = _USUAL_LEAST
    least_black: int = _USUAL_LEAST

    @property
    def prices(self) -> Prices:
        """胡息 are worth more where more are needed."""
        return Prices(self.yi_wu_shi, self.least / _USUAL_LEAST)

    def worth(self, hand: Mapping[int, int], laid: Iterable[int]) -> float:
        """What a hand is worth beside the cards `laid` in melds: with all its cards, or, while no
        red card is laid, without its red ones."""
        whole = worth(hand, self.prices)
        fewer = max(self.least - self.least_black, 0)
        if not fewer or RED_ZI_PAI.intersection(laid):
            return whole
        black = {face: n for face, n in hand.items() if face not in RED_ZI_PAI}
        return max(whole, worth(black, self.prices) + _BLACK * fewer)

    def choose(self, table: TableView, prompt: action_pb2.Prompt, rng: Random) -> int:
        """The index of the choice this bot takes. A win is never refused."""
        kinds = [choice.WhichOneof("kind") for choice in prompt.choices]
        if "hu" in kinds:
            return kinds.index("hu")
        if "discard" in kinds:
            return self._discard(table, prompt, rng)
        return self._claim(table, prompt)

    def _discard(self, table: TableView, prompt: action_pb2.Prompt, rng: Random) -> int:
        seen, laid = table.seen(), _laid(table)

        def score(at: int) -> float:
            face = prompt.choices[at].discard.card
            kept = self.worth(_without(table.hand, [face]), laid)
            return kept - self._hope(face, table, seen) + self._safety(face, table, seen)

        order = [at for at, choice in enumerate(prompt.choices) if choice.HasField("discard")]
        rng.shuffle(order)  # equals are thrown in any order
        return max(order, key=score)

    def _hope(self, face: int, table: TableView, seen: Mapping[int, int]) -> float:
        """How many unseen cards would make a group with `face` and one more hand card."""
        live = 4 - seen.get(face, 0)
        for group in chi_groups(self.yi_wu_shi):
            if face in group.cards:
                missing = [c for c in group.cards if c != face and not table.hand[c]]
                if len(missing) == 1:
                    live += 4 - seen.get(missing[0], 0)
        return 0.1 * live

    def _safety(self, face: int, table: TableView, seen: Mapping[int, int]) -> float:
        """A face often seen is wanted less; it matters more as the wall runs out."""
        late = 1.0 if table.wall_left < 8 else 0.4
        return late * (seen.get(face, 0) - table.hand[face])

    def _claim(self, table: TableView, prompt: action_pb2.Prompt) -> int:
        best, best_worth = prompt.default_choice, self.worth(table.hand, _laid(table))
        best_worth += _CLAIM_MARGIN
        for at, choice in enumerate(prompt.choices):
            value = self._after(table, choice)
            if value > best_worth:
                best, best_worth = at, value
        return best

    def _after(self, table: TableView, choice: action_pb2.Action) -> float:
        """What the seat has after a 吃 or 碰, its melds counted as groups."""
        kind = choice.WhichOneof("kind")
        if kind == "peng":
            face = choice.peng.card
            rest = self.worth(_without(table.hand, [face, face]), [*_laid(table), face])
            return _GROUP + self.prices.huxi * POINTS["peng"][is_big(face)] + rest
        if kind != "chi":
            return float("-inf")
        groups = [choice.chi.group.cards, *(group.cards for group in choice.chi.bi)]
        cards = [card for group in groups for card in group]
        used = cards.copy()
        used.remove(choice.chi.card)
        laid = sum(_best(_pack(group), self.prices) for group in groups)
        return laid + self.worth(_without(table.hand, used), [*_laid(table), *cards])


def _laid(table: TableView) -> list[int]:
    """The cards of the seat's own melds."""
    return [card for meld in table.melds[table.seat] for card in meld.cards]


def _without(hand: Mapping[int, int], cards: Iterable[int]) -> dict[int, int]:
    left = dict(hand)
    for card in cards:
        left[card] -= 1
    return left
