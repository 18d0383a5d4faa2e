"""`python -m tools.play` against running services, as a person starts it."""

import asyncio
import io
import re
import signal
import sys

import pytest
from paiju.game.v1 import option_pb2
from paiju.match.v1 import match_pb2 as pb

from libs.game.cards import NAMES
from libs.variants import registry
from tests.cluster.cluster_nodes import ROOT, free_port
from tools import play
from tools.platform_api import Platform
from tools.play_input import Script
from tools.play_person import Quit, Style

GAMES = sorted({game for game, _ in registry()})
FIRST = GAMES[0]
SECONDS = 60
TRIES = 9
ASKS = "q quit] > "
SHEET = "── 第"
ENDED = (pb.MATCH_PHASE_FINISHING, pb.MATCH_PHASE_CLOSED)
"""A closed match may still be on its way through the ledger."""


def addresses(cluster):
    """Where the command line finds the cluster."""
    return ["--target", cluster.target, "--rules", cluster.nodes["rules"].target]


async def started(cluster, *args):
    """The program with open pipes."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tools.play", *addresses(cluster), "--slow", "0", *args,
        cwd=ROOT, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip


async def typed(cluster, lines, *args):
    """Exit status, output and errors of a person who types these lines."""
    process = await started(cluster, *args)
    text = "".join(f"{line}\n" for line in lines).encode()
    out, error = await asyncio.wait_for(process.communicate(text), SECONDS)
    return process.returncode, out.decode(), error.decode()


async def asked(cluster, lines, *args):
    """What `typed` gives, of a match that asks the person in its first round. One round in some
    hundreds is won before that (L4); the cards are the service's secret, so it is played again."""
    for _ in range(TRIES):
        code, out, error = await typed(cluster, lines, *args)
        if ASKS in out.split(SHEET)[0]:
            return code, out, error
    raise AssertionError("never asked")


async def asking(cluster):
    """The program at its first question, as `asked`."""
    for _ in range(TRIES):
        process = await started(cluster)
        seen = b""
        while not seen.endswith((ASKS.encode(), b"Enter = next round")):
            seen += await asyncio.wait_for(process.stdout.readexactly(1), SECONDS)
        if seen.endswith(ASKS.encode()):
            return process
        await asyncio.wait_for(process.communicate(), SECONDS)
    raise AssertionError("never asked")


async def newest(cluster, game):
    """The match made last."""
    async with Platform(cluster.target) as platform:
        request = pb.ListMatchesRequest(game=game, page_size=1)
        return (await platform.call(platform.stub.ListMatches, request)).matches[0]


@pytest.mark.parametrize("game", GAMES)
async def test_every_game_plays_itself(cluster, capsys, game):
    """--auto: one round, the same screens, the sheet and the end."""
    args = [*addresses(cluster), "--game", game, "--rounds", "1", "--auto", "--slow", "0"]
    for _ in range(TRIES):
        assert await asyncio.to_thread(play.main, args) == 0
        out = capsys.readouterr().out
        if ASKS in out:
            break
    assert ASKS in out, "never asked"
    assert "总局 final scores" in out
    assert (await newest(cluster, game)).phase == pb.MATCH_PHASE_CLOSED
    assert "\x1b" not in out


async def test_a_person_plays_two_rounds(cluster):
    """Hints, a wrong line, then Enter until the match is over; the totals add up to nothing."""
    lines = ["h", "nonsense", "s", *["h", ""] * 200]
    code, out, error = await asked(cluster, lines, "--rounds", "2", "--players", "2")
    assert (code, error) == (0, "")
    assert "'nonsense' is no choice" in out
    assert "no round is over yet" in out
    assert not re.search("no hint|TypeError", out)
    assert re.search(r"^  not 听 yet$|^  听  unseen|^  \S+ \S+: 听 ", out, re.MULTILINE)
    assert out.count(SHEET) == 2
    assert "Enter = next round" in out
    finals = [int(n) for n in re.findall(r"^  \d\. \S+ ([+-]?\d+)$", out, re.MULTILINE)]
    assert len(finals) == 2
    assert sum(finals) == 0


async def test_the_hand_shown_is_never_anybody_elses(cluster):
    """Until the round is over no card of another hand is named, only backs and numbers."""
    code, out, _ = await asked(cluster, ["q"], "--seat-name", "zoe")
    assert code == 0
    others, own = out.split("\nzoe  ")[0], out.split("\nzoe  ")[1]
    faces = set(filter(lambda name: len(name) == 1, NAMES.values())) - {"?"}
    shown = re.sub(r"第\S+局|亮张 .|· .*|zoe .*", "", others)
    assert not faces & set(re.sub(r"^.*─$", "", shown, flags=re.MULTILINE).split())
    assert faces & set(own.split())


async def test_who_leaves_closes_the_match(cluster):
    """q and the end of input: status 0, nobody waits at the table."""
    for lines in (["q"], []):
        code, out, error = await typed(cluster, lines)
        assert (code, error) == (0, "")
        assert out.endswith("you left; the match is closed\n")
        assert (await newest(cluster, FIRST)).phase in ENDED


async def test_ctrl_c_is_clean(cluster):
    """SIGINT at a question: status 130, one line, the match is closed."""
    process = await asking(cluster)
    process.send_signal(signal.SIGINT)
    out, error = await asyncio.wait_for(process.communicate(), SECONDS)
    assert process.returncode == 130
    assert out.decode().endswith("interrupted; the match is closed\n")
    assert error == b""
    assert (await newest(cluster, FIRST)).phase in ENDED


async def test_an_output_that_nobody_reads_ends_the_game(cluster):
    """`| head`: status 1 without a traceback, the match is closed."""
    process = await asking(cluster)
    process.stdout._transport.close()
    _, error = await asyncio.wait_for(process.communicate(b"\n" * 400), SECONDS)
    assert (process.returncode, error) == (1, b"")
    assert (await newest(cluster, FIRST)).phase in ENDED


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--game", "bridge"], "no game is called 'bridge'; there are: "),
        (["--players", "9"], "players, not 9"),
        (["--option", "no_such=1"], "has no option 'no_such'; it has: "),
        (["--seat-name", "x" * 65], "player.player_id"),
    ],
)
async def test_what_cannot_be_played_is_one_line(cluster, args, said):
    """Exit 1 and what is allowed instead."""
    code, _, error = await typed(cluster, [], "--auto", *args)
    assert said in error
    assert (code, error.count("\n")) == (1, 1)


async def test_a_terminal_asks_which_game():
    """By number, Enter for the first; wrong lines are asked again; q and the end leave."""
    found = [option_pb2.Variant(game=game) for game in ("one", "two")]

    async def picked(*lines):
        return (await play.picked(found, Style(io.StringIO(), Script(lines)))).game

    assert await picked("") == "one"
    assert await picked("3", "two", " 2 ") == "two"
    for lines in (["q"], ["0"]):
        with pytest.raises(Quit):
            await picked(*lines)


async def test_options_take_the_values_of_the_list(cluster, capsys):
    """--list names every option of every game; a value that is not there is refused with those
    that are, one that is there reaches the match."""
    where = addresses(cluster)
    assert await asyncio.to_thread(play.main, [*where, "--list"]) == 0
    listed = capsys.readouterr().out
    assert all(f"{game}  " in listed for game in GAMES)
    key, values = re.search(r"^    (\w+)=true .*\[(false\|true)\]", listed, re.MULTILINE).groups()
    game = re.search(rf"^(\w+)  (?:(?!^\w).)*?^    {key}=", listed, re.MULTILINE | re.DOTALL)[1]
    args = [*where, "--game", game, "--auto", "--rounds", "1", "--slow", "0", "--option"]
    assert await asyncio.to_thread(play.main, [*args, f"{key}=maybe"]) == 1
    assert f"{key} is {values.replace('|', ', ')}, not 'maybe'" in capsys.readouterr().err
    assert await asyncio.to_thread(play.main, [*args, f"{key}=false"]) == 0
    match = await newest(cluster, game)
    assert match.options.values[key].bool_value is False


async def test_without_a_cluster_it_says_how_to_start_one(cluster):
    """One line and exit 1, whichever service does not answer."""
    nowhere, names = f"127.0.0.1:{free_port()}", ("--target", "--rules")
    ends = await asyncio.gather(*(typed(cluster, [], "--auto", name, nowhere) for name in names))
    for name, (code, out, error) in zip(names, ends, strict=True):
        assert (code, out, error.count("\n")) == (1, "", 1)
        assert f"answers on {nowhere}: start a cluster with `make run`" in error
        assert error.endswith(f"or name one with {name}\n")
