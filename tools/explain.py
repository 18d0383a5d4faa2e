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

from libs.game.cards import NotationError, parse, show
from libs.game.engine import Refused, find
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
from libs.game.variant import Variant
from libs.variants import registry
from tools.console import command, whole
from tools.sheets import COUNTS, KINDS, WIN_KINDS, width

SIGNS = {LineKind.ADD: "+", LineKind.MULTIPLY: "×", LineKind.ROUND: "≈", LineKind.CAP: "≤"}
REASONS = {
    "shape": "no seven 门子 (Z23)",
    "huxi": "too little 胡息 (L5)",
    "liang_zhang": "this seat may not win the 亮张 (L4)",
    "wall_only": "discards cannot be won (Z33)",
    "not_complete": "not seven 门子 and a pair (J13, X5)",
    "da_wang": "a 大王 on 海捞 wins nothing (J32)",
    "below_min_hu": "too little 胡 (J26)",
    "not_quan_hun": "报六碰 was announced: 全荤 only (J31)",
    "below_ding_hu": "too little 胡 for a 平胡 (X18)",
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
        getattr(scoring, "POINTS", COUNTS.get(package.rpartition(".")[2], PLAIN.points)),
    )


def table(rows: Sequence[Sequence[str]], indent: str = "  ") -> list[str]:
    """Lines of an aligned table; a 汉字 is two columns wide."""
    widths = [max(width(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
    return [
        indent
        + "  ".join(
            cell + " " * (wide - width(cell)) for cell, wide in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def _group_rows(seat: SeatSheet, words: Words) -> list[list[str]]:
    labels = {**KINDS, **words.labels}
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
    head = {**WIN_KINDS, **words.labels}.get(sheet.win_kind, sheet.win_kind)
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


def meld_kinds(game: Variant) -> list[str]:
    """The melds that a game has, of those its terms name."""
    known = {kind.name.lower() for kind in MeldKind}
    return [term.code for term in game.terms if term.code in known]


def _meld(game: Variant, text: str, seat: int, players: int) -> Meld:
    """One meld; without a taken card all of it came from the hand."""
    kind, _, rest = text.partition(":")
    kind = kind.strip().lower()
    if kind not in meld_kinds(game):
        listed = ", ".join(meld_kinds(game))
        raise ValueError(f"no meld of {game.zh} is called {kind!r}; there are: {listed}")
    cards, _, taken = rest.partition("/")
    if not cards.strip():
        raise ValueError(f"a meld is KIND:CARDS, not {text!r}")
    card, _, origin = taken.partition("@")
    if origin not in ("", "own"):
        raise ValueError(f"a taken card is @own or of another seat, not @{origin}")
    source = (seat if origin else (seat - 1) % players) if card else -1
    return Meld(MeldKind[kind.upper()], bytes(parse(cards)), _card(card), source)


def _fact(game: Variant, text: str) -> tuple[str, int]:
    key, _, value = text.partition("=")
    known = game.facts
    if key not in known:
        listed = ", ".join(f"{name} (0 to {most})" for name, most in known.items()) or "none"
        raise ValueError(f"no fact of {game.zh} is called {key!r}; there are: {listed}")
    if not (value.isascii() and value.isdecimal()) or int(value) > known[key]:
        raise ValueError(f"the fact {key} is 0 to {known[key]}, not {value!r}")
    return key, int(value)


def _card(text: str) -> int:
    cards = parse(text)
    if len(cards) > 1:
        raise ValueError(f"one card is wanted, not {text!r}")
    return cards[0] if cards else 0


def _counts(game: Variant, cards: Sequence[int]) -> tuple[int, ...]:
    try:
        return tuple(game.deck.count(cards))
    except NotationError as error:
        raise ValueError(f"{game.zh} has no card {error.symbol!r}") from None


def _seat_by(args: argparse.Namespace) -> int:
    """The seat the card came from: as told, else a seat that fits the source. Raises ValueError."""
    other = args.source in ("other_draw", "discard")
    if args.by is None:
        return int((args.seat + 1) % args.players) if other else _own(args)
    if other and args.by == args.seat:
        raise ValueError(f"--by: a card --from {args.source} came from another seat")
    if not other and args.by != _own(args):
        raise ValueError(f"--by goes with --from other_draw or discard, not with {args.source}")
    return int(args.by)


def _own(args: argparse.Namespace) -> int:
    return int(args.seat) if args.source == "own_draw" else -1


def _check_seats(args: argparse.Namespace, game: Variant) -> None:
    """Players and seats that the game has. Raises ValueError."""
    if args.players not in game.players:
        allowed = " or ".join(map(str, game.players))
        raise ValueError(f"{game.zh} is for {allowed} players, not {args.players}")
    for name in ("seat", "dealer", "by"):
        if (getattr(args, name) or 0) >= args.players:
            seats = f"0 to {args.players - 1}"
            raise ValueError(f"--{name}: the seats are {seats}, not {getattr(args, name)}")


def spec_from(args: argparse.Namespace, game: Variant) -> HandSpec:
    """The hand that the command line describes. Raises ValueError."""
    _check_seats(args, game)
    options = parse_options(game.options, dict(_option(game.options, o) for o in args.option))
    melds = [_meld(game, part, args.seat, args.players) for part in args.melds.split(",") if part]
    facts = dict(_fact(game, text) for text in args.fact)
    hand = SeatHand(_counts(game, parse(args.hand)), tuple(melds), facts)
    nothing = SeatHand((0,) * game.deck.width)
    if not args.card and args.source != "deal":
        raise ValueError(f"--card: name the winning card, --from {args.source}")
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
    add("--game", default="hengyang_liuhuqiang", help="id of the game (%(default)s)")
    add("--hand", required=True, help="concealed cards without the winning card")
    add("--melds", default="", help="kind:cards or kind:cards/taken, separated by commas")
    add("--card", default="", help="the winning card")
    add(
        "--from",
        dest="source",
        default="own_draw",
        choices=[source.name.lower() for source in WinSource],
        help="where the card came from (%(default)s)",
    )
    add("--by", type=whole(0), help="the seat that drew or discarded the card; the next one")
    add("--seat", type=whole(0), default=0, help="the winner (%(default)s)")
    add("--dealer", type=whole(0), default=0, help="its seat (%(default)s)")
    add("--players", type=whole(1), default=3, help="seats (%(default)s)")
    add("--wall-next", default="", help="the next card of the wall; empty: none")
    add("--last-card", action="store_true", help="the card was the last of the wall")
    add("--first-discard", action="store_true", help="the dealer's first discard")
    add(
        "--fact",
        action="append",
        default=[],
        metavar="KEY=NUMBER",
        help="a fact of the winner that its game asks for; a wrong one lists them",
    )
    add("--option", action="append", default=[], metavar="KEY=VALUE",
        help="a room option; a wrong one lists what is allowed")  # fmt: skip
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status (1: no win, 2: not understood)."""
    args = _parser().parse_args(argv)
    try:
        game = find(registry(), args.game, 0)
        sheet: Sheet = game.score(spec_from(args, game))
    except Refused as error:
        print(
            f"no game is called {args.game!r}; there are: {error.fields['allowed']}",
            file=sys.stderr,
        )
        return 2
    except (OptionError, NotationError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(report(sheet, words_of(f"libs.variants.{args.game}"))))
    return 0 if sheet.can_win else 1


if __name__ == "__main__":
    sys.exit(command(main))
