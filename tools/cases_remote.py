"""Worked cases put to running services: `python -m tools.cases FILE --target HOST:PORT[,...]`.

Kind `score` goes to scoring (ExplainHand), kind `ting` to the rules engine (Waits). No RPC serves
the others: Legal speaks of a seat at a table, not of a written hand. Each address is asked which
of the two it serves. A game takes part if its `case_runner` offers `spec_of_case(case)` with
`from_sheet(case, sheet)` or `from_waits(waits)`; what is compared is read out of the answer.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import grpc
from paiju.game.v1 import sheet_pb2
from paiju.rules.v1 import rules_pb2
from paiju.rules.v1.rules_pb2_grpc import RulesServiceStub
from paiju.scoring.v1 import scoring_pb2
from paiju.scoring.v1.scoring_pb2_grpc import ScoringServiceStub

from libs.game import engine
from libs.runtime.errors import of_status, reason_of
from libs.variants import registry
from libs.wire.hands import hand_spec_message
from libs.wire.told import sheet_of, waits_of
from tools.case_runners import Case, NotServed, Runner, case_module

SECONDS = 30.0
REACH_SECONDS = 5.0
"""How long an address may take to say what it serves."""
Ask = Callable[[Any, Case, sheet_pb2.HandSpec], Any]
"""(the game's case_runner, a case, its hand) → the answer in the words of a case."""


class TargetError(Exception):
    """A target that cannot be used; the text is one line for the person who named it."""


class _Kind(NamedTuple):
    """How one kind of case is asked; `words` is what the game must offer for it."""

    service: str
    words: str
    probe: Callable[[grpc.Channel], object]
    ask: Callable[[grpc.Channel], Ask]


def _probe_scoring(channel: grpc.Channel) -> object:
    stub: Any = ScoringServiceStub(channel)
    return stub.ExplainHand(scoring_pb2.ExplainHandRequest(), timeout=REACH_SECONDS)


def _probe_rules(channel: grpc.Channel) -> object:
    stub: Any = RulesServiceStub(channel)
    return stub.Waits(rules_pb2.WaitsRequest(), timeout=REACH_SECONDS)


def _ask_scoring(channel: grpc.Channel) -> Ask:
    stub: Any = ScoringServiceStub(channel)

    def ask(module: Any, case: Case, hand: sheet_pb2.HandSpec) -> Any:
        request = scoring_pb2.ExplainHandRequest(hands=[hand])
        (result,) = stub.ExplainHand(request, timeout=SECONDS).results
        return _refused(result) or module.from_sheet(case, sheet_of(result.sheet))

    return ask


def _ask_rules(channel: grpc.Channel) -> Ask:
    stub: Any = RulesServiceStub(channel)

    def ask(module: Any, _case: Case, hand: sheet_pb2.HandSpec) -> Any:
        request = rules_pb2.WaitsRequest(items=[rules_pb2.WaitsRequest.Item(hand=hand)])
        (result,) = stub.Waits(request, timeout=SECONDS).results
        return _refused(result) or module.from_waits(waits_of(result.waits))

    return ask


KINDS = {
    "score": _Kind("scoring", "from_sheet", _probe_scoring, _ask_scoring),
    "ting": _Kind("the rules engine", "from_waits", _probe_rules, _ask_rules),
}


def _refused(result: Any) -> str:
    """A refused item as text, which no expectation equals; empty if it was answered."""
    if not result.HasField("error"):
        return ""
    return f"refused: {of_status(result.error).reason}: {result.error.message}"


def _serves(probe: Callable[[grpc.Channel], object], channel: grpc.Channel, target: str) -> bool:
    try:
        probe(channel)
    except grpc.RpcError as error:
        if error.code() is grpc.StatusCode.UNIMPLEMENTED:
            return False
        if error.code() in _SILENT:
            raise TargetError(f"{target}: no service answers there") from None
        raise TargetError(f"{target}: {_text(error)}") from None
    return True


_SILENT = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)


def _text(error: grpc.RpcError) -> str:
    """Status, reason and text of a failed call on one line."""
    reason = reason_of(error).reason
    return " ".join(filter(None, (error.code().name, reason, error.details())))


class Remote:
    """The services at some addresses, in plain text."""

    def __init__(self) -> None:
        """Knows none yet."""
        self._channels: list[grpc.Channel] = []
        self._ask: dict[str, Ask] = {}

    def connect(self, target: str) -> None:
        """Asks an address what it serves. Raises TargetError."""
        channel = grpc.insecure_channel(target, options=[("grpc.enable_http_proxy", 0)])
        self._channels.append(channel)
        served = [name for name, kind in KINDS.items() if _serves(kind.probe, channel, target)]
        if not served:
            raise TargetError(f"{target}: neither scoring nor the rules engine")
        for name in served:
            self._ask[name] = KINDS[name].ask(channel)

    def close(self) -> None:
        """Closes the connections."""
        for channel in self._channels:
            channel.close()

    def find(self, game: str) -> Runner:
        """The runner of a game. Raises NotServed."""
        module = case_module(game)
        kinds = frozenset(name for name in self._ask if hasattr(module, KINDS[name].words))
        run = partial(self._run, module)
        return Runner(run, kinds, module.ORDERED, module.WORDS, self._lacks)

    def _lacks(self, kind: str) -> str:
        if kind in KINDS and kind not in self._ask:
            return f"{KINDS[kind].service} answers it, and no target is that"
        return "no RPC answers it"

    def _run(self, module: Any, case: Case) -> Any:
        try:
            variant = engine.find(registry(), case["game"], 0)
        except engine.Refused as error:
            raise NotServed(f"game {case['game']!r} has no release to play") from error
        hand = hand_spec_message(variant, module.spec_of_case(case))
        try:
            return self._ask[case["kind"]](module, case, hand)
        except grpc.RpcError as error:
            raise TargetError(f"case {case.get('id', '?')}: {_text(error)}") from None
