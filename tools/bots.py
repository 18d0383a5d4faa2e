"""Bots that play a whole match through the public API: `python -m tools.bots --target HOST:PORT`.

They are ordinary clients: they hold seat tokens, receive what their seat may know, and answer its
prompts. Everything they decide follows from a seed.
"""

import argparse
import asyncio
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from paiju.game.v1 import action_pb2, option_pb2, sheet_pb2
from paiju.match.v1 import match_pb2 as pb

from libs.variants.jiangyan_23 import scoring as jiangyan
from libs.variants.qidong_shiwuhu import scoring as shiwuhu
from libs.variants.shashaer import scoring as shashaer
from tools.bot_guihuzi import Guihuzi
from tools.bot_paohuzi import Paohuzi
from tools.bot_pengpai import Pengpai
from tools.bot_table import TableView
from tools.client import Gateway, OnReply, Refused, Seat
from tools.console import MOST_ROUNDS, command, counted, finish, warn, whole
from tools.platform_api import Platform, Ticket, reach
from tools.sheets import deltas, sheet_lines

Out = Callable[[str], None]
Values = Mapping[str, bool | int | str]

_OVERTAKEN = frozenset({"STALE_PROMPT", "PROMPT_CLOSED", "MATCH_CLOSED"})
"""Refusals a fair player meets: somebody else's answer settled the question first."""


class Strategy(Protocol):
    """Decides one prompt from what the seat knows."""

    def choose(self, table: TableView, prompt: action_pb2.Prompt, rng: Random) -> int:
        """The index of the choice taken."""


class Cautious:
    """For games without a strategy of their own: takes every win, else the default."""

    def choose(self, table: TableView, prompt: action_pb2.Prompt, rng: Random) -> int:
        """The first 胡, else what a timeout would take."""
        kinds = [choice.WhichOneof("kind") for choice in prompt.choices]
        return kinds.index("hu") if "hu" in kinds else prompt.default_choice


def _paohuzi(options: option_pb2.Options) -> Strategy:
    values = options.values
    least = values["qi_hu"].int_value if "qi_hu" in values else Paohuzi().least
    return Paohuzi("yi_wu_shi" in values and values["yi_wu_shi"].bool_value, least, least)


STRATEGIES: dict[str, Callable[[option_pb2.Options], Strategy]] = {
    "hengyang_liuhuqiang": _paohuzi,
    "qidong_shiwuhu": lambda options: Paohuzi(False, shiwuhu.LEAST, shiwuhu.LEAST_BLACK),
    "yuanjiang_guihuzi": lambda options: Guihuzi(),
    "jiangyan_23": lambda options: Pengpai(jiangyan.BIG),
    "shashaer": lambda options: Pengpai(shashaer.BIG),
}
"""Game id to strategy; a new game adds a line."""


def strategy_of(match: pb.Match) -> Strategy:
    """The strategy of a match's game."""
    make = STRATEGIES.get(match.game)
    return Cautious() if make is None else make(match.options)


@dataclass(frozen=True)
class Plan:
    """A match to play. `on_reply` sees every final answer, `on_view` every view by seat."""

    game: str
    rounds: int = 8
    seed: int = 0
    players: int = 3
    options: Values = field(default_factory=dict)
    clock: pb.ClockPolicy | None = None
    on_reply: OnReply | None = None
    on_view: Callable[[int, pb.View], None] | None = None
    patience: float = 30.0


@dataclass(frozen=True)
class Summary:
    """How a match went. `wins` and `finals` are by seat; `finals` holds the end rules (L12)."""

    match_id: str
    game: str
    players: int
    rounds: int
    wins: tuple[int, ...]
    liu_ju: int
    totals: tuple[int, ...]
    finals: tuple[int, ...]
    commands: int
    overtaken: int
    streams: int

    def line(self) -> str:
        """One line for a terminal."""
        won = ", ".join(f"seat {seat} {n}" for seat, n in enumerate(self.wins))
        rounds = counted(self.rounds, "round")
        return f"{self.game}: {rounds}, won: {won}, 流局 {self.liu_ju}"


class Bot:
    """One seat: keeps its table, answers its prompts, is ready for every round."""

    def __init__(self, ticket: Ticket, plan: Plan) -> None:
        """A bot of its own seed."""
        self.ticket = ticket
        self.table = TableView(ticket.seat, plan.players)
        self.sheets: dict[int, sheet_pb2.ScoreSheet] = {}
        self.finals: tuple[int, ...] = ()
        self.overtaken = 0
        self.on_sheet: Callable[[pb.MatchEvent.RoundScored], None] | None = None
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._plan = plan
        self._rng = Random(f"{plan.seed}/{ticket.seat}")
        self._strategy: Strategy = Cautious()
        self._seat: Seat | None = None
        self._answered = (0, 0)
        self._ready_for = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def sit(self, gateway: Gateway) -> None:
        """Attaches to the seat and plays from now on."""
        self._seat = gateway.attach(self.ticket, self._view)
        self._seat.lost.add_done_callback(lambda lost: self._fail(lost.result()))

    def _view(self, view: pb.View) -> None:
        if self._plan.on_view is not None:
            self._plan.on_view(self.ticket.seat, view)
        kind = view.WhichOneof("kind")
        if kind == "event":
            self.table.apply(view.event)
        elif kind == "snapshot":
            self._snapshot(view.snapshot)
        elif kind == "match_event":
            self._match_event(view.match_event)
        self._react()

    def _snapshot(self, snapshot: pb.Snapshot) -> None:
        match = snapshot.match
        self._strategy = strategy_of(match)
        if snapshot.HasField("table"):
            self.table.load(snapshot.table)
        if match.phase == pb.MATCH_PHASE_CLOSED:
            self._finish()
        waits = match.phase in (pb.MATCH_PHASE_OPEN, pb.MATCH_PHASE_BETWEEN)
        if waits and not match.seats[self.ticket.seat].ready:
            self._ready(match.round_no + 1)

    def _match_event(self, event: pb.MatchEvent) -> None:
        kind = event.WhichOneof("kind")
        if kind == "round_scored":
            number = event.round_scored.sheet.round_no
            self.sheets[number] = event.round_scored.sheet
            if self.on_sheet is not None:
                self.on_sheet(event.round_scored)
            if number < self._plan.rounds:
                self._ready(number + 1)
        elif kind == "match_scored":
            self.finals = tuple(event.match_scored.finals)
        elif kind == "match_closed":
            self._finish()

    def _react(self) -> None:
        prompt = self.table.prompt
        if prompt is None or self.done.done():
            return
        question = (self.table.round_no, prompt.prompt_id)
        if question != self._answered:
            self._answered = question
            self._spawn(self._answer(question))

    async def _answer(self, question: tuple[int, int]) -> None:
        # Runs once everything that came with the prompt is known.
        prompt = self.table.prompt
        if prompt is None or question != (self.table.round_no, prompt.prompt_id):
            return
        assert self._seat is not None
        index = self._strategy.choose(self.table, prompt, self._rng)
        try:
            await self._seat.answer(prompt.prompt_id, index)
        except Refused as refused:
            if refused.reason not in _OVERTAKEN:
                raise
            self.overtaken += 1

    def _ready(self, round_no: int) -> None:
        if self._ready_for < round_no:
            self._ready_for = round_no
            assert self._seat is not None
            self._spawn(self._say_ready(self._seat))

    async def _say_ready(self, seat: Seat) -> None:
        try:
            await seat.ready()
        except Refused as refused:
            if refused.reason not in {"ALREADY_STARTED", "MATCH_CLOSED"}:
                raise

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._fail(error)

    def _finish(self) -> None:
        if not self.done.done():
            self.done.set_result(None)

    def _fail(self, error: BaseException) -> None:
        if not self.done.done():
            self.done.set_exception(error)

    def leave(self) -> None:
        """Ends what is still under way."""
        for task in self._tasks:
            task.cancel()


def _reporter(out: Out, rounds: int) -> Callable[[pb.MatchEvent.RoundScored], None]:
    def report(scored: pb.MatchEvent.RoundScored) -> None:
        for line in sheet_lines(scored.sheet):
            out(line)
        out(f"  总分 after {scored.sheet.round_no} of {rounds}: {deltas(scored.totals)}")

    return report


async def play(target: str, plan: Plan, out: Out) -> Summary:
    """Creates a match, plays it to its settled end and says how it went."""
    async with (
        Platform(target, say=warn) as platform,
        Gateway(target, plan.patience, plan.on_reply, warn) as gateway,
    ):
        match = await platform.create(
            plan.game, plan.players, plan.rounds, plan.options, plan.clock
        )
        rounds = counted(plan.rounds, "round")
        out(f"match {match.match_id}: {plan.game}, {plan.players} bots, {rounds}")
        tickets = [
            await platform.join(match.match_id, f"bot-{seat}") for seat in range(plan.players)
        ]
        bots = [Bot(ticket, plan) for ticket in tickets]
        bots[0].on_sheet = _reporter(out, plan.rounds)
        for bot in bots:
            bot.sit(gateway)
        try:
            await gateway.guard(asyncio.gather(*(bot.done for bot in bots)))
        finally:
            for bot in bots:
                bot.leave()
        return await _summary(platform, bots, gateway)


async def play_match(target: str, game: str, rounds: int, seed: int, out: Out) -> Summary:
    """`play` of a match with three seats and default options."""
    return await play(target, Plan(game, rounds, seed), out)


async def _summary(platform: Platform, bots: Sequence[Bot], gateway: Gateway) -> Summary:
    match = await platform.match(bots[0].ticket.match_id)
    rounds = [
        (await platform.round(match.match_id, number)).sheet
        for number in range(1, match.settled_rounds + 1)
    ]
    winners = [sheet.winner for sheet in rounds if sheet.HasField("winner")]
    return Summary(
        match_id=match.match_id,
        game=match.game,
        players=match.players,
        rounds=len(rounds),
        wins=tuple(winners.count(seat) for seat in range(match.players)),
        liu_ju=len(rounds) - len(winners),
        totals=tuple(map(sum, zip(*(sheet.deltas for sheet in rounds), strict=True))),
        finals=bots[0].finals,
        commands=gateway.stats.commands,
        overtaken=sum(bot.overtaken for bot in bots),
        streams=gateway.stats.streams,
    )


async def _command(args: argparse.Namespace) -> int:
    await reach(args.target, "match service")
    plan = Plan(args.game, args.rounds, args.seed, args.players)
    print((await play(args.target, plan, print)).line())
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.bots", description=__doc__)
    add = parser.add_argument
    add("--target", default="127.0.0.1:7401", help="match service (%(default)s)")
    add("--game", default="hengyang_liuhuqiang", help="id of the game (%(default)s)")
    add("--rounds", type=whole(1, MOST_ROUNDS), default=8, help="of the match (%(default)s)")
    add("--players", type=whole(1), default=3, help="seats, all bots (%(default)s)")
    add("--seed", type=int, default=0, help="of the bots, not of the cards (%(default)s)")
    args = parser.parse_args(argv)
    return finish(_command(args))


if __name__ == "__main__":
    sys.exit(command(main))
