"""Whole matches of bots through four real services."""

import pytest

from tests.cluster.cluster_checks import Acks, check_match
from tools.bots import Plan, play

GAME = "hengyang_liuhuqiang"


@pytest.mark.parametrize(
    ("players", "options"),
    [
        (3, {}),
        (2, {"chou_di": 10, "low_score_limit": "none", "low_score_factor": 3, "xing": "fan_xing"}),
    ],
)
async def test_eight_rounds_are_played_settled_and_can_be_verified(cluster, players, options):
    """Sheets, log, fold and ledger of a match agree, for three seats and for two (L1)."""
    acks, lines = Acks(), []
    plan = Plan(GAME, 8, players, players, options, on_reply=acks.note)
    summary = await play(cluster.target, plan, lines.append)
    assert summary.rounds == 8
    assert sum(summary.wins) + summary.liu_ju == 8
    assert summary.liu_ju < 8, "about one round in fifteen is drawn"
    assert sum(summary.finals) == sum(summary.totals) == 0
    assert len([line for line in lines if line.startswith("第")]) == 8
    await check_match(cluster, summary.match_id, acks)
    assert not [line for node in cluster.nodes.values() for line in node.complaints()]
