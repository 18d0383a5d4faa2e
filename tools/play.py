"""Play any game in the terminal, against bots, on a running cluster: `python -m tools.play`.

Numbers choose, a card's name discards it, Enter takes what the prompt says (胡 where it is offered,
else what a timeout would take); h asks for 听牌 hints, s shows the last score sheet, q leaves.
Cards are dealt by the service; --seed is the bots'.
"""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple
from uuid import uuid4

import grpc
from paiju.game.v1 import option_pb2
from paiju.match.v1 import match_pb2 as pb
from paiju.rules.v1 import rules_pb2
from paiju.rules.v1.rules_pb2_grpc import RulesServiceStub

from libs.runtime import clients
from tools.bots import Bot, Plan
from tools.client import Gateway
from tools.console import MOST_ROUNDS, command, finish, warn, whole
from tools.platform_api import Platform, reach
from tools.play_hints import Hinter
from tools.play_input import Script, Typed
from tools.play_person import Person, Quit, Style
from tools.play_words import Words

READY_SECONDS = 3.0
SLOW_MS = 500
MOST_SLOW_MS = 60_000
CLOCKS = {
    "none": pb.ClockPolicy.PRESET_NONE,
    "fast": pb.ClockPolicy.PRESET_FAST,
    "normal": pb.ClockPolicy.PRESET_NORMAL,
    "slow": pb.ClockPolicy.PRESET_SLOW,
}
FRIENDS = ("阿明", "小芳", "老周", "阿珍")


class Unplayable(Exception):
    """The command line asks for what cannot be; the text is the one line to print."""


class Room(NamedTuple):
    """A match to be made."""

    variant: option_pb2.Variant
    players: int
    rounds: int
    options: dict[str, bool | int | str]
    names: tuple[str, ...]
    clock: pb.ClockPolicy


async def variants(target: str) -> list[option_pb2.Variant]:
    """The games that the rules engine plays."""
    async with clients.channel(target) as channel:
        stub: Awaitable[rules_pb2.ListVariantsResponse] = RulesServiceStub(channel).ListVariants(
            rules_pb2.ListVariantsRequest(), timeout=READY_SECONDS
        )
        return list((await stub).variants)


def chosen(found: Sequence[option_pb2.Variant], game: str) -> option_pb2.Variant:
    """The game of that id or name; the first one if none is named."""
    for variant in found:
        if not game or game in (variant.game, variant.name.zh):
            return variant
    known = ", ".join(f"{variant.game} {variant.name.zh}" for variant in found)
    raise Unplayable(f"no game is called {game!r}; there are: {known}")


async def picked(found: Sequence[option_pb2.Variant], style: Style) -> option_pb2.Variant:
    """The game that the person at the terminal picks. Raises Quit."""
    numbers = {str(number): variant for number, variant in enumerate(found, 1)}
    for number, variant in numbers.items():
        style.out.write(f"  {number} {variant.name.zh}  {variant.name.en}\n")
    while True:
        style.out.write(f"[1–{len(found)}, Enter = 1, q quit] > ")
        style.out.flush()
        typed = await style.source.line()
        if typed is None or typed.strip() == "q":
            raise Quit
        if (typed.strip() or "1") in numbers:
            return numbers[typed.strip() or "1"]
        style.out.write(f"{typed!r} is no choice\n")


def option(variant: option_pb2.Variant, text: str) -> tuple[str, bool | int | str]:
    """`key=value` with the value in the option's own type. Raises Unplayable."""
    key, _, value = text.partition("=")
    spec = next((spec for spec in variant.options if spec.key == key), None)
    if spec is None:
        known = ", ".join(spec.key for spec in variant.options)
        raise Unplayable(f"{variant.name.zh} has no option {key!r}; it has: {known}")
    allowed = [value_of(choice.value) for choice in spec.choices]
    if not allowed and value.removeprefix("-").isdecimal():
        return key, int(value)
    for choice in allowed:
        if value.lower() == str(choice).lower():
            return key, choice
    told = ", ".join(str(choice).lower() for choice in allowed) or f"{spec.min} to {spec.max}"
    raise Unplayable(f"{key} is {told}, not {value!r}")


def value_of(value: option_pb2.OptionValue) -> bool | int | str:
    """An option's value as it is."""
    plain: bool | int | str = getattr(value, value.WhichOneof("kind") or "string_value")
    return plain


def catalogue(found: Sequence[option_pb2.Variant]) -> list[str]:
    """Games with players and options, for --list."""
    lines = []
    for variant in found:
        players = ", ".join(map(str, variant.players))
        lines.append(f"{variant.game}  {variant.name.zh}, players: {players}")
        for spec in variant.options:
            values = "|".join(str(value_of(choice.value)).lower() for choice in spec.choices)
            values = values or f"{spec.min}..{spec.max}"
            default = str(value_of(spec.default_value)).lower()
            lines.append(f"    {spec.key}={default}  {spec.label.zh}  [{values}]  {spec.clause}")
    return lines


def room(args: argparse.Namespace, variant: option_pb2.Variant) -> Room:
    """The match that the command line asks for. Raises Unplayable."""
    players = args.players or max(variant.players)
    if players not in variant.players:
        allowed = ", ".join(map(str, variant.players))
        raise Unplayable(f"{variant.name.zh} is for {allowed} players, not {players}")
    others = [name for name in FRIENDS if name != args.seat_name][: players - 1]
    clock = pb.ClockPolicy(preset=CLOCKS[args.clock])
    options = dict(option(variant, text) for text in args.option)
    return Room(variant, players, args.rounds, options, (args.seat_name, *others), clock)


async def play(args: argparse.Namespace, style: Style) -> None:
    """Makes the match, seats the person and the bots, plays to the end and closes the match."""
    found = await variants(args.rules)
    asks = style.redraw and not (args.game or style.auto)
    variant = await picked(found, style) if asks else chosen(found, args.game)
    wanted = room(args, variant)
    async with (
        Platform(args.target, say=warn) as platform,
        Gateway(args.target, say=warn) as gateway,
        clients.channel(args.rules) as rules,
    ):
        match = await platform.create(
            variant.game, wanted.players, wanted.rounds, wanted.options, wanted.clock
        )
        async with _closing(platform, match.match_id):
            tickets = [await platform.join(match.match_id, name) for name in wanted.names]
            words = Words.of(variant, wanted.names, colour_of(args))
            person = Person(tickets[0], match, words, style)
            person.hinter = Hinter(rules)
            plan = Plan(variant.game, wanted.rounds, args.seed, wanted.players)
            await _at_table(gateway, person, [Bot(ticket, plan) for ticket in tickets[1:]])


@asynccontextmanager
async def _closing(platform: Platform, match_id: str) -> AsyncIterator[None]:
    """Nobody waits at a table that its person has left, for whatever reason."""
    over = False
    try:
        yield
        over = True
    finally:
        if not over:
            request = pb.CloseMatchRequest(
                command_id=str(uuid4()), match_id=match_id, reason="the person left"
            )
            with suppress(grpc.aio.AioRpcError):  # the cluster may be gone
                await platform.stub.CloseMatch(request, timeout=READY_SECONDS)


async def _at_table(gateway: Gateway, person: Person, bots: Sequence[Bot]) -> None:
    """The person plays until the match is over; a bot that fails ends it for all."""
    for bot in bots:
        bot.done.add_done_callback(_failure(person))
        bot.sit(gateway)
    person.sit(gateway)
    playing = asyncio.create_task(person.play())
    try:
        await gateway.guard(playing)
    finally:
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        for bot in bots:
            bot.leave()


def _failure(person: Person) -> Callable[["asyncio.Future[None]"], None]:
    def ended(done: "asyncio.Future[None]") -> None:
        error = None if done.cancelled() else done.exception()
        if error is not None:
            person.fail(error)

    return ended


def colour_of(args: argparse.Namespace) -> bool:
    """Colours go to a terminal only."""
    return not args.no_color and sys.stdout.isatty()


async def run(args: argparse.Namespace) -> None:
    """Looks for the cluster, then lists or plays."""
    await reach(args.rules, "rules engine", "--rules")
    if args.list:
        sys.stdout.write("".join(f"{line}\n" for line in catalogue(await variants(args.rules))))
        return
    await reach(args.target, "match service")
    style = Style(
        out=sys.stdout,
        source=Script() if args.auto else Typed(sys.stdin.fileno()),
        redraw=sys.stdout.isatty(),
        slow=args.slow / 1000,
        auto=args.auto,
        seed=args.seed,
    )
    await play(args, style)


async def _command(args: argparse.Namespace) -> int:
    try:
        await run(args)
    except Quit:
        sys.stdout.write("\nyou left; the match is closed\n")
    except asyncio.CancelledError:  # Ctrl-C
        sys.stdout.write("\ninterrupted; the match is closed\n")
        raise
    except Unplayable as error:
        warn(str(error))
        return 1
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="python -m tools.play",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = made.add_argument
    add("--target", default="127.0.0.1:7401", help="match service (%(default)s)")
    add("--rules", default="127.0.0.1:7402", help="rules engine (%(default)s)")
    add("--list", action="store_true", help="the games and their options")
    add("--game", default="", help="id or name of the game; the first one listed")
    add("--players", type=whole(1), default=0, help="seats; the most the game has")
    add("--rounds", type=whole(1, MOST_ROUNDS), default=8, help="of the match (%(default)s)")
    add("--option", nargs="+", action="extend", default=[], metavar="KEY=VALUE",
        help="room options (see --list)")  # fmt: skip
    add("--seed", type=int, default=0, help="seed of the bots (%(default)s)")
    add("--seat-name", default="you", help="your name at the table")
    add("--auto", action="store_true", help="a bot plays your seat too")
    add("--slow", type=whole(0, MOST_SLOW_MS), default=SLOW_MS, metavar="MS",
        help="milliseconds between events (%(default)s)")  # fmt: skip
    add("--clock", choices=sorted(CLOCKS), default="none", help="time to think (%(default)s)")
    add("--no-color", action="store_true", help="no colours")
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    return finish(_command(parser().parse_args(argv)))


if __name__ == "__main__":
    sys.exit(command(main))
