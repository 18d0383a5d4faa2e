"""What a reader may know of an event, said by the rules' pages and not by the engine's views.

`Told` pairs the bytes that a reader receives with the fact it may learn from them; the test of
non-interference compares the bytes wherever the facts agree. A fact of None is about the reader's
own questions: they follow from what it knows, so they may never differ by themselves.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from libs.game import events as ev
from libs.game.actions import PromptClass
from libs.game.melds import Meld, MeldKind
from libs.game.state import ALL_SEATS
from libs.game.view import AskedAbout, Formed
from libs.wire.events import event_bytes

SPECTATOR = -1
PRIVATE = (ev.Asked, ev.Closed, ev.Returned, ev.Noted)
CARD_EVENTS = (ev.Shown, ev.Drew, ev.Discarded, ev.Melded, ev.Joined)


class Due(NamedTuple):
    """The deadline of a discard, which match tells to all (M4)."""

    seat: int


class Told(NamedTuple):
    """One event as one reader got it."""

    data: bytes
    event: ev.Event | Due
    fact: Any
    card_no: int
    """Number of card events before it in the round: the same moment in both worlds."""
    at: int = 0
    """When, in pauses, if everybody answers at once (M4: `claim_pause_ms`)."""

    @property
    def kind(self) -> type:
        """Kind of the event."""
        return type(self.event)


AN_GANGS = (MeldKind.AN_GANG, MeldKind.AN_GANG_YUAN)
HIDE_AN_GANG = ("libs.variants.shashaer.options",)
"""Modules of the options of games whose 暗杠 shows no face (X4)."""


def is_secret(options: Any, meld: Meld) -> bool:
    """A plain 偎 is hidden from the others unless the room shows it (Z11); a 歪 or 溜 is if the
    room plays 暗歪溜 (G17); a 暗杠 is where none of its faces is shown (X4)."""
    if meld.kind in AN_GANGS:
        return type(options).__module__ in HIDE_AN_GANG
    if meld.kind in (MeldKind.WAI, MeldKind.LIU):
        return bool(getattr(options, "an_wai_liu", False))
    return meld.kind == MeldKind.WEI and not getattr(options, "ming_wei", False)


def facts(options: Any, events: Sequence[ev.Event], reader: int) -> Iterator[Any]:
    """Per event, what the reader may learn from it (Z8, Z11, M9)."""
    for at, event in enumerate(events):
        match event:
            case ev.Dealt(seat=seat, cards=cards) if seat != reader:
                yield "dealt", seat, len(cards)
            case ev.Drew(seat=seat, to_hand=to_hand) if seat != reader:
                laid = next((e for e in events[at:] if isinstance(e, ev.Melded)), None)
                own = laid if laid and laid.seat == seat and laid.takes else None
                hidden = to_hand or (own and is_secret(options, own.meld))
                if getattr(options, "an_wai_liu", False):
                    # That the drawer could 歪 or 溜 is told; which face it is comes later (G17).
                    hidden = hidden or event.seen != ALL_SEATS
                yield "drew", seat, 0 if hidden else event.card, to_hand, event.tail
            case ev.Melded(seat=seat, meld=meld) if seat != reader and is_secret(options, meld):
                # 原起 or not is part of what a 暗杠 hides; how many backs it has is not (X4).
                kind = MeldKind.AN_GANG if meld.kind in AN_GANGS else meld.kind
                yield "melded", seat, int(kind), event.replaces, len(meld.cards)
            case ev.Asked() | ev.Closed() | ev.Noted() | ev.Started():
                yield None
            case ev.Drew():
                yield event[:-1]
            case ev.Won():
                yield ("won", *event[:4])
            case ev.Ended():
                yield "ended", object()  # everything is shown: worlds part here at the latest
            case _:
                yield type(event).__name__, *event


def heard(
    options: Any, events: Sequence[Formed], reader: int, card_no: int, at: int = 0
) -> list[Told]:
    """What a reader receives of a step's events."""
    told = []
    for formed, fact in zip(events, facts(options, [f.event for f in events], reader), strict=True):
        event = formed.event
        seen = dict(formed.private).get(reader, formed.public)
        if seen is not None:
            data = event_bytes(seen)
            if isinstance(seen.extra, AskedAbout):
                data += bytes((seen.extra.prompt.auto,))
            told.append(Told(data, event, fact, card_no, at))
        elif isinstance(event, ev.Asked) and event.cls == PromptClass.DISCARD:
            due = Due(event.seat)
            if not event.continues:
                told.append(Told(b"due%d" % due.seat, due, ("due", *due), card_no, at))
        card_no += isinstance(event, CARD_EVENTS)
    return told


def first_difference(a: Sequence[Told], b: Sequence[Told]) -> int:
    """Where two readers' streams part, in what they say or when; -1: one begins the other."""
    for at, (x, y) in enumerate(zip(a, b, strict=False)):
        if (x.data, x.at) != (y.data, y.at):
            return at
    return -1


def next_fact(told: Sequence[Told], at: int) -> Any:
    """The first public fact from there on; None: none yet."""
    for one in told[at:]:
        if one.kind not in PRIVATE:
            return one.fact
    return None
