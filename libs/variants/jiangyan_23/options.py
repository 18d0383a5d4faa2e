"""Room options of 姜堰23张 (clauses J3, J11, J15, J17-J19, J24-J26)."""

from dataclasses import dataclass
from typing import Literal

from libs.game.options import choice


@dataclass(frozen=True)
class Options:
    """Every option with its default first in `choice`; the clause is the last argument."""

    first_dealer: Literal["creator", "first_entered"] = choice(
        "creator",
        "首局庄家",
        "First dealer",
        "J3",
        labels={
            "creator": ("房主", "the room's creator"),
            "first_entered": ("最先进房", "the first to enter the room"),
        },
    )
    visible_discards: Literal[1, 5, "all"] = choice(
        5,
        "可见弃牌",
        "Newest discards of another seat that can be seen",
        "J11",
        labels={
            1: ("可见一张", "the newest one"),
            5: ("可见五张", "the newest five"),
            "all": ("全部可见", "all of them"),
        },
    )
    lao_ken: bool = choice(False, "老垦中胡", "大张 count half", "J15")
    fa_zhang: Literal["replace", "add"] = choice(
        "replace",
        "发张",
        "Own draw of a pair's third card",
        "J17",
        labels={
            "replace": ("发张4胡", "a 大张 counts 4 in place of 自摸"),
            "add": ("发张加4胡", "4 on top of 自摸, any card"),
        },
    )
    edge_rule: Literal["sole_wait", "shape"] = choice(
        "sole_wait",
        "边子夹子",
        "When 边子 and 夹子 count",
        "J18",
        labels={
            "sole_wait": ("独听", "only as the hand's only wait"),
            "shape": ("看牌型", "whenever the card fills the gap"),
        },
    )
    quan_su: Literal[70, 100, 120, 150] = choice(100, "全素底胡", "底胡 of 全素", "J19")
    cap: Literal[500, 1000, 2000, "none"] = choice(
        1000, "封顶", "Bound of what one payer pays", "J24", labels={"none": ("不封顶", "no bound")}
    )
    unit: int = choice(1, "底分", "Points per 胡", "J25", low=1, high=1_000_000)
    min_hu: Literal["none", "hard_80", 70, 80, 90] = choice(
        "none",
        "起胡",
        "Least 胡 to win",
        "J26",
        labels={
            "none": ("不限", "any"),
            "hard_80": ("硬80胡", "71 without 大王"),
            70: ("70胡", "70 after rounding"),
            80: ("80胡", "80 after rounding"),
            90: ("90胡", "90 after rounding"),
        },
    )
