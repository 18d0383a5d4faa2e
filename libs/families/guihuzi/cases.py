"""Worked cases of the family: a JSON object in, what the engine says out.

Kinds: `score`, `ting`, `grey`, `closed` (fields as in the case files; unknown ones are ignored).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from libs.families.guihuzi.closing import chi_groups, closed_by_pass, grey_after_chi
from libs.families.guihuzi.hints import winning_faces
from libs.families.guihuzi.score import Scoring, judge
from libs.families.guihuzi.sheet import occasion_of, score
from libs.families.guihuzi.split import Concealed
from libs.game.cards import ZI_PAI, parse, show
from libs.game.melds import Meld, MeldKind
from libs.game.options import parse as parse_options
from libs.game.sheet import HandSpec, SeatHand, Win, WinSource
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
    return Win(seat=case["seat"], card=_card(case["card"]),
               source=WinSource[case["from"].upper()], by=-1 if by is None else by,
               last_card=case["last_card"])


def spec_of(case: Case, options: Any) -> HandSpec:
    """The hand of a `score` case."""
    win = _win(case["win"])
    facts = {"bao_ting": int(case["bao_ting"])}
    seats = tuple(
        _seat(hand, seat, case["players"], facts if seat == win.seat else {})
        for seat, hand in enumerate(case["seats"])
    )
    return HandSpec(options, case["players"], case["dealer"], seats, win)


def _score_case(case: Case, options: Any, scoring: Scoring) -> dict[str, Any]:
    spec = spec_of(case, options)
    sheet = score(spec, scoring)
    if not sheet.can_win:
        return {"can_win": False, "reason": sheet.reason}
    assert spec.win is not None
    best = judge(occasion_of(spec, spec.win), scoring).best
    assert best is not None
    return {
        "can_win": True,
        "split": [[group.kind, show(group.cards)] for group in sheet.seats[0].groups],
        "items": [[item.zh, item.value] for item in best.items],
        "deltas": list(sheet.deltas),
        **sheet.values,
    }


def _ting_case(case: Case, options: Any, scoring: Scoring) -> dict[str, Any]:
    hand = Concealed(counts_of(case["hand"]), _melds(case, 0, 2))
    found = winning_faces(hand, scoring)
    return {source.name.lower(): [show([card]) for card in cards]
            for source, cards in found.items()}


def _grey_case(case: Case, options: Any, scoring: Scoring) -> list[str]:
    hand, card, pair = list(counts_of(case["hand"])), _card(case["eaten"]), parse(case["with"])
    for other in pair:
        hand[other] -= 1
    mask = grey_after_chi(hand, card, bytes(sorted((card, *pair))))
    return [show([face]) for face in faces(mask)]


def _closed_case(case: Case, options: Any, scoring: Scoring) -> list[str]:
    hand, card = counts_of(case["hand"]), _card(case["passed"])
    offered = hand[card] >= 2 or chi_groups(hand, card)
    return [show([face]) for face in faces(closed_by_pass(hand, card))] if offered else []


KINDS: dict[str, Callable[[Case, Any, Scoring], Any]] = {
    "score": _score_case, "ting": _ting_case, "grey": _grey_case, "closed": _closed_case,
}  # fmt: skip


def run_case(game: CaseGame, case: Case) -> Any:
    """What the engine says to a case of one of `KINDS`."""
    options = parse_options(game.options, case.get("options", {}))
    return KINDS[case["kind"]](case, options, game.scoring_for(options))
