"""Metrics of collinear inputs: against the correlations they take away, and finite differences."""

import numpy as np
import pytest

from rowtrust.fitting.candidates import (
    FIRST,
    LATER,
    SHRINKAGE,
    candidates_of,
    fits_of,
    gradients,
    kernels_of,
    learnt_metric,
    whitening,
)
from rowtrust.fitting.fits import fit_kernel
from rowtrust.kernels import Kernel

RNG = np.random.default_rng(0)
HIDDEN = RNG.normal(size=(80, 3)) * [1.0, 0.02, 0.01]
X = HIDDEN @ RNG.normal(size=(3, 5)) + [5.0, 0.0, -3.0, 0.0, 100.0]
Y = np.sin(HIDDEN[:, 1] / 0.01) + 0.05 * RNG.normal(size=80)


def test_whitened_inputs_are_uncorrelated_and_of_one_deviation(plan_of):
    metric = whitening(plan_of(X, Y).rows)
    assert metric.shape == (5, 3)
    np.testing.assert_allclose(np.cov((X @ metric).T, bias=True), np.eye(3), atol=0.02)


def test_units_constants_and_copies_change_no_distance(plan_of):
    plain = X @ whitening(plan_of(X, Y).rows)
    units = np.geomspace(1e-3, 1e3, 5)
    other = X * units @ whitening(plan_of(X * units, Y).rows)
    wider = np.column_stack([X, np.ones(80)])
    with_constant = wider @ whitening(plan_of(wider, Y).rows)
    copies = RNG.integers(1, 4, 80)
    counted = X @ whitening(plan_of(X, Y, copies=copies.astype(float)).rows)
    repeated = X @ whitening(plan_of(np.repeat(X, copies, axis=0), np.repeat(Y, copies)).rows)
    for one, two in ((plain, other), (plain, with_constant), (counted, repeated)):
        one, two = one - one[0], two - two[0]
        np.testing.assert_allclose(two @ two.T, one @ one.T, rtol=1e-6, atol=1e-6)


def test_a_wild_value_does_not_hide_what_moves_together(plan_of):
    wild = X.copy()
    wild[::20, 2] += 1e4
    metric, usual = whitening(plan_of(wild, Y).rows), np.arange(80) % 20 > 0
    np.testing.assert_allclose(np.cov((X @ metric)[usual].T, bias=True), np.eye(3), atol=0.02)


def test_inputs_that_are_hardly_collinear_are_left_alone(plan_of):
    assert whitening(plan_of(HIDDEN / HIDDEN.std(axis=0), Y).rows) is None
    assert whitening(plan_of(np.ones((80, 2)), Y).rows) is None


@pytest.mark.parametrize("classes", [0, 3])
@pytest.mark.parametrize("name", ["rbf", "linear"])
def test_gradients_are_those_of_finite_differences(plan_of, slope, name, classes):
    target = np.searchsorted([-0.3, 0.3], Y) if classes else Y
    plan = plan_of(X, target, classes)
    metric = whitening(plan.rows)
    fit = fit_kernel(plan, Kernel(name, 0.3, metric=metric))
    outputs = zip(fit.states, fit.solutions, gradients(fit, X[:4]), strict=True)
    for state, solution, found in outputs:

        def latent(row, state=state, mean=solution.posterior.mean):
            return float(fit.engine.basis.columns(row[None], state.columns)[0] @ mean)

        by_hand = np.array([slope(latent, row, step=1e-6) for row in X[:4]])
        np.testing.assert_allclose(found @ metric.T, by_hand, rtol=1e-4, atol=1e-4 * np.abs(by_hand).max())


def test_the_learnt_metric_is_longest_along_what_matters(plan_of):
    plan = plan_of(X, Y)
    metric = whitening(plan.rows)
    fits = [fit_kernel(plan, Kernel("rbf", 0.3, metric=metric))]
    lengths = np.linalg.svd(np.linalg.pinv(metric) @ learnt_metric(plan, fits), compute_uv=False)
    assert lengths[0] ** 2 > 0.8
    assert lengths[-1] ** 2 >= SHRINKAGE / 3 * (1 - 1e-9)


def test_collinear_inputs_have_kernels_of_their_own(plan_of):
    plan = plan_of(X, Y)
    plan = plan_of(X, Y, whitener=whitening(plan.rows), learns_metric=True)
    first = fits_of(plan, candidates_of(plan, FIRST))
    functions = [fit.kernel.function for fit in first if fit.kernel.metric is not None]
    assert functions == ["linear", "rbf", "rbf"]
    later = kernels_of(candidates_of(plan, LATER), plan, plan.rows, first)
    assert [kernel.metric.ndim for kernel in later] == [1, 1, 1, 1, 2]
