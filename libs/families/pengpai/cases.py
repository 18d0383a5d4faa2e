"""Worked cases of the family: a JSON object in, what the engine says out.

Kinds: `score`, `ting`, `zhi_ting_gang` (fields as in the case files; unknown ones are ignored).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from libs.families.pengpai.hand import ANNOUNCED, DECLINED, HAI_LAO, NOT_ASKED, Held
from libs.families.pengpai.judge import Scoring, judge, waits
from libs.families.pengpai.points import OPEN_KINDS
from libs.families.pengpai.score import held_of, score, situation_of
from libs.families.pengpai.shape import gang_keeps_waits
from libs.game.cards import NAMES, parse
from libs.game.melds import Meld, MeldKind
from libs.game.options import parse as parse_options
from libs.game.sheet import Group, HandSpec, SeatHand, Sheet, Win, WinSource

Case = Mapping[str, Any]
Item = list[Any]
BAO = {None: NOT_ASKED, "yes": ANNOUNCED, "no": DECLINED}


@dataclass(frozen=True)
class CaseGame:
    """What the runner needs of a variant. `each_settles`: every pair of seats pays (X16)."""

    options: type
    scoring_for: Callable[[Any], Scoring]
    each_settles: bool = False


def meld_of(case: Case) -> Meld:
    """A meld of a case; the steps of five cards become the kind they were before (X8)."""
    cards = bytes(parse(case["cards"]))
    kind = MeldKind[case["kind"].upper()]
    steps = case.get("steps", ())
    before = (MeldKind[steps[0].upper()],) if len(steps) > 1 else ()
    return Meld(kind, cards, cards[0] if kind in OPEN_KINDS else 0, steps=before)


def _seat(case: Case, scoring: Scoring) -> SeatHand:
    facts = {
        "flowers": case.get("flowers", 0),
        "zhi_ting": int(case.get("zhi_ting", False)),
        "bao_liu_peng": BAO[case.get("bao_liu_peng")],
    }
    melds = tuple(meld_of(meld) for meld in case.get("melds", ()))
    return SeatHand(tuple(scoring.deck.count(parse(case.get("hand", "")))), melds, facts)


def _card(text: str | None) -> int:
    return parse(text)[0] if text else 0


def _win(case: Case) -> Win:
    by = case.get("by")
    source = WinSource[case["from"].upper()]
    return Win(case["seat"], _card(case.get("card")), source, -1 if by is None else by)


def spec_of(case: Case, options: Any, scoring: Scoring) -> HandSpec:
    """The hands of a `score` case; a case may list the winner only."""
    seats = [SeatHand() for _ in range(case["players"])]
    for at, seat in enumerate(case["seats"]):
        seats[seat.get("seat", at)] = _seat(seat, scoring)
    win = _win(case["win"]) if case.get("win") else None
    if win and case["win"].get("hai_lao"):
        winner = seats[win.seat]
        facts = {**winner.facts, HAI_LAO: 1}
        seats[win.seat] = SeatHand(winner.counts, winner.melds, facts)
    return HandSpec(options, case["players"], case["dealer"], tuple(seats), win)


def _group_item(group: Group) -> Item:
    return [f"{group.kind}:{NAMES[group.cards[0]]}", group.points]


def _meld_name(case: Case) -> str:
    """`an_gang_yuan:S9`; five cards by their steps."""
    kind = "+".join(case["steps"]) if case.get("steps") else case["kind"]
    return f"{kind}:{case['cards'].split()[0]}"


def _items(case: Case, spec: HandSpec, sheet: Sheet, scoring: Scoring) -> Iterator[Item]:
    """What counts: melds and triples of the winner, then the other items."""
    assert spec.win is not None
    winner = next(seat for seat in sheet.seats if seat.seat == spec.win.seat)
    written = next(
        seat for at, seat in enumerate(case["seats"]) if seat.get("seat", at) == spec.win.seat
    )
    laid = [group for group in winner.groups if group.on_table]
    for meld, group in zip(written.get("melds", ()), laid, strict=True):
        yield [_meld_name(meld), group.points]
    yield from (_group_item(group) for group in winner.groups[len(laid) :] if group.points)
    best = judge(situation_of(spec, spec.win, scoring)).best
    assert best is not None
    yield from ([code, value] for code, value in best.items)


def _score_case(case: Case, game: CaseGame, scoring: Scoring) -> dict[str, Any]:
    spec = spec_of(case, scoring.options, scoring)
    sheet = score(spec, scoring)
    result: dict[str, Any] = {"can_win": sheet.can_win, "deltas": list(sheet.deltas)}
    if game.each_settles:
        result["H"] = [seat.amount for seat in sheet.seats]
    if not sheet.can_win:
        return result | {"reason": sheet.reason or sheet.win_kind}
    doubles = [key.removeprefix("double_") for key in sheet.values if key.startswith("double_")]
    result |= {
        "items": list(_items(case, spec, sheet, scoring)),
        "doubles": doubles,
        "raw": sheet.values["raw"],
    }
    if not game.each_settles:
        result |= {"rounded": sheet.values["rounded"], "payer_amount": sheet.payments[0].amount}
    return result


def _ting_case(case: Case, _: CaseGame, scoring: Scoring) -> dict[str, Any]:
    held = held_of(_seat(case["seats"][0], scoring), scoring.deck)
    return {
        source.name.lower(): [NAMES[face] for face in waits(held, source, scoring)]
        for source in (WinSource.OWN_DRAW, WinSource.DISCARD)
    }


def _zhi_ting_gang_case(case: Case, _: CaseGame, scoring: Scoring) -> list[str]:
    melds = tuple(meld_of(meld) for meld in case.get("melds", ()))
    held = Held(bytes(scoring.deck.count(parse(case["hand"]))), melds)
    drawn = _card(case["drawn"])
    return [NAMES[drawn]] if gang_keeps_waits(held, drawn, scoring.deck) else []


KINDS: dict[str, Callable[[Case, CaseGame, Scoring], Any]] = {
    "score": _score_case,
    "ting": _ting_case,
    "zhi_ting_gang": _zhi_ting_gang_case,
}


def run_case(game: CaseGame, case: Case) -> Any:
    """What the engine says to a case of one of `KINDS`."""
    options = parse_options(game.options, case.get("options", {}))
    return KINDS[case["kind"]](case, game, game.scoring_for(options))
