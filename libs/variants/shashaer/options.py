"""Room options of 沙沙儿 (clauses X2, X11, X14, X16, X18)."""

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
        "X2",
        labels={
            "creator": ("房主", "the room's creator"),
            "first_entered": ("最先进房", "the first to enter the room"),
        },
    )
    stack: Literal["multiply", "once"] = choice(
        "multiply",
        "翻倍叠加",
        "Several doublings",
        "X11",
        labels={"multiply": ("相乘", "multiply each other"), "once": ("只翻一次", "count once")},
    )
    zi_mo_10: bool = choice(False, "自摸加10", "An own draw adds 10", "X14")
    ya_zi_10: bool = choice(False, "丫子加10", "A sole wait adds 10", "X14")
    unit: int = choice(1, "底分", "Points per 胡", "X16", low=1, high=1_000_000)
    ding_hu: Literal["off", 11, 9] = choice(
        "off",
        "定胡",
        "Least 胡 of a 平胡 without 底胡",
        "X18",
        labels={"off": ("不定胡", "none"), 11: ("11胡", "11"), 9: ("9胡", "9")},
    )
    ding_hu_scope: Literal["all", "open"] = choice(
        "all",
        "定胡范围",
        "What 定胡 counts",
        "X18",
        labels={"all": ("全部", "all points"), "open": ("桌面", "melds on the table")},
    )
