"""Actions and prompts ⇄ `paiju.game.v1.Action`, `Prompt`."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from paiju.game.v1 import action_pb2 as pb

from libs.game import actions
from libs.game.actions import Action, PromptClass, Verb
from libs.game.state import ALL_SEATS, Open, Prompt
from libs.wire import raw
from libs.wire.cards import cards_of, refuse

GANG, DECLARE = 9, 10
_DISCARD = int(PromptClass.DISCARD)
_KINDS = {Verb.AN_GANG: 1, Verb.BU_GANG: 2, Verb.ZHI_GANG: 3}
_DECLARATIONS = {Verb.ZHI_TING: 1, Verb.BAO_LIU_PENG: 2}
_GANGS = {kind: verb for verb, kind in _KINDS.items()}
_DECLARED = {number: verb for verb, number in _DECLARATIONS.items()}


@lru_cache(maxsize=65536)
def action_bytes(encoded: bytes) -> bytes:
    """Serialized Action of an encoded action."""
    verb, card, groups = actions.decode(encoded)
    body = raw.uint(1, card)
    if verb in _KINDS:
        return raw.message(GANG, body + raw.uint(2, _KINDS[verb]))
    if verb in _DECLARATIONS:
        return raw.message(DECLARE, raw.uint(1, _DECLARATIONS[verb]))
    if groups:
        body += raw.message(2, raw.data(1, groups[0]))
        body += raw.messages(3, [raw.data(1, group) for group in groups[1:]])
    return raw.message(verb, body)


def _plain(verb: Verb) -> Callable[[Any], Action]:
    return lambda part: Action(verb, part.card)


def _chi(part: pb.Action.Chi) -> Action:
    groups = (part.group, *part.bi)
    return Action(Verb.CHI, part.card, tuple(cards_of(g.cards, "action") for g in groups))


def _gang(part: pb.Action.Gang) -> Action:
    return Action(_GANGS[part.kind], part.card)


def _declare(part: pb.Action.Declare) -> Action:
    return Action(_DECLARED[part.declaration])


_READ: dict[str, Callable[[Any], Action]] = {
    "pass": lambda part: Action(Verb.PASS),
    "discard": _plain(Verb.DISCARD),
    "chi": _chi,
    "peng": _plain(Verb.PENG),
    "hu": _plain(Verb.HU),
    "wai": _plain(Verb.WAI),
    "liu": _plain(Verb.LIU),
    "piao": _plain(Verb.PIAO),
    "gang": _gang,
    "declare": _declare,
}


def encoded_action(message: pb.Action) -> bytes:
    """The encoded action of a message. Raises Refused for one that says nothing."""
    kind = message.WhichOneof("kind")
    if kind is None:
        raise refuse("an action names its kind", "action")
    try:
        return actions.encode(_READ[kind](getattr(message, kind)))
    except (KeyError, ValueError):
        raise refuse("not an action", "action") from None


@lru_cache(maxsize=1 << 14)
def _choices(choices: tuple[bytes, ...]) -> bytes:
    """Actions as Prompt.choices."""
    return raw.messages(3, map(action_bytes, choices))


def prompt_bytes(prompt: Prompt, about: tuple[int, int] | None) -> bytes:
    """Serialized Prompt; `about` is the open card and the seat it came from, if the seat asked
    may know it."""
    body = raw.uint(1, prompt.number) + raw.uint(2, prompt.cls)
    body += _choices(prompt.choices) + raw.uint(4, prompt.default)
    if about is None or prompt.cls == _DISCARD:
        return body
    return body + raw.uint(5, about[0]) + raw.present(6, about[1])


def about_open(prompt: Prompt, opened: Open | None) -> tuple[int, int] | None:
    """What a prompt is about, if its seat sees the face."""
    if opened is None or not (opened.seen == ALL_SEATS or opened.seen >> prompt.seat & 1):
        return None
    return opened.card, opened.seat
