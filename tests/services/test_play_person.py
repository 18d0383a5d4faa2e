"""A person's seat against views written by hand: what is asked, what is typed, what is sent."""

import asyncio
import io
import os

import pytest
from paiju.game.v1 import event_pb2, sheet_pb2
from paiju.match.v1 import match_pb2 as pb

from libs.game.cards import parse
from tools.client import Refused
from tools.platform_api import Ticket
from tools.play_input import Script, Typed
from tools.play_person import CLEAR, Person, Quit, Style
from tools.play_words import Words

WORDS = Words("试牌", {}, dict.fromkeys(range(1, 21), 4), {}, frozenset(), ("you", "阿明"))


class Shown(io.StringIO):
    """A screen that tells when something is written."""

    def __init__(self, moved):
        super().__init__()
        self.moved = moved

    def write(self, text):
        """Writes and tells."""
        self.moved.set()
        return super().write(text)


class FakeSeat:
    """A seat whose service answers from a list of refusals."""

    def __init__(self, on_view, moved):
        self.on_view = on_view
        self.moved = moved
        self.lost = asyncio.get_running_loop().create_future()
        self.sent = []
        self.refusals = []

    async def answer(self, prompt_id, index):
        """Takes an answer, and closes the prompt as the service does."""
        if self.refusals:
            raise self.refusals.pop(0)
        self._note((prompt_id, index))
        self.tell(prompt_closed={"prompt_id": prompt_id, "outcome": 1, "choice": index})

    async def ready(self):
        """Notes that the seat is ready."""
        self._note("ready")

    async def send(self, **kind):
        """Notes another command."""
        self._note(*kind)

    def _note(self, *what):
        self.sent += what
        self.moved.set()

    def tell(self, **event):
        """An event for the seat."""
        self.on_view(pb.View(event=event_pb2.Event(**event), at_ms=1000))

    def say(self, **event):
        """An event of the match."""
        self.on_view(pb.View(match_event=pb.MatchEvent(**event), at_ms=1000))


class Table:
    """A person who types `lines`, and the fake seat behind."""

    def __init__(self, *lines, **style):
        match = pb.Match(game="g", players=2, rounds=2, seats=[{"seat": 0}, {"seat": 1}])
        self.moved = asyncio.Event()
        self.out = Shown(self.moved)
        style.setdefault("source", Script(lines))
        self.person = Person(Ticket("m", 0, "t"), match, WORDS, Style(self.out, **style))
        self.person.sit(self)
        self.seat.on_view(pb.View(snapshot={"match": match}))

    def attach(self, ticket, on_view, after_seq=0):
        """What the person takes for a gateway."""
        self.seat = FakeSeat(on_view, self.moved)
        return self.seat

    def deal(self):
        """A round with a discard to make."""
        self.seat.tell(round_started={"round_no": 1, "players": 2, "wall": 80})
        self.seat.tell(dealt={"seat": 0, "cards": parse("一二三")})
        self.ask(1)

    def ask(self, number):
        """A discard of 一, 二 or 三; the second is the default."""
        choices = [{"discard": {"card": card}} for card in (1, 2, 3)]
        asked = {"prompt_id": number, "choices": choices, "default_choice": 1}
        self.seat.tell(prompted={"prompt": asked})

    def score(self, number=1):
        """The round ends with a sheet."""
        sheet = sheet_pb2.ScoreSheet(round_no=number, win_kind="liu_ju", deltas=[0, 0])
        self.seat.tell(round_ended={"outcome": 2, "hands": [{}, {}]})
        self.seat.say(round_scored={"sheet": sheet, "totals": [0, 0]})

    def close(self, reason="finished"):
        """The match ends."""
        self.seat.say(match_closed={"reason": reason})

    @property
    def text(self):
        """All that was shown."""
        return self.out.getvalue()

    async def until(self, shown):
        """Waits until something was shown."""
        await self._holds(lambda: shown in self.text)

    async def sent(self, what):
        """Waits until the seat has sent something."""
        await self._holds(lambda: what in self.seat.sent)

    async def _holds(self, condition):
        async with asyncio.timeout(5):
            while not condition():
                self.moved.clear()
                await self.moved.wait()

    async def play(self):
        """Plays to the end, bounded."""
        async with asyncio.timeout(5):
            await self.person.play()


class Keyboard:
    """A person who types when the test says so."""

    def __init__(self):
        self.lines = asyncio.Queue()

    async def line(self):
        """The next line."""
        return await self.lines.get()


@pytest.mark.parametrize(("typed", "index"), [("", 1), ("3", 2), (" 1 ", 0), ("三", 2)])
async def test_a_line_is_an_answer(typed, index):
    """Enter, a number, a number among blanks, the card itself."""
    table = Table(typed)
    table.deal()
    playing = asyncio.create_task(table.play())
    await table.sent((1, index))
    table.close()
    await playing
    assert table.seat.sent == [(1, index)]


async def test_the_first_round_begins_without_a_question():
    """M2: who sits down to play is ready."""
    table = Table()
    playing = asyncio.create_task(table.play())
    await table.sent("ready")
    table.close()
    await playing
    assert "> " not in table.text


async def test_what_is_no_choice_is_said_and_asked_again():
    """Nothing wrong is ever sent: too high, 0, words, an absurdly long number, another script."""
    bad = ["4", "0", "-1", "foo", "九", "9" * 5000, "٣", "1 2"]
    table = Table(*bad, "2")
    table.deal()
    playing = asyncio.create_task(table.play())
    await table.sent((1, 1))
    table.close()
    await playing
    assert table.text.count("is no choice: type 1 to 3") == len(bad)
    assert table.seat.sent == [(1, 1)]


@pytest.mark.parametrize("lines", [["q"], ["h", "s", "quit"], []])
async def test_a_person_may_leave(lines):
    """By q at any question; the end of the input is the same. Before it, h and s answer."""
    table = Table(*lines)
    table.deal()
    with pytest.raises(Quit):
        await table.play()
    assert table.seat.sent == []
    assert ("no rules engine to ask" in table.text) == ("h" in lines)
    assert ("no round is over yet" in table.text) == ("s" in lines)


async def test_a_question_that_closes_meanwhile_is_no_longer_asked():
    """Another seat's claim settles it while the person thinks; what is typed goes to the next."""
    keys = Keyboard()
    table = Table(source=keys)
    table.deal()
    playing = asyncio.create_task(table.play())
    await table.until("q quit] > ")
    table.seat.tell(prompt_closed={"prompt_id": 1, "outcome": 3, "choice": 0})
    table.seat.tell(discarded={"seat": 1, "card": 9})
    await table.until("· 阿明 打 九")
    table.ask(2)
    await table.until("▶ 九")
    keys.lines.put_nowait("1")
    await table.sent((2, 0))
    table.close()
    await playing
    assert "your 出 一 came second" in table.text
    assert table.seat.sent == [(2, 0)]


async def test_a_quiet_view_does_not_ask_again():
    """What changes nothing on the screen leaves the line that is being typed alone."""
    keys = Keyboard()
    table = Table(source=keys)
    table.deal()
    playing = asyncio.create_task(table.play())
    await table.until("q quit] > ")
    table.seat.say(seat_ready={"seat": 1})
    table.seat.say(seat_ready={"seat": 0})
    keys.lines.put_nowait("2")
    await table.sent((1, 1))
    table.close()
    await playing
    assert table.text.count("q quit] > ") == 1


async def test_an_answer_that_comes_too_late_is_said():
    """STALE_PROMPT ends the question; any other refusal is shown and asked again."""
    table = Table("1", "1", "3")
    table.seat.refusals = [Refused("NOT_A_CHOICE", "no"), Refused("STALE_PROMPT", "late")]
    table.deal()
    playing = asyncio.create_task(table.play())
    await table.until("too late")
    assert "NOT_A_CHOICE: no" in table.text
    table.ask(2)
    await table.sent((2, 2))
    table.close()
    await playing


async def test_the_sheet_and_the_next_round():
    """After a round: s shows its sheet again, words are refused, Enter is ready; none after the
    last."""
    table = Table("s", "so?", "")
    table.deal()
    table.score()
    playing = asyncio.create_task(table.play())
    await table.sent("ready")
    assert table.text.count("第1局 流局") == 2
    assert "'so?' is no choice" in table.text
    table.seat.tell(round_started={"round_no": 2, "players": 2, "wall": 80})
    table.score(2)
    table.seat.say(match_scored={"finals": [0, 0]})
    table.close()
    await playing
    assert table.seat.sent == ["ready"]
    assert "总局 final scores" in table.text


async def test_the_time_left_is_shown():
    """The own deadline in whole seconds, rounded up; nobody else's."""
    table = Table()
    table.deal()
    table.seat.say(deadline_set={"deadline": {"seat": 0, "at_ms": 8400}})
    table.seat.say(deadline_set={"deadline": {"seat": 1, "at_ms": 99_000}})
    with pytest.raises(Quit):
        await table.play()
    assert "  8 s\n" in table.text


async def test_a_seat_on_tuo_guan_is_taken_back():
    """M5: the table plays for the person until Enter."""
    table = Table("", "3")
    table.seat.say(trustee_changed={"seat": 0, "active": True})
    table.deal()
    playing = asyncio.create_task(table.play())
    await table.sent((1, 2))
    table.close()
    await playing
    assert table.seat.sent == ["back", (1, 2)]
    assert "托管" in table.text


async def test_a_terminal_is_drawn_anew():
    """With a terminal every event draws the whole table, with what happened since the answer."""
    table = Table(redraw=True)
    table.seat.tell(round_started={"round_no": 1, "players": 2, "wall": 80})
    table.seat.tell(drew={"seat": 1, "card": 9, "wall_left": 40})
    table.ask(1)
    with pytest.raises(Quit):
        await table.play()
    last = table.text.split(CLEAR)[-1]
    assert "  阿明 摸 九" in last
    assert last.endswith("q quit] > ")


async def test_what_fails_elsewhere_ends_the_game():
    """A lost seat or a bot that fails is raised, not waited for."""
    table = Table()
    table.seat.lost.set_result(Refused("BAD_TOKEN", "no such seat"))
    with pytest.raises(Refused, match="BAD_TOKEN"):
        await table.play()


async def test_lines_of_a_pipe():
    """Lines come whole, over reads of any size; the last needs no end; then there is no more."""
    reading, writing = os.pipe()
    typed = Typed(reading)
    os.write(writing, "一\r\n二".encode())
    async with asyncio.timeout(5):
        assert await typed.line() == "一"
        os.write(writing, "三\n\nend".encode())
        os.close(writing)
        lines = [await typed.line() for _ in range(5)]
    assert lines == ["二三", "", "end", None, None]
    os.close(reading)
