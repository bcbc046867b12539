"""Targets judged by two explanations of their residuals: the noise of all rows, or an error."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import check_grad
from scipy.stats import t as student

from rowtrust import RVR, RobustRVR, SparseBayesRegressor
from rowtrust.trust import judge_numbers, learn_number_judge
from rowtrust.trust.errors import Errors
from rowtrust.trust.lists import is_flagged
from rowtrust.trust.numbers import Residuals

N_ROWS = 400
SHAPES = {
    "gauss": lambda rng, level: rng.normal(size=N_ROWS),
    "laplace": lambda rng, level: rng.laplace(size=N_ROWS) / np.sqrt(2.0),
    "t(3)": lambda rng, level: rng.standard_t(3, size=N_ROWS) / np.sqrt(3.0),
    "lognormal": lambda rng, level: (np.exp(rng.normal(size=N_ROWS)) - np.exp(0.5)) / 2.16,
    "gamma": lambda rng, level: rng.gamma(1.0, size=N_ROWS) - 1.0,
    "grows": lambda rng, level: rng.normal(size=N_ROWS) * np.exp(0.5 * level),
}


def problem(shape, seed=0, share=0.0):
    """Return targets, their means and which of them are gross errors, of four to eight deviations."""
    rng = np.random.default_rng(seed)
    mean = rng.normal(size=N_ROWS)
    target = mean + 0.4 * SHAPES[shape](rng, mean)
    wrong = np.arange(N_ROWS) < share * N_ROWS
    size = rng.uniform(4.0, 8.0, N_ROWS) * rng.choice([-1.0, 1.0], N_ROWS) * np.std(target)
    return target + wrong * size, mean, wrong


def judged(target, mean, deviation=None):
    return judge_numbers(target, mean, np.ones(len(target)) if deviation is None else deviation)


@pytest.mark.parametrize("shape", SHAPES)
def test_noise_of_any_shape_accuses_nobody(shape):
    named = [is_flagged(judged(*problem(shape, seed)[:2]).wrong).sum() for seed in range(5)]
    assert np.mean(named) <= 0.005 * N_ROWS


@pytest.mark.parametrize("share", [0.05, 0.1])
@pytest.mark.parametrize("shape", SHAPES)
def test_gross_errors_are_found_under_noise_of_any_shape(shape, share):
    named, right, all_wrong = 0, 0, 0
    for seed in range(3):
        target, mean, wrong = problem(shape, seed, share)
        found = is_flagged(judged(target, mean).wrong)
        named, right, all_wrong = named + found.sum(), right + (found & wrong).sum(), all_wrong + wrong.sum()
    assert right / all_wrong > 0.95
    assert right / named > 0.85


def test_a_row_of_which_the_model_is_unsure_may_be_further_off():
    target, mean, _ = problem("gauss", share=0.05)
    deviation = np.ones(N_ROWS)
    target[-1] = mean[-1] + 2.5
    sure = judged(target, mean, deviation).wrong[-1]
    deviation[-1] = 5.0
    assert judged(target, mean, deviation).wrong[-1] < 0.5 * sure


def test_zeros_of_many_rows_are_no_errors():
    rng = np.random.default_rng(0)
    mean = rng.normal(size=N_ROWS)
    zero = rng.random(N_ROWS) < 0.3
    found = judged(np.where(zero, 0.0, np.exp(mean + 0.3 * rng.normal(size=N_ROWS))), 0.7 * np.exp(mean))
    assert not found.reason
    assert (found.wrong[zero] == 0.0).all()


@pytest.mark.parametrize(
    ("target", "why"),
    [
        (np.arange(40.0) % 2, "two values"),
        (np.zeros(40), "two values"),
        (np.where(np.arange(40) < 30, 0.0, np.arange(40.0)), "same number"),
        (np.random.default_rng(0).normal(size=40), "explains nothing"),
    ],
)
def test_where_it_cannot_judge_it_says_why_and_doubts_nobody(target, why):
    found = judged(target, np.zeros(40))
    assert why in found.reason
    assert (found.wrong == 0.0).all()


def test_units_order_and_a_shift_of_the_targets_change_nothing():
    target, mean, _ = problem("gamma", share=0.05)
    plain, order = judged(target, mean).wrong, np.random.default_rng(1).permutation(N_ROWS)
    for unit in (1e-9, 1e9):
        np.testing.assert_allclose(judged(unit * target, unit * mean).wrong, plain, atol=1e-6)
    np.testing.assert_allclose(judged(target + 5.0, mean + 5.0).wrong, plain, atol=1e-6)
    np.testing.assert_allclose(judged(target[order], mean[order]).wrong, plain[order], atol=1e-6)


def test_many_rows_are_judged_like_few():
    parts = [problem("t(3)", seed, 0.05) for seed in range(60)]
    target, mean, wrong = (np.concatenate(each) for each in zip(*parts, strict=True))
    found = is_flagged(judged(target, mean).wrong)
    assert found[wrong].mean() > 0.95
    assert wrong[found].mean() > 0.85


def residuals(value):
    rng = np.random.default_rng(0)
    size = len(value)
    return Residuals(value, rng.random(size), rng.normal(size=size), 0.1 * rng.normal(size=size))


NOISE_AT = [0.1, -0.2, 1.5, -0.3, -0.1]


@pytest.mark.parametrize("at", [[0.1, 0.2, 0.5, 0.3, 0.2], [*NOISE_AT, -2.0], [*NOISE_AT, -2.0, 1.8, -1.2]])
@pytest.mark.parametrize("side", [0.0, 1.0, -1.0])
def test_the_gradient_is_that_of_the_loss(at, side):
    rows = residuals(3.0 * np.random.default_rng(1).standard_t(3, size=60))
    off = check_grad(lambda at: rows.loss(at, side)[0], lambda at: rows.loss(at, side)[1], np.array(at))
    assert off < 1e-4


@pytest.mark.parametrize("side", [0.0, 1.0, -1.0])
def test_where_errors_lie_is_a_density(side):
    errors, rows = Errors(place=2.0, breadth=-1.5, side=side, gathered=0.8), np.zeros(1)
    there = [
        quad(lambda v: np.exp(errors.log_density(np.array([v]), rows)[0][0]), *ends, limit=200)[0]
        for ends in ((-np.inf, -20.0), (-20.0, -1e-6), (1e-6, 20.0), (20.0, np.inf))
    ]
    assert sum(there) == pytest.approx(1.0, abs=1e-4)
    assert there[1] + there[0] == pytest.approx({0.0: 0.5, 1.0: 0.1, -1.0: 0.9}[side], abs=1e-3)


NOISY = {
    "gauss": lambda rng, f: f + rng.normal(size=len(f)),
    "gamma": lambda rng, f: f + rng.gamma(1.0, size=len(f)) - 1.0,
    "grades": lambda rng, f: np.round(6.0 + 0.6 * f + 0.7 * rng.normal(size=len(f))),
    "amounts": lambda rng, f: np.round(np.exp(1.0 + 0.3 * f + 0.3 * rng.normal(size=len(f))), 1),
    "counts": lambda rng, f: rng.poisson(np.exp(0.6 * f + 0.7)).astype(float),
}


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("share", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("shape", NOISY)
def test_errors_on_one_side_are_found_where_noise_is_half_of_the_variance(shape, share, side):
    """Heavy and skewed tails would explain them, but have no gap before them."""
    found, named, there = 0, 0, 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        f = rng.normal(size=160)
        right = NOISY[shape](rng, f)
        mean = right.mean() + np.cov(f, right)[0, 1] * f
        wrong = np.arange(160) < share * 160
        target = np.where(wrong, right + side * rng.uniform(4.0, 8.0, 160) * np.std(right), right)
        assert not is_flagged(judged(right, mean).wrong).any()
        flagged = is_flagged(judged(target, mean).wrong)
        found, named, there = found + (flagged & wrong).sum(), named + flagged.sum(), there + wrong.sum()
    assert found / there > (0.6 if share == 0.05 else 0.8)
    assert found / named > 0.85


def test_errors_beyond_a_group_or_on_its_other_side_are_errors_too():
    target, mean, wrong = problem("gauss")
    wrong = np.arange(N_ROWS) < 40
    target = np.where(wrong, target + 6.0, target)
    target[[50, 51]] = mean[[50, 51]] + [300.0, -300.0]
    found = judge_numbers(target, mean, np.ones(N_ROWS)).wrong
    assert is_flagged(found)[[50, 51]].all()
    assert is_flagged(found)[:40].all()


def test_grades_are_judged_by_a_model_that_is_shifted():
    """The median grade has the least absolute error, but not the least squared one."""
    rng = np.random.default_rng(0)
    f = rng.normal(size=N_ROWS)
    grades, mean = np.round(6.0 + 0.4 * f + 0.6 * rng.normal(size=N_ROWS)), 6.3 + 0.4 * f
    assert np.abs(grades - np.median(grades)).mean() < np.abs(grades - mean).mean()
    assert not judged(grades, mean).reason
    assert judged(grades, 6.3 + 0.4 * f[::-1]).reason


def test_the_noise_is_a_density_and_student_t_without_skewness():
    at = np.array([0.3, 0.0, 1.0, 0.6, 0.2])
    one = Residuals(np.zeros(1), np.ones(1), np.zeros(1), np.zeros(1))

    def at_value(value, at):
        rows = Residuals(np.array([value]), one.weight, one.level, one.unsure)
        return float(np.exp(rows.log_noise(at)[0][0]))

    assert quad(lambda v: at_value(v, at), -np.inf, np.inf)[0] == pytest.approx(1.0, abs=1e-6)
    at[3:] = 0.0
    expected = student(2.0 + np.exp(1.0), scale=np.exp(0.3)).pdf(1.7)
    assert at_value(1.7, at) == pytest.approx(expected)


@pytest.mark.parametrize("wild", [1e3, 1e9, 1e30, 1e200])
def test_one_wild_target_does_not_hide_the_other_errors(wild):
    target, mean, wrong = problem("gauss", share=0.05)
    target[-1] = wild
    named = is_flagged(judged(target, mean).wrong)
    assert named[-1]
    assert named[wrong].all()


@pytest.mark.parametrize("share", [0.05, 0.15, 0.3])
def test_a_number_that_stands_for_a_missing_value_is_an_error_however_many_have_it(share):
    target, mean, wrong = problem("gauss")
    wrong = np.arange(N_ROWS) < share * N_ROWS
    named = is_flagged(judged(np.where(wrong, -999.0, target), mean).wrong)
    assert named[wrong].all()
    assert named[~wrong].mean() < 0.01


def test_a_row_is_not_accused_for_being_unsure():
    target, mean, _ = problem("gauss", share=0.05)
    target[-1], deviation = mean[-1], np.ones(N_ROWS)
    for each in (30.0, 1e3, 1e6):
        deviation[-1] = each
        assert judged(target, mean, deviation).wrong[-1] < 0.5


def test_few_rows_are_too_few():
    for size in range(3, 12):
        assert "too few" in judged(np.arange(size) + 0.0, np.zeros(size)).reason


def test_weights_are_copies():
    target, mean, _ = problem("gamma", share=0.05)
    copies = np.random.default_rng(0).integers(1, 4, N_ROWS)
    weighted = learn_number_judge(target, mean, np.ones(N_ROWS), copies.astype(float))
    repeated = learn_number_judge(*(np.repeat(each, copies) for each in (target, mean, np.ones(N_ROWS))))
    wrong, other = (each.verdict(target, mean, np.ones(N_ROWS)).wrong for each in (weighted, repeated))
    np.testing.assert_allclose(wrong, other, atol=1e-6)


@pytest.mark.parametrize("machine", [RVR, RobustRVR, SparseBayesRegressor])
def test_a_part_of_the_rows_is_judged_as_all_of_them_are(machine):
    target, mean, wrong = problem("laplace", share=0.05)
    X = mean[:, None]
    model = machine(gamma="scale").fit(X, target)
    whole = model.judge_rows(X, target).p_wrong
    assert is_flagged(whole)[wrong].mean() > 0.9
    for some in (slice(0, 2), slice(10, 25), slice(390, 400)):
        np.testing.assert_allclose(model.judge_rows(X[some], target[some]).p_wrong, whole[some], atol=1e-9)
