"""How a text file is laid out: its encoding, its delimiter, the names in its header."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from pandas.errors import EmptyDataError

from rowtrust.limits import Limits
from rowtrust.workflow.tables.errors import InputError, listed

DELIMITERS = (",", "\t", ";", "|")
"""Delimiters that are looked for, the commonest first: it wins ties. Others must be named."""

PEEK = 1 << 18
"""Bytes of a file in which its delimiter is looked for; the header itself may be longer."""

QUOTED = re.compile(r'"[^"]*"')
"""A field in quotes, which may contain delimiters that are none."""


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
    missing
        Words that stand for a missing cell, beside the usual ones.
    limits
        How large a table may be.
    """

    delimiter: str | None = None
    encoding: str = "utf-8"
    decimal: str = "."
    header: bool = True
    missing: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)

    @property
    def is_utf8(self) -> bool:
        """Whether the encoding is UTF-8, however it is spelt."""
        return self.encoding.lower() in ("utf-8", "utf8")

    @property
    def codec(self) -> str:
        """The codec to read with: for UTF-8 one that skips a byte order mark."""
        return "utf-8-sig" if self.is_utf8 else self.encoding


def delimiter_of(head: bytes, layout: Layout, name: str) -> str:
    """Return the delimiter, from the beginning of a file; refuse what is no text."""
    if not head.strip():
        raise EmptyDataError
    if layout.is_utf8 and (b"\x00" in head or head.startswith(b"\xff\xfe")):
        raise InputError(f"{name} is no text file. Save it as CSV, or try --encoding utf-16.")
    line = first_line(head, layout.codec)
    delimiter = layout.delimiter or sniffed(line)
    layout.limits.check("columns", line.count(delimiter), name)  # before anything is made for each of them
    return delimiter


def first_line(head: bytes, encoding: str) -> str:
    """Return the first line that is not empty; a character that is cut at the end does not matter."""
    text = getincrementaldecoder(encoding)().decode(head)
    return next((line for line in text.splitlines() if line.strip()), "")


def sniffed(line: str) -> str:
    """Return the delimiter that splits a line into most fields; those in quotes do not count."""
    bare = QUOTED.sub("", line)
    return max(DELIMITERS, key=bare.count)


def names_of(fields: Sequence[str], layout: Layout, name: str) -> list[str]:
    """Return the names of the columns, from the fields of the first record."""
    if not layout.header:
        return [str(number) for number in range(1, len(fields) + 1)]
    names = [field.strip() or f"column {number}" for number, field in enumerate(fields, 1)]
    check_names(names, name)
    if len(names) > 1 and all(is_number(field) for field in names):
        raise InputError(
            f"{name}: the first line holds numbers, not column names. Add a header or --no-header."
        )
    return names


def check_names(names: list[str], source: str) -> None:
    """Refuse two columns of one name."""
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise InputError(f"{source} has several columns called {listed(twice)}. Rename all but one.")


def is_number(text: str) -> bool:
    """Whether a text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
