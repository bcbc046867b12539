"""Files and functions stay small enough to be read: a long function is a missing name."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "rowtrust"
MOST_LINES_OF_A_FILE, MOST_LINES_OF_A_FUNCTION = 315, 45
"""Docstrings do not count: what users read may be as long as they need it."""
FILES = sorted(SOURCE.rglob("*.py"))


def name(path):
    return str(path.relative_to(SOURCE))


def lines_of_text(tree):
    """Return how many lines are docstrings, or strings that explain a constant."""
    bodies = [node.body for node in ast.walk(tree) if isinstance(getattr(node, "body", None), list)]
    texts = [each for body in bodies for each in body if isinstance(each, ast.Expr)]
    return sum(
        each.end_lineno - each.lineno + 1
        for each in texts
        if isinstance(each.value, ast.Constant) and isinstance(each.value.value, str)
    )


@pytest.mark.parametrize("path", FILES, ids=name)
def test_files_and_functions_are_short(path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert text.count("\n") - lines_of_text(tree) <= MOST_LINES_OF_A_FILE
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0].end_lineno if ast.get_docstring(node) else node.lineno
            assert node.end_lineno - first <= MOST_LINES_OF_A_FUNCTION, node.name


def test_there_is_something_to_measure():
    assert len(FILES) > 50
