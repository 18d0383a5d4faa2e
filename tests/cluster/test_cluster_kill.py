"""kill -9 of every service during play: nothing acknowledged is lost, nothing happens twice."""

import asyncio
from random import Random

import pytest

from tests.cluster.cluster_checks import Acks, check_match
from tests.cluster.cluster_nemesis import Progress, schedule, torment
from tests.cluster.cluster_nodes import running
from tools.bots import Plan, play

GAME = "hengyang_liuhuqiang"
SECONDS = 60.0


async def play_and_kill(home, seed: int, kills: int, rounds: int, views: int) -> None:
    """A match that lives through `kills` deaths of its services and can be verified."""
    acks, progress = Acks(), Progress()
    deaths = schedule(Random(seed), kills, views)
    plan = Plan(GAME, rounds, seed, on_reply=acks.note, on_view=progress.note)
    async with running(home) as cluster:
        async with asyncio.timeout(SECONDS * kills / 20):
            tormented = asyncio.create_task(torment(cluster, progress, deaths))
            summary = await play(cluster.target, plan, lambda line: None)
        assert tormented.done(), f"the match ended before every kill: {progress.views} views"
        counts = await tormented
        assert sum(counts.values()) == kills
        assert set(counts.values()) == {kills // 4}
        assert summary.streams > kills // 4, "every death of match breaks the stream"
        await check_match(cluster, summary.match_id, acks)


async def test_twenty_kills_do_not_harm_a_match(tmp_path):
    """All four services die five times each at random moments of one match."""
    await play_and_kill(tmp_path, seed=7, kills=20, rounds=12, views=1000)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
async def test_sixty_kills_do_not_harm_a_match(tmp_path, seed):
    """The same for longer and with other moments."""
    await play_and_kill(tmp_path, seed=seed, kills=60, rounds=25, views=2400)
