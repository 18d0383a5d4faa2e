"""Deadlines, pauses and 托管, under a clock that stands still (match.md M4, M5)."""

from pathlib import Path

import pytest
from match_kit import Gateway, House, kinds_of, reason, views_of
from match_toy import TAKE, Ports, ToyRules
from paiju.match.v1 import match_pb2 as pb

from libs.runtime.clock import ManualClock
from services.match.model import Asked
from services.match.port import OpenPrompt, PromptClass
from services.match.rounds import AUTO_PAUSE_MS, _ask

FAST = pb.ClockPolicy(preset=pb.ClockPolicy.PRESET_FAST)
DISCARD_MS, CLAIM_MS, READY_MS, PAUSE_MS = 10_000, 8_000, 30_000, 400


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "match.db"


def house_of(path: Path, **rules: object) -> House:
    return House(path, Ports(rules=ToyRules(**rules)))


def deadlines(updates: list, seat: int) -> list[pb.Deadline]:
    """The deadlines a seat was told of."""
    return [
        view.match_event.deadline_set.deadline
        for view in views_of(updates, seat)
        if view.match_event.HasField("deadline_set")
    ]


async def test_a_discards_deadline_is_public(path: Path) -> None:
    """M4: whose turn it is to discard and until when is public."""
    async with House(path) as house:
        _match_id, _tokens, gateway = await house.started(clock=FAST)
        told = [deadlines(gateway.opening, seat) for seat in (0, 1)]
        assert told[0] == told[1]
        (deadline,) = told[0]
        assert (deadline.seat, deadline.budget_ms) == (0, DISCARD_MS)
        assert deadline.at_ms == house.clock.now_ms() + DISCARD_MS


@pytest.mark.parametrize(
    ("preset", "discard", "claim"), [("FAST", 10, 8), ("NORMAL", 20, 15), ("SLOW", 60, 30)]
)
async def test_seconds_of_the_presets(path: Path, preset: str, discard: int, claim: int) -> None:
    """M4: a discard and a claim under each preset."""
    async with house_of(path, claims={1: {1}}) as house:
        clock = pb.ClockPolicy(preset=f"PRESET_{preset}")
        match_id, _tokens, gateway = await house.started(clock=clock)
        (first,) = deadlines(gateway.opening, 0)
        (second,) = deadlines(await gateway.act(match_id, 0, 1), 1)
        assert (first.budget_ms, second.budget_ms) == (1000 * discard, 1000 * claim)


async def test_a_claims_deadline_is_told_to_its_seat_alone(path: Path) -> None:
    """M4; the snapshot keeps the same secret."""
    async with house_of(path, claims={1: {2}}) as house:
        match_id, tokens, gateway = await house.started(3, clock=FAST)
        updates = await gateway.act(match_id, 0, 1)
        assert [len(deadlines(updates, seat)) for seat in range(3)] == [0, 0, 1]
        shown = [await Gateway(house).attach(match_id, token) for token in tokens]
        open_deadlines = [len(u[0].views[0].snapshot.deadlines) for u in shown]
        assert open_deadlines == [0, 0, 1]


async def test_a_timeout_takes_the_default_not_earlier(path: Path) -> None:
    """M5: nothing before the deadline, the default at it."""
    async with House(path) as house:
        _match_id, _tokens, gateway = await house.started(clock=FAST)
        await house.advance(DISCARD_MS - 1)
        assert gateway.drained() == []
        await house.advance(1)
        assert kinds_of(gateway.drained(), 1)[:2] == ["discarded", "drew"]


async def test_an_answer_in_time_voids_the_timer(path: Path) -> None:
    """IM10: at most one of answer and timeout."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started(clock=FAST)
        await house.advance(DISCARD_MS - 1)
        assert reason(await gateway.act(match_id, 0, 1)) == ""
        await house.advance(1)
        rows = await house.events(match_id)
        assert not [row for row in rows if row.actor == "timer"]


async def test_two_timeouts_in_a_row_begin_trusteeship(path: Path) -> None:
    """M5: after `auto_after` timeouts the seat plays after a short pause."""
    async with house_of(path, draws=9) as house:
        match_id, _tokens, gateway = await house.started(clock=FAST)
        await house.advance(DISCARD_MS)
        await house.advance(PAUSE_MS)
        await gateway.act(match_id, 1, 1)
        await house.advance(PAUSE_MS)
        gateway.drained()
        assert not (await house.match(match_id)).seats[0].trustee
        await house.advance(DISCARD_MS)
        kinds = kinds_of(gateway.drained(), 1)
        assert kinds.index("discarded") < kinds.index("trustee_changed")
        assert (await house.match(match_id)).seats[0].trustee
        await house.advance(PAUSE_MS)
        await gateway.act(match_id, 1, 2)
        await house.advance(PAUSE_MS)
        gateway.drained()
        await house.advance(AUTO_PAUSE_MS - 1)
        assert gateway.drained() == []
        await house.advance(1)
        assert "discarded" in kinds_of(gateway.drained(), 1)


async def trusted(house: House) -> tuple[str, Gateway]:
    """A match whose seat 0 is on 托管 and is asked to discard."""
    match_id, _tokens, gateway = await house.started(
        clock=pb.ClockPolicy(
            preset=pb.ClockPolicy.PRESET_CUSTOM,
            discard_ms=5000,
            claim_ms=4000,
            claim_pause_ms=PAUSE_MS,
            auto_after=1,
        )
    )
    await house.advance(5000)
    await house.advance(PAUSE_MS)
    await gateway.act(match_id, 1, 1)
    await house.advance(PAUSE_MS)
    gateway.drained()
    assert [seat for seat, _ in house.asked(match_id)] == [0]
    return match_id, gateway


async def test_a_trusted_seats_claim_is_answered_within_half_the_pause(path: Path) -> None:
    """M5, Z8: later, the next draw would be late and tell that somebody was asked."""
    async with house_of(path, draws=9, claims={4: {0}}) as house:
        match_id, gateway = await trusted(house)
        await house.advance(AUTO_PAUSE_MS)
        await house.advance(PAUSE_MS)
        await gateway.act(match_id, *house.asked(match_id)[0])
        await house.advance(PAUSE_MS // 2 - 1)
        assert [seat for seat, _ in house.asked(match_id)] == [0]
        await house.advance(1)
        assert house.asked(match_id) == []


async def test_ready_ends_trusteeship(path: Path) -> None:
    """M5: who confirms the next round is there again."""
    async with house_of(path, draws=4) as house:
        match_id, gateway = await trusted(house)
        await house.advance(AUTO_PAUSE_MS)
        await house.advance(PAUSE_MS)
        await gateway.act(match_id, *house.asked(match_id)[0])
        await house.advance(PAUSE_MS)
        match = await house.match(match_id)
        assert (match.phase, match.seats[0].trustee) == (pb.MATCH_PHASE_BETWEEN, True)
        await gateway.command(match_id, 0, ready=pb.ReadyCommand())
        assert not (await house.match(match_id)).seats[0].trustee


async def test_back_ends_trusteeship(path: Path) -> None:
    """M5: the player sends "back"; the prompt's own deadline counts again."""
    async with house_of(path, draws=9) as house:
        match_id, gateway = await trusted(house)
        updates = await gateway.command(match_id, 0, back=pb.BackCommand())
        assert kinds_of(updates, 1) == ["trustee_changed"]
        await house.advance(AUTO_PAUSE_MS)
        assert house.asked(match_id) == [(0, 2)]


async def test_acting_ends_trusteeship(path: Path) -> None:
    """M5: the player acts."""
    async with house_of(path, draws=9) as house:
        match_id, gateway = await trusted(house)
        updates = await gateway.act(match_id, 0, 2)
        assert kinds_of(updates, 1).count("trustee_changed") == 1
        assert not (await house.match(match_id)).seats[0].trustee


async def test_the_pause_is_the_least_time_between_a_card_and_the_next(path: Path) -> None:
    """M4: a quick pass waits for the rest of the pause, never longer."""
    async with house_of(path, draws=9, claims={1: {0}}) as house:
        match_id, _tokens, gateway = await house.started(clock=FAST)
        await gateway.act(match_id, 0, 1)
        await house.advance(100)
        await gateway.act(match_id, 0, 2)
        await house.advance(PAUSE_MS - 101)
        assert gateway.drained() == []
        await house.advance(1)
        assert "prompted" in kinds_of(gateway.drained(), 1)


async def test_a_slow_pass_adds_no_pause(path: Path) -> None:
    """M4: after the pause has passed the table goes on at once."""
    async with house_of(path, draws=9, claims={1: {0}}) as house:
        match_id, _tokens, gateway = await house.started(clock=FAST)
        await gateway.act(match_id, 0, 1)
        await house.advance(PAUSE_MS + 600)
        await gateway.act(match_id, 0, 2)
        await house.advance(0)
        assert house.asked(match_id) == [(1, 1)]


async def test_the_next_round_starts_by_itself(path: Path) -> None:
    """M2: between rounds each seat confirms, or the next-round timer does."""
    async with House(path) as house:
        match_id, tokens, gateway = await house.started(clock=FAST)
        while (await house.match(match_id)).phase == pb.MATCH_PHASE_PLAYING:
            await house.advance(DISCARD_MS)
        assert (await house.match(match_id)).phase == pb.MATCH_PHASE_BETWEEN
        told = {d.seat for d in deadlines(gateway.drained(), 0) if d.budget_ms == READY_MS}
        assert told == {0, 1}
        await house.ready(match_id, tokens[:1])
        await house.advance(READY_MS - 1)
        assert (await house.match(match_id)).round_no == 1
        await house.advance(1)
        assert (await house.match(match_id)).round_no == 2
        rows = await house.events(match_id)
        assert [
            e.seat_ready.seat
            for r in rows
            if r.actor == "timer"
            for e in r.match_events
            if e.HasField("seat_ready")
        ] == [1]


async def test_without_a_clock_nothing_runs_out(path: Path) -> None:
    """M4: policy `none`."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        await house.advance(10**9)
        assert gateway.drained() == []
        assert house.asked(match_id) == [(0, 1)]


async def test_a_refused_step_is_tried_again_later(path: Path) -> None:
    """The engine is away when a prompt times out: the timeout happens when it is back."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started(clock=FAST)
        house.ports.rules.down = True
        await house.advance(DISCARD_MS)
        assert reason(await gateway.act(match_id, 0, 1)) == "UPSTREAM_UNAVAILABLE"
        house.ports.rules.down = False
        await house.advance(1000)
        await house.advance(PAUSE_MS)
        assert house.asked(match_id) == [(1, 1)]


async def test_a_refused_discard_keeps_its_deadline_and_shows_nothing(path: Path) -> None:
    """The seat is asked again behind closed doors: no event for others, no new time."""
    async with house_of(path, returns=True) as house:
        match_id, _tokens, gateway = await house.started(clock=FAST)
        await house.advance(4_000)
        updates = await gateway.act(match_id, 0, 1, TAKE)
        assert kinds_of(updates, 0) == ["returned", "prompted"]
        assert views_of(updates, 1) == []
        await house.advance(DISCARD_MS - 4_001)
        assert gateway.drained() == []
        await house.advance(1)
        assert "discarded" in kinds_of(gateway.drained(), 1)


async def test_time_that_is_over_runs_out_once(path: Path) -> None:
    """L7, M5: whether a timeout's first discard was refused shows in no time and no 托管."""
    async with house_of(path, returns=True) as house:
        match_id, _tokens, gateway = await house.started(clock=FAST)
        await house.advance(DISCARD_MS)
        kinds = kinds_of(gateway.drained(), 1)
        assert "discarded" in kinds
        assert "trustee_changed" not in kinds
        assert house.hub.slots[match_id].table.control.seats[0].timeouts == 1


async def test_trusteeship_makes_one_pause_for_a_discard(path: Path) -> None:
    """L7, M5: a second pause would tell that the first discard was refused."""
    async with house_of(path, draws=9, returns=True) as house:
        _match_id, gateway = await trusted(house)
        await house.advance(AUTO_PAUSE_MS)
        updates = gateway.drained()
        assert kinds_of(updates, 0)[:2] == ["returned", "prompted"]
        assert "discarded" in kinds_of(updates, 1)


async def test_a_second_question_behind_closed_doors_has_its_own_time(path: Path) -> None:
    """M4: only a refused discard runs on; 直听 after a declined 天胡 is another claim (J6)."""
    async with house_of(path) as house:
        match_id, _tokens, _gateway = await house.started(clock=FAST)
        table, now = house.hub.slots[match_id].table, house.clock.now_ms()
        table.control.seats[1].asked = Asked(1, PromptClass.CLAIM, now + 1, CLAIM_MS)
        draft = table.open_draft("seat:1", "", now)
        _ask(table, draft, {1: OpenPrompt(1, 2, PromptClass.CLAIM)}, seen=False)
        assert table.control.seats[1].asked.deadline_ms == now + CLAIM_MS


@pytest.mark.parametrize(("since_shown", "wait"), [(0, 200), (150, 50), (PAUSE_MS, 0)])
async def test_trusteeship_answers_hidden_questions_within_one_pause(
    path: Path, since_shown: int, wait: int
) -> None:
    """M4, Z8: the second of two questions that nobody hears of must not make the pause longer,
    as where a 托管 seat is offered a dealt four after the pause of the seat before it (J4)."""
    async with house_of(path) as house:
        match_id, _tokens, _gateway = await house.started(clock=FAST)
        table, now = house.hub.slots[match_id].table, house.clock.now_ms()
        table.control.seats[1].trustee, table.control.shown_ms = True, now - since_shown
        draft = table.open_draft("clock", "", now)
        _ask(table, draft, {1: OpenPrompt(1, 1, PromptClass.CLAIM)}, seen=False)
        assert table.control.seats[1].asked.auto_ms == now + wait


async def test_trusteeship_by_a_claims_timeout_is_told_later(path: Path) -> None:
    """Others hear of 托管 when the seat's own turn comes, so that the question stays hidden."""
    async with house_of(path, draws=9, claims={1: {0, 2}}) as house:
        clock = pb.ClockPolicy(
            preset=pb.ClockPolicy.PRESET_CUSTOM, claim_ms=4_000, claim_pause_ms=400, auto_after=1
        )
        match_id, _tokens, gateway = await house.started(3, clock=clock)
        await gateway.act(match_id, 0, 1)
        table = house.hub.slots[match_id].table
        table.control.seats[2].asked.deadline_ms += 1_000
        await house.advance(4_000)
        kept = gateway.drained()
        assert table.control.seats[0].trustee
        assert kinds_of(kept, 1) == []
        assert not (await house.match(match_id)).seats[0].trustee
        await house.advance(1_000)
        await gateway.act(match_id, 1, 1)
        await gateway.command(match_id, 1, back=pb.BackCommand())
        assert trustees(await house.events(match_id)) == []
        await house.advance(PAUSE_MS)
        await house.advance(AUTO_PAUSE_MS)
        assert [e.seat for e in trustees(await house.events(match_id))] == [2]
        await house.advance(PAUSE_MS)
        await house.advance(AUTO_PAUSE_MS)
        assert [e.seat for e in trustees(await house.events(match_id))] == [2, 0]


def trustees(rows: list) -> list:
    """Who was announced to be on 托管."""
    return [
        event.trustee_changed
        for row in rows
        for event in row.match_events
        if event.HasField("trustee_changed")
    ]


class Stepped(ManualClock):
    """A clock whose wall time was set forward."""

    step_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.step_ms


async def test_a_step_of_the_wall_clock_takes_nobodys_time(path: Path) -> None:
    """reliability D10; after a restart nobody gets more than a whole budget for it either."""
    clock, ports = Stepped(), Ports()
    async with House(path, ports, clock) as house:
        match_id, _tokens, gateway = await house.started(clock=FAST)
        clock.step_ms = 3_600_000
        await house.advance(DISCARD_MS - 1)
        assert gateway.drained() == []
    async with House(path, ports, clock) as house:
        await house.advance(DISCARD_MS - 1)
        assert "timer" not in [row.actor for row in await house.events(match_id)]
        await house.advance(1)
        assert "timer" in [row.actor for row in await house.events(match_id)]


class SetBack(ManualClock):
    """Wall time that was set back while the monotonic clock went on."""

    back_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() - self.back_ms


async def test_wall_time_set_back_between_two_processes_holds_nothing_up(path: Path) -> None:
    """reliability D10: the next process counts on from the newest time that the log knows."""
    clock = SetBack()
    async with House(path, Ports(), clock) as house:
        match_id, tokens, _gateway = await house.started(clock=FAST)
    clock.back_ms = 3_600_000
    async with House(path, Ports(), clock) as house:
        gateway = Gateway(house)
        for token in tokens:
            await gateway.attach(match_id, token)
        await gateway.act(match_id, *house.asked(match_id)[0])
        before = await house.events(match_id)
        await house.advance(DISCARD_MS)
        after = await house.events(match_id)
    assert [row.at_ms for row in after] == sorted(row.at_ms for row in after)
    assert len(after) > len(before)
