"""The review in the report: a user ticks rows in a real browser, downloads a file, and cleans the data."""

import json
import re
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from rowtrust.cli import app
from rowtrust.workflow import Settings, auditing, run_study
from rowtrust.workflow.flagged import flagged_rows, table_of_rows
from rowtrust.workflow.report import page as review_in_page
from rowtrust.workflow.report import render
from rowtrust.workflow.report.page import key, review_facts
from rowtrust.workflow.review import read_review

sys.path.insert(0, str(Path(__file__).parent))
import chromium

LONG = "Wohnflaeche_in_Quadratmetern_laut_Grundbuch"
FORMULA, COMMA = "=cmd|' /C calc'!A0", 'a, "b"'


def classes_table(n_rows=80):
    """Two clear classes with names that are hard to write; eight labels are wrong.

    On each of the draws 0 to 5 exactly the wrong rows of the training part are listed. On 1 and 2 all of them
    are called likely errors, on the others most are worth a look; the tests of this page need four of those.
    """
    generator = np.random.default_rng(2)
    first, second = generator.normal(size=(2, n_rows))
    first = first + np.sign(first)
    side = first > 0
    side[:8] = ~side[:8]
    return pd.DataFrame({"first": first, "second": second, "kind": np.where(side, FORMULA, COMMA)})


def numbers_table(n_rows=80):
    generator = np.random.default_rng(0)
    x = generator.uniform(-3, 3, n_rows)
    y = np.sin(x) + 0.1 * generator.normal(size=n_rows)
    y[:4] += 6
    return pd.DataFrame({LONG: x, "y": y})


def named(study):
    """Return a study whose rows have names, as ``--id`` gives them."""
    train = replace(study.fitted.train, ids=np.array([f"<b>p{row}" for row in study.fitted.train.rows]))
    fitted = replace(study.fitted, train=train)
    table = table_of_rows(study.findings, fitted.prepared, train, fitted.task)
    return replace(study, fitted=fitted, ranking=table)


@pytest.fixture(scope="module")
def studies():
    settings = {"model": "robust", "refit": False}
    return {
        "classes": named(run_study(classes_table(), Settings("d.csv", "kind", **settings))),
        "numbers": run_study(numbers_table(), Settings("d.csv", "y", **settings)),
    }


@pytest.fixture(scope="module")
def pages(studies, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(review_in_page, "gains", lambda study: ["Left out: a line of another test"])
        for name, study in studies.items():
            (folder / f"{name}.html").write_text(render(study), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in studies}


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if chromium.find() is None:
        pytest.skip("no Chromium on this machine")
    browser = chromium.Chromium(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


def test_facts_separate_the_two_lists(studies):
    facts = review_facts(studies["numbers"])
    assert {card["row"] for card in facts["flagged"]} >= {1, 2, 3, 4} & set(
        studies["numbers"].fitted.train.rows
    )
    assert all(card["list"] == "likely error" for card in facts["flagged"])
    assert all(card["list"] == "worth a look" for card in facts["more"])
    assert facts["n_flagged"] == len(studies["numbers"].findings.flagged)
    assert facts["gains"][0].startswith("Left out: the RMSE of RVR on 6")
    assert key(studies["numbers"]) != key(studies["classes"])


def test_gains_are_measured_once(studies, monkeypatch):
    study, asked = replace(studies["numbers"]), []
    monkeypatch.setattr(auditing, "effects_of_change", lambda change: asked.append(change) or [])
    for _ in range(2):
        review_facts(study)
    assert len(asked) == 1
    groups = np.arange(64) // 2
    fitted = replace(study.fitted, train=replace(study.fitted.train, groups=groups))
    assert replace(study, fitted=fitted).gains == []  # another study, which has groups
    assert asked[1].groups is groups


def test_gains_keep_groups_together(studies, monkeypatch):
    study, seen = studies["classes"], []
    groups = np.arange(len(study.fitted.train.y)) // 2
    fitted = replace(study.fitted, train=replace(study.fitted.train, groups=groups))
    monkeypatch.setattr(auditing, "effects_of_change", lambda change: seen.append(change) or [])
    review_in_page.gains(replace(study, fitted=fitted))
    assert seen[0].groups is groups


def test_a_page_without_flagged_rows_lists_none(studies):
    study = studies["numbers"]
    quiet = replace(study.findings, p_wrong=np.full(64, 0.001))
    page = render(replace(study, findings=quiet, ranking=study.ranking.assign(list="", p_wrong=0.001)))
    assert "None of 64 rows is a likely error." in page
    assert "<article" not in page
    assert "<h3>Likely errors" not in page
    assert "What a correction would gain" not in page


def test_the_page_is_readable_without_scripts(pages):
    page = pages["classes"].read_text(encoding="utf-8")
    assert "<noscript>" in page
    assert page.count('<div class="review-say" hidden>') == page.count("<article")
    assert "<b>p" not in page
    assert "&lt;b&gt;p" in page
    row, *others = re.findall(r"row (\d+)</span> <span class=.review-id.>&lt;b&gt;p(\d+)</span>", page)
    assert all(number == name for number, name in (row, *others))


def press(browser, selector):
    """Click where an element is, as a hand would."""
    place = browser.evaluate(
        f"(() => {{ const e = document.querySelector({json.dumps(selector)}); "
        "e.scrollIntoView({block: 'center', behavior: 'instant'}); const b = e.getBoundingClientRect(); "
        "return [b.x + b.width / 2, b.y + b.height / 2]; })()"
    )
    for kind in ("mousePressed", "mouseReleased"):
        browser.call(
            "Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1
        )


def key_press(browser, name, code, text=""):
    for kind in ("keyDown", "keyUp"):
        typed = {"text": text} if text and kind == "keyDown" else {}
        browser.call(
            "Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code, **typed
        )


def downloaded(browser, folder):
    """Press the button; return the file."""
    folder.mkdir()
    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    press(browser, "#review-download")
    deadline = time.monotonic() + 20
    while not (folder / "review.csv").exists() and time.monotonic() < deadline:
        browser.evaluate("0")
        time.sleep(0.05)
    return folder / "review.csv"


def tick(browser, row, verdict):
    press(browser, f'article[data-row="{row}"] input[value={verdict}]')


def choose(browser, row, value):
    part = f'document.querySelector(`article[data-row="{row}"] .review-value > *`)'
    browser.evaluate(f"{part}.value = {json.dumps(value)}")
    browser.evaluate(f"{part}.dispatchEvent(new Event('change', {{bubbles: true}}))")


def count(browser):
    return browser.evaluate("document.getElementById('review-count').textContent")


def quiet(browser, page):
    """Nothing was said in the console, and nothing was asked for but the page."""
    assert browser.console == []
    asked = [url for url in browser.requests if not url.startswith("blob:")]
    assert asked == [page.resolve().as_uri()]


def test_from_ticks_to_a_corrected_copy(browser, pages, studies, tmp_path):
    browser.open(pages["classes"])
    browser.evaluate("localStorage.clear()")
    browser.open(pages["classes"])
    first, second, third, fourth = flagged_rows(studies["classes"].ranking)[:4]
    total = browser.evaluate("document.querySelectorAll('article').length")
    assert count(browser) == f"0 of {total} reviewed"
    tick(browser, first, "wrong")
    tick(browser, second, "right")
    tick(browser, third, "unsure")
    other = classes_table()["kind"].iloc[fourth - 1]
    choose(browser, fourth, COMMA if other == FORMULA else FORMULA)
    assert count(browser) == f"4 of {total} reviewed"
    file = downloaded(browser, tmp_path / "downloads")
    quiet(browser, pages["classes"])
    found = {each.row: each for each in read_review(str(file))}
    assert {row: each.verdict for row, each in found.items()} == {
        first: "wrong",
        second: "right",
        third: "unsure",
        fourth: "wrong",
    }
    review = pd.read_csv(file, dtype=str, keep_default_na=False)
    assert len(review) == total
    assert review["id"].tolist() == [f"<b>p{row}" for row in review["row"]]
    assert set(review["given"]) == {f"'{FORMULA}", COMMA}
    table = classes_table()
    table.to_csv(tmp_path / "d.csv", index=False)
    files = (tmp_path / "d.csv", "--review", file, "-o", tmp_path / "c.csv")
    result = CliRunner().invoke(app, ["clean", *map(str, files), "-t", "kind", "--no-effect"])
    assert result.exit_code == 0, result.output
    cleaned = pd.read_csv(tmp_path / "c.csv")["kind"]
    changed = np.flatnonzero(cleaned != table["kind"]) + 1
    assert sorted(changed) == sorted([first, fourth])
    assert set(cleaned) == {FORMULA, COMMA}


def test_what_was_ticked_is_remembered(browser, pages, studies):
    browser.open(pages["classes"])
    browser.evaluate("localStorage.clear()")
    browser.open(pages["classes"])
    row = flagged_rows(studies["classes"].ranking)[0]
    tick(browser, row, "right")
    browser.open(pages["classes"])
    assert browser.evaluate(f"document.querySelector('[name=verdict-{row}]:checked').value") == "right"
    assert count(browser).startswith("1 of")
    browser.open(pages["numbers"])
    assert count(browser).startswith("0 of")


def test_numbers_are_typed_and_the_keyboard_is_enough(browser, pages, studies, tmp_path):
    browser.open(pages["numbers"])
    row = flagged_rows(studies["numbers"].ranking)[0]
    browser.evaluate(f"document.querySelector('[name=verdict-{row}]').focus()")
    key_press(browser, " ", 32, " ")
    key_press(browser, "Tab", 9)
    browser.call("Input.insertText", text="0,75")
    key_press(browser, "Tab", 9)
    file = downloaded(browser, tmp_path / "downloads")
    (found,) = read_review(str(file))
    assert (found.row, found.verdict, found.corrected) == (row, "wrong", "0,75")
    reached = set()
    browser.evaluate("document.getElementById('review-download').focus()")
    for _ in range(40):
        reached.add(browser.evaluate("document.activeElement.name || document.activeElement.tagName"))
        key_press(browser, "Tab", 9)
    assert {f"verdict-{each}" for each in flagged_rows(studies["numbers"].ranking)[:3]} <= reached
    quiet(browser, pages["numbers"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["classes", "numbers"])
def test_on_a_phone(browser, pages, name, scheme, tmp_path):
    browser.open(pages[name], width=390, scheme=scheme)
    quiet(browser, pages[name])
    assert browser.evaluate("document.documentElement.scrollWidth") <= 390
    inside = (
        "[...document.querySelectorAll('article table, article fieldset, #review-download')]"
        ".every(e => e.getBoundingClientRect().right <= 390)"
    )
    assert browser.evaluate(inside)
    browser.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    clipped = "[...document.querySelectorAll('table')].filter(e => e.getBoundingClientRect().right > 390)"
    assert browser.evaluate(f"{clipped}.map((each) => each.className || each.id).join()") == ""
    assert browser.evaluate("document.querySelector('.review-say').offsetHeight") > 60
    numbers = "[...document.querySelectorAll('article td')].filter(e => /^\\W?[0-9. ]+$/.test(e.textContent))"
    assert browser.evaluate(f"{numbers}.length") > 9
    height = (
        "(e => { const r = new Range(); r.selectNodeContents(e); return r.getBoundingClientRect().height; })"
    )
    assert browser.evaluate(f"Math.max(...{numbers}.map({height}))") < 30  # one line
    marked = browser.evaluate("getComputedStyle(document.querySelector('article mark')).backgroundColor")
    assert marked != browser.evaluate("getComputedStyle(document.body).backgroundColor")
    colours = [
        browser.evaluate(f"getComputedStyle(document.querySelector('article mark')).{part}")
        for part in ("color", "backgroundColor")
    ]
    dark, light = sorted(np.mean([int(n) for n in each[4:-1].split(",")[:3]]) for each in colours)
    assert light - dark > 120, colours


def test_without_storage_the_page_works(browser, pages, studies):
    browser.open(pages["numbers"])
    browser.evaluate("Storage.prototype.setItem = () => { throw new Error('full'); }")
    tick(browser, flagged_rows(studies["numbers"].ranking)[0], "unsure")
    assert count(browser).split(" ")[0] in ("1", "2")
    quiet(browser, pages["numbers"])


LISTED = "[...document.querySelectorAll('#listed tbody tr')].filter((line) => !line.hidden)"


def test_listed_rows_are_sorted_and_filtered_without_a_server(browser, pages, studies):
    browser.open(pages["classes"])
    ranking = studies["classes"].ranking
    listed = ranking[ranking["list"] != ""]
    assert browser.evaluate(f"{LISTED}.length") == len(listed)
    browser.evaluate("document.querySelector('#listed th[data-column=row] button').click()")
    rows = json.loads(
        browser.evaluate(f"JSON.stringify({LISTED}.map((line) => Number(line.cells[0].textContent)))")
    )
    assert rows == sorted(int(row) for row in listed.index)
    browser.evaluate(
        f"const each = document.querySelector('.filters select'); each.value = {json.dumps(COMMA)};"
        "each.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    assert browser.evaluate(f"{LISTED}.length") == (listed["given"] == COMMA).sum()
    browser.evaluate(
        "const least = document.querySelector('.filters input'); least.value = 0.5;"
        "least.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    some = (listed["given"] == COMMA) & (listed["p_wrong"] >= 0.5)
    assert browser.evaluate(f"{LISTED}.length") == some.sum()
    assert browser.evaluate("document.querySelector('.filters [role=status]').textContent").startswith(
        f"{some.sum()} of"
    )
    quiet(browser, pages["classes"])
