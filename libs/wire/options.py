"""Options, their schema and whole games ⇄ `paiju.game.v1.Options`, `OptionSpec`, `Variant`."""

from typing import Any

from paiju.game.v1 import option_pb2 as pb

from libs.game.cards import NAMES
from libs.game.engine import check_players
from libs.game.options import OptionSpec, Value, parse, schema
from libs.game.variant import Registry, Variant
from libs.wire.cards import as_enum

_SWITCH = {False: ("否", "no"), True: ("是", "yes")}


def value_message(value: Value) -> pb.OptionValue:
    """A value in the field of its own type."""
    if isinstance(value, bool):
        return pb.OptionValue(bool_value=value)
    if isinstance(value, int):
        return pb.OptionValue(int_value=value)
    return pb.OptionValue(string_value=value)


def _value(message: pb.OptionValue) -> Value | None:
    kind = message.WhichOneof("kind")
    return getattr(message, kind) if kind else None


def options_of(cls: type, message: pb.Options) -> Any:
    """Options with defaults filled in. Raises OptionError."""
    return parse(cls, {key: _value(value) for key, value in message.values.items()})


def room_options(variant: Variant, message: pb.Options, players: int) -> Any:
    """Options of a room with a number of players. Raises OptionError or Refused."""
    options = options_of(variant.options, message)
    check_players(variant, players)
    refused = variant.limits(options, players)
    if refused:
        raise refused
    return options


def options_message(options: Any) -> pb.Options:
    """Every option with its value."""
    return pb.Options(
        values={
            spec.key: value_message(getattr(options, spec.key))
            for spec in schema(type(options))  # type: ignore[arg-type]  # a type is hashable
        }
    )


def label(zh: str, en: str) -> pb.Label:
    """A text in both languages."""
    return pb.Label(zh=zh, en=en)


def _choice(spec: OptionSpec, value: Value) -> pb.OptionSpec.Choice:
    plain = _SWITCH[value] if isinstance(value, bool) else (str(value), str(value))
    # False equals 0 and True equals 1 as keys: only the spec's own labels are looked up.
    words = spec.labels.get(value, plain)
    return pb.OptionSpec.Choice(value=value_message(value), label=label(*words))


def spec_message(spec: OptionSpec) -> pb.OptionSpec:
    """The schema of one option."""
    return pb.OptionSpec(
        key=spec.key,
        label=label(spec.zh, spec.en),
        clause=spec.clause,
        default_value=value_message(spec.default),
        choices=[_choice(spec, value) for value in spec.choices],
        min=spec.low,
        max=spec.high,
    )


def _faces(variant: Variant) -> list[pb.Variant.DeckFace]:
    return [
        pb.Variant.DeckFace(card=as_enum(face), copies=n, name=NAMES[face], red=face in variant.red)
        for face, n in variant.deck.copies
    ]


def variant_message(registry: Registry, variant: Variant) -> pb.Variant:
    """A game as a platform sees it."""
    return pb.Variant(
        game=variant.game,
        name=label(variant.zh, variant.en),
        release=variant.release,
        releases=sorted(release for game, release in registry if game == variant.game),
        players=variant.players,
        deck=_faces(variant),
        options=[spec_message(spec) for spec in schema(variant.options)],
        terms=[
            pb.Variant.Term(code=term.code, label=label(term.zh, term.en), clause=term.clause)
            for term in variant.terms
        ],
    )
