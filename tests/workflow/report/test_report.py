"""The report: one file, safe, quiet, readable everywhere."""

import html
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from rowtrust.workflow import Settings, candidates, run_study, summaries
from rowtrust.workflow.auditing import Effect
from rowtrust.workflow.candidates import Candidate
from rowtrust.workflow.flagged import wrong_rows_text
from rowtrust.workflow.report import page as page_module
from rowtrust.workflow.report import render, sections, sentences
from rowtrust.workflow.report.drawing import for_report, plotted
from rowtrust.workflow.report.page import gains, script_hash

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


@pytest.fixture(scope="module")
def evil_page():
    table = classes()
    settings = Settings(f"{EVIL}.csv", table.columns[-1], command=f"rowtrust fit {EVIL}")
    return render(run_study(table, settings))


@pytest.fixture(scope="module")
def plain_page(number_study):
    return render(number_study)


@pytest.fixture(scope="module")
def class_page(class_study):
    return render(class_study)


@pytest.fixture(scope="module")
def three_page(three_study):
    return render(three_study)


PAGES = ["evil_page", "plain_page", "class_page", "three_page"]


class Tags(HTMLParser):
    """Collects what a parser sees as elements."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes = [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes


@pytest.mark.parametrize("name", PAGES)
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


def said(page):
    """The words of a page without its tags, with ordinary spaces."""
    words = html.unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<(style|svg).*?</\1>", "", page, flags=re.DOTALL)))
    return re.sub(r"\s+", " ", words.replace("\u202f", " "))


def test_says_what_it_should(plain_page, evil_page):
    for heading in ("Which model", "The data", "How good", "What matters", "Relevance vectors", "Settings"):
        assert heading in plain_page
        assert heading in evil_page
    for name in ("RobustRVC", "FuzzyRVC", "log score", "Calibration", "Confusion", "Class by class", "ROC"):
        assert name in evil_page
    for name in ("Residuals", "RMSE", "90% coverage", "baseline", "boosting"):
        assert name in plain_page


@pytest.mark.parametrize("name", PAGES)
def test_numbers_are_written_as_people_do(name, request):
    page = request.getfixturevalue(name)
    assert not re.search(r"\de[+-]\d", re.sub(r"<style.*?</style>|<(path|use|g|defs)[^>]*>|&#\d+;", "", page))
    assert "np." not in said(page)
    assert not re.search(r"\bnan\b|\bNone\b(?! of )", said(page).split("parameters")[0])


def test_amounts_have_their_thousands_apart(plain_page, number_study):
    amount = f"{number_study.fitted.train.y[number_study.fitted.relevance[0]]:.0f}"
    assert re.search(rf"\b{amount[:-3]} \d{{3}}\b", said(plain_page)) is not None


def test_every_picture_has_a_sentence(class_page, plain_page, three_page):
    for page in (class_page, plain_page, three_page):
        captions = re.findall(r"<figcaption>(.*?)</figcaption>", page, flags=re.DOTALL)
        assert len(captions) >= 5
        assert all(re.match(r"<b>[^<]{15,}\.</b>", each) for each in captions), captions


def test_trust_is_said_to_be_the_probability_that_a_row_is_right(class_page):
    wrong = class_page.split("<h2>Which rows are wrong</h2>")[1].split("</section>")[0]
    assert "Trust is the probability that a row is right." in wrong


def test_the_rows_are_summed_up_as_in_the_summary(class_page, class_study):
    told = wrong_rows_text(class_study.findings, class_study.checks, "classification")
    assert "We estimate" in told
    assert f"what the other rows predict for it. {told}" in class_page
    assert f"flagged   {told}" in class_study.summary


def test_three_sentences_come_first(class_page, class_study):
    top = said(class_page.split('<section class="words"')[1].split("</section>")[0])
    for sentence in sentences.in_short(class_study):
        assert sentence.replace("\u202f", " ") in top
    assert "Check the data first: 1 severe finding" in top
    assert "'dose' alone says all." in top


def test_findings_on_the_data_the_severe_first(class_page):
    data = said(class_page.split("<h2>The data</h2>")[1].split("</section>")[0])
    assert "The checks found 1 severe finding, 1 warning and 1 note." in data
    places = [data.index(word) for word in ("'dose' alone says all.", "12 rows are copies.", "free text.")]
    assert places == sorted(places)
    assert "Leave it out with --drop dose." in data
    assert "Rows 1, 2, 3, 4, 5, 6, 7, 8, …" in data
    assert "number, percent" in data
    assert "2 cells could not be read" in data
    assert "1 detection limit: <5 n. a." in data


def test_no_findings_make_a_short_section(number_study):
    page = render(replace(number_study, checks=[], columns=[]))
    data = page.split("<h2>The data</h2>")[1].split("</section>")[0]
    assert data.count("<details") == 1  # the inputs
    assert 'class="checks"' not in data
    assert "Check the data first" not in page


def test_class_counts(class_page, class_study):
    data = said(class_page.split("<h3>Classes</h3>")[1].split("</table>")[0])
    for name in ("yes", "no"):
        train = int(np.sum(class_study.fitted.train.y == name))
        judged = int(np.sum(class_study.judged.rows.y == name))
        assert re.search(rf"\b{name} {train} \d+ % {judged}\b", data)


def test_references_stand_beside_the_model_and_losses_show(number_study):
    better = replace(number_study.judged.references[-1].figures[0], value=1e-3)
    better_one = replace(number_study.judged.references[-1], figures=[better])
    study = replace(number_study, judged=replace(number_study.judged, references=[better_one]))
    row = sections.figure_rows(study)[0]
    assert (row["best"], row["compared"][0]["best"], row["compared"][0]["value"]) == (False, True, "0.001")
    assert sections.figure_rows(study)[1]["compared"][0]["value"] == "\u2013"
    assert (
        sections.figure_rows(replace(study, judged=replace(study.judged, references=[])))[0]["compared"] == []
    )


def test_the_plane_is_drawn_for_two_numbers_only(class_page, plain_page, three_page):
    assert "over both inputs" not in class_page
    assert "over both inputs" not in plain_page
    assert "Most probable class over both inputs" in three_page


def test_vectors_weigh_in_percent_of_the_heaviest(number_study, three_study):
    for study in (number_study, three_study):
        rows = sections.vector_rows(study)
        assert rows[0]["strength"] == 1.0
        assert [each["strength"] for each in rows] == sorted(
            (each["strength"] for each in rows), reverse=True
        )
    assert {each["towards"] for each in sections.vector_rows(number_study)} <= {"up", "down"}
    assert {each["towards"].split()[1] for each in sections.vector_rows(three_study)} <= {"a", "b", "c"}


def test_vectors_have_the_names_of_their_rows(class_study):
    train = class_study.fitted.train
    named = replace(train, ids=np.array([f"patient-{row}" for row in train.rows]))
    settings = replace(class_study.settings, id="who")
    study = replace(class_study, settings=settings, fitted=replace(class_study.fitted, train=named))
    for row in sections.vector_rows(study):
        assert row["id"] == f"patient-{row['row']}"


def test_settings_have_the_hashes_of_what_was_read(class_study):
    read = [{"name": "stays.csv", "sha256": "abc123"}, {"name": "test.csv", "sha256": None}]
    found = sections.settings(replace(class_study, provenance={"inputs": read}))
    assert found["SHA-256 of stays.csv"] == "abc123"
    assert "SHA-256 of test.csv" not in found


def test_settings_say_how_to_run_it_again(class_page, plain_page):
    assert "To run it again" in class_page
    assert '<code class="block">rowtrust fit stays.csv --target ill</code>' in class_page
    assert "run from Python" in plain_page
    for name in ("rowtrust ", "numpy ", "scikit-learn ", "python "):
        assert name in class_page.split("<h2>Settings</h2>")[1]


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
@pytest.mark.parametrize("name", PAGES)
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


def test_text_of_pictures_can_be_read_on_a_phone(browser, three_page, tmp_path):
    page = tmp_path / "report.html"
    page.write_text(three_page, encoding="utf-8")
    browser.open(page, width=390)
    sizes = browser.evaluate(
        "[...document.querySelectorAll('figure svg text')].map(e => parseFloat(getComputedStyle(e).fontSize)"
        " * e.ownerSVGElement.getBoundingClientRect().width / e.ownerSVGElement.viewBox.baseVal.width)"
    )
    assert len(sizes) > 50
    assert min(sizes) > 10.0
    outside = browser.evaluate(
        "[...document.querySelectorAll('figure svg text')].filter(e => {"
        " const box = e.getBoundingClientRect(), all = e.ownerSVGElement.getBoundingClientRect();"
        " return box.right > all.right + 3 || box.left < all.left - 3; }).map(e => e.textContent)"
    )
    assert outside == []


@pytest.mark.filterwarnings("error")
def test_letters_that_no_font_here_has_are_drawn_without_a_word():
    drawn = for_report(lambda axes: axes.set_title("日本 🙂"), "a title")
    assert "日本 🙂" in drawn
    plotted([lambda axes: axes.set_title("日本 🙂")])


def test_the_page_and_the_terminal_say_the_same_of_every_model():
    assert page_module.EXPLANATIONS is summaries.EXPLANATIONS
    assert set(page_module.EXPLANATIONS) == set(candidates.ORDER)


def test_the_contents_lead_to_every_section(class_page):
    links = re.findall(r'<a href="#([a-z]+)">', class_page)
    assert links == ["data", "quality", "rows", "inputs", "model", "settings"]
    assert all(class_page.count(f'id="{each}"') == 1 for each in links)


def test_the_leaderboard_has_candidates_and_references_with_their_times(number_study):
    found = sections.leaderboard(number_study)["rows"]
    assert [each["name"] for each in found] == ["RobustRVR", "baseline", "boosting", "trusted boosting"]
    assert all(each["seconds"] > 0 for each in found[1:])
    two = Candidate(
        "plain", "RVR", (np.zeros(3), np.ones(3)), SimpleNamespace(row_scores=np.ones(3)), None, 1.5, 2.0
    )
    one = replace(two, name="robust", estimator="RobustRVR", mixture=SimpleNamespace(row_scores=np.zeros(3)))
    found = sections.leaderboard(replace(number_study, candidates=[one, two]))["rows"]
    assert [(each["name"], each["chosen"]) for each in found[:2]] == [("RVR", False), ("RobustRVR", True)]
    assert (found[0]["judged"], found[0]["compared"], found[0]["seconds"]) == (None, "2", 1.5)
    page = render(replace(number_study, candidates=[one, two]))
    assert "RMSE on held-out rows" in page


def test_inputs_are_shown_with_their_correlations(number_study, class_study):
    found = {each["name"]: each for each in sections.input_rows(number_study)}
    X, y = number_study.fitted.train.X, number_study.fitted.train.y
    assert found["size"]["correlation"] == f"{spearmanr(X['size'], y).statistic:+.2f}"
    assert 0 <= float(found["colour"]["correlation"]) < 0.4
    assert found["colour"]["histogram"].count("<rect") == 2
    of_classes = {each["name"]: float(each["correlation"]) for each in sections.input_rows(class_study)}
    assert of_classes["dose"] > 0.7 > max(of_classes["ward"], of_classes["visits"])


def test_gaps_are_counted_as_missing(class_study):
    train = class_study.fitted.train
    holes = train.X.assign(dose=train.X["dose"].where(np.arange(len(train.y)) % 4 > 0), ward="(missing)")
    study = replace(class_study, fitted=replace(class_study.fitted, train=replace(train, X=holes)))
    found = {each["name"]: each["missing"] for each in sections.input_rows(study)}
    assert found == {"dose": pytest.approx(0.25, abs=0.01), "visits": 0.0, "ward": 1.0}


def test_given_against_likely_counts_the_flagged_rows(class_study, number_study):
    found = sections.given_and_likely(class_study)
    flagged = class_study.ranking[class_study.ranking["list"] == "likely error"]
    assert np.sum(found["counts"]) == len(flagged) > 0
    place = found["names"].index("yes"), found["names"].index("no")
    assert (
        found["counts"][place[0]][place[1]]
        == ((flagged["given"] == "yes") & (flagged["likely"] == "no")).sum()
    )
    assert sections.given_and_likely(number_study) is None


def test_of_many_classes_the_most_frequent_mistakes_are_listed():
    names = np.arange(20)
    given = np.repeat(names, 5)
    told = given.copy()
    told[:4], told[50] = 7, 3
    found = sections.cells(names, given, told)
    assert found["pairs"] == [(0, 7, 4), (10, 3, 1)]


def test_gains_that_may_be_chance_are_not_shown(class_study, monkeypatch):
    sure, chance = (Effect("RVC", "error", 0.2, 0.1, 100, noise) for noise in (0.01, 0.2))
    study = replace(class_study)
    study.__dict__["gains"] = [sure, chance]
    assert len(gains(study)) == 1
