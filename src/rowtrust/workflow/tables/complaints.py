"""What is said of data that cannot be used."""

from __future__ import annotations

from collections.abc import Iterable


class InputError(ValueError):
    """Data that cannot be used; the message is one line and names the cure."""


def listed(names: Iterable[object], most: int = 5) -> str:
    """Return names in quotes, at most a few of them."""
    every = [f"'{shortened(name)}'" for name in names]
    shown = ", ".join(every[:most])
    return shown if len(every) <= most else f"{shown} and {len(every) - most} more"


def shortened(value: object, most: int = 60) -> str:
    """Return a value of a file as short, printable text."""
    text = "".join(letter if letter.isprintable() else " " for letter in str(value))
    return text if len(text) <= most else f"{text[: most - 1]}…"
