"""Cards and melds ⇄ `paiju.game.v1.Card`, `Meld`. A card is the same number on both sides."""

from collections.abc import Iterable
from typing import Any

from paiju.game.v1 import card_pb2 as pb

from libs.game.engine import Refused
from libs.game.melds import Meld, MeldKind
from libs.wire import raw


def refuse(message: str, field: str) -> Refused:
    """A refusal of input that is no part of any game."""
    return Refused("BAD_REQUEST", message, field=field)


def as_enum(value: int | bytes) -> Any:
    """A number of the kernel, or the cards of some bytes, for an enum field: the stubs type those
    fields by name, the numbers are the same."""
    return value


def cards_of(cards: Iterable[int], field: str) -> bytes:
    """Cards of a repeated field; enums are open on the wire, so any number may come."""
    try:
        return bytes(cards)
    except ValueError:
        raise refuse("not a card", field) from None


def meld_bytes(meld: Meld) -> bytes:
    """Serialized Meld."""
    kind, cards, claimed, source, from_discard, steps = meld
    body = raw.uint(1, kind) + raw.data(2, cards)
    if claimed:
        body += raw.uint(3, claimed)
    if source >= 0:
        body += raw.present(4, source)
    if from_discard:
        body += b"\x28\x01"
    return body + raw.data(6, bytes(steps)) if steps else body


def meld_message(meld: Meld) -> pb.Meld:
    """A meld as a message, where speed does not matter."""
    return pb.Meld.FromString(meld_bytes(meld))


SIZES = {
    MeldKind.CHI: (3,),
    MeldKind.PENG: (3,),
    MeldKind.WEI: (3,),
    MeldKind.CHOU_WEI: (3,),
    MeldKind.PAO: (4,),
    MeldKind.TI: (4,),
    MeldKind.WAI: (3,),
    MeldKind.LIU: (4,),
    MeldKind.PIAO: (4,),
    MeldKind.AN_GANG: (4, 5),
    MeldKind.AN_GANG_YUAN: (4, 5),
    MeldKind.MING_GANG: (4, 5),
}
"""Numbers of cards that a meld of each kind may have."""


def meld_of(message: pb.Meld) -> Meld:
    """A meld written down. Raises Refused for one that cannot lie on a table."""
    try:
        kind, steps = MeldKind(message.kind), tuple(MeldKind(k) for k in message.steps)
    except ValueError:
        raise refuse("not a kind of meld", "melds") from None
    cards = cards_of(message.cards, "melds")
    alike = kind is MeldKind.CHI or len(set(cards)) == 1
    if len(cards) not in SIZES[kind] or not alike:
        raise refuse("a meld whose cards do not fit its kind", "melds")
    if message.claimed and message.claimed not in tuple(cards):
        raise refuse("the claimed card is not in the meld", "melds")
    source = message.source if message.HasField("source") else -1
    return Meld(kind, cards, message.claimed, source, message.from_discard, steps)
