"""The most memory that this process has used."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

STATUS = Path("/proc/self/status")


def resident_peak() -> float:
    """Return the high-water mark of resident memory, in MiB.

    Linux carries ``getrusage``'s mark over from the process that started this one, so a child of a
    large process would look large itself: there the kernel's own mark is read.
    """
    if STATUS.exists():
        for line in STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 1024
