"""A person's board agrees with the engine's own view of the seat, in every game there is."""

import random
from collections import Counter

import pytest
from paiju.game.v1 import card_pb2, event_pb2
from paiju.match.v1 import match_pb2
from paiju.rules.v1 import rules_pb2 as pb
from rules_kit import events_for, options, start_item

from libs.game.cards import FACES, HIDDEN, parse
from libs.variants import registry
from services.rules_engine.servicer import Rules
from tools.play_board import Board, Open
from tools.play_hints import SI_SHOU, discards_now, hand_spec, unseen
from tools.play_words import Words

GAMES = sorted({game for game, _ in registry()})
ROUNDS = 4
HINT_ROUNDS = 8


def _input(step, boards, rng):
    """An answer to an open prompt, or the advance that is due."""
    if step.status == pb.ROUND_STATUS_ADVANCE:
        return pb.StepRequest.Item(state=step.state, advance=pb.StepRequest.Advance())
    opened = rng.choice(step.prompts)
    index = _choice(boards[opened.seat], rng)
    answer = pb.StepRequest.Answer(seat=opened.seat, prompt_id=opened.prompt_id, index=index)
    return pb.StepRequest.Item(state=step.state, answer=answer)


def _choice(board, rng):
    """Mostly the loneliest card is thrown, so that hands come to wait; all else is random."""
    choices = board.prompt.choices
    throws = [at for at, choice in enumerate(choices) if choice.HasField("discard")]
    if not throws or rng.random() < 0.1:
        return rng.randrange(len(choices))

    def company(at):
        card = choices[at].discard.card
        return 3 * board.hand[card] + board.hand[card - 1] + board.hand[card + 1]

    return min(throws, key=company)


def _agree(board: Board, fresh: Board) -> None:
    """All that the board shows is what a snapshot of this moment would show."""
    assert board.cards() == fresh.cards()
    assert (board.open, board.wall_left, board.dealer) == (
        fresh.open,
        fresh.wall_left,
        fresh.dealer,
    )
    assert {code: cards for code, cards in board.notes.items() if cards} == fresh.notes
    for mine, theirs in zip(board.places, fresh.places, strict=True):
        assert mine.hand_left == theirs.hand_left
        assert mine.melds == theirs.melds
        assert sorted(mine.flags) == sorted(theirs.flags)
        assert mine.flowers == theirs.flowers
        assert len(mine.pile) == len(theirs.pile)
        shown = [pair for pair in zip(mine.pile, theirs.pile, strict=True) if pair[1] != HIDDEN]
        assert all(ours == engine for ours, engine in shown)


@pytest.mark.parametrize("game", GAMES)
def test_the_board_is_what_a_snapshot_would_show(game):
    """Random rounds of every game, every seat, after every step."""
    rules = Rules(registry())
    (variant,) = rules.list_variants(pb.ListVariantsRequest(games=[game])).variants
    for seed in range(ROUNDS):
        for step, boards in _round(rules, variant, seed):
            for board in boards:
                _agree(board, _fresh(rules, step, board))
                _deck_holds(board, variant)
        assert step.status == pb.ROUND_STATUS_ENDED
        assert all(len(board.revealed) == len(boards) for board in boards)


@pytest.mark.parametrize("game", GAMES)
def test_hints_from_the_board_are_those_of_the_engine(game):
    """The hand written from what the seat knows waits for what the seat of the round waits for
    (M9), 弃胡 (J10) heeded; copies unseen differ only where the person remembers a card that is
    covered now."""
    rules = Rules(registry())
    (variant,) = rules.list_variants(pb.ListVariantsRequest(games=[game])).variants
    words, found = Words.of(variant, (), False), 0
    for seed in range(HINT_ROUNDS):
        for step, boards in _round(rules, variant, seed):
            for opened in step.prompts:
                board = boards[opened.seat]
                if SI_SHOU not in board.own.flags:
                    found += _same_hints(rules, step, board, words, game)

    assert found


def _keep_offered(result, board):
    """A written hand may list faces that its seat may not discard now (G13)."""
    kept = [after for after in result.discards if after.discard in discards_now(board)]
    del result.discards[:]
    result.discards.extend(kept)


def _same_hints(rules, step, board, words, game):
    """Compares; tells whether there was anything to compare."""
    seat = pb.WaitsRequest.Seated(state=step.state, seat=board.seat)
    theirs = rules.waits(pb.WaitsRequest.Item(seated=seat))
    match = match_pb2.Match(game=game, players=board.players)
    mine = rules.waits(pb.WaitsRequest.Item(hand=hand_spec(board, match)))
    _keep_offered(mine, board)
    if not discards_now(board):
        del theirs.discards[:]
    left, covered = unseen(board, words), _covered(_fresh(rules, step, board))
    for wait in _waits(theirs):
        assert left[wait.card] == wait.unseen or (covered and left[wait.card] < wait.unseen)
    for wait in [*_waits(mine), *_waits(theirs)]:
        wait.unseen = 0
    assert mine == theirs
    return bool(_waits(theirs))


def _round(rules, variant, seed):
    """A random round: every step with the boards of all seats as they are after it."""
    rng, players = random.Random(seed), variant.players[seed % len(variant.players)]
    item = start_item(seed, players, game=variant.game, run_on=False)
    step = pb.StepResult.FromString(_body(rules.start(item))).ok
    boards = [Board(seat, players) for seat in range(players)]
    for _ in range(2000):
        for board in boards:
            for event in events_for(step, board.seat):
                board.apply(event)
        yield step, boards
        if step.status == pb.ROUND_STATUS_ENDED:
            return
        step = pb.StepResult.FromString(_body(rules.step(_input(step, boards, rng)))).ok


def _fresh(rules, step, board):
    """The board that a snapshot of this moment makes."""
    fresh = Board(board.seat, board.players)
    fresh.load(rules.view(pb.ViewRequest.Item(state=step.state, seat=board.seat)).table)
    return fresh


def _covered(fresh):
    return any(HIDDEN in place.pile for place in fresh.places)


def _waits(result):
    return [*result.waits, *(wait for after in result.discards for wait in after.waits)]


def _body(framed: bytes) -> bytes:
    """The result inside a response that holds nothing else."""
    return pb.StepResponse.FromString(framed).results[0].SerializeToString()


def _deck_holds(board, variant):
    """No face is seen more often than the deck has it."""
    copies = Counter({face.card: face.copies for face in variant.deck})
    assert board.seen() <= copies


def seated(hand: str) -> Board:
    """Seat 0 of three after a deal."""
    board = Board(0, 3)
    board.apply(event_pb2.Event(round_started={"players": 3, "round_no": 2, "wall": 80}))
    board.apply(event_pb2.Event(dealt={"seat": 0, "cards": parse(hand)}))
    return board


def test_the_backs_of_equal_cards_count_as_the_face_that_is_shown():
    """A 暗杠 with one face open takes four of it (J8); backs alone tell nothing (Z11)."""
    board = seated("一二")
    shown = card_pb2.Meld(kind=card_pb2.MELD_KIND_AN_GANG, cards=[5, HIDDEN, HIDDEN, HIDDEN])
    backs = card_pb2.Meld(kind=card_pb2.MELD_KIND_WEI, cards=[HIDDEN] * 3)
    board.places[1].melds += [shown, backs]
    board.open = Open(HIDDEN, 2, False)
    assert board.seen() == Counter({1: 1, 2: 1, 5: 4})


def test_the_hand_that_is_sent_for_hints_holds_only_what_the_seat_knows():
    """M9: the own cards, melds and public marks; the seats beside stay empty."""
    board = seated("一一二")
    board.seat = 0
    board.apply(event_pb2.Event(dealt={"seat": 1, "cards": [HIDDEN] * 20}))
    board.apply(event_pb2.Event(si_shou={"seat": 1}))
    board.apply(event_pb2.Event(flower_set={"seat": 0, "card": FACES["二"]}))
    board.apply(event_pb2.Event(noted={"code": "hu_closed", "cards": [5]}))
    board.apply(event_pb2.Event(noted={"code": "peng_closed"}))
    match = match_pb2.Match(game="g", release=1, players=3, options=options(qi_hu=9))
    spec = hand_spec(board, match)
    (own,) = spec.seats
    assert (list(own.hand), dict(own.facts)) == ([1, 1], {"flowers": 1, "hu_closed": 1})
    assert (spec.game, spec.players, spec.options.values["qi_hu"].int_value) == ("g", 3, 9)


def test_unseen_copies_are_the_deck_without_what_lies_there():
    """Own hand, piles and the open card are seen; nobody's concealed card is."""
    board = seated("一一二")
    board.places[1].pile = [1, 3]
    board.apply(event_pb2.Event(discarded={"seat": 2, "card": 3}))
    words = Words("t", {}, {1: 4, 2: 4, 3: 4, 4: 4}, {}, frozenset(), ())
    assert unseen(board, words) == {1: 1, 2: 3, 3: 2, 4: 4}
