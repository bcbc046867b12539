"""The report: one file, safe, quiet, readable everywhere."""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow import Settings, run_study
from rowtrust.workflow.report import render
from rowtrust.workflow.report.drawing import Picture
from rowtrust.workflow.report.review import script_hash

sys.path.insert(0, str(Path(__file__).parent))
import chromium

EVIL = "<script>window.hacked=1;document.title='hacked'</script>"
IMAGE = "<img src=x onerror=window.hacked=1>"
MATHS = "$\\frac{1}{0}$ & \"quotes\" 'and' {{ 7*7 }}"


def classes(n_rows=90):
    """A table in which everything that can contain markup does."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n_rows, 2))
    y = np.where(X[:, 0] + 0.3 * generator.normal(size=n_rows) > 0, EVIL, "</title></style>" + IMAGE)
    y[:6] = np.where(y[:6] == EVIL, "</title></style>" + IMAGE, EVIL)
    cells = generator.choice([EVIL, "]]>" + IMAGE, "plain"], n_rows)
    return pd.DataFrame({EVIL: X[:, 0], MATHS: X[:, 1], IMAGE: cells, f"target {EVIL}": y})


def numbers(n_rows=80):
    generator = np.random.default_rng(0)
    x = generator.uniform(-3, 3, n_rows)
    y = np.sin(x) + 0.1 * generator.normal(size=n_rows)
    y[:4] += 6
    return pd.DataFrame({"x": x, "group": generator.choice(["a", "b"], n_rows), "y": y})


@pytest.fixture(scope="module")
def evil_page():
    table = classes()
    settings = Settings(f"{EVIL}.csv", table.columns[-1], command=f"rowtrust fit {EVIL}")
    return render(run_study(table, settings))


@pytest.fixture(scope="module")
def plain_page():
    return render(run_study(numbers(), Settings("waves.csv", "y", model="robust")))


class Tags(HTMLParser):
    """Collects what a parser sees as elements."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes = [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes


@pytest.mark.parametrize("name", ["evil_page", "plain_page"])
def test_no_element_comes_from_the_data(name, request):
    page = request.getfixturevalue(name)
    tags = Tags()
    tags.feed(page)
    assert tags.tags.count("script") == 1  # that of the review, which alone is allowed
    script = re.search(r"<script>(.*?)</script>", page, flags=re.DOTALL)[1]
    assert f"script-src '{script_hash(script)}'" in page
    assert "img" not in tags.tags
    assert not [name for name, _ in tags.attributes if name.startswith("on")]
    assert all(
        value.startswith(("#", "data:"))
        for name, value in tags.attributes
        if name in ("src", "href", "xlink:href")
    )
    assert not re.search(r"url\((?!#)", page)
    assert "@import" not in page


def test_escaped_words_are_there(evil_page):
    assert "&lt;script&gt;window.hacked=1" in evil_page
    assert "{{ 7*7 }}" in evil_page
    assert "49" not in re.findall(r"<th[^>]*>([^<]*)</th>", evil_page)


def test_identifiers_are_unique(plain_page):
    found = re.findall(r'\bid="([^"]+)"', plain_page)
    assert len(found) == len(set(found))
    assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', plain_page)) <= set(found)


def test_pictures_wear_the_colours_of_the_page(plain_page):
    inside = "".join(re.findall(r"<svg.*?</svg>", plain_page, flags=re.DOTALL))
    assert "var(--first)" in inside
    assert set(re.findall(r"#[0-9a-f]{6}\b", inside)) <= {"#000000", "#ffffff"}


def test_says_what_it_should(plain_page, evil_page):
    for heading in (
        "Which model",
        "How good",
        "Which rows are wrong",
        "What matters",
        "Relevance vectors",
        "Settings",
    ):
        assert heading in plain_page
        assert heading in evil_page
    for name in ("RobustRVC", "FuzzyRVC", "log score", "Calibration", "Confusion", "Decision boundary"):
        assert name in evil_page
    for name in ("Residuals", "RMSE", "90% coverage"):
        assert name in plain_page


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if chromium.find() is None:
        pytest.skip("no Chromium on this machine")
    browser = chromium.Chromium(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


def test_the_browser_would_tell(browser, tmp_path):
    page = tmp_path / "bad.html"
    page.write_text(
        "<img src='http://localhost:9/x.png'><script>console.error('no'); window.hacked = 1</script>"
    )
    browser.open(page)
    assert browser.console
    assert "http://localhost:9/x.png" in browser.requests
    assert browser.evaluate("window.hacked") == 1


VIEWS = {
    "light": (1000, "light"),
    "dark": (1000, "dark"),
    "phone": (390, "light"),
    "dark phone": (390, "dark"),
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["evil_page", "plain_page"])
def test_in_the_browser(browser, name, view, request, tmp_path):
    width, scheme = VIEWS[view]
    page = tmp_path / "report.html"
    page.write_text(request.getfixturevalue(name), encoding="utf-8")
    browser.open(page, width=width, scheme=scheme)
    assert browser.console == []
    assert browser.requests == [page.resolve().as_uri()]
    assert browser.evaluate("typeof window.hacked") == "undefined"
    assert browser.evaluate("document.title") != "hacked"
    assert browser.evaluate("document.documentElement.scrollWidth") <= width, (
        "the page is wider than the screen"
    )
    background = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    brightness = np.mean([int(number) for number in re.findall(r"\d+", background)[:3]])
    assert (brightness < 80) == (scheme == "dark")
    browser.screenshot(tmp_path / "page.png")
    assert (tmp_path / "page.png").stat().st_size > 20_000


def test_markup_of_the_data_shows_as_text(browser, evil_page, tmp_path):
    page = tmp_path / "report.html"
    page.write_text(evil_page, encoding="utf-8")
    browser.open(page)
    text = browser.evaluate("document.body.innerText")
    assert browser.evaluate("document.scripts.length") == 1
    assert EVIL in browser.evaluate("document.querySelector('h1').textContent")
    cells = browser.evaluate("[...document.querySelectorAll('td, th')].map(e => e.textContent).join('|')")
    assert EVIL[:40] in cells
    assert IMAGE[:20] in cells
    drawn = browser.evaluate("[...document.querySelectorAll('svg text')].map(e => e.textContent).join('|')")
    assert "<script>" in drawn
    assert "$\\frac{1}{0}$" in drawn
    assert "<script>" in text


@pytest.mark.filterwarnings("error")
def test_letters_that_no_font_here_has_are_drawn_without_a_word():
    with Picture(3, 2) as picture:
        picture.panels[0].set_title("日本 🙂")
        drawn = picture.svg("a title")
    assert "日本 🙂" in drawn
