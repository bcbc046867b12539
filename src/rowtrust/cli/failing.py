"""Failing as a Unix command should: one line on standard error, a number for the shell, no traceback."""

from __future__ import annotations

import errno
import functools
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite
from typing import Any, NoReturn, TypeVar

import typer

from rowtrust.cli.options import limits_of

Command = TypeVar("Command", bound=Callable[..., Any])

FAILED, INTERRUPTED, TERMINATED = 1, 130, 143
"""Numbers for the shell: 128 and the number of the signal where there was one, as shells count."""

SHOWN_LETTERS = 200
"""Letters of an unexpected error's message; two lines of a terminal."""


class Terminated(BaseException):
    """The process was asked to end; what is half done must be swept up first."""


class OutOfTime(BaseException):
    """The time that the user has set has passed."""


@contextmanager
def time_limit(limits: str | None) -> Iterator[None]:
    """Interrupt what takes longer than the limits allow, where the system has a clock for that."""
    allowed = limits_of(limits)
    if not isfinite(allowed.seconds) or not hasattr(signal, "setitimer"):
        yield
        return

    def handler(number: int, frame: object) -> None:
        raise OutOfTime(allowed.message("seconds", "the command"))

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, allowed.seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def in_one_line(command: Command) -> Command:
    """Decorate a command so that it reports whatever stops it in one line."""

    @functools.wraps(command)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            with time_limit(kwargs.get("limits")):
                return command(*args, **kwargs)
        except (typer.Exit, typer.Abort):
            raise
        except BrokenPipeError:
            # The reader has gone, as with `| head`: nobody is left to tell.
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115
            raise typer.Exit(FAILED) from None
        except KeyboardInterrupt:
            fail("interrupted; nothing was written.", INTERRUPTED)
        except Terminated:
            fail("terminated; nothing was written.", TERMINATED)
        except OutOfTime as error:
            fail(f"{error} Nothing was written.")
        except MemoryError:
            fail("not enough memory. Add --fast, or fit a part of the rows.")
        except Exception as error:
            fail(error_message(error))

    return guarded  # type: ignore[return-value]


def fail(message: str, code: int = FAILED) -> NoReturn:
    """Say why on standard error and leave."""
    typer.echo(f"rowtrust: {message}", err=True)
    raise typer.Exit(code) from None


def error_message(error: Exception) -> str:
    """Return what to say of an error: our own messages as they are, the system's in words."""
    # A user who asks for it gets the whole story.
    if os.environ.get("ROWTRUST_TRACEBACK"):
        raise error
    first = next(iter(str(error).strip().splitlines()), "")
    if isinstance(error, OSError):
        return system_error_message(error)
    if isinstance(error, ValueError | ImportError):
        return first
    return (
        f"unexpected {type(error).__name__}: {first[:SHOWN_LETTERS]}. This is a fault of rowtrust; run again "
        "with ROWTRUST_TRACEBACK=1 and report what it prints."
    )


def system_error_message(error: OSError) -> str:
    """Say what the operating system refused, and the cure."""
    where = f"{error.filename}: " if error.filename else ""
    cures = {
        errno.ENOSPC: "the disk is full. Free some space or choose another --output; nothing was kept.",
        errno.EDQUOT: "the disk quota is used up. Free some space or choose another --output.",
        errno.EACCES: "permission denied. Choose another path.",
        errno.EPERM: "permission denied. Choose another path.",
        errno.EROFS: "the disk is read-only. Choose another --output.",
        errno.ENOENT: "no such file or folder. Check the path.",
        errno.EEXIST: "a part of the path is a file. Check the path.",
        errno.ENOTDIR: "a part of the path is a file. Check the path.",
        errno.EISDIR: "is a folder. Give a file.",
    }
    reason = error.strerror or str(error) or type(error).__name__
    return where + cures.get(error.errno or 0, f"{reason}.")


def end_politely() -> None:
    """Let a termination signal sweep up like Ctrl-C."""

    def handler(number: int, frame: object) -> None:
        raise Terminated

    signal.signal(signal.SIGTERM, handler)
