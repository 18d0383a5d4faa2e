"""Decks for comparing play: what is rare at the table is common in them."""

import random
from collections import Counter
from collections.abc import Mapping

from libs.game.cards import parse
from libs.game.variant import Variant

RARE = parse("DJ HT")
RUNS = "S3 S4 S5 S6 S7 S8 H1 H2 H3 H6 H7 H8"
SIX_FOURS = "S9 S9 S9 S9 C5 C5 C5 C5 H2 H2 H2 H2 HJ HJ HJ HJ HQ HQ HQ HQ HK HK HK"

AIMS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "jiangyan_23": (
        # A four of a replacement, a dealt one passed before it (J4, J5).
        ("S9 S9 S9 S9 C5 C5 C5 C5 H2 H2 H2", "", "", "", "H2"),
        # Four 大王 dealt with a four; the tail brings the four's company.
        ("S9 S9 S9 S9 DJ DJ DJ DJ", "C5 C5 C5 C5", "", "", ""),
        # Six 暗杠 in the opening; the sixth held back (J31).
        (SIX_FOURS, "", "", "", "HK"),
        ("S1 S2", SIX_FOURS.replace("HK HK HK", "HK HK"), "", "S3 HK", "HK"),
        # 直听: the fourth C5 may be laid; it may not; four dealt (J30).
        (f"{RUNS} C5 C5 C5 C6 C7 C8 HQ HQ HK HK", "", "", "S9 H9 HJ C5", ""),
        ("", f"{RUNS} S1 S1 S1 C1 C2 C3 C5 C5 C5 C6", "", "C5 S1 HT S2", ""),
        ("", "", f"{RUNS} C5 C5 C5 C5 C6 C7 S9 S9 S9 HT", "S1 C8 C8 HT S9", ""),
        # 大王 and fours where the wall ends (J32).
        ("", "", "", "", "DJ DJ DJ DJ S1 C2 H3"),
        ("S9 S9 S9", "C5 C5 C5", "H2 H2 H2", "", "DJ S9 C5 H2 DJ C1 H1"),
    ),
    "shashaer": (
        # A fifth that comes while dealt fours are still offered (X3, X8).
        ("HT HT HT HT C5 C5 C5 C5 H2 H2 H2", "", "", "", "H2 HT"),
        ("HT HT HT HT HT DJ DJ DJ DJ", "", "", "", "DJ"),
        # Two seats that can both 碰 one card (X5).
        (f"{RUNS} C1 C2 C3 C4 C5 C6 C7 C7 C7 HT DJ", "HT HT DJ DJ", "HT HT DJ DJ", "", ""),
        # A fifth drawn, discarded, claimed (X8).
        ("HT HT HT HT", "DJ DJ DJ DJ", "C5 C5 C5 C5", "DJ HT", ""),
        ("HT HT HT", "DJ DJ DJ", "", "S1 HT DJ", "DJ HT"),
        # Fours and fives where the wall ends (X6).
        ("HT HT HT HT C5 C5 C5", "DJ DJ DJ DJ", "", "", "S1 C5 HT DJ H1"),
        ("HT HT HT", "DJ DJ DJ", "S9 S9 S9", "", "HT HT DJ DJ S9"),
    ),
}
"""Per game: what seats hold from the dealer on, the head of the wall, its end. `SIX_FOURS` of a
seat that is not the dealer leaves out a card."""


def aimed_deck(variant: Variant, players: int, rng: random.Random, aim: int) -> bytes:
    """The aim of a number, filled up at random."""
    *hands, head, tail = [list(parse(text)) for text in AIMS[variant.game][aim]]
    hands = hands[:players]
    pool = Counter(variant.deck.cards)
    for cards in (*hands, head, tail):
        pool -= Counter(cards)
    rest = rng.sample(sorted(pool.elements()), pool.total())
    deck: list[int] = []
    for seat, hand in enumerate(hands):
        missing = 22 + (seat == 0) - len(hand)
        deck += hand + rest[:missing]
        del rest[:missing]
    return bytes([*deck, *head, *rest, *tail])


def rich_deck(variant: Variant, players: int, rng: random.Random) -> bytes:
    """Hands of equal cards and runs; in the wall the rare faces may lie last."""
    pool = Counter(variant.deck.cards)
    equal, least = rng.choice(((0.1, 3), (0.4, 4), (0.9, 4), (0.6, 3), (0.2, 2))), rng.randint(0, 3)
    deck: list[int] = []
    for seat in range(players):
        hand: list[int] = []
        for _ in range(80):
            face = rng.choice([*pool] + [*RARE] * 6)
            group = [face] * rng.choice((equal[1], 4, pool[face]))
            if rng.random() > equal[0] and face < 48 and face % 10 < 8:
                group = [face, face + 1, face + 2]
            room = 22 + (seat == 0) - rng.randint(0, least)
            if not Counter(group) - pool and len(hand) + len(group) <= room:
                pool -= Counter(group)
                hand += group
        rest = rng.sample(sorted(pool.elements()), 22 + (seat == 0) - len(hand))
        pool -= Counter(rest)
        deck += hand + rest
    wall = rng.sample(sorted(pool.elements()), pool.total())
    if rng.random() < 0.5:
        wall.sort(key=lambda card: card in RARE and rng.random() < 0.8)
    return bytes(deck + wall)
