"""Files and functions stay small enough to be read: a long function is a missing name."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "rowtrust"
MOST_LINES_OF_A_FILE, MOST_LINES_OF_A_FUNCTION = 350, 45
FILES = sorted(SOURCE.rglob("*.py"))


def name(path):
    return str(path.relative_to(SOURCE))


@pytest.mark.parametrize("path", FILES, ids=name)
def test_files_and_functions_are_short(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= MOST_LINES_OF_A_FILE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0].end_lineno if ast.get_docstring(node) else node.lineno
            assert node.end_lineno - first <= MOST_LINES_OF_A_FUNCTION, node.name


def test_there_is_something_to_measure():
    assert len(FILES) > 50
