"""Where results come from: versions, seed, settings and hashes, so that a study can be made again."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import asdict, fields
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd

import rowtrust
from rowtrust.workflow.input_data import InputTable
from rowtrust.workflow.tables import Layout
from rowtrust.workflow.tables.sources import file_state

LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "pyarrow")
"""Libraries whose versions results may depend on; those that compute or read."""

BLOCK = 1 << 20
"""Bytes of a file that are in memory at once while it is hashed. It does not matter much."""


def versions() -> dict[str, str]:
    """Return the versions of everything that results may depend on."""
    found = {"python": platform.python_version(), "rowtrust": rowtrust.__version__}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found


def input_record(
    data: InputTable, role: str, n_rows: int, layout: Layout, state: tuple[int, ...] | None = None
) -> dict[str, Any]:
    """Return what identifies a table that was read.

    Parameters
    ----------
    data
        The table.
    role
        "data" or "test".
    n_rows
        Rows it has.
    layout
        How its text was read.
    state
        Of the file when it was read: if it is another now, nobody can tell what was read, and there is no
        hash.
    """
    digest, size = None, None
    if data.frame is not None:
        digest = frame_hash(data.frame)
    elif data.can_be_read_again and state in (None, file_state(data.path)):
        digest, size = file_hash(data.path)
    return {
        "role": role,
        "path": data.file,
        "name": data.name,
        "bytes": size,
        "sha256": digest,
        "rows": n_rows,
        "layout": layout_record(layout),
    }


def layout_record(layout: Layout) -> dict[str, Any]:
    """Return how text was read, without the limits, which change no result."""
    return {each.name: getattr(layout, each.name) for each in fields(layout) if each.name != "limits"}


def file_hash(path: str) -> tuple[str, int]:
    """Return the SHA-256 of a file and its size, by reading it in pieces."""
    digest, size = hashlib.sha256(), 0
    with open(path, "rb") as file:
        while piece := file.read(BLOCK):
            digest.update(piece)
            size += len(piece)
    return digest.hexdigest(), size


def frame_hash(frame: pd.DataFrame) -> str:
    """Return a hash of the names, kinds and cells of a frame; its index does not count."""
    digest = hashlib.sha256()
    for place, name in enumerate(frame.columns):
        column = frame.iloc[:, place]
        digest.update(f"{name!r} {column.dtype}\n".encode())
        try:
            hashed = pd.util.hash_pandas_object(column, index=False)
        except TypeError:  # cells that are lists or mappings
            hashed = pd.util.hash_pandas_object(column.map(repr), index=False)
        digest.update(hashed.to_numpy().tobytes())
    return digest.hexdigest()


def manifest(study: Any) -> dict[str, Any]:
    """Return where the results of a study come from, for JSON.

    Files are named without their folders; only the command stands there as it was typed, with the paths and
    addresses that were typed.
    """
    fitted = study.fitted
    inputs = study.provenance.get("inputs", [])
    return {
        "written": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "command": study.settings.command,
        "seed": study.settings.seed,
        "settings": asdict(study.settings),
        "inputs": [{**each, "path": each["path"] and Path(each["path"]).name} for each in inputs],
        "rows": {
            "train": fitted.n_fitted,
            "judged": len(study.judged.rows.y),
            "without_target": study.n_unusable,
        },
        "versions": versions(),
    }
