"""What a case of the fuzzer ended with: passed, refused in words, or one of the faults."""

from __future__ import annotations

import linecache
import re
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

import rowtrust
from rowtrust import LandmarksWarning
from rowtrust.io import VersionWarning
from rowtrust.svr.output import ConstantFitWarning

FAULTS = (
    "crash",
    "hang",
    "memory",
    "not finite",
    "output",
    "exception",
    "words",
    "relation",
    "warning",
)
"""What can go wrong. *Output* is a wrong shape, range or file; *exception* is one that no user should see;
*words* is a refusal that does not say what is wrong."""

KNOWN_WARNINGS = (
    ConvergenceWarning,
    ConstantFitWarning,
    LandmarksWarning,
    VersionWarning,
    DataConversionWarning,
)
"""Categories that a user may meet, each with words of its own."""

KNOWN_TEXTS = ("The number of unique classes is greater than 50%", "the sample weights sum to")
"""Beginnings of remarks on the data, scikit-learn's and our own."""

INTERNALS = re.compile(
    r"\bnp\.(int|float|str_|bool)|\barray\(|<\w+ object|object at 0x|Traceback|could not be broadcast"
    r"|shapes \(|zero-size|out of bounds|has no attribute|object is not|unsupported operand|positional arg"
    r"|dtype\(|NoneType"
)
"""Words of programs rather than of people."""

FEWEST_LETTERS = 15
"""Letters that a message needs to say what is wrong; shorter ones were names of keys only."""

PACKAGE = str(Path(rowtrust.__file__).parent)
"""Where the package lies."""

VALIDATING = ("/sklearn/", "/joblib/")
"""Libraries that check parameters and data for us, in words of their own."""


class Refused(Exception):  # noqa: N818  a verdict, no error
    """Data or options were refused, in words."""


class Fault(Exception):  # noqa: N818  a verdict, no error
    """Something that must not be; ``fault`` is one of ``FAULTS``."""

    def __init__(self, fault: str, text: str) -> None:
        super().__init__(text)
        self.fault = fault


class TimeIsUp(BaseException):
    """The alarm of a case went off."""


@dataclass(frozen=True)
class Outcome:
    """How a case ended.

    Attributes
    ----------
    status
        "passed", "refused", or one of ``FAULTS``.
    text
        What was said.
    place
        The last function of the package in the traceback; where there is none, what tells faults apart.
    story
        The whole traceback of a fault.
    """

    status: str
    text: str = ""
    place: str = ""
    story: str = ""

    @property
    def is_fault(self) -> bool:
        """Whether this must not be."""
        return self.status in FAULTS


def outcome_of(case: Callable[[], None]) -> Outcome:
    """Run a case and say how it ended."""
    try:
        case()
    except Refused as refusal:
        return Outcome("refused", str(refusal))
    except Fault as fault:
        return told(fault.fault, fault, place_of(fault) or without_numbers(str(fault)))
    except TimeIsUp as error:
        return told("hang", error, place_of(error))
    except MemoryError as error:
        return told("memory", error, place_of(error))
    except Exception as error:
        return told("exception", error, place_of(error))
    return Outcome("passed")


def told(status: str, error: BaseException, place: str) -> Outcome:
    """Return the outcome of a fault."""
    text = str(error) if isinstance(error, Fault | TimeIsUp) else f"{type(error).__name__}: {error}"
    return Outcome(status, text[:1000], place, "".join(traceback.format_exception(error))[-6000:])


def place_of(error: BaseException) -> str:
    """Return the last function of the package that an error went through, of its cause if it has one."""
    cause = error.__cause__
    if isinstance(error, Fault) and cause is not None:
        return place_of(cause)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if PACKAGE in frame.filename]
    if not frames:
        return ""
    module = Path(frames[-1].filename).relative_to(PACKAGE).with_suffix("")
    return f"{'.'.join(module.parts)}.{frames[-1].name}"


def without_numbers(text: str) -> str:
    """Return a text whose numbers do not tell it from another."""
    return re.sub(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?", "#", text)[:120]


# refusals -------------------------------------------------------------------------------------------


def asked(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Return what a function returns; a refusal in words ends the case, one without is a fault."""
    try:
        return function(*arguments, **options)
    except (ValueError, TypeError) as error:
        check_words(error)
        raise Refused(str(error).splitlines()[0]) from error


def check_words(error: Exception) -> None:
    """See that an error was raised on purpose, and says what is wrong."""
    text = str(error).strip()
    if len(text) < FEWEST_LETTERS or " " not in text:
        raise Fault("words", f"{type(error).__name__} with the message {text!r}") from error
    last = traceback.extract_tb(error.__traceback__)[-1]
    if any(name in last.filename for name in VALIDATING):
        return
    found = INTERNALS.search(text)
    if found:
        raise Fault("words", f"{found.group()!r} in the message {text!r}") from error
    on_purpose = linecache.getline(last.filename, last.lineno or 0).strip().startswith("raise")
    if not (PACKAGE in last.filename and on_purpose):
        raise Fault("words", f"{type(error).__name__} that nobody raised: {text!r}") from error


# warnings -------------------------------------------------------------------------------------------


@contextmanager
def only_known_warnings() -> Iterator[None]:
    """Call any other warning a fault, at the end; a refusal has the last word, for it says more."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for each in caught:
        if not is_known(each):
            where = Path(each.filename)
            place = where.relative_to(PACKAGE) if PACKAGE in each.filename else where.name
            raise Fault("warning", f"{each.category.__name__} at {place}:{each.lineno}: {each.message}")


def is_known(caught: warnings.WarningMessage) -> bool:
    """Whether a warning is one that the package or scikit-learn gives on purpose."""
    return issubclass(caught.category, KNOWN_WARNINGS) or str(caught.message).startswith(KNOWN_TEXTS)


# outputs --------------------------------------------------------------------------------------------


def check_finite(name: str, values: Any) -> None:
    """See that all numbers are finite."""
    numbers = np.asarray(values, dtype=float)
    if not np.isfinite(numbers).all():
        bad = int((~np.isfinite(numbers)).sum())
        raise Fault("not finite", f"{name}: {bad} of {numbers.size} numbers are not finite")


def check_shape(name: str, values: Any, shape: tuple[int, ...]) -> None:
    """See that an array has the right shape."""
    found = np.shape(values)
    if found != shape:
        raise Fault("output", f"{name} has shape {found}, not {shape}")


def check_between(name: str, values: Any, lower: float, upper: float, slack: float = 1e-9) -> None:
    """See that all numbers are finite and within limits."""
    check_finite(name, values)
    numbers = np.asarray(values, dtype=float)
    if numbers.size and not (numbers.min() >= lower - slack and numbers.max() <= upper + slack):
        raise Fault(
            "output",
            f"{name} goes from {numbers.min():.3g} to {numbers.max():.3g}, not in [{lower}, {upper}]",
        )
