"""What is repeated: a function of a seed, and what tells its records from all others."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np

from papers.code import digest as code_digest
from papers.datasets import digest as data_digest

Record = dict[str, Any]
"""What one repeat measured."""


@dataclass(frozen=True)
class Experiment:
    """One cell of a protocol, to be repeated.

    Parameters
    ----------
    name
        What the records are filed under.
    function
        Called as ``function(seed, data, **settings)``; a function of a module, so that other processes
        can find it. Returns what JSON can write.
    settings
        The cell's settings. Records of other settings are not mistaken for these.
    repeats
        How many records there shall be.
    stream
        Experiments of one stream get the same seeds: their repeats are paired.
    datasets
        Names of the data sets that the function reads. Records of other contents are not mistaken for these.
    """

    name: str
    function: Callable[..., Record]
    settings: dict[str, Any] = field(default_factory=dict)
    repeats: int = 1
    stream: str = ""
    datasets: tuple[str, ...] = ()

    def seed(self, base: int, repeat: int) -> int:
        """Return the seed of a repeat, a different one for every stream and repeat."""
        words = [base, crc32((self.stream or self.name).encode()), repeat]
        return int(np.random.SeedSequence(words).generate_state(1)[0] % 2**31)

    def fingerprint(self, base: int, data: str | None) -> str:
        """Return what tells these settings, this seed, this code and these data from all others."""
        contents = [data_digest(name, data) for name in self.datasets]
        identity = [self.name, self.settings, self.stream, base, code_digest(self.function), contents]
        return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:12]
