"""祁东十五胡: what it adds to the family (Q1–Q12)."""

from collections.abc import Sequence

from libs.families.paohuzi.family import Difference, variant
from libs.families.paohuzi.finals import Finals, LowScores, finish
from libs.families.paohuzi.play import Play
from libs.families.paohuzi.waits import Concealed, is_ting
from libs.game.flow import Table
from libs.game.variant import Term
from libs.variants.qidong_shiwuhu.options import Options
from libs.variants.qidong_shiwuhu.scoring import ITEMS, score, scoring_for

LOW_SCORE_FACTOR = 2
"""Q12."""


def chong_allowed(table: Table, seat: int, card: int) -> bool:
    """Only a seat that is 听牌 after the discard may 冲招 (Q7)."""
    hand = table.state.hands[seat].copy()
    hand[card] -= 1
    waiting = Concealed(bytes(hand), table.state.melds[seat])
    return is_ting(waiting, scoring_for(table.options).hand)


def end_of_match(options: Options, totals: Sequence[int]) -> Finals:
    """Final scores (Q12)."""
    return finish(totals, LowScores(options.low_score_limit, LOW_SCORE_FACTOR, "Q12"))


RELEASE_1 = variant(
    Difference(
        game="qidong_shiwuhu",
        zh="祁东十五胡",
        en="Qidong Shiwuhu",
        release=1,
        players=(3,),  # Q1
        options=Options,
        play=Play(
            scoring=scoring_for,
            join_first=True,  # Q3
            chong_allowed=chong_allowed,  # Q7
            chong_reason="NOT_TING",
            draws_again=True,  # Q2
        ),
        removed=lambda options, players: 0,
        score=score,
        finish=end_of_match,
        limits=lambda options, players: None,
        terms=(
            *(Term(item.code, item.zh, item.en, item.clause) for item in ITEMS),
            Term(
                "NOT_TING",
                "未听牌无法打出别人偎的牌",
                "only a seat that is 听牌 may discard a face that lies as 偎",
                "Q7",
            ),
        ),
    )
)
