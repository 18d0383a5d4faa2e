"""A reader's view of the table → `paiju.game.v1.Table`."""

from paiju.game.v1 import action_pb2, table_pb2

from libs.game.cards import HIDDEN
from libs.game.view import SeatView, TableView
from libs.wire.actions import prompt_bytes
from libs.wire.cards import as_enum, meld_message


def _seat(seat: SeatView) -> table_pb2.Table.Seat:
    return table_pb2.Table.Seat(
        hand=as_enum(seat.hand),
        melds=[meld_message(meld) for meld in seat.melds],
        pile=as_enum(seat.pile),
        flags=seat.flags,
        flowers=as_enum(seat.flowers),
    )


def prompt_message(view: TableView) -> action_pb2.Prompt | None:
    """The reader's open question, the same bytes as in its Prompted event."""
    if view.prompt is None:
        return None
    known = view.open is not None and view.open[0] != HIDDEN
    about = view.open[:2] if view.open is not None and known else None
    return action_pb2.Prompt.FromString(prompt_bytes(view.prompt, about))


def _open(view: TableView) -> table_pb2.Table.OpenCard | None:
    if view.open is None:
        return None
    card, seat, discarded = view.open
    return table_pb2.Table.OpenCard(card=as_enum(card), seat=seat, discarded=discarded)


def table_message(view: TableView) -> table_pb2.Table:
    """The table as one reader may see it."""
    return table_pb2.Table(
        game=view.game,
        round_no=view.round_no,
        dealer=view.dealer,
        wall_left=view.wall_left,
        seats=[_seat(seat) for seat in view.seats],
        open=_open(view),
        turn=view.turn if view.turn >= 0 else None,
        prompt=prompt_message(view),
        ended=view.ended,
        commitment=view.commitment,
        reader=view.reader if view.reader >= 0 else None,
        notes=[
            table_pb2.Table.Note(code=code, cards=as_enum(faces))
            for code, faces in view.notes
            if faces
        ],
    )
