"""`tools.cases --target`: the worked cases put to running services give what they expect."""

import asyncio
import json
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from rules_kit import RULES, SCORING

import libs.variants.hengyang_liuhuqiang as game
from libs.runtime.server import serving
from libs.runtime.settings import Settings
from services.ledger.main import SERVICE as LEDGER
from tools import cases

FILE = Path(game.__file__).parent / "cases" / "cases.jsonl"
CASES = list(cases.read_cases(FILE))


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


async def test_every_case_that_an_rpc_serves(capsys):
    """Scoring and the rules engine, addresses in any order; 吃 cases are named as not run."""
    async with target_of(SCORING) as scoring, target_of(RULES) as rules:
        assert await _run(FILE, "--target", f"{rules},{scoring}") == 0
        assert await _run(FILE, "--target", f"{scoring},{rules}") == 0
    out = capsys.readouterr().out
    served, left = _count("score", "ting"), _count("chi")
    assert served > 80
    assert out.count(f"{served} as expected, 0 different, {left} not run") == 2
    assert f"not run ({left}): kind 'chi'" in out


@pytest.mark.parametrize(("service", "kind"), [(SCORING, "score"), (RULES, "ting")])
async def test_one_target_serves_its_kind(service, kind, capsys):
    """With one address the other kinds are not run, and that is no difference."""
    async with target_of(service) as target:
        assert await _run(FILE, "--target", target) == 0
    served = _count(kind)
    assert f"{served} as expected, 0 different, {len(CASES) - served} not run" in (
        capsys.readouterr().out
    )


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
    path, _ = _written(tmp_path / "score.jsonl", "score", dealer=7)
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
    assert len(lines) == 1
    assert lines[0].startswith(f"{target}: UNAVAILABLE")


async def test_a_game_without_adapters_is_not_run(tmp_path, capsys):
    """A game that offers no way to ask services: named, nothing ran."""
    path, _ = _written(tmp_path / "other.jsonl", "score", game="no_such_game")
    async with target_of(SCORING) as target:
        assert await _run(path, "--target", target) == 2
    assert "not run (1): game 'no_such_game' has no case runner" in capsys.readouterr().out
