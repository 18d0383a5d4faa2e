"""Whole matches of 沅江鬼胡子, 姜堰23张 and 沙沙儿 through four real services."""

import pytest

from tests.cluster.cluster_checks import Acks, check_match
from tools.bots import Plan, play

ROUNDS = 8


@pytest.mark.parametrize(
    ("game", "players", "options"),
    [
        ("yuanjiang_guihuzi", 3, {"an_wai_liu": True}),
        ("yuanjiang_guihuzi", 2, {"mai_pai": 10, "fixed_five": True}),
        ("jiangyan_23", 3, {"visible_discards": 1, "min_hu": "hard_80"}),
        ("shashaer", 3, {}),
        ("shashaer", 2, {"ding_hu": 11, "zi_mo_10": True}),
    ],
)
async def test_a_match_is_played_settled_and_can_be_verified(cluster, game, players, options):
    """Sheets, log, fold and ledger agree; settlement is zero-sum (G23, J25, X16, M10)."""
    acks, lines = Acks(), []
    plan = Plan(game, ROUNDS, 5, players, options, on_reply=acks.note)
    summary = await play(cluster.target, plan, lines.append)
    assert summary.rounds == ROUNDS
    assert sum(summary.finals) == sum(summary.totals) == 0
    await check_match(cluster, summary.match_id, acks)
    assert not [line for node in cluster.nodes.values() for line in node.complaints()]
