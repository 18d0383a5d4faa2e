"""Actions: what a prompt offers and a player chooses.

An action is encoded once (`encode`) and compared, stored and looked up as bytes.
"""

from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple


class Verb(IntEnum):
    """Kinds of action; the numbers are the field numbers of `paiju.game.v1.Action`, with the
    kinds of 杠 and of declaration told apart."""

    PASS = 1
    DISCARD = 2
    CHI = 3
    PENG = 4
    HU = 5
    WAI = 6
    LIU = 7
    PIAO = 8
    AN_GANG = 21
    BU_GANG = 22
    ZHI_GANG = 23
    ZHI_TING = 31
    BAO_LIU_PENG = 32
    PAO = 41
    """跑 is never a choice, but ranks among the claims."""


class PromptClass(IntEnum):
    """Timer class (match.md M4); the numbers are those of `paiju.game.v1.PromptClass`."""

    DISCARD = 1
    CLAIM = 2


class Action(NamedTuple):
    """`card` is what it is about (0: nothing); `groups` the eaten group, then the 比 groups."""

    verb: Verb
    card: int = 0
    groups: tuple[bytes, ...] = ()


def encode(action: Action) -> bytes:
    """Verb, card, then each group with its length."""
    out = bytearray((action.verb, action.card))
    for group in action.groups:
        out.append(len(group))
        out += group
    return bytes(out)


@lru_cache(maxsize=65536)
def decode(data: bytes) -> Action:
    """The action of `encode`'s bytes. Raises ValueError for anything else."""
    if len(data) < 2:
        raise ValueError("an action has at least two bytes")
    groups = []
    at = 2
    while at < len(data):
        end = at + 1 + data[at]
        if end > len(data):
            raise ValueError("a group runs past the end")
        groups.append(data[at + 1 : end])
        at = end
    return Action(Verb(data[0]), data[1], tuple(groups))


PASS = encode(Action(Verb.PASS))
HU = Verb.HU
