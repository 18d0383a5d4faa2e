"""Scoring of 沅江鬼胡子: its items and numbers (G23-G25, G28, G30; the rest is the family's)."""

from functools import lru_cache

from libs.families.guihuzi.score import Item, Scoring
from libs.families.guihuzi.sheet import score as score_hand
from libs.families.guihuzi.split import HandRules
from libs.game.sheet import HandSpec, Sheet
from libs.variants.yuanjiang_guihuzi.options import Options

PER_FIVE = 5
NEI_YUAN, WAI_YUAN, HAI_DI, BAO_TING = 4, 2, 4, 4
FIXED_YINGXI = 5
EXTRA_UP_TO = 6

POINTS = "硬息"
"""What a sheet's points are called."""
REASONS = {
    "no_shape": "no six 门子 and a last one, no ten pairs (G19)",
    "low_yingxi": "too little 硬息 (G21)",
    "small_hu_extra": "a 小胡 of 5 or 6 硬息 needs something in addition (G30)",
    "wall_only": "only cards of the wall can be won (G18)",
    "not_dealer": "only the dealer wins on the deal (G18)",
}
"""Why a hand does not win."""

_ALL_BUT_TIAN_HU = (
    "dui_zi_xi", "wu_dui_hu", "da_zi_hu", "xiao_zi_hu", "quan_hei_hu", "yi_dian_hong",
    "shi_san_hong", "xiang_xiang_xi", "wu_xi_ping", "diao_diao_shou",
)  # fmt: skip

ITEMS = (
    Item("tian_hu", "天胡", "the dealer wins on the deal", "G24", 200, lambda f: f.tian_hu),
    Item(
        "dui_zi_xi",
        "对子息",
        "all seven 门子 are equal cards, with red",
        "G24",
        100,
        lambda f: f.all_equal and f.red > 0,
    ),
    Item(
        "wu_dui_hu",
        "乌对胡",
        "all seven 门子 are equal cards, without red",
        "G24",
        200,
        lambda f: f.all_equal and f.red == 0,
        ("dui_zi_xi", "quan_hei_hu"),
    ),
    Item("da_zi_hu", "大字胡", "all cards big", "G24", 100, lambda f: f.big == f.cards),
    Item("xiao_zi_hu", "小字胡", "all cards small", "G24", 100, lambda f: f.big == 0),
    Item("quan_hei_hu", "全黑胡", "no red card", "G24", 100, lambda f: f.red == 0),
    Item("yi_dian_hong", "一点红", "exactly one red card", "G24", 50, lambda f: f.red == 1),
    Item("shi_san_hong", "十三红", "13 red cards", "G24", 50, lambda f: f.red == 13),
    Item("shi_san_hong", "十三红", "14 red cards", "G24", 100, lambda f: f.red == 14),
    Item("shi_san_hong", "十三红", "15 red cards or more", "G24", 200, lambda f: f.red >= 15),
    Item(
        "xiang_xiang_xi",
        "项项息",
        "all seven 门子 carry 硬息, one by 二七十",
        "G24",
        50,
        lambda f: f.yingxi == 7 and f.er_qi_shi,
    ),
    Item("wu_xi_ping", "无息平", "a shape without 硬息", "G24", 50, lambda f: f.wu_xi),
    Item(
        "diao_diao_shou",
        "吊吊手",
        "one card in hand",
        "G24",
        50,
        lambda f: f.one_card and f.diao_diao == 50,
    ),
    Item(
        "diao_diao_shou",
        "吊吊手",
        "one card in hand",
        "G24",
        100,
        lambda f: f.one_card and f.diao_diao == 100,
    ),
    Item("shi_dui", "十对", "ten pairs", "G24", 200, lambda f: f.ten_pairs, _ALL_BUT_TIAN_HU),
)
"""Every item, in the order of G24."""


@lru_cache(maxsize=256)
def scoring_for(options: Options) -> Scoring:
    """The scoring of a room."""
    return Scoring(
        items=ITEMS,
        hand=HandRules(options.wu_xi_ping),
        per_five=PER_FIVE,
        nei_yuan=NEI_YUAN,
        wai_yuan=WAI_YUAN,
        hai_di=HAI_DI,
        bao_ting=BAO_TING,
        fixed_yingxi=FIXED_YINGXI if options.fixed_five else 0,
        diao_diao=options.diao_diao,
        extra_up_to=EXTRA_UP_TO if options.small_hu_extra else 0,
        cap=0 if options.cap == "none" else options.cap,
    )


def score(spec: HandSpec) -> Sheet:
    """The score sheet of a finished round or of any hand (G18-G31)."""
    return score_hand(spec, scoring_for(spec.options))
