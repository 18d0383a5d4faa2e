"""Seeded leaks of the 碰胡 games: what a hidden 暗杠 could give away is caught (X4, M9)."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from libs.families.pengpai import own_turn
from libs.families.pengpai.auto import pick_discard
from libs.families.pengpai.family import meld_form
from libs.families.pengpai.play import AN_GANGS
from libs.families.pengpai.slots import Phase, Reg
from libs.game import engine as en
from libs.game import events as ev
from libs.game import view
from libs.game.actions import PromptClass, Verb
from libs.game.cards import parse
from libs.game.flow import Table
from libs.game.melds import Meld
from libs.game.variant import Variant
from tests.conformance.heard import SPECTATOR
from tests.conformance.interference import Leak, check_pair, check_round
from tests.conformance.kit import REGISTRY
from tests.conformance.test_non_interference import random_deal
from tests.conformance.worlds import World, all_events
from tests.game.pengpai_flow_kit import READY

SHASHAER, JIANGYAN = ("shashaer", 1), ("jiangyan_23", 1)
ROUNDS = 40
Patch = pytest.MonkeyPatch
Games = dict[Any, Variant]


def _form(registry: Games, form: Callable[[Meld, Meld], Meld]) -> None:
    """The others see `form(meld, honest form)`."""

    def shown(table: Any, seat: int, meld: Meld) -> Meld:
        return form(meld, meld_form(table, seat, meld))

    registry[SHASHAER] = replace(registry[SHASHAER], meld_form=shown)


def _faces_shown(patch: Patch, registry: Games) -> None:
    """A 暗杠 is laid open."""
    _form(registry, lambda meld, honest: meld)


def _one_face_shown(patch: Patch, registry: Games) -> None:
    """A 暗杠 shows one face, as in 姜堰 (J8)."""
    _form(registry, lambda meld, honest: honest._replace(cards=meld.cards[:1] + honest.cards[1:]))


def _order_tells(patch: Patch, registry: Games) -> None:
    """大张 and 小张 have backs of their own: the points can be told."""
    _form(
        registry,
        lambda meld, honest: honest._replace(
            claimed=98 + meld.cards[0] % 2 if meld.kind in AN_GANGS else honest.claimed
        ),
    )


def _hints_know(patch: Patch, registry: Games) -> None:
    """听牌 counts the cards of others' 暗杠 as seen."""

    def known(table: Any, reader: int) -> list[int]:
        others = [m for s, melds in enumerate(table.state.melds) if s != reader for m in melds]
        return [card for m in others if m.kind in AN_GANGS for card in m.cards]

    registry[SHASHAER] = replace(registry[SHASHAER], known=known)


def _snapshot_knows(patch: Patch, registry: Games) -> None:
    """A view shows what the events hid."""
    honest = view._seat_view

    def seat_view(table: Any, seat: int, reader: int) -> view.SeatView:
        return honest(table, seat, reader)._replace(melds=tuple(table.state.melds[seat]))

    patch.setattr(view, "_seat_view", seat_view)


def _auto_knows(patch: Patch, registry: Games) -> None:
    """托管 prefers faces that others hold in a 暗杠."""
    honest = own_turn._ask

    def ask(table: Any, seat: int) -> None:
        others = [m for s, melds in enumerate(table.state.melds) if s != seat for m in melds]
        dead = {m.cards[0] + step for m in others if m.kind in AN_GANGS for step in (-1, 1)}

        def pick(hand: Any, faces: Any) -> int:
            return next((face for face in faces if face in dead), pick_discard(hand, faces))

        patch.setattr(own_turn, "pick_discard", pick)
        honest(table, seat)

    patch.setattr(own_turn, "_ask", ask)


def _zhi_ting_has_a_public_deadline(patch: Patch, registry: Games) -> None:
    """The question of a 直听 seat is one of class discard: a 胡 it declines is told to all."""
    honest = Table.ask

    def ask(table: Table, seat: int, cls: PromptClass, choices: Any, *rest: Any) -> None:
        plays = choices[-1][0] == Verb.DISCARD
        honest(table, seat, PromptClass.DISCARD if plays else cls, choices, *rest)

    patch.setattr(Table, "ask", ask)


def _zhi_ting_declines_at_once(patch: Patch, registry: Games) -> None:
    """What a 直听 seat declined to win with is discarded without the pause."""

    def at_once(table: Table) -> None:
        closed = any(isinstance(formed.event, ev.Closed) for formed in table.events)
        if closed or not table.paused():
            own_turn._discard(table, table.state.regs[Reg.ACTOR], table.state.regs[Reg.LAST])

    phases = list(registry[JIANGYAN].phases)
    phases[Phase.PLAYS_ITSELF] = at_once
    registry[JIANGYAN] = replace(registry[JIANGYAN], phases=tuple(phases))


DRAWN = 23 + 22 + 22 + 2
"""Where the dealer's first draw lies in a deck: behind the hands and two other draws."""


def zhi_ting_decks(rng: random.Random) -> tuple[bytes, bytes]:
    """The dealer is ready from the start; in one deck its first draw wins, in the other not."""
    ready, wins = parse(f"{READY} S9"), parse("HQ")[0]
    deck = list(REGISTRY[JIANGYAN].deck.cards)
    for card in ready:
        deck.remove(card)
    rng.shuffle(deck)
    deck = [*ready, *deck]
    others = [at for at in range(DRAWN, len(deck)) if deck[at] not in {*ready, *parse("DJ")}]
    swapped = [deck.index(wins, 23), rng.choice(others[1:])]
    decks = []
    for at in swapped:
        deck[DRAWN], deck[at] = deck[at], deck[DRAWN]
        decks.append(bytes(deck))
    return decks[0], decks[1]


def play_zhi_ting(world: World) -> None:
    """The dealer declares 直听 and declines every 胡; nobody claims anything."""
    world.begin()
    while world.last.status != en.ENDED:
        if world.last.status == en.ADVANCE:
            world.put(en.Input("advance"))
            continue
        prompt = world.last.prompts[0]
        declares = prompt.choices[0][0] == Verb.ZHI_TING
        world.answer(prompt, prompt.choices[0 if declares else -1])


def zhi_ting_leaks(registry: Games) -> bool:
    """Whether anybody learns that the dealer was offered 胡, or what else it could have."""
    for number in range(4):
        deck, other = zhi_ting_decks(random.Random(number))
        options = registry[JIANGYAN].options()
        start = en.Start(JIANGYAN[0], options, 3, 1, deck, JIANGYAN[1], bytes((0,)))
        world = World(registry, start)
        play_zhi_ting(world)
        offered = [f.event for f in all_events(world) if isinstance(f.event, ev.Asked)]
        assert any(e.seat == 0 and e.choices[0][0] == Verb.HU for e in offered)
        for reader in (SPECTATOR, 1, 2):
            try:
                check_pair(world, {}, World(registry, replace(start, source=other)), reader)
            except Leak:
                return True
    return False


def test_zhi_ting_tells_nothing() -> None:
    """J30, J9: what a 直听 seat is offered and declines is nobody's business."""
    assert not zhi_ting_leaks(dict(REGISTRY))


@pytest.mark.parametrize(
    "mutant",
    [_zhi_ting_has_a_public_deadline, _zhi_ting_declines_at_once],
    ids=lambda m: m.__name__.strip("_"),
)
def test_a_leak_of_zhi_ting_is_caught(mutant: Any, monkeypatch: Patch) -> None:
    """Each is noticed in the same rounds (J30, M4)."""
    registry = dict(REGISTRY)
    mutant(monkeypatch, registry)
    assert zhi_ting_leaks(registry), "nobody noticed"


def _leaks(registry: Games, game: tuple[str, int]) -> bool:
    """Whether a leak is noticed within forty rounds."""
    rng = random.Random(4)
    for _ in range(ROUNDS):
        try:
            check_round(registry, random_deal(registry, game, rng), rng, 3)
        except Leak:
            return True
    return False


@pytest.mark.parametrize(
    "mutant",
    [
        _faces_shown,
        _one_face_shown,
        _order_tells,
        _hints_know,
        _snapshot_knows,
        _auto_knows,
    ],
    ids=lambda m: m.__name__.strip("_"),
)
def test_a_leak_of_a_hidden_an_gang_is_caught(mutant: Any, monkeypatch: Patch) -> None:
    """Each is noticed within forty rounds (X4)."""
    registry = dict(REGISTRY)
    mutant(monkeypatch, registry)
    assert _leaks(registry, SHASHAER), "nobody noticed"


def test_a_public_draw_is_caught(monkeypatch: Patch) -> None:
    """Draws into the hand are private, those of 海捞 too (J7, J32)."""

    def drew(table: Any, e: ev.Drew) -> view.Formed:
        return view.Formed(e, view.Seen(e, len(table.state.wall)), ())

    monkeypatch.setitem(view._FORMS, ev.Drew, drew)
    assert _leaks(dict(REGISTRY), JIANGYAN)
