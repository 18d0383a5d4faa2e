"""Serves the rules engine and scoring for tests, and plays random rounds through the API."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from paiju.game.v1 import event_pb2, option_pb2
from paiju.rules.v1 import rules_pb2 as pb
from paiju.rules.v1.rules_pb2_grpc import RulesServiceStub
from paiju.scoring.v1.scoring_pb2_grpc import ScoringServiceStub

from libs.runtime import clients
from libs.runtime.errors import of_status
from libs.runtime.server import Service, serving
from libs.runtime.settings import Settings
from services.rules_engine.main import SERVICE as RULES
from services.scoring.main import SERVICE as SCORING

GAME = "hengyang_liuhuqiang"


@asynccontextmanager
async def served(service: Service) -> AsyncIterator[object]:
    """A channel to the service, in this process on a free port."""
    prefix = f"PAIJU_{service.name.upper()}"
    env = {f"{prefix}_{name}": "0" for name in ("PORT", "METRICS_PORT", "DRAIN_SECONDS")}
    async with (
        serving(service, Settings.of(service.name, env)) as app,
        clients.channel(f"127.0.0.1:{app.port}") as channel,
    ):
        yield channel


@asynccontextmanager
async def rules_stub() -> AsyncIterator[RulesServiceStub]:
    async with served(RULES) as channel:
        yield RulesServiceStub(channel)


@asynccontextmanager
async def scoring_stub() -> AsyncIterator[ScoringServiceStub]:
    async with served(SCORING) as channel:
        yield ScoringServiceStub(channel)


def options(**values: bool | int | str) -> option_pb2.Options:
    """Options of a room."""
    message = option_pb2.Options()
    for key, value in values.items():
        kinds = {bool: "bool_value", int: "int_value", str: "string_value"}
        setattr(message.values[key], kinds[type(value)], value)
    return message


def start_item(seed: int, players: int = 3, **fields: object) -> pb.StartRoundRequest.Item:
    """A round from a seed that a number stands for."""
    rng = random.Random(seed)
    secret = pb.StartRoundRequest.Seed(
        server_seed=rng.randbytes(32), nonce=rng.randbytes(32), match_id=f"match-{seed}"
    )
    item = {"game": GAME, "players": players, "round_no": 1, "seed": secret, "run_on": True}
    return pb.StartRoundRequest.Item(**(item | fields))


def answer_item(
    state: bytes, prompt: pb.OpenPrompt, choice: dict[str, object], run_on: bool = True
) -> pb.StepRequest.Item:
    """A seat's answer."""
    answer = pb.StepRequest.Answer(seat=prompt.seat, prompt_id=prompt.prompt_id, **choice)
    return pb.StepRequest.Item(state=state, answer=answer, run_on=run_on)


def reason(result: object) -> str:
    """The reason inside an item that failed."""
    return of_status(result.error).reason


def events_for(stepped: pb.Stepped, seat: int) -> list[event_pb2.Event]:
    """What a seat receives of a step (-1: a spectator)."""
    seen = []
    for record in stepped.events:
        own = [form.event for form in record.private if form.seat == seat]
        data = own[0] if own else record.public
        if data:
            seen.append(event_pb2.Event.FromString(data))
    return seen
