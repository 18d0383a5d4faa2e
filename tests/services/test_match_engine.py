"""The match service with the real engine, scoring and ledger behind its gRPC clients."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from match_kit import Context, Gateway, House, reason, sql, views_of
from match_toy import Ports
from paiju.ledger.v1 import ledger_pb2
from paiju.ledger.v1.ledger_pb2_grpc import LedgerServiceStub
from paiju.match.v1 import match_pb2 as pb
from rules_kit import GAME, RULES, SCORING, served

from libs.runtime import clients
from libs.runtime.errors import PaijuError
from libs.runtime.server import serving
from libs.runtime.settings import Settings
from services.ledger.main import SERVICE as LEDGER
from services.match.clients import GrpcLedger, GrpcRules, GrpcScoring
from services.match.port import FoldItem
from services.match.seal import Stored, first_broken
from services.match.table import secrets_of

SLOW_TABLE = pb.ClockPolicy(preset=pb.ClockPolicy.PRESET_FAST)


@asynccontextmanager
async def cluster(folder: Path) -> AsyncIterator[tuple[House, LedgerServiceStub]]:
    """All four services in this process."""
    env = {
        "PAIJU_LEDGER_DATABASE_URL": f"sqlite:///{folder / 'ledger.db'}",
        "PAIJU_LEDGER_PORT": "0",
        "PAIJU_LEDGER_METRICS_PORT": "0",
        "PAIJU_LEDGER_DRAIN_SECONDS": "0",
    }
    async with (
        served(RULES) as rules,
        served(SCORING) as scoring,
        serving(LEDGER, Settings.of("ledger", env)) as ledger_app,
        clients.channel(f"127.0.0.1:{ledger_app.port}") as ledger,
    ):
        ports = Ports(GrpcRules(rules), GrpcScoring(scoring), GrpcLedger(ledger))
        async with House(folder / "match.db", ports) as house:
            yield house, LedgerServiceStub(ledger)


class Players:
    """All seats of a match on one gateway; every open prompt is answered by chance."""

    def __init__(self, house: House, match_id: str, seed: int) -> None:
        self.house = house
        self.match_id = match_id
        self.gateway = Gateway(house)
        self.chance = random.Random(seed)
        self.sequences: dict[int, int] = {}
        self.open: dict[int, tuple[int, int]] = {}

    def take(self, updates: list) -> None:
        """Notes prompts; checks that every seat's numbers are dense."""
        for seat in {update.seat for update in updates}:
            for view in views_of(updates, seat):
                last = self.sequences.get(seat)
                assert last is None or view.seat_seq == last + 1
                self.sequences[seat] = view.seat_seq
                if view.event.HasField("prompted"):
                    prompt = view.event.prompted.prompt
                    self.open[seat] = (prompt.prompt_id, len(prompt.choices))
                if view.event.HasField("prompt_closed"):
                    self.open.pop(seat, None)

    async def play_on(self) -> None:
        """Answers until nobody is asked, letting display pauses pass."""
        self.take(await self.gateway.news())
        while (await self.house.match(self.match_id)).phase == pb.MATCH_PHASE_PLAYING:
            if not self.open:
                await self.house.advance(400)
            for seat, (prompt_id, choices) in sorted(self.open.items()):
                self.open.pop(seat, None)
                index = self.chance.randrange(choices)
                updates = await self.gateway.act(self.match_id, seat, prompt_id, index)
                assert reason(updates) in ("", "PROMPT_CLOSED")
                self.take(updates)
            self.take(await self.gateway.news())
        self.open.clear()


async def log_of(house: House, match_id: str) -> list[Stored]:
    """The stored rows."""
    return [logged.row for logged in await house.store.rows(match_id, 1, 10_000)]


async def fold_of(house: House, match_id: str, round_no: int) -> bytes:
    """The state that the records of a round lead to."""
    table = house.hub.slots[match_id].table
    rows = [row for row in await log_of(house, match_id) if row.round_no == round_no]
    records = tuple(r for row in rows for r in secrets_of(row, table.key).records)
    (state,) = await house.ports.rules.fold([FoldItem(b"", records)])
    return state


@pytest.mark.parametrize(("seed", "clock"), [(1, pb.ClockPolicy()), (2, SLOW_TABLE)])
async def test_two_rounds_of_the_real_game(
    tmp_path: Path, seed: int, clock: pb.ClockPolicy
) -> None:
    """Dense numbers, fold = state, whole chain, zero-sum ledger with empty escrows."""
    async with cluster(tmp_path) as (house, ledger):
        match_id, tokens = await house.seated(3, game=GAME, clock=clock)
        players = Players(house, match_id, seed)
        for token in tokens:
            players.take(await players.gateway.attach(match_id, token))
        for round_no in (1, 2):
            await house.ready(match_id, tokens)
            assert await fold_of(house, match_id, round_no) == _state(house, match_id)
            await players.play_on()
            await house.core.quiet()
            assert await fold_of(house, match_id, round_no) == _state(house, match_id)
        match = await house.match(match_id)
        assert (match.phase, match.settled_rounds) == (pb.MATCH_PHASE_CLOSED, 2)
        balance = await ledger.TrialBalance(ledger_pb2.TrialBalanceRequest())
        assert balance.total == 0
        for seat in range(3):
            for name in (f"player:p{seat}", f"escrow:{match_id}:{seat}"):
                request = ledger_pb2.GetAccountRequest(account_id=f"{name}:SCORE")
                account = (await ledger.GetAccount(request)).account
                wanted = match.totals[seat] if name.startswith("player") else 0
                assert account.balance == wanted
    columns = ", ".join((*Stored._fields, "hash"))
    rows = sql(tmp_path / "match.db", f"SELECT {columns} FROM match_log ORDER BY version")
    assert first_broken(match_id, [(Stored._make(row[:-1]), row[-1]) for row in rows]) is None


def _state(house: House, match_id: str) -> bytes:
    return house.hub.slots[match_id].table.state


async def test_a_running_round_is_aborted(tmp_path: Path) -> None:
    """CloseMatch inside a round: void, nothing to settle, accounts closed at 0."""
    async with cluster(tmp_path) as (house, ledger):
        match_id, tokens = await house.seated(2, game=GAME)
        await house.ready(match_id, tokens)
        request = pb.CloseMatchRequest(command_id="close", match_id=match_id)
        await house.servicer.close_match(request, Context())
        await house.core.quiet()
        match = await house.match(match_id)
        assert match.phase == pb.MATCH_PHASE_CLOSED
        assert list(match.totals) == [0, 0]
        balance = await ledger.TrialBalance(ledger_pb2.TrialBalanceRequest())
        assert balance.total == 0


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"game": "chess"}, "UNKNOWN_GAME"),
        ({"players": 7}, "UNKNOWN_PLAYERS"),
        ({"options": {"values": {"odd": {"int_value": 1}}}}, "UNKNOWN_OPTION"),
        ({"options": {"values": {"cap": {"string_value": "??"}}}}, "BAD_OPTION_VALUE"),
    ],
)
async def test_refusals_of_the_engine_pass_through(
    tmp_path: Path, change: dict, wanted: str
) -> None:
    """The platform reads the engine's own reason."""
    async with cluster(tmp_path) as (house, _ledger):
        with pytest.raises(PaijuError) as refused:
            await house.create(**{"players": 3, "game": GAME, **change})
        assert refused.value.reason == wanted


async def test_services_that_are_away(tmp_path: Path) -> None:
    """A port nobody listens on is UPSTREAM_UNAVAILABLE, not an internal error."""
    async with clients.channel("127.0.0.1:1") as nowhere:
        with pytest.raises(PaijuError, match="UPSTREAM_UNAVAILABLE"):
            await GrpcRules(nowhere).step([])
        with pytest.raises(PaijuError, match="UPSTREAM_UNAVAILABLE"):
            await GrpcScoring(nowhere).score_rounds([])
        with pytest.raises(PaijuError, match="UPSTREAM_UNAVAILABLE"):
            await GrpcLedger(nowhere).open_accounts("m", [], 1)
