"""How much code there is: lines of every package without docstrings, comments and blank lines, and constants.

Runs on any state of the code, so that two can be compared::

    python -m benchmarks.lines                     # this checkout
    python -m benchmarks.lines OTHER/src/rowtrust  # another one
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "rowtrust"

SILENT = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
)
"""Tokens that do not make a line one of code."""


def code_lines(text: str) -> int:
    """Return how many lines of a module hold code."""
    prose = string_statements(ast.parse(text))
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SILENT:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - prose)


def string_statements(tree: ast.AST) -> set[int]:
    """Return the lines of docstrings, those of constants included."""
    found: set[int] = set()
    for node in ast.walk(tree):
        is_string = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_string and isinstance(node.value.value, str):
            found.update(range(node.lineno, node.end_lineno + 1))
    return found


def constants(text: str) -> int:
    """Return how many numbers the constants of a module are: names in capitals at its top level."""
    count = 0
    for node in ast.parse(text).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        names = [each for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
        if names and all(name.id.isupper() for name in names) and node.value is not None:
            count += has_number(node.value) and len(names)
    return count


def has_number(value: ast.AST) -> bool:
    """Whether an expression has a number in it."""
    return any(
        isinstance(each, ast.Constant) and isinstance(each.value, int | float) and each.value is not True
        for each in ast.walk(value)
    )


def main() -> None:
    """Print a line a package, and the sums."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    files, lines, numbers = Counter[str](), Counter[str](), Counter[str]()
    for path in sorted(root.rglob("*.py")):
        text, parts = path.read_text(), path.relative_to(root).parts
        package = parts[0] if len(parts) > 1 else "(root)"
        files[package] += 1
        lines[package] += code_lines(text)
        numbers[package] += constants(text)
    print(f"{'package':16s} {'files':>6s} {'lines':>6s} {'constants':>9s}")
    for package in sorted(files):
        print(f"{package:16s} {files[package]:6d} {lines[package]:6d} {numbers[package]:9d}")
    print(f"{'all':16s} {files.total():6d} {lines.total():6d} {numbers.total():9d}")


if __name__ == "__main__":
    main()
