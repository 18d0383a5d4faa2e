"""The shuffle is the documented one, it is fair, and anybody can repeat it (M8)."""

import hashlib
import hmac
import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from libs.game import deal
from libs.game.cards import ZI_PAI

SEED = deal.Seed(bytes(range(32)), bytes(range(32, 64)), "match-7", b"client")
Shuffle = Callable[[bytes, Iterator[int]], bytes]


def test_commitment_is_the_known_one() -> None:
    """A known answer, and what it is made of (M8)."""
    body = b"paiju-commit-1" + b"\0\7match-7" + b"\0\0\0\3" + SEED.server + SEED.nonce
    body += b"\0\6client"
    assert deal.commitment(SEED, 3) == hashlib.sha256(body).digest()
    assert deal.commitment(SEED, 3).hex() == (
        "99ec4b695dcbfd7279b414d73160f39ef83862cccf00f4450b0897e81e1755f3"
    )


def test_the_commitment_binds_the_client_seed() -> None:
    """No client seed can be chosen after the commitment is known (M8)."""
    assert deal.commitment(SEED, 3) != deal.commitment(SEED._replace(client=b"clienu"), 3)


def test_deck_is_the_known_one() -> None:
    """A known order of the 80 cards (M8)."""
    deck = deal.shuffle(ZI_PAI.cards, deal.stream(SEED, 3, 1))
    assert deck.hex() == (
        "10121312030b11140d1104040c09070c0c0d06120b0d010b04020113050e0d020a1312080b020910"
        "0c060305090f10040e0a070f05050614030a030a0914080f110e0106071113070e1008011402080f"
    )


def by_hand(cards: bytes, seed: deal.Seed, round_no: int, release: int) -> bytes:
    """The page's words once more, in another shape: a block at a time, from a list."""
    label = b"paiju-deck-1%s%s%s%s%s%s" % (
        len(seed.match_id).to_bytes(2, "big"),
        seed.match_id.encode(),
        round_no.to_bytes(4, "big"),
        release.to_bytes(4, "big"),
        len(seed.client).to_bytes(2, "big"),
        seed.client,
    )
    key = hmac.new(seed.server, label, hashlib.sha256).digest()
    supply = [
        byte
        for counter in range(20)
        for byte in hmac.new(key, counter.to_bytes(8, "big"), hashlib.sha256).digest()
    ]
    order = list(cards)
    for size in range(len(order), 1, -1):
        while True:
            byte, *supply = supply
            if byte < 256 // size * size:
                break
        pick = byte % size
        order[size - 1], order[pick] = order[pick], order[size - 1]
    return bytes(order)


def test_another_reading_of_the_page_deals_the_same() -> None:
    """200 decks (M8)."""
    rng = random.Random(1)
    for _ in range(200):
        seed = deal.Seed(rng.randbytes(32), b"", f"m{rng.random()}", rng.randbytes(5))
        release, round_no = rng.randint(1, 9), rng.randint(1, 100)
        deck = deal.shuffle(ZI_PAI.cards, deal.stream(seed, round_no, release))
        assert deck == by_hand(ZI_PAI.cards, seed, round_no, release)


@pytest.mark.parametrize(
    "other",
    [
        (SEED._replace(server=bytes(32)), 3, 1),
        (SEED._replace(match_id="match-8"), 3, 1),
        (SEED._replace(client=b"x"), 3, 1),
        (SEED, 4, 1),
        (SEED, 3, 2),
    ],
    ids=["server seed", "match", "client seed", "round", "release"],
)
def test_each_input_changes_the_deck(other: tuple[deal.Seed, int, int]) -> None:
    """Nothing that ought to matter is left out (M8)."""
    deck = deal.shuffle(ZI_PAI.cards, deal.stream(SEED, 3, 1))
    assert deal.shuffle(ZI_PAI.cards, deal.stream(*other)) != deck


def test_texts_cannot_run_into_each_other() -> None:
    """Length prefixes keep a longer match id from being a shorter one with a client seed."""
    one, two = SEED._replace(match_id="ab", client=b"c"), SEED._replace(match_id="a", client=b"bc")
    assert list(itertools.islice(deal.stream(one, 1, 1), 32)) != list(
        itertools.islice(deal.stream(two, 1, 1), 32)
    )


def test_bytes_of_a_partial_block_are_thrown_away() -> None:
    """Rejection, not a remainder of everything (M8)."""
    assert deal.below(100, iter([255, 200, 199])) == 99
    assert deal.below(256, iter([255])) == 255
    assert deal.below(1, iter([77])) == 0


def chi_square(seen: Counter[Any], cells: int) -> float:
    """Distance from all cells alike."""
    expected = sum(seen.values()) / cells
    empty = (cells - len(seen)) * expected
    return sum((n - expected) ** 2 / expected for n in seen.values()) + empty


def supply(name: str) -> Iterator[int]:
    """An endless byte stream for a test."""
    return deal.stream(SEED._replace(match_id=name), 1, 1)


def place_by_card(shuffle: Shuffle) -> float:
    """χ² of position × card for 20 different cards over 3,000 decks; 361 degrees of freedom."""
    source, cards = supply("places"), bytes(range(20))
    seen = Counter(
        (place, card) for _ in range(3000) for place, card in enumerate(shuffle(cards, source))
    )
    return chi_square(seen, 400)


def orders_of_four(shuffle: Shuffle) -> float:
    """χ² of the 24 orders of four cards over 4,800 decks; 23 degrees of freedom."""
    source = supply("orders")
    return chi_square(Counter(shuffle(b"abcd", source) for _ in range(4800)), 24)


PLACES, ORDERS = 361 + 5 * (2 * 361) ** 0.5, 23 + 5 * 46**0.5
"""Five standard deviations above the mean."""


def test_every_card_comes_to_every_place() -> None:
    """No place likes a card (M8)."""
    assert place_by_card(deal.shuffle) < PLACES


def test_every_order_comes_alike() -> None:
    """All 24 orders of a four-card deck (M8)."""
    assert orders_of_four(deal.shuffle) < ORDERS


def off_by_one(cards: bytes, source: Iterator[int]) -> bytes:
    """The classic mistake: a card never stays in its place."""
    deck = bytearray(cards)
    for last in range(len(deck) - 1, 0, -1):
        other = deal.below(last, source)
        deck[last], deck[other] = deck[other], deck[last]
    return bytes(deck)


def from_everywhere(cards: bytes, source: Iterator[int]) -> bytes:
    """The other classic: each place swaps with any place."""
    deck = bytearray(cards)
    for place in range(len(deck)):
        other = deal.below(len(deck), source)
        deck[place], deck[other] = deck[other], deck[place]
    return bytes(deck)


@pytest.mark.parametrize("wrong", [off_by_one, from_everywhere])
def test_a_wrong_shuffle_is_caught(wrong: Shuffle) -> None:
    """Both measures notice both mistakes."""
    assert place_by_card(wrong) > PLACES
    assert orders_of_four(wrong) > ORDERS


def test_a_remainder_without_rejection_is_caught() -> None:
    """256 is no multiple of 80: the plain remainder prefers small indices."""
    source = supply("remainder")
    fair = Counter(deal.below(80, source) for _ in range(16_000))
    plain = Counter(next(source) % 80 for _ in range(16_000))
    limit = 79 + 5 * (2 * 79) ** 0.5
    assert chi_square(fair, 80) < limit < chi_square(plain, 80)
