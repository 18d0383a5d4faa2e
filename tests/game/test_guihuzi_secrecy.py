"""暗歪溜 hides what it must (G17), and the test of non-interference would notice a leak."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from libs.families.guihuzi import draw
from libs.families.guihuzi.slots import Phase
from libs.game import events as ev
from libs.game import view
from libs.game.state import ALL_SEATS
from libs.game.variant import Variant
from tests.conformance.interference import Leak, check_round
from tests.conformance.test_non_interference import random_deal
from tests.game.guihuzi_kit import REGISTRY, VARIANT, Scene

GAME = (VARIANT.game, VARIANT.release)
Patch = pytest.MonkeyPatch
Mutant = Callable[[Patch, dict[tuple[str, int], Variant]], None]


def dark_rounds(registry: dict[tuple[str, int], Variant], seed: int, rounds: int) -> int:
    """Rounds with 暗歪溜, each re-dealt for every reader; returns the events compared."""
    rng = random.Random(seed)
    options = VARIANT.options(an_wai_liu=True)
    compared = 0
    for _ in range(rounds):
        start = replace(random_deal(registry, GAME, rng), options=options)
        compared += check_round(registry, start, rng, 3)["events"]
    return compared


def test_hidden_faces_change_nothing_the_others_receive() -> None:
    """G17: whatever lies hidden could be another card, byte for byte."""
    assert dark_rounds(dict(REGISTRY), 11, 16) > 5_000


def _draw_shows_face(patch: Patch, registry: dict[tuple[str, int], Variant]) -> None:
    """Everybody gets the face of a hidden draw."""

    def drew(table: Any, e: ev.Drew) -> view.Formed:
        return view.Formed(e, view.Seen(e, len(table.state.wall)), ())

    patch.setitem(view._FORMS, ev.Drew, drew)


def _melds_show_faces(patch: Patch, registry: dict[tuple[str, int], Variant]) -> None:
    """歪 and 溜 are laid open."""
    registry[GAME] = replace(registry[GAME], meld_form=lambda table, seat, meld: meld)


def _view_shows_the_open_card(patch: Patch, registry: dict[tuple[str, int], Variant]) -> None:
    """A snapshot shows the card that lies face down."""
    honest = draw.draw

    def drawn(table: Any) -> None:
        honest(table)
        if table.state.open:
            table.state.open = table.state.open._replace(seen=ALL_SEATS)

    phases = list(registry[GAME].phases)
    phases[Phase.DRAW] = drawn
    registry[GAME] = replace(registry[GAME], phases=tuple(phases))


@pytest.mark.parametrize(
    "mutant",
    [_draw_shows_face, _melds_show_faces, _view_shows_the_open_card],
    ids=lambda mutant: mutant.__name__.strip("_"),
)
def test_a_leak_is_caught(mutant: Mutant, monkeypatch: Patch) -> None:
    """G17: each seeded leak is noticed within a few rounds."""
    registry = dict(REGISTRY)
    mutant(monkeypatch, registry)
    with pytest.raises((Leak, AssertionError)):
        dark_rounds(registry, 12, 60)


def test_hidden_and_open_forms_have_the_same_size() -> None:
    """G17, M9: neither a draw nor a meld tells its face by its length."""
    scene = Scene({1: "三三三 九"}, wall="三", an_wai_liu=True).draw(1)
    scene.do(1, "歪")
    hidden = [formed for formed in scene.events if formed.private and formed.public]
    assert [type(formed.event) for formed in hidden] == [ev.Melded]
    shown, back = hidden[0].private[0][1].event, hidden[0].public.event
    assert len(shown.meld.cards) == len(back.meld.cards)
    assert bool(shown.meld.claimed) == bool(back.meld.claimed)
