"""Non-interference of every game (IX2), and proof that the test catches what it is there for."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from libs.families.paohuzi import turn
from libs.families.paohuzi.play import discards
from libs.game import engine as en
from libs.game import events as ev
from libs.game import evolve, view
from libs.game.actions import PromptClass
from libs.game.state import Prompt
from libs.game.variant import Registry, Variant
from services.rules_engine import hints
from tests.conformance.interference import Leak, check_round
from tests.conformance.kit import GAMES, REGISTRY, option_sets

ROUNDS, LONG = 24, 2_000
LONG_DECK = 100
"""Cards of a deck whose rounds have three times as many steps."""
HENGYANG = ("hengyang_liuhuqiang", 1)
Patch = pytest.MonkeyPatch


def together(deck: bytes, face: int, rng: random.Random) -> bytes:
    """The deck with all cards of a face in one place, mostly one hand: fours are rare."""
    rest = deck.replace(bytes((face,)), b"")
    at = rng.randrange(60)
    return rest[:at] + bytes((face,)) * (len(deck) - len(rest)) + rest[at:]


def random_deal(registry: Registry, game: tuple[str, int], rng: random.Random) -> en.Start:
    """A start from a given deck, so that no commitment tells worlds apart."""
    variant = registry[game]
    players = rng.choice(variant.players)
    deck = bytes(rng.sample(variant.deck.cards, variant.deck.size))
    for face in rng.sample([face for face, _ in variant.deck.copies], rng.choice((0, 0, 3, 6))):
        deck = together(deck, face, rng)
    dealer = bytes((rng.randrange(players),))
    return en.Start(game[0], variant.options(), players, 1, deck, game[1], dealer)


def run(game: tuple[str, int], rounds: int, seed: int) -> Counter[str]:
    """Rounds in drawn rooms with re-deals for every reader."""
    variant, rng = REGISTRY[game], random.Random(seed)
    rooms = {players: option_sets(variant, players, rng) for players in variant.players}
    counted: Counter[str] = Counter()
    for _ in range(rounds):
        start = random_deal(REGISTRY, game, rng)
        room = replace(start, options=next(rooms[start.players]))
        counted += check_round(REGISTRY, room, rng, 3)
    return counted


def check_power(counted: Counter[str]) -> None:
    """Enough was compared: long common streams, many views, worlds alike until the end."""
    assert counted["events"] > 20 * counted["pairs"]
    assert counted["glances"] > 2 * counted["pairs"]
    assert counted["to the end"] > counted["pairs"] / 10


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_hidden_cards_change_nothing_a_reader_receives(game: tuple[str, int]) -> None:
    """Re-deals what each reader cannot know; its bytes stay until something shows it (IX2)."""
    long = REGISTRY[game].deck.size > LONG_DECK
    counted = run(game, ROUNDS // 2 if long else ROUNDS, 1)
    check_power(counted)


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_hidden_cards_change_nothing_in_many_rounds(game: tuple[str, int]) -> None:
    """The same for thousands of rounds."""
    check_power(run(game, LONG, 2))


def _default_avoids_hidden_wei(patch: Patch, registry: dict[Any, Variant]) -> None:
    """A timeout's discard looks at others' hidden 偎 (L7 forbids it)."""

    def ask(table: Any, seat: int, continues: int) -> None:
        faces = turn._listed(table, seat)
        held = {
            meld.cards[0]
            for other in range(table.state.players)
            if other != seat
            for meld in table.state.melds[other]
        }
        pick = next((i for i, face in enumerate(faces) if face not in held), 0)
        choices = [turn.DISCARD_ACTIONS[face] for face in faces]
        table.ask(seat, PromptClass.DISCARD, choices, (pick, pick), continues)
        table.stop()

    patch.setattr(turn, "_ask", ask)


def _list_leaves_out_barred(patch: Patch, registry: dict[Any, Variant]) -> None:
    """The list of discards leaves out what would be a 冲招 (L7 forbids it)."""

    def listed(table: Any, seat: int) -> list[int]:
        hand = table.state.hands[seat]
        return [f for f in discards(hand) if not turn._is_barred(table, seat, f)] or discards(hand)

    patch.setattr(turn, "_listed", listed)


def _draw_shows_face(patch: Patch, registry: dict[Any, Variant]) -> None:
    """Everybody gets the face of the card a hidden 偎 was made with."""

    def drew(table: Any, e: ev.Drew) -> view.Formed:
        return view.Formed(e, view.Seen(e, len(table.state.wall)), ())

    patch.setitem(view._FORMS, ev.Drew, drew)


def _wei_shows_faces(patch: Patch, registry: dict[Any, Variant]) -> None:
    """A plain 偎 is laid open."""
    shown = replace(registry[HENGYANG], meld_form=lambda table, seat, meld: meld)
    registry[HENGYANG] = shown


def _prompts_counted_together(patch: Patch, registry: dict[Any, Variant]) -> None:
    """One counter numbers the questions of all seats, so that gaps tell of others' questions."""

    def asked(state: Any, e: ev.Asked) -> None:
        state.asked[e.seat] = max(state.asked) + 1
        state.prompts.append(Prompt(e.seat, max(state.asked), *e[1:]))

    patch.setitem(evolve.APPLY, ev.Asked, asked)


def _asking_is_public(patch: Patch, registry: dict[Any, Variant]) -> None:
    """Everybody is told that somebody was asked."""
    original: Callable[..., view.Formed] = view._FORMS[ev.Asked]

    def asked(table: Any, e: ev.Asked) -> view.Formed:
        return original(table, e)._replace(public=view.Seen(ev.Turn(0)))

    patch.setitem(view._FORMS, ev.Asked, asked)


def _hint_counts_others_cards(patch: Patch, registry: dict[Any, Variant]) -> None:
    """听牌 takes the cards in other hands for seen."""
    honest = hints.seated

    def seated(registry: Registry, state: bytes, seat: int) -> hints.Hints:
        hands = en.table_of(registry, state).state.hands
        return honest(registry, state, seat)._replace(
            unseen=[4 - sum(n) for n in zip(*hands, strict=True)]
        )

    patch.setattr(hints, "seated", seated)


def _refusal_tells_of_questions(patch: Patch, registry: dict[Any, Variant]) -> None:
    """A refusal says how many seats are asked."""
    honest = en._choice

    def choice(table: Any, what: en.Input) -> int:
        try:
            return honest(table, what)
        except en.Refused as error:
            error.fields["open"] = str(len(table.state.prompts))
            raise

    patch.setattr(en, "_choice", choice)


def _view_shows_hidden_melds(patch: Patch, registry: dict[Any, Variant]) -> None:
    """A snapshot shows what the events hid."""
    honest = view._seat_view

    def seat_view(table: Any, seat: int, reader: int) -> view.SeatView:
        return honest(table, seat, reader)._replace(melds=tuple(table.state.melds[seat]))

    patch.setattr(view, "_seat_view", seat_view)


def _list_depends_on_others_passes(patch: Patch, registry: dict[Any, Variant]) -> None:
    """The list of discards depends on what the other seats have passed."""
    honest = turn._listed

    def listed(table: Any, seat: int) -> list[int]:
        faces = honest(table, seat)
        more = sum(map(sum, table.state.marks)) - sum(table.state.marks[seat])
        return faces[1:] if more and len(faces) > 1 else faces

    patch.setattr(turn, "_listed", listed)


MUTANTS: tuple[Callable[[Patch, dict[Any, Variant]], None], ...] = (
    _default_avoids_hidden_wei,
    _list_leaves_out_barred,
    _draw_shows_face,
    _wei_shows_faces,
    _prompts_counted_together,
    _asking_is_public,
    _hint_counts_others_cards,
    _refusal_tells_of_questions,
    _view_shows_hidden_melds,
    _list_depends_on_others_passes,
)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.__name__.strip("_"))
def test_a_leak_is_caught(mutant: Any, monkeypatch: Patch) -> None:
    """Each seeded leak fails the test within a few rounds (reliability 5: a seeded bug each)."""
    registry, rng = dict(REGISTRY), random.Random(11)
    mutant(monkeypatch, registry)
    off = registry[HENGYANG].options(chong_zhao=False)
    for number in range(100):
        start = random_deal(registry, HENGYANG, rng)
        try:
            check_round(registry, replace(start, options=off) if number % 2 else start, rng, 3)
        except Leak:
            return
    pytest.fail("nobody noticed")
