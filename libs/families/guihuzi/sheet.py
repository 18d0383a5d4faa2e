"""The score sheet of a win: its lines, payments and deltas (G18, G23-G28, G31)."""

from collections.abc import Iterator
from itertools import chain

from libs.families.guihuzi.groups import split_groups
from libs.families.guihuzi.score import (
    WIN_KINDS,
    Candidate,
    Occasion,
    Scoring,
    Verdict,
    judge,
)
from libs.families.guihuzi.split import Concealed, check_hand, owned
from libs.game.cards import show
from libs.game.sheet import (
    HandError,
    HandSpec,
    Line,
    LineKind,
    Payment,
    SeatSheet,
    Sheet,
    Win,
    WinSource,
)

_FACTOR_LABELS = {
    "nei_yuan": ("内圆", "all four of", "G29"),
    "wai_yuan": ("外圆", "all four, one from another seat, of", "G29"),
    "hai_di": ("海底", "the last card of the wall", "G25"),
    "bao_ting": ("报听", "ready from the start, nothing discarded", "G26"),
}


NO_ITEMS = frozenset({"yingxi", "fixed_five", "kan_wai_liu"})
"""Codes of added lines that are no items of G24."""


def _small(best: Candidate, scoring: Scoring) -> Iterator[tuple[str, str, str, str, int]]:
    """What a 小胡 begins with (G23)."""
    if scoring.fixed_yingxi:
        yield "fixed_five", "五硬息", "every 小胡 counts as", "G23", scoring.fixed_yingxi
    else:
        yield "yingxi", "硬息", "硬息 of all 门子", "G20", best.yingxi


def _added(best: Candidate, scoring: Scoring) -> Iterator[tuple[str, str, str, str, int]]:
    """Everything that is added up before M: code, labels, clause, 息."""
    if best.items:
        yield from ((item.code, item.zh, item.en, item.clause, item.value) for item in best.items)
    else:
        yield from _small(best, scoring)
    if best.fives:
        worth = scoring.per_five * best.fives
        yield "kan_wai_liu", "坎歪溜", f"坎, 歪 or 溜: {best.fives}", "G23", worth


def _lines(best: Candidate, scoring: Scoring) -> Iterator[Line]:
    """The calculation of one amount, step by step."""
    total = 0
    for code, zh, en, clause, value in _added(best, scoring):
        total += value
        yield Line(code, zh, en, clause, LineKind.ADD, value, total)
    faces = chain(best.yuan.nei, best.yuan.wai)
    for code, value in best.factors:
        total *= value
        zh, en, clause = _FACTOR_LABELS[code]
        if code.endswith("yuan"):
            face = show([next(faces)])
            zh, en = f"{zh} {face}", f"{en} {face}"
        yield Line(code, zh, en, clause, LineKind.MULTIPLY, value, total)
    if best.amount < total:
        yield Line(
            "cap", "封顶", "bound of one amount", "G28", LineKind.CAP, scoring.cap, best.amount
        )


def _values(verdict: Verdict) -> dict[str, int]:
    """Named results, what counts in the amount."""
    best = verdict.best
    if verdict.reason or best is None:
        return {"yingxi": best.yingxi if best else 0, "payer_amount": 0}
    return {
        "yingxi": best.yingxi, "kan_wai_liu": best.fives, "nei_yuan": len(best.yuan.nei),
        "wai_yuan": len(best.yuan.wai), "factor": best.factor, "payer_amount": best.amount,
    }  # fmt: skip


def barred(win: Win, is_dealer: bool) -> str:
    """Why no hand could win this card; "" if one could (G18)."""
    if win.source not in WIN_KINDS:
        return "wall_only"
    return "not_dealer" if win.source is WinSource.DEAL and not is_dealer else ""


def occasion_of(spec: HandSpec, win: Win) -> Occasion:
    """The winner's hand of a spec. Raises HandError for an impossible one."""
    others = [seat for seat in range(spec.players) if seat != win.seat]
    seated = len(others) == spec.players - 1 and spec.dealer in range(spec.players)
    if not seated or len(spec.seats) != spec.players:
        raise HandError("winner, dealer and hands must fit the number of players")
    if win.source is WinSource.OTHER_DRAW and win.by not in others:
        raise HandError("`by` must be the other seat that drew the card")
    if (win.card == 0) != (win.source is WinSource.DEAL):
        raise HandError("a win names its card, a win on the deal names none")
    hand = spec.seats[win.seat]
    check_hand(hand.counts, hand.melds)
    concealed = Concealed(bytes(hand.counts), hand.melds)
    if win.card and owned(concealed, win.card) == 4:
        raise HandError("a card of which the seat owns all four cannot come")
    if hand.melds and not win.card:
        raise HandError("nothing lies on the table when the deal wins")
    return Occasion(concealed, win, win.seat == spec.dealer, bool(hand.facts.get("bao_ting")))


def score(spec: HandSpec, scoring: Scoring) -> Sheet:
    """The explained result of a round (G18-G31)."""
    win = spec.win
    nothing = (0,) * spec.players
    if win is None:
        return Sheet(False, "", -1, "liu_ju", (), (), nothing)
    kind = WIN_KINDS.get(win.source, "")
    reason = barred(win, win.seat == spec.dealer)
    if reason:
        return Sheet(False, reason, -1, kind, (), (), nothing)
    occasion = occasion_of(spec, win)
    verdict = judge(occasion, scoring)
    values = _values(verdict)
    seats = tuple(_seat_sheets(occasion, verdict, scoring))
    if verdict.reason:
        return Sheet(False, verdict.reason, -1, kind, seats, (), nothing, values)
    amount = values["payer_amount"]
    payers = [seat for seat in range(spec.players) if seat != win.seat]
    payments = tuple(Payment(payer, win.seat, amount, "G23") for payer in payers)
    deltas = [-amount] * spec.players
    deltas[win.seat] = amount * len(payers)
    return Sheet(True, "", win.seat, kind, seats, payments, tuple(deltas), values)


def _seat_sheets(occasion: Occasion, verdict: Verdict, scoring: Scoring) -> Iterator[SeatSheet]:
    """The winner's calculation; of a hand that does not win its nearest split without lines."""
    best = verdict.best
    if best is None:
        return
    groups = split_groups(occasion, best)
    won = not verdict.reason
    lines = tuple(_lines(best, scoring)) if won else ()
    yield SeatSheet(occasion.win.seat, groups, lines, best.yingxi, best.amount if won else 0)
