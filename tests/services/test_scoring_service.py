"""Scoring through its API: finished rounds, matches, written hands, and what is refused."""

import random
import re

import grpc
import pytest
from google.protobuf import text_format
from paiju.game.v1 import event_pb2, sheet_pb2
from paiju.scoring.v1 import scoring_pb2 as pb
from rules_kit import GAME, options, reason, scoring_stub, start_item

from libs.game import engine
from libs.game.cards import parse
from libs.game.melds import MeldKind
from libs.runtime.errors import REASONS, reason_of
from libs.variants import registry
from libs.wire import steps

CANARY = "canary-叁叁叁"


@pytest.fixture(scope="module", name="stub")
async def _stub():
    async with scoring_stub() as stub:
        yield stub


def _played(seed, players=3, abort=False, **values):
    """The last step of a round of random play in this process; wins are always taken."""
    rng = random.Random(seed)
    item = start_item(seed, players, options=options(**values), round_no=4)
    stepped = engine.start(registry(), steps.start_of(registry(), item), True)
    while stepped.status != engine.ENDED and not abort:
        prompt = rng.choice(stepped.prompts)
        wins = [n for n, choice in enumerate(prompt.choices) if choice[0] == 5]
        choice = wins[0] if wins else rng.randrange(len(prompt.choices))
        what = engine.Input("answer", prompt.seat, prompt.number, choice)
        stepped = engine.step(registry(), stepped.state, what, True)
    if abort:
        stepped = engine.step(registry(), stepped.state, engine.Input("abort"), True)
    return stepped


def _last(stepped, kind):
    found = [event.event for event in stepped.events if type(event.event).__name__ == kind]
    return found[-1] if found else None


async def test_finished_rounds(stub):
    """Each sheet agrees with the round's own end; deltas and payments sum to zero (M10)."""
    played = [
        _played(seed, 2 + seed % 2, xing="sui_xing", qi_hu=6, piao_hu=True) for seed in range(60)
    ]
    request = pb.ScoreRoundRequest(states=[stepped.state for stepped in played])
    results = (await stub.ScoreRound(request)).results
    kinds = set()
    for stepped, result in zip(played, results, strict=True):
        sheet, won = result.sheet, _last(stepped, "Won")
        kinds.add(sheet.win_kind)
        assert (sheet.game, sheet.release, sheet.round_no) == (GAME, 1, 4)
        assert sum(sheet.deltas) == 0
        assert sheet.can_win == (won is not None)
        if won is None:
            assert sheet.win_kind == "liu_ju"
            assert not any(sheet.deltas)
            assert not sheet.HasField("winner")
        else:
            _check_win(sheet, won)
    assert {"liu_ju", "zi_mo"} <= kinds


def _check_win(sheet, won):
    assert (sheet.winner, sheet.win_card, sheet.source) == (won.seat, won.card, won.source)
    paid = [0] * len(sheet.deltas)
    for payment in sheet.payments:
        paid[payment.payer] -= payment.amount
        paid[payment.payee] += payment.amount
    assert paid == list(sheet.deltas)
    assert sheet.deltas[won.seat] > 0
    (seat,) = sheet.seats
    assert seat.lines[-1].subtotal == seat.amount == sheet.values["payer_amount"]
    assert sum(group.won for group in seat.groups) == 1
    told = [*seat.lines, *seat.groups, *sheet.payments]
    assert all(re.fullmatch(r"[ZLM]\d+[a-z]?", one.clause) for one in told)


async def test_a_round_scores_alone_as_in_a_batch(stub):
    """Item n answers item n; the same state gives the same bytes."""
    states = [_played(seed).state for seed in range(12)] + [b"broken"]
    batch = (await stub.ScoreRound(pb.ScoreRoundRequest(states=states))).results
    for state, result in zip(states, batch, strict=True):
        alone = (await stub.ScoreRound(pb.ScoreRoundRequest(states=[state]))).results[0]
        assert alone.SerializeToString(deterministic=True) == result.SerializeToString(
            deterministic=True
        )


async def test_a_void_round_scores_nothing(stub):
    """A round ended from outside has a sheet of zeros (M7)."""
    state = _played(3, abort=True).state
    sheet = (await stub.ScoreRound(pb.ScoreRoundRequest(states=[state]))).results[0].sheet
    expected = f'game: "{GAME}" release: 1 round_no: 4 win_kind: "void" deltas: [0, 0, 0]'
    assert sheet == text_format.Parse(expected, sheet_pb2.ScoreSheet())


async def test_rounds_that_cannot_be_scored(stub):
    """A running round and broken bytes are refused; the others are scored."""
    running = engine.start(registry(), steps.start_of(registry(), start_item(1)), True).state
    over = _played(1).state
    unknown = over.replace(b"hengyang", b"canary!!")
    states = [running, CANARY.encode(), b"", over[:-1], unknown, over]
    results = (await stub.ScoreRound(pb.ScoreRoundRequest(states=states))).results
    expected = ["ROUND_NOT_ENDED", "BAD_STATE", "BAD_STATE", "BAD_STATE", "UNKNOWN_GAME"]
    assert [reason(result) for result in results[:5]] == expected
    assert [result.error.code for result in results[:5]] == [
        REASONS[name].value[0] for name in expected
    ]
    assert results[5].HasField("sheet")
    assert "canary" not in str(results[:5]).replace("canary!!", "")


def _hand(text, **win):
    melds = [{"kind": MeldKind.TI, "cards": parse("玖玖玖玖")}]
    return {
        "game": GAME,
        "players": 3,
        "dealer": 1,
        "options": options(unit=2),
        "seats": [{"hand": parse(text), "melds": melds}],
        "win": win,
    }


async def test_a_written_hand_explained(stub):
    """An own draw doubles, everybody pays; the same hand with too few 胡息 says why (L5, L8)."""
    text = "二二二三四五六六十叁叁叁肆肆陆拾"
    own = _hand(text, card=10, source=event_pb2.WIN_SOURCE_OWN_DRAW)
    other = _hand(text, card=10, source=event_pb2.WIN_SOURCE_OTHER_DRAW, from_seat=2)
    odd = _hand(text, card=9, source=event_pb2.WIN_SOURCE_OWN_DRAW)
    results = (await stub.ExplainHand(pb.ExplainHandRequest(hands=[own, other, odd]))).results
    drawn, taken, none = (result.sheet for result in results)
    assert "zi_mo" in [line.code for line in drawn.seats[0].lines]
    assert drawn.round_no == 0
    assert drawn.deltas[0] == 2 * drawn.values["payer_amount"] == 2 * taken.deltas[0]
    assert [payment.payer for payment in taken.payments] == [1, 2]
    assert (none.can_win, none.reason, list(none.deltas)) == (False, "shape", [0, 0, 0])
    assert none.win_card == 9


async def test_hands_that_cannot_be_explained(stub):
    """Unknown games, options and impossible hands each name their reason."""
    hands = [
        {"game": CANARY},
        _hand("一") | {"release": 9},
        _hand("一") | {"players": 5},
        _hand("一") | {"options": options(**{CANARY: 1})},
        _hand("一") | {"options": options(cap=1)},
        _hand("一", card=5),
        _hand("玖", card=5, source=1),
    ]
    results = (await stub.ExplainHand(pb.ExplainHandRequest(hands=hands))).results
    assert [reason(result) for result in results] == [
        "UNKNOWN_GAME",
        "UNKNOWN_GAME",
        "UNKNOWN_PLAYERS",
        "UNKNOWN_OPTION",
        "BAD_OPTION_VALUE",
        "BAD_REQUEST",
        "BAD_REQUEST",
    ]
    assert not any("canary" in result.error.message for result in results)


async def test_any_written_hand_has_an_answer(stub):
    """Hands of any size with any melds are explained or refused, never an internal error."""
    rng = random.Random(5)
    hands = []
    for _ in range(400):
        deck = rng.sample(sorted(list(range(1, 21)) * 4), 80)
        melds = [{"kind": rng.choice((2, 3, 4)), "cards": [face] * 3} for face in deck[60:61]]
        source = rng.randrange(1, 6)
        hand = _hand("", card=deck[70], source=source, from_seat=rng.choice((0, 1, 2)))
        hand["seats"] = [{"hand": deck[: rng.randrange(24)], "melds": melds}]
        hands.append(hand)
    results = (await stub.ExplainHand(pb.ExplainHandRequest(hands=hands))).results
    reasons = {reason(result) for result in results if result.HasField("error")}
    assert reasons <= {"BAD_REQUEST"}
    assert sum(result.HasField("sheet") for result in results) > 100


async def test_the_end_of_a_match(stub):
    """Low scores of two players are multiplied (L12); the adjustment is what is still to settle."""
    room = options(low_score_limit=20, low_score_factor=3)
    low = await stub.FinishMatch(
        pb.FinishMatchRequest(game=GAME, release=1, options=room, totals=[15, -15], rounds=8)
    )
    high = await stub.FinishMatch(
        pb.FinishMatchRequest(game=GAME, options=room, totals=[25, -25], rounds=8)
    )
    three = await stub.FinishMatch(pb.FinishMatchRequest(game=GAME, totals=[5, -3, -2], rounds=8))
    assert (list(low.finals), list(low.adjustments)) == ([45, -45], [30, -30])
    assert [(line.clause, line.value) for line in low.lines] == [("L12", 3)]
    assert (list(high.finals), list(high.adjustments), list(high.lines)) == ([25, -25], [0, 0], [])
    assert list(three.finals) == [5, -3, -2]


BAD_ENDS = [
    ({"game": CANARY * 5000, "totals": [0, 0]}, "UNKNOWN_GAME"),
    ({"game": GAME, "release": 7, "totals": [0, 0]}, "UNKNOWN_GAME"),
    ({"game": GAME, "totals": []}, "UNKNOWN_PLAYERS"),
    ({"game": GAME, "totals": [0] * 4}, "UNKNOWN_PLAYERS"),
    ({"game": GAME, "totals": [1, 0]}, "BAD_REQUEST"),
    ({"game": GAME, "totals": [2**60, -(2**60)]}, "BAD_REQUEST"),
    ({"game": GAME, "totals": [0, 0], "options": options(qi_hu=8)}, "BAD_OPTION_VALUE"),
    (
        {"game": GAME, "totals": [0, 0, 0], "options": options(low_score_limit=10)},
        "BAD_OPTION_VALUE",
    ),
]


@pytest.mark.parametrize(("fields", "expected"), BAD_ENDS)
async def test_matches_that_cannot_end_so(stub, fields, expected):
    """Totals are whole, within bounds and sum to zero."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.FinishMatch(pb.FinishMatchRequest(**fields))
    assert caught.value.code() is REASONS[expected]
    assert reason_of(caught.value).reason == expected


async def test_a_list_has_a_limit(stub):
    """1,025 items are too many."""
    calls = [
        (stub.ScoreRound, pb.ScoreRoundRequest(states=[b""] * 1025)),
        (stub.ExplainHand, pb.ExplainHandRequest(hands=[{}] * 1025)),
    ]
    for call, request in calls:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call(request)
        assert reason_of(caught.value).reason == "LIMIT_EXCEEDED"
