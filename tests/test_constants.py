"""Every named constant says what it does and how its value was chosen, in a line of its own below it."""

import ast
from itertools import pairwise
from pathlib import Path

import pytest

import rowtrust

PACKAGE = Path(rowtrust.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))


def is_line(node):
    value = getattr(node, "value", None)
    return isinstance(node, ast.Expr) and isinstance(value, ast.Constant) and isinstance(value.value, str)


def is_type(node):
    """A TypeVar, or an annotated alias; aliases that are not annotated are told by their mixed case."""
    if isinstance(node, ast.AnnAssign):
        return "TypeAlias" in ast.unparse(node.annotation)
    return isinstance(node.value, ast.Call) and ast.unparse(node.value.func).endswith("TypeVar")


def constants_of(node):
    """Return the names in upper case that a statement assigns, those in tuples too."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or is_type(node):
        return []
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
    return [name for name in names if name.isupper()]


def statements(body):
    """Yield every statement that runs at import, outside functions and classes, and the one after it."""
    for node, following in pairwise([*body, None]):
        yield node, following
        if isinstance(node, ast.If | ast.Try | ast.With | ast.For):
            for part in ("body", "orelse", "finalbody"):
                yield from statements(getattr(node, part, []))
            for handler in getattr(node, "handlers", []):
                yield from statements(handler.body)


def without_a_line(source):
    """Return the constants that no string follows; one that is assigned again at once may wait for it."""
    found = []
    for node, following in statements(ast.parse(source).body):
        constants = constants_of(node)
        if not is_line(following) and not set(constants) & set(constants_of(following)):
            found += constants
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_constant_has_a_line(path):
    missing = without_a_line(path.read_text(encoding="utf-8"))
    where, what = path.relative_to(PACKAGE.parent), "below it what it does and how its value was chosen"
    assert not missing, f"{where}: say of each of these {what}: {', '.join(missing)}"


@pytest.mark.parametrize(
    ("source", "missing"),
    [
        ("A = 1\n'What it does.'", []),
        ("A = 1", ["A"]),
        ("A = 1\n2", ["A"]),
        ("A, B = 1, 2\nC: int = 3\n'Of C alone.'", ["A", "B"]),
        ("A, B = 1, 2\nB = B / 2\n'Of both.'", []),
        ("_HIDDEN_2 = 1\nx = 2", ["_HIDDEN_2"]),
        ("if True:\n    A = 1", ["A"]),
        ("try:\n    A = 1\n    'Fine.'\nexcept OSError:\n    B = 2", ["B"]),
        ("__all__ = []\nArray = list\nT = TypeVar('T')\nU: TypeAlias = int", []),
        ("def function():\n    A = 1", []),
    ],
)
def test_a_constant_without_a_line_is_found(source, missing):
    assert without_a_line(source) == missing
