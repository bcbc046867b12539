"""The gallery's examples: each compiles and has a title, the fastest are run; ``make docs`` runs all."""

import ast
import runpy
import warnings
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SECTIONS = {"wrong_labels", "regression", "everyday", "many_rows", "deployment", "papers"}
GALLERY = sorted(EXAMPLES.glob("*/*.py"))
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
FASTEST = (
    "papers/plot_chu_losses.py",
    "everyday/plot_kernel_shares.py",
    "deployment/plot_custom_likelihood.py",
)

pytestmark = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the examples are not installed with the tests")


def name(path):
    return str(path.relative_to(EXAMPLES))


def title_of(docstring):
    """Return the first line of a docstring, if a line of equals signs as long as it stands below."""
    first, below, *_ = [*docstring.strip().splitlines(), "", ""]
    return first if first and below == "=" * len(first) else None


@pytest.mark.parametrize("path", [*GALLERY, *SCRIPTS], ids=name)
def test_every_example_compiles(path):
    compile(path.read_text(encoding="utf-8"), str(path), "exec")


@pytest.mark.parametrize("path", GALLERY, ids=name)
def test_every_example_has_its_place_a_title_and_an_end(path):
    text = path.read_text(encoding="utf-8")
    assert path.parent.name in SECTIONS
    assert path.name.startswith("plot_")
    docstring = ast.get_docstring(ast.parse(text)) or ""
    assert title_of(docstring), "the docstring begins with a title that is underlined by as many ="
    assert len(docstring.split("\n\n")) > 1, "a few sentences below the title say what is shown"
    assert "**To take away.**" in text.rsplit("# %%", 1)[-1], "the last block says what to take away"
    assert "rcParams" not in text


def test_titles_and_names_differ():
    titles = [
        title_of(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "") for path in GALLERY
    ]
    assert len(set(titles)) == len(titles) > 20
    assert len({path.name for path in GALLERY}) == len(GALLERY)


@pytest.mark.parametrize("example", FASTEST)
def test_the_fastest_examples_run(example, capsys):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    before = set(pyplot.get_fignums())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            runpy.run_path(str(EXAMPLES / example), run_name="__main__")
        assert set(pyplot.get_fignums()) > before
        assert any(letter.isdigit() for letter in capsys.readouterr().out)
    finally:
        for number in set(pyplot.get_fignums()) - before:
            pyplot.close(number)
