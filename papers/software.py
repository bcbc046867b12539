"""With what a result was made."""

from __future__ import annotations

import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

LIBRARIES = ("numpy", "scipy", "scikit-learn", "imbalanced-learn")
"""Whose versions can change a result."""


@cache
def software() -> str:
    """Return the versions that can change a result, and the kind of machine, for its times."""
    found = [f"python {platform.python_version()}"]
    for library in LIBRARIES:
        try:
            found.append(f"{library} {version(library)}")
        except PackageNotFoundError:
            continue
    return f"{', '.join(found)}; {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
