"""Score sheets → `paiju.game.v1.ScoreSheet`; waits → `paiju.rules.v1.WaitsResponse.Wait`."""

from collections.abc import Sequence
from typing import NamedTuple

from paiju.game.v1 import sheet_pb2 as pb
from paiju.rules.v1 import rules_pb2

from libs.game.sheet import Group, Line, SeatSheet, Sheet, Win
from libs.game.variant import Variant, Wait
from libs.wire.cards import as_enum
from libs.wire.options import label


class Heading(NamedTuple):
    """What a sheet is about: the game, the round (0: a written hand), the win."""

    variant: Variant
    round_no: int
    win: Win | None


def line_message(line: Line) -> pb.SheetLine:
    """One step of a calculation."""
    return pb.SheetLine(
        code=line.code,
        label=label(line.zh, line.en),
        clause=line.clause,
        kind=as_enum(line.kind),
        value=line.value,
        subtotal=line.subtotal,
    )


def _group(group: Group) -> pb.SheetGroup:
    return pb.SheetGroup(
        kind=group.kind,
        cards=as_enum(group.cards),
        points=group.points,
        clause=group.clause,
        on_table=group.on_table,
        won=group.won,
    )


def _seat(seat: SeatSheet) -> pb.SeatSheet:
    return pb.SeatSheet(
        seat=seat.seat,
        groups=[_group(group) for group in seat.groups],
        lines=[line_message(line) for line in seat.lines],
        points=seat.points,
        amount=seat.amount,
    )


def sheet_message(sheet: Sheet, heading: Heading) -> pb.ScoreSheet:
    """An explained result."""
    variant, round_no, win = heading
    return pb.ScoreSheet(
        game=variant.game,
        release=variant.release,
        round_no=round_no,
        can_win=sheet.can_win,
        reason=sheet.reason,
        winner=sheet.winner if sheet.winner >= 0 else None,
        win_kind=sheet.win_kind,
        win_card=as_enum(win.card if win else 0),
        source=as_enum(win.source if win else 0),
        seats=[_seat(seat) for seat in sheet.seats],
        payments=[
            pb.Payment(payer=p.payer, payee=p.payee, amount=p.amount, clause=p.clause)
            for p in sheet.payments
        ],
        deltas=sheet.deltas,
        values=dict(sheet.values),
    )


def wait_message(wait: Wait, unseen: Sequence[int]) -> rules_pb2.WaitsResponse.Wait:
    """A face that wins; `unseen` are the copies not seen yet, by face."""
    return rules_pb2.WaitsResponse.Wait(
        card=as_enum(wait.card),
        unseen=unseen[wait.card],
        worth=[
            rules_pb2.WaitsResponse.Worth(source=as_enum(source), points=points, amount=amount)
            for source, points, amount in wait.worth
        ],
    )


def after_discard_message(
    discard: int, waits: Sequence[Wait], unseen: Sequence[int]
) -> rules_pb2.WaitsResponse.AfterDiscard:
    """The waits that a discard leaves."""
    return rules_pb2.WaitsResponse.AfterDiscard(
        discard=as_enum(discard),
        waits=[wait_message(wait, unseen) for wait in waits],
    )
