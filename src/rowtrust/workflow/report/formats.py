"""Numbers, shares and dates as people write them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

import numpy as np
import pandas as pd

from rowtrust.workflow.tables.errors import shortened

DIGITS = 4
"""Digits of a number that is no whole one; more would claim what no model knows."""

GROUPED_FROM = 10_000
"""Numbers from here on have their thousands set apart; a year has not. A common rule of typesetting."""

HUGE, TINY = 1e15, 1e-4
"""Beyond and below these, numbers are written with a power of ten: all their zeros could not be counted."""

SPACE = "\u202f"
"""A narrow space at which no line breaks: between thousands, and before a percent sign."""

NAME_LENGTH = 26
"""Characters of a name beside a picture; readability."""

SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
"""Digits of an exponent."""


def short(name: object, most: int = NAME_LENGTH) -> str:
    """Return a name that fits beside a picture."""
    return shortened(name, most) if str(name).strip() else "(blank)"


def distinct(names: Sequence[object], most: int = NAME_LENGTH) -> list[str]:
    """Return names that fit beside a picture, less the start that all share where they would look alike."""
    found = [short(name, most) for name in names]
    if len(set(found)) == len(found):
        return found
    letters = zip(*(str(name) for name in names), strict=False)
    start = sum(1 for _ in takewhile(lambda each: len(set(each)) == 1, letters))
    return [short(f"\u2026{str(name)[start:]}", most) for name in names]


def number(value: Any, digits: int = DIGITS) -> str:
    """Return a value of a table: numbers with a few digits, dates as dates, words as they are."""
    if isinstance(value, pd.Timestamp | np.datetime64):
        return date(value)
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        return shortened(value)
    if not np.isfinite(value):
        return "\u2013"
    size = abs(float(value))
    if size and not TINY <= size < HUGE:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return signed(f"{mantissa}\u00b710{str(int(exponent)).translate(SUPERSCRIPTS)}")
    if float(value).is_integer():
        return grouped(f"{value:.0f}")
    decimals = max(0, digits - 1 - int(np.floor(np.log10(size))))
    rounded = round(float(value), digits - 1 - int(np.floor(np.log10(size))))
    text = f"{rounded:.{decimals}f}"
    return grouped(text.rstrip("0").rstrip(".") if "." in text else text)


def grouped(text: str) -> str:
    """Set the thousands of a written number apart."""
    whole, point, rest = text.lstrip("-").partition(".")
    if int(whole) >= GROUPED_FROM:
        whole = f"{int(whole):,}".replace(",", SPACE)
    return signed(("-" if text.startswith("-") else "") + whole + point + rest)


def signed(text: str) -> str:
    """Write a minus sign as one."""
    return text.replace("-", "\u2212", 1) if text.startswith("-") else text


def percent(share: float) -> str:
    """Return a share in percent: whole ones, but a decimal where that would say none or all of some."""
    if not np.isfinite(share):
        return "\u2013"
    rough = 0.0 < abs(share) < 0.01 or 0.99 < share < 1.0
    text = f"{100.0 * share:.1f}" if rough else f"{100.0 * share:.0f}"
    if text in ("100.0", "0.0", "-0.0"):
        text = {"100.0": "over 99.9", "0.0": "under 0.1", "-0.0": "0"}[text]
    return f"{signed(text)}{SPACE}%"


def points(share: float) -> str:
    """Return a difference of shares in points of a hundred."""
    return number(round(100.0 * share, 1))


def date(value: Any) -> str:
    """Return a day, with the time of the day where there is one."""
    stamp = pd.Timestamp(value)
    return str(stamp.strftime("%Y-%m-%d" if stamp == stamp.normalize() else "%Y-%m-%d %H:%M"))


def tick(value: float, _place: object = None) -> str:
    """Return a number beside an axis."""
    return number(0.0 if abs(value) < 1e-12 else round(value, 12))


def percent_tick(value: float, _place: object = None) -> str:
    """Return a share beside an axis."""
    return f"{100.0 * value:.0f}{SPACE}%"


def counted(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun: "1 row", "12 rows"."""
    return f"{number(int(count))} {one if count == 1 else many or one + 's'}"


def quoted(name: object) -> str:
    """Return a name of the file in quotes."""
    return f"'{short(name, 40)}'"
