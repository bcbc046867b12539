"""What the pages of the site tell users to write runs, page by page, in the order of the page."""

import importlib.util
import re
from pathlib import Path

import pytest

for library in ("pandas", "pyarrow", "matplotlib", "skops"):
    pytest.importorskip(library)

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(
    path
    for pattern in ("*.md", "start/*.md", "coming_from/*.md", "guide/*.md")
    for path in DOCS.glob(pattern)
    if "```python" in path.read_text(encoding="utf-8")
)
BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<reason>[^\n]*?) -->\n+)?```python\n(?P<code>.*?)^```",
    flags=re.DOTALL | re.MULTILINE,
)


def blocks(path):
    """Return the blocks that run, as (line, code): a comment above a block says why it does not."""
    text = path.read_text(encoding="utf-8")
    return [
        (text[: found.start("code")].count("\n") + 1, found["code"])
        for found in BLOCK.finditer(text)
        if found["reason"] is None
    ]


@pytest.fixture(autouse=True)
def quick_studies(monkeypatch):
    """Compare one model and draw no report: these tests are of what is typed, and there are many pages."""
    monkeypatch.setattr("rowtrust.workflow.run.names_to_compare", lambda *_: ["robust"])
    monkeypatch.setattr("rowtrust.workflow.report.render", lambda study: "<!doctype html>")


def case(page):
    """Return a page by its name. Those that a new user reads first run always, the others where time is."""
    name = page.relative_to(DOCS).with_suffix("").as_posix()
    return pytest.param(page, id=name, marks=[] if name.startswith("start/") else pytest.mark.slow)


@pytest.mark.parametrize("page", [case(page) for page in PAGES])
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    """Blocks share one namespace, as they would in a notebook; files are written to an empty folder."""
    import matplotlib as mpl

    mpl.use("agg")
    monkeypatch.chdir(tmp_path)
    known = {"__name__": "page"}
    for line, code in blocks(page):
        lines = "\n" * (line - 1)  # so that a failure names the line of the page
        exec(compile(lines + code, str(page), "exec"), known)


def test_pages_have_code():
    names = {page.relative_to(DOCS).as_posix() for page in PAGES}
    assert {"start/getting_started.md", "start/the_main_job.md", "faq.md"} <= names


def test_a_block_that_does_not_run_says_why(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\na = 1\n```\n\n<!-- not run: a cluster -->\n```python\nb = 2\n```\n")
    assert blocks(page) == [(2, "a = 1\n")]


def test_outputs_on_a_page_are_refreshed():
    """What a block prints replaces what the page shows; blocks that do not run, and other text, stay."""
    location = importlib.util.spec_from_file_location("refresh_outputs", DOCS / "refresh_outputs.py")
    module = importlib.util.module_from_spec(location)
    location.loader.exec_module(module)
    page = (
        "```python\nprint(2)\n```\n\nIt prints:\n\n```text\n1\n```\n\nAs it is.\n\n```text\nno output\n```\n"
    )
    assert module.refreshed(page) == page.replace("\n1\n", "\n2\n")
    quiet = "<!-- not run: a cluster -->\n" + page
    assert module.refreshed(quiet) == quiet
