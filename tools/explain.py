"""Print the score sheet of a hand written in the notation (exit status 1: it does not win).

    python -m tools.explain --hand 一一三四四四五九壹叁叁伍捌捌捌玖玖 --melds chi:六陆陆 \\
        --card 五 --from other_draw --by 2 --option qi_hu=9

A meld may say which card was taken: `chi:三四五/四` from another seat, `chi:三四五/四@own` from the
own draw.
"""

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple
from unicodedata import east_asian_width

from libs.game.cards import NotationError, parse, show
from libs.game.melds import Meld, MeldKind
from libs.game.options import OptionError, schema
from libs.game.options import parse as parse_options
from libs.game.sheet import (
    HandSpec,
    Line,
    LineKind,
    SeatHand,
    SeatSheet,
    Sheet,
    Win,
    WinSource,
)
from libs.variants import registry

SIGNS = {LineKind.ADD: "+", LineKind.MULTIPLY: "×", LineKind.ROUND: "≈", LineKind.CAP: "≤"}
GROUP_LABELS = {
    "ti": "提",
    "pao": "跑",
    "wei": "偎",
    "chou_wei": "臭偎",
    "kan": "坎",
    "peng": "碰",
    "run": "一句话",
    "er_qi_shi": "二七十",
    "yi_wu_shi": "一五十",
    "jiao": "绞",
    "jiang": "将",
}
KIND_LABELS = {
    "zi_mo": "自摸",
    "ping_hu": "平胡",
    "dian_pao": "点炮",
    "tian_hu": "天胡",
    "liu_ju": "流局",
}
REASONS = {
    "shape": "no seven 门子 (Z23)",
    "huxi": "too little 胡息 (L5)",
    "liang_zhang": "this seat may not win the 亮张 (L4)",
    "wall_only": "discards cannot be won (Z33)",
}


class Words(NamedTuple):
    """A game's words for a report: labels of groups and kinds of win, reasons, points."""

    labels: Mapping[str, str]
    reasons: Mapping[str, str]
    points: str


PLAIN = Words({}, {}, "胡息")


def words_of(package: str) -> Words:
    """The words of a game's package: its terms, and `REASONS` and `POINTS` of its scoring."""
    scoring, releases = import_module(f"{package}.scoring"), import_module(package).RELEASES
    terms = releases[-1].terms if releases else ()
    return Words(
        {term.code: term.zh for term in terms},
        getattr(scoring, "REASONS", {}),
        getattr(scoring, "POINTS", PLAIN.points),
    )


def _width(text: str) -> int:
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


def table(rows: Sequence[Sequence[str]], indent: str = "  ") -> list[str]:
    """Lines of an aligned table; a 汉字 is two columns wide."""
    widths = [max(_width(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
    return [
        indent
        + "  ".join(
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def _group_rows(seat: SeatSheet, words: Words) -> list[list[str]]:
    labels = {**GROUP_LABELS, **words.labels}
    return [
        [
            labels.get(group.kind, group.kind),
            show(group.cards),
            str(group.points),
            group.clause,
            "桌" if group.on_table else "手",
            "←" if group.won else "",
        ]
        for group in seat.groups
    ]


def _line_row(line: Line) -> list[str]:
    return [f"{SIGNS[line.kind]} {line.value}", f"= {line.subtotal}", line.zh, line.en, line.clause]


def report(sheet: Sheet, words: Words = PLAIN) -> Iterable[str]:
    """The sheet as text."""
    head = {**KIND_LABELS, **words.labels}.get(sheet.win_kind, sheet.win_kind)
    if sheet.reason:
        reason = {**REASONS, **words.reasons}.get(sheet.reason, sheet.reason)
        yield f"{head}: no win, {reason}"
    else:
        yield head if sheet.winner < 0 else f"{head}: seat {sheet.winner} wins"
    for seat in sheet.seats:
        yield f"门子 ({words.points} {seat.points})"
        yield from table(_group_rows(seat, words))
        if seat.lines:
            yield f"amount per payer: {seat.amount}"
            yield from table([_line_row(line) for line in seat.lines])
    if sheet.payments:
        yield "payments"
        yield from table(
            [[f"seat {p.payer} → seat {p.payee}", str(p.amount), p.clause] for p in sheet.payments]
        )
    yield "deltas: " + " ".join(f"{delta:+d}" for delta in sheet.deltas)


def _option(cls: type, text: str) -> tuple[str, Any]:
    """`key=value` with the value as the option's type wants it."""
    key, _, value = text.partition("=")
    spec = next((s for s in schema(cls) if s.key == key), None)
    if spec is None:
        return key, value
    if spec.type == "bool" and value in ("true", "false"):
        return key, value == "true"
    known: dict[str, Any] = {str(choice): choice for choice in spec.choices}
    return key, known.get(value, int(value) if value.isdigit() else value)


def _meld(text: str, seat: int, players: int) -> Meld:
    """One meld; without a taken card all of it came from the hand."""
    kind, _, rest = text.partition(":")
    if kind.upper() not in MeldKind.__members__:
        raise ValueError(f"no meld is called {kind!r}")
    cards, _, taken = rest.partition("/")
    card, _, origin = taken.partition("@")
    if origin not in ("", "own"):
        raise ValueError(f"a taken card is @own or of another seat, not @{origin}")
    source = (seat if origin else (seat - 1) % players) if card else -1
    return Meld(MeldKind[kind.upper()], bytes(parse(cards)), _card(card), source)


def _fact(text: str) -> tuple[str, int]:
    key, _, value = text.partition("=")
    if not value.isdigit():
        raise ValueError(f"a fact is KEY=NUMBER, not {text!r}")
    return key, int(value)


def _card(text: str) -> int:
    cards = parse(text)
    if len(cards) > 1:
        raise ValueError(f"one card is wanted, not {text!r}")
    return cards[0] if cards else 0


def _seat_by(args: argparse.Namespace) -> int:
    """The seat the card came from: as told, else a seat that fits the source."""
    if args.by is not None:
        return int(args.by)
    if args.source in ("other_draw", "discard"):
        return int((args.seat + 1) % args.players)
    return int(args.seat) if args.source == "own_draw" else -1


def spec_from(args: argparse.Namespace, options_class: type) -> HandSpec:
    """The hand that the command line describes. Raises ValueError."""
    options = parse_options(options_class, dict(_option(options_class, o) for o in args.option))
    melds = [_meld(part, args.seat, args.players) for part in args.melds.split(",") if part]
    facts = dict(map(_fact, args.fact))
    deck = next(game.deck for game in registry().values() if game.options is options_class)
    hand = SeatHand(tuple(deck.count(parse(args.hand))), tuple(melds), facts)
    nothing = SeatHand((0,) * deck.width)
    win = Win(
        args.seat,
        _card(args.card),
        WinSource[args.source.upper()],
        _seat_by(args),
        args.last_card,
        args.first_discard,
    )
    seats = tuple(hand if seat == args.seat else nothing for seat in range(args.players))
    return HandSpec(options, args.players, args.dealer, seats, win, _card(args.wall_next))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.explain",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--game", default="hengyang_liuhuqiang")
    add("--hand", required=True, help="concealed cards without the winning card")
    add("--melds", default="", help="kind:cards or kind:cards/taken, separated by commas")
    add("--card", default="", help="the winning card")
    add(
        "--from",
        dest="source",
        default="own_draw",
        choices=[source.name.lower() for source in WinSource],
    )
    add("--by", type=int, help="the seat that drew or discarded the card")
    add("--seat", type=int, default=0, help="the winner")
    add("--dealer", type=int, default=0)
    add("--players", type=int, default=3)
    add("--wall-next", default="", help="the next card of the wall; empty: none")
    add("--last-card", action="store_true", help="the card was the last of the wall")
    add("--first-discard", action="store_true", help="the dealer's first discard")
    add(
        "--fact",
        action="append",
        default=[],
        metavar="KEY=NUMBER",
        help="a fact of the winner that its game asks for",
    )
    add("--option", action="append", default=[], metavar="KEY=VALUE")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status (1: no win, 2: not understood)."""
    args = _parser().parse_args(argv)
    package = f"libs.variants.{args.game}"
    try:
        scoring = import_module(f"{package}.scoring")
        options = import_module(f"{package}.options")
        sheet: Sheet = scoring.score(spec_from(args, options.Options))
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        print(f"no game is called {args.game!r}", file=sys.stderr)
        return 2
    except (OptionError, NotationError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(report(sheet, words_of(package))))
    return 0 if sheet.can_win else 1


if __name__ == "__main__":
    sys.exit(main())
