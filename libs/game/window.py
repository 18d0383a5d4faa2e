"""The claim window (Z7, Z8, Z8a): who gets the open card.

A claim's key orders it: rank first, then turn order from the seat that drew the card or, for a
discard, the seat after the discarder. Lower keys win. The window is certain as soon as no
unanswered seat could still do better than the best claim made.
"""

from collections.abc import Sequence
from typing import NamedTuple

from libs.game.actions import PASS, Verb
from libs.game.flow import OUTRANKED, PASSED, TAKEN, Table
from libs.game.state import OpenKind, Prompt

NOTHING = 1 << 16
"""Key of taking nothing."""

_VERBS = {int(verb): verb for verb in Verb}
_DISCARDED = OpenKind.DISCARDED


class Claim(NamedTuple):
    """The claim that won: whose, and the encoded action."""

    seat: int
    action: bytes
    key: int


def key(table: Table, seat: int, action: bytes) -> int:
    """The order of a claim."""
    if action == PASS:
        return NOTHING
    state = table.state
    assert state.open is not None
    _, origin, kind, _ = state.open
    steps = (seat - origin - (kind is _DISCARDED)) % state.players
    return table.variant.ranks[_VERBS[action[0]]] * 16 + steps


def best(table: Table, seat: int, choices: Sequence[bytes]) -> int:
    """Key of the best of a seat's choices."""
    return min([key(table, seat, choice) for choice in choices])


def winner(table: Table) -> tuple[bool, Claim | None]:
    """(certain, the winning claim or None)."""
    top: Claim | None = None
    if table.state.forced:
        seat, action = table.state.forced
        top = Claim(seat, action, key(table, seat, action))
    for p in table.state.prompts:
        if p.answer >= 0 and p.choices[p.answer] != PASS:
            claim = Claim(p.seat, p.choices[p.answer], key(table, p.seat, p.choices[p.answer]))
            if top is None or claim.key < top.key:
                top = claim
    limit = top.key if top else NOTHING
    for p in table.state.prompts:
        if p.answer < 0 and best(table, p.seat, p.choices) < limit:
            return False, None
    return True, top


def close(table: Table, top: Claim | None) -> list[tuple[Prompt, bool]]:
    """Closes every question of the window.

    Returns each with whether it counts as passed: not so when the card went to a claim that
    outranks the best the seat was offered, whatever it answered (Z8a).
    """
    limit = top.key if top else NOTHING
    results = []
    for p in list(table.state.prompts):
        took = top is not None and p.seat == top.seat and p.choices[p.answer] == top.action
        if took and p.answer >= 0:
            outcome = TAKEN
        elif limit < best(table, p.seat, p.choices):
            outcome = OUTRANKED
        else:
            outcome = PASSED
        table.close(p, outcome)
        results.append((p, outcome != OUTRANKED))
    return results
