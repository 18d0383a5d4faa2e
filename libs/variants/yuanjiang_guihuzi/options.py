"""Room options of 沅江鬼胡子 (clauses G1, G17, G23, G24, G28, G30)."""

from dataclasses import dataclass
from typing import Literal

from libs.game.options import choice


@dataclass(frozen=True)
class Options:
    """Every option with its default first in `choice`; the clause is the last argument."""

    mai_pai: Literal[0, 10, 19] = choice(
        0, "埋牌", "Cards taken out of the wall unseen (two players only)", "G1"
    )
    an_wai_liu: bool = choice(
        False, "暗歪溜", "Draws are hidden until 歪 and 溜 are declined", "G17"
    )
    fixed_five: bool = choice(False, "五硬息", "Every 小胡 counts as 5 硬息", "G23")
    wu_xi_ping: bool = choice(True, "无息平", "A shape without 硬息 wins", "G24")
    diao_diao: Literal[50, 100] = choice(50, "吊吊手", "息 for winning on one card in hand", "G24")
    cap: Literal["none", 100, 200] = choice(
        "none",
        "封顶",
        "Bound of one amount",
        "G28",
        labels={"none": ("不封顶", "no cap"), 100: ("100", "100"), 200: ("200", "200")},
    )
    small_hu_extra: bool = choice(
        False, "小胡限制", "A 小胡 of 5 or 6 硬息 needs something in addition", "G30"
    )
