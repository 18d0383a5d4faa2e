"""A toy game, toy scoring and a toy ledger behind the ports of the match service.

The dealer discards, then the next seat draws an open card; the seats that `claims` names for that
draw are asked; who claims it discards next. After `draws` draws the round is over. With `returns`
a discard by TAKE, and the first by itself, is refused, which only its seat learns.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from paiju.game.v1 import action_pb2, event_pb2, option_pb2, sheet_pb2, table_pb2

from libs.runtime.errors import PaijuError
from services.match import port

CANARY = "CANARY-HAND-"
PASS, TAKE = 0, 1
GAME = "toy"


def _event(**kind: object) -> bytes:
    return event_pb2.Event(**kind).SerializeToString()


def _public(**kind: object) -> port.TableEvent:
    form = _event(**kind)
    return port.TableEvent(form, (), b"record:" + form)


def _private(seat: int, **kind: object) -> port.TableEvent:
    form = _event(**kind)
    return port.TableEvent(b"", ((seat, form),), b"record:" + form)


@dataclass
class ToyRules:
    """A Rules port without a game behind it."""

    draws: int = 2
    claims: dict[int, set[int]] = field(default_factory=dict)
    returns: bool = False
    down: bool = False
    steps: list[int] = field(default_factory=list)

    async def check_options(self, game: str, options: bytes, players: int) -> port.Checked:
        if game != GAME:
            raise PaijuError("UNKNOWN_GAME", "no such game", allowed=GAME)
        given = option_pb2.Options.FromString(options)
        if "odd" in given.values:
            raise PaijuError("UNKNOWN_OPTION", "no such option", key="odd")
        return port.Checked(options, 1)

    async def start_rounds(
        self, items: Sequence[port.StartItem]
    ) -> Sequence[port.Stepped | PaijuError]:
        self._check()
        return [self._start(item) for item in items]

    def _start(self, item: port.StartItem) -> port.Stepped:
        state = {
            "players": item.players,
            "round": item.round_no,
            "turn": (item.round_no - 1) % item.players,
            "draws": 0,
            "pids": json.loads(item.carry)["pids"] if item.carry else [0] * item.players,
            "open": {},
            "secret": CANARY + item.server_seed.hex(),
        }
        started = event_pb2.Event.RoundStarted(round_no=item.round_no, players=item.players)
        events = [_public(round_started=started)]
        for seat in range(item.players):
            shown = event_pb2.Event.Dealt(seat=seat, cards=[seat + 1] * 5)
            hidden = event_pb2.Event.Dealt(seat=seat, cards=[99] * 5)
            own = ((seat, _event(dealt=shown)),)
            events.append(port.TableEvent(_event(dealt=hidden), own, CANARY.encode()))
        events += self._ask(state, state["turn"], port.PromptClass.DISCARD)
        return self._result(state, events)

    async def step(self, items: Sequence[port.StepItem]) -> Sequence[port.Stepped | PaijuError]:
        self._check()
        self.steps.append(len(items))
        return [self._step(item) for item in items]

    def _check(self) -> None:
        if self.down:
            raise PaijuError("UPSTREAM_UNAVAILABLE", "down")

    def _step(self, item: port.StepItem) -> port.Stepped | PaijuError:
        state = json.loads(item.state)
        if item.kind is port.Input.ABORT:
            ended = event_pb2.Event.RoundEnded(outcome=event_pb2.ROUND_OUTCOME_VOID)
            return self._result(state, [_public(round_ended=ended)], over=True)
        if item.kind is port.Input.ADVANCE:
            return self._advance(state, [])
        asked = state["open"].pop(str(item.seat), None)
        if asked is None or asked[0] != item.prompt_id:
            return PaijuError("STALE_PROMPT", "not asked")
        index = item.choice.index if item.kind is port.Input.ANSWER else PASS
        if item.choice.action is not None:
            index = TAKE
        if index > TAKE:
            return PaijuError("NOT_A_CHOICE", "no such choice")
        if asked[1] == port.PromptClass.DISCARD:
            return self._discard(state, item, index)
        return self._claim(state, item, index)

    def _discard(self, state: dict, item: port.StepItem, index: int) -> port.Stepped:
        by_itself = item.kind is not port.Input.ANSWER and not state.get("returned")
        if self.returns and (index == TAKE or by_itself):
            state["returned"] = True
            returned = event_pb2.Event.Returned(card=7)
            events = [_private(item.seat, returned=returned)]
            events += self._ask(state, item.seat, port.PromptClass.DISCARD)
            return self._result(state, events)
        state["returned"] = False
        discarded = event_pb2.Event.Discarded(seat=item.seat, card=index + 1)
        events = [_public(discarded=discarded)]
        state["turn"] = (item.seat + 1) % state["players"]
        state["draws"] += 1
        drew = event_pb2.Event.Drew(seat=state["turn"], card=7, wall_left=9)
        events.append(_public(drew=drew))
        for seat in sorted(self.claims.get(state["draws"], ())):
            events += self._ask(state, seat, port.PromptClass.CLAIM)
        return self._next(state, events, item.run_on)

    def _claim(self, state: dict, item: port.StepItem, index: int) -> port.Stepped:
        closed = event_pb2.Event.PromptClosed(prompt_id=item.prompt_id)
        events = [_private(item.seat, prompt_closed=closed)]
        if index == TAKE:
            state["open"], state["turn"] = {}, item.seat
            melded = event_pb2.Event.Melded(seat=item.seat)
            events += [_public(melded=melded)]
            events += self._ask(state, item.seat, port.PromptClass.DISCARD)
            return self._result(state, events)
        return self._next(state, events, item.run_on)

    def _next(self, state: dict, events: list, run_on: bool) -> port.Stepped:
        if state["open"] or not run_on:
            return self._result(state, events)
        return self._advance(state, events)

    def _advance(self, state: dict, events: list) -> port.Stepped:
        if state["draws"] >= self.draws:
            ended = event_pb2.Event.RoundEnded(outcome=event_pb2.ROUND_OUTCOME_WIN)
            return self._result(state, [*events, _public(round_ended=ended)], over=True)
        events = events + self._ask(state, state["turn"], port.PromptClass.DISCARD)
        return self._result(state, events)

    def _ask(self, state: dict, seat: int, cls: port.PromptClass) -> list[port.TableEvent]:
        state["pids"][seat] += 1
        state["open"][str(seat)] = [state["pids"][seat], cls]
        choices = [action_pb2.Action(), action_pb2.Action()]
        prompt = action_pb2.Prompt(prompt_id=state["pids"][seat], choices=choices)
        setattr(prompt, "class", int(cls))
        return [_private(seat, prompted=event_pb2.Event.Prompted(prompt=prompt))]

    def _result(self, state: dict, events: list, over: bool = False) -> port.Stepped:
        if over:
            state["open"] = {}
        prompts = [
            port.OpenPrompt(int(seat), pid, port.PromptClass(cls))
            for seat, (pid, cls) in state["open"].items()
        ]
        status = port.Status.PROMPTS if prompts else port.Status.ADVANCE
        carry = json.dumps({"pids": state["pids"]}).encode() if over else b""
        return port.Stepped(
            json.dumps(state).encode(),
            events,
            prompts,
            port.Status.ENDED if over else status,
            state["turn"],
            carry,
        )

    async def view(self, items: Sequence[port.ViewItem]) -> Sequence[bytes | PaijuError]:
        self._check()
        return [self._view(json.loads(item.state), item.seat) for item in items]

    def _view(self, state: dict, seat: int | None) -> bytes:
        table = table_pb2.Table(game=GAME, round_no=state["round"], turn=state["turn"])
        asked = state["open"].get(str(seat))
        if asked:
            table.prompt.prompt_id = asked[0]
        return table.SerializeToString()

    async def fold(self, items: Sequence[port.FoldItem]) -> Sequence[bytes | PaijuError]:
        return [item.state for item in items]


@dataclass
class ToyScoring:
    """Seat 0 wins 3 from everybody, always."""

    fails: int = 0
    calls: int = 0

    async def score_rounds(self, states: Sequence[bytes]) -> Sequence[port.Sheet | PaijuError]:
        self.calls += 1
        if self.fails:
            self.fails -= 1
            raise PaijuError("UPSTREAM_UNAVAILABLE", "down")
        return [self._sheet(json.loads(state)) for state in states]

    def _sheet(self, state: dict) -> port.Sheet:
        others = state["players"] - 1
        deltas = (3 * others, *[-3] * others)
        sheet = sheet_pb2.ScoreSheet(game=GAME, round_no=state["round"], deltas=deltas)
        return port.Sheet(sheet.SerializeToString(), deltas)

    async def finish_match(self, item: port.FinishItem) -> port.Finished:
        return port.Finished(item.totals, tuple(0 for _ in item.totals), ())


@dataclass
class ToyLedger:
    """Keeps what it was told; the same key with another body is an error."""

    fails: int = 0
    opened: dict[str, tuple] = field(default_factory=dict)
    settled: dict[tuple[str, int], port.Settle] = field(default_factory=dict)
    closed: dict[str, port.Close] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)

    def _check(self) -> None:
        if self.fails:
            self.fails -= 1
            raise PaijuError("UPSTREAM_UNAVAILABLE", "down")

    async def open_accounts(
        self, match_id: str, seats: Sequence[port.SeatAccount], at_ms: int
    ) -> None:
        self._check()
        assert self.opened.setdefault(match_id, (tuple(seats), at_ms)) == (tuple(seats), at_ms)

    async def settle(self, items: Sequence[port.Settle]) -> Sequence[str | PaijuError]:
        self._check()
        return [self._settle(item) for item in items]

    def _settle(self, item: port.Settle) -> str:
        assert item.match_id in self.opened
        known = self.settled.setdefault((item.match_id, item.round_no), item)
        if known != item:
            raise PaijuError("COMMAND_ID_REUSED", "other body")
        self.order.append(f"settle:{item.round_no}")
        return f"tx-{item.match_id}-{item.round_no}"

    async def close(self, item: port.Close) -> None:
        self._check()
        assert self.closed.setdefault(item.match_id, item) == item
        self.order.append("close")


@dataclass
class Ports:
    """The three fakes; shared by the services that follow each other on one file."""

    rules: ToyRules = field(default_factory=ToyRules)
    scoring: ToyScoring = field(default_factory=ToyScoring)
    ledger: ToyLedger = field(default_factory=ToyLedger)
