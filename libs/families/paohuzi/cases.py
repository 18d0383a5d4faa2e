"""Worked cases of the family: a JSON object in, what the engine says out.

Kinds: `score`, `ting`, `chi` (fields as in the case files; unknown fields are ignored).
`case_form.py` refuses what is not of their form.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from libs.families.paohuzi.case_form import check_case
from libs.families.paohuzi.chi import chi_options
from libs.families.paohuzi.score import Scoring, score
from libs.families.paohuzi.shape import check_hand
from libs.families.paohuzi.split import Way
from libs.families.paohuzi.waits import SOURCES, Concealed, waits
from libs.game.cards import ZI_PAI, parse, show
from libs.game.melds import Meld, MeldKind
from libs.game.options import parse as parse_options
from libs.game.sheet import HandSpec, LineKind, SeatHand, Sheet, Win, WinSource
from libs.game.variant import Wait

Case = Mapping[str, Any]


@dataclass(frozen=True)
class CaseGame:
    """What the runner needs of a variant."""

    options: type
    scoring_for: Callable[[Any], Scoring]
    players: tuple[int, ...]
    """Numbers of seats (L1, Q1)."""


def counts_of(hand: str) -> bytes:
    """Count vector of a hand string."""
    return bytes(ZI_PAI.count(parse(hand)))


def meld_of(kind: str, cards: str) -> Meld:
    """A meld from its kind in pinyin and its cards."""
    return Meld(MeldKind[kind.upper()], bytes(parse(cards)))


def _melds(case: Case) -> tuple[Meld, ...]:
    return tuple(meld_of(meld["kind"], meld["cards"]) for meld in case.get("melds") or ())


def _seat(case: Case) -> SeatHand:
    return SeatHand(tuple(counts_of(case.get("hand") or "")), _melds(case))


def _card(text: str | None) -> int:
    return parse(text)[0] if text else 0


def _win(case: Case) -> Win:
    by = case.get("by")
    return Win(
        seat=case["seat"],
        card=_card(case.get("card")),
        source=WinSource[case["from"].upper()],
        by=-1 if by is None else by,
        last_card=bool(case.get("last_card")),
        first_discard=bool(case.get("first_discard")),
    )


def spec_of(case: Case, options: Any) -> HandSpec:
    """The hand of a `score` or `ting` case; the hand of a `ting` case is that of seat 0."""
    win = case.get("win")
    return HandSpec(
        options=options,
        players=case.get("players") or 3,
        dealer=case.get("dealer") or 0,
        seats=tuple(_seat(seat) for seat in case.get("seats", (case,))),
        win=_win(win) if win else None,
        wall_next=_card(case.get("wall_next")),
    )


def _options(game: CaseGame, case: Case) -> Any:
    """The options of a case of the right form. Raises CaseError, NotationError, OptionError."""
    check_case(case, game.players)
    return parse_options(game.options, case.get("options") or {})


def spec_of_case(game: CaseGame, case: Case) -> HandSpec:
    """The hand of a case under its options, to ask a running service about. Raises CaseError,
    NotationError, OptionError."""
    return spec_of(case, _options(game, case))


def from_sheet(_case: Case, sheet: Sheet) -> dict[str, Any]:
    """A score sheet in the words of a `score` case."""
    items = [
        [line.zh, line.value]
        for seat in sheet.seats
        for line in seat.lines
        if line.kind == LineKind.MULTIPLY and line.code != "unit"
    ]
    keys = ("huxi", "tun", "xing", "payer_amount")
    result = {"can_win": sheet.can_win, "items": items, "deltas": list(sheet.deltas)}
    result |= {key: sheet.values.get(key, 0) for key in keys}
    return result if sheet.can_win else result | {"reason": sheet.reason}


def from_waits(found: Iterable[Wait]) -> dict[str, list[str]]:
    """Waits in the words of a `ting` case."""
    told: dict[str, list[str]] = {way.name.lower(): [] for way in SOURCES}
    names = {WinSource[way.name]: way.name.lower() for way in SOURCES}
    for wait in found:
        for worth in wait.worth:
            told[names[WinSource(worth.source)]].append(show([wait.card]))
    return told


def _score_case(case: Case, options: Any, scoring: Scoring) -> dict[str, Any]:
    return from_sheet(case, score(spec_of(case, options), scoring))


def _ting_case(case: Case, options: Any, scoring: Scoring) -> dict[str, Any]:
    hand = Concealed(counts_of(case["hand"]), _melds(case))
    check_hand(hand.counts, hand.melds)
    ways = [way for way in SOURCES if way != Way.DISCARD or scoring.discard_wins]
    found = waits(hand, ways, scoring.hand)
    return {
        way.name.lower(): [show([card]) for card in sorted(found.get(way, ()))] for way in SOURCES
    }


def _chi_case(case: Case, options: Any, scoring: Scoring) -> list[dict[str, Any]]:
    counts, card = counts_of(case["hand"]), _card(case["card"])
    check_hand([n + (face == card) for face, n in enumerate(counts)], _melds(case))
    ways = chi_options(counts, card, scoring.hand.yi_wu_shi)
    return [{"group": show(way.group), "bi": [show(bi) for bi in way.bi]} for way in ways]


KINDS: dict[str, Callable[[Case, Any, Scoring], Any]] = {
    "score": _score_case,
    "ting": _ting_case,
    "chi": _chi_case,
}
ORDERED = frozenset({"items", "deltas"})
"""Lists of an expectation whose order counts (`items` in the order of L8, Q9)."""
WORDS = frozenset({
    "can_win", "reason", "huxi", "tun", "xing", "items", "payer_amount", "deltas", "own_draw",
    "other_draw", "discard",
})  # fmt: skip
"""Every key that an answer may have; an expectation may hold others, which are not compared."""


def run_case(game: CaseGame, case: Case) -> Any:
    """What the engine says to a case of one of `KINDS`. Raises CaseError, NotationError,
    OptionError, HandError."""
    options = _options(game, case)
    return KINDS[case["kind"]](case, options, game.scoring_for(options))
