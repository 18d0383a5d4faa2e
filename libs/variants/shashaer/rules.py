"""沙沙儿: what it adds to the family's play (X1–X8, X17)."""

from libs.families.pengpai.decks import SHASHAER_130
from libs.families.pengpai.family import Difference, variant
from libs.families.pengpai.play import Play
from libs.game.cards import parse
from libs.variants.shashaer.options import Options
from libs.variants.shashaer.scoring import TERMS, score, scoring_for


def visible_discards(options: Options) -> int:
    """Every pile lies open."""
    return 0


RELEASE_1 = variant(
    Difference(
        game="shashaer",
        zh="沙沙儿",
        en="Shashaer",
        release=1,
        players=(2, 3),  # X2
        deck=SHASHAER_130,
        red=frozenset(parse("H1 H2 H3 H4 H5 H6 H7 H8 H9 HT HJ HQ HK")),
        options=Options,
        play=Play(
            scoring=scoring_for,
            flower=0,
            reserve=0,  # X6
            declarations=False,
            declined_is_later=False,  # X3
            hidden_an_gang=True,  # X4
            visible_discards=visible_discards,
        ),
        score=score,
        terms=tuple(TERMS.values()),
    )
)
