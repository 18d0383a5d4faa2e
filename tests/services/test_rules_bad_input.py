"""What the rules engine refuses: status, reason, and nothing of what it must not tell."""

import grpc
import pytest
from paiju.rules.v1 import rules_pb2 as pb
from paiju.rules.v1.rules_pb2_grpc import RulesServiceStub
from rules_kit import GAME, answer_item, options, reason, rules_stub, served, start_item

from libs.game import events as ev
from libs.game.codec import decode_events, encode_event
from libs.runtime.errors import REASONS, reason_of
from libs.runtime.server import Service
from libs.variants import registry
from libs.wire.refusals import refusal_of
from services.rules_engine import main, servicer

CANARY = "canary-叁叁叁"


async def _running(stub):
    """A state that waits for an answer, and its first open prompt."""
    response = await stub.StartRound(pb.StartRoundRequest(items=[start_item(5)]))
    ok = response.results[0].ok
    return ok.state, ok.prompts[0]


def _seeded(**fields):
    item = start_item(1)
    for name, value in fields.items():
        setattr(item.seed, name, value)
    return item


def _sourceless():
    item = start_item(1)
    item.ClearField("seed")
    return item


def _decked(cards):
    item = start_item(1)
    item.deck.cards.extend(cards)
    return item


BAD_STARTS = {
    "game": (start_item(1, game=CANARY * 1000), "UNKNOWN_GAME"),
    "release": (start_item(1, release=77), "UNKNOWN_GAME"),
    "players": (start_item(1, 4), "UNKNOWN_PLAYERS"),
    "no players": (start_item(1, 0), "UNKNOWN_PLAYERS"),
    "option": (start_item(1, options=options(**{CANARY: 1})), "UNKNOWN_OPTION"),
    "value": (start_item(1, options=options(qi_hu=7)), "BAD_OPTION_VALUE"),
    "type of a value": (start_item(1, options=options(qi_hu="6")), "BAD_OPTION_VALUE"),
    "bool for a number": (start_item(1, options=options(unit=True)), "BAD_OPTION_VALUE"),
    "bound": (start_item(1, options=options(unit=0)), "BAD_OPTION_VALUE"),
    "two players only": (start_item(1, options=options(chou_di=10)), "BAD_OPTION_VALUE"),
    "round 0": (start_item(1, round_no=0), "BAD_REQUEST"),
    "round 256": (start_item(1, round_no=256), "BAD_REQUEST"),
    "carry of another match": (start_item(1, 2, carry=b"\x02"), "BAD_REQUEST"),
    "long carry": (start_item(1, carry=CANARY.encode()), "BAD_REQUEST"),
    "joined": (start_item(1, joined=[0, 3]), "BAD_REQUEST"),
    "too many joined": (start_item(1, joined=[0, 1, 2, 0]), "BAD_REQUEST"),
    "creator": (start_item(1, creator=3), "BAD_REQUEST"),
    "no source": (_sourceless(), "BAD_REQUEST"),
    "short seed": (_seeded(server_seed=b"x" * 31), "BAD_REQUEST"),
    "long nonce": (_seeded(nonce=b"x" * 33), "BAD_REQUEST"),
    "long match id": (_seeded(match_id="x" * 300), "BAD_REQUEST"),
    "long client seed": (_seeded(client_seed=b"x" * 70_000), "BAD_REQUEST"),
    "no deck": (_decked([]), "BAD_REQUEST"),
    "deck of one face": (_decked([1] * 80), "BAD_REQUEST"),
    "deck of numbers": (_decked([1000] * 80), "BAD_REQUEST"),
}


@pytest.fixture(scope="module", name="stub")
async def _stub():
    async with rules_stub() as stub:
        yield stub


@pytest.mark.parametrize("name", BAD_STARTS)
async def test_rounds_that_cannot_begin(stub, name):
    """Each with its status and reason; a canary in the input does not come back in the text."""
    item, expected = BAD_STARTS[name]
    result = (await stub.StartRound(pb.StartRoundRequest(items=[item]))).results[0]
    assert reason(result) == expected
    assert result.error.code == REASONS[expected].value[0]
    assert CANARY not in result.error.message
    assert result.error.ByteSize() < 4096


def _answered(state, prompt, **choice):
    return answer_item(state, prompt, choice)


def _other(prompt, **fields):
    changed = pb.OpenPrompt()
    changed.CopyFrom(prompt)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


BAD_STEPS = {
    "no state": (lambda s, p: _answered(b"", p, index=0), "BAD_STATE"),
    "broken state": (lambda s, p: _answered(CANARY.encode(), p, index=0), "BAD_STATE"),
    "cut state": (lambda s, p: _answered(s[:-1], p, index=0), "BAD_STATE"),
    "longer state": (lambda s, p: _answered(s + b"\0", p, index=0), "BAD_STATE"),
    "state of another version": (lambda s, p: _answered(b"\x7f" + s[1:], p, index=0), "BAD_STATE"),
    "state of another game": (
        lambda s, p: _answered(s.replace(b"hengyang", b"canary!!"), p, index=0),
        "UNKNOWN_GAME",
    ),
    "no input": (lambda s, p: pb.StepRequest.Item(state=s), "BAD_REQUEST"),
    "no choice": (lambda s, p: _answered(s, p), "BAD_REQUEST"),
    "seat": (lambda s, p: _answered(s, _other(p, seat=3), index=0), "BAD_REQUEST"),
    "large seat": (lambda s, p: _answered(s, _other(p, seat=2**32 - 1), index=0), "BAD_REQUEST"),
    "a prompt that never was": (
        lambda s, p: _answered(s, _other(p, prompt_id=99), index=0),
        "STALE_PROMPT",
    ),
    "prompt 0": (lambda s, p: _answered(s, _other(p, prompt_id=0), index=0), "STALE_PROMPT"),
    "another seat's turn": (
        lambda s, p: _answered(s, _other(p, seat=(p.seat + 1) % 3), index=0),
        "STALE_PROMPT",
    ),
    "index": (lambda s, p: _answered(s, p, index=200), "NOT_A_CHOICE"),
    "a card not held": (lambda s, p: _answered(s, p, action={"wai": {"card": 55}}), "NOT_A_CHOICE"),
    "an empty action": (lambda s, p: _answered(s, p, action={}), "BAD_REQUEST"),
    "advance": (lambda s, p: pb.StepRequest.Item(state=s, advance={}), "BAD_REQUEST"),
    "timeout of another prompt": (
        lambda s, p: pb.StepRequest.Item(state=s, timeout={"seat": p.seat, "prompt_id": 50}),
        "STALE_PROMPT",
    ),
}


@pytest.mark.parametrize("name", BAD_STEPS)
async def test_steps_that_cannot_be(stub, name):
    """A refused step names its reason; the step beside it happens."""
    make, expected = BAD_STEPS[name]
    state, prompt = await _running(stub)
    good = answer_item(state, prompt, {"index": 0})
    response = await stub.Step(pb.StepRequest(items=[good, make(state, prompt), good]))
    before, result, after = response.results
    assert reason(result) == expected
    assert result.error.code == REASONS[expected].value[0]
    assert "canary" not in result.error.message
    assert before.HasField("ok")
    assert before == after


async def test_an_answered_prompt_and_a_finished_round_are_closed(stub):
    """A second answer to the same prompt, and any input after the end, come too late."""
    state, prompt = await _running(stub)
    first = answer_item(state, prompt, {"index": 0})
    ok = (await stub.Step(pb.StepRequest(items=[first]))).results[0].ok
    void = pb.StepRequest.Item(state=state, abort={})
    ended = (await stub.Step(pb.StepRequest(items=[void]))).results[0].ok
    assert ended.status == pb.ROUND_STATUS_ENDED
    late = [
        answer_item(ok.state, prompt, {"index": 0}),
        answer_item(ended.state, prompt, {"index": 0}),
        pb.StepRequest.Item(state=ended.state, abort={}),
    ]
    results = (await stub.Step(pb.StepRequest(items=late))).results
    assert [reason(result) for result in results] == ["PROMPT_CLOSED"] * 3


async def test_broken_states_and_records_elsewhere(stub):
    """Fold, Legal, View and Waits refuse what Step refuses."""
    state, _ = await _running(stub)
    broken = CANARY.encode()
    other = (await stub.StartRound(pb.StartRoundRequest(items=[start_item(6, 2)]))).results[0].ok
    events = decode_events(b"".join(event.record for event in other.events))
    headless = [encode_event(event) for event in events[1:]]
    asked = {
        "Fold": (
            [
                pb.FoldRequest.Item(),
                pb.FoldRequest.Item(state=broken),
                pb.FoldRequest.Item(records=[broken]),
                pb.FoldRequest.Item(records=headless),
                pb.FoldRequest.Item(state=state, records=[encode_event(ev.Joined(9, 1))]),
            ],
            ["BAD_REQUEST", "BAD_STATE", "BAD_STATE", "BAD_STATE", "BAD_STATE"],
        ),
        "Legal": (
            [pb.LegalRequest.Item(state=broken), pb.LegalRequest.Item(state=state, seat=3)],
            ["BAD_STATE", "BAD_REQUEST"],
        ),
        "View": (
            [pb.ViewRequest.Item(), pb.ViewRequest.Item(state=state, seat=2**32 - 1)],
            ["BAD_STATE", "BAD_REQUEST"],
        ),
        "Waits": (
            [
                pb.WaitsRequest.Item(),
                pb.WaitsRequest.Item(seated={"state": broken}),
                pb.WaitsRequest.Item(seated={"state": state, "seat": 3}),
                pb.WaitsRequest.Item(hand={"game": CANARY}),
                pb.WaitsRequest.Item(hand={"game": GAME, "players": 3}),
                pb.WaitsRequest.Item(
                    hand={"game": GAME, "players": 3, "seats": [{"hand": [1] * 5}]}
                ),
            ],
            [
                "BAD_REQUEST",
                "BAD_STATE",
                "BAD_REQUEST",
                "UNKNOWN_GAME",
                "BAD_REQUEST",
                "BAD_REQUEST",
            ],
        ),
    }
    for method, (items, expected) in asked.items():
        request = getattr(pb, f"{method}Request")(items=items)
        results = (await getattr(stub, method)(request)).results
        assert [reason(result) for result in results] == expected, method
        assert all("canary" not in result.error.message for result in results)


@pytest.mark.parametrize("method", ["StartRound", "Step", "Fold", "Legal", "View", "Waits"])
async def test_a_list_has_a_limit(stub, method):
    """1,025 items are too many, before any is looked at."""
    request = getattr(pb, f"{method}Request")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await getattr(stub, method)(request(items=[request.Item()] * 1025))
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert reason_of(caught.value).reason == "LIMIT_EXCEEDED"
    answered = await getattr(stub, method)(request(items=[request.Item()] * 1024))
    assert len(answered.results) == 1024


BAD_ROOMS = [
    ({"game": CANARY * 10_000, "players": 3}, "UNKNOWN_GAME"),
    ({"game": GAME, "players": 5}, "UNKNOWN_PLAYERS"),
    ({"game": GAME, "players": 3, "options": options(**{CANARY * 10_000: True})}, "UNKNOWN_OPTION"),
    ({"game": GAME, "players": 3, "options": options(cap=31)}, "BAD_OPTION_VALUE"),
    ({"game": GAME, "players": 3, "options": options(low_score_limit=10)}, "BAD_OPTION_VALUE"),
    ({"game": GAME, "players": 3, "options": {"values": {"cap": {}}}}, "BAD_OPTION_VALUE"),
]


@pytest.mark.parametrize(("fields", "expected"), BAD_ROOMS)
async def test_rooms_that_cannot_be(stub, fields, expected):
    """Refused options name what is allowed."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.CheckOptions(pb.CheckOptionsRequest(**fields))
    assert caught.value.code() is REASONS[expected]
    told = reason_of(caught.value)
    assert told.reason == expected
    assert told.metadata["allowed"]


async def test_an_unknown_game_is_not_listed(stub):
    """ListVariants names what is wrong instead of leaving it out."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.ListVariants(pb.ListVariantsRequest(games=["nothing"]))
    told, games = reason_of(caught.value), ", ".join(sorted({game for game, _ in registry()}))
    assert (told.reason, told.metadata["allowed"]) == ("UNKNOWN_GAME", games)
    assert caught.value.details() == f"no such game or release (allowed: {games})"


def test_every_method_is_served():
    """The handlers are made by hand: each method of the proto has one, and no other is there."""
    items = servicer.Items(None, refusal_of)
    table = servicer.Handlers(servicer.Rules(registry()), items).table()
    service = pb.DESCRIPTOR.services_by_name["RulesService"]
    assert service.full_name == servicer.SERVICE
    assert set(table) == {method.name for method in service.methods}


async def test_an_unexpected_error_stays_inside_its_item(monkeypatch, capfd):
    """One item breaks the code: it alone gets INTERNAL with an id, its text goes nowhere."""

    def crash(*_args):
        raise RuntimeError(CANARY)

    real = servicer.steps.input_of
    monkeypatch.setattr(
        servicer.steps, "input_of", lambda item: crash() if item.run_on else real(item)
    )
    again = Service("rules", 0, 0, main.setup, message_limit=main.SERVICE.message_limit)
    async with served(again) as channel:
        stub = RulesServiceStub(channel)
        state, prompt = await _running(stub)
        good = answer_item(state, prompt, {"index": 0}, run_on=False)
        bad = answer_item(state, prompt, {"index": 0}, run_on=True)
        results = (await stub.Step(pb.StepRequest(items=[good, bad, good]))).results
    assert [result.WhichOneof("result") for result in results] == ["ok", "error", "ok"]
    assert reason(results[1]) == "INTERNAL"
    assert results[1].error.message == "internal error"
    logged = capfd.readouterr().err
    assert "item_failed" in logged
    assert "canary" not in f"{results[1]}{logged}"
