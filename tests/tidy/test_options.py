"""What ListVariants tells of a game is what its README says, option by option."""

import re

import pytest
from paiju.game.v1 import option_pb2 as pb
from tidy_sources import ROOT

from libs.variants import registry
from libs.wire.options import variant_message

GAMES = {variant.game: variant_message(registry(), variant) for variant in registry().values()}
ROW = re.compile(r"^\| `(\w+)` (\S+) \| `(\w+)` \| ([^|]+) \| (\w+) \|$", re.MULTILINE)
HEAD = re.compile(r"^Family `\w+`, ([\d or]+) players, (\d+) ", re.MULTILINE)


def _readme(game: str) -> str:
    return (ROOT / f"libs/variants/{game}/README.md").read_text("utf-8")


def _text(value: pb.OptionValue) -> str:
    return str(getattr(value, value.WhichOneof("kind"))).lower()


def _values(option: pb.OptionSpec) -> set[str]:
    if option.choices:
        return {_text(choice.value) for choice in option.choices}
    return {f"{option.min} to {option.max}"}


def _written(cell: str) -> set[str]:
    """The values of a cell: words in backquotes, or the bounds of a number."""
    bounds = re.fullmatch(r"(\d+) to ([\d ]+)", cell)
    if bounds:
        return {f"{bounds[1]} to {bounds[2].replace(' ', '')}"}
    return set(re.findall(r"`(\w+)`", cell))


@pytest.mark.parametrize("game", GAMES)
def test_options_are_those_of_the_readme(game):
    """Key, 汉字, default, every value or both bounds, clause, in the same order."""
    written = [
        (key, zh, default, _written(cell), clause)
        for key, zh, default, cell, clause in ROW.findall(_readme(game))
    ]
    told = [
        (option.key, option.label.zh, _text(option.default_value), _values(option), option.clause)
        for option in GAMES[game].options
    ]
    assert told == written
    assert written


@pytest.mark.parametrize("game", GAMES)
def test_players_and_cards_are_those_of_the_readme(game):
    """Numbers of players, and how many cards the deck has."""
    players, cards = HEAD.search(_readme(game)).groups()
    message = GAMES[game]
    assert list(message.players) == [int(n) for n in players.split(" or ")]
    assert sum(face.copies for face in message.deck) == int(cards)


@pytest.mark.parametrize("game", GAMES)
def test_a_value_is_labelled_once(game):
    """Choices of an option differ in value and in both languages."""
    for option in GAMES[game].options:
        for words in (_text(c.value) for c in option.choices), (c.label.zh for c in option.choices):
            found = list(words)
            assert len(set(found)) == len(found), option.key
