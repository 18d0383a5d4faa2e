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
from libs.families.guihuzi.points import CHI_GROUPS, LAID
from libs.families.guihuzi.score import Scoring
from libs.families.guihuzi.sheet import NO_ITEMS, score
from libs.families.guihuzi.split import check_hand
from libs.game.cards import ZI_PAI, parse, show
from libs.game.melds import Meld, MeldKind
from libs.game.options import parse as parse_options
from libs.game.sheet import HandError, HandSpec, LineKind, SeatHand, Sheet, Win, WinSource
from libs.game.variant import Wait
from libs.game.view import faces

Case = Mapping[str, Any]


@dataclass(frozen=True)
class CaseGame:
    """What the runner needs of a variant."""

    options: type
    scoring_for: Callable[[Any], Scoring]


_PLAYERS = (2, 3)
"""G1."""
_TAKEN_FROM = {
    MeldKind.PENG: "other", MeldKind.PIAO: "other", MeldKind.WAI: "own", MeldKind.LIU: "own",
}  # fmt: skip
"""Where the claimed card of a meld of equal cards comes from (G7, G9, G10, G11)."""


def counts_of(hand: str) -> bytes:
    """Count vector of a hand string. Raises HandError for something else, NotationError."""
    if not isinstance(hand, str):
        raise HandError(f"a hand is a string of faces, not {hand!r}")
    return bytes(ZI_PAI.count(parse(hand)))


def _card(text: str) -> int:
    """The card of a string that names one."""
    cards = parse(text) if isinstance(text, str) else ()
    if len(cards) != 1:
        raise HandError(f"one card must be named, not {text!r}")
    return cards[0]


def _laid(kind: str, cards: str) -> tuple[MeldKind, bytes]:
    """Kind and cards of a meld of this game."""
    name, group = kind.upper(), bytes(parse(cards))
    if name not in MeldKind.__members__ or (MeldKind[name], group) not in LAID:
        raise HandError(f"no {kind} is made of {show(group) or 'no cards'}")
    return MeldKind[name], group


def _eaten(taken: Case, cards: bytes) -> tuple[int, str]:
    """The eaten card of a 吃 and where it came from."""
    eaten, origin = _card(taken["eaten"]), taken["from"]
    if eaten not in cards or origin not in ("own", "other"):
        raise HandError(f"`eaten` must be a card of {show(cards)}, `from` own or other")
    return eaten, origin


def meld_of(meld: Case, seat: int, players: int) -> Meld:
    """A meld; `taken` names the eaten card of a 吃 and whether it was the own draw (G29). Raises
    HandError for one that no play could lay."""
    kind, cards = _laid(meld["kind"], meld["cards"])
    if kind == MeldKind.CHI:
        claimed, origin = _eaten(meld["taken"], cards)
    else:
        claimed, origin = cards[0], meld["taken"]
        if origin != _TAKEN_FROM[kind]:
            raise HandError(f"the card of a {meld['kind']} is taken from {_TAKEN_FROM[kind]}")
    return Meld(kind, cards, claimed, seat if origin == "own" else (seat - 1) % players)


def _melds(case: Case, seat: int, players: int) -> tuple[Meld, ...]:
    return tuple(meld_of(meld, seat, players) for meld in case.get("melds") or ())


def _seat(case: Case, seat: int, players: int, facts: Mapping[str, int]) -> SeatHand:
    counts = tuple(counts_of(case.get("hand", "")))
    return SeatHand(counts, _melds(case, seat, players), facts)


def _source(name: str) -> WinSource:
    if name.upper() not in WinSource.__members__:
        raise HandError(f"no card comes from {name}")
    return WinSource[name.upper()]


def _win(case: Case) -> Win:
    seat, by, source = case["seat"], case["by"], _source(case["from"])
    if source is WinSource.OWN_DRAW and by not in (None, seat):
        raise HandError("`by` must be the winner, who drew the card")
    card = 0 if case["card"] is None else _card(case["card"])
    if by is None:
        by = seat if source is WinSource.OWN_DRAW else -1
    return Win(seat, card, source, by, case["last_card"])


def _score_spec(case: Case, options: Any) -> HandSpec:
    if case["players"] not in _PLAYERS:
        raise HandError("two or three play")
    win = _win(case["win"])
    facts = {"bao_ting": int(case["bao_ting"])}
    seats = tuple(
        _seat(hand, seat, case["players"], facts if seat == win.seat else {})
        for seat, hand in enumerate(case["seats"])
    )
    return HandSpec(options, case["players"], case["dealer"], seats, win)


def _ting_spec(case: Case, options: Any) -> HandSpec:
    """The hand belongs to seat 0 of two, who is not the dealer."""
    hand = SeatHand(tuple(counts_of(case["hand"])), _melds(case, 0, 2))
    seats = (hand, SeatHand((0,) * ZI_PAI.width))
    return HandSpec(options, 2, 1, seats, None)


_SPECS = {"score": _score_spec, "ting": _ting_spec}


def spec_of_case(game: CaseGame, case: Case) -> HandSpec:
    """The hand of a `score` or `ting` case. Raises OptionError, HandError, NotationError and,
    where a field is missing, KeyError."""
    options = parse_options(game.options, case.get("options") or {})
    return _SPECS[case["kind"]](case, options)


def from_sheet(_case: Case, sheet: Sheet) -> dict[str, Any]:
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
    return from_sheet(case, score(spec, game.scoring_for(spec.options)))


def _ting_case(game: CaseGame, case: Case) -> dict[str, list[str]]:
    return from_waits(hints(game.scoring_for)(spec_of_case(game, case), 0))


def _beside(case: Case, key: str) -> bytes:
    """The hand of a case beside another card, which is none of it."""
    hand = counts_of(case["hand"])
    card = _card(case[key])
    check_hand([held + (face == card) for face, held in enumerate(hand)], ())
    return hand


def _grey_case(game: CaseGame, case: Case) -> list[str]:
    """After a 吃, or after a 碰 if the two hand cards equal the taken one (G13)."""
    before, card, pair = _beside(case, "eaten"), _card(case["eaten"]), counts_of(case["with"])
    group = bytes(sorted((card, *parse(case["with"]))))
    peng = group == bytes((card,)) * 3
    if not peng and group not in CHI_GROUPS:
        raise HandError(f"nothing is made of {show(group)}")
    hand = [held - laid for held, laid in zip(before, pair, strict=True)]
    if min(hand) < 0:
        raise HandError(f"the hand does not hold {case['with']}")
    mask = grey_after_peng(hand, card) if peng else grey_after_chi(hand, card, group)
    return [show([face]) for face in faces(mask)]


def _closed_case(game: CaseGame, case: Case) -> list[str]:
    hand, card = _beside(case, "passed"), _card(case["passed"])
    offered = hand[card] >= 2 or chi_groups(hand, card)
    return [show([face]) for face in faces(closed_by_pass(hand, card))] if offered else []


KINDS: dict[str, Callable[[CaseGame, Case], Any]] = {
    "score": _score_case, "ting": _ting_case, "grey": _grey_case, "closed": _closed_case,
}  # fmt: skip
ORDERED = frozenset({"items", "deltas"})
"""Lists of an expectation whose order counts (`items` in the order of G24)."""
WORDS = frozenset({
    "can_win", "reason", "yingxi", "split", "items", "kan_wai_liu", "nei_yuan", "wai_yuan",
    "factor", "payer_amount", "deltas", "own_draw", "other_draw",
})  # fmt: skip
"""Every key that an answer may have; an expectation may hold others, which are not compared."""


def run_case(game: CaseGame, case: Case) -> Any:
    """What the engine says to a case of one of `KINDS`."""
    return KINDS[case["kind"]](game, case)
