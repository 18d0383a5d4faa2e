"""Rounds and steps ⇄ `paiju.rules.v1.StartRoundRequest.Item`, `StepRequest.Item`, `StepResult`."""

from functools import lru_cache

from paiju.rules.v1 import rules_pb2 as pb

from libs.game import deal
from libs.game.engine import Input, Start, Stepped, find
from libs.game.state import Prompt
from libs.game.variant import Registry
from libs.wire import raw
from libs.wire.actions import encoded_action
from libs.wire.cards import cards_of, refuse
from libs.wire.events import records
from libs.wire.options import options_of

MAX_ROUNDS = 255
"""A state keeps the number of its round in one byte."""
MAX_TEXT = 256
"""Bytes of a match id or client seed."""


def _source(item: pb.StartRoundRequest.Item) -> deal.Seed | bytes:
    kind = item.WhichOneof("source")
    if kind == "deck":
        return cards_of(item.deck.cards, "deck")
    if kind is None:
        raise refuse("a round needs a seed or a deck", "source")
    seed = item.seed
    if max(len(seed.match_id.encode()), len(seed.client_seed)) > MAX_TEXT:
        raise refuse(f"at most {MAX_TEXT} bytes", "seed")
    return deal.Seed(seed.server_seed, seed.nonce, seed.match_id, seed.client_seed)


def _check_seats(item: pb.StartRoundRequest.Item) -> None:
    seats = [*item.joined, *([item.creator] if item.HasField("creator") else [])]
    if len(item.joined) > item.players or any(seat >= item.players for seat in seats):
        raise refuse("no such seat", "joined")
    sizes = (0, 1, 1 + 2 * item.players)
    if len(item.carry) not in sizes or (item.carry and item.carry[0] >= item.players):
        raise refuse("not the carry of a round of this match", "carry")
    if not 1 <= item.round_no <= MAX_ROUNDS:
        raise refuse(f"rounds count from 1 to {MAX_ROUNDS}", "round_no")


def start_of(registry: Registry, item: pb.StartRoundRequest.Item) -> Start:
    """What a round begins with. Raises Refused or OptionError."""
    variant = find(registry, item.game, item.release)
    _check_seats(item)
    return Start(
        game=variant.game,
        options=options_of(variant.options, item.options),
        players=item.players,
        round_no=item.round_no,
        source=_source(item),
        release=variant.release,
        carry=item.carry,
        joined=tuple(item.joined),
        creator=item.creator if item.HasField("creator") else -1,
    )


def _answer(item: pb.StepRequest.Item) -> Input:
    answer = item.answer
    kind = answer.WhichOneof("choice")
    if kind == "index":
        return Input("answer", answer.seat, answer.prompt_id, answer.index)
    if kind is None:
        raise refuse("an answer names its choice", "choice")
    return Input("answer", answer.seat, answer.prompt_id, encoded_action(answer.action))


def input_of(item: pb.StepRequest.Item) -> Input:
    """The input of a step. Raises Refused."""
    kind = item.WhichOneof("input")
    if kind == "answer":
        return _answer(item)
    if kind == "timeout":
        return Input(kind, item.timeout.seat, item.timeout.prompt_id)
    if kind == "auto":
        return Input(kind, item.auto.seat, item.auto.prompt_id)
    if kind is None:
        raise refuse("a step needs an input", "input")
    return Input(kind)


def _open_prompt(prompt: Prompt) -> bytes:
    return _prompt(prompt.seat, prompt.number, prompt.cls, prompt.continues)


@lru_cache(maxsize=1 << 14)
def _prompt(seat: int, number: int, cls: int, continues: int) -> bytes:
    """A question that is open, framed; the same few stay open over many steps."""
    body = raw.uint(1, seat) + raw.uint(2, number) + raw.uint(3, cls) + raw.uint(4, continues)
    return raw.message(3, body)


def stepped_bytes(stepped: Stepped) -> bytes:
    """Serialized Stepped."""
    state, events, prompts, status, turn, carry = stepped
    parts = [raw.data(1, state)]
    parts += [raw.message(2, record) for record in records(events)]
    parts += map(_open_prompt, prompts)
    parts.append(raw.uint(4, status))
    if turn >= 0:
        parts.append(raw.present(5, turn))
    parts.append(raw.data(6, carry))
    return b"".join(parts)


def result_bytes(stepped: Stepped) -> bytes:
    """A StepResult that says: it happened; framed as an element of `results`."""
    return raw.message(1, raw.message(1, stepped_bytes(stepped)))


def failed_bytes(status: bytes) -> bytes:
    """A StepResult that carries a serialized google.rpc.Status; framed like `result_bytes`."""
    return raw.message(1, raw.message(2, status))
