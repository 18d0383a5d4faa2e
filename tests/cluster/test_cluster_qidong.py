"""A whole match of 祁东十五胡 through four real services."""

from tests.cluster.cluster_checks import Acks, check_match
from tools.bots import Plan, play


async def test_eight_rounds_of_shiwuhu(cluster):
    """Sheets, log, fold and ledger agree; the low-score rule is in the finals (Q12)."""
    acks, lines = Acks(), []
    options = {"low_score_limit": "none", "xing": "fan_xing"}
    plan = Plan("qidong_shiwuhu", 8, 7, options=options, on_reply=acks.note)
    summary = await play(cluster.target, plan, lines.append)
    assert summary.rounds == sum(summary.wins) + summary.liu_ju == 8
    assert summary.liu_ju < 8, "about one round in fifteen is drawn"
    assert summary.finals == tuple(2 * total for total in summary.totals)
    assert sum(summary.totals) == 0
    await check_match(cluster, summary.match_id, acks)
    assert not [line for node in cluster.nodes.values() for line in node.complaints()]
