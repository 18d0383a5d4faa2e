"""The record of one match: what never changes (`Meta`), what any command may change (`Control`).

Both are plain data with an own compact codec; `Control` is stored sealed (it holds who is asked
what until when, which is nobody else's business) in the head row beside the engine's state.
"""

from dataclasses import dataclass, field
from enum import IntEnum

import orjson

from services.match.port import PromptClass, Status


class Phase(IntEnum):
    """Life of a match; numbers as paiju.match.v1.MatchPhase."""

    OPEN = 1
    PLAYING = 2
    BETWEEN = 3
    FINISHING = 4
    CLOSED = 5


@dataclass(frozen=True, slots=True)
class Pace:
    """A clock policy resolved to milliseconds (match.md M4, M5); 0 = no deadline of that class."""

    discard_ms: int
    claim_ms: int
    ready_ms: int
    claim_pause_ms: int
    auto_after: int

    def budget(self, cls: PromptClass) -> int:
        """What a prompt of a class is given."""
        return self.discard_ms if cls is PromptClass.DISCARD else self.claim_ms

    @property
    def timed(self) -> bool:
        """Whether prompts have deadlines at all."""
        return bool(self.discard_ms or self.claim_ms)

    @property
    def run_on(self) -> bool:
        """Whether the engine need not stop for display pauses."""
        return self.claim_pause_ms == 0


@dataclass(frozen=True, slots=True)
class Meta:
    """What CreateMatch decided; `template` is the constant part of the serialized Match."""

    match_id: str
    game: str
    release: int
    options: bytes
    players: int
    rounds: int
    pace: Pace
    client_seed: bytes
    reference: str
    created_at_ms: int
    template: bytes

    def dump(self) -> bytes:
        """The stored form."""
        pace = self.pace
        return orjson.dumps(
            [
                self.match_id,
                self.game,
                self.release,
                self.options.hex(),
                self.players,
                self.rounds,
                [
                    pace.discard_ms,
                    pace.claim_ms,
                    pace.ready_ms,
                    pace.claim_pause_ms,
                    pace.auto_after,
                ],
                self.client_seed.hex(),
                self.reference,
                self.created_at_ms,
                self.template.hex(),
            ]
        )

    @classmethod
    def load(cls, stored: bytes) -> "Meta":
        """Reads the stored form."""
        match_id, game, release, options, players, rounds, pace, seed, reference, made, template = (
            orjson.loads(stored)
        )
        return cls(
            match_id,
            game,
            release,
            bytes.fromhex(options),
            players,
            rounds,
            Pace(*pace),
            bytes.fromhex(seed),
            reference,
            made,
            bytes.fromhex(template),
        )


@dataclass(slots=True)
class Asked:
    """The open prompt of a seat with its times (match clock; 0 = none)."""

    prompt_id: int
    cls: PromptClass
    deadline_ms: int = 0
    budget_ms: int = 0
    auto_ms: int = 0

    @property
    def due_ms(self) -> int:
        """When something happens without the player; 0 = never."""
        if self.auto_ms and self.deadline_ms:
            return min(self.auto_ms, self.deadline_ms)
        return self.auto_ms or self.deadline_ms


@dataclass(slots=True)
class Seat:
    """One seat; `joined` counts joinings, so that the order of the last ones is known (M3)."""

    player_id: str = ""
    name: str = ""
    joined: int = 0
    token_hash: bytes = b""
    ready: bool = False
    trustee: bool = False
    trustee_told: bool = False
    timeouts: int = 0
    seq: int = 0
    last_prompt: int = 0
    asked: Asked | None = None

    @property
    def taken(self) -> bool:
        """Somebody sits here."""
        return bool(self.player_id)

    def dump(self) -> list[object]:
        """The stored form."""
        asked = self.asked
        return [
            self.player_id,
            self.name,
            self.joined,
            self.token_hash.hex(),
            self.ready,
            self.trustee,
            self.trustee_told,
            self.timeouts,
            self.seq,
            self.last_prompt,
            None
            if asked is None
            else [
                asked.prompt_id,
                asked.cls,
                asked.deadline_ms,
                asked.budget_ms,
                asked.auto_ms,
            ],
        ]

    @classmethod
    def load(cls, raw: list[object]) -> "Seat":
        """Reads the stored form."""
        seat = cls(*raw)  # type: ignore[arg-type]  # positions are those of `dump`
        seat.token_hash = bytes.fromhex(str(raw[3]))
        if isinstance(raw[10], list):
            prompt_id, asked_cls, deadline_ms, budget_ms, auto_ms = raw[10]
            seat.asked = Asked(prompt_id, PromptClass(asked_cls), deadline_ms, budget_ms, auto_ms)
        return seat


@dataclass(slots=True)
class Control:
    """What changes. `mark` is the chain hash at the last RoundEnded or MatchScored."""

    seats: list[Seat]
    totals: list[int]
    phase: Phase = Phase.OPEN
    round_no: int = 0
    scored: int = 0
    settled: int = 0
    status: Status = Status.NONE
    shown_ms: int = 0
    """When everybody was told something last, or a pause ended: the next counts from there."""
    advance_ms: int = 0
    ready_ms: int = 0
    joins: int = 0
    creator: int = -1
    scoring: bool = False
    close_reason: str = ""
    mark: bytes = b""
    carry: bytes = b""
    left: list[tuple[bytes, int]] = field(default_factory=list)
    finals: list[int] = field(default_factory=list)

    def dump(self) -> bytes:
        """The stored form."""
        return orjson.dumps(
            [
                [seat.dump() for seat in self.seats],
                self.totals,
                self.phase,
                self.round_no,
                self.scored,
                self.settled,
                self.status,
                self.shown_ms,
                self.advance_ms,
                self.ready_ms,
                self.joins,
                self.creator,
                self.scoring,
                self.close_reason,
                self.mark.hex(),
                self.carry.hex(),
                [[token.hex(), seat] for token, seat in self.left],
                self.finals,
            ]
        )

    @classmethod
    def load(cls, stored: bytes) -> "Control":
        """Reads the stored form."""
        control = cls(*orjson.loads(stored))
        control.seats = [Seat.load(raw) for raw in control.seats]  # type: ignore[arg-type]  # raw
        control.phase, control.status = Phase(control.phase), Status(control.status)
        control.mark = bytes.fromhex(str(control.mark))
        control.carry = bytes.fromhex(str(control.carry))
        control.left = [(bytes.fromhex(str(token)), seat) for token, seat in control.left]
        return control

    @property
    def due_ms(self) -> int:
        """Match clock at which something happens by itself; 0 = never."""
        dues = [seat.asked.due_ms for seat in self.seats if seat.asked]
        dues = [due for due in (*dues, self.advance_ms, self.ready_ms) if due]
        return min(dues) if dues else 0

    @property
    def sequences(self) -> list[int]:
        """The counters of all seats."""
        return [seat.seq for seat in self.seats]

    @property
    def may_start(self) -> bool:
        """The next round can be dealt: everybody is ready and the last one is scored."""
        return (
            self.phase in (Phase.OPEN, Phase.BETWEEN)
            and not self.scoring
            and all(seat.ready for seat in self.seats)
        )
