"""Events: everything that can happen in a round, each with all that is needed to apply it.

`evolve` applies them, `codec` records them, `view` makes the form each reader may see. A family
emits them through `flow.Table`; nothing else ever changes a state.
"""

from typing import NamedTuple

from libs.game.melds import Meld


class Started(NamedTuple):
    """The round begins; `deck` is the whole order of cards, `removed` was taken from its end.

    `asked` is, per seat, the number of prompts in the rounds before: prompt numbers go on, so
    that an answer meant for one round never fits another.
    """

    game: str
    release: int
    options: bytes
    players: int
    round_no: int
    dealer: int
    deck: bytes
    removed: bytes
    commitment: bytes
    seed: bytes
    nonce: bytes
    asked: tuple[int, ...]


class Dealt(NamedTuple):
    """`count` cards go from the wall to the seat's hand."""

    seat: int
    cards: bytes


class Shown(NamedTuple):
    """The next wall card is shown to all (亮张) and lies open; or, if a card lies face down, that
    one is turned up."""

    seat: int
    card: int


class Joined(NamedTuple):
    """The open card joins the hand."""

    seat: int
    card: int


class Drew(NamedTuple):
    """A card leaves the wall: to the hand (`to_hand`) or onto the table as the open card.

    `seen` is the mask of seats that see its face.
    """

    seat: int
    card: int
    to_hand: int
    tail: int
    replacement: int
    seen: int


class Discarded(NamedTuple):
    """A card goes from the hand onto the table as the open card."""

    seat: int
    card: int


class Melded(NamedTuple):
    """Cards are laid: `meld` and the groups laid `beside` it.

    `replaces` is the index of the own meld it grew from (-1: none); `takes` tells that the open
    card is part of it. All other cards come from the hand (and the replaced meld).
    """

    seat: int
    meld: Meld
    replaces: int
    takes: int
    beside: tuple[Meld, ...]


class Unclaimed(NamedTuple):
    """The open card goes to the pile of the seat that drew or discarded it."""

    seat: int
    card: int
    drawn: int


class Turn(NamedTuple):
    """It is the seat's turn to discard (-1: nobody's any more)."""

    seat: int


class Asked(NamedTuple):
    """A question to a seat."""

    seat: int
    cls: int
    choices: tuple[bytes, ...]
    default: int
    auto: int
    continues: int


class Answered(NamedTuple):
    """A seat answered; nobody is told until the question is closed."""

    seat: int
    choice: int


class Closed(NamedTuple):
    """A question is closed; `outcome` as in `PromptClosed.Outcome`, `choice` -1: unanswered."""

    seat: int
    number: int
    outcome: int
    choice: int


class Returned(NamedTuple):
    """A discard was refused; the seat alone is told. `reason` names no holder."""

    seat: int
    card: int
    reason: str


class Noted(NamedTuple):
    """A seat's register `slot` becomes `value`; the seat is told if it is one of its notes."""

    seat: int
    slot: int
    value: int


class Flagged(NamedTuple):
    """A seat's register `slot` becomes 1, and everybody is told which flag it is."""

    seat: int
    slot: int


class Kept(NamedTuple):
    """A register of the round becomes `value` (private to the engine)."""

    slot: int
    value: int


class Moved(NamedTuple):
    """The flow goes on in `phase`."""

    phase: int


class Forced(NamedTuple):
    """A claim that nobody chooses stands (seat -1: none any more)."""

    seat: int
    action: bytes


class Waiting(NamedTuple):
    """The round waits for an advance (1), has got it (2), or runs on (0)."""

    value: int


class Won(NamedTuple):
    """A win."""

    seat: int
    card: int
    source: int
    by: int
    last_card: int
    first_discard: int


class Xing(NamedTuple):
    """The 醒 face is known; `turned` from the wall or not."""

    card: int
    turned: int


class Ended(NamedTuple):
    """The round is over (`state.Outcome`)."""

    outcome: int


class FlowerSet(NamedTuple):
    """A flower leaves the hand and lies beside the seat."""

    seat: int
    card: int


class PilesOpened(NamedTuple):
    """From now on everybody sees every discard pile whole."""


class HaiLaoStarted(NamedTuple):
    """海捞: from this seat on everybody draws one last card unseen."""

    seat: int


Event = (
    Started
    | Dealt
    | Shown
    | Joined
    | Drew
    | Discarded
    | Melded
    | Unclaimed
    | Turn
    | Asked
    | Answered
    | Closed
    | Returned
    | Noted
    | Flagged
    | Kept
    | Moved
    | Forced
    | Waiting
    | Won
    | Xing
    | Ended
    | FlowerSet
    | PilesOpened
    | HaiLaoStarted
)

KINDS: tuple[type, ...] = (
    Started,
    Dealt,
    Shown,
    Joined,
    Drew,
    Discarded,
    Melded,
    Unclaimed,
    Turn,
    Asked,
    Answered,
    Closed,
    Returned,
    Noted,
    Flagged,
    Kept,
    Moved,
    Forced,
    Waiting,
    Won,
    Xing,
    Ended,
    FlowerSet,
    PilesOpened,
    HaiLaoStarted,
)
"""Kinds in the order of their code numbers in records; new kinds are appended."""
