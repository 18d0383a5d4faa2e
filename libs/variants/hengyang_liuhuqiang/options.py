"""Room options of 衡阳六胡抢 (clauses L2–L14, Z11, Z31, Z33, Z34)."""

from dataclasses import dataclass
from typing import Literal

from libs.families.paohuzi import options as shared
from libs.game.options import choice


@dataclass(frozen=True)
class Options:
    """Every option with its default first in `choice`; the clause is the last argument."""

    first_dealer: Literal["longest", "random"] = shared.first_dealer("L2")
    idle_hu_liang_zhang: bool = choice(True, "可胡示众牌", "Other seats may win the 亮张", "L4")
    qi_hu: Literal[6, 9, 15] = choice(6, "起胡", "Least 胡息 to win", "L5")
    yi_wu_shi: bool = choice(False, "一五十", "一五十 and 壹伍拾 are groups", "L6")
    chong_zhao: bool = choice(True, "可冲招", "冲招 is allowed", "L7")
    zi_mo_double: bool = shared.zi_mo_double("L8")
    hong_hei_dian: bool = choice(True, "红黑点", "小红, 大红, 一点红 and 黑胡 count", "L8")
    tian_di_hai: bool = choice(True, "天地海", "天胡, 地胡 and 海底 count", "L8")
    peng_peng_hu: bool = choice(False, "碰碰胡", "碰碰胡 counts", "L8")
    da_xiao_zi: bool = choice(False, "大小字胡", "大字胡 and 小字胡 count", "L8")
    dian_pao_pays: Literal["one", "all"] = shared.dian_pao_pays("one", "L10")
    chou_di: Literal[0, 10, 20] = choice(
        0, "抽底", "Cards taken out of the wall unseen (two players only)", "L11"
    )
    low_score_limit: Literal["off", 10, 20, 30, "none"] = shared.low_score_limit(
        "Largest final score that is multiplied (two players only)", "L12"
    )
    low_score_factor: Literal[2, 3, 4] = choice(
        2, "低分倍数", "Factor for low final scores (two players only)", "L12"
    )
    tun_rule: Literal["san_xi_yi_tun", "yi_xi_yi_tun"] = choice(
        "san_xi_yi_tun",
        "囤",
        "How 胡息 become 囤",
        "L13",
        labels={
            "san_xi_yi_tun": ("3息1囤", "3 胡息 per 囤"),
            "yi_xi_yi_tun": ("1息1囤", "1 胡息 per 囤"),
        },
    )
    base_two: bool = shared.base_two("L13")
    piao_hu: bool = choice(False, "飘胡", "A shape without 胡息 may win", "L14")
    ming_wei: bool = shared.ming_wei("Z11")
    xing: Literal["none", "fan_xing", "sui_xing"] = shared.xing("Z31")
    hu_policy: Literal["free", "must_hu", "must_hu_discard", "wall_only"] = shared.hu_policy("Z33")
    cap: Literal["none", 30, 60, 90] = shared.cap("Z34")
    unit: int = shared.unit("Z32")
