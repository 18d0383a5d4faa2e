"""What the command lines share: checked arguments, one line for what failed, exit statuses."""

import argparse
import asyncio
import math
import os
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import grpc

from libs.runtime.errors import reason_of
from tools.client import GaveUp, Refused
from tools.platform_api import NoAnswer

MOST_ROUNDS = 100
"""Rounds that the match service plays in one match."""
_LARGE = 2**31 - 1
_ANOTHER = "what answers there is another service: {}"


def whole(least: int, most: int = _LARGE) -> Callable[[str], int]:
    """An argument's type: a whole number within bounds."""

    def read(text: str) -> int:
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdecimal()) or not least <= int(text) <= most:
            bound = f"of at least {least}" if most == _LARGE else f"from {least} to {most}"
            raise argparse.ArgumentTypeError(f"a whole number {bound}, not {text!r}")
        return int(text)

    return read


def seconds(least: float, most: float = 86_400.0) -> Callable[[str], float]:
    """An argument's type: a number of seconds within bounds."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            bound = f"from {least:g} to {most:g}"
            raise argparse.ArgumentTypeError(f"a number of seconds {bound}, not {text!r}")
        return value

    return read


def counted(number: int, word: str) -> str:
    """`1 round`, `2 rounds`."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def unreadable(error: OSError) -> str:
    """A file that cannot be used, and why."""
    return f"{error.filename}: {error.strerror}"


def failure(error: BaseException) -> str:
    """A failed call or match on one line, with what is allowed where the service says so."""
    if isinstance(error, grpc.aio.AioRpcError):
        said = reason_of(error)
        details = error.details() or "no reason given"
        if error.code() is grpc.StatusCode.UNIMPLEMENTED and not said.reason:
            return _ANOTHER.format(details)
        allowed = said.metadata.get("allowed", "")
        listed = f" (allowed: {allowed})" if allowed and allowed not in details else ""
        where = said.metadata.get("field", "")
        at = f" {where}:" if where and where not in details else ""
        return f"{said.reason or error.code().name}:{at} {details}{listed}"
    return str(error)


def warn(text: str) -> None:
    """A line beside what the command prints."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def finish(work: Coroutine[Any, Any, int]) -> int:
    """Runs a command's work and returns its exit status; what fails is one line and status 1."""
    try:
        return asyncio.run(work)
    except (NoAnswer, Refused, GaveUp, grpc.aio.AioRpcError) as error:
        warn(failure(error))
        return 1


def command(main: Callable[[], int]) -> int:
    """A command as a process: Ctrl-C and a reader that went away are no tracebacks."""
    try:
        status = main()
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # what is still buffered goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
