"""The judgement of a win: which split counts, its items, M and amount (G20-G30).

A variant describes its numbers with a `Scoring` record; everything here follows from it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from libs.families.guihuzi.points import LAID, YINGXI, is_big
from libs.families.guihuzi.split import (
    LEAST,
    Concealed,
    HandRules,
    Split,
    is_ten_pairs,
    splits,
    with_card,
)
from libs.families.guihuzi.yuan import NO_YUAN, Yuan, yuan_of
from libs.game.cards import RED_ZI_PAI
from libs.game.melds import Meld
from libs.game.sheet import Win, WinSource

WIN_KINDS = {
    WinSource.OWN_DRAW: "zi_mo", WinSource.OTHER_DRAW: "ping_hu", WinSource.DEAL: "tian_hu",
}  # fmt: skip
"""Kind of a win by where its card came from (G18)."""


class Facts(NamedTuple):
    """What the items ask about a win and one of its splits."""

    tian_hu: bool
    red: int
    big: int
    cards: int
    one_card: bool
    """One card in hand before the winning card."""
    diao_diao: int
    """息 of 吊吊手 in this room."""
    yingxi: int = 0
    all_equal: bool = False
    """All seven 门子 are equal cards."""
    er_qi_shi: bool = False
    """A 二七十 is among the 门子, a last one of two cards included."""
    wu_xi: bool = False
    """The split is a 无息平."""
    ten_pairs: bool = False
    """The split is 十对."""


class Item(NamedTuple):
    """An item of a 大胡. `excludes` are the codes of items that do not count beside it."""

    code: str
    zh: str
    en: str
    clause: str
    value: int
    when: Callable[[Facts], bool]
    excludes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scoring:
    """How a room scores; built by the variant from its options."""

    items: tuple[Item, ...]
    """In the order of G24."""
    hand: HandRules
    per_five: int
    """息 for each 坎, 歪, 溜 (G23)."""
    nei_yuan: int
    wai_yuan: int
    hai_di: int
    bao_ting: int
    fixed_yingxi: int
    """硬息 that every 小胡 counts (五硬息); 0: what it has."""
    diao_diao: int
    extra_up_to: int
    """A 小胡 of so many 硬息 or fewer needs something in addition (G30); 0: none does."""
    cap: int
    """Bound of one amount; 0: none (G28)."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """A hand of one seat and the card it could win with; the hand does not hold it yet."""

    hand: Concealed
    win: Win
    is_dealer: bool
    bao_ting: bool = False

    def cards(self) -> list[int]:
        """Every card of the winner."""
        cards = [face for face, n in enumerate(self.hand.counts) for _ in range(n)]
        cards += [card for meld in self.hand.melds for card in meld.cards]
        return [*cards, self.win.card] if self.win.card else cards

    @property
    def hai_di(self) -> bool:
        """The winning card is the last of the wall (G25)."""
        return self.win.last_card and self.win.source is not WinSource.DEAL


class OnTable(NamedTuple):
    """What the melds add to every split."""

    yingxi: int
    fives: int
    all_equal: bool
    er_qi_shi: bool


class Candidate(NamedTuple):
    """A split with what it is worth. `split` is None for 十对."""

    split: Split | None
    yingxi: int
    items: tuple[Item, ...]
    fives: int
    """Number of 坎, 歪, 溜."""
    base: int
    """息 before M."""
    yuan: Yuan
    factors: tuple[tuple[str, int], ...] = ()
    """The factors of M by code, in order."""
    total: int = 0
    amount: int = 0
    """`total` after the cap."""

    @property
    def factor(self) -> int:
        """M (G25)."""
        return prod(value for _, value in self.factors)

    @property
    def order(self) -> tuple[int, int, int]:
        """What decides between splits (G22)."""
        return self.amount, self.yingxi, self.total


@dataclass(frozen=True, slots=True)
class Verdict:
    """The split that counts. `reason` is "" for a win, `best` None if there is none."""

    reason: str
    best: Candidate | None


def _table(melds: Sequence[Meld]) -> OnTable:
    rows = [LAID[meld[0], meld[1]] for meld in melds]
    return OnTable(
        sum(row.yingxi for row in rows), sum(row.five for row in rows),
        all(row.equal for row in rows), any(row.er_qi_shi for row in rows),
    )  # fmt: skip


def items_of(facts: Facts, scoring: Scoring) -> tuple[Item, ...]:
    """The items that count, in order (G24)."""
    met = [item for item in scoring.items if item.when(facts)]
    excluded = {code for item in met for code in item.excludes}
    return tuple(item for item in met if item.code not in excluded)


def _facts(occasion: Occasion, scoring: Scoring) -> Facts:
    """What is the same in every split."""
    cards = occasion.cards()
    return Facts(
        tian_hu=occasion.win.source is WinSource.DEAL,
        red=sum(card in RED_ZI_PAI for card in cards),
        big=sum(map(is_big, cards)),
        cards=len(cards),
        one_card=sum(occasion.hand.counts) == 1,
        diao_diao=scoring.diao_diao,
    )


class Judge:
    """Judges the splits of one occasion."""

    def __init__(self, occasion: Occasion, scoring: Scoring) -> None:
        self.occasion = occasion
        self.scoring = scoring
        self.table = _table(occasion.hand.melds)
        self.facts = _facts(occasion, scoring)
        self.yuan = yuan_of(occasion.hand.counts, occasion.hand.melds, occasion.win)

    def fives(self, split: Split) -> int:
        """坎, 歪 and 溜; three equal cards completed by another's draw are a 碰 (G20)."""
        win = self.occasion.win
        only_peng = win.source is WinSource.OTHER_DRAW and split.has_three(win.card)
        held = self.occasion.hand.counts[win.card]
        return self.table.fives + split.threes - (only_peng and held == 2)

    def yingxi(self, split: Split) -> int:
        """硬息 of the whole hand (G20)."""
        last = YINGXI[split.last[0]]
        return self.table.yingxi + split.threes + split.er_qi_shi + last

    def candidate(self, split: Split) -> Candidate:
        """A legal split and its amount (G23, G25)."""
        yingxi, fives = self.yingxi(split), self.fives(split)
        kind = split.last[0]
        groups = split.threes + len(self.occasion.hand.melds)
        facts = self.facts._replace(
            yingxi=yingxi,
            all_equal=self.table.all_equal and groups == 6 and kind == "last_i",
            er_qi_shi=self.table.er_qi_shi or split.er_qi_shi > 0 or kind == "last_ii",
            wu_xi=yingxi == 0,
        )
        items = items_of(facts, self.scoring)
        base = sum(item.value for item in items)
        if not items:
            base = self.scoring.fixed_yingxi or yingxi
        base += self.scoring.per_five * fives
        yuan = self.yuan if yingxi else NO_YUAN
        return self._priced(Candidate(split, yingxi, items, fives, base, yuan))

    def ten_pairs(self) -> Candidate:
        """十对: its items alone, M is 1 (G24)."""
        items = items_of(self.facts._replace(ten_pairs=True), self.scoring)
        base = sum(item.value for item in items)
        return self._capped(Candidate(None, 0, items, 0, base, NO_YUAN))

    def _priced(self, plain: Candidate) -> Candidate:
        """With M (G25)."""
        return self._capped(plain._replace(factors=tuple(self._factors(plain))))

    def _factors(self, plain: Candidate) -> Iterator[tuple[str, int]]:
        scoring = self.scoring
        yield from [("nei_yuan", scoring.nei_yuan)] * len(plain.yuan.nei)
        yield from [("wai_yuan", scoring.wai_yuan)] * len(plain.yuan.wai)
        if self.occasion.hai_di:
            yield "hai_di", scoring.hai_di
        if self.occasion.bao_ting and plain.yingxi and not self.facts.tian_hu:
            yield "bao_ting", scoring.bao_ting

    def _capped(self, plain: Candidate) -> Candidate:
        """With the amount (G28)."""
        total = plain.base * plain.factor
        amount = min(total, self.scoring.cap) if self.scoring.cap else total
        return plain._replace(total=total, amount=amount)

    def is_legal(self, yingxi: int) -> bool:
        """Enough 硬息, or a 无息平 (G21, G24)."""
        nothing_laid = not self.occasion.hand.melds
        wu_xi = yingxi == 0 and nothing_laid and self.scoring.hand.wu_xi_ping
        return yingxi >= LEAST or wu_xi

    def has_extra(self, candidate: Candidate) -> bool:
        """Whether a split is no 小胡 of few 硬息, or has what that needs in addition (G30)."""
        if candidate.items or candidate.yingxi > self.scoring.extra_up_to:
            return True
        assert candidate.split is not None
        win = self.occasion.win
        own_pair = win.source is WinSource.OWN_DRAW and candidate.split.last == ("last_i", win.card)
        return bool(candidate.fives or candidate.factors) or own_pair


def judge(occasion: Occasion, scoring: Scoring) -> Verdict:
    """The split with the highest amount after the cap, ties by 硬息, then by the amount before
    the cap (G22), or why none wins."""
    judging = Judge(occasion, scoring)
    hand, card = occasion.hand, occasion.win.card
    found = list(splits(hand, card))
    legal = [judging.candidate(s) for s in found if judging.is_legal(judging.yingxi(s))]
    allowed = [candidate for candidate in legal if judging.has_extra(candidate)]
    if is_ten_pairs(*with_card(hand.counts, card), hand.melds):
        allowed.append(judging.ten_pairs())
    if allowed:
        return Verdict("", max(allowed, key=lambda candidate: candidate.order))
    if legal:
        return Verdict("small_hu_extra", max(legal, key=lambda candidate: candidate.order))
    if not found:
        return Verdict("no_shape", None)
    # The split that comes nearest, for the sheet.
    return Verdict("low_yingxi", judging.candidate(max(found, key=judging.yingxi)))
