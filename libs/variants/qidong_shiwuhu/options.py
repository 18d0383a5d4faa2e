"""Room options of 祁东十五胡 (clauses Q2, Q8–Q12)."""

from dataclasses import dataclass
from typing import Literal

from libs.families.paohuzi import options as shared
from libs.game.options import choice


@dataclass(frozen=True)
class Options:
    """Every option; the last argument is its clause."""

    first_dealer: Literal["longest", "random"] = shared.first_dealer("Q2")
    zi_mo_double: bool = shared.zi_mo_double("Q9")
    hong_hei_dian: bool = choice(True, "红黑点", "红胡, 点胡 and 黑胡 count", "Q9")
    dian_pao_pays: Literal["one", "all"] = shared.dian_pao_pays("all", "Q10")
    base_two: bool = shared.base_two("Q8")
    xing: Literal["none", "fan_xing", "sui_xing"] = shared.xing("Q11")
    hu_policy: Literal["free", "must_hu", "must_hu_discard", "wall_only"] = shared.hu_policy("Q12")
    cap: Literal["none", 30, 60, 90] = shared.cap("Q12")
    ming_wei: bool = shared.ming_wei("Q12")
    low_score_limit: Literal["off", 10, 15, 20, 30, "none"] = shared.low_score_limit(
        "Largest final score that is doubled", "Q12"
    )
    unit: int = shared.unit("Z32")
