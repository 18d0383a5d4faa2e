"""听牌 hints on request: the rules engine answers for a hand written from what the seat knows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import grpc
from paiju.game.v1 import sheet_pb2
from paiju.match.v1 import match_pb2
from paiju.rules.v1 import rules_pb2 as pb
from paiju.rules.v1.rules_pb2_grpc import RulesServiceStub

from tools.play_board import Board
from tools.play_words import Words, columns, filled

CALL_SECONDS = 10.0
_SHOWN = 12
SI_SHOU = "si_shou"
DECLINED = {"bao_liu_peng": 2}
"""Facts of a hand that differ for a declaration offered and declined (J31)."""

SOURCES = {
    pb.WAIT_SOURCE_OWN_DRAW: "own draw",
    pb.WAIT_SOURCE_OTHER_DRAW: "other draw",
    pb.WAIT_SOURCE_DISCARD: "discard",
}


def hand_spec(board: Board, match: match_pb2.Match) -> sheet_pb2.HandSpec:
    """The own hand, melds, public flags, flowers and notes (弃胡, J10), and nothing else."""
    facts = {code: 1 for code, cards in board.notes.items() if cards}
    facts |= dict.fromkeys(board.own.flags, 1) | {"flowers": len(board.own.flowers)}
    facts |= {code: n for code, n in DECLINED.items() if code in board.declined}
    hand: Any = board.cards()  # numbers, where the stubs want names
    own = sheet_pb2.SpecSeat(hand=hand, melds=board.own.melds, facts=facts)
    seats = [sheet_pb2.SpecSeat()] * board.seat + [own]
    return sheet_pb2.HandSpec(
        game=match.game,
        release=match.release,
        options=match.options,
        players=match.players,
        dealer=board.dealer,
        seats=seats,
    )


class Hinter:
    """Asks the rules engine about the person's own hand."""

    def __init__(self, rules: grpc.aio.Channel) -> None:
        """A channel to the rules engine."""
        self._rules: Any = RulesServiceStub(rules)

    async def lines(self, board: Board, match: match_pb2.Match, words: Words) -> list[str]:
        """The hints as text; an error is one line, the game goes on."""
        if SI_SHOU in board.own.flags:
            return [f"  {words.term(SI_SHOU)}: this hand cannot win any more"]
        item = pb.WaitsRequest.Item(hand=hand_spec(board, match))
        try:
            response = await self._rules.Waits(pb.WaitsRequest(items=[item]), timeout=CALL_SECONDS)
        except grpc.aio.AioRpcError as error:
            return [f"  no hint now: {error.details()}"]
        result = response.results[0]
        offered = discards_now(board)
        for at in reversed(range(len(result.discards))):
            if result.discards[at].discard not in offered:
                del result.discards[at]
        return hint_lines(result, unseen(board, words), words)


def discards_now(board: Board) -> set[int]:
    """The discards the seat is asked about; what it would wait for after others says nothing."""
    choices = board.prompt.choices if board.prompt is not None else ()
    return {choice.discard.card for choice in choices if choice.HasField("discard")}


def unseen(board: Board, words: Words) -> Mapping[int, int]:
    """Copies of each face that the seat has not seen anywhere."""
    seen = board.seen()
    return {card: max(0, copies - seen[card]) for card, copies in words.copies.items()}


def hint_lines(result: pb.WaitsResponse.Result, left: Mapping[int, int], words: Words) -> list[str]:
    """Waits of the hand, or after each discard the faces it would wait for."""
    if result.HasField("error"):
        return [f"  no hint: {result.error.message}"]
    ting = words.term("ting")
    if result.waits:
        return _wait_table(result.waits, left, words)
    if not result.discards:
        return [f"  not {ting} yet"]
    order = sorted(result.discards, key=lambda after: -_live(after.waits, left))
    lines = []
    for after in order[:_SHOWN]:
        faces = "  ".join(_brief(wait, left, words) for wait in after.waits)
        lines.append(f"  {words.term('discard')} {words.card(after.discard)}: {ting} {faces}")
    return [*lines, "  (×n: copies unseen; points → most that one payer pays)"]


def _live(waits: Iterable[pb.WaitsResponse.Wait], left: Mapping[int, int]) -> int:
    return sum(left.get(wait.card, 0) for wait in waits)


def _brief(wait: pb.WaitsResponse.Wait, left: Mapping[int, int], words: Words) -> str:
    most = max(wait.worth, key=lambda worth: worth.amount, default=None)
    worth = f" ({most.points} → {most.amount})" if most else ""
    return f"{words.card(wait.card)}×{left.get(wait.card, 0)}{worth}"


def _wait_table(
    waits: Sequence[pb.WaitsResponse.Wait], left: Mapping[int, int], words: Words
) -> list[str]:
    told = [s for s in SOURCES if any(worth.source == s for w in waits for worth in w.worth)]
    rows = [[words.term("ting"), "unseen", *(SOURCES[source] for source in told)]]
    for wait in waits:
        cells = {worth.source: f"{worth.points} → {worth.amount}" for worth in wait.worth}
        worths = [cells.get(source, "–") for source in told]
        rows.append([words.card(wait.card), f"×{left.get(wait.card, 0)}", *worths])
    widths = [max(columns(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = ["  ".join(map(filled, row, widths)).rstrip() for row in rows]
    return [f"  {line}" for line in lines] + ["  (points → amount of one payer)"]
