"""Reading a zip archive that may lie: its parts one by one, within a budget of unpacked bytes."""

from __future__ import annotations

import io
import json
from collections import Counter
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from rowtrust.limits import LimitError, Limits

SMALL = 64 * 2**20
"""Bytes that any archive may unpack to, however small it is. Loading takes up to five times as much, and a
file below 1 MB shall not take more than 500 MB; the largest model of the tests unpacks to 3 MB."""

MOST_TIMES = 50
"""How many times its own size a larger archive may unpack to. Models of the tests unpack to 14 times their
size at most; ``save`` does not compress what would exceed this."""

BYTES_A_PART = 400
"""Bytes of JSON for each part that the limit on references allows. Schemas of the tests have up to 380 as
skops indents them, and 150 as ``save`` writes them. Parsed JSON takes up to five times its text."""

VALUES_A_PART = 16
"""Values in the JSON for each part that the limit allows: a part has five to eight. Empty lists cost three
bytes of text and 64 of memory, so their number must be known before they are made."""

READABLE = (ZIP_STORED, ZIP_DEFLATED)
"""Compressions that are accepted: those that ``save`` and skops write. LZMA could ask for gigabytes."""

ENCRYPTED = 0x1
"""The flag of an encrypted part; from the definition of the zip format."""


class DamagedError(ValueError):
    """An archive that cannot be read, or that says what cannot be; the message is a part of a sentence."""


class UntrustedError(ValueError):
    """An archive that asks for a type or a function which nobody vouches for.

    Parameters
    ----------
    names
        Full names of what was asked for, without repetitions.
    """

    def __init__(self, names: list[str]) -> None:
        super().__init__(", ".join(names))
        self.names = names


def unpacked_budget(size: int, limits: Limits) -> float:
    """Return how many bytes an archive of this size may unpack to."""
    return min(max(SMALL, MOST_TIMES * size), limits.model_bytes)


class Archive:
    """The parts of a zip archive in memory, read one by one within a budget.

    Parameters
    ----------
    content
        The bytes of the archive.
    budget
        Bytes that all parts that are read may unpack to.
    """

    def __init__(self, content: bytes, budget: float) -> None:
        self.left = self.budget = budget
        try:
            self._zip = ZipFile(io.BytesIO(content))
        except Exception as error:
            raise DamagedError("it is no zip archive that can be read") from error
        self._entries = {entry.filename: entry for entry in self._zip.infolist()}
        twice = [name for name, times in Counter(self._zip.namelist()).items() if times > 1]
        if twice:
            raise DamagedError(f"it has two parts called {twice[0][:40]!r}")
        if self.declared > budget:  # parts that nothing refers to count too
            raise LimitError("model_bytes")

    @property
    def names(self) -> list[str]:
        """Names of the parts."""
        return list(self._entries)

    @property
    def declared(self) -> int:
        """Bytes that all parts unpack to, as the archive says."""
        return sum(entry.file_size for entry in self._entries.values())

    def read(self, name: str) -> bytes:
        """Return a part; refuse it if it is more than the budget has left, or not as large as it says.

        Raises
        ------
        LimitError
            If there is more than the budget allows; the message is the limit's name alone.
        DamagedError
            If the part is not there or cannot be read.
        """
        entry = self._entries.get(name)
        if entry is None:
            raise DamagedError(f"its part {name[:40]!r} is not there")
        if entry.compress_type not in READABLE or entry.flag_bits & ENCRYPTED:
            raise DamagedError(f"its part {name[:40]!r} is encrypted, or packed in an unusual way")
        if entry.file_size > self.left:
            raise LimitError("model_bytes")
        try:
            with self._zip.open(entry) as stream:
                data = stream.read(entry.file_size + 1)
        except Exception as error:
            raise DamagedError(f"its part {name[:40]!r} cannot be unpacked") from error
        if len(data) != entry.file_size:
            raise DamagedError(f"its part {name[:40]!r} has not the size that it says")
        self.left -= len(data)
        return data


def parsed_json(data: bytes, name: str, limits: Limits) -> Any:
    """Return what a part says in JSON, if it has no more text and values than the limits allow.

    Raises
    ------
    LimitError
        If it has more; the message is the limit's name alone.
    DamagedError
        If it is no JSON.
    """
    values = sum(data.count(mark) for mark in (b",", b"[", b"{"))
    if len(data) > BYTES_A_PART * limits.references or values > VALUES_A_PART * limits.references:
        raise LimitError("references")
    try:
        return json.loads(data)
    except Exception as error:
        raise DamagedError(f"its part {name!r} is no JSON that can be read") from error
