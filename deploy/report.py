"""The trial balance and the summary of the demo match as lines of text."""

from collections.abc import Iterable

from paiju.ledger.v1 import ledger_pb2

from tools.bots import Summary


def balance_lines(balance: ledger_pb2.TrialBalanceResponse) -> Iterable[str]:
    """The ledger's trial balance: subtotals by kind of account, total 0."""
    yield f"ledger, asset {balance.asset}: {balance.transactions} transactions"
    for kind in balance.kinds:
        name = ledger_pb2.AccountKind.Name(kind.kind).removeprefix("ACCOUNT_KIND_").lower()
        yield f"  {name:10}{kind.accounts:6} accounts {kind.balance:+8}"
    yield f"  {'total':10}{'':16}{balance.total:+8}"


def summary_line(played: Summary, ledger_sum: int) -> str:
    """The last line of a run: game, rounds, wins by seat, rounds nobody won, sum of the ledger."""
    wins = ", ".join(f"seat {seat} {count}" for seat, count in enumerate(played.wins))
    return (
        f"summary: game {played.game}, rounds {played.rounds}, wins: {wins},"
        f" 流局 {played.liu_ju}, ledger sum {ledger_sum}"
    )
