"""Hands written down ⇄ `paiju.game.v1.HandSpec`. What cannot lie on a table is refused here, so
that scoring may rely on it."""

from collections.abc import Iterable, Mapping

from paiju.game.v1 import sheet_pb2 as pb

from libs.game.cards import NotationError, expand
from libs.game.engine import Refused, check_players
from libs.game.sheet import HandSpec, SeatHand, Win, WinSource
from libs.game.variant import Variant
from libs.wire.cards import as_enum, cards_of, meld_message, meld_of, refuse
from libs.wire.options import options_message, options_of


def _counts(variant: Variant, cards: Iterable[int], field: str) -> list[int]:
    try:
        return variant.deck.count(cards_of(cards, field))
    except NotationError:
        raise refuse("not a card of this deck", field) from None


def _check_facts(variant: Variant, facts: Mapping[str, int]) -> None:
    """Facts of other games are passed over: a client may tell all that it sees on its table."""
    for key, most in variant.facts.items():
        if not 0 <= facts.get(key, 0) <= most:
            raise Refused("BAD_REQUEST", "a fact", field="facts", allowed=f"{key} 0 to {most}")


def _seat(variant: Variant, message: pb.SpecSeat) -> SeatHand:
    _check_facts(variant, message.facts)
    return SeatHand(
        tuple(_counts(variant, message.hand, "hand")),
        tuple(meld_of(meld) for meld in message.melds),
        dict(message.facts),
    )


def _win(message: pb.SpecWin, players: int) -> Win:
    try:
        source = WinSource(message.source)
    except ValueError:
        raise refuse("a win names its source", "source") from None
    win = Win(
        seat=message.seat,
        card=message.card,
        source=source,
        by=message.from_seat if message.HasField("from_seat") else -1,
        last_card=message.last_card,
        first_discard=message.first_discard,
    )
    if win.seat >= players or win.by >= players:
        raise refuse("no such seat", "win")
    if win.source in (WinSource.OTHER_DRAW, WinSource.DISCARD) and win.by in (-1, win.seat):
        raise refuse("the card came from another seat: name it", "from_seat")
    if not win.card and win.source is not WinSource.DEAL:
        raise refuse("a win names its card", "card")
    return win


def _check_copies(variant: Variant, spec: HandSpec) -> None:
    """Raises Refused when a face is held more often than the deck has it."""
    cards: list[int] = [card for seat in spec.seats for card in expand(seat.counts)]
    cards += [card for seat in spec.seats for meld in seat.melds for card in meld.cards]
    cards += [spec.wall_next] if spec.wall_next else []
    # A win on a 亮张 or a 提 may lie in the hand or a meld already: it is no further copy.
    used = _counts(variant, cards, "hand")
    if any(n > most for n, most in zip(used, variant.deck.counts, strict=True)):
        raise refuse("more copies of a face than the deck has", "hand")
    if spec.win and spec.win.card:
        _counts(variant, [spec.win.card], "card")


def hand_spec_of(variant: Variant, message: pb.HandSpec) -> HandSpec:
    """A hand to score or to look at. Raises Refused or OptionError."""
    players = message.players
    check_players(variant, players)
    if message.dealer >= players:
        raise refuse("no such seat", "dealer")
    if len(message.seats) > players:
        raise refuse("no such seat", "seats")
    empty = SeatHand((0,) * variant.deck.width)
    seats = [_seat(variant, seat) for seat in message.seats]
    spec = HandSpec(
        options=options_of(variant.options, message.options),
        players=players,
        dealer=message.dealer,
        seats=tuple(seats + [empty] * (players - len(seats))),
        win=_win(message.win, players) if message.HasField("win") else None,
        wall_next=message.wall_next,
    )
    _check_copies(variant, spec)
    return spec


def _seat_message(seat: SeatHand) -> pb.SpecSeat:
    return pb.SpecSeat(
        hand=as_enum(expand(seat.counts)),
        melds=[meld_message(meld) for meld in seat.melds],
        facts=dict(seat.facts),
    )


def _win_message(win: Win) -> pb.SpecWin:
    return pb.SpecWin(
        seat=win.seat,
        card=as_enum(win.card),
        source=as_enum(win.source),
        from_seat=win.by if win.by >= 0 else None,
        last_card=win.last_card,
        first_discard=win.first_discard,
    )


def hand_spec_message(variant: Variant, spec: HandSpec) -> pb.HandSpec:
    """The written form of a hand."""
    return pb.HandSpec(
        game=variant.game,
        release=variant.release,
        options=options_message(spec.options),
        players=spec.players,
        dealer=spec.dealer,
        seats=[_seat_message(seat) for seat in spec.seats],
        win=_win_message(spec.win) if spec.win else None,
        wall_next=as_enum(spec.wall_next),
    )
