"""Re-deals a finished round from its revealed seed and compares (match.md M8).

    python -m tools.verify EVENTS.jsonl --match ID [--client-seed HEX]
    python -m tools.verify --target HOST:PORT --audit-token-file FILE --match ID --round N

EVENTS.jsonl holds the round's events as one reader got them, one `paiju.game.v1.Event` in proto
JSON a line, from `roundStarted` to `roundEnded`: a client writes the `event` of the views that its
seat receives. With --target the public events come from the match service's log (ListEvents, which
asks for the audit token; that of `make run` is in var/keys/audit.token), and --save keeps them as
such a file.

Every card the reader saw leave the wall is compared with the deck that the seed gives, and the
seed with the commitment. Exit status: 0 all agrees, 1 something differs or cannot be had, 2 the
command line is wrong.
"""

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import grpc
from google.protobuf import json_format
from paiju.game.v1 import event_pb2 as pb

from libs.game import deal
from libs.game.cards import HIDDEN, show
from libs.game.engine import Refused, find
from libs.variants import registry
from tools.console import command, failure, unreadable, warn, whole
from tools.platform_api import NoAnswer, Platform, reach


class Mismatch(Exception):
    """The events do not follow from the seed; the message says where."""


class Verified(NamedTuple):
    """What was compared."""

    deck: bytes
    compared: int
    """Cards whose faces were compared."""


def redeal(events: Iterable[pb.Event], match_id: str, client_seed: bytes = b"") -> Verified:
    """Checks a round's events against its own seed. Raises Mismatch, or Refused for a game that
    is not known here."""
    told = list(events)
    started = next((e.round_started for e in told if e.HasField("round_started")), None)
    ended = next((e.round_ended for e in told if e.HasField("round_ended")), None)
    if started is None or ended is None:
        raise Mismatch("the events must run from round_started to round_ended")
    seed = deal.Seed(ended.seed, ended.nonce, match_id, client_seed)
    if deal.commitment(seed, started.round_no) != started.commitment:
        raise Mismatch("the seed is not the one that was committed to")
    cards = find(registry(), started.game, started.release).deck.cards
    deck = deal.shuffle(cards, deal.stream(seed, started.round_no, started.release))
    return Verified(deck, _compare(told, deck, started, ended))


def _compare(
    told: list[pb.Event],
    deck: bytes,
    started: pb.Event.RoundStarted,
    ended: pb.Event.RoundEnded,
) -> int:
    """Takes the deck apart as the events say; returns how many faces were compared."""
    end = len(deck) - started.removed
    wall, compared = deck[:end], started.removed
    if bytes(ended.removed) != deck[end:]:
        raise Mismatch("the removed cards are others")
    held = _Held(started.players)
    for number, event in enumerate(told):
        shown, from_tail = _left_the_wall(event)
        took = wall[len(wall) - len(shown) :] if from_tail else wall[: len(shown)]
        wall = wall[: len(wall) - len(shown)] if from_tail else wall[len(shown) :]
        for face, dealt in zip(shown, took, strict=True):
            if face not in (HIDDEN, dealt):
                raise Mismatch(f"event {number}: {show((face,))} instead of {show((dealt,))}")
            compared += face != HIDDEN
        held.take(event, took)
    if bytes(ended.wall) != wall:
        raise Mismatch("the rest of the wall is another")
    held.compare(ended)
    return compared + len(wall)


class _Held:
    """The cards of each seat, hand and melds together, with the true faces."""

    def __init__(self, players: int) -> None:
        self.seats: list[Counter[int]] = [Counter() for _ in range(players)]
        self.open = 0

    def take(self, event: pb.Event, took: bytes) -> None:
        """Moves the cards of one event; `took` left the wall."""
        kind = event.WhichOneof("kind")
        if kind == "dealt":
            self.seats[event.dealt.seat].update(took)
        elif kind == "drew" and event.drew.joins_hand:
            self.seats[event.drew.seat].update(took)
        elif took:
            self.open = took[0]
        elif kind == "card_joined":
            self.seats[event.card_joined.seat][self.open] += 1
            self.open = 0
        elif kind == "melded" and event.melded.takes_open:
            self.seats[event.melded.seat][self.open] += 1
            self.open = 0
        elif kind == "unclaimed":
            self.open = 0
        elif kind == "discarded":
            self.open = event.discarded.card
            self.seats[event.discarded.seat][self.open] -= 1
        elif kind == "flower_set":
            self.seats[event.flower_set.seat][event.flower_set.card] -= 1

    def compare(self, ended: pb.Event.RoundEnded) -> None:
        """The hands shown at the end are what was dealt, drawn and claimed. Raises Mismatch."""
        for seat, hand in enumerate(ended.hands):
            shown = Counter(hand.cards)
            for meld in hand.melds:
                shown.update(meld.cards)
            if +self.seats[seat] != shown or min(self.seats[seat].values()) < 0:
                raise Mismatch(f"seat {seat} shows cards that it was not dealt")


def _left_the_wall(event: pb.Event) -> tuple[bytes, bool]:
    """(cards that an event takes from the wall, whether from its tail)."""
    kind = event.WhichOneof("kind")
    if kind == "dealt":
        return bytes(event.dealt.cards), False
    if kind == "card_shown":
        return bytes((event.card_shown.card,)), False
    if kind == "drew":
        return bytes((event.drew.card,)), event.drew.from_tail
    return b"", False


def read_events(path: Path) -> list[pb.Event]:
    """The events of a file. Raises OSError, or ValueError naming the line."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not a text in UTF-8") from None
    events = []
    for number, line in enumerate(lines, 1):
        try:
            events += [json_format.Parse(line, pb.Event())] if line.strip() else []
        except json_format.ParseError as error:
            raise ValueError(f"{path}:{number}: no event: {error}") from None
    return events


async def logged_events(target: str, token: str, match_id: str, round_no: int) -> list[pb.Event]:
    """The public events of a round from the log (ListEvents). Raises AioRpcError or NoAnswer."""
    await reach(target, "match service")
    async with Platform(target, token, warn) as platform:
        rows = await platform.events(match_id)
    return [event for row in rows if row.round_no == round_no for event in row.events]


def _told(given: argparse.Namespace) -> list[pb.Event]:
    """The events that the command line names."""
    if given.events is not None:
        return read_events(given.events)
    token = given.audit_token_file.read_text("ascii", "replace").strip()
    if not (token.isascii() and token.isprintable()):
        raise ValueError(f"{given.audit_token_file}: not one line of text")
    found = asyncio.run(logged_events(given.target, token, given.match, given.round))
    if not found:
        raise Mismatch(f"the match has no round {given.round}")
    if given.save is not None:
        lines = (json_format.MessageToJson(event, indent=None) for event in found)
        given.save.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return found


def _hex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"hexadecimal digits, not {text!r}") from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.verify",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("events", type=Path, nargs="?", metavar="EVENTS.jsonl", help="events of one round")
    add("--match", required=True, metavar="ID", help="id of the match")
    add("--client-seed", default=b"", type=_hex, metavar="HEX", help="that of CreateMatch")
    add("--target", metavar="HOST:PORT", help="match service to ask instead of a file")
    add("--round", type=whole(1), metavar="N", help="round of the match, with --target")
    add("--audit-token-file", type=Path, metavar="FILE", help="token of ListEvents")
    add("--save", type=Path, metavar="FILE", help="writes the events that --target told")
    return parser


def main(args: list[str] | None = None) -> int:
    """The command."""
    parser = _parser()
    given = parser.parse_args(args)
    asked = (given.target, given.round, given.audit_token_file)
    if given.events is None and None in asked:
        parser.error("name EVENTS.jsonl, or --target, --round and --audit-token-file")
    if given.events is not None and any((*asked, given.save)):
        parser.error("EVENTS.jsonl or --target, not both")
    try:
        found = redeal(_told(given), given.match, given.client_seed)
    except OSError as error:
        warn(f"verify: {unreadable(error)}")
        return 1
    except (ValueError, Mismatch, Refused, NoAnswer, grpc.aio.AioRpcError) as error:
        warn(f"verify: {failure(error)}")
        return 1
    print(f"the deck follows from the committed seed; {found.compared} shown cards agree")
    print(show(found.deck))
    return 0


if __name__ == "__main__":
    sys.exit(command(main))
