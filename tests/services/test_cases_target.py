"""`tools.cases --target`: the worked cases put to running services give what they expect."""

import asyncio
import json
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from rules_kit import RULES, SCORING

from libs import variants
from libs.runtime.server import serving
from libs.runtime.settings import Settings
from libs.variants import registry
from services.ledger.main import SERVICE as LEDGER
from tools import cases


def _files(game):
    return sorted((Path(variants.__path__[0]) / game / "cases").glob("*.jsonl"))


def _cases(game):
    return [case for file in _files(game) for case in cases.read_cases(file)]


GAMES = sorted({game for game, _ in registry()})
FILE = _files("hengyang_liuhuqiang")[0]
CASES = list(cases.read_cases(FILE))
SERVED = ("score", "ting")
"""Kinds that an RPC answers, of every game."""


def _count(*kinds):
    return sum(case["kind"] in kinds for case in CASES)


@asynccontextmanager
async def target_of(service, **extra):
    """The address of a service in this process."""
    prefix = f"PAIJU_{service.name.upper()}_"
    given = {"PORT": "0", "METRICS_PORT": "0", "DRAIN_SECONDS": "0", **extra}
    env = {prefix + name: value for name, value in given.items()}
    async with serving(service, Settings.of(service.name, env)) as app:
        yield f"127.0.0.1:{app.port}"


async def _run(*args):
    """The command in a thread of its own: the services live on this loop."""
    return await asyncio.to_thread(cases.main, [str(arg) for arg in args])


@pytest.mark.parametrize("game", GAMES)
async def test_every_case_that_an_rpc_serves(game, capsys):
    """Scoring and the rules engine, addresses in any order; the kinds left are named."""
    files = _files(game)
    kinds = [case["kind"] for case in _cases(game)]
    async with target_of(SCORING) as scoring, target_of(RULES) as rules:
        assert await _run(*files, "--target", f"{rules},{scoring}") == 0
        assert await _run(*files, "--target", f"{scoring},{rules}") == 0
    out = capsys.readouterr().out
    left = [kind for kind in kinds if kind not in SERVED]
    served = len(kinds) - len(left)
    assert served > 60
    assert out.count(f"{served} as expected, 0 different, {len(left)} not run") == 2
    for kind in set(left):
        told = f"not run ({left.count(kind)}): kind {kind!r} of {game}: no RPC answers it"
        assert out.count(told) == 2


def _shifted(value):
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return f"{value}x" if isinstance(value, str) else [*value, 1]


def _keys():
    """(game, key of an expectation), with the first case that has it."""
    found = {}
    for game in GAMES:
        for case in _cases(game):
            for key in case["expect"] if case["kind"] == "score" else ():
                found.setdefault((game, key), case)
    return found


async def test_every_expected_key_is_compared_with_the_answer(tmp_path, capsys):
    """A wrong value under any key of any game is a difference; none is passed over."""
    keys = _keys()
    assert {("shashaer", "H"), ("jiangyan_23", "doubles"), ("jiangyan_23", "rounded")} <= set(keys)
    path, wrong = tmp_path / "wrong.jsonl", []
    for (_, key), case in keys.items():
        expect = {**case["expect"], key: _shifted(case["expect"][key])}
        wrong.append(json.dumps({**case, "expect": expect}))
    path.write_text("\n".join(wrong), "utf-8")
    async with target_of(SCORING) as target:
        assert await _run(path, "--target", target) == 1
    out = capsys.readouterr().out
    assert f"0 as expected, {len(keys)} different, 0 not run" in out
    for _, key in keys:
        assert f"    {key}: expected " in out


@pytest.mark.parametrize(("service", "kind"), [(SCORING, "score"), (RULES, "ting")])
async def test_one_target_serves_its_kind(service, kind, capsys):
    """With one address the other kinds are not run, and that is no difference."""
    async with target_of(service) as target:
        assert await _run(FILE, "--target", target) == 0
    served, other = _count(kind), {"score": "the rules engine", "ting": "scoring"}[kind]
    out = capsys.readouterr().out
    assert f": {other} answers it, and no target is that" in out
    assert f"{served} as expected, 0 different, {len(CASES) - served} not run" in out


def _written(path, kind, **change):
    case = next(case for case in CASES if case["kind"] == kind)
    path.write_text(json.dumps({**case, **change}), "utf-8")
    return path, case


async def test_a_difference_is_found_over_the_wire(tmp_path, capsys):
    """Another amount or another face: exit status 1, the differing key is printed."""
    path, score = _written(tmp_path / "score.jsonl", "score", expect={"payer_amount": 12345})
    async with target_of(SCORING) as target:
        assert await _run(path, "--target", target) == 1
    got = score["expect"]["payer_amount"]
    assert f"payer_amount: expected 12345, got {got}" in capsys.readouterr().out
    path, _ = _written(tmp_path / "ting.jsonl", "ting", expect={"own_draw": ["拾", "拾"]})
    async with target_of(RULES) as target:
        assert await _run(path, "--target", target) == 1
    assert 'own_draw: expected ["拾", "拾"]' in capsys.readouterr().out


async def test_a_refused_hand_is_a_difference(tmp_path, capsys):
    """What the service refuses is shown with its reason."""
    fours = [{"hand": "玖玖玖玖", "melds": []}] * 2
    seats = [*CASES[0]["seats"][:1], *fours]
    path, _ = _written(tmp_path / "score.jsonl", "score", seats=seats)
    async with target_of(SCORING) as target:
        assert await _run(path, "--target", target) == 1
    assert "refused: BAD_REQUEST" in capsys.readouterr().out


async def test_a_target_that_serves_neither(tmp_path, capsys):
    """The ledger and a port nobody listens on: one line, exit status 2."""
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    async with target_of(LEDGER, DATABASE_URL=url) as target:
        assert await _run(FILE, "--target", target) == 2
    assert capsys.readouterr().err == f"{target}: neither scoring nor the rules engine\n"
    assert await _run(FILE, "--target", target) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"{target}: no service answers there"]


async def test_a_game_without_adapters_is_not_run(tmp_path, capsys):
    """A game that offers no way to ask services: named, nothing ran."""
    path, _ = _written(tmp_path / "other.jsonl", "score", game="no_such_game")
    async with target_of(SCORING) as target:
        assert await _run(path, "--target", target) == 2
    assert "not run (1): game 'no_such_game' has no case runner" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (b'{"game": "shashaer", "expect": 1}', ":1: a case needs `game`, `kind` and `expect`"),
        (b'{"game": 7, "kind": "score", "expect": 1}', ":1: a case needs"),
        (b"\xff\xfe", ": not a text in UTF-8"),
        (None, ": No such file or directory"),
    ],
)
def test_a_file_that_is_none_is_one_line(given, text, tmp_path, capsys):
    """Not readable, or not cases: the file and why, exit status 2."""
    path = tmp_path / "some.jsonl"
    if given is not None:
        path.write_bytes(given)
    assert cases.main([str(path)]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"{path}{text}")
    assert told.count("\n") == 1


def test_a_case_that_cannot_be_answered_is_a_difference(tmp_path, capsys):
    """A case without its seats is shown with the reason; the others are still run."""
    path, case = _written(tmp_path / "score.jsonl", "score")
    torn = {key: value for key, value in case.items() if key != "win"} | {"dealer": "east"}
    path.write_text(f"{json.dumps(torn | {'players': 'x'})}\n{json.dumps(case)}", "utf-8")
    assert cases.main([str(path)]) == 1
    out = capsys.readouterr().out
    assert "the case cannot be answered: " in out
    assert "1 as expected, 1 different, 0 not run" in out
