"""Reading the written form of a worked case: its keys and the types of their values.

A key that is missing and one that is null are the same; keys that no form has are passed over.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from libs.game.cards import parse

Case = Mapping[str, Any]
_NAMES = {str: "a text", int: "a number", bool: "true or false", list: "a list", dict: "an object"}


class CaseError(ValueError):
    """A case that is not of its form; the text names the key."""


def value(case: Case, key: str, form: type, at: str = "") -> Any:
    """The value of a key, None if it is missing or null; `at` is the path before the key. Raises
    CaseError for another type."""
    found = case.get(key)
    if found is not None and type(found) is not form:
        raise CaseError(f"{at}{key} is {_NAMES[form]}, not {found!r}")
    return found


def needed(case: Case, key: str, form: type, at: str = "") -> Any:
    """The value of a key that must be there."""
    found = value(case, key, form, at)
    if found is None:
        raise CaseError(f"{at}{key} is missing")
    return found


def one_of(found: Any, allowed: Sequence[Any], what: str) -> None:
    """Raises CaseError for a value that is not allowed."""
    if found not in allowed:
        raise CaseError(f"{what} is one of {', '.join(map(str, allowed))}, not {found!r}")


def one_card(text: str | None, what: str) -> None:
    """Raises CaseError for text that is not one card; none at all (null) is let through."""
    if text is not None and len(parse(text)) != 1:
        raise CaseError(f"{what} is one card, not {text!r}")


def objects(case: Case, key: str, at: str = "") -> list[tuple[str, Case]]:
    """The objects of a list that may be missing, each with its path."""
    found = [(f"{at}{key}[{n}]", item) for n, item in enumerate(value(case, key, list, at) or ())]
    for path, item in found:
        if not isinstance(item, Mapping):
            raise CaseError(f"{path} is an object, not {item!r}")
    return found
