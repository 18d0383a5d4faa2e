"""Worked cases of the family: a JSON object in, what the engine says out.

Kinds: `score`, `ting`, `zhi_ting_gang` (fields as in the case files; unknown ones are ignored).
`case_form.py` refuses what is not of their form.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from libs.families.pengpai.case_form import BAO, check_case, seats_of
from libs.families.pengpai.check import check_seat
from libs.families.pengpai.hand import HAI_LAO
from libs.families.pengpai.hints import SOURCES
from libs.families.pengpai.judge import Scoring, waits
from libs.families.pengpai.points import OPEN_KINDS
from libs.families.pengpai.score import held_of, score
from libs.families.pengpai.shape import gang_keeps_waits
from libs.game.cards import NAMES, parse
from libs.game.melds import Meld, MeldKind
from libs.game.options import parse as parse_options
from libs.game.sheet import (
    Group,
    HandSpec,
    LineKind,
    SeatHand,
    SeatSheet,
    Sheet,
    Win,
    WinSource,
)
from libs.game.variant import Wait

Case = Mapping[str, Any]
Item = list[Any]


@dataclass(frozen=True)
class CaseGame:
    """What the runner needs of a variant. `players` are the numbers a case may have;
    `each_settles`: every pair of seats pays (X16)."""

    options: type
    scoring_for: Callable[[Any], Scoring]
    players: tuple[int, ...]
    each_settles: bool = False


def _steps(meld: Case) -> list[str]:
    """How five cards came together (X8); of other melds nothing."""
    return meld["steps"] if len(meld["cards"].split()) == 5 else []


def _melds(case: Case) -> tuple[Meld, ...]:
    return tuple(meld_of(meld) for meld in case.get("melds") or ())


def meld_of(case: Case) -> Meld:
    """A meld of a case; the steps of five cards become the kind they were before (X8)."""
    cards = bytes(parse(case["cards"]))
    kind = MeldKind[case["kind"].upper()]
    steps = _steps(case)
    before = (MeldKind[steps[0].upper()],) if len(steps) > 1 else ()
    return Meld(kind, cards, cards[0] if kind in OPEN_KINDS else 0, steps=before)


def _seat(case: Case, scoring: Scoring) -> SeatHand:
    facts = {
        "flowers": case.get("flowers") or 0,
        "zhi_ting": int(case.get("zhi_ting") or False),
        "bao_liu_peng": BAO[case.get("bao_liu_peng")],
    }
    return SeatHand(tuple(scoring.deck.count(parse(case["hand"]))), _melds(case), facts)


def _card(text: str | None) -> int:
    return parse(text)[0] if text else 0


def _win(case: Case) -> Win:
    by = case.get("by")
    source = WinSource[case["from"].upper()]
    return Win(case["seat"], _card(case.get("card")), source, -1 if by is None else by)


def spec_of(case: Case, scoring: Scoring) -> HandSpec:
    """The hands of a `score` or `ting` case; a case may list the winner only.

    The hand of a `ting` case is seat 0's, whatever seat it names."""
    listed = {0: case["seats"][0]} if case["kind"] == "ting" else seats_of(case)
    players = case.get("players") or max(listed) + 1
    seats = [SeatHand() for _ in range(players)]
    for at, seat in listed.items():
        seats[at] = _seat(seat, scoring)
    win = _win(case["win"]) if case.get("win") else None
    if win and case["win"].get("hai_lao"):
        winner = seats[win.seat]
        facts = {**winner.facts, HAI_LAO: 1}
        seats[win.seat] = SeatHand(winner.counts, winner.melds, facts)
    dealer = case.get("dealer")
    if dealer is None:
        dealer = win.seat if win and win.source is WinSource.DEAL else 0
    return HandSpec(scoring.options, players, dealer, tuple(seats), win)


def _scoring(game: CaseGame, case: Case) -> Scoring:
    """The scoring of a case of the right form. Raises CaseError, NotationError, OptionError."""
    check_case(case, game.players)
    return game.scoring_for(parse_options(game.options, case.get("options") or {}))


def spec_of_case(game: CaseGame, case: Case) -> HandSpec:
    """The hand of a case under its options, to ask a running service about.

    Raises CaseError, NotationError, OptionError."""
    return spec_of(case, _scoring(game, case))


def _group_item(group: Group) -> Item:
    return [f"{group.kind}:{NAMES[group.cards[0]]}", group.points]


def _meld_name(case: Case) -> str:
    """`an_gang_yuan:S9`; five cards by their steps."""
    kind = "+".join(_steps(case)) or case["kind"]
    return f"{kind}:{case['cards'].split()[0]}"


def _items(case: Case, winner: SeatSheet) -> Iterator[Item]:
    """What counts: melds and triples of the winner, then the other items."""
    written = seats_of(case)[winner.seat].get("melds") or ()
    laid = [group for group in winner.groups if group.on_table]
    for meld, group in zip(written, laid, strict=True):
        yield [_meld_name(meld), group.points]
    yield from (_group_item(group) for group in winner.groups if group.points and group not in laid)
    for line in winner.lines:
        if line.kind is LineKind.ADD and line.code != "pai_xing":
            yield [line.code, line.value]


def from_sheet(game: CaseGame, case: Case, sheet: Sheet) -> dict[str, Any]:
    """A score sheet in the words of a `score` case, which names the melds of five cards (X8)."""
    result: dict[str, Any] = {"can_win": sheet.can_win, "deltas": list(sheet.deltas)}
    if game.each_settles and not sheet.reason:
        result["H"] = [seat.amount for seat in sheet.seats]
    if not sheet.can_win:
        return result | {"reason": sheet.reason or sheet.win_kind}
    winner = next(seat for seat in sheet.seats if seat.seat == sheet.winner)
    doubles = [key.removeprefix("double_") for key in sheet.values if key.startswith("double_")]
    result |= {
        "items": list(_items(case, winner)),
        "doubles": doubles,
        "raw": sheet.values["raw"],
    }
    if not game.each_settles:
        result |= {"rounded": sheet.values["rounded"], "payer_amount": sheet.payments[0].amount}
    return result


def from_waits(waits: Iterable[Wait]) -> dict[str, list[str]]:
    """Waits in the words of a `ting` case."""
    told: dict[str, list[str]] = {source.name.lower(): [] for source in SOURCES}
    for wait in waits:
        for worth in wait.worth:
            told[WinSource(worth.source).name.lower()].append(NAMES[wait.card])
    return told


def _score_case(case: Case, game: CaseGame, scoring: Scoring) -> dict[str, Any]:
    return from_sheet(game, case, score(spec_of(case, scoring), scoring))


def _ting_case(case: Case, _: CaseGame, scoring: Scoring) -> dict[str, Any]:
    seat = _seat(case["seats"][0], scoring)
    check_seat(seat, 0, scoring)
    held = held_of(seat, scoring.deck)
    return {
        source.name.lower(): [NAMES[face] for face in waits(held, source, scoring)]
        for source in SOURCES
    }


def _zhi_ting_gang_case(case: Case, _: CaseGame, scoring: Scoring) -> list[str]:
    seat = _seat(case, scoring)
    drawn = _card(case["drawn"])
    check_seat(seat, drawn, scoring)
    held = held_of(seat, scoring.deck)
    return [NAMES[drawn]] if gang_keeps_waits(held, drawn, scoring.deck) else []


KINDS: dict[str, Callable[[Case, CaseGame, Scoring], Any]] = {
    "score": _score_case,
    "ting": _ting_case,
    "zhi_ting_gang": _zhi_ting_gang_case,
}
ORDERED = frozenset({"deltas", "H"})
"""Lists of an expectation whose order counts."""
WORDS = frozenset({
    "can_win", "reason", "items", "doubles", "raw", "rounded", "payer_amount", "H", "deltas",
    "own_draw", "discard",
})  # fmt: skip
"""Every key that an answer may have; an expectation may hold others, which are not compared."""


def run_case(game: CaseGame, case: Case) -> Any:
    """What the engine says to a case of one of `KINDS`.

    Raises CaseError, NotationError, OptionError, HandError for a case that is none."""
    return KINDS[case["kind"]](case, game, _scoring(game, case))
