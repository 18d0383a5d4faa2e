"""Who answers worked cases: a game's own package (see also `tools.cases_remote`)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

Case = Mapping[str, Any]


class NotServed(Exception):
    """A case of a game or kind that nobody here answers; no difference."""


@dataclass(frozen=True)
class Runner:
    """Answers cases of some kinds of one game. `ordered` names the lists whose order counts,
    `words` every key that an answer may have; `lacks` says of a kind that is missing who does not
    answer it."""

    run: Callable[[Case], Any]
    kinds: frozenset[str]
    ordered: frozenset[str]
    words: frozenset[str]
    lacks: Callable[[str], str] = lambda _kind: "its package answers no such kind"


Find = Callable[[str], Runner]
"""Finds the runner of a game id. Raises NotServed."""


def case_module(game: str) -> Any:
    """The `case_runner` of a game's package. Raises NotServed."""
    name = f"libs.variants.{game}.case_runner"
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise
        raise NotServed(f"game {game!r} has no case runner") from error


def find_in_process(game: str) -> Runner:
    """The runner of a game's own package. Raises NotServed."""
    module = case_module(game)
    return Runner(module.run_case, module.KINDS, module.ORDERED, module.WORDS)
