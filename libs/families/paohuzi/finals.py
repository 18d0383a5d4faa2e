"""The end of a match: low final scores are multiplied (L12, Q12)."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from libs.game.sheet import Line, LineKind

Finals = tuple[tuple[int, ...], tuple[Line, ...]]
"""Final scores, and the lines that explain them."""


class LowScores(NamedTuple):
    """The rule of a room. `limit`: the largest absolute final score that it reaches."""

    limit: int | Literal["off", "none"]
    factor: int
    clause: str


def finish(totals: Sequence[int], rule: LowScores) -> Finals:
    """Final scores after the rule, which treats all seats alike; a line where it applied."""
    top = max(map(abs, totals), default=0)
    beyond = rule.limit == "off" or (rule.limit != "none" and top > rule.limit)
    if beyond or not top:
        return tuple(totals), ()
    line = Line(
        "low_score_double",
        "低分翻倍",
        "low scores are multiplied",
        rule.clause,
        LineKind.MULTIPLY,
        rule.factor,
        top * rule.factor,
    )
    return tuple(total * rule.factor for total in totals), (line,)
