"""What a client is told when the game says no: reason, words, fields; never a card or a seed."""

from typing import NamedTuple

from libs.game.engine import Refused
from libs.game.options import OptionError
from libs.game.sheet import HandError

_LONGEST = 200


class Refusal(NamedTuple):
    """`reason` as in protocol.md; `fields` go to ErrorInfo.metadata."""

    reason: str
    message: str
    fields: dict[str, str]


def _short(text: str) -> str:
    """Texts of the caller come back in metadata, which has a limit."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def refusal_of(error: Exception) -> Refusal | None:
    """The refusal behind an exception of the game; None for any other exception."""
    if isinstance(error, OptionError):
        fields = {"field": _short(error.key), "allowed": error.allowed}
        return Refusal(error.code, "the option is refused", fields)
    if isinstance(error, Refused):
        own = {"allowed": error.fields["allowed"]} if "allowed" in error.fields else {}
        fields = {key: _short(value) for key, value in error.fields.items()} | own
        # The engine names the game it looked for, which may be any bytes of a broken state.
        text = error.message
        if error.reason == "UNKNOWN_GAME":
            text = f"no such game or release (allowed: {fields.get('allowed', 'none')})"
        return Refusal(error.reason, text, fields)
    if isinstance(error, HandError):
        return Refusal("BAD_REQUEST", _short(str(error)), {"field": "hand"})
    return None
