"""The real store against a model of the ledger that fits on two pages.

The model knows nothing of groups, SQL or canonical bytes: it keeps dictionaries and compares
requests as they are. Random commands, many of them wrong or repeated, go to both.
"""

import random
import sqlite3
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from ledger_kit import audit

from libs.runtime.db import Database
from services.ledger import messages, store
from services.ledger.book import Answer
from services.ledger.checks import Refused, check
from services.ledger.commands import (
    AccountKind,
    AccountSpec,
    CloseMatch,
    Command,
    Head,
    Leg,
    OpenAccounts,
    Origin,
    Payout,
    SettleRound,
)
from services.ledger.main import MIGRATIONS

MATCHES, SEATS, KEYS = ("a", "b", "c"), (0, 1, 2), 40
ORIGIN = Origin("match", 5, "test")


@dataclass
class Model:
    """What the ledger promises, in the fewest words."""

    least: dict[str, int | None] = field(default_factory=dict)
    balance: dict[str, int] = field(default_factory=dict)
    entries: dict[str, int] = field(default_factory=dict)
    answered: dict[tuple[str, str], Command] = field(default_factory=dict)
    rounds: set[tuple[str, int]] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)

    def post(self, command: Command) -> str:
        """The status of a command; its effect if that is OK."""
        before = self.answered.get(command.head.key)
        if before is not None:
            same = self._plain(before) == self._plain(command)
            return "REPLAYED" if same else "COMMAND_ID_REUSED"
        kept = dict(self.balance), dict(self.entries)
        status = self._apply(command)
        if status == "OK":
            self.answered[command.head.key] = command
        else:
            self.balance, self.entries = kept
        return status

    @staticmethod
    def _plain(command: Command) -> Command:
        def by_name(leg: Leg) -> str:
            return leg.account_id

        if isinstance(command, SettleRound):
            return replace(command, legs=tuple(sorted(command.legs, key=by_name)))
        if isinstance(command, CloseMatch):
            legs = tuple(sorted(command.adjustments, key=by_name))
            return replace(command, adjustments=legs)
        return command

    def _apply(self, command: Command) -> str:
        if isinstance(command, OpenAccounts):
            return self._open(command)
        if not self._escrows(command.match_id):
            return "UNKNOWN_MATCH"
        if isinstance(command, SettleRound):
            return self._settle(command)
        return self._close(command)

    def _escrows(self, match: str) -> list[str]:
        return [name for name in self.least if name.startswith(f"escrow:{match}:")]

    def _open(self, command: OpenAccounts) -> str:
        for spec in command.accounts:
            name = spec.account_id
            if name in self.least and self.least[name] != spec.min_balance:
                return "ACCOUNT_EXISTS"
            if name not in self.least and name.split(":")[1] in self.closed:
                return "MATCH_CLOSED"
        for spec in command.accounts:
            self.least.setdefault(spec.account_id, spec.min_balance)
            self.balance.setdefault(spec.account_id, 0)
            self.entries.setdefault(spec.account_id, 0)
        return "OK"

    def _settle(self, command: SettleRound) -> str:
        if (command.match_id, command.round_no) in self.rounds:
            return "ROUND_ALREADY_SETTLED"
        if command.match_id in self.closed:
            return "MATCH_CLOSED"
        status = self._move(command.legs)
        if status == "OK":
            self.rounds.add((command.match_id, command.round_no))
        return status

    def _close(self, command: CloseMatch) -> str:
        if command.match_id in self.closed:
            return "MATCH_CLOSED"
        named = {name for p in command.payouts for name in (p.escrow_id, p.account_id)}
        if not named <= set(self.least):
            return "UNKNOWN_ACCOUNT"
        status = self._move(command.adjustments)
        for payout in command.payouts:
            if status != "OK":
                return status
            rest = self.balance[payout.escrow_id]
            legs = (Leg(payout.escrow_id, -rest), Leg(payout.account_id, rest)) if rest else ()
            status = self._move(legs)
        if status == "OK" and any(self.balance[e] for e in self._escrows(command.match_id)):
            return "ESCROW_NOT_EMPTY"
        if status == "OK":
            self.closed.add(command.match_id)
        return status

    def _move(self, legs: tuple[Leg, ...]) -> str:
        if any(leg.account_id not in self.least for leg in legs):
            return "UNKNOWN_ACCOUNT"
        for leg in sorted(legs, key=lambda leg: leg.account_id):
            self.balance[leg.account_id] += leg.amount
            self.entries[leg.account_id] += 1
            least = self.least[leg.account_id]
            if leg.amount < 0 and least is not None and self.balance[leg.account_id] < least:
                return "INSUFFICIENT_FUNDS"
        return "OK"


def _escrow(match: str, seat: int) -> str:
    return f"escrow:{match}:{seat}:SCORE"


def _spec(rng: random.Random) -> AccountSpec:
    least = rng.choice((None, None, None, None, 0, -30))
    if rng.random() < 0.6:
        name = _escrow(rng.choice(MATCHES), rng.choice(SEATS))
        return AccountSpec(name, AccountKind.ESCROW, "SCORE", least)
    return AccountSpec(f"player:p{rng.choice(SEATS)}:SCORE", AccountKind.PLAYER, "SCORE", least)


def _legs(rng: random.Random, match: str) -> tuple[Leg, ...]:
    amounts = [rng.randint(-20, 20) for _ in SEATS[1:]]
    amounts.append(-sum(amounts))
    legs = [Leg(_escrow(match, seat), n) for seat, n in zip(SEATS, amounts, strict=True) if n]
    rng.shuffle(legs)
    return tuple(legs)


def _command(rng: random.Random, number: int) -> Command:
    """A new command; some of its keys were used before."""
    key = f"k{number if rng.random() < 0.9 else rng.randint(0, number)}"
    head = Head(rng.choice(("match", "match", "other")), key, ORIGIN)
    match, draw = rng.choice(MATCHES), rng.random()
    if draw < 0.3:
        specs = {spec.account_id: spec for spec in (_spec(rng) for _ in range(4))}
        return OpenAccounts(head, tuple(specs.values()))
    if draw < 0.9:
        return SettleRound(head, match, rng.randint(1, 12), 1, bytes(32), _legs(rng, match))
    payouts = [Payout(_escrow(match, s), f"player:p{s}:SCORE") for s in SEATS]
    kept = tuple(p for p in payouts if rng.random() < 0.9)
    legs = _legs(rng, match) if rng.random() < 0.5 else ()
    return CloseMatch(head, match, legs, kept, bytes(32))


def _group(rng: random.Random, sent: list[Command]) -> list[Command]:
    """What one transaction carries; repeats of earlier commands and of its own."""
    group: list[Command] = []
    for _ in range(rng.randint(1, 6)):
        repeat = sent and rng.random() < 0.25
        command = rng.choice(sent) if repeat else _command(rng, len(sent))
        sent.append(command)
        group.append(command)
    return group


def _status(outcome: store.Outcome) -> str:
    if isinstance(outcome, Refused):
        return outcome.reason
    return "REPLAYED" if outcome.replayed else "OK"


async def _run(database: Database, seed: int) -> tuple[Model, set[str]]:
    rng, model, sent = random.Random(seed), Model(), []
    answers: dict[tuple[str, str], bytes] = {}
    seen: set[str] = set()
    for step in range(KEYS):
        group = _group(rng, sent)
        for command in group:
            check(command)
        jobs = [(command, messages.encode) for command in group]
        outcomes = await database.run(
            lambda conn, jobs=jobs, step=step: store.post(conn, jobs, step)
        )
        want = [model.post(command) for command in group]
        assert [_status(outcome) for outcome in outcomes] == want, (seed, step)
        seen.update(want)
        for command, outcome in zip(group, outcomes, strict=True):
            if isinstance(outcome, Answer):
                first = answers.setdefault(command.head.key, outcome.response)
                assert outcome.response == first, (seed, step)
    return model, seen


async def _held(database: Database) -> dict[str, tuple[int | None, int, int]]:
    rows = await database.run(
        lambda conn: conn.exec_driver_sql(
            "SELECT account_id, min_balance, balance, version FROM account"
        ).fetchall()
    )
    return {name: (least, balance, version) for name, least, balance, version in rows}


@pytest.mark.parametrize("block", range(4))
async def test_model(block: int, tmp_path: Path) -> None:
    """Every answer and every balance is the model's; IL1–IL5, IL8, IL9 and IL11 hold."""
    seen: set[str] = set()
    for seed in range(block * 6, block * 6 + 6):
        path = tmp_path / f"{seed}.db"
        database = await Database.open(f"sqlite:///{path}", MIGRATIONS)
        try:
            model, statuses = await _run(database, seed)
            want = {n: (model.least[n], model.balance[n], model.entries[n]) for n in model.least}
            assert await _held(database) == want, seed
        finally:
            await database.close()
        connection = sqlite3.connect(path)
        assert audit(connection) == set(), seed
        connection.close()
        seen |= statuses
    # The drawing reaches every answer, or the comparison would show little.
    assert seen >= {"OK", "REPLAYED", "COMMAND_ID_REUSED", "ROUND_ALREADY_SETTLED"}
    assert seen >= {"MATCH_CLOSED", "UNKNOWN_ACCOUNT", "INSUFFICIENT_FUNDS", "ACCOUNT_EXISTS"}
