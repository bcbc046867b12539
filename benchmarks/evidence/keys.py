"""What names a result: the code that it can reach, and its settings.

Docstrings, comments and the texts of messages are no part of the code: they may change without a fit.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import rowtrust
from papers.code import SHOWS_ONLY, is_text, names_imported

ROOTS = {
    "benchmarks": Path(__file__).resolve().parents[1],
    "rowtrust": Path(rowtrust.__file__).resolve().parent,
}
"""The packages whose code is followed; others are named by their versions on the pages."""

LENGTH = 12
"""Digits of a key: two of a million cells share one once in five hundred runs."""


def key(module: str, settings: Mapping[str, Any]) -> str:
    """Return what names the result of a module's code under some settings."""
    text = json.dumps(settings, sort_keys=True, default=str)
    return hashlib.sha256(f"{digest(module)} {text}".encode()).hexdigest()[:LENGTH]


@cache
def digest(module: str) -> str:
    """Return the digest of a module with all that it imports, directly or not."""
    found = hashlib.sha256()
    for file in sorted(reached(module), key=place):
        found.update(f"{place(file)}\n{statements(file)}\n".encode())
    return found.hexdigest()


def place(file: Path) -> str:
    """Return where a file is in its package, wherever that lies."""
    root = next(root for root in ROOTS.values() if file.is_relative_to(root))
    return f"{root.name}/{file.relative_to(root).as_posix()}"


def reached(module: str) -> set[Path]:
    """Return the files of a module and of all that it imports of the packages here."""
    seen: set[Path] = set()
    waiting = list(files_of(module))
    while waiting:
        file = waiting.pop()
        if file not in seen and place(file) not in SHOWS_ONLY:
            seen.add(file)
            waiting += (each for name in names_imported(file) for each in files_of(name))
    return seen


def files_of(name: str) -> Iterator[Path]:
    """Yield the files that an import of a dotted name runs: the packages above it, and its own."""
    first, *rest = name.split(".")
    if first in ROOTS:
        for depth in range(len(rest) + 1):
            there = ROOTS[first].joinpath(*rest[:depth])
            yield from (path for path in (there.with_suffix(".py"), there / "__init__.py") if path.is_file())


@cache
def statements(file: Path) -> str:
    """Return the statements of a module, without docstrings, comments and texts of messages."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [each for each in body if not is_text(each)] or [ast.Pass()]  # type: ignore[attr-defined]
    return ast.unparse(ast.fix_missing_locations(Silent().visit(tree)))


class Silent(ast.NodeTransformer):
    """Takes the texts out of errors and warnings."""

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        """Take the texts out of what is raised."""
        return Wordless().visit(node)  # type: ignore[no-any-return]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Take the texts out of what is warned of."""
        if isinstance(node.func, ast.Attribute) and node.func.attr == "warn":
            return Wordless().visit(node)  # type: ignore[no-any-return]
        return self.generic_visit(node)


class Wordless(ast.NodeTransformer):
    """Makes every text empty."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Leave nothing of a text with values in it."""
        return ast.Constant("")

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Leave nothing of a text."""
        return ast.Constant("") if isinstance(node.value, str) else node
