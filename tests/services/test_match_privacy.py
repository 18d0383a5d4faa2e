"""What a seat receives depends on nothing it may not know (match.md M9; reliability IX2)."""

import sqlite3
from pathlib import Path

from match_kit import Gateway, House, sql
from match_toy import CANARY, PASS, TAKE, Ports, ToyRules
from paiju.match.v1 import match_pb2 as pb

from services.match.seal import Stored, first_broken

FAST = pb.ClockPolicy(preset=pb.ClockPolicy.PRESET_FAST)
PAUSE_MS = 400
IDS = [f"id-{n}" for n in range(40)]


async def world(path: Path, claims: dict[int, set[int]], choice: int = PASS) -> list[bytes]:
    """Every byte that seat 1 of 3 receives while seat 0 may or may not be asked."""
    ports = Ports(rules=ToyRules(draws=3, claims=claims))
    async with House(path, ports, owner="owner") as house:
        ids = iter(IDS)
        created = await house.create(3, command_id=next(ids), clock=FAST)
        match_id = created.match.match_id
        tokens = [created.seat_token]
        tokens += [(await house.join(match_id, f"p{n}", next(ids))).seat_token for n in (1, 2)]
        own, others = Gateway(house), Gateway(house)
        await own.attach(match_id, tokens[1])
        for token in (tokens[0], tokens[2]):
            await others.attach(match_id, token)
        await house.ready(match_id, tokens)
        await others.act(match_id, 0, 1)
        await house.advance(100)
        for seat, prompt in house.asked(match_id):
            await others.act(match_id, seat, prompt, choice)
        await house.advance(100)
        spy = Gateway(house)
        await spy.attach(match_id, tokens[1])
        await own.attach(match_id, tokens[1])
        await own.act(match_id, 1, 9, command_id=next(ids))
        await house.advance(PAUSE_MS - 200)
        await own.act(match_id, 1, 1, command_id=next(ids))
        await house.advance(PAUSE_MS)
        await own.act(match_id, 1, 1, command_id=next(ids))
        await own.news()
        late, fresh = Gateway(house), Gateway(house)
        await late.attach(match_id, tokens[1], after=2)
        await fresh.attach(match_id, tokens[1])
        await own.news()
        return [own.raw, spy.raw, late.raw, fresh.raw]


async def test_another_seats_prompt_and_pass_leave_no_trace(tmp_path: Path) -> None:
    """Content, order, count, sizes, errors, numbers and times are the same to the byte."""
    asked = await world(tmp_path / "a.db", {1: {0}})
    both = await world(tmp_path / "b.db", {1: {0, 2}})
    nobody = await world(tmp_path / "c.db", {})
    assert asked == nobody
    assert both == nobody
    assert all(len(raw) > 100 for raw in nobody)


async def test_the_comparison_sees_what_is_public(tmp_path: Path) -> None:
    """The test above can fail: a claim that wins the card does show."""
    taken = await world(tmp_path / "a.db", {1: {0}}, TAKE)
    nobody = await world(tmp_path / "c.db", {})
    assert taken != nobody


async def test_hands_seeds_and_tokens_are_not_in_the_file(tmp_path: Path) -> None:
    """reliability S7: the database file shows no hidden card, seed or token."""
    path = tmp_path / "match.db"
    async with House(path) as house:
        match_id, tokens, gateway = await house.started()
        state = house.hub.slots[match_id].table.state
        secret = state[state.index(CANARY.encode()) + len(CANARY) :][:64]
        await gateway.act(match_id, 0, 1)
        raw = contents(tmp_path)
    raw += contents(tmp_path)
    assert match_id.encode() in raw
    assert CANARY.encode() not in raw
    assert secret not in raw
    assert bytes.fromhex(secret.decode()) not in raw
    assert not any(token.encode() in raw for token in tokens)
    own_hand = bytes([1] * 5)
    assert own_hand not in raw


def contents(folder: Path) -> bytes:
    """All files of a database, its WAL included."""
    return b"".join(file.read_bytes() for file in folder.iterdir())


def log_of(path: Path, match_id: str) -> list[tuple[Stored, bytes]]:
    """The stored rows, read beside the service."""
    columns = ", ".join((*Stored._fields, "hash"))
    query = f"SELECT {columns} FROM match_log WHERE match_id = '{match_id}' ORDER BY version"
    return [(Stored._make(row[:-1]), row[-1]) for row in sql(path, query)]


async def test_the_chain_names_the_first_row_that_was_touched(tmp_path: Path) -> None:
    """IM2: edit, swap, removal and truncation in the middle are found, each column counts."""
    path = tmp_path / "match.db"
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        await house.play(match_id, gateway)
        tail = sql(path, "SELECT tail_hash FROM match_head")[0][0]
    rows = log_of(path, match_id)
    assert first_broken(match_id, rows) is None
    assert rows[-1][1] == tail
    for name in Stored._fields:
        row, kept = rows[4]
        value = getattr(row, name)
        changed = value + 1 if isinstance(value, int) else value + type(value)(*_one(value))
        touched = [*rows[:4], (row._replace(**{name: changed}), kept), *rows[5:]]
        assert first_broken(match_id, touched) == 5, name
    swapped = [*rows[:3], rows[4], rows[3], *rows[5:]]
    assert first_broken(match_id, swapped) == 4
    assert first_broken(match_id, [*rows[:3], *rows[4:]]) == 4


def _one(value: str | bytes) -> tuple[object]:
    return ("x",) if isinstance(value, str) else ([0],)


async def test_a_moved_sealed_column_does_not_open(tmp_path: Path) -> None:
    """Sealed columns are bound to their match, version and name."""
    path = tmp_path / "match.db"
    ports = Ports()
    async with House(path, ports) as house:
        match_id, tokens, _gateway = await house.started()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE match_head SET state = control, control = state")
    async with House(path, ports) as house:
        updates = await Gateway(house).attach(match_id, tokens[0])
        assert updates[0].reply.HasField("error")
