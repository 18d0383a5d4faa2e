"""Transfers as text tables, one row per command, its expected status last (style 9).

    open   KEY ACCOUNT[>=LEAST] ...          escrow m:0, player ann
    settle KEY MATCH ROUND SEAT:AMOUNT ...   legs in the order written
    close  KEY MATCH [adjust SEAT:AMOUNT ...] pay SEAT=PLAYER ...
    = ACCOUNT BALANCE VERSION                what an account holds now

Columns are parted by blanks; what follows `|` is the status: OK, REPLAYED or the reason, with the
fields it names in brackets.
"""

from pathlib import Path

import pytest
from ledger_kit import (
    HASH,
    ORIGIN,
    audit_file,
    ledger,
    opening,
    spec,
    status_of,
)
from paiju.ledger.v1 import ledger_pb2 as pb

MAX = 2**53 - 1
TABLES = {
    "two rounds and the close": """
        open   o1 m:0 m:1 m:2 ann bob cai                        | OK
        settle s1 m 1 0:+20 1:-10 2:-10                          | OK
        = m:0 20 1
        settle s2 m 2 0:-30 1:+15 2:+15                          | OK
        = m:0 -10 2
        = m:1 5 2
        close  c1 m pay 0=ann 1=bob 2=cai                        | OK
        = m:0 0 3
        = ann -10 1
        = bob 5 1
        = cai 5 1
    """,
    "a 流局 has no legs and is settled once all the same": """
        open   o1 m:0 m:1                                        | OK
        settle s1 m 1                                            | OK
        settle s1 m 1                                            | REPLAYED
        settle s2 m 1                                            | ROUND_ALREADY_SETTLED
        settle s1 m 1 0:+1 1:-1                                  | COMMAND_ID_REUSED(legs)
        = m:0 0 0
    """,
    "repeats": """
        open   o1 m:0 m:1 m:2                                    | OK
        open   o1 m:0 m:1 m:2                                    | REPLAYED
        open   o1 m:1 m:0 m:2                                    | COMMAND_ID_REUSED(accounts)
        settle s1 m 1 0:+20 1:-10 2:-10                          | OK
        settle s1 m 1 2:-10 0:+20 1:-10                          | REPLAYED
        settle s1 m 1 0:+20 1:-20                                | COMMAND_ID_REUSED(legs)
        settle s1 m 2 0:+20 1:-10 2:-10                          | COMMAND_ID_REUSED(round_no)
        settle s9 m 1 0:+20 1:-10 2:-10                          | ROUND_ALREADY_SETTLED
        = m:0 20 1
    """,
    "a refused command leaves its key free": """
        open   o1 m:0 m:1                                        | OK
        settle s1 m 1 0:+1 1:-2                                  | NOT_ZERO_SUM(legs)
        settle s1 m 1 0:+2 7:-2                                  | UNKNOWN_ACCOUNT
        settle s1 m 1 0:+2 1:-2                                  | OK
        = m:0 2 1
    """,
    "legs": f"""
        open   o1 m:0 m:1 m:2 n:0 ann                            | OK
        settle s1 m 1 0:0                                        | BAD_REQUEST(legs[0].amount)
        settle s1 m 1 0:+5 1:-5 2:0                              | BAD_REQUEST(legs[2].amount)
        settle s1 m 1 0:+{MAX + 1} 1:-{MAX + 1}                  | BAD_REQUEST(legs[0].amount)
        settle s1 m 1 0:-{2**63} 1:+{2**63 - 1} 2:1              | BAD_REQUEST(legs[0].amount)
        settle s1 m 1 0:+5 1:-4                                  | NOT_ZERO_SUM(legs)
        settle s1 m 1 0:+5                                       | NOT_ZERO_SUM(legs)
        settle s1 m 1 0:+5 0:-5                                  | DUPLICATE_ACCOUNT(legs)
        settle s1 m 1 0:+5 escrow:n:0:SCORE:-5 | ACCOUNT_NOT_OF_MATCH(legs[1].account_id)
        settle s1 m 1 0:+5 player:ann:SCORE:-5 | ACCOUNT_NOT_OF_MATCH(legs[1].account_id)
        settle s1 m 1 0:+5 nobody:-5                             | BAD_REQUEST(legs[1].account_id)
        settle s1 m 1 0:+5 9:-5                                  | UNKNOWN_ACCOUNT
        settle s1 m 0 0:+5 1:-5                                  | BAD_REQUEST(round_no)
        settle s1 x 1                                            | UNKNOWN_MATCH
        = m:0 0 0
        settle s1 m 1 0:+{MAX} 1:-{MAX}                          | OK
        = m:0 {MAX} 1
    """,
    "an asset is no other asset": """
        open   o1 m:0 m:1 escrow:m:0:COIN escrow:m:1:COIN        | OK
        settle s1 m 1 0:+5 escrow:m:1:COIN:-5                    | NOT_ZERO_SUM(legs)
        settle s1 m 1 0:+5 1:-5 escrow:m:0:COIN:-7 escrow:m:1:COIN:+7 | OK
        = m:0 5 1
        = escrow:m:0:COIN -7 1
    """,
    "a least balance is kept": """
        open   o1 m:0>=0 m:1>=-10 m:2 ann bob cai                | OK
        settle s1 m 1 0:-1 1:+1                                  | INSUFFICIENT_FUNDS
        settle s1 m 1 1:-11 2:+11                                | INSUFFICIENT_FUNDS
        settle s1 m 1 1:-10 2:+10                                | OK
        settle s2 m 2 1:-1 0:+1                                  | INSUFFICIENT_FUNDS
        settle s2 m 2 2:-100 0:+100                              | OK
        = m:0 100 1
        = m:1 -10 1
        = m:2 -90 2
    """,
    "accounts are opened once, on their terms": """
        open   o1 m:0 ann>=0                                     | OK
        open   o2 m:0 ann>=0 bob                                 | OK
        open   o3 ann bob                                        | ACCOUNT_EXISTS(min_balance)
        open   o4 cai ann>=-5                                    | ACCOUNT_EXISTS(min_balance)
        open   o5 dan dan                                        | DUPLICATE_ACCOUNT(accounts)
        open   o6                                                | BAD_REQUEST(accounts)
        open   o7 dan>=1 | BAD_REQUEST(accounts[0].min_balance)
        = ann 0 0
        = cai none
        = dan none
    """,
    "closing": """
        open   o1 m:0 m:1 m:2 ann bob cai                        | OK
        settle s1 m 1 0:+20 1:-10 2:-10                          | OK
        close  c1 m pay 0=ann 1=bob                              | ESCROW_NOT_EMPTY
        close  c1 m pay 0=ann 1=bob 2=nobody                     | UNKNOWN_ACCOUNT
        close  c1 m pay 0=ann 1=bob 1=cai                        | DUPLICATE_ACCOUNT(payouts)
        close  c1 m adjust 0:+20 1:-10 pay 0=ann 1=bob 2=cai     | NOT_ZERO_SUM(adjustments)
        close  c1 x pay                                          | UNKNOWN_MATCH
        = m:0 20 1
        close  c1 m adjust 0:+20 1:-10 2:-10 pay 0=ann 1=bob 2=cai | OK
        close  c1 m adjust 2:-10 0:+20 1:-10 pay 0=ann 1=bob 2=cai | REPLAYED
        close  c1 m pay 0=ann 1=bob 2=cai                        | COMMAND_ID_REUSED(adjustments)
        close  c1 m adjust 0:+20 1:-10 2:-10 pay 1=bob 0=ann 2=cai | COMMAND_ID_REUSED(payouts)
        close  c2 m pay 0=ann 1=bob 2=cai                        | MATCH_CLOSED
        settle s2 m 2 0:+1 1:-1                                  | MATCH_CLOSED
        settle s1 m 1 0:+20 1:-10 2:-10                          | REPLAYED
        settle s9 m 1 0:+20 1:-10 2:-10                          | ROUND_ALREADY_SETTLED
        open   o2 m:0 m:1                                        | OK
        open   o3 m:0 m:3                                        | MATCH_CLOSED
        = m:0 0 3
        = ann 40 1
        = bob -20 1
        = cai -20 1
    """,
    "a match without points closes too": """
        open   o1 m:0 m:1 ann bob                                | OK
        close  c1 m pay                                          | OK
        close  c1 m pay                                          | REPLAYED
        = m:0 0 0
    """,
    "a player who may not owe": """
        open   o1 m:0 m:1 ann>=0 bob>=0                          | OK
        settle s1 m 1 0:+5 1:-5                                  | OK
        close  c1 m pay 0=ann 1=bob                              | INSUFFICIENT_FUNDS
        = m:0 5 1
        = ann 0 0
    """,
    "rounds in any order": """
        open   o1 m:0 m:1 ann bob                                | OK
        settle s7 m 7 0:+7 1:-7                                  | OK
        settle s2 m 2 0:-2 1:+2                                  | OK
        settle s7 m 7 0:+7 1:-7                                  | REPLAYED
        settle s7 m 7 0:+8 1:-8                                  | COMMAND_ID_REUSED(legs)
        settle x7 m 7 0:+8 1:-8                                  | ROUND_ALREADY_SETTLED
        = m:0 5 2
        close  c1 m pay 0=ann 1=bob                              | OK
        settle s3 m 3 0:+1 1:-1                                  | MATCH_CLOSED
        settle s2 m 2 0:-2 1:+2                                  | REPLAYED
        = ann 5 1
    """,
    "one command id for two things": """
        open   k  m:0 m:1                                        | OK
        settle k  m 1 | COMMAND_ID_REUSED(accounts,legs,log_hash,match_id,op,round_no,rules_release)
    """,
}


def _account(word: str) -> str:
    """`m:0` is a seat's escrow, `ann` a player; full names stay."""
    if word.startswith(("escrow:", "player:")) or word == "nobody:":
        return word
    return f"escrow:{word}:SCORE" if ":" in word else f"player:{word}:SCORE"


def _legs(match: str, words: list[str]) -> list[pb.Leg]:
    legs = []
    for word in words:
        name, amount = word.rsplit(":", 1)
        account = f"escrow:{match}:{name}:SCORE" if name.isdecimal() else name
        legs.append(pb.Leg(account_id=account, amount=int(amount)))
    return legs


def _open(words: list[str]) -> pb.OpenAccountsRequest:
    key, *accounts = words
    specs = []
    for word in accounts:
        name, _, least = word.partition(">=")
        specs.append(spec(_account(name), int(least) if least else None))
    return opening(key, specs)


def _settle(words: list[str]) -> pb.SettleRoundRequest:
    key, match, round_no, *legs = words
    return pb.SettleRoundRequest(
        command_id=key,
        origin=ORIGIN,
        match_id=match,
        round_no=int(round_no),
        rules_release=1,
        log_hash=HASH,
        legs=_legs(match, legs),
    )


def _close(words: list[str]) -> pb.CloseMatchRequest:
    key, match, *rest = words
    at = rest.index("pay")
    pairs = [word.split("=") for word in rest[at + 1 :]]
    return pb.CloseMatchRequest(
        command_id=key,
        origin=ORIGIN,
        match_id=match,
        adjustments=_legs(match, rest[1:at]),
        payouts=[
            pb.CloseMatchRequest.Payout(
                escrow_id=f"escrow:{match}:{seat}:SCORE", account_id=_account(name)
            )
            for seat, name in pairs
        ],
        log_hash=HASH,
    )


async def _row(stub, verb: str, words: list[str]) -> str:
    if verb == "open":
        return await status_of(stub.OpenAccounts(_open(words)))
    if verb == "settle":
        return await status_of(stub.SettleRound(_settle(words)))
    assert verb == "close"
    return await status_of(stub.CloseMatch(_close(words)))


async def _held(stub, word: str) -> str:
    call = stub.GetAccount(pb.GetAccountRequest(account_id=_account(word)))
    if await status_of(call) == "UNKNOWN_ACCOUNT":
        return "none"
    account = (await call).account
    return f"{account.balance} {account.version}"


@pytest.mark.parametrize("name", TABLES)
async def test_table(name: str, tmp_path: Path) -> None:
    """Each row of the table gets its status, and the books balance after the last one."""
    got, want = [], []
    async with ledger(tmp_path / "ledger.db") as stub:
        for line in filter(None, (line.strip() for line in TABLES[name].splitlines())):
            left, _, status = (part.strip() for part in line.partition("|"))
            verb, *words = left.split()
            if verb == "=":
                want.append(line)
                got.append(f"= {words[0]} {await _held(stub, words[0])}")
            else:
                want.append(f"{left} | {status}")
                got.append(f"{left} | {await _row(stub, verb, words)}")
    assert got == want
    assert audit_file(tmp_path / "ledger.db") == set()
