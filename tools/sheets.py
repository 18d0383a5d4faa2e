"""Score sheets as text: aligned tables with 汉字 labels, clauses and running amounts."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from paiju.game.v1 import event_pb2, sheet_pb2

from libs.game.cards import show
from libs.variants import registry

KINDS = {
    "run": "一句话",
    "er_qi_shi": "二七十",
    "yi_wu_shi": "一五十",
    "jiao": "绞",
    "jiang": "将",
    "peng": "碰",
    "kan": "坎",
    "wei": "偎",
    "chou_wei": "臭偎",
    "pao": "跑",
    "ti": "提",
    "chi": "吃",
    "juhua": "一句话",
    "wai": "歪",
    "liu": "溜",
    "piao": "飘",
    "last_i": "对",
    "last_ii": "二七十搭",
    "last_iii": "搭",
    "dui": "对子",
    "ming_gang": "明杠",
    "an_gang": "暗杠",
    "an_gang_yuan": "原起暗杠",
    "an_ke": "暗刻",
    "men_pai": "门牌",
}
"""Labels of group kinds that a game's own terms do not name; what neither names prints as it is
(docs/glossary.md)."""

COUNTS = {"yuanjiang_guihuzi": "硬息", "jiangyan_23": "胡", "shashaer": "胡"}
"""What a game counts in its groups; 胡息 where nothing stands here."""

WIN_KINDS = {
    "zi_mo": "自摸",
    "ping_hu": "平胡",
    "dian_pao": "点炮",
    "tian_hu": "天胡",
    "di_hu": "地胡",
    "liu_ju": "流局",
    "void": "作废",
}

SOURCES = {
    event_pb2.WIN_SOURCE_OWN_DRAW: "own draw",
    event_pb2.WIN_SOURCE_OTHER_DRAW: "another seat's draw",
    event_pb2.WIN_SOURCE_DISCARD: "another seat's discard",
    event_pb2.WIN_SOURCE_LIANG_ZHANG: "亮张",
    event_pb2.WIN_SOURCE_DEAL: "as dealt",
}

_SIGNS = {
    sheet_pb2.LINE_KIND_ADD: "+",
    sheet_pb2.LINE_KIND_MULTIPLY: "×",
    sheet_pb2.LINE_KIND_ROUND: "→",
    sheet_pb2.LINE_KIND_CAP: "≤",
}

_LEFT, _RIGHT = "<", ">"


@lru_cache(maxsize=64)
def terms(game: str) -> Mapping[str, str]:
    """The words of a game by code, from its newest release; none of an unknown game."""
    releases = [variant for (name, _), variant in registry().items() if name == game]
    newest = max(releases, key=lambda variant: variant.release, default=None)
    return {term.code: term.zh for term in newest.terms} if newest else {}


def label(game: str, code: str) -> str:
    """The word of a group or a kind of win in a game."""
    own = terms(game)
    return own.get(code) or KINDS.get(code) or WIN_KINDS.get(code) or code


class Style(NamedTuple):
    """How a sheet is written: seats by their player's name, cards, words of groups and wins."""

    names: Sequence[str] = ()
    cards: Callable[[Iterable[int]], str] = show
    word: Callable[[str, str], str] = label
    """(game, code) → the word of a group or a kind of win."""


PLAIN = Style()


def width(text: str) -> int:
    """Columns of a terminal that `text` takes; 汉字 take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def pad(text: str, columns: int, align: str = _LEFT) -> str:
    """`text` filled up with spaces."""
    fill = " " * max(0, columns - width(text))
    return fill + text if align == _RIGHT else text + fill


def table(rows: Iterable[Sequence[str]], aligns: str, indent: str = "  ") -> list[str]:
    """Rows as aligned lines; `aligns` holds `<` or `>` for each column."""
    rows = [tuple(row) for row in rows]
    columns = [
        (max((width(row[at]) for row in rows), default=0), align) for at, align in enumerate(aligns)
    ]
    lines = (
        "  ".join(pad(text, *column) for text, column in zip(row, columns, strict=True))
        for row in rows
    )
    return [(indent + line).rstrip() for line in lines]


def signed(amount: int) -> str:
    """A delta with its sign."""
    return f"{amount:+d}" if amount else "0"


def sheet_lines(sheet: sheet_pb2.ScoreSheet, style: Style = PLAIN) -> list[str]:
    """The whole sheet: headline, split with 胡息, steps, payments and deltas."""
    names, lines = style.names, [headline(sheet, style)]
    for seat in sheet.seats:
        if len(sheet.seats) > 1:
            lines.append(f"  {name(seat.seat, names)}")
        lines += _groups(sheet.game, seat, style) + _steps(seat)
    lines += table(
        (
            (name(p.payer, names), "pays", name(p.payee, names), str(p.amount), p.clause)
            for p in sheet.payments
        ),
        "<<<><",
    )
    return [*lines, "  " + deltas(sheet.deltas, names)]


def name(seat: int, names: Sequence[str]) -> str:
    """A seat by its player's name, else by its number."""
    return names[seat] if seat < len(names) else f"seat {seat}"


def headline(sheet: sheet_pb2.ScoreSheet, style: Style = PLAIN) -> str:
    """Who won how, in one line."""
    number = f"第{sheet.round_no}局 " if sheet.round_no else ""
    kind = style.word(sheet.game, sheet.win_kind) if sheet.win_kind else "不胡"
    if not sheet.can_win:
        reason = style.word(sheet.game, sheet.reason)
        return f"{number}{kind}" + (f" ({reason})" if reason else "")
    card = f" {style.cards([sheet.win_card])}" if sheet.win_card else ""
    source = SOURCES.get(sheet.source, "")
    where = f" ({source})" if source else ""
    winner = name(sheet.winner, style.names) + " " if sheet.HasField("winner") else ""
    return f"{number}{winner}胡{card} {kind}{where}"


def _groups(game: str, seat: sheet_pb2.SeatSheet, style: Style) -> list[str]:
    rows = [("门子", "牌", COUNTS.get(game, "胡息"), "", "")]
    rows += [
        (
            style.word(game, group.kind),
            style.cards(group.cards),
            str(group.points),
            group.clause,
            " ".join(_notes(group)),
        )
        for group in seat.groups
    ]
    total = ("", "", str(seat.points), "", "")
    return table([*rows, total], "<<><<") if seat.groups else []


def _notes(group: sheet_pb2.SheetGroup) -> Iterable[str]:
    if group.on_table:
        yield "桌上"
    if group.won:
        yield "胡"


def _steps(seat: sheet_pb2.SeatSheet) -> list[str]:
    rows = [("项目", "条款", "数", "小计")]
    rows += [
        (
            line.label.zh,
            line.clause,
            _SIGNS.get(line.kind, "") + str(line.value),
            str(line.subtotal),
        )
        for line in seat.lines
    ]
    return table(rows, "<<>>") if seat.lines else []


def deltas(amounts: Sequence[int], names: Sequence[str] = ()) -> str:
    """Results of all seats in one line."""
    return "  ".join(f"{name(seat, names)} {signed(n)}" for seat, n in enumerate(amounts))
