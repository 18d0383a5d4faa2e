"""The written form of a case (`cases.py`), looked at before the case is read."""

from collections.abc import Sequence

from libs.families.paohuzi.points import MELD_NAMES
from libs.game.case_form import Case, CaseError, needed, objects, one_card, one_of, value

FROM_OTHERS = ("other_draw", "discard")
ON_DEAL = ("liang_zhang", "deal")
SOURCES = ("own_draw", *FROM_OTHERS, *ON_DEAL)
MELDS = tuple(MELD_NAMES.values())


def _check_melds(case: Case, at: str = "") -> None:
    for path, meld in objects(case, "melds", at):
        one_of(needed(meld, "kind", str, f"{path}."), MELDS, f"{path}.kind")
        needed(meld, "cards", str, f"{path}.")


def _check_by(win: Case, players: int) -> None:
    """The seat that drew or discarded: another's for another's card, else nobody or the drawer."""
    seat, source, by = win["seat"], win["from"], value(win, "by", int, "win.")
    if by is not None:
        one_of(by, range(players), "win.by")
    if source in FROM_OTHERS and by in (None, seat):
        raise CaseError(f"win.by is another seat than the winner with {source}")
    if source == "own_draw" and by not in (None, seat):
        raise CaseError("win.by is the winner with own_draw")


def _check_win(case: Case, players: int) -> None:
    win = needed(case, "win", dict)
    one_of(needed(win, "seat", int, "win."), range(players), "win.seat")
    one_of(needed(win, "from", str, "win."), SOURCES, "win.from")
    one_card(needed(win, "card", str, "win."), "win.card")
    _check_by(win, players)
    for key in ("last_card", "first_discard"):
        value(win, key, bool, "win.")
    dealer = (needed if win["from"] in ON_DEAL else value)(case, "dealer", int)
    if dealer is not None:
        one_of(dealer, range(players), "dealer")


def _check_score(case: Case, players: Sequence[int]) -> None:
    one_of(needed(case, "players", int), players, "players")
    seats = needed(case, "seats", list)
    if len(seats) != case["players"]:
        raise CaseError(f"seats are {case['players']}, not {len(seats)}")
    for path, seat in objects(case, "seats"):
        value(seat, "hand", str, f"{path}.")
        _check_melds(seat, f"{path}.")
    _check_win(case, case["players"])
    one_card(value(case, "wall_next", str), "wall_next")


def check_case(case: Case, players: Sequence[int]) -> None:
    """Raises CaseError or NotationError for a case that is not of its form.

    `players` are the numbers of seats the game can be played with (L1, Q1).
    """
    value(case, "options", dict)
    if case["kind"] == "score":
        return _check_score(case, players)
    needed(case, "hand", str)
    _check_melds(case)
    if case["kind"] == "chi":
        one_card(needed(case, "card", str), "card")
    return None
