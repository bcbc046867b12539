"""Fields of every record of a text, counted while its bytes pass by on their way to the parser.

The parser fills short records up in silence, and some of its versions cut off the end of a long one that
begins a piece of a file.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder

import numpy as np
from numpy.typing import NDArray

from rowtrust.workflow.tables.layout import BLANK

AT_ONCE = 1 << 20
"""Bytes that are counted at once. It does not matter much: a gigabyte takes some six seconds."""

SHOWN = 5
"""Short rows that a note names before it counts the rest; readability alone."""


class FieldCounter:
    """Counts the fields of every record of a text.

    Parameters
    ----------
    delimiter
        Between fields: one letter, or ``BLANK``.
    codec
        Of the bytes.
    width
        How many fields there should be.

    Attributes
    ----------
    n_short
        Records with fewer fields, up to now.
    short
        Numbers of the first of them, the first record of the text being 0.
    too_long
        Number, line and fields of the first record with more fields; None if there is none.
    """

    def __init__(self, delimiter: str, codec: str, width: int) -> None:
        self._decoder = getincrementaldecoder(codec)(errors="replace")
        self._delimiter, self._width = delimiter.encode(), width
        self._is_blank = delimiter == BLANK
        apart = rb" \t" if self._is_blank else re.escape(self._delimiter)
        # A quote begins a quoted field only where a field begins; two in one stand for a quote.
        begins = rb"(?<![^\n" + apart + rb'])"'
        self._quoted, self._open = re.compile(begins + rb'(?:[^"]++|"")*+"'), re.compile(begins)
        self._rest, self._parts = b"", list[bytes]()
        self._size, self._wanted = 0, AT_ONCE
        self._lines = self._records = self.n_short = 0
        self.short: list[int] = []
        self.too_long: tuple[int, int, int] | None = None

    def feed(self, found: bytes) -> None:
        """Take the next bytes."""
        self._parts.append(found)
        self._size += len(found)
        if self._size >= self._wanted:
            self.count()

    def count(self, is_end: bool = False) -> None:
        """Count all records that are whole."""
        text = self._rest + self._decoder.decode(b"".join(self._parts), is_end).encode()
        # The last letter may be the first half of a line's end.
        end = len(text) if is_end else 1 + max(text.rfind(b"\n"), text.rfind(b"\r", 0, len(text) - 1))
        lines = text[:end].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        bare = self._quoted.sub(b"q", lines) if b'"' in lines else lines
        if self._open.search(bare) and not is_end:  # a field goes on: what to come may be as long again
            self._keep(text)
            self._wanted = 2 * self._size
            return
        self._keep(text[end:])
        self._wanted = AT_ONCE + self._size
        if bare:
            self._add(bare if bare.endswith(b"\n") else bare + b"\n")

    def notes(self, has_header: bool) -> tuple[str, ...]:
        """Say which rows are short, as people count them: from 1, below the header."""
        if not self.n_short:
            return ()
        numbers = [str(record + (not has_header)) for record in self.short]
        more = self.n_short - len(numbers)
        rows = ", ".join(numbers) + f" and {more} more" * bool(more)
        first = "header" if has_header else "first row"
        who, lack = ("row", "it lacks") if self.n_short == 1 else ("rows", "they lack")
        return (f"{who} {rows}: fewer fields than the {first}; the cells that {lack} count as missing",)

    def _keep(self, text: bytes) -> None:
        """Keep what is not counted yet."""
        self._rest = text
        self._parts, self._size = [], len(text)

    def _add(self, bare: bytes) -> None:
        """Count records none of which has a delimiter or the end of a line in a field."""
        fields = self._fields(bare)
        rows = fields > 0
        longer = np.flatnonzero(fields > self._width)
        if len(longer) and self.too_long is None:
            line = int(longer[0])
            record = self._records + int(rows[:line].sum())
            self.too_long = record, self._lines + line + 1, int(fields[line])
        short = np.flatnonzero(fields[rows] < self._width)
        self.short += (self._records + short[: SHOWN - len(self.short)]).tolist()
        self.n_short += len(short)
        self._lines, self._records = self._lines + len(fields), self._records + int(rows.sum())

    def _fields(self, bare: bytes) -> NDArray[np.intp]:
        """Return how many fields each line has; none if it is empty, which is no record."""
        if self._is_blank:
            return np.array([len(line.split()) for line in bare.split(b"\n")[:-1]], dtype=np.intp)
        letters = np.frombuffer(bare, dtype=np.uint8)
        ends = np.flatnonzero(letters == ord(b"\n"))
        before = np.searchsorted(np.flatnonzero(letters == ord(self._delimiter)), ends)
        fields = np.diff(before, prepend=0) + 1
        starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
        for line in np.flatnonzero(fields == 1) if self._width > 1 else ():
            fields[line] = bool(bare[starts[line] : ends[line]].strip())
        return fields
