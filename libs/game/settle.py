"""From the final state of a round to its score sheet."""

from typing import NamedTuple

from libs.game.engine import Refused, table_of
from libs.game.sheet import HandSpec, Sheet
from libs.game.state import Outcome
from libs.game.variant import Registry, Variant


class Settled(NamedTuple):
    """A scored round; `spec` is None for a void one (M7)."""

    variant: Variant
    round_no: int
    spec: HandSpec | None
    sheet: Sheet


def void_sheet(players: int) -> Sheet:
    """A round ended from outside scores nothing (M7)."""
    return Sheet(False, "", -1, "void", (), (), (0,) * players)


def settle(registry: Registry, state: bytes) -> Settled:
    """The sheet of a finished round. Raises Refused."""
    table = table_of(registry, state)
    final, variant = table.state, table.variant
    if not final.outcome:
        raise Refused("ROUND_NOT_ENDED", "the round is not over", field="states")
    if final.outcome == Outcome.VOID:
        return Settled(variant, final.round_no, None, void_sheet(final.players))
    spec = variant.hand_spec(final, table.options)
    return Settled(variant, final.round_no, spec, variant.score(spec))
