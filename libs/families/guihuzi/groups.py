"""The 门子 of the split that counts, put together for the score sheet (G19, G20)."""

from collections.abc import Iterator

from libs.families.guihuzi.points import CHI_BY_CARDS, FACES, LAID, YINGXI, is_er_qi_shi
from libs.families.guihuzi.score import Candidate, Occasion
from libs.families.guihuzi.split import Split, with_card
from libs.families.guihuzi.tables import Part, cards_of, run_groups
from libs.game.melds import Meld, MeldKind
from libs.game.sheet import Group, Win, WinSource

_COMPLETED = {WinSource.OWN_DRAW: "wai", WinSource.OTHER_DRAW: "peng"}
"""What three equal cards are called if the winning card completed them (G20)."""


def _group(kind: str, cards: bytes, won: bool = False) -> Group:
    return Group(kind, cards, YINGXI[kind], "G24" if kind == "dui" else "G20", False, won)


def _meld_group(meld: Meld) -> Group:
    cards = CHI_BY_CARDS[meld.cards] if meld.kind == MeldKind.CHI else meld.cards
    points = LAID[meld.kind, meld.cards].yingxi
    return Group(meld.kind.name.lower(), cards, points, "G20", True)


def _three(face: int, held: int, win: Win) -> Group:
    """Three equal cards in hand; 坎 unless the winning card had to complete them."""
    completed = face == win.card and held == 2
    kind = _COMPLETED.get(win.source, "kan") if completed else "kan"
    return _group(kind, bytes([face] * 3), completed)


def _part_groups(part: Part, base: int) -> Iterator[Group]:
    """Runs, 二七十 and the last 门子 of a half."""
    for packed in run_groups(part.runs):
        cards = cards_of(packed, base)
        yield _group("er_qi_shi" if is_er_qi_shi(cards) else "juhua", cards)
    if part.last.kind:
        yield _group(part.last.kind, cards_of(part.last.cards, base))


def _split_groups(occasion: Occasion, split: Split) -> Iterator[Group]:
    for face in FACES:
        if split.has_three(face):
            yield _three(face, occasion.hand.counts[face], occasion.win)
    yield from _part_groups(split.small, 0)
    yield from _part_groups(split.big, 10)


def _pairs(occasion: Occasion) -> Iterator[Group]:
    """The pairs of 十对; four equal cards are two."""
    small, big = with_card(occasion.hand.counts, occasion.win.card)
    cards = cards_of(small, 0) + cards_of(big, 10)
    for at in range(0, len(cards), 2):
        yield _group("dui", cards[at : at + 2])


def _mark(groups: list[Group], win: Win) -> list[Group]:
    """Marks the group of the winning card: an own last pair, else another group than a 坎."""
    if not win.card or any(group.won for group in groups):
        return groups
    holding = [at for at, group in enumerate(groups) if win.card in group.cards]
    at = min(holding, key=lambda at: (groups[at].kind != "last_i", groups[at].kind == "kan"))
    groups[at] = groups[at]._replace(won=True)
    return groups


def split_groups(occasion: Occasion, best: Candidate) -> tuple[Group, ...]:
    """Every 门子 of a candidate, melds first."""
    laid = [_meld_group(meld) for meld in occasion.hand.melds]
    split = best.split
    free = list(_split_groups(occasion, split) if split else _pairs(occasion))
    return (*laid, *_mark(free, occasion.win))
