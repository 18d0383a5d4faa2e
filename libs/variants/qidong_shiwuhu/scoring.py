"""Scoring of 祁东十五胡 (Q4, Q5, Q8–Q10; the rest is the family's Z23–Z34)."""

from functools import lru_cache

from libs.families.paohuzi.options import room
from libs.families.paohuzi.score import Item, Scoring
from libs.families.paohuzi.score import score as score_hand
from libs.families.paohuzi.split import HandRules
from libs.game.sheet import HandSpec, Sheet
from libs.variants.qidong_shiwuhu.options import Options

LEAST, LEAST_BLACK = 15, 10
"""Least 胡息 to win: with a red card, without one (Q5)."""

ITEMS = (
    Item("zi_mo", "自摸", "own draw", "Q9", "zi_mo_double", 2, lambda f: f.kind == "zi_mo"),
    Item(
        "hong_hu", "红胡", "ten or more red cards", "Q9", "hong_hei_dian", 2, lambda f: f.red >= 10
    ),
    Item("dian_hu", "点胡", "exactly one red card", "Q9", "hong_hei_dian", 3, lambda f: f.red == 1),
    Item("hei_hu", "黑胡", "no red card", "Q9", "hong_hei_dian", 3, lambda f: f.red == 0),
)
"""Every multiplier, in the order of Q9."""


@lru_cache(maxsize=256)
def scoring_for(options: Options) -> Scoring:
    """The scoring of a room; 一五十 is not a group (Q6)."""
    return Scoring(
        hand=HandRules(least=LEAST, least_black=LEAST_BLACK),
        items=tuple(item for item in ITEMS if getattr(options, item.option)),
        dealer_kind="zi_mo",
        idle_liang_zhang=False,
        qi_hu=LEAST,
        yi_xi_yi_tun=False,
        payment_clause="Q10",
        **room(options),
    )


def score(spec: HandSpec) -> Sheet:
    """The score sheet of a finished round or of any hand (Q8–Q10)."""
    return score_hand(spec, scoring_for(spec.options))
