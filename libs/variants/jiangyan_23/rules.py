"""姜堰23张: what it adds to the family's play (J1–J12, J30–J33)."""

from libs.families.pengpai.decks import DA_WANG, JIANGYAN_132
from libs.families.pengpai.family import Difference, variant
from libs.families.pengpai.play import Play
from libs.game.cards import parse
from libs.variants.jiangyan_23.options import Options
from libs.variants.jiangyan_23.scoring import TERMS, score, scoring_for

HAI_LAO_CARDS = 3
"""Cards left for 海捞, one for each seat (J32)."""


def visible_discards(options: Options) -> int:
    """Newest cards of another seat's pile that a seat sees; 0: all (J11)."""
    return 0 if options.visible_discards == "all" else options.visible_discards


RELEASE_1 = variant(
    Difference(
        game="jiangyan_23",
        zh="姜堰23张",
        en="Jiangyan 23",
        release=1,
        players=(3,),  # J2
        deck=JIANGYAN_132,
        red=frozenset(parse("H1 H2 H3 H4 H5 H6 H7 H8 H9 HT HJ HQ HK")),
        options=Options,
        play=Play(
            scoring=scoring_for,
            flower=DA_WANG,
            reserve=HAI_LAO_CARDS,
            declarations=True,  # J30, J31
            declined_is_later=True,  # J5
            hidden_an_gang=False,  # J8
            visible_discards=visible_discards,
        ),
        score=score,
        terms=tuple(TERMS.values()),
    )
)
