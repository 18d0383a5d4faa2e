"""One JSON line per event on stderr; values under secret names are withheld."""

import io
import logging
import sys
import traceback
from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

import orjson
import structlog

from libs.runtime.settings import SettingError

if TYPE_CHECKING:
    from typing_extensions import Buffer

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_SECRET = ("token", "secret", "password", "seed", "deck", "key", "hand", "private", "sealed")

Logger = structlog.typing.FilteringBoundLogger
_Event = MutableMapping[str, Any]


class _Stderr(io.FileIO):
    """File descriptor 2. What cannot be written (disk full, the reader of the pipe is gone) is
    lost: a log line must never fail the work that it tells of, nor spoil the next one."""

    def __init__(self, fd: int = 2) -> None:
        super().__init__(fd, "wb", closefd=False)
        self._cut = False

    def write(self, line: "Buffer", /) -> int:
        """The bytes written of a whole line; 0 if none could be."""
        whole = (b"\n" if self._cut else b"") + bytes(line)
        try:
            done = super().write(whole) or 0
        except OSError:
            return 0
        if done:
            self._cut = done < len(whole)
        return done


def configure(service: str, level: str = "info") -> Logger:
    """Sets the process's logging up; called once, by the server before anything else."""
    if level.lower() not in _LEVELS:
        raise SettingError(f"{service}: LOG_LEVEL must be one of {', '.join(_LEVELS)}")
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _withhold,
            structlog.processors.JSONRenderer(serializer=_dumps),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level.lower()]),
        logger_factory=structlog.BytesLoggerFactory(_Stderr()),
        cache_logger_on_first_use=True,
    )
    # Libraries log through the standard module; their warnings must not be lost.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, force=True)
    return logger(service=service)


def logger(**fields: str) -> Logger:
    """A logger with fields bound once."""
    made: Logger = structlog.get_logger(**fields)
    return made


def frames(error: BaseException) -> list[str]:
    """Where an exception came from, without its text (the text may name cards)."""
    stack = traceback.extract_tb(error.__traceback__)
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in stack[-12:]]


def _withhold(_logger: object, _method: str, event: _Event) -> _Event:
    for name in event:
        if name.endswith(_SECRET):
            event[name] = "[withheld]"
    return event


def _dumps(event: _Event, **_options: object) -> bytes:
    return orjson.dumps(event, default=repr)
