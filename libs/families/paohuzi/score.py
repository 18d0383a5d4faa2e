"""The score sheet of a win: which split counts, its 囤, multipliers and payments (Z26, Z29-Z34).

A variant describes itself with a `Scoring` record; everything here follows from it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from libs.families.paohuzi.groups import split_groups
from libs.families.paohuzi.points import is_big
from libs.families.paohuzi.shape import check_hand
from libs.families.paohuzi.split import (
    Arrival,
    Candidate,
    HandRules,
    arrived,
    candidates,
    least_huxi,
    placements,
    red_cards,
    way_of,
    wins,
)
from libs.families.paohuzi.tables import tables
from libs.families.paohuzi.waits import Concealed
from libs.game.melds import Meld
from libs.game.sheet import (
    HandError,
    HandSpec,
    Line,
    LineKind,
    Payment,
    SeatSheet,
    Sheet,
    Win,
    WinSource,
)


class Facts(NamedTuple):
    """What the multipliers ask about a win."""

    kind: str
    """`zi_mo`, `ping_hu`, `dian_pao` (Z29) or the kind of the dealer's 亮张 (L4, Q4)."""
    win: Win
    by_dealer: bool
    red: int
    big: int
    cards: int
    peng_peng: bool = False


class Item(NamedTuple):
    """A multiplier. `option` is the room option that switches it, `excludes` the codes of items
    that do not count beside it."""

    code: str
    zh: str
    en: str
    clause: str
    option: str
    factor: int
    when: Callable[[Facts], bool]
    excludes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scoring:
    """How a room scores; built by the variant from its options."""

    hand: HandRules
    items: tuple[Item, ...]
    """The multipliers that are on, in the order of the sheet."""
    dealer_kind: str
    """Kind of a dealer's win on the deal: `tian_hu` (L4) or `zi_mo` (Q4)."""
    idle_liang_zhang: bool
    """Other seats may win the 亮张 (L4)."""
    discard_wins: bool
    """False: only wall cards can be won (Z33)."""
    qi_hu: int
    yi_xi_yi_tun: bool
    base_two: bool
    xing: str
    unit: int
    cap: int
    """Bound of one amount; 0 for none (Z34)."""
    discarder_pays_all: bool
    payment_clause: str


@dataclass(frozen=True, slots=True)
class Occasion:
    """A hand of one seat and the card it could win with."""

    counts: bytes
    melds: Sequence[Meld]
    win: Win
    is_dealer: bool
    xing_card: int = 0
    """The face that adds 囤 (Z31); 0 for none."""

    @property
    def arrival(self) -> Arrival:
        """How the card meets the hand (Z24)."""
        return Arrival(self.win.card, way_of(self.win.source, self.is_dealer))

    @property
    def new_card(self) -> int:
        """The winning card if the hand does not hold it yet, else 0."""
        return arrived(self.melds, self.arrival)

    def cards(self) -> list[int]:
        """Every card of the winner: hand, melds, winning card."""
        cards = [c for c, n in enumerate(self.counts) for _ in range(n)]
        cards += [c for meld in self.melds for c in meld.cards]
        return [*cards, self.new_card] if self.new_card else cards


@dataclass(frozen=True, slots=True)
class Verdict:
    """The split that counts (Z26). `reason` is "" for a win; `best` is None without a shape."""

    reason: str
    best: Candidate | None
    facts: Facts
    xing: int
    amount: int


def barred(win: Win, is_dealer: bool, scoring: Scoring) -> str:
    """Why no hand could win this card, "" if one could (L4, Q4, Z33)."""
    on_deal = win.source in (WinSource.LIANG_ZHANG, WinSource.DEAL)
    if on_deal and not is_dealer:
        allowed = win.source is WinSource.LIANG_ZHANG and scoring.idle_liang_zhang
        return "" if allowed else "liang_zhang"
    return "wall_only" if win.source is WinSource.DISCARD and not scoring.discard_wins else ""


def win_kind(win: Win, is_dealer: bool, scoring: Scoring) -> str:
    """The kind of 胡 (Z29)."""
    if win.source is WinSource.OWN_DRAW:
        return "zi_mo"
    if win.source is WinSource.DISCARD:
        return "dian_pao"
    on_deal = win.source in (WinSource.LIANG_ZHANG, WinSource.DEAL)
    return scoring.dealer_kind if on_deal and is_dealer else "ping_hu"


def items_of(facts: Facts, scoring: Scoring) -> list[Item]:
    """The multipliers that count, in order (L8, L9, Q9)."""
    met = [item for item in scoring.items if item.when(facts)]
    excluded = {code for item in met for code in item.excludes}
    return [item for item in met if item.code not in excluded]


def tun_of(huxi: int, scoring: Scoring) -> int:
    """囤 of so many 胡息, at least 1, before `base_two` (Z32, L14, Q8)."""
    return huxi if scoring.yi_xi_yi_tun else max(1, (huxi - scoring.qi_hu) // 3 + 1)


def _lines(best: Candidate, facts: Facts, xing: int, scoring: Scoring) -> Iterator[Line]:
    """The calculation of one amount, step by step (Z31, Z32, Z34)."""
    total = tun_of(best.counted, scoring)
    if best.huxi:
        yield Line("tun", "囤", "囤 from 胡息", "Z32", LineKind.ADD, total, total)
    else:
        yield Line("piao_hu", "飘胡", "囤 without 胡息", "L14", LineKind.ADD, total, total)
    if scoring.base_two and not scoring.yi_xi_yi_tun:
        total += 1
        yield Line("base_two", "底分2分", "one 囤 more", "Z32", LineKind.ADD, 1, total)
    if xing:
        total += xing
        yield Line("xing", "醒", "cards of the 醒 face", "Z31", LineKind.ADD, xing, total)
    for item in items_of(facts, scoring):
        total *= item.factor
        yield Line(item.code, item.zh, item.en, item.clause, LineKind.MULTIPLY, item.factor, total)
    if scoring.unit != 1:
        total *= scoring.unit
        yield Line("unit", "底分", "points per 囤", "Z32", LineKind.MULTIPLY, scoring.unit, total)
    cap = scoring.cap
    if 0 < cap < total:
        yield Line("cap", "封顶", "bound of one amount", "Z34", LineKind.CAP, cap, cap)


def _amount(best: Candidate, facts: Facts, xing: int, scoring: Scoring) -> int:
    """The amount that the lines of a candidate come to."""
    tun = tun_of(best.counted, scoring) + (scoring.base_two and not scoring.yi_xi_yi_tun) + xing
    factor = prod(item.factor for item in items_of(facts, scoring))
    amount = tun * factor * scoring.unit
    return min(amount, scoring.cap) if scoring.cap else amount


def _facts(occasion: Occasion, scoring: Scoring) -> Facts:
    """What the multipliers ask; 碰碰胡 depends on the split."""
    win, cards = occasion.win, occasion.cards()
    return Facts(
        kind=win_kind(win, occasion.is_dealer, scoring),
        win=win,
        by_dealer=occasion.is_dealer,
        red=red_cards(occasion.counts, occasion.melds, occasion.new_card),
        big=sum(map(is_big, cards)),
        cards=len(cards),
    )


def judge(occasion: Occasion, scoring: Scoring) -> Verdict:
    """The split with the highest amount after the cap, ties by 胡息 (Z26), or why none wins."""
    facts, cards = _facts(occasion, scoring), occasion.cards()
    xing = cards.count(occasion.xing_card) if occasion.xing_card else 0
    reason = barred(occasion.win, occasion.is_dealer, scoring)
    if reason:
        return Verdict(reason, None, facts, xing, 0)
    found = candidates(placements(occasion.counts, occasion.melds, *occasion.arrival), scoring.hand)
    least = least_huxi(scoring.hand, facts.red)
    winning = [c for c in found if wins(c, least)]
    if not winning:
        best = max(found, key=lambda c: c.huxi, default=None)
        return Verdict("huxi" if best else "shape", best, facts, xing, 0)
    ranked = [
        (_amount(c, facts._replace(peng_peng=c.peng_peng), xing, scoring), c.counted, c)
        for c in winning
    ]
    amount, _, best = max(ranked, key=lambda row: row[:2])
    return Verdict("", best, facts._replace(peng_peng=best.peng_peng), xing, amount)


def xing_card(win: Win, wall_next: int, scoring: Scoring) -> int:
    """The 醒 face: the next wall card or, with none left, the winning card (Z31)."""
    if scoring.xing == "none":
        return 0
    return (wall_next or win.card) if scoring.xing == "fan_xing" else win.card


def _payments(spec: HandSpec, win: Win, amount: int, scoring: Scoring) -> tuple[Payment, ...]:
    """Who pays: on a discard the discarder alone, else every other seat (L10, Q10)."""
    if win.source is WinSource.DISCARD:
        times = spec.players - 1 if scoring.discarder_pays_all else 1
        return (Payment(win.by, win.seat, amount * times, scoring.payment_clause),)
    return tuple(
        Payment(seat, win.seat, amount, scoring.payment_clause)
        for seat in range(spec.players)
        if seat != win.seat
    )


def _deltas(players: int, payments: Sequence[Payment]) -> tuple[int, ...]:
    deltas = [0] * players
    for payer, payee, amount, _ in payments:
        deltas[payer] -= amount
        deltas[payee] += amount
    return tuple(deltas)


def _values(verdict: Verdict, scoring: Scoring) -> dict[str, int]:
    """Named results: 胡息, 囤 with `base_two`, 醒, product of multipliers, amount per payer."""
    best = verdict.best
    if verdict.reason or best is None:
        huxi = best.huxi if best else 0
        return {"huxi": huxi, "tun": 0, "xing": 0, "factor": 0, "payer_amount": 0}
    tun = tun_of(best.counted, scoring) + (scoring.base_two and not scoring.yi_xi_yi_tun)
    factor = prod(item.factor for item in items_of(verdict.facts, scoring))
    return {
        "huxi": best.counted,
        "tun": tun,
        "xing": verdict.xing,
        "factor": factor,
        "payer_amount": verdict.amount,
    }


def occasion_of(spec: HandSpec, win: Win, scoring: Scoring) -> Occasion:
    """The winner's hand of a spec. Raises HandError for an impossible one."""
    others = [seat for seat in range(spec.players) if seat != win.seat]
    if len(others) != spec.players - 1 or len(spec.seats) != spec.players:
        raise HandError("the winner and the hands must fit the number of players")
    if win.source in (WinSource.OTHER_DRAW, WinSource.DISCARD) and win.by not in others:
        raise HandError("`by` must be the other seat that drew or discarded the card")
    hand = spec.seats[win.seat]
    check_hand(hand.counts, hand.melds)
    return Occasion(
        bytes(hand.counts),
        hand.melds,
        win,
        win.seat == spec.dealer,
        xing_card(win, spec.wall_next, scoring),
    )


def score(spec: HandSpec, scoring: Scoring) -> Sheet:
    """The explained result of a round (Z23-Z34)."""
    win = spec.win
    nothing = (0,) * spec.players
    if win is None:
        return Sheet(False, "", -1, "liu_ju", (), (), nothing)
    occasion = occasion_of(spec, win, scoring)
    verdict = judge(occasion, scoring)
    kind = verdict.facts.kind
    values = _values(verdict, scoring)
    seats = tuple(_seat_sheets(occasion, verdict, scoring))
    if verdict.reason:
        return Sheet(False, verdict.reason, -1, kind, seats, (), nothing, values)
    payments = _payments(spec, win, verdict.amount, scoring)
    return Sheet(True, "", win.seat, kind, seats, payments, _deltas(spec.players, payments), values)


def _seat_sheets(occasion: Occasion, verdict: Verdict, scoring: Scoring) -> Iterator[SeatSheet]:
    """The winner's calculation; of a hand with too little 胡息 its best split without lines."""
    best = verdict.best
    if best is None:
        return
    both = tables(scoring.hand.yi_wu_shi)
    groups = split_groups(Concealed(occasion.counts, occasion.melds), occasion.new_card, best, both)
    lines = () if verdict.reason else tuple(_lines(best, verdict.facts, verdict.xing, scoring))
    yield SeatSheet(occasion.win.seat, groups, lines, best.counted, verdict.amount)
