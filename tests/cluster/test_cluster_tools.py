"""The command lines of bots and load against running services."""

import asyncio
import sys

import pytest

from libs.variants import registry
from tests.cluster.cluster_nodes import ROOT, free_port
from tools import bots, load, play, verify


async def test_bots_play_from_the_command_line(cluster, capsys):
    """`python -m tools.bots` prints every round and a summary."""
    args = ["--target", cluster.target, "--rounds", "2", "--players", "2", "--seed", "3"]
    assert await asyncio.to_thread(bots.main, args) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("第") for line in lines) == 2
    assert lines[-1].startswith("hengyang_liuhuqiang: 2 rounds, won: seat 0 ")


async def _run(tool, *args):
    """Exit status, output and errors of a tool as a person starts it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", f"tools.{tool}", *map(str, args)),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(30):
        out, error = await process.communicate()
    return process.returncode, out.decode(), error.decode()


async def test_nobody_answers(tmp_path):
    """One line with what to do, within seconds, exit status 1."""
    token = tmp_path / "token"
    token.write_text("x")
    target = f"127.0.0.1:{free_port()}"
    args = {
        "play": ["--rules", target],
        "verify": ["--target", target, "--audit-token-file", token, "--match", "m", "--round", "1"],
    }
    tools = ("bots", "load", "play", "verify")
    runs = [_run(tool, *args.get(tool, ["--target", target])) for tool in tools]
    for code, out, error in await asyncio.gather(*runs):
        assert f"answers on {target}: start a cluster with `make run`" in error
        assert (code, out, error.count("\n")) == (1, "", 1)


@pytest.mark.parametrize("name", ["rules", "ledger"])
async def test_another_service_answers(cluster, name):
    """Not the match service: said as such, exit status 1, no traceback."""
    for tool in ("bots", "load"):
        code, out, error = await _run(tool, "--target", cluster.nodes[name].target)
        assert error.startswith("what answers there is another service")
        assert (code, out, error.count("\n")) == (1, "", 1)


async def test_what_the_service_refuses_is_listed(cluster):
    """A game or a number of players that does not exist: those that do, exit status 1."""
    games = ", ".join(sorted({game for game, _ in registry()}))
    for args, told in (
        (["--game", "nothing"], f"UNKNOWN_GAME: no such game or release (allowed: {games})\n"),
        (["--players", "5"], "UNKNOWN_PLAYERS: number of players (allowed: 2, 3)\n"),
    ):
        assert await _run("bots", "--target", cluster.target, *args) == (1, "", told)


WRONG = [
    (bots, ["--rounds", "0"]),
    (bots, ["--rounds", "101"]),
    (bots, ["--players", "-1"]),
    (load, ["--matches", "0"]),
    (load, ["--streams", "0"]),
    (load, ["--seconds", "0"]),
    (load, ["--seconds", "nan"]),
    (load, ["--think", "-1"]),
    (load, ["--pid", "x"]),
    (load, ["--pid", "client=1"]),
    (load, ["--pid", "x=999999999"]),
    (play, ["--rounds", "0"]),
    (play, ["--slow", "-1"]),
    (play, ["--players", "0"]),
]


@pytest.mark.parametrize(("tool", "args"), WRONG, ids=[" ".join(args) for _, args in WRONG])
def test_numbers_that_cannot_be(tool, args, capsys):
    """Refused by the command line, before a cluster is asked."""
    with pytest.raises(SystemExit) as ended:
        tool.main(args)
    assert ended.value.code == 2
    assert f"error: argument {args[0]}: " in capsys.readouterr().err


async def test_a_round_is_verified_from_the_log(cluster, tmp_path):
    """The log's public events agree with the seed, and so does the file they are kept in; another
    match id, round or token does not."""
    summary = await bots.play_match(cluster.target, "shashaer", 1, 1, lambda line: None)
    token, saved = tmp_path / "token", tmp_path / "events.jsonl"
    token.write_text(f"{cluster.audit_token}\n")
    log = ["--target", cluster.target, "--match", summary.match_id]
    asked = [*log, "--audit-token-file", token, "--round", "1", "--save", saved]
    code, told, error = await _run("verify", *asked)
    assert (code, error) == (0, "")
    assert told.startswith("the deck follows from the committed seed; ")
    assert await _run("verify", saved, "--match", summary.match_id) == (0, told, "")
    assert await _run("verify", saved, "--match", "another") == (
        *(1, ""),
        "verify: the seed is not the one that was committed to\n",
    )
    assert await _run("verify", *asked, "--round", "2") == (
        *(1, ""),
        "verify: the match has no round 2\n",
    )
    token.write_text("wrong")
    code, _, error = await _run("verify", *asked)
    assert (code, error.partition(":")[2].partition(":")[0]) == (1, " BAD_TOKEN")


@pytest.mark.parametrize(
    "args",
    [
        ["--match", "m"],
        ["--match", "m", "--target", "x", "--round", "1"],
        ["e.jsonl", "--match", "m", "--target", "x"],
        ["e.jsonl", "--match", "m", "--client-seed", "z"],
    ],
)
def test_verify_wants_a_file_or_a_log(args, capsys):
    """Neither or both: the command line is wrong."""
    with pytest.raises(SystemExit) as ended:
        verify.main(args)
    assert ended.value.code == 2
    assert "error: " in capsys.readouterr().err


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
