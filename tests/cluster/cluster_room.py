"""A match driven by hand: the test sees what every seat sees and decides what it does."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from paiju.match.v1 import match_pb2 as pb

from tests.cluster.cluster_nodes import Cluster
from tools.bot_table import TableView
from tools.client import Gateway, Seat
from tools.platform_api import Platform, Ticket

GAME = "hengyang_liuhuqiang"


class Room:
    """A started match with one gateway; `tables` holds what each seat knows."""

    def __init__(self, platform: Platform, gateway: Gateway, tickets: list[Ticket]) -> None:
        self.platform = platform
        self.gateway = gateway
        self.tickets = tickets
        self.tables = [TableView(ticket.seat, len(tickets)) for ticket in tickets]
        self.views: list[list[pb.View]] = [[] for _ in tickets]
        self.seats: list[Seat] = []
        self._moved = asyncio.Event()

    @property
    def match_id(self) -> str:
        """The match."""
        return self.tickets[0].match_id

    def follow(self, number: int) -> None:
        """Attaches a seat."""
        self.seats.append(
            self.gateway.attach(self.tickets[number], lambda view: self._view(number, view))
        )

    def _view(self, number: int, view: pb.View) -> None:
        self.views[number].append(view)
        if view.HasField("event"):
            self.tables[number].apply(view.event)
        elif view.snapshot.HasField("table"):
            self.tables[number].load(view.snapshot.table)
        self._moved.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Waits until something holds of the tables; bounded."""
        async with asyncio.timeout(20):
            while not holds():
                self._moved.clear()
                await self.gateway.guard(self._moved.wait())

    def asked(self) -> list[int]:
        """Seats with an open question."""
        return [table.seat for table in self.tables if table.prompt is not None]

    def discarding(self) -> int | None:
        """The seat that must discard, if one must."""
        for table in self.tables:
            if table.prompt is not None and table.prompt.choices[0].HasField("discard"):
                return table.seat
        return None

    def over(self) -> bool:
        """Whether a round has ended."""
        return any(view.event.HasField("round_ended") for view in self.views[0])

    async def pass_until(self, holds: Callable[[], bool]) -> None:
        """Every question is answered by its default until something holds."""
        for _ in range(2000):
            await self.until(lambda: holds() or bool(self.asked()))
            if holds():
                return
            number = self.asked()[0]
            prompt = self.tables[number].prompt
            assert prompt is not None
            await self.seats[number].answer(prompt.prompt_id, prompt.default_choice)
            answered = prompt.prompt_id
            await self.until(lambda n=number, p=answered: not self._open(n, p))
        raise AssertionError("the round does not end")

    def _open(self, number: int, prompt_id: int) -> bool:
        prompt = self.tables[number].prompt
        return prompt is not None and prompt.prompt_id == prompt_id

    async def fingerprint(self) -> tuple[bytes, bytes]:
        """All that the platform can see of the match and its log."""
        rows = await self.platform.events(self.match_id)
        match = await self.platform.match(self.match_id)
        return match.SerializeToString(deterministic=True), b"".join(
            row.SerializeToString(deterministic=True) for row in rows
        )


@asynccontextmanager
async def opened(
    cluster: Cluster, players: int = 3, options: Mapping[str, bool | int | str] | None = None
) -> AsyncIterator[Room]:
    """A room of two rounds whose seats are taken and attached, not ready."""
    async with (
        Platform(cluster.target, cluster.audit_token) as platform,
        Gateway(cluster.target) as gateway,
    ):
        match = await platform.create(GAME, players, 2, options)
        tickets = [await platform.join(match.match_id, f"p{seat}") for seat in range(players)]
        room = Room(platform, gateway, tickets)
        for number in range(players):
            room.follow(number)
        yield room


@asynccontextmanager
async def started(
    cluster: Cluster, options: Mapping[str, bool | int | str] | None = None
) -> AsyncIterator[Room]:
    """A room in its first round, somebody about to discard. A round won on the first card shown
    (L4) has no discard; such a room is given up for the next."""
    for _ in range(9):
        async with opened(cluster, 3, options) as room:
            for seat in room.seats:
                await seat.ready()
            await room.pass_until(lambda at=room: at.discarding() is not None or at.over())
            if room.discarding() is not None:
                yield room
                return
    raise AssertionError("nine rounds without a discard")
