"""What services answer → the kernel's dataclasses: score sheets and waits, as a client reads."""

from collections.abc import Iterable

from paiju.game.v1 import sheet_pb2 as pb
from paiju.rules.v1 import rules_pb2

from libs.game.sheet import Group, Line, LineKind, Payment, SeatSheet, Sheet
from libs.game.variant import Wait, Worth


def _line(line: pb.SheetLine) -> Line:
    label, kind = line.label, LineKind(line.kind)
    return Line(line.code, label.zh, label.en, line.clause, kind, line.value, line.subtotal)


def _group(group: pb.SheetGroup) -> Group:
    cards = bytes(group.cards)
    return Group(group.kind, cards, group.points, group.clause, group.on_table, group.won)


def _seat(seat: pb.SeatSheet) -> SeatSheet:
    groups, lines = tuple(map(_group, seat.groups)), tuple(map(_line, seat.lines))
    return SeatSheet(seat.seat, groups, lines, seat.points, seat.amount)


def sheet_of(message: pb.ScoreSheet) -> Sheet:
    """An explained result."""
    return Sheet(
        can_win=message.can_win,
        reason=message.reason,
        winner=message.winner if message.HasField("winner") else -1,
        win_kind=message.win_kind,
        seats=tuple(map(_seat, message.seats)),
        payments=tuple(Payment(p.payer, p.payee, p.amount, p.clause) for p in message.payments),
        deltas=tuple(message.deltas),
        values=dict(message.values),
    )


def waits_of(messages: Iterable[rules_pb2.WaitsResponse.Wait]) -> tuple[Wait, ...]:
    """The faces that win; copies not yet seen are left out."""
    return tuple(
        Wait(wait.card, tuple(Worth(one.source, one.points, one.amount) for one in wait.worth))
        for wait in messages
    )
