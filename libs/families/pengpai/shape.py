"""Complete hands and the faces that complete one (J13, X5), by shape alone."""

from libs.families.pengpai.hand import Held
from libs.families.pengpai.tables import (
    FIRST,
    FIRST_MORE,
    HONOURS,
    LAST,
    LAST_MORE,
    PAIRED,
)
from libs.game.cards import Deck
from libs.game.melds import Meld, MeldKind

SETS = 7
"""门子 of a complete hand, beside its pair (J13)."""
HONOUR = 50
"""First of the faces that never run."""
END = 56
STARTS = (21, 31, 41)
"""First card of each suit."""

_first, _last, _honour = FIRST.get, LAST.get, HONOURS.get


def complete(counts: bytes, melds: int) -> bool:
    """Whether the concealed cards are a pair and all 门子 that `melds` leave (J13, X5)."""
    pairs = _honour(counts[50:56])
    if pairs is None:
        return False
    spades = _first(counts[21:26], 0) & _last(counts[26:30], 0)
    if not spades:
        return False
    clubs = _first(counts[31:36], 0) & _last(counts[36:40], 0)
    if not clubs:
        return False
    hearts = _first(counts[41:46], 0) & _last(counts[46:50], 0)
    if not hearts:
        return False
    paired = pairs + (spades >= PAIRED) + (clubs >= PAIRED) + (hearts >= PAIRED)
    return paired == 1 and sum(counts) == 23 - 3 * melds


def completed_by(counts: bytes, card: int, melds: int) -> bool:
    """Whether the card makes the hand complete; `counts` are without it."""
    whole = bytearray(counts)
    whole[card] += 1
    return complete(bytes(whole), melds)


_INCOMPLETE = -1


def _suit_pairs(counts: bytes, start: int) -> int:
    """Pairs of a complete suit: 0 or 1; -1 if it is not complete."""
    mask = _first(counts[start : start + 5], 0) & _last(counts[start + 5 : start + 9], 0)
    return (mask >= PAIRED) if mask else _INCOMPLETE


def _suit_waits(counts: bytes, start: int, pairs: int) -> list[int]:
    """Faces that make a suit complete with so many pairs."""
    first, last = counts[start : start + 5], counts[start + 5 : start + 9]
    lower, upper = _first(first, 0), _last(last, 0)
    found = []
    if upper:
        for face, mask in enumerate(FIRST_MORE[first], start):
            mask &= upper
            if mask and (mask >= PAIRED) == pairs:
                found.append(face)
    if lower:
        for face, mask in enumerate(LAST_MORE[last], start + 5):
            mask &= lower
            if mask and (mask >= PAIRED) == pairs:
                found.append(face)
    return found


def _honour_waits(counts: bytes, pairs: int) -> list[int]:
    """Faces that never run and make their group complete with so many pairs."""
    group = bytearray(counts[HONOUR:END])
    found = []
    for at in range(len(group)):
        group[at] += 1
        if _honour(bytes(group)) == pairs:
            found.append(HONOUR + at)
        group[at] -= 1
    return found


def _candidates(counts: bytes, melds: int) -> list[int]:
    """Faces whose card completes the hand, as if copies had no end."""
    if sum(counts) != 22 - 3 * melds:
        return []
    pairs = [_suit_pairs(counts, start) for start in STARTS]
    honours = _honour(counts[50:56])
    pairs.append(_INCOMPLETE if honours is None else honours)
    incomplete = pairs.count(_INCOMPLETE)
    if incomplete > 1:
        return []
    total = sum(pairs) + incomplete
    found: list[int] = []
    for group, own in enumerate(pairs):
        if incomplete and own != _INCOMPLETE:
            continue
        wanted = 1 - (total - (0 if incomplete else own))
        if wanted < 0:
            continue
        if group < len(STARTS):
            found += _suit_waits(counts, STARTS[group], wanted)
        else:
            found += _honour_waits(counts, wanted)
    return found


def winning_faces(held: Held, deck: Deck) -> list[int]:
    """The hand's waits by shape alone, in face order (J13, J18, X5).

    A face of which the seat itself holds every copy is no wait. The hand has no flower (J1).
    """
    counts, melds = held.counts, held.melds
    copies = deck.counts
    found = []
    for face in _candidates(counts, len(melds)):
        own = counts[face]
        for meld in melds:
            own += meld[1].count(face)
        if own < copies[face]:
            found.append(face)
    return found


def gang_keeps_waits(held: Held, face: int, deck: Deck) -> bool:
    """Whether a 暗杠 of the face, its fourth card just drawn, leaves the winning faces as they
    are (J30). `held` is the hand before the draw."""
    if held.counts[face] != 3:
        return False
    laid = bytearray(held.counts)
    laid[face] = 0
    gang = Meld(MeldKind.AN_GANG, bytes((face,)) * 4)
    after = Held(bytes(laid), (*held.melds, gang))
    return winning_faces(held, deck) == winning_faces(after, deck)


def ready_discards(held: Held, deck: Deck) -> list[int]:
    """Faces whose discard leaves a hand that waits (J30); `held` has a card to spare."""
    found = []
    for face in range(1, len(held.counts)):
        if held.counts[face]:
            left = bytearray(held.counts)
            left[face] -= 1
            if winning_faces(held._replace(counts=bytes(left)), deck):
                found.append(face)
    return found
