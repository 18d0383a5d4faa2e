"""Room options: one frozen dataclass per game, described by field metadata.

A variant writes `qi_hu: Literal[6, 9, 15] = choice(6, "起胡", "Least 胡息 to win", "L5")`; this
module derives the schema (`schema`), validates input (`parse`) and packs options into the bytes
that the state carries (`pack`, `unpack`). Kinds of field: `bool`, `Literal[...]` of int or str,
and `int` with bounds.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache, lru_cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

Value = bool | int | str


def choice(
    default: Any,
    zh: str,
    en: str,
    clause: str,
    *,
    low: int = 0,
    high: int = 0,
    labels: Mapping[Value, tuple[str, str]] | None = None,
) -> Any:
    """A dataclass field of an options class.

    `low`/`high` bound a plain int; `labels` gives (zh, en) for the choices that need words.
    """
    meta = {"zh": zh, "en": en, "clause": clause, "low": low, "high": high, "labels": labels or {}}
    return field(default=default, metadata=meta)


@dataclass(frozen=True)
class OptionSpec:
    """Schema of one option. `choices` is empty for a bounded int (`low`..`high`)."""

    key: str
    type: str
    """`bool`, `int` or `choice` (whose values are int or str)."""
    default: Value
    choices: tuple[Value, ...]
    low: int
    high: int
    zh: str
    en: str
    clause: str
    labels: Mapping[Value, tuple[str, str]]

    def allowed(self) -> str:
        """The allowed values, for an error message."""
        if self.choices:
            names = [str(value) for value in self.choices]
            return ", ".join(map(str.lower, names) if self.type == "bool" else names)
        return f"{self.low}..{self.high}"

    def accepts(self, value: object) -> bool:
        """Whether `value` has the option's exact type and is one of its choices."""
        if isinstance(value, bool) != (self.type == "bool"):
            return False
        if self.choices:
            return any(value == c and type(value) is type(c) for c in self.choices)
        return isinstance(value, int) and self.low <= value <= self.high


class OptionError(ValueError):
    """Refused options: `code` is UNKNOWN_OPTION or BAD_OPTION_VALUE, `key` the option."""

    def __init__(self, code: str, key: str, allowed: str) -> None:
        super().__init__(f"{code}: {key} (allowed: {allowed})")
        self.code, self.key, self.allowed = code, key, allowed


@cache
def schema(cls: type) -> tuple[OptionSpec, ...]:
    """Option specs of an options dataclass, in field order."""
    hints = get_type_hints(cls)
    specs = []
    for f in fields(cls):
        hint = hints[f.name]
        choices: tuple[Any, ...] = ()
        if hint is bool:
            kind, choices = "bool", (False, True)
        elif get_origin(hint) is Literal:
            choices = get_args(hint)
            kind = "choice"
        else:
            kind = "int"
        if f.default is MISSING:
            raise TypeError(f"option {f.name} has no default")
        m = f.metadata
        specs.append(
            OptionSpec(
                f.name,
                kind,
                f.default,
                choices,
                m["low"],
                m["high"],
                m["zh"],
                m["en"],
                m["clause"],
                m["labels"],
            )
        )
    return tuple(specs)


def parse(cls: type, given: Mapping[str, object]) -> Any:
    """Options from a mapping; missing keys take their defaults. Raises OptionError."""
    specs = {spec.key: spec for spec in schema(cls)}
    for key, value in given.items():
        if key not in specs:
            raise OptionError("UNKNOWN_OPTION", key, ", ".join(specs))
        if not specs[key].accepts(value):
            raise OptionError("BAD_OPTION_VALUE", key, specs[key].allowed())
    return cls(**given)


def pack(options: Any) -> bytes:
    """Compact bytes: one per choice (its index), four per bounded int (big-endian)."""
    out = bytearray()
    for spec in schema(type(options)):  # type: ignore[arg-type]  # types are hashable
        value = getattr(options, spec.key)
        out += bytes([spec.choices.index(value)]) if spec.choices else value.to_bytes(4, "big")
    return bytes(out)


@lru_cache(maxsize=4096)
def unpack(cls: type, packed: bytes) -> Any:
    """Options from `pack`'s bytes. Raises ValueError for bytes of another schema."""
    values: dict[str, Value] = {}
    at = 0
    for spec in schema(cls):
        if spec.choices:
            values[spec.key] = spec.choices[packed[at]]
            at += 1
        else:
            values[spec.key] = int.from_bytes(packed[at : at + 4], "big")
            at += 4
    if at != len(packed):
        raise ValueError("options bytes have another length")
    return cls(**values)
