"""Canonical bytes, fingerprints and ids: stored for ever, so fixed by golden values."""

from dataclasses import replace

import pytest

from services.ledger.book import MAX_BALANCE, Account, Book
from services.ledger.checks import MAX_LEGS, Refused, check, name_of
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
    body_of,
    differing_fields,
    fields_of,
    fingerprint,
)

HEAD = Head("match", "settle:m:1", Origin("match", 1_700_000_000_000, "round_ended"))
A, B = "escrow:m:0:SCORE", "escrow:m:1:SCORE"
SETTLE = SettleRound(HEAD, "m", 1, 3, bytes(range(32)), (Leg(A, 7), Leg(B, -7)))
CLOSE = CloseMatch(HEAD, "m", (), (Payout(A, "player:x:SCORE"),), bytes(32))
GOLDEN = {
    "open_accounts": "a7c77f669ba93520",
    "settle_round": "075a517858acb0e8",
    "close_match": "7044903272cae835",
}
GOLDEN_TX = "19f02ca9-ed81-5ca8-8642-59ea676b71ef"
OPEN = OpenAccounts(HEAD, (AccountSpec(A, 2, "SCORE"), AccountSpec(B, 2, "SCORE", 0)))


def test_golden_fingerprints() -> None:
    """A changed encoding would make every retry of an older command a reused id."""
    golden = {
        command.op: fingerprint(body_of(command)).hex()[:16] for command in (OPEN, SETTLE, CLOSE)
    }
    assert golden == GOLDEN


def test_golden_ids() -> None:
    """Ids come from the caller and its key alone, so a retry cannot make a second transaction."""
    assert HEAD.tx_id == GOLDEN_TX
    assert replace(HEAD, origin=Origin("match", 1, "other")).tx_id == HEAD.tx_id
    assert replace(HEAD, caller="other").tx_id != HEAD.tx_id
    assert replace(HEAD, command_id="settle:m:2").tx_id != HEAD.tx_id


def test_order_of_legs_does_not_count() -> None:
    """Legs and adjustments are a set; accounts and payouts are answered in their order."""
    assert body_of(replace(SETTLE, legs=SETTLE.legs[::-1])) == body_of(SETTLE)
    assert body_of(replace(OPEN, accounts=OPEN.accounts[::-1])) != body_of(OPEN)


CHANGES: dict[str, Command] = {
    "origin.actor": replace(SETTLE, head=replace(HEAD, origin=replace(HEAD.origin, actor="x"))),
    "origin.occurred_at_ms": replace(
        SETTLE, head=replace(HEAD, origin=replace(HEAD.origin, occurred_at_ms=2))
    ),
    "origin.reason_code": replace(
        SETTLE, head=replace(HEAD, origin=replace(HEAD.origin, reason_code="x"))
    ),
    "match_id": replace(SETTLE, match_id="n"),
    "round_no": replace(SETTLE, round_no=2),
    "rules_release": replace(SETTLE, rules_release=4),
    "log_hash": replace(SETTLE, log_hash=bytes(32)),
    "legs": replace(SETTLE, legs=(Leg(A, 8), Leg(B, -8))),
}


@pytest.mark.parametrize("field", CHANGES)
def test_every_field_counts(field: str) -> None:
    """A change of one field changes the fingerprint, and that field is the one named."""
    changed = body_of(CHANGES[field])
    assert fingerprint(changed) != fingerprint(body_of(SETTLE))
    assert differing_fields(body_of(SETTLE), changed) == (field,)


def test_every_field_is_covered() -> None:
    """No field of a settlement is left out of the table above."""
    assert set(fields_of(body_of(SETTLE))) - {"op"} == set(CHANGES)


def test_unbounded_is_not_zero() -> None:
    """An absent least balance and one of 0 are different terms."""
    spec = OPEN.accounts[0]
    other = replace(OPEN, accounts=(replace(spec, min_balance=0), OPEN.accounts[1]))
    assert differing_fields(body_of(OPEN), body_of(other)) == ("accounts",)


NAMES = {
    "player:ann:SCORE": (AccountKind.PLAYER, "SCORE", None),
    "player:a:b c:SCORE": (AccountKind.PLAYER, "SCORE", None),
    "player:玩家:COIN": (AccountKind.PLAYER, "COIN", None),
    "escrow:m:0:SCORE": (AccountKind.ESCROW, "SCORE", "m"),
    "escrow:m:1:2:SCORE": (AccountKind.ESCROW, "SCORE", "m:1"),
    "fee:m:COIN": (AccountKind.FEE, "COIN", "m"),
    "house:fee:0:COIN": (AccountKind.HOUSE, "COIN", None),
    "issuance:COIN": (AccountKind.ISSUANCE, "COIN", None),
    "suspense:SCORE": (AccountKind.SUSPENSE, "SCORE", None),
    "player::SCORE": None,
    "player:ann:score": None,
    "player:ann": None,
    "player:ann\n:SCORE": None,
    f"player:{'a' * 65}:SCORE": None,
    "escrow:m:SCORE": None,
    "escrow:m:x:SCORE": None,
    "issuance:x:COIN": None,
    "bank:0:COIN": None,
    "": None,
}


@pytest.mark.parametrize("text", NAMES)
def test_account_names(text: str) -> None:
    """`{kind}:{id}:{asset}`: each name is read one way or refused (None)."""
    if NAMES[text] is None:
        with pytest.raises(Refused, match="BAD_REQUEST"):
            name_of(text, "account_id")
    else:
        assert name_of(text, "account_id") == NAMES[text]


def test_too_many_legs() -> None:
    """The count is refused before any name is read."""
    with pytest.raises(Refused, match="LIMIT_EXCEEDED"):
        check(replace(SETTLE, legs=(Leg("?", 1),) * (MAX_LEGS + 1)))


@pytest.mark.parametrize(("held", "status"), [(MAX_BALANCE - 7, "OK"), (MAX_BALANCE - 6, "RANGE")])
def test_bound_of_balances(held: int, status: str) -> None:
    """|balance| ends at 2^62, well before int64 does; a refused command leaves no trace."""
    rich = Account(OPEN.accounts[0], "m", held, 4)
    poor = Account(AccountSpec(B, 2, "SCORE"), "m", -held, 4)
    book = Book({A: rich, B: poor}, {}, {}, 1)
    if status == "OK":
        book.post(SETTLE, lambda result: b"")
        assert book.accounts[A].balance == MAX_BALANCE
        return
    with pytest.raises(Refused, match="BALANCE_OUT_OF_RANGE"):
        book.post(SETTLE, lambda result: b"")
    assert book.accounts == {A: rich, B: poor}
    assert not book.changes.transactions
    assert not book.changes.records
    assert not book.changes.after
