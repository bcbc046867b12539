"""Files open for reading, recognised by what they are, not by what they are called."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import pyarrow

from rowtrust.workflow.tables.errors import InputError, shortened

PARQUET = b"PAR1"
"""How a Parquet file begins, by its format."""

UNPACKING: dict[bytes, Any] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
    b"\x28\xb5\x2f\xfd": lambda stream: pyarrow.CompressedInputStream(stream, "zstd"),
}
"""How archives begin, by their formats, and what unpacks them."""

NAME_LENGTH = 200
"""Characters of a path that a message shows; most paths fit, and none fills a screen."""


LARGEST = 2**30
"""Bytes of a file that are read whole; a kernel machine on more rows needs a sample anyway. A guard."""

LONGEST_LINE = 2**26
"""Bytes without the end of a line after which a text is no table; 100 000 columns take a tenth. A guard."""


class TooLongError(Exception):
    """A stream goes on beyond its limit, or a line of it does."""

    def __init__(self, limit: float, is_line: bool = False) -> None:
        super().__init__(limit)
        self.limit, self.is_line = limit, is_line


@dataclass
class Source:
    """A file open for reading, unpacked on the way.

    Attributes
    ----------
    name
        For messages.
    stream
        Its bytes; ``peek`` looks ahead.
    size
        Bytes on disk, zero where nobody knows.
    is_parquet
        Whether it is a Parquet file rather than text.
    most
        Bytes that may be read, once unpacked.
    is_excel
        Whether it is an Excel workbook.
    """

    name: str
    stream: Any
    size: int
    is_parquet: bool
    most: float = inf
    is_excel: bool = False

    def limit(self, size: float) -> None:
        """Refuse to read beyond so many bytes, or beyond an earlier limit."""
        self.most = min(size, self.most)
        if not (self.is_parquet or self.is_excel):
            self.stream.limit = self.most

    def check(self, size: float) -> None:
        """Refuse what has become too long."""
        if size > self.most:
            raise TooLongError(self.most)


@contextmanager
def open_source(source: str) -> Iterator[Source]:
    """Open a path, or standard input for ``-``; unpack gzip, bzip2, xz, zstandard and zip."""
    with ExitStack() as closing:
        name, size, raw = source_name(source), 0, sys.stdin.buffer
        if source != "-":
            raw = closing.enter_context(open(source, "rb"))
            size = os.fstat(raw.fileno()).st_size
        packed = LookAhead(raw)
        content = unpacked(packed, name)
        if isinstance(content, Workbook):
            yield Source(name, content, size, False, is_excel=True)
            return
        stream = LookAhead(content)
        if stream.peek(len(PARQUET)) != PARQUET:
            stream.is_text = True
            yield Source(name, stream, size, False)
        elif content is packed and can_be_read_again(source):
            raw.seek(0)
            yield Source(name, raw, size, True)
        else:  # Parquet is read from its end, so it needs a file or all its bytes.
            stream.limit = LARGEST
            yield Source(name, io.BytesIO(stream.readall()), size, True)


def can_be_read_again(source: str) -> bool:
    """Whether a source is a regular file: pipes and standard input give their bytes once."""
    return source != "-" and Path(source).is_file()


def file_state(source: str) -> tuple[int, ...]:
    """Return what changes with a file's content: which file it is, its size, and when it was written."""
    if not can_be_read_again(source):
        return ()
    state = os.stat(source)
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns


def source_name(source: str) -> str:
    """Return what messages call a source."""
    return "standard input" if source == "-" else shortened(source, NAME_LENGTH)


def unpacked(stream: Any, name: str) -> Any:
    """Return the stream, decompressed if it begins like an archive."""
    magic = stream.peek(6)
    for start, opened in UNPACKING.items():
        if magic.startswith(start):
            return opened(stream)
    return unpacked_zip(stream, name) if magic.startswith(b"PK") else stream


class Workbook(io.BytesIO):
    """The bytes of an Excel workbook."""


def unpacked_zip(stream: Any, name: str) -> Any:
    """Return the one file of a zip archive, or a workbook, which is such an archive as a whole."""
    try:
        stream.limit = LARGEST
        content = stream.readall()
        archive = ZipFile(io.BytesIO(content))
    except BadZipFile as error:
        raise InputError(f"{name} is a damaged zip archive. Copy it again.") from error
    names = archive.namelist()
    if any(entry.startswith("xl/") for entry in names):
        return Workbook(content)
    if len(names) != 1:
        raise InputError(f"{name} is a zip archive of {len(names)} files. Unpack it and give one of them.")
    return archive.open(names[0])


class LookAhead(io.RawIOBase):
    """A stream of which the beginning can be seen before it is read.

    ``peek`` of the standard library's readers stops at the end of their small buffer, which can be
    in the middle of a header.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._ahead = b""
        self._given = 0
        self.limit = inf
        self.is_text = False
        self.refused = b""
        self.watch: Callable[[bytes], None] | None = None
        self._line = 0

    def readable(self) -> bool:
        """Whether it can be read: yes."""
        return True

    def peek(self, size: int) -> bytes:
        """Return up to ``size`` bytes without using them up."""
        while len(self._ahead) < size:
            more = self._stream.read(size - len(self._ahead))
            if not more:
                break
            self._ahead += more
        return self._ahead[:size]

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes."""
        found = self._ahead[: len(buffer)] or self._stream.read(len(buffer))
        self._ahead = self._ahead[len(found) :]
        self._given += len(found)
        if self._given > self.limit:
            raise TooLongError(self.limit)
        if self.refused and self.refused in found:
            raise InputError("the file has bytes that are no text. Save it as CSV, or name its --encoding.")
        end = found.rfind(b"\n")
        self._line = self._line + len(found) if end < 0 else len(found) - end
        if self.is_text and self._line > LONGEST_LINE:
            raise TooLongError(LONGEST_LINE, is_line=True)
        if self.watch is not None:
            self.watch(found)
        buffer[: len(found)] = found
        return len(found)
