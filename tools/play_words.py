"""The words of a game on the terminal: cards, melds, choices and what happened.

Everything that differs between games comes from ListVariants: faces, red faces, terms.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from paiju.game.v1 import action_pb2, card_pb2, event_pb2, option_pb2

from libs.game.cards import HIDDEN, NAMES
from tools.sheets import KINDS, WIN_KINDS, Style, width

COMMON = {
    "pass": "过",
    "discard": "出",
    "chi": "吃",
    "bi": "比",
    "peng": "碰",
    "hu": "胡",
    "gang": "杠",
    "an_gang": "暗杠",
    "an_gang_yuan": "暗杠",
    "bu_gang": "补杠",
    "zhi_gang": "直杠",
    "ming_gang": "明杠",
    "wai": "歪",
    "liu": "溜",
    "piao": "飘",
    "liang_zhang": "亮张",
    "chong_zhao": "冲招",
    "barred": "冲招",
    "si_shou": "死手",
    "zhi_ting": "直听",
    "bao_liu_peng": "报六碰",
    "hai_lao": "海捞",
    "flower": "花",
    "xing": "醒",
    "ting": "听",
}
"""Words for what a game's own terms do not name."""

GANGS = {
    action_pb2.GANG_KIND_AN: "an_gang",
    action_pb2.GANG_KIND_BU: "bu_gang",
    action_pb2.GANG_KIND_ZHI: "zhi_gang",
}
DECLARATIONS = {
    action_pb2.DECLARATION_ZHI_TING: "zhi_ting",
    action_pb2.DECLARATION_BAO_LIU_PENG: "bao_liu_peng",
}

_SUITS = {"S": "♠", "C": "♣", "H": "♥"}
_RANKS = {"1": "A", "T": "10"}
_JOKERS = {"XJ": "小王", "DJ": "大王"}
_BACK = "▒▒"
_PLAIN_BACK = "??"
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")

BLACK_CARD, RED_CARD, BACK_CARD = "30;47", "31;47", "37;44"
BOLD, DIM, GOOD, BAD = "1", "2", "32", "31"


def columns(text: str) -> int:
    """Columns of a terminal that `text` takes, colours not counted."""
    return width(_ESCAPES.sub("", text))


def filled(text: str, wide: int) -> str:
    """`text` filled up with spaces; colours take no room."""
    return text + " " * max(0, wide - columns(text))


def printed(name: str) -> str:
    """A face as it is printed on the card: 字牌 as they are, ♥K for HK."""
    if name in _JOKERS:
        return _JOKERS[name]
    if len(name) == 2 and name[0] in _SUITS:
        return _SUITS[name[0]] + _RANKS.get(name[1], name[1])
    return name


@dataclass(frozen=True)
class Words:
    """How one table is told: the game's terms and faces, and who sits where."""

    title: str
    terms: Mapping[str, str]
    copies: Mapping[int, int]
    faces: Mapping[int, str]
    red: frozenset[int]
    names: Sequence[str]
    colour: bool = False

    @classmethod
    def of(cls, variant: option_pb2.Variant, names: Sequence[str], colour: bool) -> "Words":
        """From what ListVariants says of a game."""
        return cls(
            title=variant.name.zh,
            terms={term.code: term.label.zh for term in variant.terms},
            copies={face.card: face.copies for face in variant.deck},
            faces={face.card: printed(face.name) for face in variant.deck},
            red=frozenset(face.card for face in variant.deck if face.red or face.name[0] == "H"),
            names=tuple(names),
            colour=colour,
        )

    @property
    def single(self) -> bool:
        """Faces of one sign each, which read well without spaces."""
        return all(len(face) == 1 for face in self.faces.values())

    def paint(self, text: str, style: str) -> str:
        """Text in a style, where there are colours."""
        return f"\x1b[{style}m{text}\x1b[0m" if self.colour and text else text

    def term(self, code: str) -> str:
        """A word of the game."""
        for known in (self.terms, COMMON, KINDS, WIN_KINDS):
            if code in known:
                return known[code]
        return code

    def name(self, seat: int) -> str:
        """Who sits there."""
        return self.names[seat] if seat < len(self.names) else f"seat {seat}"

    def card(self, card: int) -> str:
        """One card, painted."""
        if card == HIDDEN:
            return self.paint(_BACK, BACK_CARD) if self.colour else _PLAIN_BACK
        style = RED_CARD if card in self.red else BLACK_CARD
        return self.paint(self.plain(card), style)

    def plain(self, card: int) -> str:
        """One card, as a person may type it."""
        return self.faces.get(card) or NAMES.get(card, str(card))

    def cards(self, cards: Iterable[int]) -> str:
        """Cards side by side."""
        return ("" if self.single else " ").join(map(self.card, cards))

    def plain_cards(self, cards: Iterable[int]) -> str:
        """Cards side by side without colours, written as everywhere on the screen."""
        return ("" if self.single else " ").join(map(self.plain, cards))

    @property
    def sheet_style(self) -> Style:
        """How this table writes a score sheet."""
        return Style(self.names, self.plain_cards, lambda _game, code: self.term(code))

    def meld(self, meld: card_pb2.Meld) -> str:
        """A meld with its word; the claimed card stands in brackets."""
        shown, marked = [], not meld.claimed
        for card in meld.cards:
            mine = not marked and card == meld.claimed
            marked = marked or mine
            shown.append(f"[{self.card(card)}]" if mine else self.card(card))
        return f"{self.term(meld_code(meld))} {('' if self.single else ' ').join(shown)}"

    def choice(self, action: action_pb2.Action) -> str:
        """A choice as the prompt offers it."""
        kind = action.WhichOneof("kind") or "pass"
        if kind == "declare":
            return self.term(DECLARATIONS.get(action.declare.declaration, "declare"))
        if kind == "chi":
            beside = "".join(f" {self.term('bi')} {self.cards(g.cards)}" for g in action.chi.bi)
            return f"{self.term('chi')} {self.cards(action.chi.group.cards)}{beside}"
        word = self.term(GANGS.get(action.gang.kind, "gang") if kind == "gang" else kind)
        card = getattr(getattr(action, kind), "card", 0)
        return f"{word} {self.card(card)}" if card else word


def meld_code(meld: card_pb2.Meld) -> str:
    """The code of a meld's kind in the terms."""
    return card_pb2.MeldKind.Name(meld.kind).removeprefix("MELD_KIND_").lower()


def told(words: Words, event: event_pb2.Event, face_down: bool = False) -> str:
    """An event in words; empty for what needs none. `face_down`: the open card is hidden."""
    kind = event.WhichOneof("kind") or ""
    if kind == "card_shown" and face_down:
        shown = event.card_shown
        return f"{words.name(shown.seat)} 翻开 {words.card(shown.card)}"
    teller = _TELLERS.get(kind)
    return teller(words, getattr(event, kind)) if teller else ""


def _started(words: Words, event: event_pb2.Event.RoundStarted) -> str:
    return f"第{event.round_no}局: {words.name(event.dealer)} 庄, {event.wall} cards"


def _shown(words: Words, event: event_pb2.Event.CardShown) -> str:
    return f"{words.term('liang_zhang')} {words.card(event.card)} for {words.name(event.seat)}"


def _drew(words: Words, event: event_pb2.Event.Drew) -> str:
    text = f"{words.name(event.seat)} {'补' if event.replacement else '摸'}"
    unseen = event.card == HIDDEN and (event.joins_hand or event.replacement)
    return text if unseen else f"{text} {words.card(event.card)}"


def _discarded(words: Words, event: event_pb2.Event.Discarded) -> str:
    return f"{words.name(event.seat)} 打 {words.card(event.card)}"


def _melded(words: Words, event: event_pb2.Event.Melded) -> str:
    text = f"{words.name(event.seat)} {words.meld(event.meld)}"
    for group in getattr(event, "with"):
        text += f" {words.term('bi')} {words.cards(group.cards)}"
    if event.takes_open and event.meld.source != event.seat:
        text += f" ← {words.name(event.meld.source)}"
    return text


def _returned(words: Words, event: event_pb2.Event.Returned) -> str:
    why = words.term(event.reason.lower())
    return words.paint(f"{words.card(event.card)} comes back to your hand: {why}", BAD)


def _barred(words: Words, event: event_pb2.Event.Barred) -> str:
    chi, peng = words.term("chi"), words.term("peng")
    return f"{words.name(event.seat)} {words.term(event.reason)}: no {chi}, no {peng} any more"


def _won(words: Words, event: event_pb2.Event.Won) -> str:
    text = f"{words.name(event.seat)} {words.term('hu')}"
    text += f" {words.card(event.card)}" if event.card else ""
    if event.HasField("from_seat") and event.from_seat != event.seat:
        text += f" ← {words.name(event.from_seat)}"
    return words.paint(text, BOLD)


def _ended(words: Words, event: event_pb2.Event.RoundEnded) -> str:
    outcomes = {
        event_pb2.ROUND_OUTCOME_LIU_JU: words.term("liu_ju"),
        event_pb2.ROUND_OUTCOME_VOID: words.term("void"),
    }
    return outcomes.get(event.outcome, "")


_TELLERS: Mapping[str, Callable[[Words, Any], str]] = {
    "round_started": _started,
    "card_shown": _shown,
    "drew": _drew,
    "discarded": _discarded,
    "melded": _melded,
    "returned": _returned,
    "barred": _barred,
    "won": _won,
    "round_ended": _ended,
    "si_shou": lambda words, e: f"{words.name(e.seat)} {words.term('si_shou')}",
    "declared": lambda words, e: (
        f"{words.name(e.seat)} {words.term(DECLARATIONS.get(e.declaration, 'declare'))}"
    ),
    "flower_set": lambda words, e: (
        f"{words.name(e.seat)} {words.term('flower')} {words.card(e.card)}"
    ),
    "xing_turned": lambda words, e: f"{words.term('xing')} {words.card(e.card)}",
    "piles_opened": lambda words, e: "all discard piles lie open",
    "hai_lao_started": lambda words, e: f"{words.term('hai_lao')}: the last cards",
}
