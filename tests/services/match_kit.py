"""What the match tests share: a toy game behind the Rules port, fakes that fail, a small harness.

The toy: the dealer discards, then the next seat draws an open card; the seats that `claims` names
for that draw are asked; who claims it discards next. After `draws` draws the round is over.
"""

import asyncio
import json
import sqlite3
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from paiju.game.v1 import action_pb2, event_pb2, option_pb2, sheet_pb2, table_pb2
from paiju.match.v1 import match_pb2 as pb

from libs.runtime.clock import ManualClock
from libs.runtime.db import Database
from libs.runtime.errors import PaijuError, of_status
from libs.runtime.logs import logger
from libs.runtime.metrics import Metrics
from services.match import port
from services.match.feed import Bound, SessionFeed
from services.match.gauges import Gauges
from services.match.main import MIGRATIONS
from services.match.seal import Vault
from services.match.service import MatchCore, Setup
from services.match.servicer import MatchServicer
from services.match.session import Streams
from services.match.slots import Limits
from services.match.store import Store

CANARY = "CANARY-HAND-"
PASS, TAKE = 0, 1
GAME = "toy"


def new_id() -> str:
    """A fresh command id."""
    return str(uuid.uuid4())


def _event(**kind: object) -> bytes:
    return event_pb2.Event(**kind).SerializeToString()


def _public(**kind: object) -> port.TableEvent:
    form = _event(**kind)
    return port.TableEvent(form, (), b"record:" + form)


def _private(seat: int, **kind: object) -> port.TableEvent:
    form = _event(**kind)
    return port.TableEvent(b"", ((seat, form),), b"record:" + form)


@dataclass
class ToyRules:
    """A Rules port without a game behind it."""

    draws: int = 2
    claims: dict[int, set[int]] = field(default_factory=dict)
    down: bool = False
    steps: list[int] = field(default_factory=list)

    async def check_options(self, game: str, options: bytes, players: int) -> port.Checked:
        if game != GAME:
            raise PaijuError("UNKNOWN_GAME", "no such game", allowed=GAME)
        given = option_pb2.Options.FromString(options)
        if "odd" in given.values:
            raise PaijuError("UNKNOWN_OPTION", "no such option", key="odd")
        return port.Checked(options, 1)

    async def start_rounds(
        self, items: Sequence[port.StartItem]
    ) -> Sequence[port.Stepped | PaijuError]:
        self._check()
        return [self._start(item) for item in items]

    def _start(self, item: port.StartItem) -> port.Stepped:
        state = {
            "players": item.players,
            "round": item.round_no,
            "turn": (item.round_no - 1) % item.players,
            "draws": 0,
            "pids": json.loads(item.carry)["pids"] if item.carry else [0] * item.players,
            "open": {},
            "secret": CANARY + item.server_seed.hex(),
        }
        started = event_pb2.Event.RoundStarted(round_no=item.round_no, players=item.players)
        events = [_public(round_started=started)]
        for seat in range(item.players):
            shown = event_pb2.Event.Dealt(seat=seat, cards=[seat + 1] * 5)
            hidden = event_pb2.Event.Dealt(seat=seat, cards=[99] * 5)
            own = ((seat, _event(dealt=shown)),)
            events.append(port.TableEvent(_event(dealt=hidden), own, CANARY.encode()))
        events += self._ask(state, state["turn"], port.PromptClass.DISCARD)
        return self._result(state, events)

    async def step(self, items: Sequence[port.StepItem]) -> Sequence[port.Stepped | PaijuError]:
        self._check()
        self.steps.append(len(items))
        return [self._step(item) for item in items]

    def _check(self) -> None:
        if self.down:
            raise PaijuError("UPSTREAM_UNAVAILABLE", "down")

    def _step(self, item: port.StepItem) -> port.Stepped | PaijuError:
        state = json.loads(item.state)
        if item.kind is port.Input.ABORT:
            ended = event_pb2.Event.RoundEnded(outcome=event_pb2.ROUND_OUTCOME_VOID)
            return self._result(state, [_public(round_ended=ended)], over=True)
        if item.kind is port.Input.ADVANCE:
            return self._advance(state, [])
        asked = state["open"].pop(str(item.seat), None)
        if asked is None or asked[0] != item.prompt_id:
            return PaijuError("STALE_PROMPT", "not asked")
        index = item.choice.index if item.kind is port.Input.ANSWER else PASS
        if item.choice.action is not None:
            index = TAKE
        if index > TAKE:
            return PaijuError("NOT_A_CHOICE", "no such choice")
        if asked[1] == port.PromptClass.DISCARD:
            return self._discard(state, item, index)
        return self._claim(state, item, index)

    def _discard(self, state: dict, item: port.StepItem, index: int) -> port.Stepped:
        discarded = event_pb2.Event.Discarded(seat=item.seat, card=index + 1)
        events = [_public(discarded=discarded)]
        state["turn"] = (item.seat + 1) % state["players"]
        state["draws"] += 1
        drew = event_pb2.Event.Drew(seat=state["turn"], card=7, wall_left=9)
        events.append(_public(drew=drew))
        for seat in sorted(self.claims.get(state["draws"], ())):
            events += self._ask(state, seat, port.PromptClass.CLAIM)
        return self._next(state, events, item.run_on)

    def _claim(self, state: dict, item: port.StepItem, index: int) -> port.Stepped:
        closed = event_pb2.Event.PromptClosed(prompt_id=item.prompt_id)
        events = [_private(item.seat, prompt_closed=closed)]
        if index == TAKE:
            state["open"], state["turn"] = {}, item.seat
            melded = event_pb2.Event.Melded(seat=item.seat)
            events += [_public(melded=melded)]
            events += self._ask(state, item.seat, port.PromptClass.DISCARD)
            return self._result(state, events)
        return self._next(state, events, item.run_on)

    def _next(self, state: dict, events: list, run_on: bool) -> port.Stepped:
        if state["open"] or not run_on:
            return self._result(state, events)
        return self._advance(state, events)

    def _advance(self, state: dict, events: list) -> port.Stepped:
        if state["draws"] >= self.draws:
            ended = event_pb2.Event.RoundEnded(outcome=event_pb2.ROUND_OUTCOME_WIN)
            return self._result(state, [*events, _public(round_ended=ended)], over=True)
        events = events + self._ask(state, state["turn"], port.PromptClass.DISCARD)
        return self._result(state, events)

    def _ask(self, state: dict, seat: int, cls: port.PromptClass) -> list[port.TableEvent]:
        state["pids"][seat] += 1
        state["open"][str(seat)] = [state["pids"][seat], cls]
        choices = [action_pb2.Action(), action_pb2.Action()]
        prompt = action_pb2.Prompt(prompt_id=state["pids"][seat], choices=choices)
        setattr(prompt, "class", int(cls))
        return [_private(seat, prompted=event_pb2.Event.Prompted(prompt=prompt))]

    def _result(self, state: dict, events: list, over: bool = False) -> port.Stepped:
        if over:
            state["open"] = {}
        prompts = [
            port.OpenPrompt(int(seat), pid, port.PromptClass(cls))
            for seat, (pid, cls) in state["open"].items()
        ]
        status = port.Status.PROMPTS if prompts else port.Status.ADVANCE
        carry = json.dumps({"pids": state["pids"]}).encode() if over else b""
        return port.Stepped(
            json.dumps(state).encode(),
            events,
            prompts,
            port.Status.ENDED if over else status,
            state["turn"],
            carry,
        )

    async def view(self, items: Sequence[port.ViewItem]) -> Sequence[bytes | PaijuError]:
        self._check()
        return [self._view(json.loads(item.state), item.seat) for item in items]

    def _view(self, state: dict, seat: int | None) -> bytes:
        table = table_pb2.Table(game=GAME, round_no=state["round"], turn=state["turn"])
        asked = state["open"].get(str(seat))
        if asked:
            table.prompt.prompt_id = asked[0]
        return table.SerializeToString()

    async def fold(self, items: Sequence[port.FoldItem]) -> Sequence[bytes | PaijuError]:
        return [item.state for item in items]


@dataclass
class ToyScoring:
    """Seat 0 wins 3 from everybody, always."""

    fails: int = 0
    calls: int = 0

    async def score_rounds(self, states: Sequence[bytes]) -> Sequence[port.Sheet | PaijuError]:
        self.calls += 1
        if self.fails:
            self.fails -= 1
            raise PaijuError("UPSTREAM_UNAVAILABLE", "down")
        return [self._sheet(json.loads(state)) for state in states]

    def _sheet(self, state: dict) -> port.Sheet:
        others = state["players"] - 1
        deltas = (3 * others, *[-3] * others)
        sheet = sheet_pb2.ScoreSheet(game=GAME, round_no=state["round"], deltas=deltas)
        return port.Sheet(sheet.SerializeToString(), deltas)

    async def finish_match(self, item: port.FinishItem) -> port.Finished:
        return port.Finished(item.totals, tuple(0 for _ in item.totals), ())


@dataclass
class ToyLedger:
    """Keeps what it was told; the same key with another body is an error."""

    fails: int = 0
    opened: dict[str, tuple] = field(default_factory=dict)
    settled: dict[tuple[str, int], port.Settle] = field(default_factory=dict)
    closed: dict[str, port.Close] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)

    def _check(self) -> None:
        if self.fails:
            self.fails -= 1
            raise PaijuError("UPSTREAM_UNAVAILABLE", "down")

    async def open_accounts(
        self, match_id: str, seats: Sequence[port.SeatAccount], at_ms: int
    ) -> None:
        self._check()
        assert self.opened.setdefault(match_id, (tuple(seats), at_ms)) == (tuple(seats), at_ms)

    async def settle(self, item: port.Settle) -> str:
        self._check()
        assert item.match_id in self.opened
        known = self.settled.setdefault((item.match_id, item.round_no), item)
        if known != item:
            raise PaijuError("COMMAND_ID_REUSED", "other body")
        self.order.append(f"settle:{item.round_no}")
        return f"tx-{item.match_id}-{item.round_no}"

    async def close(self, item: port.Close) -> None:
        self._check()
        assert self.closed.setdefault(item.match_id, item) == item
        self.order.append("close")


@dataclass
class Ports:
    """The three fakes; shared by the services that follow each other on one file."""

    rules: ToyRules = field(default_factory=ToyRules)
    scoring: ToyScoring = field(default_factory=ToyScoring)
    ledger: ToyLedger = field(default_factory=ToyLedger)


class Context:
    """Metadata of a unary call made in-process."""

    def __init__(self, **metadata: str) -> None:
        self._metadata = [(key.replace("_", "-"), value) for key, value in metadata.items()]

    def invocation_metadata(self) -> list[tuple[str, str]]:
        return self._metadata


class Gateway:
    """One Session without the network between."""

    def __init__(self, house: "House", bound: Bound | None = None) -> None:
        self.house = house
        self.feed = SessionFeed(bound or Bound())
        self.raw = b""
        self.opening: list[Update] = []

    def send(self, **parts: object) -> None:
        """Queues a SessionRequest."""
        self.house.streams.accept(pb.SessionRequest(**parts), self.feed)

    async def attach(self, match_id: str, token: str, after: int = 0) -> "list[Update]":
        """Follows a seat; returns what came with it."""
        attach = pb.SessionRequest.Attach(match_id=match_id, seat_token=token, after_seq=after)
        self.send(attaches=[attach])
        return await self.news()

    async def command(
        self, match_id: str, seat: int, command_id: str = "", **kind: object
    ) -> "list[Update]":
        """Sends one command; returns all that came until everything was quiet."""
        command = pb.SessionRequest.Command(
            match_id=match_id, seat=seat, command_id=command_id or new_id(), **kind
        )
        self.send(commands=[command])
        return await self.news()

    async def act(
        self, match_id: str, seat: int, prompt: int, index: int = 0, command_id: str = ""
    ) -> "list[Update]":
        """Answers a prompt."""
        answer = pb.Answer(prompt_id=prompt, index=index)
        return await self.command(match_id, seat, command_id, answer=answer)

    async def news(self) -> "list[Update]":
        """Everything that waits for this stream once nothing is under way."""
        await self.house.core.quiet()
        return self.drained()

    def drained(self) -> "list[Update]":
        """Everything that waits now."""
        updates: list[Update] = []
        while message := self.feed.take():
            self.raw += message
            updates += pb.SessionResponse.FromString(message).updates
        return updates


Update = pb.SessionResponse.Update


def views_of(updates: Sequence[Update], seat: int) -> list[pb.View]:
    """The views of one seat."""
    return [view for update in updates if update.seat == seat for view in update.views]


def kinds_of(updates: Sequence[Update], seat: int) -> list[str]:
    """What happened, as one seat was told."""
    found = []
    for view in views_of(updates, seat):
        inner = getattr(view, view.WhichOneof("kind"))
        nested = inner.WhichOneof("kind") if view.WhichOneof("kind") != "snapshot" else "snapshot"
        found.append(nested)
    return found


def replies_of(updates: Sequence[Update]) -> list[pb.SessionResponse.Reply]:
    """The answers."""
    return [update.reply for update in updates if update.HasField("reply")]


def reason(updates: Sequence[Update]) -> str:
    """The reason of the only answer; empty if it is an acceptance."""
    (reply,) = replies_of(updates)
    return of_status(reply.error).reason if reply.HasField("error") else ""


@dataclass
class House:
    """A match service in this process, on a file, with a clock that stands still."""

    path: Path
    ports: Ports = field(default_factory=Ports)
    clock: ManualClock = field(default_factory=ManualClock)
    limits: Limits = field(default_factory=Limits)
    owner: str = ""

    async def __aenter__(self) -> "House":
        self.database = await Database.open(f"sqlite:///{self.path}", MIGRATIONS)
        self.store = Store(self.database)
        ports = port.Ports(self.ports.rules, self.ports.scoring, self.ports.ledger)
        self.core = MatchCore(
            Setup(
                self.store,
                ports,
                Vault(bytes(range(32))),
                self.clock,
                Gauges(Metrics()),
                logger(service="match"),
                self.owner or new_id(),
                self.limits,
            )
        )
        self.hub = self.core.hub
        self.streams = Streams(self.hub, Bound())
        self.servicer = MatchServicer(self.hub, self.streams, "")
        self.tasks = [asyncio.create_task(loop) for loop in self.core.loops()]
        await self.core.resume()
        await self.core.quiet()
        return self

    async def __aexit__(self, *_error: object) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await self.database.close()

    async def advance(self, ms: int) -> None:
        """Lets time pass and everything happen that it brings."""
        self.clock.advance(ms)
        while self.core.wheel.fire():
            await self.core.quiet()
        await self.core.quiet()

    async def create(self, players: int = 2, **more: object) -> pb.CreateMatchResponse:
        """A match with its creator."""
        more.setdefault("creator", pb.Player(player_id="p0", display_name="零"))
        more.setdefault("command_id", new_id())
        more.setdefault("game", GAME)
        more.setdefault("rounds", 2)
        request = pb.CreateMatchRequest(players=players, **more)
        return await self.servicer.create_match(request, Context())

    async def seated(self, players: int = 2, **more: object) -> tuple[str, list[str]]:
        """A match whose seats are all taken; its tokens by seat."""
        created = await self.create(players, **more)
        tokens = [created.seat_token]
        for n in range(1, players):
            joined = await self.join(created.match.match_id, f"p{n}")
            tokens.append(joined.seat_token)
        return created.match.match_id, tokens

    async def join(self, match_id: str, player: str, command_id: str = "") -> pb.JoinResponse:
        """Takes a seat."""
        request = pb.JoinRequest(
            command_id=command_id or new_id(),
            match_id=match_id,
            player=pb.Player(player_id=player),
        )
        return await self.servicer.join(request, Context())

    async def ready(self, match_id: str, tokens: Sequence[str]) -> None:
        """All say that they are ready."""
        for token in tokens:
            request = pb.ReadyRequest(command_id=new_id(), match_id=match_id, seat_token=token)
            await self.servicer.ready(request, Context())
        await self.core.quiet()

    async def started(
        self, players: int = 2, **more: object
    ) -> tuple[str, list[str], Gateway]:
        """A match in its first round, every seat attached to one gateway."""
        match_id, tokens = await self.seated(players, **more)
        gateway = Gateway(self)
        for token in tokens:
            await gateway.attach(match_id, token)
        await self.ready(match_id, tokens)
        gateway.opening = gateway.drained()
        return match_id, tokens, gateway

    async def match(self, match_id: str) -> pb.Match:
        """The match now."""
        raw = await self.servicer.get_match(pb.GetMatchRequest(match_id=match_id), Context())
        return pb.GetMatchResponse.FromString(raw).match

    async def events(self, match_id: str) -> list[pb.LogRow]:
        """The whole log."""
        request = pb.ListEventsRequest(match_id=match_id, from_version=1, page_size=1000)
        raw = await self.servicer.list_events(request, Context())
        return list(pb.ListEventsResponse.FromString(raw).rows)

    async def play(self, match_id: str, gateway: Gateway, index: int = PASS) -> None:
        """Answers every open prompt until nobody is asked any more."""
        while open_prompts := self.asked(match_id):
            seat, prompt_id = open_prompts[0]
            await gateway.act(match_id, seat, prompt_id, index)

    def asked(self, match_id: str) -> list[tuple[int, int]]:
        """Who is asked what."""
        table = self.hub.slots[match_id].table
        assert table is not None
        return [
            (n, seat.asked.prompt_id)
            for n, seat in enumerate(table.control.seats)
            if seat.asked is not None
        ]


def sql(path: Path, query: str) -> list[tuple]:
    """Reads the file beside the service."""
    with sqlite3.connect(path) as connection:
        return connection.execute(query).fetchall()
