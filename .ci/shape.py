"""Check the shape of the code: short files and functions, and a line of reasons below every constant.

Every finding is printed with its file and line; the exit status is 1 if there is one. Docstrings do not
count: what users read may be as long as they need it.
"""

import ast
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"

MOST_LINES_OF_A_FILE, MOST_LINES_OF_A_FUNCTION = 315, 45
"""A file is read in one sitting, a function on one screen: a long function is a missing name."""


def is_text(node: ast.AST | None) -> bool:
    """Whether a statement is a string that says something: a docstring, or the line below a constant."""
    value = getattr(node, "value", None)
    return isinstance(node, ast.Expr) and isinstance(value, ast.Constant) and isinstance(value.value, str)


def lines_of_text(tree: ast.Module) -> int:
    """Return how many lines of a file are such strings."""
    bodies = [node.body for node in ast.walk(tree) if isinstance(getattr(node, "body", None), list)]
    return sum(each.end_lineno - each.lineno + 1 for body in bodies for each in body if is_text(each))


def long_ones(text: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line of a file or a function that is too long, and what is to be said of it."""
    if (lines := text.count("\n") - lines_of_text(tree)) > MOST_LINES_OF_A_FILE:
        yield 1, f"{lines} lines, {MOST_LINES_OF_A_FILE} at most"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0].end_lineno if ast.get_docstring(node) else node.lineno
            if (lines := node.end_lineno - first) > MOST_LINES_OF_A_FUNCTION:
                yield node.lineno, f"{node.name} has {lines} lines, {MOST_LINES_OF_A_FUNCTION} at most"


def constants_of(node: ast.AST | None) -> list[str]:
    """Return the names in capitals that a statement assigns, those in tuples too; not those of types."""
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return []
    kind = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else ast.unparse(node.value)
    if "TypeAlias" in kind or kind.startswith("TypeVar"):
        return []
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
    return [name for name in names if name.isupper()]


def statements(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, ast.stmt | None]]:
    """Yield every statement that runs at import, outside functions and classes, and the one after it."""
    for node, following in pairwise([*body, None]):
        yield node, following
        if isinstance(node, ast.If | ast.Try | ast.With | ast.For):
            for part in ("body", "orelse", "finalbody"):
                yield from statements(getattr(node, part, []))
            for handler in getattr(node, "handlers", []):
                yield from statements(handler.body)


def without_reasons(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the constants below which no string stands; one that is assigned again at once may wait."""
    for node, following in statements(tree.body):
        constants = constants_of(node)
        if constants and not is_text(following) and not set(constants) & set(constants_of(following)):
            yield node.lineno, f"say below {', '.join(constants)} what it does and how its value was chosen"


def main() -> int:
    """Print all findings and how many files were read; return the exit status."""
    paths, lines = sorted(SOURCE.rglob("*.py")), []
    for path in paths:
        text = path.read_text("utf-8")
        tree = ast.parse(text)
        found = [*long_ones(text, tree), *without_reasons(tree)]
        lines += [f"{path.relative_to(SOURCE.parent)}:{line}: {what}" for line, what in found]
    print("\n".join([*lines, f"Shape: {len(paths)} files, {len(lines)} findings."]))
    return 1 if lines or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
