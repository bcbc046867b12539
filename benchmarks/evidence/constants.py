"""What each constant is worth: halved and doubled, on seven small development problems.

A constant is a number, or a tuple of numbers, in capitals, or a field of ``Budget``. It is patched where it
is defined and wherever it was imported. Values between a half and one are scaled by their distance from
one, for most are shares.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.evidence.cases import CLEAN, dirty_case
from benchmarks.evidence.keys import ROOTS
from benchmarks.evidence.measures import evaluate
from benchmarks.evidence.ours import CLASSIFIERS, REGRESSORS
from rowtrust.estimators._machine import budget
from rowtrust.fitting import Budget

PACKAGES = ("fitting", "trust", "kernels", "inference")
"""Where constants are looked for."""

FACTORS = (0.5, 2.0)
BASE = "as it is"
"""What a constant is multiplied by, and the name of the run with none changed."""

PROBLEMS = (
    ("ripley", "uniform", 0.2),
    ("pima", CLEAN, 0.0),
    ("new-thyroid", "one-sided", 0.2),
    ("titanic", "class-dependent", 0.2),
    ("boston", CLEAN, 0.0),
    ("yacht", "one-sided", 0.2),
    ("mpg", "moderate", 0.2),
)
"""Tables of the development half with an error each: easy and hard ones, two classes and three, clean
and dirty."""


def names() -> list[str]:
    """Return the constants, as module and name."""
    root = ROOTS["rowtrust"]
    found = []
    for file in sorted(path for package in PACKAGES for path in (root / package).glob("*.py")):
        module = ".".join(("rowtrust", *file.relative_to(root).with_suffix("").parts))
        found += [f"{module}.{name}" for name in capitals(file) if is_number(value_of(module, name))]
    return [*found, *(f"Budget.{each.name}" for each in fields(Budget))]


def capitals(file: Path) -> Iterator[str]:
    """Yield the names in capitals that a module assigns."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        parts = (part for target in targets for part in ast.walk(target))
        yield from (part.id for part in parts if isinstance(part, ast.Name) and part.id.isupper())


def value_of(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


def is_number(value: Any) -> bool:
    """Return whether a value is a number other than zero and one, or several numbers."""
    if isinstance(value, tuple):
        return bool(value) and all(map(is_number, value))
    return isinstance(value, int | float) and not isinstance(value, bool) and value not in (0, 1)


def scaled(value: Any, factor: float) -> Any:
    """Return a constant, halved or doubled."""
    if isinstance(value, tuple):
        return tuple(scaled(each, factor) for each in value)
    if isinstance(value, int):
        return max(1, round(value * factor))
    return 1.0 - (1.0 - value) * factor if 0.5 < value < 1.0 else value * factor


@contextmanager
def changed(constant: str, factor: float) -> Iterator[None]:
    """Scale a constant inside of the ``with`` block."""
    if constant == BASE:
        yield
    elif constant.startswith("Budget."):
        with changed_field(constant.split(".")[1], factor):
            yield
    else:
        module, name = constant.rsplit(".", 1)
        old = value_of(module, name)
        places = list(holders(sys.modules[module], name, old))
        for place in places:
            setattr(place, name, scaled(old, factor))
        try:
            yield
        finally:
            for place in places:
                setattr(place, name, old)


def holders(home: ModuleType, name: str, value: Any) -> Iterator[ModuleType]:
    """Yield the module of a constant, and those that imported it."""
    yield home
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if module is home or not file or not getattr(module, "__name__", "").startswith("rowtrust."):
            continue
        if vars(module).get(name) is value and name not in capitals(Path(file)):
            yield module


@contextmanager
def changed_field(name: str, factor: float) -> Iterator[None]:
    """Scale a limit of all fits inside of the ``with`` block."""
    limits = budget()
    old = getattr(limits, name)
    object.__setattr__(limits, name, scaled(old, factor))  # it is frozen, for everyone else
    try:
        yield
    finally:
        object.__setattr__(limits, name, old)


def constants(settings: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """Measure our two robust machines on all problems with one constant changed."""
    cases = [
        dirty_case({"table": table, "noise": noise, "rate": rate, "split": 0, "rows": settings["rows"]}, data)
        for table, noise, rate in PROBLEMS
    ]
    with changed(settings["constant"], settings["factor"]):
        found = [
            evaluate(CLASSIFIERS if case.is_classes else REGRESSORS, robust(case.is_classes), case)
            for case in cases
        ]
    line: dict[str, Any] = {"seconds": sum(each["seconds"] for each in found)}
    for measure in ("error", "log_loss", "rmse", "log_score", "precision"):
        line[measure] = float(np.mean([each[measure] for each in found if measure in each]))
    return line


def robust(is_classes: bool) -> str:
    return "RobustRVC" if is_classes else "RobustRVR"
