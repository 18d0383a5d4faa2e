"""Hands that cannot lie on a table are refused before they are scored."""

from collections.abc import Mapping

from libs.families.pengpai.hand import BAO_LIU_PENG, DECLINED, FLOWERS, HAI_LAO, ZHI_TING
from libs.families.pengpai.judge import Scoring
from libs.families.pengpai.points import KIND_NAMES, Prices, four_before
from libs.game.cards import Deck, show
from libs.game.melds import Meld, MeldKind
from libs.game.sheet import HandError, SeatHand

SIZES: Mapping[MeldKind, tuple[int, ...]] = {
    MeldKind.PENG: (3,),
    MeldKind.MING_GANG: (4, 5),
    MeldKind.AN_GANG: (4, 5),
    MeldKind.AN_GANG_YUAN: (4, 5),
}
"""Cards of each meld; five only where the game prices them (X8)."""
FACT_LIMITS = {FLOWERS: 4, ZHI_TING: 1, BAO_LIU_PENG: DECLINED, HAI_LAO: 1}
"""Largest value of each fact."""


def _check_meld(meld: Meld, prices: Prices) -> None:
    cards = bytes(meld.cards)
    fits = len(cards) in SIZES.get(meld.kind, ()) and len(set(cards)) == 1
    fits = fits and KIND_NAMES.keys() >= set(meld.steps)
    if fits and len(cards) == 5:
        fits = (KIND_NAMES[meld.kind], four_before(meld)) in prices.fives
    if not fits:
        raise HandError(f"no {meld.kind.name.lower()} is made of {show(cards)}")


def _check_copies(hand: SeatHand, card: int, deck: Deck) -> None:
    held = [*hand.counts, *(0,) * (deck.width - len(hand.counts))]
    if len(held) > deck.width:
        raise HandError("a face that no deck has")
    if card:
        held[card] += 1
    for meld in hand.melds:
        if meld.cards[0] >= deck.width:
            raise HandError("a face that no deck has")
        held[meld.cards[0]] += len(meld.cards)
    for face, (n, copies) in enumerate(zip(held, deck.counts, strict=True)):
        if not 0 <= n <= copies:
            raise HandError(f"there are only {copies} of {show([face])}")


def _check_facts(facts: Mapping[str, int]) -> None:
    for key, most in FACT_LIMITS.items():
        if not 0 <= facts.get(key, 0) <= most:
            raise HandError(f"{key} is 0 to {most}")


def check_seat(hand: SeatHand, card: int, scoring: Scoring) -> None:
    """Raises HandError unless the melds are 碰 or 杠 of the game, no face has more cards than
    the deck, and the facts are in range. `card` (0: none) comes to the hand.

    A flower in hand is no error: it is there until it is set aside (J4), and never complete."""
    for meld in hand.melds:
        _check_meld(meld, scoring.prices)
    _check_copies(hand, card, scoring.deck)
    _check_facts(hand.facts)
    if any(scoring.flower in meld.cards for meld in hand.melds):
        raise HandError(f"{show([scoring.flower])} is in no meld")
