"""Playthroughs: one readable text is input and expectation.

A file begins with a header, `key value` lines up to the first empty line:

    game hengyang_liuhuqiang
    title what happens, for people
    shows Z13 Z20            the clauses that it shows
    players 3
    dealer 0
    option hu_policy must_hu (one line each)
    pauses on                stop before every draw until `advance`; off if left out
    hand 0 一一 三 …          one line for each seat
    wall 三 四 …              the 亮张 if the game has one, then the cards in order of drawing
    tail 三 四 …              the cards at the other end of the wall in order of drawing

Hands may be short and the wall may end early: cards that are not named fill them up, hands
from the dealer on, then the wall, in this order: one of every face in face order as long as
there are any, then again.

After it come inputs: `0 出 三`, `1 碰`, `1 吃 一二三 比 三三叁`, `1 过`, `timeout 2`, `auto 2`
(a seat on 托管), `advance`, `abort`, `view 2`, `view all` (a spectator), `until wall 9` (every
question times out, untold, until the wall holds no more). Everything else is
written by the runner: `=` what all see (in brackets what only some see otherwise), `~` what one
seat alone is told, `>` a question, `|` a view, `$` the score sheet, `!` a refusal. Lines with `#`
are for people.

`python -m tests.game.playthrough FILE` prints the transcript of a file, so a new one is a
header and inputs at first.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from libs.game import engine
from libs.game import events as ev
from libs.game.cards import parse
from libs.game.codec import decode_state, encode_event
from libs.game.options import parse as parse_options
from libs.game.options import schema
from libs.game.state import Outcome
from libs.game.variant import Variant
from libs.variants import registry
from tests.game import transcript

WRITTEN = ("=", "~", ">", "|", "$", "!")
"""First signs of the lines that the runner writes."""
NO_ACTION = b"\0"
"""Sent for words that the question does not offer: the engine must refuse it."""


@dataclass
class Header:
    """What a file says before its first empty line."""

    game: str = ""
    players: int = 3
    dealer: int = 0
    pauses: bool = False
    title: str = ""
    shows: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    hands: dict[int, tuple[int, ...]] = field(default_factory=dict)
    wall: tuple[int, ...] = ()
    tail: tuple[int, ...] = ()

    def read(self, line: str) -> None:
        """Takes one line in. Raises ValueError."""
        key, _, rest = line.partition(" ")
        if key == "hand":
            seat, _, cards = rest.partition(" ")
            self.hands[int(seat)] = parse(cards)
        elif key == "option":
            name, _, value = rest.partition(" ")
            self.options[name] = value
        elif key in ("players", "dealer"):
            setattr(self, key, int(rest))
        elif key in ("game", "title"):
            setattr(self, key, rest)
        elif key == "wall":
            self.wall += parse(rest)
        elif key == "tail":
            self.tail += parse(rest)
        elif key == "shows":
            self.shows = tuple(rest.split())
        elif key == "pauses":
            self.pauses = rest == "on"
        elif not line.startswith("#"):
            raise ValueError(f"header line not understood: {line}")


def read_header(lines: list[str]) -> Header:
    """The header of a file's lines."""
    header = Header()
    for line in lines:
        if not line:
            break
        header.read(line)
    return header


def _option(variant: Variant, key: str, text: str) -> Any:
    """The value of an option as its schema types it. Raises ValueError."""
    spec = next(spec for spec in schema(variant.options) if spec.key == key)
    for value in spec.choices:
        if str(value).lower() == text.lower():
            return value
    return int(text)


def options_of(variant: Variant, given: Mapping[str, str]) -> Any:
    """The room's options. Raises OptionError, ValueError."""
    return parse_options(variant.options, {k: _option(variant, k, v) for k, v in given.items()})


def _rest(counts: Counter[int]) -> Iterator[int]:
    """Cards not named: one of every face in face order, again and again."""
    while counts:
        for face in sorted(counts):
            yield face
            counts[face] -= 1
        counts = +counts


def deck_of(header: Header, variant: Variant, sizes: Mapping[int, int]) -> bytes:
    """The whole deck of a header. Raises ValueError for a card named too often."""
    counts = Counter(variant.deck.cards)
    named = Counter(chain(*header.hands.values(), header.wall, header.tail))
    if not named <= counts:
        raise ValueError(f"too many of {transcript.cards(sorted(named - counts))}")
    rest = _rest(counts - named)
    deck: list[int] = []
    for step in range(header.players):
        seat = (header.dealer + step) % header.players
        hand = header.hands.get(seat, ())
        if len(hand) > sizes[seat]:
            raise ValueError(f"hand {seat} has {len(hand)} cards")
        deck += hand
        deck += [next(rest) for _ in range(sizes[seat] - len(hand))]
    return bytes([*deck, *header.wall, *rest, *header.tail[::-1]])


class Run:
    """A round that is played line by line; `lines` is the transcript."""

    def __init__(self, header: Header) -> None:
        self.header = header
        self.registry = registry()
        self.variant = engine.find(self.registry, header.game, 0)
        self.options = options_of(self.variant, header.options)
        self.lines: list[str] = []
        self.records: list[bytes] = []
        self.at = self._start(self._deck())
        self._tell()

    def _start(self, deck: bytes) -> engine.Stepped:
        wanted = engine.Start(
            self.header.game,
            self.options,
            self.header.players,
            1,
            deck,
            carry=bytes((self.header.dealer,)),
        )
        return engine.start(self.registry, wanted, not self.header.pauses)

    def _deck(self) -> bytes:
        """Hand sizes are those of a trial deal."""
        trial = self._start(self.variant.deck.cards)
        dealt = [f.event for f in trial.events if isinstance(f.event, ev.Dealt)]
        return deck_of(self.header, self.variant, {e.seat: len(e.cards) for e in dealt})

    def take(self, line: str) -> None:
        """One line of input. Raises ValueError if it cannot be read."""
        word, _, rest = line.partition(" ")
        if word == "view":
            reader = -1 if rest == "all" else int(rest)
            self.lines += transcript.view(engine.view(self.registry, self.at.state, reader))
            return
        if word == "until":
            self._hurry(int(rest.removeprefix("wall ")))
            return
        try:
            what = self._input(word, rest)
            self.at = engine.step(self.registry, self.at.state, what, not self.header.pauses)
        except engine.Refused as refused:
            self.lines.append(f"! {refused.reason}: {refused.message}")
            return
        self._tell()

    def _input(self, word: str, rest: str) -> engine.Input:
        if word in ("advance", "abort"):
            return engine.Input(word)
        seat = int(rest if word in ("timeout", "auto") else word)
        prompt = engine.legal(self.registry, self.at.state, seat)
        number = prompt.number if prompt else decode_state(self.at.state).asked[seat]
        if word in ("timeout", "auto"):
            return engine.Input(word, seat, number)
        said = [transcript.action(choice) for choice in prompt.choices] if prompt else []
        choice = said.index(rest) if rest in said else NO_ACTION
        return engine.Input("answer", seat, number, choice)

    def _hurry(self, left: int) -> None:
        """Lets every question time out until so many cards are left, and tells no more than the
        questions that are open then. Raises ValueError if the round ends before."""
        told = self.lines
        while len(decode_state(self.at.state).wall) > left:
            self.lines = []
            if self.at.status == engine.ADVANCE:
                self.take("advance")
            elif self.at.status == engine.ENDED:
                raise ValueError("the round ended too early")
            else:
                self.take(f"timeout {self.at.prompts[0].seat}")
        told.append(f"= the wall holds {left}")
        self.lines = told + [line for line in self.lines if line.startswith(">")]

    def _tell(self) -> None:
        """The lines of the last step."""
        for formed in self.at.events:
            self.records.append(encode_event(formed.event))
            if isinstance(formed.event, ev.Asked):
                asked = formed.private[0][1].extra
                self.lines.append(transcript.question(asked.prompt))
            else:
                self.lines += transcript.told(self.variant, formed)
        if self.at.status == engine.ADVANCE:
            self.lines.append("= pause")
        if self.at.status == engine.ENDED:
            self._settle()

    def _settle(self) -> None:
        state = decode_state(self.at.state)
        if state.outcome != Outcome.VOID:
            spec = self.variant.hand_spec(state, self.options)
            self.lines += transcript.sheet(self.variant.score(spec))
        self.lines.append(f"$ next dealer {self.at.carry[0]}")


def play(text: str) -> tuple[str, Run]:
    """The transcript of a file's text, and the round it played. Raises ValueError."""
    lines = [line.rstrip() for line in text.splitlines()]
    kept = [line for line in lines if not line.startswith(WRITTEN)]
    run = Run(read_header(kept))
    body = kept.index("") if "" in kept else len(kept)
    started, run.lines = run.lines, [*kept[:body], ""]
    run.lines += started
    for line in kept[body + 1 :]:
        if line and not line.startswith("#"):
            run.lines.append(line)
            run.take(line)
        else:
            run.lines.append(line)
    return "\n".join(run.lines).rstrip("\n") + "\n", run


if __name__ == "__main__":
    print(play(Path(sys.argv[1]).read_text(encoding="utf-8"))[0], end="")
