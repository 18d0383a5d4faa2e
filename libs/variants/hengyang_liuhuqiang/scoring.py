"""Scoring of 衡阳六胡抢 (L4, L5, L8-L10, L13, L14; the rest is the family's Z23-Z34)."""

from functools import lru_cache

from libs.families.paohuzi.options import room
from libs.families.paohuzi.score import Facts, Item, Scoring
from libs.families.paohuzi.score import score as score_hand
from libs.families.paohuzi.split import HandRules
from libs.game.sheet import HandSpec, Sheet, WinSource
from libs.variants.hengyang_liuhuqiang.options import Options

PIAO_HU_COUNTS = 6
"""胡息 that a shape without any counts as (L14)."""


def _is_di_hu(facts: Facts) -> bool:
    """The 亮张 won by another seat, or the dealer's first discard by a fresh seat (L8)."""
    if facts.win.source is WinSource.DISCARD:
        return facts.win.first_discard
    return facts.win.source is WinSource.LIANG_ZHANG and not facts.by_dealer


def _is_hai_di(facts: Facts) -> bool:
    """The winning card is the last of the wall (L8)."""
    drawn = facts.win.source in (WinSource.OWN_DRAW, WinSource.OTHER_DRAW)
    return drawn and facts.win.last_card


ITEMS = (
    Item("zi_mo", "自摸", "own draw", "L8", "zi_mo_double", 2, lambda f: f.kind == "zi_mo"),
    Item(
        "xiao_hong",
        "小红",
        "ten or more red cards",
        "L8",
        "hong_hei_dian",
        2,
        lambda f: f.red >= 10,
    ),
    Item(
        "da_hong",
        "大红",
        "thirteen or more red cards",
        "L8",
        "hong_hei_dian",
        4,
        lambda f: f.red >= 13,
        ("xiao_hong",),
    ),
    Item(
        "yi_dian_hong",
        "一点红",
        "exactly one red card",
        "L8",
        "hong_hei_dian",
        3,
        lambda f: f.red == 1,
    ),
    Item("hei_hu", "黑胡", "no red card", "L8", "hong_hei_dian", 5, lambda f: f.red == 0),
    Item(
        "tian_hu",
        "天胡",
        "the dealer wins on the deal",
        "L8",
        "tian_di_hai",
        2,
        lambda f: f.kind == "tian_hu",
    ),
    Item(
        "di_hu",
        "地胡",
        "another seat wins on the deal or the first discard",
        "L8",
        "tian_di_hai",
        2,
        _is_di_hu,
    ),
    Item("hai_di", "海底", "the last card of the wall", "L8", "tian_di_hai", 2, _is_hai_di),
    Item(
        "peng_peng_hu",
        "碰碰胡",
        "no group of 吃 type",
        "L8",
        "peng_peng_hu",
        2,
        lambda f: f.peng_peng,
    ),
    Item("da_zi_hu", "大字胡", "all cards big", "L8", "da_xiao_zi", 2, lambda f: f.big == f.cards),
    Item("xiao_zi_hu", "小字胡", "all cards small", "L8", "da_xiao_zi", 2, lambda f: f.big == 0),
)
"""Every multiplier, in the order of L8."""

YI_XI_FACTORS = {"zi_mo": 2, "xiao_hong": 2, "hei_hu": 2}
"""All that count with 1息1囤 (L9)."""


def items_for(options: Options) -> tuple[Item, ...]:
    """The multipliers of a room (L8, L9)."""
    items = [item for item in ITEMS if getattr(options, item.option)]
    if options.tun_rule == "yi_xi_yi_tun":
        items = [
            item._replace(factor=YI_XI_FACTORS[item.code], clause="L9")
            for item in items
            if item.code in YI_XI_FACTORS
        ]
    return tuple(items)


@lru_cache(maxsize=256)
def scoring_for(options: Options) -> Scoring:
    """The scoring of a room."""
    piao_hu = PIAO_HU_COUNTS if options.piao_hu else 0
    return Scoring(
        hand=HandRules(options.yi_wu_shi, options.qi_hu, options.qi_hu, piao_hu),
        items=items_for(options),
        dealer_kind="tian_hu",
        idle_liang_zhang=options.idle_hu_liang_zhang,
        qi_hu=options.qi_hu,
        yi_xi_yi_tun=options.tun_rule == "yi_xi_yi_tun",
        payment_clause="L10",
        **room(options),
    )


def score(spec: HandSpec) -> Sheet:
    """The score sheet of a finished round or of any hand (L8-L10, L13, L14)."""
    return score_hand(spec, scoring_for(spec.options))
