"""The command lines of bots and load against running services."""

import asyncio

from tools import bots, load


async def test_bots_play_from_the_command_line(cluster, capsys):
    """`python -m tools.bots` prints every round and a summary."""
    args = ["--target", cluster.target, "--rounds", "2", "--players", "2", "--seed", "3"]
    assert await asyncio.to_thread(bots.main, args) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("第") for line in lines) == 2
    assert lines[-1].startswith("hengyang_liuhuqiang: 2 rounds, won: seat 0 ")


async def test_a_match_can_be_played_in_one_call(cluster):
    """`play_match`, as scripts use it."""
    lines = []
    summary = await bots.play_match(cluster.target, "hengyang_liuhuqiang", 1, 2, lines.append)
    assert (summary.rounds, summary.players) == (1, 3)
    assert summary.match_id in lines[0]


async def test_load_is_measured_and_cleans_up(cluster):
    """Commands, latencies, CPU of each process; no match is left open."""
    pids = {name: node.pid for name, node in cluster.nodes.items()}
    plan = load.Load(cluster.target, matches=6, seconds=1.0, think=0.01, pids=pids)
    measured = await load.measure(plan)
    assert measured.commands > 20
    assert 0 < measured.p50_ms <= measured.p99_ms
    assert set(measured.cpu_us) == {"match", "rules", "scoring", "ledger", "client"}
    assert measured.cpu_us["match"] > 0
    assert any(line.startswith("durable_commands_per_s") for line in measured.lines())


def test_quantiles_of_nothing_and_of_few():
    """No answer at all is 0, the last value is never passed."""
    assert load.quantile([], 0.5) == 0
    assert load.quantile([1, 2, 3], 0.5) == 2
    assert load.quantile([1, 2, 3], 1.0) == 3
