"""What one seat knows of its table, gathered from its own views and nothing else.

Works for every game: it keeps hands, melds, piles and the open question. A hand that does not
agree with what the service says (`hand_left`) raises Disagreement, so that every bot is a check
of the views as well.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from paiju.game.v1 import action_pb2, card_pb2, event_pb2, table_pb2

from libs.game.cards import HIDDEN, show


class Disagreement(Exception):
    """The seat's views contradict each other."""


@dataclass
class TableView:
    """The table as `seat` knows it. `hand` counts its concealed cards by face."""

    seat: int
    players: int
    hand: Counter[int] = field(default_factory=Counter)
    melds: list[list[card_pb2.Meld]] = field(default_factory=list)
    piles: list[list[int]] = field(default_factory=list)
    flowers: list[list[int]] = field(default_factory=list)
    open_card: int = 0
    wall_left: int = 0
    dealer: int = 0
    round_no: int = 0
    prompt: action_pb2.Prompt | None = None

    def __post_init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.hand.clear()
        self.melds = [[] for _ in range(self.players)]
        self.piles = [[] for _ in range(self.players)]
        self.flowers = [[] for _ in range(self.players)]
        self.open_card = 0
        self.prompt = None

    def seen(self) -> Counter[int]:
        """Copies of each face this seat has seen: own hand, melds, piles and the open card."""
        count = Counter(self.hand)
        for melds in self.melds:
            for meld in melds:
                count.update(meld.cards)
        for pile in (*self.piles, *self.flowers):
            count.update(pile)
        count[self.open_card] += 1
        del count[HIDDEN], count[0]
        return count

    def load(self, table: table_pb2.Table) -> None:
        """Starts from a snapshot."""
        self._clear()
        self.players = len(table.seats)
        self.melds = [list(seat.melds) for seat in table.seats]
        self.piles = [list(seat.pile) for seat in table.seats]
        self.flowers = [list(seat.flowers) for seat in table.seats]
        self.hand.update(table.seats[self.seat].hand)
        self.open_card = table.open.card
        self.wall_left = table.wall_left
        self.dealer, self.round_no = table.dealer, table.round_no
        if table.HasField("prompt"):
            self.prompt = table.prompt

    def apply(self, event: event_pb2.Event) -> None:
        """One event of the table."""
        kind = event.WhichOneof("kind")
        handler = getattr(self, f"_{kind}", None)
        if handler is not None:
            handler(getattr(event, kind or ""))

    def _round_started(self, event: event_pb2.Event.RoundStarted) -> None:
        self.players = event.players
        self._clear()
        self.dealer, self.round_no, self.wall_left = event.dealer, event.round_no, event.wall

    def _dealt(self, event: event_pb2.Event.Dealt) -> None:
        if event.seat == self.seat:
            self.hand.update(event.cards)

    def _card_shown(self, event: event_pb2.Event.CardShown) -> None:
        self.open_card, self.wall_left = event.card, event.wall_left

    def _card_joined(self, event: event_pb2.Event.CardJoined) -> None:
        self.open_card = 0
        if event.seat == self.seat:
            self.hand[event.card] += 1

    def _drew(self, event: event_pb2.Event.Drew) -> None:
        self.wall_left = event.wall_left
        if not (event.joins_hand or event.replacement):
            self.open_card = event.card
        elif event.seat == self.seat:
            self.hand[event.card] += 1

    def _discarded(self, event: event_pb2.Event.Discarded) -> None:
        self.open_card = event.card
        if event.seat == self.seat:
            self._lay([event.card])

    def _melded(self, event: event_pb2.Event.Melded) -> None:
        melds = self.melds[event.seat]
        used = Counter(event.meld.cards)
        if event.takes_open:
            used[event.meld.claimed] -= 1
            self.open_card = 0
        if event.HasField("replaces"):
            used.subtract(melds[event.replaces].cards)
            melds[event.replaces] = event.meld
        else:
            melds.append(event.meld)
        # `with` is a word of Python
        groups: list[card_pb2.Meld] = list(getattr(event, "with"))
        melds.extend(groups)
        if event.seat == self.seat:
            self._lay(used.elements())
            self._lay(card for group in groups for card in group.cards)
            if self.hand.total() != event.hand_left:
                raise Disagreement(f"{self.hand.total()} cards, told {event.hand_left}")

    def _flower_set(self, event: event_pb2.Event.FlowerSet) -> None:
        self.flowers[event.seat].append(event.card)
        if event.seat == self.seat:
            self._lay([event.card])

    def _piles_opened(self, event: event_pb2.Event.PilesOpened) -> None:
        self.piles = [list(pile.cards) for pile in event.piles]

    def _unclaimed(self, event: event_pb2.Event.Unclaimed) -> None:
        self.piles[event.seat].append(event.card)
        self.open_card = 0

    def _prompted(self, event: event_pb2.Event.Prompted) -> None:
        self.prompt = event.prompt

    def _prompt_closed(self, event: event_pb2.Event.PromptClosed) -> None:
        if self.prompt is not None and self.prompt.prompt_id == event.prompt_id:
            self.prompt = None

    def _round_ended(self, event: event_pb2.Event.RoundEnded) -> None:
        self.prompt = None
        held = Counter(event.hands[self.seat].cards)
        if held != +self.hand:
            raise Disagreement(f"holds {show(self.hand.elements())}, told {show(held.elements())}")

    def _lay(self, cards: Iterable[int]) -> None:
        for card in cards:
            if not self.hand[card]:
                raise Disagreement(f"{show([card])} is not in {show(self.hand.elements())}")
            self.hand[card] -= 1
