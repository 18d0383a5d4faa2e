"""衡阳六胡抢: what it adds to the family (L1–L14)."""

from collections.abc import Sequence

from libs.families.paohuzi.family import Difference, variant
from libs.families.paohuzi.finals import Finals, LowScores, finish
from libs.families.paohuzi.play import Play
from libs.game.flow import Table
from libs.game.options import OptionError
from libs.game.variant import Term
from libs.variants.hengyang_liuhuqiang.options import Options
from libs.variants.hengyang_liuhuqiang.scoring import ITEMS, score, scoring_for

TWO_PLAYER_OPTIONS = {"chou_di": 0, "low_score_limit": "off"}
"""Options for two players only, with the value that three players must leave them at."""


def chong_allowed(table: Table, seat: int, card: int) -> bool:
    """Any discarder may 冲招 where the room allows it (L7)."""
    return bool(table.options.chong_zhao)


def limits(options: Options, players: int) -> OptionError | None:
    """What three players may not have (L11, L12)."""
    if players == 2:
        return None
    for key, only in TWO_PLAYER_OPTIONS.items():
        if getattr(options, key) != only:
            return OptionError("BAD_OPTION_VALUE", key, f"{only} with {players} players")
    return None


def end_of_match(options: Options, totals: Sequence[int]) -> Finals:
    """Final scores (L12: two players only)."""
    limit = options.low_score_limit if len(totals) == 2 else "off"
    return finish(totals, LowScores(limit, options.low_score_factor, "L12"))


RELEASE_1 = variant(
    Difference(
        game="hengyang_liuhuqiang",
        zh="衡阳六胡抢",
        en="Hengyang Liuhuqiang",
        release=1,
        players=(2, 3),
        options=Options,
        play=Play(
            scoring=scoring_for,
            join_first=False,
            chong_allowed=chong_allowed,
            chong_reason="CHONG_ZHAO_OFF",
            draws_again=False,
        ),
        removed=lambda options, players: int(options.chou_di) if players == 2 else 0,
        score=score,
        finish=end_of_match,
        limits=limits,
        terms=tuple(Term(item.code, item.zh, item.en, item.clause) for item in ITEMS),
    )
)
