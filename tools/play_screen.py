"""Screens as lines of text: the table, the question, the end of a round. It prints nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from paiju.game.v1 import action_pb2, sheet_pb2

from libs.game.cards import NAMES
from tools.play_board import Board
from tools.play_hand import Group, hand_lines
from tools.play_words import BOLD, DIM, GOOD, Words, columns
from tools.sheets import deltas, sheet_lines, signed

WIDTH = 78
_NEWS = 12
_PILE = 24
_RETURNED = "returned"
"""A note that the news tells already, and that ends with the turn."""


@dataclass
class Story:
    """What the screens tell beside the table."""

    rounds: int
    totals: Sequence[int] = ()
    news: list[str] = field(default_factory=list)
    sheet: sheet_pb2.ScoreSheet | None = None
    groups: tuple[Group, ...] = ()


def table_lines(board: Board, words: Words, story: Story) -> list[str]:
    """The whole table as the person sees it."""
    lines = [_headline(board, words, story), _rule(words)]
    for seat in board.others:
        lines += _seat_lines(board, words, seat)
    middle = _middle(board, words, story)
    lines += [_rule(words), *middle, *([_rule(words)] if middle else [])]
    lines += _seat_lines(board, words, board.seat)
    if board.hand.total():
        lines += [f"  {line}" for line in hand_lines(board.hand, words, story.groups)]
    return lines


def _headline(board: Board, words: Words, story: Story) -> str:
    parts = [words.paint(words.title, BOLD), f"第{board.round_no}局 / {story.rounds}"]
    parts.append(f"牌墩 {board.wall_left}")
    if any(story.totals):
        parts.append(f"总分 {deltas(story.totals, words.names)}")
    return "   ".join(parts)


def _rule(words: Words) -> str:
    return words.paint("─" * WIDTH, DIM)


def _seat_lines(board: Board, words: Words, seat: int) -> list[str]:
    """Name, marks and number of cards; below it melds, flowers and pile where there are any."""
    place = board.places[seat]
    marks = ["庄"] if seat == board.dealer else []
    marks += [words.term(flag) for flag in place.flags]
    if seat == board.seat:
        told = {code: cards for code, cards in board.notes.items() if cards and code != _RETURNED}
        marks += [f"{words.term(code)} {words.cards(cards)}" for code, cards in told.items()]
    head = words.paint(words.name(seat), BOLD)
    lines = ["  ".join([head, *marks, f"手 {place.hand_left}"])]
    if place.shown:
        lines[0] += f"  {words.term('liang_zhang')} {words.cards(place.shown.elements())}"
    if place.melds:
        lines += _wrapped("  桌  ", [words.meld(meld) for meld in place.melds])
    if place.flowers:
        lines.append(f"  {words.term('flower')}  {words.cards(place.flowers)}")
    if place.pile:
        more = "… " if len(place.pile) > _PILE else ""
        lines.append(f"  弃  {more}{words.cards(place.pile[-_PILE:])}")
    return lines


def _middle(board: Board, words: Words, story: Story) -> list[str]:
    """What happened since the person last answered, and the card that lies open."""
    lines = [f"  {line}" for line in story.news[-_NEWS:]]
    if board.open:
        verb = "打" if board.open.discarded else "摸"
        who = words.name(board.open.seat)
        lines.append(f"  ▶ {words.card(board.open.card)}  {words.paint(f'({who} {verb})', DIM)}")
    return lines


def _wrapped(indent: str, parts: Sequence[str], gap: str = "   ") -> list[str]:
    """Parts one after the other, broken into lines before they pass the width."""
    lines, line = [], ""
    for part in parts:
        longer = f"{line}{gap}{part}" if line else part
        if line and columns(indent + longer) > WIDTH:
            lines.append(indent + line)
            indent, longer = " " * columns(indent), part
        line = longer
    return [*lines, indent + line] if line else lines


def prompt_lines(prompt: action_pb2.Prompt, words: Words, seconds: int | None = None) -> list[str]:
    """The question with its numbered choices; discards come as one list of cards."""
    numbered = list(enumerate(prompt.choices, 1))
    claims = [
        f"{words.paint(str(number), BOLD)} {words.choice(choice)}"
        for number, choice in numbered
        if not choice.HasField("discard")
    ]
    discards = [
        f"{words.paint(str(number), BOLD)} {words.card(choice.discard.card)}"
        for number, choice in numbered
        if choice.HasField("discard")
    ]
    lines = _wrapped("  ", claims)
    lines += _wrapped(f"  {words.term('discard')}  ", discards)
    if seconds is not None:
        lines.append(words.paint(f"  {seconds} s", DIM))
    return lines


def enter_choice(prompt: action_pb2.Prompt) -> int:
    """What Enter takes: a win is not to be missed, else what a timeout would take."""
    wins = [at for at, choice in enumerate(prompt.choices) if choice.HasField("hu")]
    return wins[0] if wins else prompt.default_choice


def ask_line(prompt: action_pb2.Prompt, words: Words) -> str:
    """What may be typed."""
    at = enter_choice(prompt)
    default = words.choice(prompt.choices[at])
    numbers = f"1–{len(prompt.choices)}" if len(prompt.choices) > 1 else "1"
    return f"[{numbers}, Enter = {at + 1} {default}, h 听牌, s sheet, q quit] > "


def face_choice(prompt: action_pb2.Prompt, words: Words, typed: str) -> int | None:
    """The index of the discard whose card was typed, as printed or in the notation."""
    for at, choice in enumerate(prompt.choices):
        card = choice.discard.card
        if card and typed.upper() in (words.plain(card), NAMES[card]):
            return at
    return None


def sheet_text(sheet: sheet_pb2.ScoreSheet, words: Words) -> list[str]:
    """The score sheet with every clause, in the game's words."""
    return sheet_lines(sheet, words.sheet_style)


def round_lines(board: Board, words: Words, story: Story) -> list[str]:
    """The end of a round: everybody's cards, the sheet, the totals."""
    lines = [words.paint(f"── 第{board.round_no}局 " + "─" * (WIDTH - 12), BOLD)]
    for seat, held in enumerate(board.revealed):
        parts = [words.meld(meld) for meld in held.melds]
        parts.append(words.cards(sorted(held.cards)))
        lines += _wrapped(f"{words.name(seat)}  ", [part for part in parts if part])
    if story.sheet is not None:
        lines += ["", *sheet_text(story.sheet, words)]
    total = f"总分 {deltas(story.totals, words.names)}"
    return [*lines, "", words.paint(f"  {total}", BOLD), ""]


def final_lines(words: Words, finals: Sequence[int], reason: str) -> list[str]:
    """The end of the match, best seat first."""
    if not finals:
        return [f"the match was closed ({reason})"]
    order = sorted(range(len(finals)), key=lambda seat: -finals[seat])
    ranked = enumerate(order, 1)
    rows = [f"  {place}. {words.name(seat)} {signed(finals[seat])}" for place, seat in ranked]
    return [words.paint("总局 final scores", GOOD), *rows]
