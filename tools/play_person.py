"""A person at the table: shows what the seat sees, asks, answers. One seat of the public API."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any, TextIO

from paiju.game.v1 import action_pb2, event_pb2
from paiju.match.v1 import match_pb2 as pb

from tools.bot_table import TableView
from tools.bots import Cautious, Strategy, strategy_of
from tools.client import Gateway, Refused, Seat
from tools.platform_api import Ticket
from tools.play_board import Board
from tools.play_hand import shapes
from tools.play_hints import Hinter
from tools.play_input import Source
from tools.play_screen import (
    Story,
    ask_line,
    enter_choice,
    face_choice,
    final_lines,
    prompt_lines,
    round_lines,
    sheet_text,
    table_lines,
)
from tools.play_words import BAD, DIM, Words, told

CLEAR = "\x1b[H\x1b[2J"
TOO_LATE = frozenset({"STALE_PROMPT", "PROMPT_CLOSED", "MATCH_CLOSED"})
FIRST = ("ready", 0, 0)
"""The question before the first round: nobody waits for its answer."""
CLOSED = frozenset({"ALREADY_STARTED", "MATCH_CLOSED"})


class Quit(Exception):
    """The person leaves the table."""


@dataclass(frozen=True)
class Style:
    """How the table is shown and who decides."""

    out: TextIO
    source: Source
    redraw: bool = False
    slow: float = 0.0
    auto: bool = False
    seed: int = 0


@dataclass(frozen=True)
class Prompted:
    """A question that is put to the person: which one, and how an answer is taken."""

    key: tuple[str, int, int]
    show: Callable[[], list[str]]
    line: str
    take: Callable[[str], Awaitable[bool]]
    """Returns whether the question is answered."""


class Person:
    """Plays one seat from its views; `play` ends with the match, by Quit or by an error."""

    def __init__(self, ticket: Ticket, match: pb.Match, words: Words, style: Style) -> None:
        """A seat that has not been attached yet."""
        self.words, self.style, self.match = words, style, match
        self.board = Board(ticket.seat, match.players)
        self.story = Story(match.rounds, groups=shapes(words, match.options))
        self.hinter: Hinter | None = None
        self._ticket = ticket
        self._known = TableView(ticket.seat, match.players)  # what a strategy looks at
        self._strategy: Strategy = strategy_of(match) if style.auto else Cautious()
        self._rng = Random(f"{style.seed}/{ticket.seat}")
        self._seat: Seat | None = None
        self._views: deque[pb.View] = deque()
        self._news = asyncio.Event()
        self._error: BaseException | None = None
        self._written = 0
        self._typing: asyncio.Future[str | None] | None = None
        self._now_ms = 0
        self._answered: set[tuple[str, int, int]] = set()
        self._shown: tuple[str, int, int] | None = None
        self._ready_for = 0
        self._trustee = False
        self._closed = ""
        self._finals: tuple[int, ...] = ()

    def sit(self, gateway: Gateway) -> None:
        """Attaches to the seat."""
        self._seat = gateway.attach(self._ticket, self._view)
        self._seat.lost.add_done_callback(lambda lost: self.fail(lost.result()))

    def fail(self, error: BaseException) -> None:
        """Ends the play with an error, e.g. of another seat."""
        self._error = self._error or error
        self._news.set()

    async def play(self) -> None:
        """Until the match is closed."""
        try:
            while not self._closed:
                await self._next_views()
                question = self._question()
                if question is not None:
                    await self._ask(question)
        finally:
            if self._typing is not None:
                self._typing.cancel()
        self._say(final_lines(self.words, self._finals, self._closed))

    def _view(self, view: pb.View) -> None:
        self._views.append(view)
        self._news.set()

    async def _next_views(self) -> None:
        """Takes what has come; waits if nothing has and nobody is to be asked."""
        while not self._views and self._question() is None and self._error is None:
            self._news.clear()
            await self._news.wait()
        while self._views:
            await self._take(self._views.popleft())
        self._news.clear()
        if self._error is not None:
            raise self._error

    async def _take(self, view: pb.View) -> None:
        self._now_ms = view.at_ms
        kind = view.WhichOneof("kind")
        if kind == "event":
            await self._event(view.event)
        elif kind == "snapshot":
            self._snapshot(view.snapshot)
        elif kind == "match_event":
            self._match_event(view.match_event)

    async def _event(self, event: event_pb2.Event) -> None:
        outcome = self._outranked(event)
        text = told(self.words, event, self.board.face_down)
        if event.HasField("round_started"):
            self.story.news.clear()
        self.board.apply(event)
        if self.style.auto:
            self._known.apply(event)
        for line in filter(None, (text, outcome)):
            await self._tell(line)

    def _outranked(self, event: event_pb2.Event) -> str:
        """What became of a choice that another seat's claim was stronger than."""
        closed, prompt = event.prompt_closed, self.board.prompt
        lost = closed.outcome == event_pb2.Event.PromptClosed.OUTCOME_OUTRANKED
        if not (lost and closed.HasField("choice") and prompt is not None):
            return ""
        choice = prompt.choices[closed.choice]
        if choice.HasField("pass"):
            return ""
        return self.words.paint(f"your {self.words.choice(choice)} came second", DIM)

    async def _tell(self, line: str) -> None:
        """One thing that happened: shown at once, then a moment to see it."""
        if self.style.redraw:
            self.story.news.append(line)
            self._draw()
            self._shown = None
        else:
            self._say([f"· {line}"])
        if self.style.slow:
            await asyncio.sleep(self.style.slow)

    def _snapshot(self, snapshot: pb.Snapshot) -> None:
        self.match = snapshot.match
        self.story.totals = tuple(snapshot.match.totals)
        if snapshot.HasField("table"):
            self.board.load(snapshot.table)
            self._known.load(snapshot.table)
        for deadline in snapshot.deadlines:
            self._deadline(deadline)
        self._trustee = snapshot.match.seats[self.board.seat].trustee
        if snapshot.match.phase == pb.MATCH_PHASE_CLOSED:
            self._closed = "closed"
        if snapshot.match.seats[self.board.seat].ready:
            self._ready_for = snapshot.match.round_no + 1

    def _match_event(self, event: pb.MatchEvent) -> None:
        kind = event.WhichOneof("kind")
        if kind == "deadline_set":
            self._deadline(event.deadline_set.deadline)
        elif kind == "deadlines_extended":
            for deadline in event.deadlines_extended.deadlines:
                self._deadline(deadline)
        elif kind == "round_scored":
            self._scored(event.round_scored)
        elif kind == "match_scored":
            self._finals = tuple(event.match_scored.finals)
        elif kind == "match_closed":
            self._closed = event.match_closed.reason
        elif kind == "trustee_changed" and event.trustee_changed.seat == self.board.seat:
            self._trustee = event.trustee_changed.active

    def _deadline(self, deadline: pb.Deadline) -> None:
        if deadline.seat == self.board.seat:
            self.board.deadline = deadline

    def _scored(self, scored: pb.MatchEvent.RoundScored) -> None:
        self.story.sheet, self.story.totals = scored.sheet, tuple(scored.totals)
        self._say(round_lines(self.board, self.words, self.story), clear=True)
        self.story.news.clear()

    def _question(self) -> Prompted | None:
        """What the person is to be asked now."""
        found = self._prompt_question() or self._between_question()
        return None if found is None or found.key in self._answered else found

    def _prompt_question(self) -> Prompted | None:
        prompt, number = self.board.prompt, self.board.round_no
        if prompt is None:
            return None
        if self._trustee and not self.style.auto:
            return Prompted(
                ("back", number, prompt.prompt_id),
                lambda: ["托管: the table plays for you"],
                "[Enter = play yourself again, q quit] > ",
                self._take_back,
            )
        return Prompted(
            ("prompt", number, prompt.prompt_id),
            lambda: self._prompt_screen(prompt),
            ask_line(prompt, self.words),
            lambda typed: self._choose(prompt, typed),
        )

    def _between_question(self) -> Prompted | None:
        """Ready for the next round; the first starts without being asked."""
        sheet = self.story.sheet
        done = sheet.round_no if sheet is not None else 0
        running = self.board.round_no > done
        if running or done >= self.match.rounds or self._ready_for > done or not self._seat:
            return None
        return Prompted(
            ("ready", done, 0), list, "[Enter = next round, s sheet, q quit] > ", self._say_ready
        )

    def _prompt_screen(self, prompt: action_pb2.Prompt) -> list[str]:
        lines = table_lines(self.board, self.words, self.story)
        deadline = self.board.deadline
        seconds = max(0, deadline.at_ms - self._now_ms + 999) // 1000 if deadline else None
        return [*lines, "", *prompt_lines(prompt, self.words, seconds)]

    async def _ask(self, question: Prompted) -> None:
        """Shows the question and takes lines until it is answered or something else happens."""
        if question.key == FIRST:
            await self._say_ready("")
            return
        if question.key != self._shown:
            self._shown = question.key
            lines = question.show()
            self._say(lines, clear=bool(lines))
        while True:
            typed = await self._typed(question)
            if typed is None or await self._taken(question, typed):
                return

    async def _typed(self, question: Prompted) -> str | None:
        """The next line; None if the question is gone or the screen moved on before."""
        if self._views:
            return None
        self._write(question.line)
        if self.style.auto:
            self._write("\n")
            return ""
        if self._typing is None:
            self._typing = asyncio.ensure_future(self.style.source.line())
        written = self._written
        while not self._typing.done():
            news = asyncio.create_task(self._news.wait())
            both: set[asyncio.Future[Any]] = {self._typing, news}
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            news.cancel()
            if self._news.is_set():
                await self._next_views()
                now = self._question()
                if now is None or now.key != question.key or self._written != written:
                    self._write("\n")
                    return None
        line, self._typing = self._typing.result(), None
        if line is None:
            raise Quit
        if not self.style.redraw:
            self._write(f"{line}\n")  # a terminal shows what is typed by itself
        return line.strip()

    async def _taken(self, question: Prompted, typed: str) -> bool:
        if typed in ("q", "quit"):
            raise Quit
        if typed == "s":
            sheet = self.story.sheet
            self._say(sheet_text(sheet, self.words) if sheet else ["no round is over yet"])
            return False
        if not await question.take(typed):
            return False
        self._answered.add(question.key)
        return True

    async def _choose(self, prompt: action_pb2.Prompt, typed: str) -> bool:
        if typed in ("h", "?", "？"):
            await self._hint()
            return False
        index = self._index(prompt, typed)
        if index is None:
            last = len(prompt.choices)
            self._say([f"{typed!r} is no choice: type 1 to {last}, or Enter, h, s, q"])
            return False
        self.story.news.clear()
        if self.style.auto:
            self._say([f"{index + 1}  {self.words.choice(prompt.choices[index])}"])
        return await self._send(prompt, index)

    def _index(self, prompt: action_pb2.Prompt, typed: str) -> int | None:
        if self.style.auto:
            return self._strategy.choose(self._known, prompt, self._rng)
        if not typed:
            return enter_choice(prompt)
        for at in range(len(prompt.choices)):
            if typed == str(at + 1):
                return at
        return face_choice(prompt, self.words, typed)

    async def _send(self, prompt: action_pb2.Prompt, index: int) -> bool:
        assert self._seat is not None
        try:
            await self._seat.answer(prompt.prompt_id, index)
        except Refused as refused:
            late = refused.reason in TOO_LATE
            if self.style.auto and not late:
                raise
            why = "too late: another seat settled it before" if late else str(refused)
            self._say([self.words.paint(why, BAD)])
            return late
        return True

    async def _hint(self) -> None:
        if self.hinter is None:
            self._say(["  no rules engine to ask"])
            return
        self._say(await self.hinter.lines(self.board, self.match, self.words))

    async def _take_back(self, typed: str) -> bool:
        assert self._seat is not None
        with suppress(Refused):  # the match may have gone on meanwhile
            await self._seat.send(back=pb.BackCommand())
        self._trustee = False
        return True

    async def _say_ready(self, typed: str) -> bool:
        if typed:
            self._say([f"{typed!r} is no choice: Enter, s or q"])
            return False
        assert self._seat is not None
        sheet = self.story.sheet
        self._ready_for = (sheet.round_no if sheet is not None else 0) + 1
        try:
            await self._seat.ready()
        except Refused as refused:
            if refused.reason not in CLOSED:
                raise
        return True

    def _draw(self) -> None:
        self._say(table_lines(self.board, self.words, self.story), clear=True)

    def _say(self, lines: list[str], clear: bool = False) -> None:
        front = CLEAR if clear and self.style.redraw else ""
        self._write(front + "".join(f"{line}\n" for line in lines))

    def _write(self, text: str) -> None:
        self._written += 1
        self.style.out.write(text)
        self.style.out.flush()
