"""Real rounds through the rules engine: the same bytes as in the process, alone or in batches."""

import hashlib
import random

import pytest
from paiju.rules.v1 import rules_pb2 as pb
from rules_kit import GAME, answer_item, events_for, options, rules_stub, start_item

from libs.game import engine
from libs.variants import registry
from libs.wire import steps

ROOMS = [
    (3, {}),
    (2, {"chou_di": 20, "xing": "fan_xing", "yi_wu_shi": True}),
    (3, {"hu_policy": "must_hu", "ming_wei": True, "chong_zhao": False}),
    (2, {"hu_policy": "wall_only", "tun_rule": "yi_xi_yi_tun", "piao_hu": True}),
]


def _in_process(item):
    """The serialized Stepped that the engine in this process gives."""
    if isinstance(item, pb.StartRoundRequest.Item):
        stepped = engine.start(registry(), steps.start_of(registry(), item), item.run_on)
    else:
        stepped = engine.step(registry(), item.state, steps.input_of(item), item.run_on)
    return steps.stepped_bytes(stepped)


async def _step(stub, items):
    """One call for many rounds; every result compared with the engine in this process."""
    response = await stub.Step(pb.StepRequest(items=items))
    assert len(response.results) == len(items)
    for item, result in zip(items, response.results, strict=True):
        assert result.ok.SerializeToString(deterministic=True) == _canonical(_in_process(item))
    return [result.ok for result in response.results]


def _canonical(data):
    return pb.Stepped.FromString(data).SerializeToString(deterministic=True)


def _prompted(ok):
    """The full questions of a step, by seat, as those seats received them."""
    asked = {}
    for open_prompt in ok.prompts:
        events = events_for(ok, open_prompt.seat)
        own = [e.prompted.prompt for e in events if e.HasField("prompted")]
        asked.update((open_prompt.seat, p) for p in own if p.prompt_id == open_prompt.prompt_id)
    return asked


def _next(ok, asked, rng):
    """A random legal input, by index or by content."""
    if ok.status == pb.ROUND_STATUS_ADVANCE:
        return pb.StepRequest.Item(state=ok.state, advance=pb.StepRequest.Advance())
    prompt = rng.choice(ok.prompts)
    question = asked[prompt.seat, prompt.prompt_id]
    index = rng.randrange(len(question.choices))
    kind = rng.random()
    ask = {"seat": prompt.seat, "prompt_id": prompt.prompt_id}
    if kind < 0.1:
        return pb.StepRequest.Item(state=ok.state, timeout=pb.StepRequest.Timeout(**ask))
    if kind < 0.2:
        return pb.StepRequest.Item(state=ok.state, auto=pb.StepRequest.Auto(**ask))
    choice = {"index": index} if kind < 0.6 else {"action": question.choices[index]}
    return answer_item(ok.state, prompt, choice, run_on=False)


class _Round:
    """A round being played: what came so far."""

    def __init__(self, ok, seed):
        self.rng = random.Random(seed)
        self.asked, self.records = {}, []
        self.take(ok)

    def take(self, ok):
        self.ok = ok
        self.records += [event.record for event in ok.events]
        for seat, prompt in _prompted(ok).items():
            self.asked[seat, prompt.prompt_id] = prompt

    @property
    def over(self):
        return self.ok.status == pb.ROUND_STATUS_ENDED

    def input(self):
        return _next(self.ok, self.asked, self.rng)


async def _play(stub, starts):
    """Plays many rounds side by side, one Step call for all of them."""
    response = await stub.StartRound(pb.StartRoundRequest(items=starts))
    for item, result in zip(starts, response.results, strict=True):
        assert result.ok.SerializeToString(deterministic=True) == _canonical(_in_process(item))
    rounds = [_Round(result.ok, n) for n, result in enumerate(response.results)]
    while running := [one for one in rounds if not one.over]:
        for one, ok in zip(running, await _step(stub, [r.input() for r in running]), strict=True):
            one.take(ok)
    return rounds


@pytest.mark.parametrize(("players", "values"), ROOMS, ids=str)
async def test_random_rounds_byte_for_byte(players, values):
    """Rounds of random legal play end, agree with the engine in this process, and fold back."""
    starts = [
        start_item(seed, players, options=options(**values), run_on=False, round_no=3)
        for seed in range(8)
    ]
    async with rules_stub() as stub:
        rounds = await _play(stub, starts)
        folds = [pb.FoldRequest.Item(records=one.records) for one in rounds]
        folded = await stub.Fold(pb.FoldRequest(items=folds))
    for one, result in zip(rounds, folded.results, strict=True):
        assert result.state == one.ok.state
        assert one.ok.carry[0] < players
        assert not one.ok.prompts
        assert events_for(one.ok, -1)[-1].HasField("round_ended")


async def test_a_batch_answers_as_single_calls_do():
    """Item n answers item n, whatever stands beside it; one bad item leaves the others alone."""
    starts = [start_item(seed, 2 + seed % 2) for seed in range(64)]
    starts[7].release = 99
    async with rules_stub() as stub:
        batch = await stub.StartRound(pb.StartRoundRequest(items=starts))
        singles = [
            (await stub.StartRound(pb.StartRoundRequest(items=[one]))).results[0] for one in starts
        ]
    assert list(batch.results) == singles
    assert [n for n, result in enumerate(singles) if result.HasField("error")] == [7]


GOLDEN = "276d3bfbb4ffd9d12baf9a73c53b0dd31c57bac03e38b7d13ecaf7508dd36279"
"""SHA-256 of the commitment and the three first hands of seed 2024."""


async def test_the_same_seed_gives_the_same_bytes():
    """A seed stands for one order of cards, today and in every later release of the code (M8)."""
    item = start_item(2024, 3, options=options(first_dealer="random"))
    async with rules_stub() as stub:
        response = await stub.StartRound(pb.StartRoundRequest(items=[item, item]))
    one, two = response.results
    assert one == two
    hands = [
        event.dealt
        for seat in range(3)
        for event in events_for(one.ok, seat)
        if event.HasField("dealt") and event.dealt.seat == seat
    ]
    shown = events_for(one.ok, -1)[0].round_started.commitment
    shown += b"".join(bytes(hand.cards) for hand in hands)
    assert len(shown) == 32 + 3 * 20
    assert hashlib.sha256(shown).hexdigest() == GOLDEN


async def test_a_given_deck_is_dealt_from_the_dealer():
    """Hands seat by seat from the dealer, then the wall; the dealer's 21st card is shown (Z2)."""
    deck = bytes(sorted(bytes(range(1, 21)) * 4))
    item = start_item(1, 3, carry=b"\x02")
    item.deck.cards.extend(deck)
    async with rules_stub() as stub:
        ok = (await stub.StartRound(pb.StartRoundRequest(items=[item]))).results[0].ok
    dealer = [event for event in events_for(ok, 2) if event.HasField("dealt")]
    assert events_for(ok, 2)[0].round_started.dealer == 2
    own = next(event.dealt for event in dealer if event.dealt.seat == 2)
    assert bytes(own.cards) == deck[:20]
    for event in dealer:
        if event.dealt.seat != 2:
            assert set(event.dealt.cards) == {99}


async def test_legal_and_view_tell_what_the_events_told():
    """A prompt reads the same in Prompted, Legal and View; others are not asked anything (Z8)."""
    async with rules_stub() as stub:
        starts = pb.StartRoundRequest(items=[start_item(seed, run_on=False) for seed in range(3)])
        for n, result in enumerate((await stub.StartRound(starts)).results):
            one = _Round(result.ok, n)
            while not one.over:
                await _check_prompts(stub, one)
                one.take((await _step(stub, [one.input()]))[0])
            await _check_prompts(stub, one)


async def _check_prompts(stub, one):
    """Legal and View of every reader of a state."""
    state, open_now = one.ok.state, {p.seat: p.prompt_id for p in one.ok.prompts}
    items = [pb.LegalRequest.Item(state=state, seat=seat) for seat in range(3)]
    legal = (await stub.Legal(pb.LegalRequest(items=items))).results
    items = [pb.ViewRequest.Item(state=state, seat=seat) for seat in range(3)]
    items.append(pb.ViewRequest.Item(state=state))
    views = [result.table for result in (await stub.View(pb.ViewRequest(items=items))).results]
    for seat in range(3):
        assert legal[seat].HasField("prompt") == views[seat].HasField("prompt")
        assert legal[seat].HasField("prompt") == (seat in open_now)
        if seat in open_now:
            asked = one.asked[seat, open_now[seat]]
            assert legal[seat].prompt == views[seat].prompt == asked
    assert not views[3].HasField("prompt")
    assert [view.HasField("reader") for view in views] == [True, True, True, False]
    for seat, view in enumerate(views):
        shown = [n for n, other in enumerate(view.seats) if set(other.hand) - {99}]
        assert one.over or set(shown) <= {seat}
        assert view.ended == one.over


async def test_the_games_and_their_options():
    """ListVariants describes each game; CheckOptions fills in defaults."""
    async with rules_stub() as stub:
        listed = await stub.ListVariants(pb.ListVariantsRequest())
        named = await stub.ListVariants(pb.ListVariantsRequest(games=[GAME]))
        checked = await stub.CheckOptions(
            pb.CheckOptionsRequest(game=GAME, players=2, options=options(chou_di=20))
        )
    (variant,) = (one for one in listed.variants if one.game == GAME)
    assert list(named.variants) == [variant]
    assert set(checked.options.values) == {option.key for option in variant.options}
    assert checked.options.values["chou_di"].int_value == 20
    for option in variant.options:
        if option.key != "chou_di":
            assert checked.options.values[option.key] == option.default_value
    assert checked.release == variant.release
