"""The examples that the README shows play a whole match on a running cluster."""

import asyncio
import re
import sys

import pytest

from tests.cluster.cluster_nodes import ROOT, free_port
from tools.platform_api import Platform

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_the_readme_shows_the_examples_as_they_are(path):
    """Word for word, so that what is shown is what runs."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert path.read_text("utf-8") in blocks


def test_the_platform_needs_some_twenty_lines():
    """The first example stays as short as the README says."""
    assert len((ROOT / "examples/create_match.py").read_text("utf-8").splitlines()) <= 22


async def _run(name, target, given=b""):
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        ROOT / "examples" / name,
        target,
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(60):
        out, error = await process.communicate(given)
    return process.returncode, out.decode(), error.decode()


async def _done(name, target, given=""):
    """What an example prints that ends well."""
    code, out, error = await _run(name, target, given.encode())
    assert (code, error) == (0, "")
    return out


async def test_the_examples_play_a_match(cluster):
    """A platform seats three, a gateway plays their eight rounds to the closed match."""
    tickets = await _done("create_match.py", cluster.target)
    match_ids = {line.split()[0] for line in tickets.splitlines()}
    assert len(match_ids) == 1
    assert [line.split()[1] for line in tickets.splitlines()] == ["0", "1", "2"]
    lines = (await _done("play_seats.py", cluster.target, tickets)).splitlines()
    for seat in range(3):
        own = [line for line in lines if line.startswith(f"seat {seat}, round ")]
        assert [line.split()[3] for line in own] == [f"{n}:" for n in range(1, 9)]
    async with Platform(cluster.target) as platform:
        match = await platform.match(match_ids.pop())
    assert match.settled_rounds == 8
    assert lines[-1].endswith(str(list(match.totals)))
    # Tickets of a finished match: it is over, and the example ends.
    assert await _done("play_seats.py", cluster.target, tickets) == ""


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("{match} 0 {token}x\n", "match {match}: this is not a token of a seat of this match\n"),
        ("nobody 0 x\n", "match nobody: there is no such match\n"),
        ("", "no tickets on standard input\n"),
    ],
)
async def test_a_refused_ticket_ends_the_example(cluster, given, told):
    """A wrong token, a wrong match or no ticket at all: one line, no waiting, exit status 1."""
    tickets = await _done("create_match.py", cluster.target)
    match, _, token = tickets.split()[:3]
    text = given.format(match=match, token=token)
    code, out, error = await _run("play_seats.py", cluster.target, text.encode())
    assert (code, out) == (1, "")
    assert error == told.format(match=match)


async def test_the_example_says_that_nobody_answers():
    """One line instead of a traceback."""
    code, out, error = await _run("play_seats.py", f"127.0.0.1:{free_port()}", b"m 0 t\n")
    assert (code, out, error.count("\n")) == (1, "", 1)
    assert error.startswith("the stream broke: ")
