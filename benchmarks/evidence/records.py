"""Results on disk: one CSV per page, one line per cell, and beside them how they were made."""

from __future__ import annotations

import csv
import json
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd

from papers.code import git
from rowtrust.atomic import written_aside

LIBRARIES = ("numpy", "scipy", "scikit-learn", "cleanlab", "pandas")
"""Whose versions can change a result."""

DIGITS = 5
"""Significant digits of a result: more are noise, and make files large."""

ABOUT = "about.json"
"""The file that says how all the others were made."""

MEASURES = {
    "labels": [
        "error",
        "log_loss",
        "calibration",
        "precision",
        "f1",
        "f1_look",
        "missed",
        "flagged",
        "right",
    ],
    "values": [
        "rmse",
        "log_score",
        "covered",
        "width",
        "precision",
        "f1",
        "f1_look",
        "missed",
        "flagged",
        "right",
    ],
    "real": [
        "error",
        "log_loss",
        "calibration",
        "rmse",
        "log_score",
        "covered",
        "width",
        "precision",
        "f1",
        "f1_look",
        "missed",
        "flagged",
        "right",
    ],
    "scaling": ["wall", "memory", "error", "log_loss", "rmse", "vectors"],
    "command": ["error", "log_loss", "calibration", "rmse"],
    "constants": ["error", "log_loss", "rmse", "log_score", "precision"],
}
"""What is measured for a page; besides CPU seconds, and why nothing was."""

DIRTY = ("table", "half", "noise", "rate", "split", "rows", "learner")
SETTINGS = {
    **{page: [*DIRTY] for page in ("labels", "values", "command")},
    "real": ["table", "half", "split", "rows", "learner"],
    "scaling": ["size", "form", "learner"],
    "constants": ["constant", "factor", "rows"],
}
"""What names a cell of a page."""


def columns(page: str) -> list[str]:
    """Return the columns of a page's results."""
    return [*SETTINGS[page], *MEASURES[page], "wrong", "n_fit", "seconds", "failed", "made", "key"]


@dataclass(frozen=True)
class Records:
    """The results of all pages in a folder."""

    folder: Path

    def file(self, page: str) -> Path:
        """Return the file of a page's results."""
        return self.folder / f"{page}.csv"

    def lines(self, page: str) -> pd.DataFrame:
        """Return a page's results; of cells that were measured more than once the last."""
        if not self.file(page).exists():
            return pd.DataFrame(columns=columns(page))
        text = dict.fromkeys(("table", "half", "noise", "learner", "failed", "key"), str)
        found = pd.read_csv(self.file(page), keep_default_na=False, na_values=[""], dtype=text)
        numbers = [name for name in ("rate", "factor", "seconds") if name in found]
        found = found.astype(dict.fromkeys(numbers, float))
        return found.drop_duplicates(SETTINGS[page], keep="last").reset_index(drop=True)

    def add(self, page: str, line: Mapping[str, Any]) -> None:
        """Add a result at the end of a page's file, whole."""
        is_new = not self.file(page).exists()
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.file(page).open("a", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, columns(page), lineterminator="\n")
            if is_new:
                writer.writeheader()
            writer.writerow({name: short(value) for name, value in line.items()})

    def tidy(self, page: str) -> None:
        """Write a page's results in order and each cell once, so that commits change little."""
        found = self.lines(page).sort_values(SETTINGS[page])
        if len(found):
            with written_aside(self.file(page)) as aside:
                found.to_csv(aside, index=False, lineterminator="\n")

    def runs(self) -> list[dict[str, Any]]:
        """Return how the results were made, one entry per run."""
        file = self.folder / ABOUT
        return json.loads(file.read_text(encoding="utf-8")) if file.exists() else []

    def begin(self, options: Mapping[str, Any]) -> int:
        """Note a run, and return its number."""
        runs = [*self.runs(), {**made_with(), **options}]
        self.folder.mkdir(parents=True, exist_ok=True)
        with written_aside(self.folder / ABOUT) as aside:
            aside.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
        return len(runs) - 1


def short(value: Any) -> Any:
    """Return a number with few digits; nothing for one that is not known."""
    if isinstance(value, float):
        return "" if value != value else f"{value:.{DIGITS}g}"
    return "" if value is None else value


def made_with() -> dict[str, Any]:
    """Return the commit, the versions and the machine."""
    commit = git("log", "-1", "--format=%H", "--", "src", "benchmarks") or "not known"
    changed = git("status", "--porcelain", "--", "src", "benchmarks")
    return {
        "commit": f"{commit[:12]} with changes on top" if changed else commit[:12],
        "python": platform.python_version(),
        "versions": {name: installed(name) for name in LIBRARIES},
        "machine": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
    }


def installed(name: str) -> str:
    """Return the version of a package."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"
