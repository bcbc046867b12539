"""A paper's numbers beside ours."""

import csv
import io

import numpy as np
import pytest

from papers.catalogue import PAPERS
from papers.hwang.published import CLASSIFIERS, KEPT, PERFORMANCE, published
from papers.judging import table_verdict
from papers.pages import misses
from papers.tables import Cell, Number, ResultTable


def cell(ours, paper=10.0, better="lower"):
    return Cell(("row",), "error", Number(ours, 1.0, 25), Number(paper, 1.0, 25), better)


def test_the_difference_is_in_standard_errors():
    assert cell(11.0).difference == pytest.approx(1.0 / np.sqrt(2 / 25))


@pytest.mark.parametrize(
    ("ours", "better", "verdict"),
    [
        (10.1, "lower", "same"),
        (12.0, "lower", "worse"),
        (8.0, "lower", "better"),
        (12.0, "higher", "better"),
        (12.0, "neither", "differs"),
        (12.0, "other machine", ""),
    ],
)
def test_verdicts(ours, better, verdict):
    assert cell(ours, better=better).verdict == verdict


def test_a_paper_without_a_spread_borrows_ours():
    single = Cell(("row",), "error", Number(2.0, 1.0, 4), Number(1.0, None, 1))
    assert single.difference == pytest.approx(1.0 / np.sqrt(1 / 4 + 1))
    assert np.isnan(Cell(("row",), "error", Number(2.0), Number(1.0)).difference)


def test_csv_has_a_line_per_cell():
    table = ResultTable("hwang", 1, "title", ("what",), (cell(12.0), cell(10.0)))
    lines = list(csv.DictReader(io.StringIO(table.csv())))
    assert [line["verdict"] for line in lines] == ["worse", "same"]
    assert lines[0]["paper"] == "10"
    assert lines[0]["repeats"] == "25"


def test_misses_are_listed():
    table = ResultTable("hwang", 1, "title", ("what",), (cell(12.0), cell(10.0)))
    text = misses([table])
    assert "rowtrust's methods: 1 of 2 cells" in text
    assert "other libraries" not in text
    assert "table 1, row: error 12.00 (1.00), the paper 10.00 (1.00)" in text


def test_markdown_has_ours_beside_theirs():
    table = ResultTable("hwang", 1, "title", ("what",), (cell(12.0),), ("a note",))
    assert "| row | 12.00 (1.00) | 10.00 (1.00) | +7.1! |" in table.markdown()
    assert "a note" in table.markdown()


def test_numbers_of_nothing_and_of_one():
    assert Number.of([]).text() == "-"
    assert Number.of([2.5]).text() == "2.5"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Number(13.241, 1.153, 50), "13.24 (1.15)"),
        (Number(0.26612, 0.01041, 50), "0.2661 (0.0104)"),
        (Number(368.41, 127.9, 50), "368 (128)"),
        (Number(2.9e-8, 1.2e-8, 50), "2.90e-08 (1.20e-08)"),
        (Number(5.0, 0.0, 3), "5 (0)"),
    ],
)
def test_numbers_are_as_fine_as_they_are_known(number, text):
    assert number.text() == text


def test_published_tables_are_complete():
    assert set(PERFORMANCE) == set(KEPT)
    for name, flipped in PERFORMANCE:
        for measure in ("ERR", "AUC", "RMSE", "training"):
            assert all(published(name, flipped, measure, classifier) for classifier in CLASSIFIERS)
        assert published(name, flipped, "kept", "1-NN") is None


def test_every_table_and_figure_is_there():
    assert set("1234567") <= set(PAPERS["hwang"].tables)
    assert set("1234567") <= set(PAPERS["hwang"].figures)
    assert set("1234567") <= set(PAPERS["chu"].tables)
    assert set("123") <= set(PAPERS["chu"].figures)
    assert PAPERS["li"].tables
    assert PAPERS["li"].figures


@pytest.mark.parametrize("decades", [0.2, 0.5, 1.0])
def test_a_collapse_cannot_hide_in_a_spread(decades):
    draws = 2.9e-8 * 10.0 ** (decades * np.random.default_rng(0).normal(size=50))
    assert Number.of(draws).failed("lower") == 0
    assert Number.of([*draws[1:], 0.0026]).failed("lower") == 1
    verdict = Cell(("row",), "ASE", Number.of([*draws[1:], 0.0026]), Number(2.9e-8)).verdict
    assert verdict == "worse"


def test_what_is_no_number_has_failed():
    assert Cell(("row",), "error", Number.of([1.0, np.nan, 1.2]), Number(1.0, 0.1, 5)).verdict == "worse"


def test_without_a_spread_only_the_same_is_the_same():
    assert Cell(("row",), "error", Number(1.0, 0.0, 5), Number(1.0, 0.0, 5)).verdict == "same"
    assert Cell(("row",), "error", Number(1.0, 0.0, 5), Number(2.0, 0.0, 5)).verdict == "better"


@pytest.mark.parametrize(
    ("cells", "differ", "verdict"), [(9, 1, "reproduced"), (9, 3, "in part"), (9, 5, "not reproduced")]
)
def test_chance_makes_no_verdict(cells, differ, verdict):
    assert table_verdict(cells, differ, 0) == verdict
    assert table_verdict(cells, 0, differ) == ("reproduced" if verdict == "reproduced" else "better")
