"""Scoring of 姜堰23张 (J15-J26, J30-J33): tables of numbers and what reads them."""

from collections.abc import Iterator
from functools import lru_cache

from libs.families.pengpai.decks import DA_WANG, JIANGYAN_132
from libs.families.pengpai.hand import (
    ANNOUNCED,
    BAO_LIU_PENG,
    DECLINED,
    FLOWERS,
    HAI_LAO,
    ZHI_TING,
)
from libs.families.pengpai.judge import (
    NOT_QUAN_HUN,
    QUAN_HUN,
    QUAN_SU,
    Appraisal,
    Look,
    Scoring,
    Settlement,
    Situation,
    Step,
    Verdict,
)
from libs.families.pengpai.points import Prices, Row
from libs.families.pengpai.score import score as score_hand
from libs.families.pengpai.score import seat_sheet
from libs.families.pengpai.split import Won
from libs.game.cards import FACES, parse
from libs.game.sheet import HandSpec, LineKind, Payment, Sheet, WinSource
from libs.game.variant import Term
from libs.variants.jiangyan_23.options import Options

BIG = frozenset(parse("S1 S9 C1 C9 H1 H9 HT HJ HQ HK XJ"))
"""大张 (J1)."""
ROWS: dict[str, Row] = {
    "an_gang_yuan": (8, 64),
    "an_gang": (6, 48),
    "ming_gang": (4, 32),
    "an_ke": (2, 16),
    "peng": (1, 8),
}
LAO_KEN_ROWS: dict[str, Row] = {
    "an_gang_yuan": (8, 32),
    "an_gang": (6, 24),
    "ming_gang": (4, 16),
    "an_ke": (2, 8),
    "peng": (1, 4),
}
PRICES = {False: Prices("J15", BIG, ROWS), True: Prices("J15", BIG, LAO_KEN_ROWS)}
"""By `lao_ken` (J15)."""
MEN_PAI_RUN = FACES["S1"]
DI_HU = 30
"""底胡 of 平胡 and 全荤 (J19)."""
ZI_MO = 2
EDGE = {Won.BIAN: "bian_zi", Won.JIA: "jia_zi"}
EDGE_POINTS = 2
FA_ZHANG: dict[tuple[str, bool], Row] = {
    ("replace", False): (0, 4),
    ("replace", True): (0, 2),
    ("add", False): (4, 4),
    ("add", True): (4, 2),
}
"""发张 of a 小张 and of a 大张 by (`fa_zhang`, `lao_ken`); 0: only 自摸 counts (J17)."""
DA_WANG_POINTS = (0, 20, 50, 100, 200)
MEN_PAI_POINTS = (0, 20, 50, 100, 200)
"""By number (J20)."""
FACTOR = 2
"""Of every doubling (J22)."""
ROUND_TO = 10
"""J23."""
SHUANG_MEN_PAI = 2
"""门牌 of a 双门牌 (J21)."""
HARD_LEAST = 71
"""硬80胡: least raw without 大王 (J26)."""
NOT_QIONG_HEN = parse("HT HJ HQ HK XJ")

TERMS = {
    term.code: term
    for term in (
        Term("pai_xing", "牌型", "melds and triples", "J15"),
        Term("zi_mo", "自摸", "own draw", "J17"),
        Term("fa_zhang", "发张", "own draw of a pair's third card", "J17"),
        Term("bian_zi", "边子", "the 3 of 12 or the 7 of 89", "J18"),
        Term("jia_zi", "夹子", "the middle of a run", "J18"),
        Term("di_hu", "底胡", "base of a win", "J19"),
        Term("da_wang", "大王", "flowers set aside", "J20"),
        Term("men_pai", "门牌", "runs S1 S2 S3", "J20"),
        Term("zhi_ting", "直听", "ready before the first discard", "J30"),
        Term("tian_hu", "天胡", "complete before the first discard", "J33"),
        Term("quan_hun", "全荤", "equal cards and 门牌 only", "J21"),
        Term("qiong_hen", "穷狠", "no 10 J Q K 小王", "J21"),
        Term("men_hun", "闷荤", "全荤 without 碰 and 明杠", "J21"),
        Term("shuang_men_pai", "双门牌", "two 门牌 or more", "J21"),
        Term("hai_lao", "海捞", "one of the last three cards", "J32"),
        Term("ceil10", "逢一进十", "rounded up to a ten", "J23"),
        Term("cap", "封顶", "bound of what one payer pays", "J24"),
        Term("unit", "底分", "points per 胡", "J25"),
    )
}


def ceil10(value: int) -> int:
    """Rounded up to a multiple of ten (J23)."""
    return -(-value // ROUND_TO) * ROUND_TO


def _draw_item(look: Look, options: Options) -> Iterator[tuple[str, int]]:
    """自摸 and 发张 (J17, J33)."""
    at, placed = look.at, look.placed
    if not at.own_draw:
        return
    third = 0
    if placed.won is Won.TRIPLE:
        third = FA_ZHANG[options.fa_zhang, options.lao_ken][placed.at in BIG]
    if not third or options.fa_zhang == "add":
        yield "zi_mo", ZI_MO
    if third:
        yield "fa_zhang", third


def _items(look: Look, options: Options) -> Iterator[tuple[str, int]]:
    """Everything that counts beside melds and triples, in the order of J17-J20."""
    yield from _draw_item(look, options)
    edge = EDGE.get(look.placed.won)
    if edge and (options.edge_rule == "shape" or look.at.sole()):
        yield edge, EDGE_POINTS
    yield "di_hu", options.quan_su if look.pattern == QUAN_SU else DI_HU
    flowers = look.at.fact(FLOWERS)
    if flowers:
        yield "da_wang", DA_WANG_POINTS[flowers]
    if look.men_pai:
        yield "men_pai", MEN_PAI_POINTS[look.men_pai]


def _qiong_hen(at: Situation) -> bool:
    """No 10, J, Q, K, 小王 in hand or melds (J21)."""
    counts = at.held.counts
    if at.card in NOT_QIONG_HEN or any(counts[face] for face in NOT_QIONG_HEN):
        return False
    return not any(meld.cards[0] in NOT_QIONG_HEN for meld in at.held.melds)


def _doubles(look: Look) -> Iterator[str]:
    """What doubles, in the order of J22."""
    at = look.at
    if at.fact(ZHI_TING):
        yield "zhi_ting"
    if at.source is WinSource.DEAL:
        yield "tian_hu"
    quan_hun = look.pattern == QUAN_HUN and at.fact(BAO_LIU_PENG) != DECLINED
    if quan_hun:
        yield QUAN_HUN
    if _qiong_hen(at):
        yield "qiong_hen"
    if quan_hun and not at.open:
        yield "men_hun"
    if look.men_pai >= SHUANG_MEN_PAI:
        yield "shuang_men_pai"
    if at.fact(HAI_LAO):
        yield "hai_lao"


def _reason(look: Look, options: Options, raw: int) -> str:
    """Why a split may not win (J26, J31), "" if it may."""
    if look.at.fact(BAO_LIU_PENG) == ANNOUNCED and look.pattern != QUAN_HUN:
        return NOT_QUAN_HUN
    least = options.min_hu
    if least == "none":
        return ""
    if least == "hard_80":
        enough = raw - DA_WANG_POINTS[look.at.fact(FLOWERS)] >= HARD_LEAST
    else:
        enough = ceil10(raw) >= least
    return "" if enough else "below_min_hu"


def appraise(look: Look) -> Appraisal:
    """What a split comes to (J14-J24)."""
    options: Options = look.at.scoring.options
    items = tuple(_items(look, options))
    doubles = tuple(_doubles(look))
    raw = look.points + sum(value for _, value in items)
    rounded, times = ceil10(raw), len(doubles)
    if QUAN_HUN in doubles:
        rounded, times = ceil10(raw * FACTOR), times - 1
    amount = rounded * FACTOR**times
    capped = amount if options.cap == "none" else min(amount, options.cap)
    return Appraisal(_reason(look, options, raw), items, doubles, raw, rounded, amount, capped)


def _steps(best: Appraisal, options: Options) -> Iterator[Step]:
    """Rounding, doublings and cap in order: 全荤 doubles before the rounding (J23)."""
    first = [code for code in best.doubles if code == QUAN_HUN]
    yield from (Step(code, LineKind.MULTIPLY, FACTOR) for code in first)
    yield Step("ceil10", LineKind.ROUND, best.rounded)
    later = [code for code in best.doubles if code != QUAN_HUN]
    yield from (Step(code, LineKind.MULTIPLY, FACTOR) for code in later)
    if best.capped < best.amount:
        yield Step("cap", LineKind.CAP, best.capped)
    if options.unit != 1:
        yield Step("unit", LineKind.MULTIPLY, options.unit)


def settle(spec: HandSpec, verdict: Verdict | None) -> Settlement:
    """Who pays: on a discard the discarder, else both others; nobody after a 流局 (J12, J25)."""
    if verdict is None or spec.win is None:
        return Settlement((), ())
    win = spec.win
    sheet = seat_sheet(win.seat, verdict)
    payers = [seat for seat in range(spec.players) if seat != win.seat]
    if win.source is WinSource.DISCARD:
        payers = [win.by]
    payments = tuple(Payment(payer, win.seat, sheet.amount, "J25") for payer in payers)
    return Settlement((sheet,), payments)


@lru_cache(maxsize=256)
def scoring_for(options: Options) -> Scoring:
    """The scoring of a room."""
    return Scoring(
        options=options,
        deck=JIANGYAN_132,
        prices=PRICES[options.lao_ken],
        men_pai=MEN_PAI_RUN,
        flower=DA_WANG,
        shape_clause="J13",
        terms=TERMS,
        free=options.min_hu == "none",
        appraise=appraise,
        steps=lambda best: _steps(best, options),
        settle=settle,
    )


def score(spec: HandSpec) -> Sheet:
    """The score sheet of a finished round or of any hand (J12-J33)."""
    return score_hand(spec, scoring_for(spec.options))
