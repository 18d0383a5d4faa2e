"""The ledger at its limits: the largest balances, thousands of calls at once, pages made up."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from ledger_kit import (
    audit_file,
    closing_of,
    escrow,
    ledger,
    opening,
    player,
    seats,
    settling,
    spec,
    status_of,
)
from paiju.ledger.v1 import ledger_pb2 as pb
from paiju.ledger.v1.ledger_pb2_grpc import LedgerServiceStub

MAX = 2**53 - 1
FULL = 512
"""So many settlements of the largest amount fit below 2^62."""


@pytest.fixture
async def stub(tmp_path: Path) -> AsyncIterator[LedgerServiceStub]:
    """A ledger without accounts; its books balance when it has ended."""
    async with ledger(tmp_path / "ledger.db") as stub:
        yield stub
    assert audit_file(tmp_path / "ledger.db") == set()


async def _settle_all(stub: LedgerServiceStub, requests: list[pb.SettleRoundRequest]) -> Counter:
    return Counter(await asyncio.gather(*(status_of(stub.SettleRound(r)) for r in requests)))


async def _held(stub: LedgerServiceStub, account_id: str) -> tuple[int, int]:
    account = (await stub.GetAccount(pb.GetAccountRequest(account_id=account_id))).account
    return account.balance, account.version


async def test_the_largest_balance(stub: LedgerServiceStub) -> None:
    """Up to 2^62 and no further: the next round is refused whole, and can still be settled less."""
    await stub.OpenAccounts(seats("m", 2))
    rounds = [settling("m", number, (MAX, -MAX)) for number in range(1, FULL + 1)]
    assert await _settle_all(stub, rounds) == {"OK": FULL}
    assert await _held(stub, escrow("m", 1)) == (-FULL * MAX, FULL)
    more = settling("m", FULL + 1, (MAX, -MAX))
    assert await status_of(stub.SettleRound(more)) == "BALANCE_OUT_OF_RANGE"
    assert await _held(stub, escrow("m", 0)) == (FULL * MAX, FULL)
    assert await status_of(stub.SettleRound(settling("m", FULL + 1, (FULL, -FULL)))) == "OK"
    assert await _held(stub, escrow("m", 0)) == (2**62, FULL + 1)
    assert await status_of(stub.CloseMatch(closing_of("m", 2))) == "OK"
    assert await _held(stub, player("m-p1")) == (-(2**62), 1)


async def test_sums_that_pass_64_bits(stub: LedgerServiceStub) -> None:
    """IL5: the sum of a kind passes 2^63 on its way to 0; SQLite's own SUM would give up."""
    matches = ("a", "b", "c")
    for seat in (0, 1):  # all that gain before all that lose
        specs = [spec(escrow(match, seat)) for match in matches]
        await stub.OpenAccounts(opening(f"open:{seat}", specs))
    rounds = [settling(m, n, (MAX, -MAX)) for n in range(1, FULL + 1) for m in matches]
    assert await _settle_all(stub, rounds) == {"OK": 3 * FULL}
    trial = await stub.TrialBalance(pb.TrialBalanceRequest())
    kinds = [(kind.kind, kind.accounts, kind.balance) for kind in trial.kinds]
    assert (trial.total, trial.entries, kinds) == (0, 6 * FULL, [(pb.ACCOUNT_KIND_ESCROW, 6, 0)])


async def test_thousands_at_once(stub: LedgerServiceStub) -> None:
    """2,000 rounds of four matches under way at once, in any order: all settle, each once.

    gRPC's own bound of about 1,000 waiting calls would end some of them as CANCELLED.
    """
    matches = [f"m{number}" for number in range(4)]
    for match in matches:
        await stub.OpenAccounts(seats(match))
    rounds = [settling(m, number, (2, -1, -1)) for m in matches for number in range(1, 501)]
    random.Random(1).shuffle(rounds)
    assert await _settle_all(stub, rounds) == {"OK": 2000}
    assert await _settle_all(stub, rounds[:100]) == {"REPLAYED": 100}
    assert [await _held(stub, escrow(m, 0)) for m in matches] == [(1000, 500)] * 4


MADE_UP = [
    ({"from_version": 2**64 - 1}, "BAD_REQUEST(from_version)"),
    ({"from_version": 1, "to_version": 2**63}, "BAD_REQUEST(to_version)"),
    ({"from_version": 5, "to_version": 4}, "BAD_REQUEST(to_version)"),
    ({"page_size": 1001}, "LIMIT_EXCEEDED(page_size)"),
    ({"page_size": 2**32 - 1}, "LIMIT_EXCEEDED(page_size)"),
    ({"page_size": 1000}, "OK"),
    ({"from_version": MAX, "page_size": 1}, "OK"),
]


@pytest.mark.parametrize(("fields", "status"), MADE_UP)
async def test_pages_made_up(stub: LedgerServiceStub, fields: dict[str, int], status: str) -> None:
    """A page is asked for by versions: out of bounds is refused, beyond the end is empty."""
    await stub.OpenAccounts(seats("m"))
    request = pb.ListEntriesRequest(account_id=escrow("m", 0), **fields)
    assert await status_of(stub.ListEntries(request)) == status
