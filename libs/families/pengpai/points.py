"""胡 of melds and triples as a table of data (J15, X7, X8)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from libs.game.melds import Meld, MeldKind

KIND_NAMES: Mapping[MeldKind, str] = {
    kind: kind.name.lower()
    for kind in (MeldKind.PENG, MeldKind.MING_GANG, MeldKind.AN_GANG, MeldKind.AN_GANG_YUAN)
}
OPEN_KINDS = (MeldKind.PENG, MeldKind.MING_GANG)
"""Melds that came from another seat's discard, in part (J21, X13)."""

Row = tuple[int, int]
"""胡 of a 小张 and of a 大张."""
Fives = Mapping[tuple[str, str], int]
"""(kind of five cards, kind of four it was before; "" if laid at once) → 胡."""


@dataclass(frozen=True, eq=False)
class Prices:
    """What a game pays for equal cards; `rows` by `an_gang_yuan`, `an_gang`, `ming_gang`,
    `an_ke`, `peng`."""

    clause: str
    big: frozenset[int]
    """大张 (J1, X1)."""
    rows: Mapping[str, Row]
    fives: Fives = field(default_factory=dict)
    fives_clause: str = ""

    def equal(self, kind: str, face: int) -> int:
        """胡 of three or four equal cards."""
        return self.rows[kind][face in self.big]

    def meld(self, meld: Meld) -> int:
        """胡 of a meld; five cards by what they grew from (X8)."""
        kind = KIND_NAMES[meld.kind]
        if len(meld.cards) < 5:
            return self.equal(kind, meld.cards[0])
        return self.fives[kind, four_before(meld)]

    def meld_clause(self, meld: Meld) -> str:
        """The clause that prices a meld."""
        return self.clause if len(meld.cards) < 5 else self.fives_clause


def four_before(meld: Meld) -> str:
    """The 杠 that a five-card meld grew from, "" if it was laid at once (X8)."""
    fours = [KIND_NAMES[MeldKind(step)] for step in meld.steps if step != MeldKind.PENG]
    return fours[0] if fours else ""
