"""Spreads that cannot hide a failure."""

import numpy as np
import pytest

from papers.tables import Cell, Number

GOOD = [2e-10, 3e-10, 1e-10, 4e-10, 2e-10, 9e-10, 1e-10, 5e-10, 3e-10, 6e-10, 2e-9]


def cell(values, paper, better="lower"):
    return Cell(("row",), "ASE", Number.of(values), paper, better)


def test_a_collapsed_fit_makes_the_verdict_worse():
    printed = Number(2.9e-8)
    assert cell(GOOD, printed).verdict == "better"
    collapsed = cell([*GOOD, 0.13], printed)
    assert collapsed.ours.deviation > 1e6 * printed.mean
    assert collapsed.failed == 1
    assert collapsed.verdict == "worse"
    assert "1 failed" in collapsed.compared
    assert collapsed.difference == pytest.approx(cell(GOOD, printed).difference, rel=0.5)


def test_a_printed_spread_is_not_widened_by_ours():
    printed = Number(8.0, 4.0, 100)
    ours = Number(10.0, 40.0, 100)
    assert Cell(("row",), "ASE", ours, printed).difference == pytest.approx(2.0 / np.sqrt(2 * 16 / 100))
    assert Cell(("row",), "ASE", Number(10.0, 1.0, 100), printed).difference == pytest.approx(
        2.0 / np.sqrt((1 + 16) / 100)
    )


def test_one_run_is_judged_by_the_robust_spread_of_draws():
    values = np.random.default_rng(0).normal(-50.0, 5.0, 400)
    found = cell(values, Number(-40.0))
    assert found.difference == pytest.approx(-2.0, abs=0.25)
    assert cell(values, Number(-52.0)).verdict == "same"
    assert cell(np.abs(values), Number(-52.0)).difference > 5


def test_errors_are_compared_by_factors():
    values = np.exp(np.random.default_rng(0).normal(0.0, 0.5, 400))
    found = cell(values, Number(float(np.exp(1.0))))
    assert found.difference == pytest.approx(-2.0, abs=0.25)


def test_worst_and_median():
    number = Number.of([1.0, 2.0, 9.0, -4.0, 3.0])
    assert number.median == 2.0
    assert number.worst("lower") == 9.0
    assert number.worst("higher") == -4.0
    assert number.worst("neither") == 9.0
    assert Number(3.0).median == Number(3.0).worst("lower") == 3.0


def test_few_or_equal_repeats_do_not_fail():
    assert Number.of([1.0, 1.1, 50.0]).failed("lower") == 0
    assert Number.of([0.0] * 12 + [0.5]).failed("lower") == 0
    assert Number.of([1.0] * 12 + [1.4]).failed("lower") == 0
    assert Number.of([1.0] * 12 + [14.0]).failed("lower") == 1
    nearly = [2.0 + 1e-6 * place for place in range(12)]
    assert Number.of([*nearly, 2.1]).failed("lower") == 0
    assert Number.of([*nearly, 4.1]).failed("lower") == 1
    assert Number.of([*nearly, 0.5]).failed("higher") == 1
    assert Number.of([*nearly, 4.1]).failed("neither") == 0


def test_numbers_without_chance_match_to_the_digit_or_not():
    printed = Number(2.787)
    assert Cell(("row",), "ASN", Number(2.78754), printed, "neither", digit=0.001).verdict == "same"
    missed = Cell(("row",), "ASN", Number(2.7895), printed, "neither", digit=0.001)
    assert missed.verdict == "differs"
    assert "not to the digit" in missed.compared


def test_equal_draws_differ_without_end():
    assert cell([2.0] * 12, Number(1.0)).difference == np.inf
    assert cell([2.0] * 12, Number(2.0)).verdict == "same"
    assert cell([2.0] * 12, Number(1.0)).compared == "+100 and more!"


def test_times_of_another_machine_are_not_judged():
    assert cell([2.0] * 12, Number(1.0), "other machine").compared == ""
