"""How a text file is laid out: its encoding, its delimiter, the names in its header."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from pandas.errors import EmptyDataError

from rowtrust.workflow.tables.errors import InputError, listed

DELIMITERS = (",", "\t", ";", "|")
"""Delimiters that are looked for, the commonest first: it wins ties. Others must be named."""

PEEK = 1 << 18
"""Bytes of a file in which its header is looked for: thousands of columns. A guard."""


@dataclass(frozen=True)
class Layout:
    """How a text file is laid out.

    Attributes
    ----------
    delimiter
        Between fields; None to find out.
    encoding
        Of the text.
    decimal
        The decimal mark.
    header
        Whether the first line names the columns; otherwise they are called 1, 2, ...
    """

    delimiter: str | None = None
    encoding: str = "utf-8"
    decimal: str = "."
    header: bool = True

    @property
    def is_utf8(self) -> bool:
        """Whether the encoding is UTF-8, however it is spelt."""
        return self.encoding.lower() in ("utf-8", "utf8")

    @property
    def codec(self) -> str:
        """The codec to read with: for UTF-8 one that skips a byte order mark."""
        return "utf-8-sig" if self.is_utf8 else self.encoding


def header_of(head: bytes, layout: Layout, name: str) -> tuple[list[str], str]:
    """Return the column names and the delimiter, from the beginning of a file."""
    if not head.strip():
        raise EmptyDataError
    if layout.is_utf8 and (b"\x00" in head or head.startswith(b"\xff\xfe")):
        raise InputError(f"{name} is no text file. Save it as CSV, or try --encoding utf-16.")
    text = decoded(head, layout.encoding)
    delimiter = layout.delimiter or sniffed(text)
    fields = next((row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row), [])
    if not layout.header:
        return [str(number) for number in range(1, len(fields) + 1)], delimiter
    names = [field.strip() or f"column {number}" for number, field in enumerate(fields, 1)]
    check_names(names, name)
    if len(names) > 1 and all(is_number(field) for field in names):
        raise InputError(
            f"{name}: the first line holds numbers, not column names. Add a header or --no-header."
        )
    return names, delimiter


def decoded(head: bytes, encoding: str) -> str:
    """Decode whole lines, so that no character is cut."""
    whole = head if len(head) < PEEK else head[: head.rfind(b"\n") + 1] or head
    return whole.decode(encoding, errors="strict").lstrip("\ufeff")


def sniffed(text: str) -> str:
    """Return the delimiter that splits the first line into most fields."""
    line = text.lstrip().splitlines()[0]
    return max(DELIMITERS, key=lambda mark: len(next(csv.reader([line], delimiter=mark))))


def check_names(names: list[str], source: str) -> None:
    """Refuse two columns of one name."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"{source} has several columns called {listed(twice)}. Rename all but one.")


def is_number(text: str) -> bool:
    """Whether a text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
