"""A platform's side of the public API: it creates matches, seats players and reads results.

async with Platform("127.0.0.1:7401") as platform:
    room = await platform.create("hengyang_liuhuqiang", players=3, rounds=8)
    seats = [await platform.join(room.match_id, f"player-{n}") for n in range(3)]
    ...                                       # each ticket goes to the gateway of its player
    match = await platform.match(room.match_id)
    sheet = (await platform.round(room.match_id, 1)).sheet
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

from paiju.game.v1 import option_pb2
from paiju.match.v1 import match_pb2 as pb
from paiju.match.v1.match_pb2_grpc import MatchServiceStub

from libs.runtime.clients import Retry, channel, retrying

T = TypeVar("T")

PATIENT = Retry(attempts=120, first_seconds=0.05, most_seconds=0.5)
"""A platform waits about half a minute for a service that restarts."""

CALL_SECONDS = 15.0
REACH_SECONDS = 3.0
"""After so long without an answer a person is told."""

Say = Callable[[str], None]


class NoAnswer(Exception):
    """Nothing answers at an address; the text is one line that says what to do."""


class Ticket(NamedTuple):
    """A seat of a match and the token that lets its holder play it."""

    match_id: str
    seat: int
    token: str


def options_of(values: Mapping[str, bool | int | str]) -> option_pb2.Options:
    """Room options in their wire form."""
    options = option_pb2.Options()
    for key, value in values.items():
        if isinstance(value, bool):
            options.values[key].bool_value = value
        elif isinstance(value, int):
            options.values[key].int_value = value
        else:
            options.values[key].string_value = value
    return options


class Platform:
    """Calls of a platform; every mutation keeps its command id over all its attempts."""

    def __init__(self, target: str, audit_token: str = "", say: Say | None = None) -> None:
        """Connects lazily; `audit_token` opens ListEvents, `say` is told of long waits."""
        self._target, self._say = target, say
        self._channel = channel(target)
        self._metadata = (("audit-token", audit_token),) if audit_token else ()
        self.stub: Any = MatchServiceStub(self._channel)

    async def __aenter__(self) -> "Platform":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._channel.close()

    async def create(
        self,
        game: str,
        players: int,
        rounds: int,
        options: Mapping[str, bool | int | str] | None = None,
        clock: pb.ClockPolicy | None = None,
    ) -> pb.Match:
        """A match with all seats free (M1); without a clock it has no deadlines and no pauses."""
        request = pb.CreateMatchRequest(
            command_id=str(uuid4()),
            game=game,
            options=options_of(options or {}),
            players=players,
            rounds=rounds,
            clock=clock or pb.ClockPolicy(preset=pb.ClockPolicy.PRESET_NONE),
        )
        response: pb.CreateMatchResponse = await self.call(self.stub.CreateMatch, request)
        return response.match

    async def join(self, match_id: str, player_id: str) -> Ticket:
        """Takes the next free seat for a player (M2)."""
        request = pb.JoinRequest(
            command_id=str(uuid4()),
            match_id=match_id,
            player=pb.Player(player_id=player_id, display_name=player_id),
        )
        response: pb.JoinResponse = await self.call(self.stub.Join, request)
        return Ticket(match_id, response.seat, response.seat_token)

    async def match(self, match_id: str) -> pb.Match:
        """The match as everybody may see it."""
        request = pb.GetMatchRequest(match_id=match_id)
        response: pb.GetMatchResponse = await self.call(self.stub.GetMatch, request)
        return response.match

    async def round(self, match_id: str, round_no: int) -> pb.GetRoundResponse:
        """The stored sheet of a round and its ledger transaction."""
        request = pb.GetRoundRequest(match_id=match_id, round_no=round_no)
        response: pb.GetRoundResponse = await self.call(self.stub.GetRound, request)
        return response

    async def events(self, match_id: str) -> list[pb.LogRow]:
        """The whole log of a match, page by page."""
        rows: list[pb.LogRow] = []
        version = 1
        while version:
            request = pb.ListEventsRequest(match_id=match_id, from_version=version, page_size=1000)
            page: pb.ListEventsResponse = await self.call(self.stub.ListEvents, request)
            rows += page.rows
            version = page.next_version if page.rows else 0
        return rows

    async def call(self, method: Callable[..., Awaitable[T]], request: Any) -> T:
        """One call, repeated with the same body while the service is UNAVAILABLE."""
        calling = asyncio.ensure_future(
            retrying(
                lambda: method(request, timeout=CALL_SECONDS, metadata=self._metadata), PATIENT
            )
        )
        try:
            await asyncio.wait({calling}, timeout=REACH_SECONDS)
            if not calling.done() and self._say is not None:
                self._say(f"{self._target} cannot answer yet; trying for half a minute")
            return await calling
        finally:
            calling.cancel()


async def wait_ready(target: str, seconds: float = 30.0) -> None:
    """Waits until something listens on `target`. Raises TimeoutError."""
    async with asyncio.timeout(seconds), channel(target) as probe:
        await probe.channel_ready()


async def reach(target: str, what: str, name_it: str = "--target") -> None:
    """Raises NoAnswer, with what to do, if no gRPC service answers there within some seconds."""
    try:
        await wait_ready(target, REACH_SECONDS)
    except TimeoutError:
        raise NoAnswer(
            f"no {what} answers on {target}: start a cluster with `make run`, or name one with"
            f" {name_it}"
        ) from None
