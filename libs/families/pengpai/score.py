"""The score sheet of a round: groups, lines in order, payments (J14-J33, X7-X18)."""

from collections.abc import Iterable, Mapping, Sequence

from libs.families.pengpai.check import check_seat
from libs.families.pengpai.groups import hand_groups
from libs.families.pengpai.hand import Held
from libs.families.pengpai.judge import (
    Appraisal,
    Scoring,
    Situation,
    Step,
    Verdict,
    judge,
)
from libs.game.cards import Deck
from libs.game.sheet import (
    HandError,
    HandSpec,
    Line,
    LineKind,
    Payment,
    SeatHand,
    SeatSheet,
    Sheet,
    Win,
    WinSource,
)
from libs.game.variant import Term


def lines_of(verdict: Verdict, points: int) -> tuple[Line, ...]:
    """The calculation of a win, step by step: components, rounding, doublings, cap."""
    scoring, best = verdict.at.scoring, verdict.best
    assert best is not None
    steps = [Step("pai_xing", LineKind.ADD, points)]
    steps += [Step(code, LineKind.ADD, value) for code, value in best.items]
    return run_steps((*steps, *scoring.steps(best)), scoring.terms)


def run_steps(steps: Iterable[Step], terms: Mapping[str, Term]) -> tuple[Line, ...]:
    """Lines with their running amounts; ROUND and CAP replace the amount."""
    total, lines = 0, []
    for code, kind, value in steps:
        if kind is LineKind.ADD:
            total += value
        elif kind is LineKind.MULTIPLY:
            total *= value
        else:
            total = value
        _, zh, en, clause = terms[code]
        lines.append(Line(code, zh, en, clause, kind, value, total))
    return tuple(lines)


def seat_sheet(seat: int, verdict: Verdict) -> SeatSheet:
    """The winner's calculation; of a hand that may not win its best split without lines."""
    at, best = verdict.at, verdict.best
    assert best is not None
    assert verdict.placed is not None
    groups = hand_groups(at, verdict.placed)
    points = sum(group.points for group in groups)
    if verdict.reason:
        return SeatSheet(seat, groups, (), best.raw, 0)
    lines = lines_of(verdict, points)
    return SeatSheet(seat, groups, lines, best.raw, lines[-1].subtotal)


def held_of(hand: SeatHand, deck: Deck) -> Held:
    """The hand of a spec."""
    counts = bytes(hand.counts)
    return Held(counts + bytes(deck.width - len(counts)), hand.melds, hand.facts)


def situation_of(spec: HandSpec, win: Win, scoring: Scoring) -> Situation:
    """The winner's hand of a spec. Raises HandError for an impossible one."""
    others = [seat for seat in range(spec.players) if seat != win.seat]
    if len(others) != spec.players - 1 or len(spec.seats) != spec.players:
        raise HandError("the winner and the hands must fit the number of players")
    if win.source is WinSource.DISCARD and win.by not in others:
        raise HandError("`by` must be the other seat that discarded the card")
    if win.source not in (WinSource.OWN_DRAW, WinSource.DISCARD, WinSource.DEAL):
        raise HandError("a card is drawn by its winner or discarded")
    if (win.source is WinSource.DEAL) != (win.card == 0):
        raise HandError("a win has a card, the one on the deal has none")
    if win.source is WinSource.DEAL and win.seat != spec.dealer:
        raise HandError("only the dealer wins on the deal")
    for seat, hand in enumerate(spec.seats):
        check_seat(hand, win.card if seat == win.seat else 0, scoring)
    held = held_of(spec.seats[win.seat], scoring.deck)
    return Situation(held, win.card, win.source, scoring)


def win_kind(win: Win, scoring: Scoring) -> str:
    """自摸, 点炮, or the dealer's win on the deal."""
    if win.source is WinSource.DISCARD:
        return "dian_pao"
    on_deal = win.source is WinSource.DEAL and "tian_hu" in scoring.terms
    return "tian_hu" if on_deal else "zi_mo"


def deltas_of(players: int, payments: Sequence[Payment]) -> tuple[int, ...]:
    """What every seat gains, zero together."""
    deltas = [0] * players
    for payer, payee, amount, _ in payments:
        deltas[payer] -= amount
        deltas[payee] += amount
    return tuple(deltas)


def _values(best: Appraisal) -> dict[str, int]:
    """Named results for explain and tests; a doubling that counts is a key of its own."""
    values = {"raw": best.raw, "rounded": best.rounded, "hu": best.capped}
    return values | {f"double_{code}": 2 for code in best.doubles}


def score(spec: HandSpec, scoring: Scoring) -> Sheet:
    """The explained result of a round (J12-J33, X7-X18)."""
    win = spec.win
    if win is None:
        for hand in spec.seats:
            check_seat(hand, 0, scoring)
        seats, payments = scoring.settle(spec, None)
        deltas = deltas_of(spec.players, payments)
        return Sheet(False, "", -1, "liu_ju", seats, payments, deltas)
    verdict = judge(situation_of(spec, win, scoring))
    kind = win_kind(win, scoring)
    if verdict.best is None or verdict.reason:
        known = () if verdict.best is None else (seat_sheet(win.seat, verdict),)
        return Sheet(False, verdict.reason, -1, kind, known, (), (0,) * spec.players)
    seats, payments = scoring.settle(spec, verdict)
    deltas = deltas_of(spec.players, payments)
    return Sheet(True, "", win.seat, kind, seats, payments, deltas, _values(verdict.best))
