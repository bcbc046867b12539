"""Fits that go on with noisy labels, and the noise that is learnt for them."""

from dataclasses import replace

import numpy as np
import pytest

from rowtrust.inference import Variational, WorkingSet, solve
from rowtrust.kernels import Kernel
from rowtrust.label_noise import hypotheses, no_noise, output_rates
from rowtrust.label_noise.matrix import uniform_noise
from rowtrust.likelihoods import LabelChannel
from rowtrust.search import fit_kernel
from rowtrust.search.labels import channels, fits_with_noise, learn_noise, resumed

KERNEL = Kernel("rbf", 0.8)
INDEX = 100 + np.arange(120)


def noisy_plan(make_plan, share, **changes):
    plan = make_plan(n=120, classes=2, index=INDEX, **changes)
    flip = np.random.default_rng(7).random(120) < share
    return replace(plan, rows=replace(plan.rows, y=np.where(flip, 1 - plan.rows.y, plan.rows.y)))


@pytest.mark.parametrize("solver", [WorkingSet(tol=1e-3), Variational(tol=1e-3)], ids=repr)
def test_a_fit_that_goes_on_ends_higher_than_it_began(make_plan, solver):
    plan = noisy_plan(make_plan, 0.15, solver=solver)
    fit = fit_kernel(plan, KERNEL)
    (after,) = resumed(plan, fit, [LabelChannel(0.15, 0.15)]).solutions
    bounds = np.array([info.bound for info in after.trace])
    assert (np.diff(bounds) >= -1e-6 * np.abs(bounds[1:])).all()
    assert after.state.bound > bounds[0]
    assert after.state.likelihood == LabelChannel(0.15, 0.15)


def test_a_fit_that_goes_on_as_it_was_stays_where_it_is(make_plan):
    plan = noisy_plan(make_plan, 0.0)
    fit = fit_kernel(plan, KERNEL)
    (problem,) = fit.problems
    again = solve(problem, plan.solver, 200, first=plan.solver.resumed(problem, fit.states[0]))
    assert again.state.bound == pytest.approx(fit.bound, abs=0.05)
    assert again.state.bound >= fit.bound - 1e-6
    silent = resumed(plan, fit, [LabelChannel(0.0, 0.0)])
    assert silent.bound == pytest.approx(fit.bound, abs=0.1)
    np.testing.assert_allclose(silent.latent, fit.latent, rtol=0.15)


def test_columns_do_not_enter_where_they_may_not(make_plan):
    plan = noisy_plan(make_plan, 0.15)
    fit = fit_kernel(plan, KERNEL)
    one = replace(fit.problems[0], likelihood=LabelChannel(0.15, 0.15))
    kept = solve(one, plan.solver, 200, first=plan.solver.resumed(one, fit.states[0], grows=False)).state
    assert set(kept.columns) <= set(fit.states[0].columns)


@pytest.mark.parametrize("solver", [WorkingSet(tol=1e-3), Variational(tol=1e-3)], ids=repr)
def test_a_looser_solver_is_content_earlier(make_plan, solver):
    assert solver.looser(50.0).tol == pytest.approx(0.05)
    careful, loose = (
        fit_kernel(noisy_plan(make_plan, 0.1, solver=each), KERNEL) for each in (solver, solver.looser(1e3))
    )
    assert len(loose.solutions[0].trace) < len(careful.solutions[0].trace)


def test_negligible_noise_leaves_fits_alone(make_plan):
    plan = noisy_plan(make_plan, 0.0)
    fits = [fit_kernel(plan, KERNEL)]
    assert fits_with_noise(plan, fits, no_noise(2)) is fits
    assert fits_with_noise(plan, fits, uniform_noise(0.005, 2)) is fits
    (noisy,) = fits_with_noise(plan, fits, uniform_noise(0.2, 2))
    assert noisy.share == 1.0
    channel = noisy.states[0].likelihood
    assert (channel.false_one, channel.false_zero) == pytest.approx((0.2, 0.2))


def test_every_output_has_the_channel_of_its_class(make_plan):
    plan = make_plan(n=60, classes=3, weight=np.arange(60) % 3 + 1.0)
    matrix = uniform_noise(0.2, 3)
    given = np.bincount(plan.rows.y, weights=plan.rows.weight) / plan.rows.weight.sum()
    found = [(each.false_one, each.false_zero) for each in channels(plan, matrix)]
    np.testing.assert_allclose(found, output_rates(matrix, given))


def test_noise_is_learnt_from_labels_left_out(make_plan):
    learnt = {}
    for share in (0.0, 0.2):
        plan = noisy_plan(make_plan, share)
        learnt[share] = learn_noise(plan, [fit_kernel(plan, KERNEL)], hypotheses(2)).matrix
    assert learnt[0.0][[0, 1], [1, 0]].max() < 0.08
    assert learnt[0.2][[0, 1], [1, 0]].sum() > 0.15


def test_where_a_class_is_too_small_for_folds_labels_are_right_or_as_noisy_as_stated(make_plan):
    plan = make_plan(classes=2, index=100 + np.arange(60))
    plan = replace(plan, rows=replace(plan.rows, y=(np.arange(60) == 7).astype(int)))
    fits = [fit_kernel(plan, KERNEL)]
    np.testing.assert_array_equal(learn_noise(plan, fits, hypotheses(2)).matrix, np.eye(2))
    stated = learn_noise(plan, fits, [uniform_noise(0.1, 2)])
    np.testing.assert_array_equal(stated.matrix, uniform_noise(0.1, 2))
    assert stated.slope == 1.0
