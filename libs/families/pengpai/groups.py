"""The groups of a hand for the score sheet: melds first, then the split that counts."""

from collections.abc import Iterator

from libs.families.pengpai.judge import Situation, triple_kind
from libs.families.pengpai.points import KIND_NAMES, Prices
from libs.families.pengpai.split import Placed, Won
from libs.game.melds import Meld
from libs.game.sheet import Group


def meld_group(meld: Meld, prices: Prices) -> Group:
    """A meld with its price."""
    kind, clause = KIND_NAMES[meld.kind], prices.meld_clause(meld)
    return Group(kind, bytes(meld.cards), prices.meld(meld), clause, True)


def triple_group(kind: str, face: int, prices: Prices, won: bool = False) -> Group:
    """Three equal cards in hand."""
    return Group(kind, bytes((face,)) * 3, prices.equal(kind, face), prices.clause, False, won)


def _concealed(at: Situation, placed: Placed) -> Iterator[Group]:
    """Triples, runs and the pair in hand."""
    scoring = at.scoring
    for face in placed.triples:
        won = placed.won is Won.TRIPLE and placed.at == face
        yield triple_group(triple_kind(placed, face, at.source), face, scoring.prices, won)
    won_run = placed.at if placed.won >= Won.RUN else 0
    for first in placed.runs:
        kind = "men_pai" if first == scoring.men_pai else "run"
        cards = bytes((first, first + 1, first + 2))
        yield Group(kind, cards, 0, scoring.shape_clause, False, first == won_run)
        if first == won_run:
            won_run = 0
    pair = bytes((placed.pair,)) * 2
    yield Group("jiang", pair, 0, scoring.shape_clause, False, placed.won is Won.PAIR)


def hand_groups(at: Situation, placed: Placed) -> tuple[Group, ...]:
    """Every group of a complete hand; the one that holds the winning card is marked."""
    laid = (meld_group(meld, at.scoring.prices) for meld in at.held.melds)
    return (*laid, *_concealed(at, placed))


def kept_groups(counts: bytes, melds: tuple[Meld, ...], prices: Prices) -> tuple[Group, ...]:
    """What counts in a hand that did not win: melds, and each face held three times (X15)."""
    laid = (meld_group(meld, prices) for meld in melds)
    held = (triple_group("an_ke", face, prices) for face, n in enumerate(counts) if n > 2)
    return (*laid, *held)
