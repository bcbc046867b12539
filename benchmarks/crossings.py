"""How much code a call walks through: functions, files, pairs of packages, and switches between them.

Runs on any state of the code, so that two can be compared::

    python benchmarks/crossings.py                      # the package installed here
    PYTHONPATH=OTHER/src python benchmarks/crossings.py --package OLDNAME

A package is a folder or a module directly below the root. Two are a pair if a function of the one calls a
function of the other. A switch is a pair of functions of which one calls the other across a border between
packages, each counted once however often it is called.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

ROWS = 200
"""Rows of the default fit."""

BEFORE = {"functions": 329, "files": 68, "pairs of packages": 34}
"""What the default fit took before there was one road from rows to a model (commit 20d2218)."""


@dataclass
class Walk:
    """Functions of a package that were called, and the pairs of them that call across packages."""

    root: Path
    functions: set[str] = field(default_factory=set)
    switches: set[tuple[str, str]] = field(default_factory=set)

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        """Note a call; what is not of the package is transparent."""
        if event != "call" or (called := self.place(frame)) is None:
            return
        self.functions.add(called)
        caller, above = None, frame.f_back
        while above is not None and (caller := self.place(above)) is None:
            above = above.f_back
        if caller is not None and self.package(caller) != self.package(called):
            self.switches.add((caller, called))

    def place(self, frame: FrameType) -> str | None:
        """Return ``file:function`` of a frame of the package, None for any other.

        Comprehensions are none: from Python 3.12 on they have no frames.
        """
        path = Path(frame.f_code.co_filename)
        if not path.is_relative_to(self.root) or frame.f_code.co_name.startswith("<"):
            return None
        return f"{path.relative_to(self.root)}:{frame.f_code.co_qualname}"

    @staticmethod
    def package(place: str) -> str:
        """Return the package of a place: the first part of its path."""
        return place.split(":")[0].split("/")[0]

    @property
    def pairs(self) -> set[tuple[str, str]]:
        """The packages of which one calls the other, as (caller, called)."""
        return {(self.package(caller), self.package(called)) for caller, called in self.switches}

    @property
    def files(self) -> int:
        """How many files the functions stand in."""
        return len({function.split(":")[0] for function in self.functions})


def walked(root: Path, call: Callable[[], Any]) -> Walk:
    """Call, and note the walk."""
    walk = Walk(root)
    sys.setprofile(walk)
    try:
        call()
    finally:
        sys.setprofile(None)
    return walk


def rows(n_rows: int) -> tuple[Any, Any]:
    """Return inputs, and classes that follow the first of them."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n_rows, 2))
    return X, (X[:, 0] + 0.3 * generator.normal(size=n_rows) > 0).astype(int)


def calls(package: Any) -> dict[str, Callable[[], Any]]:
    """Return what is walked: fits and a prediction on small data."""
    X, label = rows(120)
    number = np.sin(X[:, 0]) + 0.1 * np.random.default_rng(1).normal(size=120)
    fitted = package.RobustRVC().fit(X, label)
    return {
        "RobustRVC().fit": lambda: package.RobustRVC().fit(X, label),
        "predict_proba": lambda: fitted.predict_proba(X),
        "BayesianSVR().fit": lambda: package.BayesianSVR().fit(X[:60], number[:60]),
        "the command's fit": lambda: command(package.__name__, X, label),
    }


def command(name: str, X: Any, label: Any) -> None:
    """Run ``fit`` of the command line on a small table, in this process."""
    app = importlib.import_module(f"{name}.cli.app").app
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.csv"
        np.savetxt(table, np.column_stack([X, label]), delimiter=",", header="a,b,c", comments="")
        arguments = ["fit", str(table), "-t", "c", "-o", f"{folder}/results", "--quiet"]
        app(arguments, standalone_mode=False)


def main() -> None:
    """Print one line a call."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--package", default="rowtrust", help="name of the package to import")
    package = importlib.import_module(parser.parse_args().package)
    root = Path(str(package.__file__)).parent
    package.RobustRVC().fit(*rows(ROWS))  # what is imported on first use is no part of a walk
    print_default_fit(walked(root, lambda: package.RobustRVC().fit(*rows(ROWS))))
    print(f"\n{'call':20s} {'functions':>9s} {'files':>6s} {'pairs':>6s} {'switches':>9s}")
    for name, call in calls(package).items():
        walk = walked(root, call)
        counts = f"{len(walk.functions):9d} {walk.files:6d} {len(walk.pairs):6d} {len(walk.switches):9d}"
        print(f"{name:20s} {counts}")


def print_default_fit(walk: Walk) -> None:
    """Print what a default fit walks through, a line a figure."""
    print(f"RobustRVC().fit of {ROWS} rows of two inputs")
    found = {"functions": len(walk.functions), "files": walk.files, "pairs of packages": len(walk.pairs)}
    for what, count in found.items():
        print(f"{what}: {count} (before one road from rows to a model: {BEFORE[what]})")


if __name__ == "__main__":
    main()
