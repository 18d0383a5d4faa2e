"""What holds in every position of every round of the 碰胡 games, over random play."""

import random

import pytest

from libs.families.pengpai.decks import DA_WANG
from libs.families.pengpai.slots import Phase, Reg, Seat
from libs.game import engine as en
from libs.game.actions import Verb
from libs.game.codec import decode_state
from libs.game.state import State
from tests.conformance.kit import REGISTRY, option_sets, random_habit, random_input, random_start

OPENING = (Phase.DEALT_GANG, Phase.FLOWERS, Phase.MORE_GANG)
ROUNDS = 40


def held(state: State, seat: int) -> int:
    """Cards in hand and three for each meld: 22, or 23 with the turn to discard."""
    return sum(state.hands[seat]) + 3 * len(state.melds[seat])


def check_counts(state: State, reserve: int) -> None:
    """Everybody has 22 cards, the actor in turn 23, the dealer before its first discard too (J2,
    J13); a seat that could not replace its 杠 or 大王 has one less (J32)."""
    turn = -1
    if state.phase in (Phase.OWN_TURN, Phase.BAO_LIU_PENG, Phase.PLAYS_ITSELF):
        turn = state.regs[Reg.ACTOR]
    elif state.phase in (Phase.DEAL_HU, Phase.ZHI_TING):
        turn = state.dealer
    for seat in range(state.players):
        if state.regs[Reg.HAI_LAO]:
            assert held(state, seat) in (21, 22, 23)
        elif seat == turn:
            assert held(state, seat) == 23
        else:
            assert held(state, seat) in ((22,) if len(state.wall) > reserve else (21, 22))


def check_flowers(state: State) -> None:
    """No 大王 is in a hand, a meld or a pile once it could be set aside (J1, J4)."""
    for seat in range(state.players):
        assert DA_WANG not in state.piles[seat]
        assert all(DA_WANG not in meld.cards for meld in state.melds[seat])
        if state.phase not in OPENING and not state.regs[Reg.HAI_LAO]:
            assert not state.hands[seat][DA_WANG]


def check_prompts(state: State) -> None:
    """直听 claims and lays nothing that changes its hand; 杠 are not asked where barred."""
    for prompt in state.prompts:
        verbs = {choice[0] for choice in prompt.choices}
        if state.marks[prompt.seat][Seat.ZHI_TING]:
            assert not verbs & {Verb.PENG, Verb.ZHI_GANG, Verb.BU_GANG}  # J30
        if state.marks[prompt.seat][Seat.HU_CLOSED] and state.open:
            assert Verb.HU not in verbs  # J10
        if state.regs[Reg.HAI_LAO]:
            assert verbs == {Verb.HU, Verb.PASS}  # J32


@pytest.mark.parametrize("game", ["jiangyan_23", "shashaer"])
def test_every_position_of_random_rounds_is_sound(game: str) -> None:
    """Counts, flowers, the wall and the questions, at every stop (J10, J13, J32, X6)."""
    variant, rng = REGISTRY[game, 1], random.Random(7)
    reserve = variant.play.reserve
    for number in range(ROUNDS):
        players = variant.players[number % len(variant.players)]
        start = random_start(variant, players, next(option_sets(variant, players, rng)), rng)
        stepped, habit = en.start(REGISTRY, start, True), random_habit(rng)
        while stepped.status != en.ENDED:
            state = decode_state(stepped.state)
            assert len(state.wall) >= reserve or state.regs[Reg.HAI_LAO]
            if state.phase not in OPENING:
                check_counts(state, reserve)
            if variant.play.flower:
                check_flowers(state)
            check_prompts(state)
            stepped = en.step(
                REGISTRY, stepped.state, random_input(stepped.prompts, habit, rng), True
            )
