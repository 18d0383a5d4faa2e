"""Non-interference (IX2, reliability D11 and S1): what a reader cannot know changes nothing."""

import random
from collections import Counter
from dataclasses import replace
from typing import Any

from libs.game import engine as en
from libs.game import events as ev
from libs.game.actions import Verb
from libs.game.flow import OUTRANKED
from libs.game.melds import MeldKind
from libs.game.variant import Registry
from tests.conformance.heard import AN_GANGS, Due, Told, first_difference, next_fact
from tests.conformance.kit import Habit, random_input
from tests.conformance.worlds import Glance, World, continue_like, redeal, swapped_faces

GLANCES = 0.3
"""Share of stops at which a reader's view, hints and refusals are taken down."""
Moments = dict[tuple[int, int], Glance]


class Leak(AssertionError):
    """A reader received something that depends on what it may not know."""


def play_world(registry: Registry, start: en.Start, rng: random.Random) -> tuple[World, Any]:
    """A round with what every reader could see at some of its stops."""
    world, habit = World(registry, start), Habit(0.9, rng.random(), rng.random() * 0.3)
    seen: dict[int, Moments] = {reader: {} for reader in world.readers}
    world.begin()
    while world.last.status != en.ENDED:
        for reader in world.readers:
            if rng.random() < GLANCES:
                look(world, reader, seen[reader], add=True)
        if world.last.status == en.ADVANCE:
            world.put(en.Input("advance"))
            continue
        what = random_input(world.last.prompts, habit, rng)
        prompt = next(p for p in world.last.prompts if p.seat == what.seat)
        world.answer(prompt, _action(prompt, what))
    return world, seen


def _action(prompt: Any, what: en.Input) -> bytes:
    """The action that an input comes to."""
    index = {"timeout": prompt.default, "auto": prompt.auto}.get(what.kind, what.choice)
    return index if isinstance(index, bytes) else prompt.choices[index]


def look(world: World, reader: int, seen: Moments, add: bool) -> bool:
    """Compares what a reader can ask for with the same moment before; True: compared."""
    moment = world.moment(reader)
    if moment not in seen and not add:
        return False
    glance = world.glance(reader)
    if seen.setdefault(moment, glance) != glance:
        raise Leak(f"reader {reader} sees another table: {seen[moment]} / {glance}")
    return True


def check_pair(first: World, seen: Moments, twin: World, reader: int) -> Counter[str]:
    """Plays the twin along the first world and compares all that the reader receives."""
    counted: Counter[str] = Counter(pairs=1)
    used: set[int] = set()
    twin.begin()
    while True:
        ours, theirs = first.told[reader], twin.told[reader]
        at = first_difference(ours, theirs)
        if at >= 0:
            verdict = parts_rightly(first, twin, reader, at)
            if verdict is not None:
                counted["events"] += at
                counted["to the end"] += ours[at].kind is ev.Ended
                counted["parted"] += 1
                return counted
        elif twin.last.status != en.ENDED:
            counted["glances"] += look(twin, reader, seen, add=False)
        if twin.last.status == en.ENDED or not continue_like(twin, first, reader, used):
            counted["events"] += at if at >= 0 else min(len(ours), len(theirs))
            return counted


def parts_rightly(first: World, twin: World, reader: int, at: int) -> bool | None:
    """Whether two streams may differ here: True, or None while that is not known yet.

    A fact that everybody may see may differ. How an own question closed may differ if the claim
    that followed does. Anything else raises Leak.
    """
    ours, theirs = first.told[reader][at], twin.told[reader][at]
    right: bool | None
    if _tells_of_a_question(ours, theirs):
        right = False
    elif ours.kind is not theirs.kind and ev.Asked in (ours.kind, theirs.kind):
        asked, other = (ours, theirs) if ours.kind is ev.Asked else (theirs, ours)
        forced = first.forced.get(asked.card_no) != twin.forced.get(asked.card_no)
        right = forced or _comes_before_asking(other, asked.event, reader)
    elif ours.kind is theirs.kind is ev.Closed and _closed_before_answer(ours, theirs):
        right = True
    elif ours.kind is theirs.kind is ev.Closed:
        follows = next_fact(first.told[reader], at), next_fact(twin.told[reader], at)
        right = None if None in follows else follows[0] != follows[1]
    else:
        facts = ours.fact, theirs.fact
        right = None not in facts and facts[0] != facts[1] and _happens(ours, theirs)
    if right is False:
        raise Leak(f"reader {reader}, event {at}: {ours} / {theirs}")
    return right


_SAME_TIME = (ev.Drew, ev.Discarded, ev.Unclaimed, ev.Turn, ev.Joined)
"""What follows a pause or a turn whatever others were offered, by the seat that does it."""


def _tells_of_a_question(ours: Told, theirs: Told) -> bool:
    """Time tells, or a deadline that only one world has: the card before which there was none, of
    the same seat, was played by itself (Z8, J9, J30)."""
    if (ours.data, ours.event) == (theirs.data, theirs.event):
        return True
    same_seat = getattr(ours.event, "seat", -1) == getattr(theirs.event, "seat", -2)
    if same_seat and ours.kind is theirs.kind and ours.kind in _SAME_TIME:
        return ours.at != theirs.at
    return same_seat and {ours.kind, theirs.kind} == {Due, ev.Discarded}


def _comes_before_asking(told: Told, asked: ev.Asked, reader: int) -> bool:
    """A forced claim silences lesser questions (Z8); 提 and 偎 are laid, and a win of an earlier
    seat is taken, before the reader's turn to be asked comes (Z3, Z7, L4). So are 暗杠, flowers
    and 直听 of the seats before it in an opening (J4, J6)."""
    match told.event:
        case ev.Won(seat=seat):
            return seat != reader
        case ev.Melded(meld=meld):
            if meld.kind in AN_GANGS:
                return told.event.seat != reader
            return meld.kind in (MeldKind.TI, MeldKind.WEI, MeldKind.CHOU_WEI)
        case ev.FlowerSet(seat=seat):
            return seat != reader
        case ev.Flagged(seat=seat):
            return seat != reader and asked.choices[0][0] == Verb.ZHI_TING
    return False


def _closed_before_answer(ours: Told, theirs: Told) -> bool:
    """In one world the reader still had time to answer a question that was outranked: another
    seat's pass, of which it is told nothing, held the window open (Z8)."""
    answers = {ours.event.choice, theirs.event.choice}
    outcomes = {ours.event.outcome, theirs.event.outcome}
    return outcomes == {OUTRANKED} and -1 in answers and len(answers) == 2


def _happens(ours: Told, theirs: Told) -> bool:
    """A turn is no news by itself: it may differ only where something else happened instead."""
    kinds = {ours.kind, theirs.kind}
    return ev.Turn not in kinds or bool(kinds & {ev.Flagged, ev.FlowerSet, ev.Won, ev.Melded})


def check_round(
    registry: Registry, start: en.Start, rng: random.Random, twins: int
) -> Counter[str]:
    """One round, for every reader several re-deals. Raises Leak."""
    world, seen = play_world(registry, start, rng)
    counted: Counter[str] = Counter()
    for reader in world.readers:
        for _ in range(twins):
            deck = redeal(world, reader, rng)
            if deck is not None:
                twin = World(registry, replace(start, source=deck))
                twin.renamed = swapped_faces(start.source, deck)
                counted += check_pair(world, seen[reader], twin, reader)
    return counted
