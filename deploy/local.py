"""The local cluster: `make run`.

Starts the four services as processes on loopback, keeps them running, plays one match of bots
through the public API and shows its result. ONCE=1 ends after the match; GAME, ROUNDS and SEED
choose the match, VAR another folder than var/; PAIJU_<SERVICE>_<SETTING> reaches the services as
everywhere, and one that no service has is refused here.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import grpc
from paiju.ledger.v1 import ledger_pb2, ledger_pb2_grpc

from deploy.report import balance_lines, summary_line
from deploy.supervise import ROOT, Keeper, LocalError, Part
from libs.runtime import clients
from libs.runtime.errors import StartupError
from libs.runtime.server import check_port, loop_factory
from libs.runtime.settings import SettingError, Settings, misspelt
from libs.variants import registry
from services.match.keys import make_secret
from tools.bots import play_match
from tools.client import GaveUp, Refused
from tools.console import MOST_ROUNDS, counted, failure, unreadable

HOST = "127.0.0.1"
_SERVICES = (
    Part("rules", "services.rules_engine.main", 7402, 7412),
    Part("scoring", "services.scoring.main", 7403, 7413),
    Part("ledger", "services.ledger.main", 7404, 7414),
    Part("match", "services.match.main", 7401, 7411),
)


@dataclass(frozen=True)
class Plan:
    """What to run and to play."""

    parts: tuple[Part, ...]
    env: Mapping[str, str]
    folder: Path
    game: str
    rounds: int
    seed: int
    once: bool

    def target(self, name: str) -> str:
        """Where a service listens."""
        return next(f"{HOST}:{part.port}" for part in self.parts if part.name == name)


def plan(env: Mapping[str, str]) -> Plan:
    """The plan that the environment asks for. Raises SettingError."""
    for name, nearest in misspelt(env):
        raise SettingError(f"{name} is no setting; the nearest is {nearest}")
    parts = tuple(_part(part, Settings.of(part.name, env)) for part in _SERVICES)
    game = _game(env.get("GAME") or "hengyang_liuhuqiang")
    rounds, seed = _number(env, "ROUNDS", 8, MOST_ROUNDS), _number(env, "SEED", 1, 2**31)
    once = env.get("ONCE", "") not in ("", "0")
    folder = Path(env.get("VAR") or ROOT / "var").resolve()
    return Plan(parts, env, folder, game, rounds, seed, once)


def _part(part: Part, settings: Settings) -> Part:
    return part._replace(
        port=settings.integer("PORT", part.port, 1, 65535),
        metrics_port=settings.integer("METRICS_PORT", part.metrics_port, 1, 65535),
    )


def _game(name: str) -> str:
    """A game by its id or 汉字 name, before anything is started for it."""
    games = {variant.game: variant.zh for variant in registry().values()}
    for game, zh in games.items():
        if name in (game, zh):
            return game
    known = ", ".join(f"{game} {zh}" for game, zh in sorted(games.items()))
    raise SettingError(f"GAME: no game is called {name!r}; there are: {known}")


def _number(env: Mapping[str, str], name: str, default: int, most: int) -> int:
    text = env.get(name) or str(default)
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text) <= most:
        raise SettingError(f"{name} must be a whole number from 1 to {most}")
    return int(text)


def service_env(todo: Plan) -> dict[str, str]:
    """The environment of the services; what is set outside wins. The match makes its own key."""
    keys = todo.folder / "keys"
    if not (keys / "audit.token").exists():
        make_secret(keys / "audit.token")
    made = {
        "GRPC_ENABLE_FORK_SUPPORT": "0",
        "PAIJU_MATCH_DATABASE_URL": f"sqlite:///{todo.folder / 'match.db'}",
        "PAIJU_LEDGER_DATABASE_URL": f"sqlite:///{todo.folder / 'ledger.db'}",
        "PAIJU_MATCH_KEY_FILE": str(keys / "match.key"),
        "PAIJU_MATCH_AUDIT_TOKEN_FILE": str(keys / "audit.token"),
    }
    for name in ("rules", "scoring", "ledger"):
        made[f"PAIJU_MATCH_{name.upper()}_TARGET"] = todo.target(name)
    return made | dict(todo.env)


def own_env(env: Mapping[str, str], service: str) -> dict[str, str]:
    """What one service is told: the match's key and token are nobody else's."""
    others = tuple(f"PAIJU_{part.name.upper()}_" for part in _SERVICES if part.name != service)
    return {name: value for name, value in env.items() if not name.startswith(others)}


def say(text: str) -> None:
    """A line for the person at the terminal."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _keepers(todo: Plan) -> list[Keeper]:
    """The keepers of the services; StartupError if one of their ports is taken."""
    for part in todo.parts:
        for port in (part.port, part.metrics_port):
            check_port(part.name, HOST, port)
    logs = todo.folder / "logs"
    try:
        todo.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        logs.mkdir(parents=True, exist_ok=True)
        env = service_env(todo)
    except OSError as error:
        raise LocalError(f"VAR: cannot write to {todo.folder}: {error.strerror}") from None
    return [Keeper(part, own_env(env, part.name), logs, say) for part in todo.parts]


async def _start(todo: Plan, keepers: Sequence[Keeper]) -> None:
    await asyncio.gather(*(keeper.start() for keeper in keepers))
    for part in todo.parts:
        say(f"{part.name:8}{HOST}:{part.port}  http://{HOST}:{part.metrics_port}/metrics")


async def _stop(keepers: Sequence[Keeper]) -> None:
    """The match first, so that it can still hand over what it has."""
    for keeper in reversed(keepers):
        await keeper.stop()


async def _trial_balance(target: str) -> ledger_pb2.TrialBalanceResponse:
    async with clients.channel(target) as channel:
        stub = ledger_pb2_grpc.LedgerServiceStub(channel)
        request = ledger_pb2.TrialBalanceRequest()
        answer: ledger_pb2.TrialBalanceResponse = await clients.retrying(
            lambda: stub.TrialBalance(request, timeout=10)
        )
        return answer


async def _demo(todo: Plan) -> str:
    """Plays the match, every sheet on the terminal; returns the summary line."""
    rounds = counted(todo.rounds, "round")
    say(f"playing {rounds} of {todo.game} with bots, seed {todo.seed}")
    played = await play_match(todo.target("match"), todo.game, todo.rounds, todo.seed, say)
    balance = await _trial_balance(todo.target("ledger"))
    for line in balance_lines(balance):
        say(line)
    if balance.total != 0 or played.rounds != todo.rounds:
        raise LocalError("the ledger does not agree with the match")
    return summary_line(played, balance.total)


async def _play_and_stay(todo: Plan, keepers: Sequence[Keeper], played: asyncio.Event) -> None:
    """Ends after the match if it shall run once, else never; LocalError if a service is lost."""
    await _start(todo, keepers)
    keeping = asyncio.gather(*(keeper.keep() for keeper in keepers))
    demo = asyncio.create_task(_demo(todo))
    try:
        await asyncio.wait((demo, keeping), return_when=asyncio.FIRST_COMPLETED)
        if keeping.done():
            keeping.result()
        say(demo.result())
        played.set()
        if not todo.once:
            say("staying up; Ctrl-C ends it")
            await keeping
    finally:
        demo.cancel()
        keeping.cancel()
        await asyncio.gather(demo, keeping, return_exceptions=True)


async def run(todo: Plan) -> int:
    """Runs the cluster until it is done or told to stop; no child outlives it."""
    keepers = _keepers(todo)
    stopped, played = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stopped.set)
    work = asyncio.create_task(_play_and_stay(todo, keepers, played))
    stop = asyncio.create_task(stopped.wait())
    try:
        await asyncio.wait((work, stop), return_when=asyncio.FIRST_COMPLETED)
        if stop.done():
            return 0 if played.is_set() else 130
        work.result()
        return 0
    finally:
        work.cancel()
        stop.cancel()
        await asyncio.gather(work, stop, return_exceptions=True)
        await _stop(keepers)


def main() -> int:
    """Command line."""
    os.umask(0o077)  # databases and logs are their owner's only
    try:
        todo = plan(os.environ)
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            return runner.run(run(todo))
    except KeyboardInterrupt:
        return 130
    except (StartupError, LocalError) as error:
        sys.stderr.write(f"{error}\n")
    except OSError as error:
        sys.stderr.write(f"{unreadable(error)}\n")
    except (Refused, GaveUp, grpc.aio.AioRpcError) as error:
        sys.stderr.write(f"the match failed: {failure(error)}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
