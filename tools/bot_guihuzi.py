"""How a bot plays 鬼胡子: six 门子 and a last one, with five 硬息 among them (G19-G21).

The small and the big cards are laid out apart, as finished groups, pairs and half groups; what
carries 硬息 is worth more. A discard gives up least; a claim is taken if it leaves more than
passing does and does not make a dead hand (G16). Only what the seat has seen is used.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple

from paiju.game.v1 import action_pb2, card_pb2

from libs.families.guihuzi.closing import same_pair
from libs.families.guihuzi.points import CHI_WITH, ER_QI_SHI, LAST_SHAPES, RUN_SHAPES, is_er_qi_shi
from tools.bot_table import TableView

_THREE = 17.0
"""Three equal in hand: a 门子, 1 硬息 and 5 息 (G20, G23)."""
_PENG = 14.0
_ER_QI_SHI = 14.0
_RUN = 9.0
_LASTS = {"last_i": 6.0, "last_ii": 4.5, "last_iii": 2.5}
"""A pair can become three; two of 二七十 become a group with 硬息."""
_GREY = 1.5
"""What a card that cannot be discarded any more costs (G13)."""
_CLAIM_MARGIN = 1.0
_ALWAYS = ("hu", "liu", "piao")
"""Claims that give up nothing: a win, and four equal cards without a discard (G10, G11)."""


class _Part(NamedTuple):
    packed: int
    worth: float


def _pack(numbers: Iterable[int]) -> int:
    return sum(1 << 4 * (n - 1) for n in numbers)


def _parts() -> tuple[tuple[_Part, ...], ...]:
    """Everything a card of one size can be part of, by the number of its lowest card."""
    worth = {_pack((n,) * 3): _THREE for n in range(1, 11)}
    worth |= {_pack(run): _ER_QI_SHI if run == ER_QI_SHI else _RUN for run in RUN_SHAPES}
    worth |= {_pack(numbers): _LASTS[kind] for numbers, kind in LAST_SHAPES.items()}
    table: list[list[_Part]] = [[] for _ in range(10)]
    for packed, value in worth.items():
        table[(packed & -packed).bit_length() - 1 >> 2].append(_Part(packed, value))
    return tuple(tuple(parts) for parts in table)


_PARTS = _parts()


def _fits(half: int, part: int) -> bool:
    return all(half >> at & 15 >= part >> at & 15 for at in range(0, 40, 4))


@lru_cache(maxsize=200_000)
def _best(half: int) -> float:
    """The most that the cards of one size are worth."""
    if not half:
        return 0.0
    lowest = (half & -half).bit_length() - 1 >> 2
    most = _best(half - (1 << 4 * lowest))
    for packed, value in _PARTS[lowest]:
        if _fits(half, packed):
            most = max(most, value + _best(half - packed))
    return most


def worth(hand: Mapping[int, int]) -> float:
    """What concealed cards are worth."""
    small = sum(n << 4 * (face - 1) for face, n in hand.items() if face <= 10)
    big = sum(n << 4 * (face - 11) for face, n in hand.items() if face > 10)
    return _best(small) + _best(big)


def greyed(claimed: int, group: Iterable[int]) -> set[int]:
    """Faces that taking the card makes grey, if they are in hand (G13)."""
    cards = bytes(sorted(group))
    return {claimed} if len(set(cards)) == 1 else set(same_pair(cards, claimed))


def _grey_faces(melds: Iterable[card_pb2.Meld]) -> set[int]:
    """Faces that the own melds make grey: no card joins a hand after the deal (G5, G13)."""
    kinds = (card_pb2.MELD_KIND_CHI, card_pb2.MELD_KIND_PENG)
    taken = [greyed(meld.claimed, meld.cards) for meld in melds if meld.kind in kinds]
    return set().union(*taken)


class Guihuzi:
    """A strategy of the family."""

    def choose(self, table: TableView, prompt: action_pb2.Prompt, rng: Random) -> int:
        """The index of the choice this bot takes. A win is never refused."""
        kinds = [choice.WhichOneof("kind") for choice in prompt.choices]
        if "discard" in kinds or "pass" not in kinds:
            return self._turn(table, prompt, rng)
        for kind in _ALWAYS:
            if kind in kinds:
                return kinds.index(kind)
        return self._claim(table, prompt)

    def _turn(self, table: TableView, prompt: action_pb2.Prompt, rng: Random) -> int:
        """A discard, or a kept card laid as 溜: as if it were discarded, but it still counts."""
        seen = table.seen()

        def score(at: int) -> float:
            choice = prompt.choices[at]
            laid = choice.HasField("liu")
            face = choice.liu.card if laid else choice.discard.card
            kept = worth(_without(table.hand, [face]))
            return kept + 3.0 if laid else kept - self._hope(face, table, seen)

        order = list(range(len(prompt.choices)))
        rng.shuffle(order)  # equals are thrown in any order
        return max(order, key=score)

    def _hope(self, face: int, table: TableView, seen: Mapping[int, int]) -> float:
        """How many unseen cards would make a group with `face` and one more hand card."""
        live = (4 - seen.get(face, 0)) * (table.hand[face] > 1)
        for group in CHI_WITH[face]:
            missing = [card for card in group if card != face and not table.hand[card]]
            if len(missing) == 1:
                live += 4 - seen.get(missing[0], 0)
        return 0.1 * live

    def _claim(self, table: TableView, prompt: action_pb2.Prompt) -> int:
        best, best_worth = prompt.default_choice, worth(table.hand) + _CLAIM_MARGIN
        for at, choice in enumerate(prompt.choices):
            value = self._after(table, choice)
            if value > best_worth:
                best, best_worth = at, value
        return best

    def _after(self, table: TableView, choice: action_pb2.Action) -> float:
        """What the seat has after a 歪, 碰 or 吃 and the grey cards that follow."""
        kind = choice.WhichOneof("kind")
        if kind == "chi":
            group = list(choice.chi.group.cards)
            laid = _ER_QI_SHI if is_er_qi_shi(bytes(sorted(group))) else _RUN
            return self._left(table, choice.chi.card, group, laid)
        if kind == "peng":
            return self._left(table, choice.peng.card, [choice.peng.card] * 3, _PENG)
        if kind == "wai":
            return _THREE + worth(_without(table.hand, [choice.wai.card] * 2))
        return float("-inf")

    def _left(self, table: TableView, card: int, group: Sequence[int], laid: float) -> float:
        used = list(group)
        used.remove(card)
        rest = _without(table.hand, used)
        grey = _grey_faces(table.melds[table.seat]) | greyed(card, group)
        stuck = sum(n for face, n in rest.items() if face in grey)
        if stuck == sum(rest.values()):
            return float("-inf")
        return laid + worth(rest) - _GREY * stuck


def _without(hand: Mapping[int, int], cards: Iterable[int]) -> dict[int, int]:
    left = dict(hand)
    for card in cards:
        left[card] -= 1
    return left
