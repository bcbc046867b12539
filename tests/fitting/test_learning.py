"""Hyperparameters of kernel objects, learnt by the evidence: its gradient, and the climb."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import kernels
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel

from rowtrust.fitting import Budget, learning
from rowtrust.fitting.fits import fit_kernel
from rowtrust.fitting.learning import (
    FrozenSites,
    Trial,
    design_log_evidence,
    kernel_log_evidence,
    learn_kernel,
    learn_theta,
)
from rowtrust.kernels import Kernel, OnColumns

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
FROZEN = FrozenSites(RNG.uniform(0.1, 1, 40), RNG.normal(size=40), X[:6], RNG.uniform(0.1, 1, 7))
KERNELS = [
    RBF(0.8),
    ConstantKernel(2.0) * Matern([0.5, 1.0, 2.0], nu=2.5) + WhiteKernel(0.2),
    kernels.RationalQuadratic(1.0, 0.7) * RBF(1.0, "fixed"),
    kernels.ExpSineSquared(1.0, 2.0),
    kernels.DotProduct(0.6) ** 2,
    kernels.PairwiseKernel(0.4, metric="rbf"),
    OnColumns(RBF([0.5, 1.0]), [0, 2]) + ConstantKernel(0.5) * OnColumns(RBF(1.0), [1]),
]

# The evidence of frozen sites


def test_the_derivative_by_the_design_is_exact(slope):
    phi = RNG.normal(size=(40, 7))
    _, by_design = design_log_evidence(phi, FROZEN)
    numeric = slope(lambda flat: design_log_evidence(flat.reshape(40, 7), FROZEN)[0], phi.ravel())
    np.testing.assert_allclose(by_design.ravel(), numeric, rtol=1e-5, atol=1e-7)


def test_the_evidence_is_that_of_a_gaussian():
    """With Gaussian noise of known precision it is the density of the targets, but for constants."""
    target, phis = RNG.normal(size=40), RNG.normal(size=(2, 40, 7))
    frozen = FrozenSites(np.full(40, 4.0), 4.0 * target, X[:6], FROZEN.prior_precision)
    ours = [design_log_evidence(phi, frozen)[0] for phi in phis]
    covariances = [phi @ np.diag(1.0 / frozen.prior_precision) @ phi.T + 0.25 * np.eye(40) for phi in phis]
    theirs = [multivariate_normal(cov=each).logpdf(target) for each in covariances]
    assert ours[0] - ours[1] == pytest.approx(theirs[0] - theirs[1])


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_gradient_by_theta_is_exact(kernel, slope, monkeypatch):
    value, gradient = kernel_log_evidence(kernel.theta, kernel, X, FROZEN)
    numeric = slope(lambda theta: kernel_log_evidence(theta, kernel, X, FROZEN)[0], kernel.theta)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-6)
    phi = np.column_stack([np.ones(40), kernel(X, X[:6])])
    assert value == pytest.approx(design_log_evidence(phi, FROZEN)[0])


def test_a_gradient_in_tiles_is_that_of_the_whole():
    """Of more rows and centres than one tile holds."""
    rng = np.random.default_rng(1)
    rows, kernel = rng.normal(size=(450, 2)), RBF([0.5, 1.0])
    frozen = FrozenSites(np.ones(450), rng.normal(size=450), rows[:120], np.ones(121))
    _, by_design = design_log_evidence(np.column_stack([np.ones(450), kernel(rows, rows[:120])]), frozen)
    whole = np.tensordot(by_design[:, 1:], kernel(rows, eval_gradient=True)[1][:, :120], axes=2)
    np.testing.assert_allclose(kernel_log_evidence(kernel.theta, kernel, rows, frozen)[1], whole, rtol=1e-8)


# The climb, with solvers that are not there


@pytest.fixture
def climb(monkeypatch):
    """Return a function that learns theta by a fake solver and a fake evidence."""

    def learn(fit_at, evidence, kernel):
        monkeypatch.setattr(learning, "kernel_log_evidence", lambda theta, *_: evidence(theta))
        return learn_theta(fit_at, kernel, X, Budget())

    return learn


PEAK = np.log([3.0, 0.5])


def hill(theta):
    return -10.0 * float(((theta - PEAK) ** 2).sum()), -20.0 * (theta - PEAK)


@pytest.mark.parametrize("start", [[1.0, 1.0], [90.0, 0.02]])
def test_a_climb_reaches_the_top_in_steps_of_limited_size(climb, start):
    seen = []

    def fit_at(theta):
        seen.append(theta)
        return Trial(hill(theta)[0], hill(theta)[0], [None])

    np.testing.assert_allclose(climb(fit_at, hill, RBF(start, (1e-2, 1e2))), PEAK, atol=1e-3)
    assert len(seen) < 30


@pytest.mark.parametrize(("start", "end"), [(1.0, 0.5), (1e-9, 1e-2)])
def test_theta_stays_within_its_bounds(climb, start, end):
    """The evidence pulls beyond them without end; the start may lie outside."""
    seen = []

    def fit_at(theta):
        seen.append(float(np.exp(theta[0])))
        return Trial(-seen[-1], 0.0, [None])

    climb(fit_at, lambda theta: (1e3 * float(theta[0]), np.full(1, 1e3)), RBF(start, (1e-2, 0.5)))
    assert seen[0] == pytest.approx(end)
    assert 1e-2 * (1 - 1e-9) <= min(seen) <= max(seen) <= 0.5 * (1 + 1e-9)


def test_the_highest_bound_met_is_kept_where_rounds_gain_nothing(climb):
    """Refits scatter: the evidence points uphill, and the bounds fall."""
    seen = []

    def fit_at(theta):
        seen.append(theta.copy())
        return Trial(-float(len(seen)), 0.0, [None])

    found = climb(fit_at, hill, kernels.DotProduct(1.0))
    np.testing.assert_array_equal(found, seen[0])
    assert len(seen) < 6


@pytest.mark.filterwarnings("error")
def test_a_kernel_object_is_learnt_and_stays_as_the_user_gave_it(make_plan):
    given, plan = RBF(5.0), make_plan()
    (fit,) = learn_kernel(plan, given)
    assert given.length_scale == 5.0
    assert fit.kernel.function.length_scale < 3.0
    assert fit.bound > fit_kernel(plan, Kernel(RBF(5.0), 1.0)).bound + 1.0
