"""Events → serialized `paiju.game.v1.Event`, in the form one reader may see.

Made once per event; the same bytes go to the log and to every seat (`protocol.md`). Equal tuples
of different kinds compare equal, so each kind has its own cache.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from libs.game import events as ev
from libs.game.codec import encode_event
from libs.game.view import AskedAbout, Formed, Reveal, Seen
from libs.wire import raw
from libs.wire.actions import about_open, prompt_bytes
from libs.wire.cards import meld_bytes

Maker = Callable[[Any, int, Any], bytes]
"""(event, cards left, extra) of a `Seen` → serialized Event."""

_FLAGS: dict[str, Callable[[bytes], bytes]] = {
    "barred": lambda seat: raw.message(13, seat + raw.data(2, b"chong_zhao")),
    "si_shou": lambda seat: raw.message(14, seat),
    "zhi_ting": lambda seat: raw.message(18, seat + raw.uint(2, 1)),
    "bao_liu_peng": lambda seat: raw.message(18, seat + raw.uint(2, 2)),
}
"""Public flags of seats; each is told in a kind of event of its own."""


def _started(e: ev.Started, left: int, extra: None) -> bytes:
    return raw.message(
        1,
        b"".join(
            (
                raw.uint(1, e.round_no),
                raw.uint(2, e.dealer),
                raw.uint(3, e.players),
                raw.uint(4, len(e.deck) - len(e.removed)),
                raw.uint(5, len(e.removed)),
                raw.data(6, e.commitment),
                raw.uint(7, e.release),
                raw.data(8, e.game.encode()),
            )
        ),
    )


@lru_cache(maxsize=65536)
def _fields(number: int, *values: int) -> bytes:
    """An event whose fields are numbers 1, 2, … in order."""
    return raw.message(number, b"".join([raw.uint(n, v) for n, v in enumerate(values, 1)]))


def _in_order(number: int) -> Maker:
    return lambda event, left, extra: _fields(number, *event)


def _dealt(e: ev.Dealt, left: int, extra: None) -> bytes:
    seat, cards = e
    return raw.message(2, raw.uint(1, seat) + raw.data(2, cards))


def _shown(e: ev.Shown, left: int, extra: None) -> bytes:
    return _fields(3, *e, left)


def _drew(e: ev.Drew, left: int, extra: None) -> bytes:
    seat, card, to_hand, tail, replacement, _ = e
    return _fields(5, seat, card, left, replacement, tail, to_hand)


def _melded(e: ev.Melded, left: int, extra: None) -> bytes:
    seat, meld, replaces, takes, beside = e
    body = raw.uint(1, seat) + raw.message(2, meld_bytes(meld))
    if replaces >= 0:
        body += raw.present(3, replaces)
    body += raw.messages(4, [meld_bytes(m) for m in beside]) + raw.uint(5, left)
    return raw.message(7, body + raw.uint(6, takes))


def _asked(e: ev.Asked, left: int, asked: AskedAbout) -> bytes:
    prompt = prompt_bytes(asked.prompt, about_open(asked.prompt, asked.open))
    return raw.message(10, raw.message(1, prompt))


def _closed(e: ev.Closed, left: int, extra: None) -> bytes:
    _, number, outcome, choice = e
    body = raw.uint(1, number) + raw.uint(2, outcome)
    return raw.message(11, body + raw.present(3, choice) if choice >= 0 else body)


def _returned(e: ev.Returned, left: int, extra: None) -> bytes:
    _, card, reason = e
    return raw.message(12, raw.uint(1, card) + raw.data(2, reason.encode()))


def _flagged(e: ev.Flagged, left: int, flag: str) -> bytes:
    return _FLAGS[flag](raw.uint(1, e.seat))


def _noted(e: ev.Noted, left: int, note: tuple[str, bytes]) -> bytes:
    code, cards = note
    return raw.message(22, raw.data(1, code.encode()) + raw.data(2, cards))


def _won(e: ev.Won, left: int, extra: None) -> bytes:
    seat, card, source, by, _, _ = e
    body = raw.uint(1, seat) + raw.uint(2, card) + raw.uint(3, source)
    return raw.message(15, body + raw.present(4, by) if by >= 0 else body)


def _piles_opened(e: ev.PilesOpened, left: int, piles: tuple[bytes, ...]) -> bytes:
    return raw.message(20, raw.messages(1, [raw.data(1, pile) for pile in piles]))


def _ended(e: ev.Ended, left: int, shown: Reveal) -> bytes:
    hands = [
        raw.data(1, hand) + raw.messages(2, [meld_bytes(meld) for meld in melds])
        for hand, melds in zip(shown.hands, shown.melds, strict=True)
    ]
    return raw.message(
        17,
        b"".join(
            (
                raw.uint(1, e.outcome),
                raw.messages(2, hands),
                raw.data(3, shown.wall),
                raw.data(4, shown.removed),
                raw.data(5, shown.seed),
                raw.data(6, shown.nonce),
            )
        ),
    )


_MAKERS: dict[type, Maker] = {
    ev.Started: _started,
    ev.Dealt: _dealt,
    ev.Shown: _shown,
    ev.Joined: _in_order(4),
    ev.Drew: _drew,
    ev.Discarded: _in_order(6),
    ev.Melded: _melded,
    ev.Unclaimed: _in_order(8),
    ev.Turn: _in_order(9),
    ev.Asked: _asked,
    ev.Closed: _closed,
    ev.Returned: _returned,
    ev.Noted: _noted,
    ev.Flagged: _flagged,
    ev.Won: _won,
    ev.Xing: _in_order(16),
    ev.Ended: _ended,
    ev.FlowerSet: _in_order(19),
    ev.PilesOpened: _piles_opened,
    ev.HaiLaoStarted: _in_order(21),
}


def event_bytes(seen: Seen) -> bytes:
    """Serialized Event of one reader's form."""
    event = seen[0]
    return _MAKERS[type(event)](event, seen[1], seen[2])


def records(events: Iterable[Formed]) -> list[bytes]:
    """Serialized `paiju.rules.v1.EventRecord`s. The records of all events travel together inside
    the last that is told: most events are told to nobody, and each part of a message costs."""
    made: list[bytes] = []
    record = []
    for event, public, private in events:
        record.append(encode_event(event))
        if private:
            body = b"".join([_seat_form(seat, seen) for seat, seen in private])
            made.append(body if public is None else raw.message(1, event_bytes(public)) + body)
        elif public is not None:
            made.append(raw.message(1, event_bytes(public)))
    whole = raw.message(3, b"".join(record))
    if made:
        made[-1] += whole
    else:
        made.append(whole)
    return made


def _seat_form(seat: int, seen: Seen) -> bytes:
    return raw.message(2, raw.uint(1, seat) + raw.message(2, event_bytes(seen)))
