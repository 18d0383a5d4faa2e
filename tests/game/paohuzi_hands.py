"""Random plausible hands for tests and benchmarks: near-complete, with melds, seeded."""

import random
from typing import NamedTuple

RED = {2, 7, 10, 12, 17, 20}
FACES = frozenset(range(1, 21))
TRIPLES = ("kan", "kan", "peng", "wei", "chou_wei")
FOURS = ("ti", "pao")
Cards = list[int]


class Dealt(NamedTuple):
    """Concealed cards, melds as (kind, cards), and a card that may complete them."""

    cards: Cards
    melds: list[tuple[str, Cards]]
    card: int


def _eaten(faces: frozenset[int]) -> list[Cards]:
    """Every group of 吃 type within some faces, paying and special ones more than once."""
    groups = [[base + start + n for n in range(3)] for base in (0, 10) for start in range(1, 9)]
    groups += [s for n in range(1, 11) for s in ([n, n, n + 10], [n, n + 10, n + 10])]
    groups += [
        [base + n for n in s]
        for base in (0, 10)
        for s in ((1, 2, 3), (2, 7, 10), (2, 7, 10), (1, 5, 10))
    ]
    return [group for group in groups if faces.issuperset(group)]


def _pool(rng: random.Random) -> frozenset[int]:
    """The faces of a hand: mostly all; else black, red, of one size, or a few numbers only."""
    start = rng.randrange(1, 7)
    few = {start + n + base for n in range(5) for base in (0, 10)}
    return frozenset(
        rng.choice(
            (
                FACES,
                FACES,
                FACES,
                FACES - RED,
                FACES - (RED - {2}),
                RED | {3, 8, 13, 18},
                set(range(1, 11)),
                set(range(11, 21)),
                few,
                few,
            )
        )
    )


def _wanted(rng: random.Random, faces: frozenset[int]) -> list[tuple[str, Cards]]:
    """Seven 门子 within `faces`, perhaps with too many cards of a face."""
    fours = rng.choice((0, 0, 0, 1, 1, 2, 3))
    triples = rng.choice((0, 0, 1, 1, 2, 3, 7))
    equal, eaten = sorted(faces), _eaten(faces)
    groups = [(rng.choice(FOURS), [rng.choice(equal)] * 4) for _ in range(fours)]
    if fours:
        groups.append(("jiang", [rng.choice(equal)] * 2))
    while len(groups) < 7:
        triples -= 1
        groups.append(
            (rng.choice(TRIPLES), [rng.choice(equal)] * 3)
            if triples >= 0
            else ("chi", rng.choice(eaten))
        )
    return groups


def _seven(rng: random.Random) -> list[tuple[str, Cards]]:
    """Seven 门子 with at most four cards of a face."""
    faces = _pool(rng)
    while True:
        groups = _wanted(rng, faces)
        cards = [card for _, group in groups for card in group]
        if all(cards.count(card) <= 4 for card in set(cards)):
            return groups


def deal(rng: random.Random, no_melds: bool = False) -> Dealt:
    """A hand of seven 门子 with one card taken out, one in five with a card exchanged.

    `no_melds` keeps all but 提 concealed, as before the first discard.
    """
    melds: list[tuple[str, Cards]] = []
    cards: Cards = []
    for kind, group in _seven(rng):
        hidden = kind in ("jiang", "kan") or (no_melds and kind != "ti")
        if hidden or rng.random() < {"ti": 0.2, "chi": 0.6}.get(kind, 0.1):
            cards += group
        else:
            melds.append((kind, group))
    return _open(rng, cards, melds) if cards else deal(rng, no_melds)


def _open(rng: random.Random, cards: Cards, melds: list[tuple[str, Cards]]) -> Dealt:
    """Take the winning card out: of the hand, or of a 跑 or 提 that it completed."""
    fours = [i for i, (kind, _) in enumerate(melds) if kind in FOURS]
    if fours and rng.random() < 0.2:
        i = rng.choice(fours)
        group = melds[i][1]
        melds[i] = (rng.choice(("peng", "wei", "chou_wei")), group[1:])
        return Dealt(sorted(cards), melds, group[0])
    rng.shuffle(cards)
    card = cards.pop()
    if cards and rng.random() < 0.2:
        held = cards + [c for _, group in melds for c in group] + [card]
        free = [face for face in range(1, 21) if held.count(face) < 4]
        cards[rng.randrange(len(cards))] = rng.choice(free)
    return Dealt(sorted(cards), melds, card)
