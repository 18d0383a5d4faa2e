"""听牌 through the rules engine: faces, copies not seen yet, worth; only what the seat may know."""

import random

import pytest
from paiju.rules.v1 import rules_pb2 as pb
from paiju.scoring.v1 import scoring_pb2
from rules_kit import GAME, answer_item, options, reason, rules_stub, scoring_stub, start_item

from libs.families.paohuzi.slots import Reg
from libs.game.cards import HIDDEN, parse
from libs.game.codec import decode_state, encode_state
from libs.game.melds import MeldKind
from libs.game.state import OpenKind

OWN, OTHER, DISCARD = (
    pb.WAIT_SOURCE_OWN_DRAW,
    pb.WAIT_SOURCE_OTHER_DRAW,
    pb.WAIT_SOURCE_DISCARD,
)


@pytest.fixture(scope="module", name="stub")
async def _stub():
    async with rules_stub() as stub:
        yield stub


def _hand(text, melds=(), **values):
    seat = {
        "hand": parse(text),
        "melds": [{"kind": MeldKind[kind], "cards": parse(cards)} for kind, cards in melds],
    }
    return {"game": GAME, "players": 3, "dealer": 1, "seats": [seat], "options": options(**values)}


async def _waits(stub, *items):
    return (await stub.Waits(pb.WaitsRequest(items=items))).results


def _faces(waits, source):
    return bytes(wait.card for wait in waits if any(w.source == source for w in wait.worth))


async def test_a_written_hand_waits(stub):
    """The split is chosen for each face; own cards count as seen (Z26, Z28)."""
    four = [("TI", "玖玖玖玖")]
    hand = _hand("二二二三四五六六十叁叁叁肆肆陆拾", four)
    (result,) = await _waits(stub, {"hand": hand})
    assert _faces(result.waits, OTHER) == bytes(parse("十拾"))
    assert {wait.card: wait.unseen for wait in result.waits} == {10: 3, 20: 3}
    assert not result.discards


async def test_a_forced_ti_or_wei_is_no_own_wait(stub):
    """A face held four times is never a wait; an own 六 would be a forced 偎 (Z9, Z28)."""
    hand = _hand("四五壹壹壹叁叁叁六六陆柒捌玖拾拾", [("TI", "三三三三")])
    (result,) = await _waits(stub, {"hand": hand})
    assert _faces(result.waits, OTHER) == bytes(parse("六陆"))
    assert _faces(result.waits, OWN) == bytes(parse("陆"))


async def test_only_wall_cards(stub):
    """With `wall_only` no discard is a wait (Z33)."""
    hand = _hand("二二二三四五六六十叁叁叁肆肆陆拾", [("TI", "玖玖玖玖")], hu_policy="wall_only")
    (result,) = await _waits(stub, {"hand": hand})
    assert _faces(result.waits, OTHER)
    assert not _faces(result.waits, DISCARD)


async def test_the_worth_is_what_scoring_pays(stub):
    """胡息 and amount of a hint are those of the sheet of that win."""
    hand = _hand("二二二三四五六六十叁叁叁肆肆陆拾", [("TI", "玖玖玖玖")])
    (result,) = await _waits(stub, {"hand": hand})
    hands, told = [], []
    sources = {OWN: (1, 0), OTHER: (2, 1), DISCARD: (3, 1)}
    for wait in result.waits:
        for worth in wait.worth:
            source, by = sources[worth.source]
            win = {"card": wait.card, "source": source, "from_seat": by}
            hands.append(hand | {"win": win, "wall_next": 1})
            told.append((worth.points, worth.amount))
    async with scoring_stub() as scoring:
        response = await scoring.ExplainHand(scoring_pb2.ExplainHandRequest(hands=hands))
    sheets = [result.sheet for result in response.results]
    assert len(told) >= 3
    assert [(s.values["huxi"], s.values["payer_amount"]) for s in sheets] == told


async def test_a_hand_with_a_card_to_spare(stub):
    """Each discard that leaves a wait is told with its waits; a 坎 stays (Z6)."""
    text = "二二二三四五六六十叁叁叁肆肆陆拾"
    four = [("TI", "玖玖玖玖")]
    (spare,) = await _waits(stub, {"hand": _hand(text + "八", four)})
    (plain,) = await _waits(stub, {"hand": _hand(text, four)})
    after = {one.discard: one.waits for one in spare.discards}
    assert not spare.waits
    assert list(after[8]) == list(plain.waits)
    assert not {2, 13} & set(after)


async def test_a_written_hand_has_one_seat_and_no_win(stub):
    """Two hands, none, or a hand that has won do not wait."""
    one = {"hand": parse("一二三")}
    two = _hand("") | {"seats": [one, one]}
    won = _hand("一二三") | {"win": {"card": 5, "source": 1}}
    results = await _waits(stub, {"hand": two}, {"hand": _hand("")}, {"hand": won})
    assert [reason(result) for result in results] == ["BAD_REQUEST"] * 3


async def _states(stub, rounds):
    """States of random rounds, with the seats that are asked."""
    starts = [start_item(seed, 3) for seed in range(rounds)]
    response = await stub.StartRound(pb.StartRoundRequest(items=starts))
    running = [result.ok for result in response.results]
    rng = random.Random(7)
    while running:
        items = []
        for ok in running:
            yield ok
            items.append(answer_item(ok.state, rng.choice(ok.prompts), {"index": 0}))
        results = (await stub.Step(pb.StepRequest(items=items))).results
        running = [result.ok for result in results if result.ok.status != pb.ROUND_STATUS_ENDED]


def _unseen(state, seat):
    """Copies that do not lie before the seat, counted from the state itself."""
    left = [0] + [4] * 20
    for other in range(state.players):
        cards = state.piles[other]
        for meld in state.melds[other]:
            plain = meld.kind is MeldKind.WEI and other != seat
            cards += b"" if plain else meld.cards
        for card in cards:
            left[card] -= 1
    for card, n in enumerate(state.hands[seat]):
        left[card] -= n
    if state.open:
        left[state.open.card] -= 1
    if seat != state.dealer and _holds_liang_zhang(state):
        left[state.regs[Reg.LIANG_ZHANG]] -= 1
    return left


def _holds_liang_zhang(state):
    """As far as all can see the 亮张 is still in the dealer's hand (Z2, Z4)."""
    face, dealer = state.regs[Reg.LIANG_ZHANG], state.dealer
    if state.open and state.open.kind == OpenKind.SHOWN:
        return False
    laid = b"".join(m.cards for m in state.melds[dealer] if m.kind is not MeldKind.WEI)
    claimed = [m.claimed for m in state.melds[dealer] if m.kind is not MeldKind.WEI]
    return laid.count(face) == claimed.count(face) and not state.discarded[dealer] >> face & 1


def _shuffled(state, seat, rng):
    """The same table with everything a seat cannot see dealt again: concealed 偎 stay, since
    their faces decide what may happen next; hands of others and the wall change places."""
    others = [n for n in range(state.players) if n != seat]
    cards = list(state.wall)
    for other in others:
        cards += [card for card, n in enumerate(state.hands[other]) for _ in range(n)]
    rng.shuffle(cards)
    for other in others:
        size = sum(state.hands[other])
        hand, cards = cards[:size], cards[size:]
        state.hands[other] = [hand.count(card) for card in range(21)]
    state.wall = bytes(cards)
    return state


async def test_hints_tell_only_what_the_seat_knows(stub):
    """Other hands and the wall may be anything: the answer stays the same, byte for byte (M9)."""
    rng = random.Random(11)
    checked = 0
    async for ok in _states(stub, 6):
        seats = [{"state": ok.state, "seat": seat} for seat in range(3)]
        other = [
            {"state": encode_state(_shuffled(decode_state(ok.state), seat, rng)), "seat": seat}
            for seat in range(3)
        ]
        results = await _waits(stub, *[{"seated": one} for one in seats + other])
        assert list(results[:3]) == list(results[3:])
        for seat, result in enumerate(results[:3]):
            left = _unseen(decode_state(ok.state), seat)
            found = [*result.waits, *(w for one in result.discards for w in one.waits)]
            checked += len(found)
            assert all(wait.unseen == left[wait.card] for wait in found)
            if result.discards:
                assert ok.turn == seat
    assert checked > 20


async def test_a_dead_hand_and_a_finished_round_do_not_wait(stub):
    """死手 cannot 胡 any more (Z22); after the end there is nothing to wait for."""
    async for ok in _states(stub, 3):
        state = decode_state(ok.state)
        seat = state.turn
        (before,) = await _waits(stub, {"seated": {"state": ok.state, "seat": max(seat, 0)}})
        if seat >= 0 and before.discards:
            break
    state.marks[seat][4] = 1
    state_now = encode_state(state)
    void = pb.StepRequest.Item(state=ok.state, abort={})
    ended = (await stub.Step(pb.StepRequest(items=[void]))).results[0].ok
    dead, over = await _waits(
        stub,
        {"seated": {"state": state_now, "seat": seat}},
        {"seated": {"state": ended.state, "seat": seat}},
    )
    assert dead == pb.WaitsResponse.Result()
    assert reason(over) == "PROMPT_CLOSED"
    assert HIDDEN not in [wait.card for one in before.discards for wait in one.waits]
