"""Random hands of 鬼胡子 for the comparison and the benchmark: near-complete ones, with melds.

Hands are drawn from groups, a few cards are spoilt at random, one card is kept as the winning one.
"""

import random
from typing import NamedTuple

from libs.game.melds import Meld, MeldKind

RUNS = [(n, n + 1, n + 2) for n in range(1, 9)] + [(2, 7, 10)] * 3
LASTS = [(a, b) for a in range(1, 11) for b in range(a, min(a + 3, 11))]
LASTS += [(2, 7), (2, 10), (7, 10)] * 2
MELDS = (*(MeldKind.PENG,) * 4, MeldKind.WAI, MeldKind.LIU, MeldKind.PIAO)


class Dealt(NamedTuple):
    """A hand without its winning card, the melds, that card (0: on the deal)."""

    counts: bytes
    melds: tuple[Meld, ...]
    card: int


RED_NUMBERS = {2, 7, 10}


class Style(NamedTuple):
    """What hands are made of. `red`: True only red numbers in equal groups, False none at all."""

    bases: tuple[int, ...] = (0, 10)
    equal: float = 0.5
    red: bool | None = None
    melds: tuple[int, ...] = (0, 0, 1, 2, 3, 4, 5, 6)
    laid: tuple[MeldKind, ...] = MELDS


ANY = Style()
STYLES = (
    Style((0,)), Style((10,)), Style(equal=1), Style(equal=1, red=False), Style(red=False),
    Style(equal=0.6, red=True), Style(equal=0, melds=(0,)), Style(equal=0.3, red=False, melds=(0,)),
    Style(equal=0.7, melds=(5, 6), laid=(MeldKind.PENG,)),
)  # fmt: skip
"""Hands that meet the rarer items of G24."""


def _group(rng: random.Random, style: Style) -> tuple[int, ...]:
    base = rng.choice(style.bases)
    numbers = [n for n in range(1, 11) if style.red is None or (n in RED_NUMBERS) == style.red]
    if rng.random() < style.equal:
        return (base + rng.choice(numbers),) * 3
    runs = [r for r in RUNS if style.red is not False or not RED_NUMBERS & set(r)]
    if style.equal == 0:
        runs = [r for r in runs if r != (2, 7, 10)]
    return tuple(base + n for n in rng.choice(runs))


def _meld(cards: tuple[int, ...], rng: random.Random, style: Style) -> Meld:
    """The group as it could lie on the table of seat 0; other cards come from seat 2."""
    if cards[0] != cards[1]:
        return Meld(MeldKind.CHI, bytes(cards), rng.choice(cards), rng.choice((0, 2)))
    kind = rng.choice(style.laid)
    size = 4 if kind in (MeldKind.LIU, MeldKind.PIAO) else 3
    own = kind in (MeldKind.WAI, MeldKind.LIU)
    return Meld(kind, bytes(cards[:1] * size), cards[0], 0 if own else 2)


def _drawn(rng: random.Random, style: Style) -> tuple[list[Meld], list[int]]:
    """Six groups, some of them melds, and a last 门子; perhaps ten pairs."""
    if rng.random() < 0.08:
        return [], [face for face in rng.choices(range(1, 21), k=10) for _ in range(2)]
    groups = [_group(rng, style) for _ in range(6)]
    n_melds = rng.choice(style.melds)
    melds = [_meld(group, rng, style) for group in groups[:n_melds]]
    lasts = [
        last
        for last in LASTS
        if (style.red is not False or not RED_NUMBERS & set(last))
        and (style.equal != 1 or last[0] == last[1])
    ]
    cards = [card for group in groups[n_melds:] for card in group]
    base = rng.choice(style.bases)
    return melds, cards + [base + n for n in rng.choice(lasts)]


def _spoil(cards: list[int], rng: random.Random) -> None:
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
        at = rng.randrange(len(cards))
        step = rng.choice((-2, -1, 1, 2, 10))
        cards[at] = (cards[at] - 1 + step) % 20 + 1


def deal(rng: random.Random, style: Style = ANY) -> Dealt:
    """A near-complete hand; every face at most four times."""
    while True:
        melds, cards = _drawn(rng, style)
        _spoil(cards, rng)
        rng.shuffle(cards)
        every = cards + [card for meld in melds for card in meld.cards]
        if max(map(every.count, every)) <= 4:
            break
    on_deal = not melds and rng.random() < 0.1
    card = 0 if on_deal else cards.pop()
    return Dealt(bytes(cards.count(face) for face in range(21)), tuple(melds), card)
