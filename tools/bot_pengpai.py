"""How a bot plays games of the 碰胡 family: seven 门子 and a pair (J13), equal cards worth more.

A hand is worth the best way to lay its suits out as triples, runs, pairs and half runs; a discard
gives up least, a 碰 or 杠 is taken if it leaves more than passing. Only what the seat has seen is
used.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple

from paiju.game.v1 import action_pb2

from libs.families.pengpai.shape import complete
from libs.game.cards import FACES
from tools.bot_table import TableView

_GROUP, _PAIR, _NEXT, _GAP = 12.0, 5.0, 3.0, 2.5
_FOUR = 4.0
"""What a 杠 is worth beyond a triple: its own points and one card more."""
_BIG = 0.25
"""Share by which 大张 make equal cards worth more."""
_LIVE = 0.08
"""Worth of one unseen card that would help a loose one."""
_RANKS = 9
_HONOUR = 50
_FAN_PAI = 3
"""Faces left at most where 全荤 is near (J31)."""
_SIX = 6
_MEN_PAI = FACES["S1"]
"""First card of the run that is a 门牌 (J20)."""
_WIDTH = max(FACES.values()) + 1


@lru_cache(maxsize=200_000)
def _suit(counts: tuple[int, ...], big: tuple[bool, ...]) -> float:
    """The most that the ranks of a suit are worth, lowest rank first."""
    if not any(counts):
        return 0.0
    at = next(i for i, n in enumerate(counts) if n)
    counts, big = counts[at:], big[at:]
    grow = 1 + _BIG * big[0]
    best = _suit(_less(counts, 1), big)
    if counts[0] >= 3:
        best = max(best, _GROUP * grow + _suit(_less(counts, 3), big))
    if counts[0] >= 2:
        best = max(best, _PAIR * grow + _suit(_less(counts, 2), big))
    after = [len(counts) > step and counts[step] > 0 for step in (1, 2)]
    if all(after):
        best = max(best, _GROUP + _suit(_less(counts, 1, 1, 1), big))
    if after[0]:
        best = max(best, _NEXT + _suit(_less(counts, 1, 1), big))
    if after[1]:
        best = max(best, _GAP + _suit(_less(counts, 1, 0, 1), big))
    return best


def _less(counts: tuple[int, ...], *taken: int) -> tuple[int, ...]:
    return tuple(n - t for n, t in zip(counts, taken, strict=False)) + counts[len(taken) :]


class Pengpai(NamedTuple):
    """A strategy of the family for the 大张 of a game."""

    big: frozenset[int]

    def worth(self, hand: Mapping[int, int]) -> float:
        """What concealed cards are worth."""
        total = 0.0
        for first in (21, 31, 41):
            faces = range(first, first + _RANKS)
            counts = tuple(hand.get(face, 0) for face in faces)
            total += _suit(counts, tuple(face in self.big for face in faces))
        honours = ((face, n) for face, n in hand.items() if face >= _HONOUR and n)
        return total + sum(_suit((n,), (face in self.big,)) for face, n in honours)

    def choose(self, table: TableView, prompt: action_pb2.Prompt, rng: Random) -> int:
        """The index of the choice this bot takes. A win is never refused."""
        kinds = [choice.WhichOneof("kind") for choice in prompt.choices]
        if "hu" in kinds:
            return kinds.index("hu")
        if "declare" in kinds:
            return self._declare(table, prompt, kinds)
        best = self._taken(table, prompt)
        if best is not None:
            return best
        if "discard" in kinds:
            return self._discard(table, prompt, rng)
        return prompt.default_choice

    def _declare(
        self, table: TableView, prompt: action_pb2.Prompt, kinds: Sequence[str | None]
    ) -> int:
        """直听 always; 报六碰 where the last cards are equal and no win is given up (J30, J31)."""
        at = kinds.index("declare")
        ting = prompt.choices[at].declare.declaration == action_pb2.DECLARATION_ZHI_TING
        announced = ting or (len(+table.hand) <= _FAN_PAI and not _won_by_run(table.hand))
        return at if announced else prompt.default_choice

    def _taken(self, table: TableView, prompt: action_pb2.Prompt) -> int | None:
        """The 碰 or 杠 that leaves more than the hand is worth; None: none does."""
        best, most = None, self.worth(table.hand)
        for at, choice in enumerate(prompt.choices):
            value = self._after(table, choice)
            if value > most:
                best, most = at, value
        return best

    def _after(self, table: TableView, choice: action_pb2.Action) -> float:
        """What the seat has after a 碰 or 杠, the meld counted as a group."""
        kind = choice.WhichOneof("kind")
        if kind == "peng":
            face = choice.peng.card
            return _GROUP * self._grown(face) + self._without(table, face, 2)
        if kind != "gang":
            return float("-inf")
        face, held = choice.gang.card, table.hand[choice.gang.card]
        if choice.gang.kind == action_pb2.GANG_KIND_BU or not held:
            return _FOUR + self._without(table, face, held and 1)
        return _GROUP * self._grown(face) + _FOUR + self._without(table, face, held)

    def _grown(self, face: int) -> float:
        return 1 + _BIG * (face in self.big)

    def _without(self, table: TableView, face: int, n: int) -> float:
        left = Counter(table.hand)
        left[face] -= n
        return self.worth(left)

    def _discard(self, table: TableView, prompt: action_pb2.Prompt, rng: Random) -> int:
        seen = table.seen()
        order = [at for at, choice in enumerate(prompt.choices) if choice.HasField("discard")]
        rng.shuffle(order)  # equals are thrown in any order

        def score(at: int) -> float:
            face = prompt.choices[at].discard.card
            return self._without(table, face, 1) - _LIVE * _live(face, seen)

        return max(order, key=score)


def _won_by_run(hand: Mapping[int, int]) -> bool:
    """Whether five cards are a run other than the 门牌 and a pair: that hand wins now, but never
    after a 报六碰 (J31)."""
    counts = bytes(hand.get(face, 0) for face in range(_WIDTH))
    runs = len([face for face in counts if face]) == _FAN_PAI and not counts[_MEN_PAI]
    return runs and complete(counts, _SIX)


def _live(face: int, seen: Mapping[int, int]) -> int:
    """Unseen copies of the face and of its neighbours."""
    return sum(max(0, 4 - seen.get(near, 0)) for near in _near(face))


def _near(face: int) -> Iterable[int]:
    if face >= _HONOUR:
        return (face,)
    rank = face % 10
    return [face + step for step in range(-2, 3) if 1 <= rank + step <= _RANKS]
