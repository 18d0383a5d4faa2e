"""What must hold of every finished match, asked from the running services and their database."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

import grpc
from paiju.game.v1 import sheet_pb2
from paiju.ledger.v1 import ledger_pb2, ledger_pb2_grpc
from paiju.match.v1 import match_pb2 as pb
from paiju.rules.v1 import rules_pb2, rules_pb2_grpc
from paiju.scoring.v1 import scoring_pb2, scoring_pb2_grpc

from services.match.seal import Stored, Vault, first_broken
from services.match.table import place
from tests.cluster.cluster_nodes import Cluster
from tools.platform_api import Platform

COLUMNS = ", ".join((*Stored._fields, "hash"))


class Acks:
    """Every final answer a gateway got; `accepted` by (actor, command id)."""

    def __init__(self) -> None:
        self.accepted: dict[tuple[str, str], int] = {}
        self.refused: Counter[str] = Counter()

    def note(self, command: pb.SessionRequest.Command, reply: pb.SessionResponse.Reply) -> None:
        """An observer of `Gateway`."""
        if reply.HasField("accepted"):
            name = (f"seat:{command.seat}", command.command_id)
            assert name not in self.accepted, "answered twice"
            self.accepted[name] = reply.accepted.seat_seq
        else:
            self.refused[reply.error.message] += 1


async def check_match(cluster: Cluster, match_id: str, acks: Acks | None = None) -> None:
    """All of it."""
    async with Platform(cluster.target, cluster.audit_token) as platform:
        match = await platform.match(match_id)
        rows = await platform.events(match_id)
        rounds = [await platform.round(match_id, n) for n in range(1, match.round_no + 1)]
    sheets = [response.sheet for response in rounds]
    assert match.phase == pb.MATCH_PHASE_CLOSED
    assert match.settled_rounds == match.round_no == match.rounds
    assert list(match.finals) == finals_of(rows)
    assert [sum(deltas) for deltas in zip(*(s.deltas for s in sheets), strict=True)] == list(
        match.totals
    )
    check_rows(rows)
    check_chain(cluster, match_id, len(rows))
    if acks is not None:
        check_acks(rows, acks)
    check_sheets(rows, sheets)
    await check_fold(cluster, match_id, rows, sheets)
    await check_ledger(cluster, match, rounds, rows)


def check_rows(rows: Sequence[pb.LogRow]) -> None:
    """IM1 dense versions; IM3 epochs grow and begin with OwnerChanged; time never runs back."""
    assert [row.version for row in rows] == list(range(1, len(rows) + 1))
    assert [row.epoch for row in rows] == sorted(row.epoch for row in rows)
    assert [row.at_ms for row in rows] == sorted(row.at_ms for row in rows)
    assert all(len(row.hash) == 32 for row in rows)
    for epoch, owned in groupby(rows[1:], key=lambda row: row.epoch):
        first = next(owned)
        kinds = [event.WhichOneof("kind") for event in first.match_events]
        assert epoch == rows[0].epoch or "owner_changed" in kinds


def check_chain(cluster: Cluster, match_id: str, count: int) -> None:
    """IM2: every row continues the chain; the head stands on the last."""
    with sqlite3.connect(f"file:{cluster.match_db}?mode=ro", uri=True) as database:
        query = f"SELECT {COLUMNS} FROM match_log WHERE match_id = ? ORDER BY version"
        rows = [(Stored(*row[:-1]), row[-1]) for row in database.execute(query, (match_id,))]
        head = database.execute(
            "SELECT version, tail_hash FROM match_head WHERE match_id = ?", (match_id,)
        ).fetchone()
    database.close()
    assert len(rows) == count
    assert first_broken(match_id, rows) is None
    assert head == (rows[-1][0].version, rows[-1][1])
    stored = rows[len(rows) // 2]
    rows[len(rows) // 2] = (stored[0]._replace(at_ms=stored[0].at_ms + 1), stored[1])
    assert first_broken(match_id, rows) == stored[0].version


def check_acks(rows: Sequence[pb.LogRow], acks: Acks) -> None:
    """IM5: an acknowledged command is in the log exactly once, and nothing else is."""
    logged = Counter((row.actor, row.command_id) for row in rows if row.actor.startswith("seat:"))
    assert set(logged.values()) == {1}
    assert set(logged) == set(acks.accepted)


def check_sheets(rows: Sequence[pb.LogRow], sheets: Sequence[sheet_pb2.ScoreSheet]) -> None:
    """IX1 on the match's side: each round ended, was scored and settled once."""
    events = Counter(
        (event.WhichOneof("kind"), row.round_no) for row in rows for event in row.events
    )
    news = [event for row in rows for event in row.match_events]
    scored = [event.round_scored for event in news if event.HasField("round_scored")]
    settled = [event.round_settled for event in news if event.HasField("round_settled")]
    numbers = [sheet.round_no for sheet in sheets]
    assert all(events["round_ended", n] == events["round_started", n] == 1 for n in numbers)
    assert [event.sheet for event in scored] == list(sheets)
    assert sorted(event.round_no for event in settled) == numbers
    assert all(sum(sheet.deltas) == 0 for sheet in sheets)


def finals_of(rows: Iterable[pb.LogRow]) -> list[int]:
    """The final scores in the log (L12 included)."""
    news = [event for row in rows for event in row.match_events]
    (scored,) = [event.match_scored for event in news if event.HasField("match_scored")]
    return list(scored.finals)


def hashes_of(rows: Iterable[pb.LogRow], field: str, kind: str) -> list[bytes]:
    """Hashes of the rows in whose events something happened."""
    return [row.hash for row in rows if any(e.HasField(kind) for e in getattr(row, field))]


async def check_fold(
    cluster: Cluster,
    match_id: str,
    rows: Sequence[pb.LogRow],
    sheets: Sequence[sheet_pb2.ScoreSheet],
) -> None:
    """IM8: the recorded events fold to the state that was played, and score to the same sheet."""
    records = [
        [record for row in rows if row.round_no == sheet.round_no for record in row.records]
        for sheet in sheets
    ]
    async with cluster.channel("rules") as rules, cluster.channel("scoring") as scoring:
        folds = rules_pb2.FoldRequest()
        for part in records:
            folds.items.add(records=part)
        folded = await rules_pb2_grpc.RulesServiceStub(rules).Fold(folds)
        states = [result.state for result in folded.results]
        assert all(states), folded
        scores = await scoring_pb2_grpc.ScoringServiceStub(scoring).ScoreRound(
            scoring_pb2.ScoreRoundRequest(states=states)
        )
    assert [result.sheet for result in scores.results] == list(sheets)
    assert states[-1] == stored_state(cluster, match_id)


def stored_state(cluster: Cluster, match_id: str) -> bytes:
    """The state in the match's head row."""
    with sqlite3.connect(f"file:{cluster.match_db}?mode=ro", uri=True) as database:
        version, wrapped, state = database.execute(
            "SELECT version, wrapped_key, state FROM match_head WHERE match_id = ?", (match_id,)
        ).fetchone()
    database.close()
    key = Vault(cluster.key).unwrap(match_id, wrapped)
    return key.open(state, place(match_id, version) + b"state")


async def check_ledger(
    cluster: Cluster,
    match: pb.Match,
    rounds: Sequence[pb.GetRoundResponse],
    rows: Sequence[pb.LogRow],
) -> None:
    """IL4, IL5, IL9: one transaction a round with the sheet's deltas and the log's hash at its end
    (reliability 2.5, audits), empty escrows, sum 0."""
    finals, ended = finals_of(rows), hashes_of(rows, "events", "round_ended")
    async with cluster.channel("ledger") as channel:
        stub = ledger_pb2_grpc.LedgerServiceStub(channel)
        balance = await stub.TrialBalance(ledger_pb2.TrialBalanceRequest())
        assert balance.total == 0
        for number, stored in enumerate(rounds, 1):
            name = {"match_id": match.match_id, "round_no": number}
            found = await stub.GetTransaction(ledger_pb2.GetTransactionRequest(round=name))
            check_transaction(found.transaction, stored, match)
            assert found.transaction.log_hash == ended[number - 1]
        for seat in range(match.players):
            escrow = await account(stub, f"escrow:{match.match_id}:{seat}:SCORE")
            assert escrow.balance == 0
            player = match.seats[seat].player.player_id
            statement = await stub.ListEntries(
                ledger_pb2.ListEntriesRequest(account_id=f"player:{player}:SCORE", page_size=1000)
            )
            closing = await stub.GetTransaction(
                ledger_pb2.GetTransactionRequest(command_id=f"close:{match.match_id}"),
                metadata=(("x-paiju-caller", "match"),),
            )
            assert [closing.transaction.log_hash] == hashes_of(rows, "match_events", "match_scored")
            tx_id = closing.transaction.tx_id
            paid = [entry.amount for entry in statement.entries if entry.tx_id == tx_id]
            assert paid == ([finals[seat]] if finals[seat] else [])


async def account(stub: ledger_pb2_grpc.LedgerServiceStub, name: str) -> ledger_pb2.Account:
    """One account."""
    return (await stub.GetAccount(ledger_pb2.GetAccountRequest(account_id=name))).account


def check_transaction(
    transaction: ledger_pb2.Transaction, stored: pb.GetRoundResponse, match: pb.Match
) -> None:
    """The entries of a round are its deltas, on the escrows of the match's seats."""
    assert transaction.tx_id == stored.tx_id
    moved = {entry.account_id: entry.amount for entry in transaction.entries}
    assert moved == {
        f"escrow:{match.match_id}:{seat}:SCORE": delta
        for seat, delta in enumerate(stored.sheet.deltas)
        if delta
    }


def reason(error: grpc.aio.AioRpcError) -> str:
    """Code and reason of a failed call."""
    from libs.runtime.errors import reason_of

    return f"{error.code().name} {reason_of(error).reason}"
