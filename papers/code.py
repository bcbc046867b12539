"""Which code a result was made by."""

from __future__ import annotations

import ast
import hashlib
import inspect
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import rowtrust

PAPERS = Path(__file__).resolve().parent
"""The folder of this package."""

LIBRARY = Path(rowtrust.__file__).resolve().parent
"""The folder of the library under test."""


SHOWS_ONLY = {"rowtrust/__init__.py", "rowtrust/estimators/_card.py"}
"""Modules of the library that name what is public, or say what a fit has found: no number depends on them."""


def digest(function: Callable[..., Any]) -> str:
    """Return what tells the code that a function runs from any other.

    That is the function's own module, and what it imports of this package and of the library, directly or
    not. How results are shown is no part of it, nor are docstrings and comments: a page can change, and a
    sentence of the documentation, without a single fit.
    """
    own = Path(inspect.getsourcefile(function) or __file__).resolve()
    return digest_of(own)


@cache
def digest_of(module: Path) -> str:
    """Return the digest of a module with all that it imports of this package and of the library."""
    found = hashlib.sha256()
    for file in sorted(imported(module), key=place):
        found.update(place(file).encode())
        found.update(statements(file).encode())
    return found.hexdigest()


def place(file: Path) -> str:
    """Return where a file is in its package, wherever that lies; of a file in neither package its name."""
    for root in (PAPERS, LIBRARY):
        if file.is_relative_to(root):
            return f"{root.name}/{file.relative_to(root).as_posix()}"
    return file.name


@cache
def statements(file: Path) -> str:
    """Return the statements of a module, without docstrings and comments."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [each for each in body if not is_text(each)] or [ast.Pass()]  # type: ignore[attr-defined]
    return ast.unparse(ast.fix_missing_locations(tree))


def is_text(node: ast.stmt) -> bool:
    """Return whether a statement is only a string: a docstring, or what is said of a constant."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def imported(module: Path) -> set[Path]:
    """Return a module and all that it imports of this package and of the library, directly or not."""
    seen: set[Path] = set()
    waiting = [module]
    while waiting:
        file = waiting.pop()
        if file not in seen and place(file) not in SHOWS_ONLY:
            seen.add(file)
            waiting += neighbours(file)
    return seen


def neighbours(file: Path) -> Iterator[Path]:
    """Yield the modules of this package and of the library that a module names in its imports.

    The packages above a module are run with it, and are yielded too. ``rowtrust`` itself stands for all that
    is public, what only shows results included: it is left out, and experiments import from the packages
    that they run.
    """
    roots = {PAPERS.name: PAPERS, LIBRARY.name: LIBRARY}
    for name in names_imported(file):
        first, *rest = name.split(".")
        if first in roots:
            for depth in range(len(rest) + 1):
                there = roots[first].joinpath(*rest[:depth])
                candidates = (there.with_suffix(".py"), there / "__init__.py")
                yield from (path for path in candidates if path.is_file())


def names_imported(file: Path) -> Iterator[str]:
    """Yield the dotted names that a module imports; of a ``from`` both the module and its members."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            if node.level or not node.module:
                raise ValueError(f"{file} imports by dots, which nobody follows here: name the package.")
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def commit() -> str:
    """Return the last commit that touched the library or this package, and say what lies on top of it."""
    places = ["src", "papers"]
    found = git("log", "-1", "--format=%H", "--", *places)
    if not found:
        return "no commit is known"
    return f"{found} with changes on top" if git("status", "--porcelain", "--", *places) else found


def git(*words: str) -> str:
    """Return what git says of this checkout, nothing where there is none."""
    try:
        told = subprocess.run(
            ["git", *words], cwd=PAPERS.parent, capture_output=True, text=True, check=False, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return told.stdout.strip() if told.returncode == 0 else ""
