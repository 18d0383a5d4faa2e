"""Time at the table, all five games: the pause says nothing about who could claim (M4, Z8)."""

import random
import secrets
from collections.abc import Sequence
from pathlib import Path

import pytest
from match_kit import Gateway, House, views_of
from match_toy import Ports
from paiju.game.v1 import action_pb2
from paiju.match.v1 import match_pb2 as pb
from rules_kit import RULES, SCORING, served

from libs.variants import registry
from services.match.clients import GrpcRules, GrpcScoring

PAUSE, GRAIN = 400, 50
CLOCK = pb.ClockPolicy(
    preset=pb.ClockPolicy.PRESET_CUSTOM,
    discard_ms=10_000,
    claim_ms=8_000,
    ready_ms=1_000,
    claim_pause_ms=PAUSE,
    auto_after=1,
)
MOST_GRAINS = 20_000


class Table:
    """A round: discards come at once, claims are passed within the pause, by one seat never: it is
    on 托管 as soon as its time has run out once (M5)."""

    def __init__(self, house: House, seed: int, away: int) -> None:
        self.house = house
        self.gateway = Gateway(house)
        self.chance = random.Random(seed)
        self.away = away
        self.open: dict[int, tuple[action_pb2.Prompt, int]] = {}
        """By seat: its question, and the grains until it is answered."""
        self.passed = 0

    def take(self, updates: Sequence[pb.SessionResponse.Update]) -> None:
        """Notes the questions."""
        for seat in {update.seat for update in updates}:
            for view in views_of(updates, seat):
                if view.event.HasField("prompted"):
                    prompt = view.event.prompted.prompt
                    at_once = getattr(prompt, "class") == action_pb2.PROMPT_CLASS_DISCARD
                    wait = 0 if at_once else self.chance.randrange(PAUSE // GRAIN)
                    self.open[seat] = prompt, wait
                if view.event.HasField("prompt_closed"):
                    self.open.pop(seat, None)

    async def play(self, match_id: str) -> None:
        """Plays until the round ends."""
        for _ in range(MOST_GRAINS):
            self.take(await self.gateway.news())
            ready = [s for s, (_, wait) in self.open.items() if not wait and s != self.away]
            if ready:
                prompt, _ = self.open.pop(ready[0])
                self.passed += getattr(prompt, "class") == action_pb2.PROMPT_CLASS_CLAIM
                last = len(prompt.choices) - 1
                self.take(await self.gateway.act(match_id, ready[0], prompt.prompt_id, last))
                continue
            if (await self.house.match(match_id)).phase != pb.MATCH_PHASE_PLAYING:
                return
            await self.house.advance(GRAIN)
            self.open = {s: (p, max(0, wait - 1)) for s, (p, wait) in self.open.items()}
        pytest.fail("the round does not end")


def check_pauses(rows: Sequence[pb.LogRow]) -> int:
    """What comes by itself comes a whole pause after what everybody saw last and after the pause
    before, or with the answer that held it up for longer; how often it did."""
    shown, seen, pauses = 0, 0, 0
    for row in rows:
        if row.actor == "clock" and shown:
            assert row.at_ms == max(shown + PAUSE, seen), row.version
            pauses += 1
        if row.events or row.actor == "clock":
            shown = row.at_ms
        seen = row.at_ms
    return pauses


@pytest.mark.parametrize("game", sorted({game for game, _ in registry()}))
async def test_a_pass_within_the_pause_changes_no_time(
    tmp_path: Path, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether nobody could claim, somebody passed soon or late, or is on 托管 (M4, M5); in an
    opening whose questions nobody hears of, too (J4)."""
    monkeypatch.setattr(secrets, "token_bytes", random.Random(5).randbytes)  # always this deal
    players = min(registry()[game, 1].players)
    async with served(RULES) as rules, served(SCORING) as scoring:
        ports = Ports(GrpcRules(rules), GrpcScoring(scoring))
        async with House(tmp_path / "match.db", ports) as house:
            match_id, tokens = await house.seated(
                players, game=game, clock=CLOCK, rounds=1, command_id="this match"
            )
            table = Table(house, 5, players - 1)
            for token in tokens:
                await table.gateway.attach(match_id, token)
            await house.ready(match_id, tokens)
            await table.play(match_id)
            pauses = check_pauses(await house.events(match_id))
    assert pauses > 10
    assert table.passed
