"""Opening files by what they are, not by what they are called."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from rowtrust.workflow.tables.complaints import InputError, shortened


class TooLongError(Exception):
    """A stream goes on beyond its limit."""


@dataclass(frozen=True)
class Opened:
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
    """

    name: str
    stream: Any
    size: int
    is_parquet: bool


@contextmanager
def opened(source: str) -> Iterator[Opened]:
    """Open a path, or standard input for ``-``; unpack gzip, bzip2, xz, zstandard and zip."""
    with ExitStack() as closing:
        if source == "-":
            name, raw, size = "standard input", sys.stdin.buffer, 0
        else:
            name, raw, size = shortened(source, 200), open(source, "rb"), Path(source).stat().st_size  # noqa: SIM115
            closing.enter_context(raw)
        stream = LookAhead(unpacked(LookAhead(raw), name))
        is_parquet = stream.peek(4) == b"PAR1"
        if is_parquet:
            # Parquet is read from its end, so it needs a file or all its bytes.
            is_plain_file = source != "-" and isinstance(stream.below, LookAhead)
            yield Opened(name, source if is_plain_file else io.BytesIO(stream.read()), size, True)
        else:
            yield Opened(name, stream, size, False)


def unpacked(stream: Any, name: str) -> Any:
    """Return the stream, decompressed if it begins like an archive."""
    magic = stream.peek(6)
    if magic.startswith(b"\x1f\x8b"):
        return gzip.open(stream)
    if magic.startswith(b"BZh"):
        return bz2.open(stream)
    if magic.startswith(b"\xfd7zXZ"):
        return lzma.open(stream)
    if magic.startswith(b"\x28\xb5\x2f\xfd"):
        return unpacked_zstandard(stream)
    if magic.startswith(b"PK"):
        return unpacked_zip(stream, name)
    return stream


def unpacked_zstandard(stream: Any) -> Any:
    """Return a decompressed zstandard stream."""
    import pyarrow

    return pyarrow.CompressedInputStream(stream, "zstd")


def unpacked_zip(stream: Any, name: str) -> Any:
    """Return the one file of a zip archive."""
    try:
        archive = ZipFile(io.BytesIO(stream.read()))
    except BadZipFile as error:
        raise InputError(f"{name} is a damaged zip archive. Copy it again.") from error
    names = archive.namelist()
    if any(entry.startswith("xl/") for entry in names):
        raise InputError(f"{name} is an Excel workbook. Save the sheet as CSV.")
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
        self.limit: int | None = None

    @property
    def below(self) -> Any:
        """The stream it reads from."""
        return self._stream

    def readable(self) -> bool:
        """Whether it can be read: yes."""
        return True

    def seekable(self) -> bool:
        """Whether it can be moved in: no."""
        return False

    def peek(self, size: int) -> bytes:
        """Return up to ``size`` bytes without using them up."""
        while len(self._ahead) < size:
            more = self._stream.read(size - len(self._ahead))
            if not more:
                break
            self._ahead += more
        return self._ahead[:size]

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes."""
        if size is None or size < 0:
            size = -1 if self.limit is None else self.limit - self._given + 1
        if size < 0:
            ahead, self._ahead = self._ahead, b""
            return ahead + bytes(self._stream.read())
        ahead, self._ahead = self._ahead[:size], self._ahead[size:]
        found = ahead if ahead else bytes(self._stream.read(size))
        self._given += len(found)
        if self.limit is not None and self._given > self.limit:
            raise TooLongError
        return found

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
