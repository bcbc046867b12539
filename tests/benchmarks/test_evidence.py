"""The benchmark behind the docs: keys, plan, records, runs that stop and go on, pages that follow from
results."""

import ast
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.evidence import constants, keys, pages, plan, runner
from benchmarks.evidence.cases import Case
from benchmarks.evidence.errors import WRONG_VALUES
from benchmarks.evidence.measures import Found, Said, calibration_error, finding, of_classes, of_numbers
from benchmarks.evidence.pages.readme import BEGIN, END, block, put_into
from benchmarks.evidence.pages.results import Results, ranked
from benchmarks.evidence.plan import NOISES, OWN, PEERS, Options, cells
from benchmarks.evidence.records import MEASURES, SETTINGS, Records, columns

ROOT = Path(__file__).parents[2]


# keys -----------------------------------------------------------------------------------------------


def statements(tmp_path, text):
    keys.statements.cache_clear()
    file = tmp_path / "module.py"
    file.write_text(text)
    return keys.statements(file)


BEFORE = '''"""A module."""
def half(x):
    """Return a half."""
    if x < 0:
        raise ValueError(f"x must be positive; got {x}.")
    warnings.warn("a half", UserWarning)
    return x / 2  # half of it
'''


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A module", "The module"),
        ("Return a half", "Halve"),
        ("must be positive; got", "is"),
        ('"a half"', '"the half"'),
        ("half of it", "one of two"),
    ],
)
def test_words_are_no_part_of_a_key(tmp_path, old, new):
    assert old in BEFORE
    assert statements(tmp_path, BEFORE) == statements(tmp_path, BEFORE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"), [("x / 2", "x / 3"), ("x < 0", "x <= 0"), ("ValueError", "TypeError")]
)
def test_statements_are(tmp_path, old, new):
    assert statements(tmp_path, BEFORE) != statements(tmp_path, BEFORE.replace(old, new))


def test_peers_do_not_reach_the_fits_of_this_library():
    reached = {keys.place(file) for file in keys.reached("benchmarks.evidence.peers")}
    assert "benchmarks/evidence/peers.py" in reached
    assert not [each for each in reached if re.match(r"rowtrust/(fitting|trust|inference|estimators)/", each)]
    ours = {keys.place(file) for file in keys.reached("benchmarks.evidence.ours")}
    assert {"rowtrust/fitting/fitted.py", "rowtrust/trust/labels.py"} <= ours


def test_keys_tell_settings_and_code_apart():
    found = {
        keys.key(f"benchmarks.evidence.{name}", {"rate": rate})
        for name in ("ours", "peers")
        for rate in (0, 1)
    }
    assert len(found) == 4


# plan -----------------------------------------------------------------------------------------------


@pytest.fixture
def options(tmp_path):
    lines = ["name,file,header,target,task,drop,half"]
    lines += [f"{task}{half}{number},,,,{task},,{half}" for task in ("classes", "numbers") for half in "AB"
              for number in range(3)]  # fmt: skip
    (tmp_path / "manifest.csv").write_text("\n".join(lines))
    return Options(data=tmp_path, rows=50, splits=2)


def test_the_plan_has_every_noise_of_every_table(options):
    for page, task in (("labels", "classes"), ("values", "numbers")):
        planned = cells(options)[page]
        seen = {
            tuple(each.settings[name] for name in ("table", "noise", "rate", "split", "learner"))
            for each in planned
        }
        learners = len(OWN[page]) + len(PEERS[page])
        assert len(planned) == len(seen) == 2 * 6 * (1 + len(NOISES[page]) + 2 * 2) * learners
        assert {each.settings["table"][:-2] for each in planned} == {task}


def test_a_part_of_the_plan_is_a_balanced_sample(options):
    planned = cells(options)["labels"]
    learners = len(OWN["labels"]) + len(PEERS["labels"])
    cases = [planned[place].settings for place in range(0, len(planned), learners)]
    assert [each["half"] for each in cases[:6]] == list("ABABAB")
    assert len({each["table"] for each in cases[:6]}) == 6
    assert {each["rate"] for each in cases[: 6 * 5]} == {0.0, 0.2}
    assert len({(each["table"], each["noise"]) for each in cases[: 6 * 5]}) == 6 * 5
    assert {each["split"] for each in cases[: 6 * 9]} == {0}
    for place in range(0, len(planned), learners):
        assert len({each.settings["learner"] for each in planned[place : place + learners]}) == learners


def test_settings_are_columns(options):
    for page, planned in cells(options).items():
        assert planned, page
        for cell in planned[:5]:
            assert set(cell.settings) == set(SETTINGS[page])


# measures -------------------------------------------------------------------------------------------


def test_every_error_makes_the_share_that_is_asked_for():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.normal(size=200)
    for name, make in WRONG_VALUES.items():
        given, wrong = make(X, y, 0.2, np.random.default_rng(1))
        assert wrong.sum() == 40, name
        np.testing.assert_array_equal(given[~wrong], y[~wrong])
        assert (given[wrong] != y[wrong]).all()
    up, _ = WRONG_VALUES["one-sided"](X, y, 0.2, np.random.default_rng(1))
    assert (up >= y).all()


def test_what_is_missed_in_as_many_rows_as_are_wrong():
    wrong = np.array([1, 1, 0, 0, 0, 0], dtype=bool)
    found = Found(np.array([9.0, 1.0, 8.0, 0.0, 0.0, 0.0]), np.arange(6) < 1, np.arange(6) < 3)
    line = finding(found, wrong)
    assert line["missed"] == 50.0
    assert line["precision"] == pytest.approx((1.0 + 2.0 / 3.0) / 2.0)
    assert line["f1"] == pytest.approx(2.0 / 3.0)
    assert line["f1_look"] == pytest.approx(0.8)
    assert (line["flagged"], line["right"]) == (1, 1)


def case(is_classes, y_test):
    none = np.zeros((3, 1))
    return Case(
        none, np.array([0, 1, 0]), np.zeros(3, dtype=bool), np.zeros((len(y_test), 1)), y_test, is_classes, 0
    )


def test_a_class_that_nobody_could_learn_is_an_error():
    said = Said(np.array([[1.0, 0.0], [0.5, 0.5]]))
    line = of_classes(said, case(True, np.array([0, -1])))
    assert line["error"] == 50.0
    assert line["log_loss"] == pytest.approx(-np.log(1e-6) / 2.0, rel=1e-3)


def test_numbers_are_in_deviations_of_the_right_targets():
    y = np.array([0.0, 10.0])
    said = Said(y + 1.0, np.full(2, 5.0), (y - 1.0, y + np.array([1.0, -0.5])))
    line = of_numbers(said, case(False, y))
    assert line["rmse"] == pytest.approx(0.2)
    assert line["covered"] == 50.0
    assert line["width"] == pytest.approx((2.0 + 0.5) / 2.0 / 5.0)
    assert line["log_score"] == pytest.approx(0.5 * np.log(2.0 * np.pi) + 0.5 * 0.04)


def test_calibration_error_of_known_rates():
    assert calibration_error(np.full(10, 0.75), np.arange(10) < 5) == pytest.approx(0.25)


# runs -----------------------------------------------------------------------------------------------


@pytest.fixture
def synthetic(tmp_path, monkeypatch):
    """A data folder with one table of each kind, and a plan of few learners."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    for name, y in (("blobs", (X[:, 0] > 0).astype(int)), ("plane", X @ [1.0, 2.0, 0.0])):
        pd.DataFrame(X).assign(y=y).to_csv(tmp_path / f"{name}.csv", index=False, header=True)
    lines = [
        "name,file,header,target,task,drop,half",
        "blobs,blobs.csv,yes,y,classes,,A",
        "plane,plane.csv,yes,y,numbers,,B",
    ]
    (tmp_path / "manifest.csv").write_text("\n".join(lines))
    monkeypatch.setattr(plan, "OWN", {"labels": ("RVC",), "values": ("RVR",)})
    monkeypatch.setattr(
        plan, "PEERS", {"labels": ("boosting", "no such"), "values": ("ridge tuned", "oracle boosting")}
    )
    return Options(data=tmp_path, rows=40, splits=1, pages=("labels", "values"))


@pytest.fixture
def at_once(monkeypatch):
    """Run cells in this process."""
    from concurrent.futures import Future

    class Here:
        def submit(self, function, *arguments):
            future = Future()
            future.set_result(function(*arguments))
            return future

        def shutdown(self, **_):
            pass

    monkeypatch.setattr(runner.Queue, "pool", lambda self: Here())


def test_a_run_measures_what_lacks_and_keeps_failures(synthetic, at_once, tmp_path):
    left = runner.run(synthetic, tmp_path / "results", float("inf"), 1, 60.0)
    records = Records(tmp_path / "results")
    labels, values = records.lines("labels"), records.lines("values")
    assert left == 0
    assert len(labels) == len(values) == 9 * 3
    assert list(labels.columns) == columns("labels")
    failed = labels[labels["failed"].notna()]
    assert set(failed["learner"]) == {"no such"}
    assert failed["failed"].str.contains("KeyError").all()
    assert values["rmse"].notna().all()
    assert labels["error"][labels["learner"] == "boosting"].between(0, 60).all()
    assert labels["precision"].notna().sum() == 8  # RVC, where something is wrong
    before = records.file("labels").read_bytes()
    assert runner.run(synthetic, tmp_path / "results", float("inf"), 1, 60.0) == 0
    assert len(records.runs()) == 1
    assert records.file("labels").read_bytes() == before


def test_a_run_that_is_over_has_begun_nothing(synthetic, at_once, tmp_path):
    assert runner.run(synthetic, tmp_path / "results", 0.0, 1, 60.0) == 2 * 9 * 3


def test_results_of_another_size_are_not_mixed(synthetic, at_once, tmp_path):
    runner.run(synthetic, tmp_path / "results", float("inf"), 1, 60.0)
    other = Options(**{**vars(synthetic), "rows": 50})
    with pytest.raises(SystemExit, match="results of 40 rows, and 50 were asked for"):
        runner.run(other, tmp_path / "results", float("inf"), 1, 60.0)


def test_a_slow_cell_is_ended(monkeypatch):
    import time

    from benchmarks.evidence import peers

    monkeypatch.setattr(peers, "labels", lambda settings, data: time.sleep(5))
    assert runner.outcome("peers:labels", {}, Path(), 0.1) == {"failed": "took more than 0 s"}


def test_pages_get_time_by_their_shares(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "SHARES", {"labels": 0.75, "values": 0.25})
    queue = runner.Queue({}, Records(tmp_path), 0, 1.0, 1, tmp_path, 1.0)
    queue.spent |= {"labels": 2.0, "values": 1.0}
    assert queue.share_taken("labels") < queue.share_taken("values")


# pages ----------------------------------------------------------------------------------------------


@pytest.fixture
def results(tmp_path):
    """Results of the full plan with drawn figures, some cells failed."""
    rng = np.random.default_rng(0)
    lines = ["name,file,header,target,task,drop,half"]
    lines += [f"{task}{half}{number},,,,{task},,{half}" for task in ("classes", "numbers") for half in "AB"
              for number in range(3)]  # fmt: skip
    (tmp_path / "manifest.csv").write_text("\n".join(lines))
    records = Records(tmp_path / "results")
    options = Options(data=tmp_path, rows=50, splits=1, largest=1000)
    made = records.begin({"rows": 50, "splits": 1, "minutes": None, "jobs": 1, "largest": 1000, "tables": ()})
    for page, planned in cells(options).items():
        frame = pd.DataFrame([each.settings for each in planned])
        for name in MEASURES[page]:
            frame[name] = np.round(rng.uniform(0.1, 0.9, len(frame)), 3)
        frame = frame.assign(
            flagged=3, right=2, wrong=4, n_fit=50, seconds=0.5, failed=None, made=made, key="x"
        )
        frame.loc[frame.index[:1], "failed"] = "ValueError: drawn | and failed"
        frame[columns(page)].to_csv(records.file(page), index=False)
    return Results(records)


def test_all_pages_are_written(results):
    texts = pages.texts(results)
    assert set(texts) == set(pages.PAGES)
    for name, text in texts.items():
        for line in text.splitlines():
            assert "nan" not in line.split(), f"{name}: {line}"
        for table in re.findall(r"(?:^\|.*\n?)+", text, flags=re.MULTILINE):
            assert len({line.count("|") for line in table.strip().splitlines()}) == 1, name
    assert "drawn / and failed" in texts["labels"]
    assert "critical difference" in texts["labels"]
    assert "held back" in texts["values"]
    for name in ("RobustRVC", "trusted boosting"):
        assert name in texts["labels"].split("## Where it loses")[1]


def test_pages_without_results_say_so(tmp_path):
    for name, text in pages.texts(Results(Records(tmp_path))).items():
        assert name == "index" or "Nothing was measured" in text, name


def test_the_best_of_a_row_is_bold_and_the_oracle_apart(results):
    part = pages.texts(results)["labels"].split("## Error, %")[1].split("## ")[0]
    heads, _, *rows = [line.strip("| ").split(" | ") for line in part.strip().splitlines()]
    oracles = [place for place, head in enumerate(heads) if head.startswith("oracle")]
    assert oracles
    for row in rows:
        values = {place: float(cell.strip("* ")) for place, cell in enumerate(row) if place > 3}
        least = min(value for place, value in values.items() if place not in oracles)
        bold = {place for place, cell in enumerate(row) if cell.startswith("**")}
        assert bold == {place for place, value in values.items() if value == least and place not in oracles}


def test_ranks_of_a_known_order():
    lines = pd.DataFrame(
        [
            {"table": f"t{t}", "learner": name, "error": place + t}
            for t in range(6)
            for place, name in enumerate("abc")
        ]
    )
    found = ranked(lines, "error", list("abc"))
    assert found.means.to_dict() == {"a": 1.0, "b": 2.0, "c": 3.0}
    assert found.tables == 6
    assert found.p < 0.01
    assert found.difference == pytest.approx(2.343 * np.sqrt(3 * 4 / 36), rel=1e-3)  # Demsar 2006, table 5
    assert ranked(lines, "error", list("abc"), best="high").means["c"] == 1.0


def test_a_failed_learner_ranks_last():
    lines = pd.DataFrame(
        [{"table": f"t{t}", "learner": name, "error": value} for t in range(3)
         for name, value in (("a", np.nan), ("b", 2.0), ("c", 1.0))]
    )  # fmt: skip
    assert ranked(lines, "error", list("abc")).means["a"] == 3.0


def test_readme_has_the_block_of_results(results):
    text = put_into(f"before\n{BEGIN}\nold\n{END}\nafter", results)
    assert text == f"before\n{BEGIN}\n{block(results)}\n{END}\nafter"
    assert put_into(text, results) == text


def test_the_index_names_every_page():
    index = pages.texts(Results(Records(Path("nowhere"))))["index"]
    assert set(index.split("```")[1].split("\n\n")[1].split()) == set(pages.PAGES) - {"index"}


# constants ------------------------------------------------------------------------------------------


def test_constants_are_found_and_changed_everywhere():
    found = constants.names()
    assert len(found) > 50
    assert "Budget.held_out_rows" in found
    from rowtrust.estimators._machine import budget

    old = budget().held_out_rows
    with constants.changed("Budget.held_out_rows", 2.0):
        assert budget().held_out_rows == 2 * old
    assert budget().held_out_rows == old


def test_a_constant_changes_where_it_was_imported(monkeypatch):
    from rowtrust import trust
    from rowtrust.trust import finding as module

    name = next(
        name
        for name in constants.capitals(Path(module.__file__))
        if constants.is_number(getattr(module, name))
    )
    old = getattr(module, name)
    importers = [each for each in constants.holders(module, name, old) if each is not module]
    with constants.changed(f"{module.__name__}.{name}", 2.0):
        assert getattr(module, name) == constants.scaled(old, 2.0)
        assert all(getattr(each, name) == constants.scaled(old, 2.0) for each in importers)
    assert getattr(module, name) == old
    assert trust


@pytest.mark.parametrize(
    ("value", "halved", "doubled"),
    [(8, 4, 16), (1e-3, 5e-4, 2e-3), (0.9, 0.95, 0.8), ((2.0, 4.0), (1.0, 2.0), (4.0, 8.0))],
)
def test_halves_and_doubles(value, halved, doubled):
    assert constants.scaled(value, 0.5) == pytest.approx(halved)
    assert constants.scaled(value, 2.0) == pytest.approx(doubled)


def test_no_constant_is_zero_one_or_a_text():
    assert not any(map(constants.is_number, (0, 1, 1.0, True, "a", (), (1.0, "a"))))


# the committed results ------------------------------------------------------------------------------


def test_committed_pages_are_those_of_the_committed_results():
    folder = ROOT / "docs" / "evidence"
    for name, text in pages.texts(Results(Records(folder / "results"))).items():
        assert (folder / f"{name}.md").read_text(encoding="utf-8") == text, name


def test_every_committed_result_names_its_run():
    records = Records(ROOT / "docs" / "evidence" / "results")
    runs = json.loads((records.folder / "about.json").read_text(encoding="utf-8"))
    assert all(run["commit"] for run in runs)
    for page in plan.PAGES:
        assert set(records.lines(page)["made"]) <= set(range(len(runs)))


def test_the_benchmark_imports_by_full_names():
    for file in (ROOT / "benchmarks" / "evidence").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.ImportFrom) and node.level), file
