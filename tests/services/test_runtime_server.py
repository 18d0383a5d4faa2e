"""The runtime around every handler: what reaches a client, what never does."""

import asyncio
import os
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator

import grpc
import pytest
from google.rpc import status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc

from libs.runtime import clients
from libs.runtime.errors import REASONS, PaijuError, StartupError, of_status, reason_of, to_status
from libs.runtime.server import App, Service, serving
from libs.runtime.settings import Settings

CANARY = "canary 叁叁叁 肆肆"
ENV = {"PAIJU_TOY_PORT": "0", "PAIJU_TOY_METRICS_PORT": "0", "PAIJU_TOY_DRAIN_SECONDS": "0"}
LIMIT = 4096


async def _unary(request, context):
    if request.message == "refuse":
        raise PaijuError("BAD_OPTION_VALUE", "not allowed", field="cap", allowed="none, 100")
    if request.message == "crash":
        raise RuntimeError(CANARY)
    return status_pb2.Status(message=request.message)


async def _yielding(request, context):
    yield status_pb2.Status(message="first")
    await _unary(request, context)


async def _writing(request, context):
    await context.write(status_pb2.Status(message="first"))
    await _unary(request, context)


async def _both(requests, context):
    async for request in requests:
        yield await _unary(request, context)


async def _collect(requests, context):
    last = [request async for request in requests][-1]
    return await _unary(last, context)


def _handlers():
    codec = (status_pb2.Status.FromString, status_pb2.Status.SerializeToString)
    return {
        "Unary": grpc.unary_unary_rpc_method_handler(_unary, *codec),
        "Yielding": grpc.unary_stream_rpc_method_handler(_yielding, *codec),
        "Writing": grpc.unary_stream_rpc_method_handler(_writing, *codec),
        "Both": grpc.stream_stream_rpc_method_handler(_both, *codec),
        "Collect": grpc.stream_unary_rpc_method_handler(_collect, *codec),
    }


async def _setup(app: App) -> None:
    toy = grpc.method_handlers_generic_handler("paiju.Toy", _handlers())
    app.server.add_generic_rpc_handlers((toy,))


TOY = Service("toy", 0, 0, _setup, message_limit=LIMIT)


@pytest.fixture
async def app() -> AsyncIterator[App]:
    async with serving(TOY, Settings.of("toy", ENV)) as running:
        yield running


@pytest.fixture
async def channel(app: App) -> AsyncIterator[grpc.aio.Channel]:
    async with clients.channel(f"127.0.0.1:{app.port}") as made:
        yield made


async def _call(channel: grpc.aio.Channel, method: str, raw: bytes) -> list[bytes]:
    path = f"/paiju.Toy/{method}"
    if method == "Unary":
        return [await channel.unary_unary(path)(raw, timeout=5)]
    if method == "Collect":
        return [await channel.stream_unary(path)(iter([raw]), timeout=5)]
    if method == "Both":
        return [answer async for answer in channel.stream_stream(path)(iter([raw]), timeout=5)]
    return [answer async for answer in channel.unary_stream(path)(raw, timeout=5)]


def _message(text: str) -> bytes:
    return status_pb2.Status(message=text).SerializeToString()


METHODS = ("Unary", "Yielding", "Writing", "Both", "Collect")
TABLE = [
    ("refuse", grpc.StatusCode.INVALID_ARGUMENT, "BAD_OPTION_VALUE"),
    ("crash", grpc.StatusCode.INTERNAL, "INTERNAL"),
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("text", "code", "reason"), TABLE)
async def test_every_kind_of_handler_maps_errors(channel, capfd, method, text, code, reason):
    """A refusal keeps its reason; an exception's text reaches neither the client nor the log."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await _call(channel, method, _message(text))
    error = caught.value
    assert error.code() is code
    assert reason_of(error).reason == reason
    sent = f"{error.details()} {error.trailing_metadata()} {error.debug_error_string()}"
    assert "canary" not in sent
    logged = capfd.readouterr().err
    assert "canary" not in logged
    if reason == "INTERNAL":
        assert reason_of(error).metadata["incident"] in logged
        assert "RuntimeError" in logged


@pytest.mark.parametrize("method", METHODS)
async def test_good_messages_pass(channel, method):
    """The guard changes nothing of an ordinary call."""
    answers = await _call(channel, method, _message("一"))
    streams = method in ("Yielding", "Writing")
    assert status_pb2.Status.FromString(answers[0]).message == ("first" if streams else "一")


@pytest.mark.parametrize("method", METHODS)
async def test_malformed_message(channel, method):
    """Bytes that are no protobuf are the caller's mistake, not an internal error."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await _call(channel, method, b"\x0a\xff\xff\xff")
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert reason_of(caught.value) == ("BAD_REQUEST", {"field": "message"})


@pytest.mark.parametrize("method", METHODS)
async def test_oversized_message(channel, method):
    """Above the limit: a reason; above twice the limit: gRPC's own refusal, same status."""
    for size, reason in ((LIMIT, "LIMIT_EXCEEDED"), (LIMIT * 3, "")):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await _call(channel, method, _message("x" * size))
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert reason_of(caught.value).reason == reason


async def test_unknown_method(channel):
    """An unknown method stays UNIMPLEMENTED."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await channel.unary_unary("/paiju.Toy/Nothing")(b"", timeout=5)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_health_and_metrics(app, channel):
    """Health answers SERVING; the HTTP page counts calls and reports readiness."""
    await _call(channel, "Unary", _message("一"))
    stub = health_pb2_grpc.HealthStub(channel)
    answer = await stub.Check(health_pb2.HealthCheckRequest(), timeout=5)
    assert answer.status == health_pb2.HealthCheckResponse.SERVING
    text = await asyncio.to_thread(_page, app.metrics_port, "/metrics")
    assert 'paiju_rpc_total{code="OK",method="/paiju.Toy/Unary"} 1.0' in text
    assert "process_resident_memory_bytes" in text
    assert "_created" not in text
    assert await asyncio.to_thread(_page, app.metrics_port, "/livez?now=1") == "alive\n"
    assert await asyncio.to_thread(_page, app.metrics_port, "/healthz") == "ok\n"
    app.serving = False
    with pytest.raises(urllib.error.HTTPError) as caught:
        await asyncio.to_thread(_page, app.metrics_port, "/healthz")
    assert caught.value.code == 503


def _page(port: int, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
        return answer.read().decode()


async def test_a_service_can_say_that_it_is_not_well(app, channel):
    """A service whose database cannot be written is NOT_SERVING until it can be again."""
    stub = health_pb2_grpc.HealthStub(channel)
    states = health_pb2.HealthCheckResponse
    for well, status in ((False, states.NOT_SERVING), (True, states.SERVING)):
        await app.healthy(well)
        assert (await stub.Check(health_pb2.HealthCheckRequest())).status == status
        assert app.serving is well


async def test_what_is_not_well_before_it_serves():
    """A part that fails during the set-up: both pages say so from the first moment."""

    async def setup(app: App) -> None:
        await app.healthy(False, "database")

    async with (
        serving(Service("toy", 0, 0, setup), Settings.of("toy", ENV)) as app,
        clients.channel(f"127.0.0.1:{app.port}") as channel,
    ):
        stub, states = health_pb2_grpc.HealthStub(channel), health_pb2.HealthCheckResponse
        for part, status in (("other", states.NOT_SERVING), ("database", states.SERVING)):
            await app.healthy(True, part)
            assert (await stub.Check(health_pb2.HealthCheckRequest())).status == status
            assert app.serving is (status == states.SERVING)


async def test_closers_run_newest_first_after_draining():
    """What was opened last is closed first; `draining` is set before anything closes."""
    seen = []

    async def setup(app: App) -> None:
        def closer(name):
            async def close():
                seen.append((name, app.draining.is_set()))

            return close

        app.on_close(closer("store"))
        app.on_close(closer("outbox"))

    async with serving(Service("toy", 0, 0, setup), Settings.of("toy", ENV)):
        assert seen == []
    assert seen == [("outbox", True), ("store", True)]


@pytest.mark.parametrize("variable", ["PAIJU_TOY_PORT", "PAIJU_TOY_METRICS_PORT"])
async def test_port_in_use_runs_no_setup(variable):
    """A taken port is one clear error, found before anything else is opened."""
    ran = []

    async def setup(app: App) -> None:
        ran.append(app)

    with socket.create_server(("127.0.0.1", 0)) as taken:
        env = {**ENV, variable: str(taken.getsockname()[1])}
        with pytest.raises(StartupError, match=r"toy: port .*in use"):
            async with serving(Service("toy", 0, 0, setup), Settings.of("toy", env)):
                pass
    assert ran == []


PROCESS = """
import os
import signal
import sys
from libs.runtime.errors import StartupError
from libs.runtime.server import Service, run
async def setup(app):
    if app.settings.flag("FAILS"):
        raise StartupError("toy: not today")
    if app.settings.flag("CRASH"):
        async def crash():
            raise RuntimeError("canary")
        app.spawn(crash(), "crash")
    elif app.settings.flag("ENDS"):
        async def end():
            os.kill(os.getpid(), signal.SIGTERM)
        app.spawn(end(), "end")
sys.exit(run(Service("toy", 0, 0, setup)))
"""


def _process(**extra: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROCESS]
    env = {**os.environ, **ENV, **extra}
    return subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)


def test_sigterm_drains_and_exits_with_zero():
    """SIGTERM ends a service cleanly."""
    child = _process()
    assert child.stderr is not None
    assert '"event":"serving"' in child.stderr.readline()
    child.terminate()
    _, rest = child.communicate(timeout=10)
    assert child.returncode == 0
    assert '"event":"stopped"' in rest


def test_bad_setting_is_one_line_and_exit_code():
    """A bad setting: one line on stderr, exit code not 0, no traceback."""
    child = _process(PAIJU_TOY_PORT="seven")
    _, text = child.communicate(timeout=10)
    assert child.returncode == 2
    assert text == "toy: PAIJU_TOY_PORT must be a whole number from 0 to 65535\n"


def test_a_failed_start_says_its_one_line_and_no_more():
    """What never served has not stopped."""
    child = _process(PAIJU_TOY_FAILS="1")
    _, text = child.communicate(timeout=10)
    assert (child.returncode, text) == (2, "toy: not today\n")


def test_failed_background_task_ends_the_service():
    """A background task that dies takes the process along, so that it is restarted."""
    child = _process(PAIJU_TOY_CRASH="1")
    _, text = child.communicate(timeout=10)
    assert child.returncode == 1
    assert '"event":"task_failed"' in text
    assert "canary" not in text


def test_a_log_that_cannot_be_written_hinders_nothing():
    """The reader of stderr is gone: the service starts, and a failed task still ends it."""
    for crash, code in (("0", 0), ("1", 1)):
        reader, writer = os.pipe()
        os.close(reader)
        command = [sys.executable, "-c", PROCESS]
        env = {**os.environ, **ENV, "PAIJU_TOY_CRASH": crash, "PAIJU_TOY_ENDS": "1"}
        with os.fdopen(writer, "wb") as stderr:
            child = subprocess.Popen(command, env=env, stderr=stderr)
        try:
            assert child.wait(timeout=10) == code
        finally:
            child.kill()


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_reason_table_round_trip(reason):
    """Every reason travels in ErrorInfo of the domain `paiju` with its status code."""
    status = to_status(PaijuError(reason, "text", field="cap"))
    assert of_status(status) == (reason, {"field": "cap"})
    assert status.code == REASONS[reason].value[0]


async def test_retrying_is_bounded_and_only_for_unavailable():
    """UNAVAILABLE is tried again, at most `attempts` times, and so is CANCELLED (by a server that
    ends); anything else at once fails."""
    codes = grpc.StatusCode
    for code, tries in ((codes.UNAVAILABLE, 3), (codes.CANCELLED, 3), (codes.INTERNAL, 1)):
        calls = []
        error = grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata())

        async def call(calls=calls, error=error):
            calls.append(1)
            raise error

        with pytest.raises(grpc.aio.AioRpcError):
            await clients.retrying(call, clients.Retry(3, 0.001, 0.002))
        assert len(calls) == tries
