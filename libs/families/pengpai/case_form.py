"""The written form of a case (`cases.py`), looked at before the case is read."""

from collections.abc import Mapping, Sequence

from libs.families.pengpai.hand import ANNOUNCED, DECLINED, NOT_ASKED
from libs.game.cards import parse
from libs.game.case_form import Case, CaseError, needed, objects, one_card, one_of, value

BAO = {None: NOT_ASKED, "yes": ANNOUNCED, "no": DECLINED}
SOURCES = ("own_draw", "discard", "deal")
MELDS = ("peng", "ming_gang", "an_gang", "an_gang_yuan")
FIVES: Mapping[tuple[str, ...], str] = {
    ("an_gang_yuan_5",): "an_gang_yuan",
    ("an_gang_5",): "an_gang",
    ("ming_gang_5",): "ming_gang",
    ("an_gang_yuan", "fifth_drawn"): "an_gang_yuan",
    ("an_gang", "fifth_drawn"): "an_gang",
    ("ming_gang", "fifth_drawn"): "ming_gang",
    ("an_gang_yuan", "fifth_claimed"): "ming_gang",
    ("an_gang", "fifth_claimed"): "ming_gang",
    ("ming_gang", "fifth_claimed"): "ming_gang",
}
"""Steps of a meld of five cards and the kind it is now (X8)."""


def _check_meld(meld: Case, at: str) -> None:
    kind = needed(meld, "kind", str, f"{at}.")
    one_of(kind, MELDS, f"{at}.kind")
    cards = needed(meld, "cards", str, f"{at}.")
    steps = value(meld, "steps", list, f"{at}.") or []
    if len(parse(cards)) == 5 and FIVES.get(tuple(map(str, steps))) != kind:
        raise CaseError(f"{at}.steps {steps} are none of five cards that are now {kind} (X8)")


def _check_hand(case: Case, at: str) -> None:
    """Hand and melds of a seat, or of a case that is about one hand."""
    needed(case, "hand", str, at)
    for path, meld in objects(case, "melds", at):
        _check_meld(meld, path)


def _check_seat(seat: Case, at: str) -> None:
    _check_hand(seat, f"{at}.")
    value(seat, "flowers", int, f"{at}.")
    value(seat, "zhi_ting", bool, f"{at}.")
    bao = value(seat, "bao_liu_peng", str, f"{at}.")
    if bao is not None:
        one_of(bao, ("yes", "no"), f"{at}.bao_liu_peng")


def seats_of(case: Case) -> dict[int, Case]:
    """The seats a case lists, by their number: `seat`, else their place in the list."""
    numbers = (seat.get("seat") for seat in case["seats"])
    written = [at if number is None else number for at, number in enumerate(numbers)]
    return dict(zip(written, case["seats"], strict=True))


def _check_seats(case: Case) -> None:
    seats = needed(case, "seats", list)
    if not seats:
        raise CaseError("seats lists nobody")
    for path, seat in objects(case, "seats"):
        _check_seat(seat, path)
        value(seat, "seat", int, f"{path}.")
    if len(seats_of(case)) != len(seats):
        raise CaseError("seats lists a seat twice")


def _check_win(case: Case) -> None:
    win = value(case, "win", dict)
    if win is None:
        return
    if needed(win, "seat", int, "win.") not in seats_of(case):
        raise CaseError("win.seat is not among the seats")
    source = needed(win, "from", str, "win.")
    one_of(source, SOURCES, "win.from")
    value(win, "by", int, "win.")
    if value(win, "hai_lao", bool, "win.") and source != "own_draw":
        raise CaseError("win.hai_lao is an own draw (J32)")
    if source != "deal":
        one_card(needed(win, "card", str, "win."), "win.card")


def check_case(case: Case, players: Sequence[int]) -> None:
    """Raises CaseError for a case that is not of the form of its kind, NotationError for a card
    that nobody writes. `players`: the numbers of players the game allows."""
    value(case, "options", dict)
    if case["kind"] == "zhi_ting_gang":
        _check_hand(case, "")
        one_card(needed(case, "drawn", str), "drawn")
        return
    _check_seats(case)
    if case["kind"] == "ting":
        return
    count = needed(case, "players", int)
    one_of(count, players, "players")
    dealer = value(case, "dealer", int) or 0
    for what, seat in (("dealer", dealer), *(("seat", at) for at in seats_of(case))):
        one_of(seat, range(count), what)
    _check_win(case)
