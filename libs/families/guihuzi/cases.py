"""Worked cases of the family: a JSON object in, what the engine says out.

Kinds: `score`, `ting`, `grey`, `closed` (fields as in the case files; unknown ones are ignored).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from libs.families.guihuzi.closing import (
    chi_groups,
    closed_by_pass,
    grey_after_chi,
    grey_after_peng,
)
from libs.families.guihuzi.hints import SOURCES, hints
from libs.families.guihuzi.score import Scoring
from libs.families.guihuzi.sheet import NO_ITEMS, score
from libs.game.cards import ZI_PAI, parse, show
from libs.game.melds import Meld, MeldKind
from libs.game.options import parse as parse_options
from libs.game.sheet import HandSpec, LineKind, SeatHand, Sheet, Win, WinSource
from libs.game.variant import Wait
from libs.game.view import faces

Case = Mapping[str, Any]


@dataclass(frozen=True)
class CaseGame:
    """What the runner needs of a variant."""

    options: type
    scoring_for: Callable[[Any], Scoring]


def counts_of(hand: str) -> bytes:
    """Count vector of a hand string."""
    return bytes(ZI_PAI.count(parse(hand)))


def _card(text: str | None) -> int:
    return parse(text)[0] if text else 0


def meld_of(meld: Case, seat: int, players: int) -> Meld:
    """A meld; `taken` names the eaten card of a 吃 and whether it was the own draw (G29)."""
    kind, cards = MeldKind[meld["kind"].upper()], bytes(parse(meld["cards"]))
    taken = meld["taken"]
    if kind == MeldKind.CHI:
        claimed, origin = _card(taken["eaten"]), taken["from"]
    else:
        claimed, origin = cards[0], taken
    return Meld(kind, cards, claimed, seat if origin == "own" else (seat - 1) % players)


def _melds(case: Case, seat: int, players: int) -> tuple[Meld, ...]:
    return tuple(meld_of(meld, seat, players) for meld in case.get("melds", ()))


def _seat(case: Case, seat: int, players: int, facts: Mapping[str, int]) -> SeatHand:
    counts = tuple(counts_of(case.get("hand", "")))
    return SeatHand(counts, _melds(case, seat, players), facts)


def _win(case: Case) -> Win:
    by = case["by"]
    return Win(
        seat=case["seat"],
        card=_card(case["card"]),
        source=WinSource[case["from"].upper()],
        by=-1 if by is None else by,
        last_card=case["last_card"],
    )


def _score_spec(case: Case, options: Any) -> HandSpec:
    win = _win(case["win"])
    facts = {"bao_ting": int(case["bao_ting"])}
    seats = tuple(
        _seat(hand, seat, case["players"], facts if seat == win.seat else {})
        for seat, hand in enumerate(case["seats"])
    )
    return HandSpec(options, case["players"], case["dealer"], seats, win)


def _ting_spec(case: Case, options: Any) -> HandSpec:
    """The hand belongs to seat 0 of two, who is not the dealer."""
    seats = (_seat(case, 0, 2, {}), SeatHand((0,) * ZI_PAI.width))
    return HandSpec(options, 2, 1, seats, None)


_SPECS = {"score": _score_spec, "ting": _ting_spec}


def spec_of_case(game: CaseGame, case: Case) -> HandSpec:
    """The hand of a `score` or `ting` case. Raises OptionError."""
    options = parse_options(game.options, case.get("options", {}))
    return _SPECS[case["kind"]](case, options)


def from_sheet(sheet: Sheet) -> dict[str, Any]:
    """A sheet in the words of a `score` case; the items are lines of their own."""
    if not sheet.can_win:
        return {"can_win": False, "reason": sheet.reason}
    (seat,) = sheet.seats
    added = [line for line in seat.lines if line.kind == LineKind.ADD]
    return {
        "can_win": True,
        "split": [[group.kind, show(group.cards)] for group in seat.groups],
        "items": [[line.zh, line.value] for line in added if line.code not in NO_ITEMS],
        "deltas": list(sheet.deltas),
        **sheet.values,
    }


def from_waits(waits: Iterable[Wait]) -> dict[str, list[str]]:
    """Waits in the words of a `ting` case."""
    return {
        source.name.lower(): [
            show([wait.card]) for wait in waits if source in [worth.source for worth in wait.worth]
        ]
        for source in SOURCES
    }


def _score_case(game: CaseGame, case: Case) -> dict[str, Any]:
    spec = spec_of_case(game, case)
    return from_sheet(score(spec, game.scoring_for(spec.options)))


def _ting_case(game: CaseGame, case: Case) -> dict[str, list[str]]:
    return from_waits(hints(game.scoring_for)(spec_of_case(game, case), 0))


def _grey_case(game: CaseGame, case: Case) -> list[str]:
    """After a 吃, or after a 碰 if the two hand cards equal the taken one (G13)."""
    hand, card, pair = list(counts_of(case["hand"])), _card(case["eaten"]), parse(case["with"])
    for other in pair:
        hand[other] -= 1
    group = bytes(sorted((card, *pair)))
    peng = group.count(card) == len(group)
    mask = grey_after_peng(hand, card) if peng else grey_after_chi(hand, card, group)
    return [show([face]) for face in faces(mask)]


def _closed_case(game: CaseGame, case: Case) -> list[str]:
    hand, card = counts_of(case["hand"]), _card(case["passed"])
    offered = hand[card] >= 2 or chi_groups(hand, card)
    return [show([face]) for face in faces(closed_by_pass(hand, card))] if offered else []


KINDS: dict[str, Callable[[CaseGame, Case], Any]] = {
    "score": _score_case, "ting": _ting_case, "grey": _grey_case, "closed": _closed_case,
}  # fmt: skip
ORDERED = frozenset({"items", "deltas"})
"""Lists of an expectation whose order counts (`items` in the order of G24)."""


def run_case(game: CaseGame, case: Case) -> Any:
    """What the engine says to a case of one of `KINDS`."""
    return KINDS[case["kind"]](game, case)
