"""What the match tests share: a match service in this process over the toy game of match_toy."""

import asyncio
import sqlite3
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from match_toy import GAME, PASS, Ports
from paiju.match.v1 import match_pb2 as pb

from libs.runtime.clock import ManualClock
from libs.runtime.db import Database
from libs.runtime.errors import of_status
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

AUDIT = "sesame"


def new_id() -> str:
    """A fresh command id."""
    return str(uuid.uuid4())


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
        self.servicer = MatchServicer(self.hub, self.streams, AUDIT)
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

    async def started(self, players: int = 2, **more: object) -> tuple[str, list[str], Gateway]:
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
        raw = await self.servicer.list_events(request, Context(audit_token=AUDIT))
        return list(pb.ListEventsResponse.FromString(raw).rows)

    async def play(self, match_id: str, gateway: Gateway, index: int = PASS) -> None:
        """Answers every open prompt until nobody is asked any more."""
        while open_prompts := self.asked(match_id):
            seat, prompt_id = open_prompts[0]
            await gateway.act(match_id, seat, prompt_id, index)

    def asked(self, match_id: str) -> list[tuple[int, int]]:
        """Who is asked what."""
        table = self.hub.slots[match_id].table
        seats = table.control.seats if table else []
        return [(n, seat.asked.prompt_id) for n, seat in enumerate(seats) if seat.asked]


def sql(path: Path, query: str) -> list[tuple]:
    """Reads the file beside the service."""
    with sqlite3.connect(path) as connection:
        return connection.execute(query).fetchall()
