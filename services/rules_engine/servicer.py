"""The rules engine's RPCs. Nothing is kept between calls, and nothing inside one awaits.

StartRound and Step answer with bytes put together from parts encoded once (`libs.wire`), so the
handlers are made here instead of by the generated servicer.
"""

from collections.abc import Callable, Mapping
from typing import Any

import grpc
from google.rpc import status_pb2
from paiju.rules.v1 import rules_pb2 as pb

from libs.game import engine
from libs.game.variant import Registry
from libs.runtime.errors import PaijuError
from libs.runtime.items import Items, check_count
from libs.wire import steps
from libs.wire.hands import hand_spec_of
from libs.wire.options import options_message, room_options, variant_message
from libs.wire.sheets import after_discard_message, wait_message
from libs.wire.tables import prompt_message, table_message
from services.rules_engine import hints

SERVICE = "paiju.rules.v1.RulesService"


class Rules:
    """All eight RPCs as plain functions of a request or of one item."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def list_variants(self, request: pb.ListVariantsRequest) -> pb.ListVariantsResponse:
        """The games, their options, decks and words."""
        check_count(request.games)
        games = sorted(set(request.games) or {game for game, _ in self._registry})
        found = [engine.find(self._registry, game, 0) for game in games]
        return pb.ListVariantsResponse(
            variants=[variant_message(self._registry, variant) for variant in found]
        )

    def check_options(self, request: pb.CheckOptionsRequest) -> pb.CheckOptionsResponse:
        """Options of a game for a number of players, with defaults filled in."""
        variant = engine.find(self._registry, request.game, 0)
        options = room_options(variant, request.options, request.players)
        return pb.CheckOptionsResponse(options=options_message(options), release=variant.release)

    def start(self, item: pb.StartRoundRequest.Item) -> bytes:
        """Deals a round and plays it to its first stop."""
        start = steps.start_of(self._registry, item)
        return steps.result_bytes(engine.start(self._registry, start, item.run_on))

    def step(self, item: pb.StepRequest.Item) -> bytes:
        """Applies one input to a state."""
        what = steps.input_of(item)
        return steps.result_bytes(engine.step(self._registry, item.state, what, item.run_on))

    def fold(self, item: pb.FoldRequest.Item) -> pb.FoldResponse.Result:
        """Applies recorded events to a state."""
        try:
            state = engine.fold(self._registry, item.state, item.records)
        except (IndexError, ValueError, KeyError):
            # The fold decides no rule: records of another round do not fit this state.
            raise PaijuError(
                "BAD_STATE", "the records do not follow the state", field="records"
            ) from None
        return pb.FoldResponse.Result(state=state)

    def legal(self, item: pb.LegalRequest.Item) -> pb.LegalResponse.Result:
        """What a seat may choose now."""
        seen = engine.view(self._registry, item.state, item.seat)
        return pb.LegalResponse.Result(prompt=prompt_message(seen))

    def view(self, item: pb.ViewRequest.Item) -> pb.ViewResponse.Result:
        """The table as one reader may see it."""
        reader = item.seat if item.HasField("seat") else -1
        return pb.ViewResponse.Result(
            table=table_message(engine.view(self._registry, item.state, reader))
        )

    def waits(self, item: pb.WaitsRequest.Item) -> pb.WaitsResponse.Result:
        """听牌 of a seat at a table or of a hand written down."""
        kind = item.WhichOneof("source")
        if kind is None:
            raise PaijuError("BAD_REQUEST", "a seat or a written hand", field="source")
        if kind == "seated":
            found = hints.seated(self._registry, item.seated.state, item.seated.seat)
        else:
            variant = engine.find(self._registry, item.hand.game, item.hand.release)
            found = hints.written(variant, hand_spec_of(variant, item.hand))
        return pb.WaitsResponse.Result(
            waits=[wait_message(wait, found.unseen) for wait in found.waits],
            discards=[
                after_discard_message(face, waits, found.unseen) for face, waits in found.discards
            ],
        )


Handler = Any  # grpc.RpcMethodHandler: its stubs leave the behaviours' types open


class Handlers:
    """The RPCs as gRPC sees them."""

    def __init__(self, rules: Rules, items: Items) -> None:
        self._rules = rules
        self._items = items

    def table(self) -> Mapping[str, Handler]:
        """Every method by its name."""
        rules = self._rules
        return {
            "ListVariants": self._one(rules.list_variants, pb.ListVariantsRequest),
            "CheckOptions": self._one(rules.check_options, pb.CheckOptionsRequest),
            "StartRound": self._joined(rules.start, pb.StartRoundRequest),
            "Step": self._joined(rules.step, pb.StepRequest),
            "Fold": self._listed(rules.fold, pb.FoldRequest, pb.FoldResponse),
            "Legal": self._listed(rules.legal, pb.LegalRequest, pb.LegalResponse),
            "View": self._listed(rules.view, pb.ViewRequest, pb.ViewResponse),
            "Waits": self._listed(rules.waits, pb.WaitsRequest, pb.WaitsResponse),
        }

    def _one(self, work: Callable[[Any], Any], request: Any) -> Handler:
        return _unary(lambda message: self._items.whole(work, message).SerializeToString(), request)

    def _joined(self, work: Callable[[Any], bytes], request: Any) -> Handler:
        """A response that is nothing but its results, each framed already."""

        def answer(message: Any) -> bytes:
            check_count(message.items)
            return b"".join(self._items.answers(work, message.items, _failed_step))

        return _unary(answer, request)

    def _listed(self, work: Callable[[Any], Any], request: Any, response: Any) -> Handler:
        def failed(error: status_pb2.Status) -> Any:
            return response.Result(error=error)

        def answer(message: Any) -> bytes:
            check_count(message.items)
            results = self._items.answers(work, message.items, failed)
            done: bytes = response(results=results).SerializeToString()
            return done

        return _unary(answer, request)


def _failed_step(error: status_pb2.Status) -> bytes:
    return steps.failed_bytes(error.SerializeToString())


def _unary(answer: Callable[[Any], bytes], request: Any) -> Handler:
    async def call(message: Any, _context: Any) -> bytes:
        return answer(message)

    return grpc.unary_unary_rpc_method_handler(call, request_deserializer=request.FromString)
