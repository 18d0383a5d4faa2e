"""What a person sees of the table, kept from the seat's own views and nothing else."""

from collections import Counter
from dataclasses import dataclass, field

from paiju.game.v1 import action_pb2, card_pb2, event_pb2, table_pb2
from paiju.match.v1 import match_pb2 as pb

from libs.game.cards import HIDDEN

Reveal = event_pb2.Event.RoundEnded.Hand


@dataclass
class Place:
    """One seat as it lies there."""

    hand_left: int = 0
    melds: list[card_pb2.Meld] = field(default_factory=list)
    pile: list[int] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    flowers: list[int] = field(default_factory=list)
    shown: Counter[int] = field(default_factory=Counter)
    """Cards of another seat's hand that everybody saw join it (亮张) and nobody saw leave it."""


@dataclass(frozen=True)
class Open:
    """The card that may be claimed."""

    card: int
    seat: int
    discarded: bool


@dataclass
class Board:
    """The table as `seat` knows it."""

    seat: int
    players: int
    hand: Counter[int] = field(default_factory=Counter)
    places: list[Place] = field(default_factory=list)
    open: Open | None = None
    wall_left: int = 0
    dealer: int = 0
    round_no: int = 0
    prompt: action_pb2.Prompt | None = None
    deadline: pb.Deadline | None = None
    revealed: list[Reveal] = field(default_factory=list)
    declined: set[str] = field(default_factory=set)
    """Declarations that the reader was offered and did not make."""
    notes: dict[str, list[int]] = field(default_factory=dict)
    """What the reader may not do for now: faces by the note's code."""

    def __post_init__(self) -> None:
        self._clear()

    @property
    def own(self) -> Place:
        """The reader's place."""
        return self.places[self.seat]

    @property
    def others(self) -> list[int]:
        """The other seats, in turn order after the reader."""
        return [(self.seat + step) % self.players for step in range(1, self.players)]

    @property
    def face_down(self) -> bool:
        """The open card's face is not known."""
        return self.open is not None and self.open.card == HIDDEN

    def cards(self) -> list[int]:
        """The own hand in face order."""
        return sorted(self.hand.elements())

    def seen(self) -> Counter[int]:
        """Copies of each face that lie before the reader. The backs of a group of equal cards
        count as the face that it shows."""
        count = Counter(self.hand)
        for place in self.places:
            count.update(place.pile)
            count.update(place.flowers)
            count.update(place.shown)
            for meld in place.melds:
                count.update(_faces(meld))
        if self.open:
            count[self.open.card] += 1
        del count[HIDDEN]
        return count

    def load(self, table: table_pb2.Table) -> None:
        """Starts from a snapshot."""
        self.players = len(table.seats)
        self._clear()
        for place, seat in zip(self.places, table.seats, strict=True):
            place.hand_left = len(seat.hand)
            place.melds, place.pile = list(seat.melds), list(seat.pile)
            place.flags, place.flowers = list(seat.flags), list(seat.flowers)
        self.hand.update(table.seats[self.seat].hand)
        if table.HasField("open"):
            self.open = Open(table.open.card, table.open.seat, table.open.discarded)
        self.wall_left, self.dealer, self.round_no = table.wall_left, table.dealer, table.round_no
        self.prompt = table.prompt if table.HasField("prompt") else None
        self.notes = {note.code: list(note.cards) for note in table.notes}
        self.notes.pop("own_discard", None)  # its pile tells

    def apply(self, event: event_pb2.Event) -> None:
        """One event of the table."""
        kind = event.WhichOneof("kind") or ""
        handler = getattr(self, f"_{kind}", None)
        if handler is not None:
            handler(getattr(event, kind))

    def _clear(self) -> None:
        self.hand = Counter()
        self.places = [Place() for _ in range(self.players)]
        self.open = self.prompt = self.deadline = None
        self.revealed, self.declined, self.notes = [], set(), {}

    def _round_started(self, event: event_pb2.Event.RoundStarted) -> None:
        self.players = event.players
        self._clear()
        self.dealer, self.round_no, self.wall_left = event.dealer, event.round_no, event.wall

    def _dealt(self, event: event_pb2.Event.Dealt) -> None:
        self.wall_left -= len(event.cards)
        for card in event.cards:
            self._receive(event.seat, card)

    def _noted(self, event: event_pb2.Event.Noted) -> None:
        self.notes[event.code] = list(event.cards)

    def _card_shown(self, event: event_pb2.Event.CardShown) -> None:
        self.open = Open(event.card, event.seat, False)
        self.wall_left = event.wall_left

    def _card_joined(self, event: event_pb2.Event.CardJoined) -> None:
        self.open = None
        self._receive(event.seat, event.card)
        if event.seat != self.seat:
            self.places[event.seat].shown[event.card] += 1

    def _drew(self, event: event_pb2.Event.Drew) -> None:
        self.wall_left = event.wall_left
        if event.joins_hand or event.replacement:
            self._receive(event.seat, event.card)
        else:
            self.open = Open(event.card, event.seat, False)

    def _discarded(self, event: event_pb2.Event.Discarded) -> None:
        self.open = Open(event.card, event.seat, True)
        self._spend(event.seat, Counter([event.card]))

    def _melded(self, event: event_pb2.Event.Melded) -> None:
        place = self.places[event.seat]
        used: Counter[int] = Counter(event.meld.cards)
        if event.takes_open:
            used[event.meld.claimed] -= 1
            self.open = None
        if event.HasField("replaces"):
            used.subtract(place.melds[event.replaces].cards)
            place.melds[event.replaces] = event.meld
        else:
            place.melds.append(event.meld)
        beside = list(getattr(event, "with"))  # `with` is a word of Python
        place.melds += beside
        for group in beside:
            used.update(group.cards)
        self._spend(event.seat, used)
        place.hand_left = event.hand_left

    def _unclaimed(self, event: event_pb2.Event.Unclaimed) -> None:
        self.places[event.seat].pile.append(event.card)
        self.open = None

    def _flower_set(self, event: event_pb2.Event.FlowerSet) -> None:
        self.places[event.seat].flowers.append(event.card)
        self._spend(event.seat, Counter([event.card]))

    def _piles_opened(self, event: event_pb2.Event.PilesOpened) -> None:
        for place, pile in zip(self.places, event.piles, strict=False):
            place.pile = list(pile.cards)

    def _barred(self, event: event_pb2.Event.Barred) -> None:
        self.places[event.seat].flags.append("barred")

    def _si_shou(self, event: event_pb2.Event.SiShou) -> None:
        self.places[event.seat].flags.append("si_shou")

    def _declared(self, event: event_pb2.Event.Declared) -> None:
        self.places[event.seat].flags.append(_code(event.declaration))

    def _prompted(self, event: event_pb2.Event.Prompted) -> None:
        self.prompt = event.prompt

    def _prompt_closed(self, event: event_pb2.Event.PromptClosed) -> None:
        if self.prompt is not None and self.prompt.prompt_id == event.prompt_id:
            taken = event.choice if event.HasField("choice") else -1
            self.declined |= {
                _code(choice.declare.declaration)
                for at, choice in enumerate(self.prompt.choices)
                if choice.HasField("declare") and at != taken
            }
            self.prompt = self.deadline = None

    def _round_ended(self, event: event_pb2.Event.RoundEnded) -> None:
        self.prompt = self.deadline = None
        self.revealed = list(event.hands)
        for place, held in zip(self.places, event.hands, strict=True):
            place.melds = list(held.melds)

    def _receive(self, seat: int, card: int) -> None:
        self.places[seat].hand_left += 1
        if seat == self.seat:
            self.hand[card] += 1

    def _spend(self, seat: int, used: Counter[int]) -> None:
        place = self.places[seat]
        place.hand_left -= used.total()
        place.shown = place.shown - used
        if seat == self.seat:
            self.hand = self.hand - used


def _code(declaration: action_pb2.Declaration.ValueType) -> str:
    return action_pb2.Declaration.Name(declaration).removeprefix("DECLARATION_").lower()


def _faces(meld: card_pb2.Meld) -> list[int]:
    """A meld's faces; where all its cards are equal, one open face tells the others."""
    known: list[int] = [card for card in meld.cards if card != HIDDEN]
    if meld.kind == card_pb2.MELD_KIND_CHI or not known:
        return known
    return [known[0]] * len(meld.cards)
