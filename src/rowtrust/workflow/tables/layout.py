"""How a text file is laid out: its encoding, its delimiter, the names in its header."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, getincrementaldecoder, lookup
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pandas.errors import EmptyDataError

from rowtrust.limits import Limits
from rowtrust.workflow.tables.errors import InputError, listed
from rowtrust.workflow.tables.sources import LONGEST_LINE, TooLongError

DELIMITERS = (",", "\t", ";", "|")
"""Delimiters that are looked for, the commonest first: it wins ties. Others must be named."""

BLANK = " "
"""The delimiter of files without any of those, whose lines have several fields: a run of blanks is one."""

PEEK = 1 << 18
"""Bytes of a file in which its delimiter is looked for; the header itself may be longer."""

SEPARATOR = re.compile(r'"?sep=(.)"?')
"""A first line that tells Excel the delimiter."""

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
    def encoding_is_plain(self) -> bool:
        """Whether a text begins with itself: no mark of the order of bytes."""
        return not self.encoding.lower().startswith(("utf-16", "utf16", "utf-32", "utf32"))

    @property
    def codec(self) -> str:
        """The codec to read with: for UTF-8 one that skips a byte order mark."""
        return "utf-8-sig" if self.is_utf8 else self.encoding


def look_ahead(stream: Any, layout: Layout, name: str) -> str:
    """Return the delimiter, from the first record of a file; refuse what is no text, or has too many columns.

    A first line ``sep=;``, which Excel reads as the name of the delimiter, is passed over.
    """
    head = stream.peek(PEEK)
    if not head.strip():
        raise EmptyDataError
    check_text(head, layout, name)
    record = first_record(stream, layout.codec)
    separator = SEPARATOR.fullmatch(record.strip())
    if separator and layout.encoding_is_plain:
        stream.read(head.find(record.encode(layout.encoding)) + len(record.encode(layout.encoding)))
        return look_ahead(stream, replace(layout, delimiter=layout.delimiter or separator[1]), name)
    delimiter = layout.delimiter or sniffed(record)
    # Before anything is made for each of them.
    bare = QUOTED.sub("", record)
    fields = len(bare.split()) if delimiter == BLANK else bare.count(delimiter) + 1
    layout.limits.check("columns", fields, name)
    return delimiter


def check_text(head: bytes, layout: Layout, name: str) -> None:
    """Refuse bytes that are no text of this encoding by how they begin."""
    if not getattr(lookup(layout.encoding), "_is_text_encoding", True):
        raise LookupError(layout.encoding)
    if layout.is_utf8 and (b"\x00" in head or head.startswith(b"\xff\xfe")):
        raise InputError(f"{name} is no text file. Save it as CSV, or try --encoding utf-16.")
    if not layout.is_utf8 and head.startswith(BOM_UTF8):
        raise InputError(f"{name} begins as UTF-8 text does. Leave --encoding out.")


def first_record(stream: Any, encoding: str) -> str:
    """Return the first record that is not empty, which may have line ends in quotes, however long it is."""
    size = PEEK
    while True:
        head = stream.peek(size)
        # A character may be cut where the look ahead ends.
        text = getincrementaldecoder(encoding)().decode(head)
        lines: list[str] = []
        quotes = 0
        for line in text.splitlines(keepends=True):
            if not (lines or line.strip()):
                continue
            lines.append(line)
            quotes += line.count('"')
            if quotes % 2 == 0 and line.endswith(("\n", "\r")):
                return "".join(lines).rstrip("\r\n")
        if len(head) < size:
            return "".join(lines)
        if size > LONGEST_LINE:
            raise TooLongError(LONGEST_LINE, is_line=True)
        size *= 4


def sniffed(line: str) -> str:
    """Return the delimiter that splits a line into most fields; those in quotes do not count."""
    bare = QUOTED.sub("", line)
    best = max(DELIMITERS, key=bare.count)
    return best if best in bare or len(bare.split()) < 2 else BLANK


def names_of(fields: Sequence[str], layout: Layout, name: str) -> list[str]:
    """Return the names of the columns, from the fields of the first record."""
    if not layout.header:
        return [str(number) for number in range(1, len(fields) + 1)]
    names = [field.strip() or f"column {number}" for number, field in enumerate(fields, 1)]
    check_names(names, name)
    return names


def check_names(names: Sequence[str], source: str) -> None:
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
