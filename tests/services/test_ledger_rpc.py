"""The ledger through gRPC: reads, callers, concurrency, bad input, metrics, failing commits."""

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from google.protobuf.message import Message
from ledger_kit import (
    HASH,
    ORIGIN,
    audit_file,
    closing_of,
    env_of,
    escrow,
    ledger,
    legs_of,
    opening,
    player,
    replayed,
    seats,
    settling,
    spec,
    status_of,
)
from paiju.ledger.v1 import ledger_pb2 as pb
from paiju.ledger.v1.ledger_pb2_grpc import LedgerServiceStub

from libs.runtime import clients
from libs.runtime.server import serving
from libs.runtime.settings import Settings
from services.ledger.group import MAX_GROUP
from services.ledger.main import SERVICE

MATCH_CALLER = (("x-paiju-caller", "match"),)


@pytest.fixture
async def stub(tmp_path: Path) -> AsyncIterator[LedgerServiceStub]:
    """A fresh ledger with the accounts of match `m`."""
    async with ledger(tmp_path / "ledger.db") as stub:
        await stub.OpenAccounts(seats("m"))
        yield stub


async def test_answers_tell_what_was_posted(stub: LedgerServiceStub) -> None:
    """A settlement's answer is what every later read of it says."""
    answer = await stub.SettleRound(settling("m", 1, (20, -10, -10)))
    posted = answer.transaction
    assert [(e.account_id, e.amount, e.balance_after, e.version) for e in posted.entries] == [
        (escrow("m", 0), 20, 20, 1),
        (escrow("m", 1), -10, -10, 1),
        (escrow("m", 2), -10, -10, 1),
    ]
    assert (posted.kind, posted.match_id, posted.round_no) == (pb.TRANSACTION_KIND_SETTLE, "m", 1)
    assert (posted.log_hash, posted.command_id) == (HASH, "settle:m:1")
    for name in (
        pb.GetTransactionRequest(tx_id=posted.tx_id),
        pb.GetTransactionRequest(command_id="settle:m:1"),
        pb.GetTransactionRequest(round={"match_id": "m", "round_no": 1}),
    ):
        found = await stub.GetTransaction(name, metadata=MATCH_CALLER)
        assert found.transaction == posted


async def test_replay_is_the_first_answer(stub: LedgerServiceStub) -> None:
    """Idempotency 3: the stored bytes, with the balances after the original."""
    request = settling("m", 1, (20, -10, -10))
    first = await stub.SettleRound(request)
    await stub.SettleRound(settling("m", 2, (5, -5, 0)))
    call = stub.SettleRound(request)
    assert await call == first
    assert await replayed(call)


async def test_a_list_of_rounds_is_settled_one_by_one(stub: LedgerServiceStub) -> None:
    """A round that is refused leaves the others alone; a repeat gets the first answers."""
    unknown = settling("m", 2, (5, -5, 0))
    unknown.legs[0].account_id = escrow("other", 0)
    request = pb.SettleRoundsRequest(
        rounds=[settling("m", 1, (20, -10, -10)), unknown, settling("m", 3, (0, 3, -3))]
    )
    first = await stub.SettleRounds(request)
    assert [result.WhichOneof("result") for result in first.results] == [
        "settled",
        "error",
        "settled",
    ]
    assert b"ACCOUNT_NOT_OF_MATCH" in first.results[1].error.SerializeToString()
    settled = await stub.GetTransaction(
        pb.GetTransactionRequest(round={"match_id": "m", "round_no": 3})
    )
    assert settled.transaction == first.results[2].settled.transaction
    assert await stub.SettleRounds(request) == first
    trial = await stub.TrialBalance(pb.TrialBalanceRequest())
    assert (trial.total, trial.transactions) == (0, 2)


async def test_a_list_of_rounds_has_a_bound(stub: LedgerServiceStub) -> None:
    """Nothing of a list that is too long is settled."""
    rounds = [settling("m", n, (1, -1, 0)) for n in range(1, MAX_GROUP + 2)]
    status = await status_of(stub.SettleRounds(pb.SettleRoundsRequest(rounds=rounds)))
    assert status == "LIMIT_EXCEEDED(rounds)"
    trial = await stub.TrialBalance(pb.TrialBalanceRequest())
    assert trial.transactions == 0


async def test_close_pays_out(stub: LedgerServiceStub) -> None:
    """Remainders count the end adjustments; every escrow is 0 after it, round 0 is its name."""
    await stub.SettleRound(settling("m", 1, (20, -10, -10)))
    answer = await stub.CloseMatch(closing_of("m", adjustments=(10, -10, 0)))
    assert list(answer.remainders) == [30, -20, -10]
    assert answer.transaction.kind == pb.TRANSACTION_KIND_CLOSE
    balances = {e.account_id: e.balance_after for e in answer.transaction.entries}
    assert balances == {escrow("m", s): 0 for s in range(3)} | {
        player("m-p0"): 30,
        player("m-p1"): -20,
        player("m-p2"): -10,
    }
    by_round = pb.GetTransactionRequest(round={"match_id": "m", "round_no": 0})
    assert (await stub.GetTransaction(by_round)).transaction == answer.transaction


async def test_trial_balance(stub: LedgerServiceStub) -> None:
    """IL5: subtotals per kind sum to 0; another asset has its own sums."""
    await stub.SettleRound(settling("m", 1, (20, -10, -10)))
    await stub.CloseMatch(closing_of("m", adjustments=(0, 1, -1)))
    trial = await stub.TrialBalance(pb.TrialBalanceRequest())
    assert (trial.asset, trial.total) == ("SCORE", 0)
    assert (trial.transactions, trial.entries) == (2, 3 + 2 + 6)
    kinds = [(kind.kind, kind.accounts, kind.balance) for kind in trial.kinds]
    assert kinds == [(pb.ACCOUNT_KIND_PLAYER, 3, 0), (pb.ACCOUNT_KIND_ESCROW, 3, 0)]
    other = await stub.TrialBalance(pb.TrialBalanceRequest(asset="COIN"))
    assert (other.total, other.entries, len(other.kinds)) == (0, 0, 0)


async def test_statement_in_pages(stub: LedgerServiceStub) -> None:
    """Pages join without gap: each opens where the last one closed."""
    for number in range(1, 8):
        await stub.SettleRound(settling("m", number, (number, -number, 0)))
    version, opening_balance, amounts, pages = 0, 0, [], 0
    while pages == 0 or version:
        page = await stub.ListEntries(
            pb.ListEntriesRequest(account_id=escrow("m", 0), from_version=version, page_size=3)
        )
        assert page.opening == opening_balance
        amounts += [entry.amount for entry in page.entries]
        opening_balance, version, pages = page.closing, page.next_version, pages + 1
    assert (amounts, pages, opening_balance) == ([1, 2, 3, 4, 5, 6, 7], 3, 28)


SPANS = {
    (0, 0): ([1, 2, 3, 4], 0, 10),
    (2, 3): ([2, 3], 1, 6),
    (4, 4): ([4], 6, 10),
    (5, 0): ([], 10, 10),
    (6, 9): ([], 10, 10),
    (3, 2): "BAD_REQUEST(to_version)",
    (2**63, 0): "BAD_REQUEST(from_version)",
    (1, 2**64 - 1): "BAD_REQUEST(to_version)",
}


@pytest.mark.parametrize("span", SPANS)
async def test_spans(stub: LedgerServiceStub, span: tuple[int, int]) -> None:
    """Opening, entries and closing of a stretch; beyond the end, both are the balance now."""
    for number in range(1, 5):
        await stub.SettleRound(settling("m", number, (number, -number, 0)))
    request = pb.ListEntriesRequest(
        account_id=escrow("m", 0), from_version=span[0], to_version=span[1]
    )
    if isinstance(SPANS[span], str):
        assert await status_of(stub.ListEntries(request)) == SPANS[span]
        return
    page = await stub.ListEntries(request)
    assert ([e.amount for e in page.entries], page.opening, page.closing) == SPANS[span]
    assert page.next_version == 0


async def test_scope_of_a_key_is_its_caller(stub: LedgerServiceStub) -> None:
    """The same key of another service is another command; metadata names the service."""
    other = (("x-paiju-caller", "audit"),)
    await stub.SettleRound(settling("m", 1, (1, -1, 0), key="k"))
    second = settling("m", 2, (2, -2, 0), key="k")
    assert await status_of(stub.SettleRound(second)) == "COMMAND_ID_REUSED(legs,round_no)"
    assert await status_of(stub.SettleRound(second, metadata=other)) == "OK"
    assert await status_of(stub.SettleRound(second, metadata=other)) == "REPLAYED"
    request = pb.GetTransactionRequest(command_id="k")
    for caller, number in ((MATCH_CALLER, 1), (other, 2)):
        found = await stub.GetTransaction(request, metadata=caller)
        assert found.transaction.round_no == number
    assert await status_of(stub.GetTransaction(request)) == "BAD_REQUEST(x-paiju-caller)"
    nobody = (("x-paiju-caller", "No Such"),)
    assert (
        await status_of(stub.SettleRound(second, metadata=nobody)) == "BAD_REQUEST(x-paiju-caller)"
    )


async def test_one_key_many_times_at_once(stub: LedgerServiceStub, tmp_path: Path) -> None:
    """Idempotency 8 and 10: of 12 calls under way at once one posts, 11 replay, all agree."""
    calls = [stub.SettleRound(settling("m", 1, (20, -10, -10))) for _ in range(12)]
    statuses = Counter(await asyncio.gather(*map(status_of, calls)))
    assert statuses == {"OK": 1, "REPLAYED": 11}
    assert len({(await call).SerializeToString() for call in calls}) == 1


async def test_one_round_many_keys_at_once(stub: LedgerServiceStub) -> None:
    """IL4: of 12 keys for one round one settles; the others learn that it is settled."""
    calls = [stub.SettleRound(settling("m", 1, (20, -10, -10), key=f"k{i}")) for i in range(12)]
    statuses = Counter(await asyncio.gather(*map(status_of, calls)))
    assert statuses == {"OK": 1, "ROUND_ALREADY_SETTLED": 11}


async def test_a_bad_command_stops_no_other(stub: LedgerServiceStub, tmp_path: Path) -> None:
    """Commands that share a transaction fail alone."""
    good = [settling("m", number, (1, -1, 0)) for number in range(1, 11)]
    bad = [settling("m", number, (1, -1, 0), key=f"again{number}") for number in range(1, 11)]
    lost = [settling("x", number, ()) for number in range(1, 11)]
    pairs = [request for three in zip(good, bad, lost, strict=True) for request in three]
    statuses = await asyncio.gather(*(status_of(stub.SettleRound(r)) for r in pairs))
    assert statuses == ["OK", "ROUND_ALREADY_SETTLED", "UNKNOWN_MATCH"] * 10
    account = (await stub.GetAccount(pb.GetAccountRequest(account_id=escrow("m", 0)))).account
    assert (account.balance, account.version) == (10, 10)


async def test_unknown_fields_do_not_count(stub: LedgerServiceStub) -> None:
    """S14: a field this release does not know changes nothing and is not stored."""
    request = settling("m", 1, (20, -10, -10))
    await stub.SettleRound(request)
    smuggled = pb.SettleRoundRequest.FromString(request.SerializeToString() + b"\xf2\x7f\x03abc")
    assert smuggled != request
    assert await status_of(stub.SettleRound(smuggled)) == "REPLAYED"


def _but(request: Message, **fields: object) -> Message:
    changed = type(request)()
    changed.CopyFrom(request)
    for name, value in fields.items():
        changed.ClearField(name)
        changed.MergeFrom(type(request)(**{name: value}))
    return changed


def _origin(**fields: object) -> pb.Origin:
    return _but(ORIGIN, **fields)


@pytest.mark.parametrize(
    "key", ["k", "k" * 200, "settle:m:1", "局/1", "0b0e5c5b-9a53-7a0a7c6f2a11"]
)
async def test_command_ids_that_are_taken(stub: LedgerServiceStub, key: str) -> None:
    """Any printable word without blanks: its form is the caller's choice."""
    for status in ("OK", "REPLAYED"):
        assert await status_of(stub.SettleRound(settling("m", 1, (), key=key))) == status


SETTLE = settling("m", 1, (1, -1, 0))
CLOSE = closing_of("m")
OPEN = opening("open:z", [spec(player("z"))])
SPEC = spec(player("z"))
BAD = [
    ("SettleRound", _but(SETTLE, command_id=""), "BAD_REQUEST(command_id)"),
    ("SettleRound", _but(SETTLE, command_id="a b"), "BAD_REQUEST(command_id)"),
    *(
        ("SettleRound", _but(SETTLE, command_id=key), "BAD_REQUEST(command_id)")
        for key in ("k" * 201, "a\0", "a\n", "\x85", "a\xa0b", "a\u3000b", "\u2028", "a\u202eb")
    ),
    ("SettleRound", _but(SETTLE, match_id="m\x9f"), "BAD_REQUEST(match_id)"),
    ("GetTransaction", pb.GetTransactionRequest(command_id="a b"), "BAD_REQUEST(command_id)"),
    ("GetAccount", pb.GetAccountRequest(account_id="escrow:m:00:SCORE"), "BAD_REQUEST(account_id)"),
    (
        "GetAccount",
        pb.GetAccountRequest(account_id="house:fee:01:SCORE"),
        "BAD_REQUEST(account_id)",
    ),
    ("SettleRound", _but(SETTLE, origin=_origin(actor="")), "BAD_REQUEST(origin.actor)"),
    ("SettleRound", _but(SETTLE, origin=_origin(actor="A:b")), "BAD_REQUEST(origin.actor)"),
    (
        "SettleRound",
        _but(SETTLE, origin=_origin(occurred_at_ms=-1)),
        "BAD_REQUEST(origin.occurred_at_ms)",
    ),
    (
        "SettleRound",
        _but(SETTLE, origin=_origin(occurred_at_ms=2**53)),
        "BAD_REQUEST(origin.occurred_at_ms)",
    ),
    (
        "SettleRound",
        _but(SETTLE, origin=_origin(reason_code="")),
        "BAD_REQUEST(origin.reason_code)",
    ),
    ("SettleRound", _but(SETTLE, match_id=""), "BAD_REQUEST(match_id)"),
    ("SettleRound", _but(SETTLE, match_id="m" * 65), "BAD_REQUEST(match_id)"),
    ("SettleRound", _but(SETTLE, round_no=0), "BAD_REQUEST(round_no)"),
    ("SettleRound", _but(SETTLE, round_no=2**32 - 1), "BAD_REQUEST(round_no)"),
    ("SettleRound", _but(SETTLE, log_hash=b""), "BAD_REQUEST(log_hash)"),
    ("SettleRound", _but(SETTLE, log_hash=bytes(33)), "BAD_REQUEST(log_hash)"),
    ("SettleRound", _but(SETTLE, legs=legs_of("m", [1] * 65)), "LIMIT_EXCEEDED(legs)"),
    ("CloseMatch", _but(CLOSE, log_hash=b"x"), "BAD_REQUEST(log_hash)"),
    ("CloseMatch", _but(CLOSE, match_id="n"), "ACCOUNT_NOT_OF_MATCH(payouts[0].escrow_id)"),
    ("CloseMatch", closing_of("m", 65), "LIMIT_EXCEEDED(payouts)"),
    (
        "CloseMatch",
        _but(CLOSE, payouts=[{"escrow_id": escrow("m", 0), "account_id": escrow("m", 1)}]),
        "BAD_REQUEST(payouts[0].account_id)",
    ),
    (
        "CloseMatch",
        _but(CLOSE, payouts=[{"escrow_id": player("z"), "account_id": player("z")}]),
        "ACCOUNT_NOT_OF_MATCH(payouts[0].escrow_id)",
    ),
    (
        "CloseMatch",
        _but(CLOSE, payouts=[{"escrow_id": escrow("m", 0), "account_id": "player:z:COIN"}]),
        "BAD_REQUEST(payouts[0].account_id)",
    ),
    ("OpenAccounts", _but(OPEN, accounts=[SPEC] * 101), "LIMIT_EXCEEDED(accounts)"),
    ("OpenAccounts", _but(OPEN, accounts=[_but(SPEC, kind=0)]), "BAD_REQUEST(accounts[0].kind)"),
    ("OpenAccounts", _but(OPEN, accounts=[_but(SPEC, kind=2)]), "BAD_REQUEST(accounts[0].kind)"),
    ("OpenAccounts", _but(OPEN, accounts=[_but(SPEC, kind=99)]), "BAD_REQUEST(accounts[0].kind)"),
    ("OpenAccounts", _but(OPEN, accounts=[_but(SPEC, asset="")]), "BAD_REQUEST(accounts[0].asset)"),
    (
        "OpenAccounts",
        _but(OPEN, accounts=[_but(SPEC, min_balance=-(2**53))]),
        "BAD_REQUEST(accounts[0].min_balance)",
    ),
    ("GetAccount", pb.GetAccountRequest(), "BAD_REQUEST(account_id)"),
    ("GetAccount", pb.GetAccountRequest(account_id=player("q")), "UNKNOWN_ACCOUNT"),
    ("ListEntries", pb.ListEntriesRequest(account_id=player("q")), "UNKNOWN_ACCOUNT"),
    ("TrialBalance", pb.TrialBalanceRequest(asset="no asset"), "BAD_REQUEST(asset)"),
    ("GetTransaction", pb.GetTransactionRequest(), "BAD_REQUEST(name)"),
    ("GetTransaction", pb.GetTransactionRequest(tx_id="x"), "UNKNOWN_TRANSACTION"),
    (
        "GetTransaction",
        pb.GetTransactionRequest(round={"match_id": "m", "round_no": 2**32 - 1}),
        "UNKNOWN_TRANSACTION",
    ),
    (
        "GetTransaction",
        pb.GetTransactionRequest(round={"match_id": "", "round_no": 1}),
        "BAD_REQUEST(round.match_id)",
    ),
]


async def test_bad_input(stub: LedgerServiceStub, tmp_path: Path) -> None:
    """Each malformed request is refused with its reason and field, and nothing changes."""
    before = await stub.TrialBalance(pb.TrialBalanceRequest())
    got = [(name, await status_of(getattr(stub, name)(request))) for name, request, _ in BAD]
    assert got == [(name, status) for name, _, status in BAD]
    assert await stub.TrialBalance(pb.TrialBalanceRequest()) == before


async def test_metrics(tmp_path: Path) -> None:
    """Postings, replays, rejections by reason and the time of commits are counted."""
    settings = Settings.of("ledger", env_of(tmp_path / "ledger.db"))
    async with (
        serving(SERVICE, settings) as app,
        clients.channel(f"127.0.0.1:{app.port}") as channel,
    ):
        stub = LedgerServiceStub(channel)
        for request in (settling("m", 1, ()), settling("m", 1, ()), settling("m", 2, (1, 0, 0))):
            await stub.OpenAccounts(seats("m"))
            await status_of(stub.SettleRound(request))
        value = app.metrics.registry.get_sample_value
        settle = {"op": "settle_round"}
        assert value("paiju_ledger_postings_total", settle) == 1
        assert value("paiju_ledger_replays_total", settle) == 1
        refused = settle | {"reason": "NOT_ZERO_SUM"}
        assert value("paiju_ledger_rejections_total", refused) == 1
        # The refused settlement never reached a transaction.
        assert value("paiju_ledger_commit_seconds_count") == 5
        assert value("paiju_ledger_commit_commands_sum") == 5


async def test_books_balance_after_a_busy_day(tmp_path: Path) -> None:
    """Many matches at once through one server; the stored bodies hash to their fingerprints."""
    path = tmp_path / "ledger.db"
    async with ledger(path) as stub:

        async def play(match: str) -> None:
            await stub.OpenAccounts(seats(match))
            for number in range(1, 5):
                await stub.SettleRound(settling(match, number, (2 * number, -number, -number)))
            await stub.CloseMatch(closing_of(match))

        await asyncio.gather(
            *(play(hashlib.sha256(bytes([i])).hexdigest()[:32]) for i in range(24))
        )
        trial = await stub.TrialBalance(pb.TrialBalanceRequest())
    assert (trial.total, trial.transactions) == (0, 24 * 5)
    assert audit_file(path) == set()
