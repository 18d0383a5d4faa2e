"""Says events, questions, views and score sheets in the words players use, one line each."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from libs.game import events as ev
from libs.game.actions import Action, Verb, decode
from libs.game.cards import HIDDEN, NAMES
from libs.game.flow import OUTRANKED, PASSED
from libs.game.melds import Meld, MeldKind
from libs.game.sheet import Line, LineKind, Sheet, WinSource
from libs.game.state import Outcome, Prompt
from libs.game.variant import Variant
from libs.game.view import Formed, Reveal, TableView, faces

VERBS = {
    Verb.PASS: "过",
    Verb.DISCARD: "出",
    Verb.CHI: "吃",
    Verb.PENG: "碰",
    Verb.HU: "胡",
    Verb.WAI: "歪",
    Verb.LIU: "溜",
    Verb.PIAO: "飘",
    Verb.AN_GANG: "暗杠",
    Verb.BU_GANG: "补杠",
    Verb.ZHI_GANG: "直杠",
    Verb.ZHI_TING: "直听",
    Verb.BAO_LIU_PENG: "报六碰",
    Verb.PAO: "跑",
}
MELDS = {
    MeldKind.CHI: "吃",
    MeldKind.PENG: "碰",
    MeldKind.WEI: "偎",
    MeldKind.CHOU_WEI: "臭偎",
    MeldKind.PAO: "跑",
    MeldKind.TI: "提",
    MeldKind.WAI: "歪",
    MeldKind.LIU: "溜",
    MeldKind.PIAO: "飘",
    MeldKind.AN_GANG: "暗杠",
    MeldKind.AN_GANG_YUAN: "原起暗杠",
    MeldKind.MING_GANG: "明杠",
}
OUTCOMES = {Outcome.WIN: "胡", Outcome.LIU_JU: "流局", Outcome.VOID: "void"}
SOURCES = {
    WinSource.OWN_DRAW: "which it drew",
    WinSource.OTHER_DRAW: "drawn by {}",
    WinSource.DISCARD: "discarded by {}",
    WinSource.LIANG_ZHANG: "the shown card",
    WinSource.DEAL: "on the deal",
}
SIGNS = {LineKind.ADD: "+", LineKind.MULTIPLY: "×", LineKind.ROUND: "→", LineKind.CAP: "at most "}


NAMING = frozenset({Verb.DISCARD, Verb.LIU, Verb.AN_GANG, Verb.BU_GANG})
"""Verbs that are told with their card: a question may offer them for several."""


def cards(some: Sequence[int]) -> str:
    """Cards in the order given, equal neighbours together: `一一 三 四四四`."""
    return " ".join(NAMES[card] * len(list(same)) for card, same in groupby(some))


def together(some: Sequence[int]) -> str:
    """One group of cards without spaces (playing cards keep them)."""
    names = [NAMES[card] for card in some]
    return ("" if all(len(name) == 1 for name in names) else " ").join(names)


def action(choice: bytes) -> str:
    """A choice: `过`, `出 三`, `溜 三`, `碰`, `胡`, `吃 一二三 比 三三叁`."""
    what: Action = decode(choice)
    word = VERBS[what.verb]
    if what.verb in NAMING:
        return f"{word} {NAMES[what.card]}"
    if not what.groups:
        return word
    eaten, *bi = (together(group) for group in what.groups)
    return " ".join((word, eaten, *(f"比 {group}" for group in bi)))


def meld(laid: Meld) -> str:
    """A meld with the claimed card in brackets: `碰 三三三`, `吃 一二三 (三)`."""
    word = f"{MELDS[laid.kind]} {together(laid.cards)}"
    eaten = laid.kind == MeldKind.CHI and laid.claimed
    return f"{word} ({NAMES[laid.claimed]})" if eaten else word


def question(prompt: Prompt) -> str:
    """A question with all its choices, and what a timeout takes."""
    said = [action(choice) for choice in prompt.choices]
    discard = VERBS[Verb.DISCARD]
    parts: list[str] = []
    for verb, same in groupby(said, key=lambda one: one.split()[0]):
        if verb == discard:
            parts.append(" ".join([verb, *(one.split()[1] for one in same)]))
        else:
            parts += same
    listed = " | ".join(parts)
    clock = ", same deadline" if prompt.continues else ""
    return f"> {prompt.seat} {listed}  (timeout: {said[prompt.default]}{clock})"


def _melded(e: ev.Melded) -> str:
    grown = f" from {MELDS[e.meld.steps[-1]]}" if e.replaces >= 0 else ""
    bi = "".join(f" 比 {together(group.cards)}" for group in e.beside)
    return f"{e.seat} {meld(e.meld)}{grown}{bi}"


def _drew(e: ev.Drew) -> str:
    what = "replaces with" if e.replacement else "draws"
    return f"{e.seat} {what} {NAMES[e.card]}"


def _won(e: ev.Won) -> str:
    facts = ", last of the wall" * e.last_card + ", first discard" * e.first_discard
    card = f" {NAMES[e.card]}," if e.card else ""
    return f"{e.seat} 胡{card} {SOURCES[WinSource(e.source)].format(e.by)}{facts}"


SAY: dict[type, Callable[[Any], str]] = {
    ev.Dealt: lambda e: f"{e.seat} is dealt {cards(sorted(e.cards))}",
    ev.Shown: lambda e: f"{e.seat} shows {NAMES[e.card]}",
    ev.Joined: lambda e: f"{e.seat} takes {NAMES[e.card]} into the hand",
    ev.Drew: _drew,
    ev.Discarded: lambda e: f"{e.seat} 出 {NAMES[e.card]}",
    ev.Melded: _melded,
    ev.Unclaimed: lambda e: f"{e.seat} keeps {NAMES[e.card]}: nobody takes it",
    ev.Returned: lambda e: f"{e.seat} gets {NAMES[e.card]} back: {e.reason}",
    ev.Won: _won,
    ev.Xing: lambda e: f"醒 {NAMES[e.card]}" + ", turned from the wall" * e.turned,
    ev.FlowerSet: lambda e: f"{e.seat} sets {NAMES[e.card]} aside",
    ev.PilesOpened: lambda e: "all piles are open",
    ev.HaiLaoStarted: lambda e: f"海捞: {e.seat} draws first",
    ev.Ended: lambda e: f"the round ends: {OUTCOMES[Outcome(e.outcome)]}",
}
"""Events that are told; questions and the engine's own bookkeeping are told otherwise."""


def told(variant: Variant, formed: Formed) -> Iterator[str]:
    """The lines of an event: what happened, and in brackets what the others see of it."""
    e = formed.event
    if isinstance(e, ev.Closed):
        if e.outcome in (PASSED, OUTRANKED):
            yield f"~ {e.seat} " + ("has passed" if e.outcome == PASSED else "is outranked")
    elif isinstance(e, ev.Noted):
        if e.slot in variant.notes and e.value:
            yield f"~ {e.seat} {variant.notes[e.slot]}: {cards(faces(e.value))}"
    elif isinstance(e, ev.Flagged):
        yield f"= {e.seat} is now {variant.flags[e.slot]}"
    elif type(e) in SAY:
        yield _with_forms(formed)
        if isinstance(e, ev.Ended) and formed.public:
            yield from _revealed(formed.public.extra)


def _with_forms(formed: Formed) -> str:
    """Cards that are dealt or drawn in turn into a hand are hidden from the others; that goes
    without saying."""
    e = formed.event
    said = SAY[type(e)](e)
    if formed.public is None:
        return f"~ {said}"
    public = formed.public.event
    into_hand = isinstance(e, ev.Dealt) or (
        isinstance(e, ev.Drew) and e.to_hand and not e.replacement
    )
    if into_hand or public == e:
        return f"= {said}"
    return f"= {said}  [others: {SAY[type(e)](public)}]"


def _revealed(reveal: Reveal) -> Iterator[str]:
    """What everybody is shown at the end (Z30a)."""
    for seat, hand in enumerate(reveal.hands):
        laid = "".join(f", {meld(one)}" for one in reveal.melds[seat])
        yield f"=   {seat}: {cards(hand) or 'no cards'}{laid}"
    for name, some in (("wall", reveal.wall), ("taken out", reveal.removed)):
        if some:
            yield f"=   {name}: {' '.join(NAMES[card] for card in some)}"


def _sheet_line(line: Line) -> str:
    return f"$ {line.zh} {SIGNS[line.kind]}{line.value} = {line.subtotal} ({line.clause})"


def sheet(result: Sheet) -> Iterator[str]:
    """The score sheet: the split, the steps of the amount, who pays, the deltas."""
    for seat in result.seats:
        parts = ", ".join(
            f"{group.kind} {together(group.cards)} {group.points}" for group in seat.groups
        )
        if parts:
            yield f"$ {seat.seat} has {seat.points}: {parts}"
        yield from map(_sheet_line, seat.lines)
    for pay in result.payments:
        yield f"$ {pay.payer} pays {pay.payee} {pay.amount} ({pay.clause})"
    yield f"$ {result.win_kind}: " + " ".join(f"{delta:+d}" for delta in result.deltas)


def view(seen: TableView) -> Iterator[str]:
    """The table as one reader sees it."""
    who = f"seat {seen.reader}" if seen.reader >= 0 else "a spectator"
    opened = ""
    if seen.open:
        card, seat, discarded = seen.open
        opened = f", open {NAMES[card]} " + ("discarded" if discarded else "drawn") + f" by {seat}"
    turn = f", {seen.turn} to discard" if seen.turn >= 0 else ""
    yield f"| {who} sees: wall {seen.wall_left}, dealer {seen.dealer}{turn}{opened}"
    for seat, at in enumerate(seen.seats):
        hidden = all(card == HIDDEN for card in at.hand)
        hand = f"{len(at.hand)} cards" if hidden else cards(at.hand)
        laid = "".join(f", {meld(one)}" for one in at.melds)
        pile = f", pile {together(at.pile)}" if at.pile else ""
        pile += f", aside {together(at.flowers)}" if at.flowers else ""
        yield f"|   {seat}: {hand}{laid}{pile}" + "".join(f", {flag}" for flag in at.flags)
    for name, mask in seen.notes:
        if mask:
            yield f"|   {name}: {together(mask)}"
    if seen.prompt:
        yield "|   " + question(seen.prompt)
