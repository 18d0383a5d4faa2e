"""Re-deals a finished round from its revealed seed and compares (match.md M8).

    python -m tools.verify EVENTS.jsonl --match ID [--client-seed HEX]

EVENTS holds the round's events as one reader got them, one `paiju.game.v1.Event` in proto JSON a
line, from `roundStarted` to `roundEnded`. Every card the reader saw leave the wall is compared
with the deck that the seed gives, and the seed with the commitment. Exit 1: something differs.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from google.protobuf import json_format
from paiju.game.v1 import event_pb2 as pb

from libs.game import deal
from libs.game.cards import HIDDEN, show
from libs.game.engine import Refused, find
from libs.variants import registry


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
        elif kind == "melded" and event.melded.meld.claimed:
            self.seats[event.melded.seat][self.open] += 1
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


def main(args: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="tools.verify", description=__doc__.split("\n")[0])
    parser.add_argument("events", type=Path)
    parser.add_argument("--match", required=True, help="id of the match")
    parser.add_argument("--client-seed", default="", type=bytes.fromhex, help="hex")
    given = parser.parse_args(args)
    try:
        lines = given.events.read_text().splitlines()
        events = [json_format.Parse(line, pb.Event()) for line in lines if line.strip()]
        found = redeal(events, given.match, given.client_seed)
    except (OSError, json_format.ParseError, Mismatch, Refused) as error:
        print(f"verify: {error}", file=sys.stderr)
        return 1
    print(f"the deck follows from the committed seed; {found.compared} shown cards agree")
    print(show(found.deck))
    return 0


if __name__ == "__main__":
    sys.exit(main())
