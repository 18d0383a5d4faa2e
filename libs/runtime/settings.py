"""Typed settings from the environment: `PAIJU_<SERVICE>_<SETTING>`; only main.py reads them."""

import ipaddress
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from libs.runtime.errors import StartupError

_WHOLE = re.compile(r"-?[0-9]{1,18}")
_FLAGS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}

_COMMON = (
    "BIND", "PORT", "METRICS_PORT", "LOG_LEVEL", "DRAIN_SECONDS", "TLS_CERT", "TLS_KEY",
    "TLS_CLIENT_CA", "INSECURE",
)  # fmt: skip
KNOWN: Mapping[str, tuple[str, ...]] = {
    "MATCH": (
        *_COMMON, "DATABASE_URL", "KEY_FILE", "KEY", "AUDIT_TOKEN_FILE", "AUDIT_TOKEN",
        "RULES_TARGET", "SCORING_TARGET", "LEDGER_TARGET", "TLS_CA", "QUEUE_BYTES", "QUEUE_ITEMS",
    ),
    "RULES": _COMMON,
    "SCORING": _COMMON,
    "LEDGER": (*_COMMON, "DATABASE_URL"),
}  # fmt: skip
"""The settings of each service: what else stands in the environment is misspelt."""


def misspelt(env: Mapping[str, str], service: str = "") -> Iterator[tuple[str, str]]:
    """Variables that look like a setting and are none, each with the nearest that is one; those
    of one service (its name as in its prefix), or of all."""
    names = [f"PAIJU_{of}_{setting}" for of, settings in KNOWN.items() for setting in settings]
    prefix = f"PAIJU_{service}_" if service else "PAIJU_"
    for name in sorted(env):
        if name.startswith(prefix) and name not in names:
            yield name, get_close_matches(name, names, 1, 0)[0]


class SettingError(StartupError):
    """A setting is missing or has a value nobody can use."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Settings:
    """Reads the settings of one service; a bad value is a SettingError naming the variable."""

    service: str
    env: Mapping[str, str] = field(repr=False)

    @classmethod
    def of(cls, service: str, env: Mapping[str, str] | None = None) -> "Settings":
        """The settings of a service, from the process's environment unless given."""
        return cls(service, dict(os.environ if env is None else env))

    def name(self, setting: str) -> str:
        """The variable of a setting."""
        return f"PAIJU_{self.service}_{setting}".upper()

    def raw(self, setting: str) -> str | None:
        """The text as set, None if absent or empty."""
        return self.env.get(self.name(setting), "").strip() or None

    def text(self, setting: str, default: str | None = None) -> str:
        """A text; without a default it must be set."""
        value = self.raw(setting)
        if value is not None:
            return value
        if default is None:
            raise SettingError(f"{self.service}: set {self.name(setting)}")
        return default

    def integer(self, setting: str, default: int, least: int = 0, most: int = 2**31) -> int:
        """A whole number within bounds."""
        value = self.raw(setting)
        if value is None:
            return default
        if not _WHOLE.fullmatch(value) or not least <= int(value) <= most:
            self._refuse(setting, f"a whole number from {least} to {most}")
        return int(value)

    def seconds(self, setting: str, default: float) -> float:
        """A duration of zero or more seconds."""
        try:
            value = float(self.raw(setting) or default)
        except ValueError:
            value = -1.0
        if not 0 <= value < 1e9:
            self._refuse(setting, "a number of seconds")
        return value

    def flag(self, setting: str, default: bool = False) -> bool:
        """Yes or no."""
        value = self.raw(setting)
        if value is None:
            return default
        if value.lower() not in _FLAGS:
            self._refuse(setting, "1 or 0")
        return _FLAGS[value.lower()]

    def path(self, setting: str, default: str | None = None) -> Path:
        """A path in the file system."""
        return Path(self.text(setting, default))

    def file(self, setting: str) -> bytes | None:
        """The content of the file a setting names; None if it is not set."""
        value = self.raw(setting)
        if value is None:
            return None
        try:
            return Path(value).read_bytes()
        except OSError as error:
            raise SettingError(f"{self.service}: {self.name(setting)}: {error.strerror}") from None

    def secret(self, setting: str) -> str | None:
        """A secret as text, from the file that <SETTING>_FILE names; None if it is not set."""
        content = self.file(f"{setting}_FILE")
        return None if content is None else content.decode("ascii", "replace").strip()

    def key_bytes(self, setting: str, size: int) -> bytes:
        """A key of `size` bytes, as hexadecimal digits in the file <SETTING>_FILE names."""
        text = self.secret(setting)
        try:
            key = bytes.fromhex(text or "")
        except ValueError:
            key = b""
        if len(key) != size:
            self._refuse(f"{setting}_FILE", f"a file of {2 * size} hexadecimal digits")
        return key

    def _refuse(self, setting: str, wanted: str) -> None:
        # The value itself may be a secret put into the wrong variable: it is not repeated.
        raise SettingError(f"{self.service}: {self.name(setting)} must be {wanted}")


@dataclass(frozen=True)
class Tls:
    """Certificate chain, key and, for mutual TLS, the authority of the clients."""

    cert: bytes
    key: bytes = field(repr=False)
    client_ca: bytes | None = None


@dataclass(frozen=True)
class Listen:
    """Where and how a service listens."""

    host: str
    port: int
    metrics_port: int
    tls: Tls | None


def listen_settings(settings: Settings, port: int, metrics_port: int) -> Listen:
    """BIND, PORT, METRICS_PORT and TLS; refuses plain text beyond this machine by default."""
    host = settings.text("BIND", "127.0.0.1")
    tls = _tls(settings)
    if tls is None and not is_loopback(host) and not settings.flag("INSECURE"):
        raise SettingError(
            f"{settings.service}: refusing to listen on {host} without TLS: set"
            f" {settings.name('TLS_CERT')} and {settings.name('TLS_KEY')},"
            f" or {settings.name('INSECURE')}=1 inside a trusted network"
        )
    return Listen(
        host,
        settings.integer("PORT", port, 0, 65535),
        settings.integer("METRICS_PORT", metrics_port, 0, 65535),
        tls,
    )


def _tls(settings: Settings) -> Tls | None:
    cert, key = settings.file("TLS_CERT"), settings.file("TLS_KEY")
    if (cert is None) != (key is None):
        raise SettingError(
            f"{settings.service}: {settings.name('TLS_CERT')} and"
            f" {settings.name('TLS_KEY')} go together"
        )
    if cert is None or key is None:
        return None
    return Tls(cert, key, settings.file("TLS_CLIENT_CA"))
