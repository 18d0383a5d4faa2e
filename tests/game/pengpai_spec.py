"""Short notation for hands of 姜堰23张 and 沙沙儿: `S345 HQQ` is S3 S4 S5 HQ HQ."""

from importlib import import_module
from typing import Any

from libs.families.pengpai.hand import Held
from libs.families.pengpai.judge import Scoring
from libs.game.cards import parse
from libs.game.melds import Meld, MeldKind
from libs.game.options import parse as parse_options
from libs.game.sheet import HandSpec, SeatHand, Sheet, Win, WinSource

KINDS = {
    "p": MeldKind.PENG,
    "m": MeldKind.MING_GANG,
    "a": MeldKind.AN_GANG,
    "y": MeldKind.AN_GANG_YUAN,
    "w": MeldKind.WEI,
}


def cards(text: str) -> tuple[int, ...]:
    """`S345 HQQ` → cards."""
    return parse(" ".join(word[0] + rank for word in text.split() for rank in word[1:]))


def meld(word: str) -> Meld:
    """`p:S999`, `a:HTTTT`; `ma:HTTTTT` is a 明杠 that was a 暗杠 of four (X8)."""
    kinds, _, text = word.partition(":")
    return Meld(KINDS[kinds[0]], bytes(cards(text)), steps=tuple(KINDS[k] for k in kinds[1:]))


def room(game: str, **options: Any) -> Scoring:
    """The scoring of a room."""
    package = f"libs.variants.{game}"
    cls = import_module(f"{package}.options").Options
    scoring: Scoring = import_module(f"{package}.scoring").scoring_for(parse_options(cls, options))
    return scoring


def seat(scoring: Scoring, text: str, melds: str = "", **facts: int) -> SeatHand:
    """A seat's cards, melds separated by spaces, facts."""
    laid = tuple(meld(word) for word in melds.split())
    return SeatHand(tuple(scoring.deck.count(cards(text))), laid, facts)


def held(scoring: Scoring, text: str, melds: str = "", **facts: int) -> Held:
    """The same as the kernel takes it."""
    hand = seat(scoring, text, melds, **facts)
    return Held(bytes(hand.counts), hand.melds, hand.facts)


def win(card: str, source: str = "discard") -> Win:
    """Seat 0 wins with `card`, a discard of seat 1; `deal` without card."""
    faces = cards(card)
    by = 1 if source == "discard" else -1
    return Win(0, faces[0] if faces else 0, WinSource[source.upper()], by)


def spec(scoring: Scoring, won: Win | None, *seats: SeatHand) -> HandSpec:
    """A round of three; missing seats have no cards."""
    hands = (*seats, *(SeatHand(),) * (3 - len(seats)))
    return HandSpec(scoring.options, 3, 0, hands, won)


def codes(sheet: Sheet) -> list[str]:
    """The winner's lines as `code value`."""
    return [f"{line.code} {line.value}" for line in sheet.seats[0].lines]
