"""沅江鬼胡子: the game's record (G1, G2)."""

from libs.families.guihuzi.family import Difference, variant
from libs.families.guihuzi.play import Play
from libs.game.options import OptionError
from libs.game.variant import Term, plain_sums
from libs.variants.yuanjiang_guihuzi.options import Options
from libs.variants.yuanjiang_guihuzi.scoring import ITEMS, score, scoring_for


def limits(options: Options, players: int) -> OptionError | None:
    """Three players take no cards out of the wall (G1)."""
    if players == 2 or options.mai_pai == 0:
        return None
    return OptionError("BAD_OPTION_VALUE", "mai_pai", f"0 with {players} players")


RELEASE_1 = variant(
    Difference(
        game="yuanjiang_guihuzi",
        zh="沅江鬼胡子",
        en="Yuanjiang Guihuzi",
        release=1,
        players=(2, 3),  # G1
        options=Options,
        play=Play(scoring=scoring_for),
        removed=lambda options, players: int(options.mai_pai) if players == 2 else 0,
        score=score,
        finish=plain_sums,
        limits=limits,
        terms=tuple(
            {item.code: Term(item.code, item.zh, item.en, item.clause) for item in ITEMS}.values()
        ),
    )
)
