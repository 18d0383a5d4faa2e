"""Scoring of 沙沙儿 (X7-X18): tables of numbers and what reads them."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from libs.families.pengpai.decks import SHASHAER_130
from libs.families.pengpai.groups import kept_groups
from libs.families.pengpai.judge import (
    PING_HU,
    QUAN_HUN,
    QUAN_SU,
    Appraisal,
    Look,
    Scoring,
    Settlement,
    Step,
    Verdict,
)
from libs.families.pengpai.points import Fives, Prices, Row
from libs.families.pengpai.score import held_of, run_steps, seat_sheet
from libs.families.pengpai.score import score as score_hand
from libs.game.cards import FACES, parse
from libs.game.melds import MeldKind
from libs.game.sheet import HandSpec, LineKind, Payment, SeatSheet, Sheet
from libs.game.variant import Term
from libs.variants.shashaer.options import Options

BIG = frozenset(parse("S1 S2 S5 S8 S9 C1 C2 C5 C8 C9 H1 H2 H5 H8 H9 HT HJ HQ HK DJ"))
"""大张 (X1)."""
ROWS: dict[str, Row] = {
    "an_gang_yuan": (8, 16),
    "an_gang": (6, 12),
    "ming_gang": (4, 8),
    "an_ke": (2, 4),
    "peng": (1, 2),
}
FIVES: Fives = {
    ("an_gang_yuan", ""): 32,
    ("an_gang", ""): 24,
    ("ming_gang", ""): 12,
    ("an_gang_yuan", "an_gang_yuan"): 28,
    ("an_gang", "an_gang"): 24,
    ("ming_gang", "an_gang_yuan"): 20,
    ("ming_gang", "an_gang"): 16,
    ("ming_gang", "ming_gang"): 12,
}
"""Five cards by what they are and what four of them were before (X8)."""
PRICES = Prices("X7", BIG, ROWS, FIVES, "X8")
MEN_PAI_RUN = FACES["H1"]
DI_HU = {PING_HU: 20, QUAN_HUN: 20, QUAN_SU: 50}
MEN_PAI_POINTS = {PING_HU: 1, QUAN_HUN: 10, QUAN_SU: 10}
"""Each, by pattern (X9)."""
FACTOR = 2
"""Of every doubling (X11)."""
OPTION_POINTS = 10
"""`zi_mo_10`, `ya_zi_10` (X14)."""

TERMS = {
    term.code: term
    for term in (
        Term("pai_xing", "牌型", "melds and triples", "X7"),
        Term("di_hu", "底胡", "base of a win", "X9"),
        Term("men_pai", "门牌", "runs H1 H2 H3", "X9"),
        Term("zi_mo_10", "自摸加10", "own draw", "X14"),
        Term("ya_zi_10", "丫子加10", "sole wait", "X14"),
        Term("quan_hun", "全荤", "equal cards and 门牌 only", "X11"),
        Term("piao_hu", "漂胡", "全荤 of 碰 only, won on a discard", "X12"),
        Term("men_qing", "门清", "no 碰 and no 明杠", "X13"),
        Term("fan", "翻倍", "doubled once", "X11"),
    )
}


def _items(look: Look, options: Options) -> Iterator[tuple[str, int]]:
    """Everything that counts beside melds and triples (X9, X14)."""
    yield "di_hu", DI_HU[look.pattern]
    if look.men_pai:
        yield "men_pai", MEN_PAI_POINTS[look.pattern] * look.men_pai
    if options.zi_mo_10 and look.at.own_draw:
        yield "zi_mo_10", OPTION_POINTS
    if options.ya_zi_10 and look.at.sole():
        yield "ya_zi_10", OPTION_POINTS


def _piao_hu(look: Look) -> bool:
    """全荤 won on a discard: every other 门子 is a 碰 on the table (X12)."""
    at = look.at
    if look.pattern != QUAN_HUN or at.own_draw or look.hidden:
        return False
    return all(meld.kind is MeldKind.PENG for meld in at.held.melds)


def _doubles(look: Look) -> Iterator[str]:
    """What doubles; 全素 never does (X11)."""
    if look.pattern == QUAN_SU:
        return
    if look.pattern == QUAN_HUN:
        yield QUAN_HUN
    if _piao_hu(look):
        yield "piao_hu"
    if not look.at.open:
        yield "men_qing"


def _reason(look: Look, options: Options, base: int) -> str:
    """Why a split may not win (X18), "" if it may."""
    if options.ding_hu == "off" or look.pattern != PING_HU:
        return ""
    counted = look.at.table if options.ding_hu_scope == "open" else base - DI_HU[PING_HU]
    return "" if counted >= options.ding_hu else "below_ding_hu"


def appraise(look: Look) -> Appraisal:
    """What a split comes to (X7-X14, X18)."""
    options: Options = look.at.scoring.options
    items = tuple(_items(look, options))
    doubles = tuple(_doubles(look))
    base = look.points + sum(value for _, value in items)
    times = len(doubles) if options.stack == "multiply" else min(1, len(doubles))
    total = base * FACTOR**times
    return Appraisal(_reason(look, options, base), items, doubles, base, base, total, total)


def _steps(best: Appraisal, options: Options) -> Iterator[Step]:
    """The doublings; one for all of them with `stack: once` (X11)."""
    doubles = best.doubles
    if len(doubles) > 1 and options.stack == "once":
        doubles = ("fan",)
    yield from (Step(code, LineKind.MULTIPLY, FACTOR) for code in doubles)


def kept_sheet(spec: HandSpec, seat: int) -> SeatSheet:
    """What a seat that did not win counts (X15)."""
    held = held_of(spec.seats[seat], SHASHAER_130)
    groups = kept_groups(held.counts, tuple(held.melds), PRICES)
    points = sum(group.points for group in groups)
    lines = run_steps([Step("pai_xing", LineKind.ADD, points)], TERMS)
    return SeatSheet(seat, groups, lines, points, points)


def settle(spec: HandSpec, verdict: Verdict | None) -> Settlement:
    """Every pair of seats settles the difference, after a 流局 too (X15-X17)."""
    winner = spec.win.seat if spec.win and verdict else -1
    seats = tuple(
        seat_sheet(seat, verdict) if verdict and seat == winner else kept_sheet(spec, seat)
        for seat in range(spec.players)
    )
    clause = "X16" if verdict else "X17"
    payments = []
    for one, other in combinations(seats, 2):
        less, more = sorted((one, other), key=lambda sheet: sheet.amount)
        amount = (more.amount - less.amount) * spec.options.unit
        if amount:
            payments.append(Payment(less.seat, more.seat, amount, clause))
    return Settlement(seats, tuple(payments))


@lru_cache(maxsize=256)
def scoring_for(options: Options) -> Scoring:
    """The scoring of a room."""
    return Scoring(
        options=options,
        deck=SHASHAER_130,
        prices=PRICES,
        men_pai=MEN_PAI_RUN,
        flower=0,
        shape_clause="X5",
        terms=TERMS,
        free=options.ding_hu == "off",
        appraise=appraise,
        steps=lambda best: _steps(best, options),
        settle=settle,
    )


def score(spec: HandSpec) -> Sheet:
    """The score sheet of a finished round or of any hand (X7-X18)."""
    return score_hand(spec, scoring_for(spec.options))
