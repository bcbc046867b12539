"""Hwang's tables: two protocols beside print, and sentences that follow the records."""

import csv
import io
import re
import warnings

import numpy as np
import pytest

from papers.context import RunContext
from papers.hwang import beside, cells, plan, reasons, tables, telling
from papers.hwang.models import LITERAL
from papers.hwang.protocol import AS_SAID, PAPERS_OWN, SHARE_SAID
from papers.hwang.published import PERFORMANCE, PROTOCOLS, published
from papers.store import Store
from papers.tables import Cell, Number, ResultTable

MEASURES = ("ERR", "AUC", "RMSE", "kept", "kept rows", "kept 1 %", "selection", "training", "width")


class Pretended(RunContext):
    """Records without a fit: what each classifier measures is told by a function of the experiment."""

    def collect(self, experiments):
        return {
            experiment.name: [pretended(experiment, repeat) for repeat in range(experiment.repeats)]
            for experiment in experiments
        }


def pretended(experiment, repeat):
    if "nearest" in experiment.name:
        return {AS_SAID: 10.0 + repeat % 2, "150 rows": 13.0 + repeat % 2, "seconds": 1.0}
    names = (LITERAL,) if "literal" in experiment.name else (*PAPERS_OWN, "RVC", "RobustRVC")
    level = {"RVM": 10.0, "RRVM": 11.0, "RVC": 12.0, "RobustRVC": 9.0, "SVM": 9.5, LITERAL: 10.5}
    return {
        name: dict.fromkeys(
            MEASURES, level.get(name, 20.0) + 0.1 * (repeat % 3) * (name == "RRVM") + repeat % 2
        )
        for name in names
    }


@pytest.fixture
def context(tmp_path):
    return Pretended(Store(tmp_path), repeats=6)


def test_a_worse_robust_machine_is_said_to_be_worse(context):
    by_paper, ours, printed = telling.robust_notes(context, ("ripley",), "ERR")
    assert "RRVM is below RVM in 0 of 2 contaminated cells and in 0 of 1 clean ones" in by_paper
    assert "ripley 5 % +1.10" in by_paper
    assert "RRVM is WORSE in ripley 0 %, ripley 5 %, ripley 10 %, and better in no cell" in by_paper
    assert "Lowest of the 5 rows: SVM in 3 of 3 cells" in by_paper
    assert "RobustRVC is below RVC in 2 of 2 contaminated cells" in ours
    assert "Lowest of the 5 rows: RRVM in 3 of 3 cells" in ours
    assert "RRVM is below RVM in 2 of 2 contaminated cells and in 1 of 1 clean ones" in printed


def test_cells_far_from_print_have_a_reason(context):
    made = tables.performance_table(context, "ripley", "1")
    text = made.markdown()
    assert "cells agree within two standard errors. The others" in text
    assert "- **1-NN** (0 % ERR" in text
    assert "nearest *150 rows* with 13.5" in text
    (told,) = [note for note in made.notes if note.startswith("Tried")]
    assert all(words in told for words in reasons.TRIED)
    assert reasons.TRIED_COUNTS not in told


def test_what_was_tried_bears_on_what_differs(context):
    def off(measure):
        return Cell(("10", "RRVM"), measure, Number(9.0, 1.0, 50), Number(5.0, 1.0, 50))

    errors, counts = off("ERR %"), off("non-zero coefficients %")
    loop = {("liver", 10): []}
    for differing, names, words, others in (
        ([errors], ("ripley",), reasons.TRIED, (reasons.TRIED_COUNTS, reasons.TRIED_LOOP)),
        ([counts], ("ripley",), (reasons.TRIED_COUNTS,), (*reasons.TRIED, reasons.TRIED_LOOP)),
        ([counts], ("liver",), (reasons.TRIED_COUNTS, reasons.TRIED_LOOP), reasons.TRIED),
        ([errors, counts], ("liver",), (*reasons.TRIED, reasons.TRIED_COUNTS, reasons.TRIED_LOOP), ()),
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(reasons, "literal_pairs", lambda context: loop)
            told = reasons.tried(context, names, differing)
        assert all(each in told for each in words)
        assert not any(each in told for each in others)


def test_nothing_is_excused_where_all_agree(context):
    near = Cell(
        ("0", "RVM"), "ERR %", Number(10.0, 1.0, 50), Number(10.1, 1.0, 50), protocol="paper's protocol"
    )
    (note,) = reasons.deviations(context, [near], ("ripley",))
    assert note == "The paper's protocol against print: 1 of 1 cells agree within two standard errors."


def test_each_protocol_has_its_column(context):
    made = tables.performance_table(context, "ripley", "1")
    headings, rows = made.pivot(["ERR %"])
    assert headings[2:] == ["ERR %, printed", "paper's protocol", "s.e.", "ours", "s.e."]
    by_row = {(row[0], row[1]): row[2:] for row in rows}
    assert by_row["10", "RRVM"][0] == "12.83 (4.48)"
    assert by_row["10", "RRVM"][1].startswith("11.6")
    assert by_row["10", "RRVM"][3].startswith("9.5")
    assert by_row["10", "SVM"][3] == "-"
    assert all(len(measures) == 1 for measures in made.blocks(3))
    lines = list(csv.DictReader(io.StringIO(made.csv())))
    assert {line["protocol"] for line in lines} == {"paper's protocol", "ours"}


def test_a_measure_of_one_protocol_has_one_column():
    both = [
        Cell(("a",), "ERR", Number(1.0), None, protocol="one"),
        Cell(("a",), "ERR", Number(2.0), None, protocol="two"),
        Cell(("a",), "seconds", Number(3.0), None, protocol="one"),
    ]
    made = ResultTable("hwang", "1", "title", ("row",), tuple(both))
    assert made.pivot(["seconds"]) == (["row", "seconds, one"], [["a", "3"]])


def test_a_printed_number_has_columns_beside_it():
    both = [Cell(("a",), "ERR", Number(1.0), Number(1.5, 0.1, 4), protocol=name) for name in ("one", "two")]
    made = ResultTable("hwang", "1", "title", ("row",), tuple(both))
    headings, rows = made.pivot(["ERR"])
    assert headings == ["row", "ERR, printed", "one", "s.e.", "two", "s.e."]
    assert rows == [["a", "1.500 (0.100)", "1", "", "1", ""]]


@pytest.mark.parametrize("number", tables.TABLES)
def test_every_table_is_made_from_the_planned_experiments(context, number):
    planned = {experiment.name for experiment in plan.all_experiments(context)}
    asked = set()
    real = Pretended.collect

    class Watched(Pretended):
        def collect(self, experiments):
            chosen = list(experiments)
            asked.update(experiment.name for experiment in chosen)
            return real(self, chosen)

    made = tables.TABLES[number](Watched(context.store, repeats=6))
    assert made.number == number
    assert made.cells
    assert asked <= planned
    assert f"### Table {number}." in made.markdown()


def test_kinds_of_experiments_share_their_splits(context):
    usual = plan.experiments(context, ("liver",))["liver", 10]
    for others in (plan.literal_experiments, plan.one_class_experiments, plan.nearest_experiments):
        assert others(context)["liver", 10].seed(0, 3) == usual.seed(0, 3)


def test_quick_runs_are_small(tmp_path):
    quick = RunContext(Store(tmp_path), quick=True)
    assert list(plan.literal_experiments(quick)) == [("liver", 10)]
    assert all(
        item.settings["most"] == plan.QUICK_ROWS for item in plan.experiments(quick, plan.NAMES).values()
    )


def test_friedman_compares_the_classifiers_of_a_protocol(context):
    ranks = [cells.comparison(context, "ERR", 10, protocol).mean_ranks for protocol in PROTOCOLS]
    assert np.argmin(ranks[0]) == list(PROTOCOLS["paper"]).index("SVM")
    assert np.argmin(ranks[1]) == list(PROTOCOLS["ours"]).index("RRVM")
    assert (cells.comparison(context, "ERR", 10).mean_ranks == ranks[0]).all()


def test_the_nearest_reading_is_found(context):
    found = beside.misfits(cell for cell in beside.nearest_cells(context) if cell.row[0] == "ripley")
    expected = {
        reading: sum((level - PERFORMANCE["ripley", flipped]["ERR"][0][0]) ** 2 for flipped in (0, 5, 10))
        for reading, level in ((AS_SAID, 10.5), ("150 rows", 13.5))
    }
    assert found == pytest.approx(expected)


def test_counts_of_rows_are_not_printed():
    assert published("ripley", 0, "kept rows", "RVM") is None
    assert published("ripley", 0, "kept 1 %", "RRVM") == published("ripley", 0, "kept", "RRVM")


def test_a_loop_is_told_beside_the_solver(context):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = " ".join(beside.literal_table(context).notes)
    assert "the loop's error is -0.60 points from the default solver's" in text
    found, of = map(int, re.search(r"solver's count of all in (\d+) of (\d+) cells", text).groups())
    keys = list(plan.literal_experiments(context))
    means = [
        tuple(
            np.mean([level + shift * i + i % 2 for i in range(3)])
            for level, shift in ((10.5, 0), (11.0, 0.1))
        )
        for _ in keys
    ]
    printed = [published(*key, "kept", "RRVM") for key in keys]
    nearer = [
        abs(loop - each.mean) < abs(solver - each.mean)
        for (loop, solver), each in zip(means, printed, strict=True)
        if each
    ]
    assert (found, of) == (sum(nearer), len(nearer))
    assert of > 0


def test_values_that_are_not_finite_are_counted(tmp_path):
    class Spoilt(Pretended):
        def collect(self, experiments):
            found = super().collect(experiments)
            if "hwang-ripley-5" in found:
                found["hwang-ripley-5"][2]["RVM"]["AUC"] = np.nan
            return found

    notes = tables.performance_table(Spoilt(Store(tmp_path), repeats=6), "ripley", "1").notes
    expected = "their value is not finite: 5 RVM, AUC %, paper's protocol: 1 of 6."
    assert next(note for note in notes if "finite" in note).endswith(expected)
    clean = tables.performance_table(Pretended(Store(tmp_path), repeats=6), "ripley", "1").notes
    assert not any("finite" in note for note in clean)


def test_what_was_chosen_by_print_is_marked(context, tmp_path):
    assert all("(400 training rows)" in tables.TABLES[number](context).title for number in "456")
    assert not any("training rows" in tables.TABLES[number](context).title for number in "1237")
    quick = Pretended(Store(tmp_path), quick=True, repeats=6)
    assert f"({plan.QUICK_ROWS} training rows)" in tables.TABLES["4"](quick).title
    text = " ".join(tables.NOTES)
    assert "8 widths, 5 penalties and 10 numbers of neighbours; in a quick run 4 widths" in text


def test_table_b_says_by_what_the_rows_were_chosen():
    def cell(reading, mean):
        return Cell(("banana", "0", reading), "ERR", Number(mean), Number(13.5), "neither")

    made = [cell(AS_SAID, 13.25), cell(SHARE_SAID, 11.5)]
    assert [beside.is_share(each, "banana") for each in made] == [False, True]
    note = beside.share_note(made, "banana")
    assert (
        "13.25 % with the training rows of our tables, 11.50 % with 60 % of the rows, 13.50 % printed" in note
    )
