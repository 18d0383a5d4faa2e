"""Every playthrough of every game gives the text it is written in."""

from collections import Counter
from pathlib import Path

import pytest

from libs import variants
from libs.game import engine
from libs.game.codec import decode_state
from libs.game.state import State
from libs.variants import registry
from tests.game.playthrough import play

FOLDER = Path(variants.__file__).parent
FILES = sorted(FOLDER.glob("*/playthroughs/*.txt"))
MOST_LINES = 200


def _name(file: Path) -> str:
    return f"{file.parent.parent.name}/{file.stem}"


def _cards(state: State) -> Counter[int]:
    """Every card of a round, wherever it lies."""
    held: Counter[int] = Counter(state.wall + state.removed)
    for seat in range(state.players):
        held.update({card: n for card, n in enumerate(state.hands[seat]) if n})
        held.update(card for meld in state.melds[seat] for card in meld.cards)
        held.update(state.piles[seat] + state.flowers[seat])
    if state.open:
        held[state.open.card] += 1
    return held


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_a_playthrough_reads_as_it_was_written(file: Path) -> None:
    """The inputs of a file, played again, give the whole text of the file."""
    text = file.read_text(encoding="utf-8")
    assert play(text)[0] == text


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_a_playthrough_keeps_the_contract(file: Path) -> None:
    """The round ends, its records fold to the same state, and no card is lost."""
    run = play(file.read_text(encoding="utf-8"))[1]
    assert run.at.status == engine.ENDED
    assert engine.fold(registry(), b"", run.records) == run.at.state
    assert _cards(decode_state(run.at.state)) == Counter(run.variant.deck.cards)


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_a_playthrough_is_short_and_says_what_it_shows(file: Path) -> None:
    """A header has a title and the clauses; nobody reads more than 200 lines aloud."""
    text = file.read_text(encoding="utf-8")
    header = play(text)[1].header
    assert header.title
    assert header.shows
    assert len(text.splitlines()) <= MOST_LINES


@pytest.mark.parametrize("game", sorted({game for game, _ in registry()}))
def test_every_game_has_a_playthrough(game: str) -> None:
    """A game without one fails the suite."""
    assert any(file.parent.parent.name == game for file in FILES)


def test_a_changed_expectation_is_noticed() -> None:
    """The comparison is of the whole text: one other word in an output line shows."""
    text = FILES[0].read_text(encoding="utf-8")
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("= "))
    lines[at] += " and more"
    assert play("\n".join(lines) + "\n")[0] == text
