"""What the contract is run on: every registered game and the toy, with drawn rooms and rounds."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from libs.game import engine as en
from libs.game.codec import encode_event
from libs.game.deal import Seed
from libs.game.options import OptionSpec, Value, schema
from libs.game.state import Prompt
from libs.game.variant import Registry, Variant
from libs.variants import registry
from tests.game.toy import TOY

REGISTRY: Registry = {**registry(), (TOY.game, TOY.release): TOY}
GAMES: tuple[tuple[str, int], ...] = tuple(REGISTRY)


def values(spec: OptionSpec) -> tuple[Value, ...]:
    """Every value of an option; of a bounded number its ends and its default."""
    return spec.choices or tuple({spec.low: 0, spec.high: 0, int(spec.default): 0})


def allowed(variant: Variant, players: int) -> dict[str, list[Value]]:
    """Per option, the values that this number of players may have."""
    plain = variant.options()
    return {
        spec.key: [
            value
            for value in values(spec)
            if variant.limits(replace(plain, **{spec.key: value}), players) is None
        ]
        for spec in schema(variant.options)
    }


def option_sets(variant: Variant, players: int, rng: random.Random) -> Iterator[Any]:
    """Endless rooms; every allowed value comes once in as many draws as it has companions."""
    choices = allowed(variant, players)
    bags: dict[str, list[Value]] = {key: [] for key in choices}
    while True:
        picked = {}
        for key, bag in bags.items():
            if not bag:
                bag.extend(rng.sample(choices[key], len(choices[key])))
            picked[key] = bag.pop()
        yield variant.options(**picked)


def hardly_shuffled(variant: Variant, rng: random.Random) -> bytes:
    """A new deck, cut and with some cards changed: neighbours lie together."""
    cards = variant.deck.cards
    cut = rng.randrange(len(cards))
    deck = bytearray(cards[cut:] + cards[:cut])
    for _ in range(rng.randrange(len(deck))):
        a, b = rng.randrange(len(deck)), rng.randrange(len(deck))
        deck[a], deck[b] = deck[b], deck[a]
    return bytes(deck)


def random_start(variant: Variant, players: int, options: Any, rng: random.Random) -> en.Start:
    """A round from a random seed, or from a deck hardly shuffled, which makes rich hands; half of
    them with a dealer from an earlier round."""
    seed: Seed | bytes
    seed = Seed(rng.randbytes(32), rng.randbytes(32), f"m{rng.randrange(9)}", rng.randbytes(3))
    if rng.random() < 0.4:
        seed = hardly_shuffled(variant, rng)
    carry = bytes((rng.randrange(players),)) if rng.random() < 0.5 else b""
    joined = tuple(rng.sample(range(players), players))
    return en.Start(
        variant.game,
        options,
        players,
        rng.randint(1, 100),
        seed,
        variant.release,
        carry,
        joined,
        rng.randrange(players),
    )


@dataclass
class Habit:
    """How a random player behaves; drawn anew for each round."""

    acts: float
    """Probability of a random choice; else `auto` or a timeout."""
    claims: float
    """Probability of looking for something other than the last choice (mostly 过)."""
    wins: float
    """Probability of taking the first choice, where 胡 stands."""
    wise: float = 0.5
    """Probability of `auto` where it does not act; else a timeout."""


def random_habit(rng: random.Random) -> Habit:
    """From cautious players to ones that claim whatever they can."""
    if rng.random() < 0.4:  # long hands are won by those who keep what fits
        return Habit(0.1, rng.random(), rng.random(), 0.95)
    return Habit(rng.choice((0.5, 0.9, 1.0)), rng.random(), rng.random() ** 3)


def random_input(prompts: list[Prompt], habit: Habit, rng: random.Random) -> en.Input:
    """An answer, a timeout or an auto-play to one of the open questions."""
    prompt = rng.choice(prompts)
    at = (prompt.seat, prompt.number)
    if rng.random() > habit.acts:
        return en.Input("auto" if rng.random() < habit.wise else "timeout", *at)
    last = len(prompt.choices) - 1
    pick = rng.randrange(last + 1)
    if rng.random() < habit.wins:
        pick = 0
    elif pick == last and rng.random() < habit.claims:
        pick = rng.randrange(last + 1)
    choice: int | bytes = pick if rng.random() < 0.5 else prompt.choices[pick]
    return en.Input("answer", *at, choice)


def records(stepped: en.Stepped) -> list[bytes]:
    """The records of a step's events."""
    return [encode_event(formed.event) for formed in stepped.events]
