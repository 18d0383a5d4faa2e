"""Hands that no play leads to, and 听牌 hints, of 姜堰23张 and 沙沙儿."""

import pytest

from libs.families.pengpai.hints import hints
from libs.families.pengpai.judge import Scoring
from libs.families.pengpai.score import score
from libs.game.cards import NAMES
from libs.game.sheet import HandSpec, SeatHand, Win, WinSource
from tests.game.pengpai_spec import room, seat, win


def _spec(scoring: Scoring, hand: SeatHand, won: Win | None, players: int = 3) -> HandSpec:
    seats = (hand, *(SeatHand(),) * (players - 1))
    return HandSpec(scoring.options, 3, 0, seats, won)


BAD: list[tuple[str, str, str, dict[str, int], Win | None, str]] = [
    ("jiangyan_23", "S1", "p:S99", {}, None, "no peng"),
    ("jiangyan_23", "S1", "m:HTTTTT", {}, None, "no ming_gang"),
    ("shashaer", "S1", "ya:HTTTTT", {}, None, "no an_gang_yuan"),
    ("shashaer", "S1", "aw:HTTTTT", {}, None, "no an_gang"),
    ("shashaer", "S1", "m:S99999", {}, None, "there are only 4"),
    ("jiangyan_23", "S1", "p:DJJJ", {}, None, "in no meld"),
    ("jiangyan_23", "S11", "p:S111", {}, None, "there are only 4"),
    ("shashaer", "XJ", "", {}, None, "no card is written"),
    ("jiangyan_23", "S1", "", {"flowers": 5}, None, "flowers is 0 to 4"),
    ("jiangyan_23", "S1", "", {}, win("S1", "deal"), "the one on the deal has none"),
    ("jiangyan_23", "S1", "", {}, Win(0, 0, WinSource.DISCARD, 1), "a win has a card"),
    ("jiangyan_23", "S1", "", {}, Win(0, 21, WinSource.DISCARD, 0), "the other seat"),
    ("jiangyan_23", "S1", "", {}, Win(0, 21, WinSource.OTHER_DRAW, 1), "or discarded"),
    ("jiangyan_23", "S1", "", {}, Win(1, 0, WinSource.DEAL), "only the dealer"),
    ("jiangyan_23", "S1111", "", {}, win("S1"), "there are only 4"),
    ("jiangyan_23", "S1", "", {}, Win(3, 21, WinSource.OWN_DRAW), "fit the number"),
]


@pytest.mark.parametrize(("game", "text", "melds", "facts", "won", "message"), BAD)
def test_impossible_hands_are_refused(
    game: str, text: str, melds: str, facts: dict[str, int], won: Win | None, message: str
) -> None:
    """J1, X1, X8: a hand that cannot lie on a table is an error that says why."""
    scoring = room(game)
    with pytest.raises(ValueError, match=message):
        score(_spec(scoring, seat(scoring, text, melds, **facts), won), scoring)


def test_hints() -> None:
    """J26, M9: by face and source what a win is worth; a source below the minimum is left out."""
    scoring = room("jiangyan_23", min_hu="hard_80")
    hand = seat(scoring, "S456 S88 C99 H678", "p:H111 p:HKKK m:C5555 p:C222")
    found = hints(lambda options: scoring)(_spec(scoring, hand, None), 0)
    assert [(NAMES[w.card], [tuple(x) for x in w.worth]) for w in found] == [
        ("C9", [(WinSource.OWN_DRAW, 71, 80)])
    ]
    free = room("jiangyan_23")
    found = hints(lambda options: free)(_spec(free, hand, None), 0)
    assert [(NAMES[w.card], len(w.worth)) for w in found] == [("S8", 2), ("C9", 2)]
    with pytest.raises(ValueError, match="no peng"):
        hints(lambda options: free)(_spec(free, seat(free, "S1", "p:S99"), None), 0)
