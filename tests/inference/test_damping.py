"""Steps with sites that bound nothing: mixed, shortened when the bound falls, limited in length."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.special import expit, log_expit

from rowtrust.contracts import Statistics
from rowtrust.engines import MemoryEngine
from rowtrust.inference import AsGiven, Problem, Variational, WorkingSet, solve
from rowtrust.inference.damping import LARGEST_CHANGE, SHORTEST, Damping, exact_bound, limited
from rowtrust.inference.passes import gather
from rowtrust.inference.posterior import Posterior, first_posterior
from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import Gaussian, Likelihood
from rowtrust.priors import ARD
from rowtrust.weights import Gamma, Unit

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = (X[:, 0] + 0.5 * RNG.normal(size=60) > 0).astype(float)


@dataclass(frozen=True)
class PlainLogistic(Likelihood):
    def log_density(self, target, latent):
        return target * latent + log_expit(-latent)

    def mean(self, latent):
        return expit(latent)


def problem(likelihood, y=Y):
    engine = MemoryEngine(X, y, np.ones(60), Basis(Kernel("rbf", 0.5), X[:20]))
    return Problem(engine, AsGiven(), likelihood, Unit(), ARD())


def statistics(gram, vector):
    return Statistics(np.asarray(gram), np.asarray(vector), 0.0, 0.0, 0.0, 1.0, np.empty(0), np.empty(0))


def test_the_exact_bound_of_a_gaussian_is_its_log_evidence():
    """Where the posterior is exact the bound is tight: the density of the targets under the prior."""
    model = problem(Gaussian(3.0), X[:, 0] + 0.1)
    state = WorkingSet().start(model)
    columns = np.array([0, 3, 7])
    phi = model.engine.basis.columns(X, columns)
    precision = np.array([0.5, 1.0, 2.0])
    root = np.linalg.inv(np.linalg.cholesky(3.0 * phi.T @ phi + np.diag(precision))).T
    posterior = Posterior(
        root @ root.T @ (3.0 * phi.T @ (X[:, 0] + 0.1)), root, -2 * np.log(np.diag(root)).sum()
    )
    state = replace(state, columns=columns, precision=precision, posterior=posterior)
    covariance = np.eye(60) / 3.0 + phi @ np.diag(1 / precision) @ phi.T
    residual = X[:, 0] + 0.1
    evidence = -0.5 * (
        residual @ np.linalg.solve(covariance, residual) + np.linalg.slogdet(2 * np.pi * covariance)[1]
    )
    assert exact_bound(state, gather(model, state, columns)) == pytest.approx(evidence, abs=1e-8)


def test_mixing_is_linear_and_begins_anew_when_columns_enter():
    so_far = Damping(np.array([0, 5, 2]), np.diag([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]), step=0.25)
    _, mixed = so_far.mixed(np.array([0, 2]), statistics(np.zeros((2, 2)), np.zeros(2)))
    np.testing.assert_allclose(np.diag(mixed.gram), [0.75, 2.25])
    np.testing.assert_allclose(mixed.vector, [0.75, 2.25])
    _, fresh = so_far.mixed(np.array([0, 9]), statistics(np.eye(2), np.ones(2)))
    np.testing.assert_array_equal(fresh.gram, np.eye(2))


def test_the_step_shortens_when_the_bound_falls_and_the_best_state_is_kept():
    state = WorkingSet().start(problem(PlainLogistic()))
    damping = Damping(np.array([0]), np.eye(1), np.ones(1)).after(state, -5.0)
    assert damping.step == 1.0
    fallen = damping.after(replace(state, bound=1.0), -7.0)
    assert fallen.step == 0.5
    assert fallen.best.bound == -5.0
    for bound in np.arange(-8.0, -30.0, -1.0):
        fallen = fallen.after(state, bound)
    assert fallen.step == SHORTEST


def test_no_step_changes_the_function_by_more_than_is_allowed():
    model = problem(PlainLogistic())
    state = WorkingSet().start(model)
    columns = np.array([0, 1])
    far = Posterior(np.array([100.0, 50.0]), np.eye(2), 0.0)
    near = limited(model.engine, state, columns, far)
    assert np.abs(model.engine.probe(columns) @ near.mean).max() == pytest.approx(LARGEST_CHANGE)
    small = Posterior(np.array([0.1, 0.2]), np.eye(2), 0.0)
    assert limited(model.engine, state, columns, small) is small


def test_a_first_posterior_without_a_bound_is_a_prior_of_unit_variance():
    start = first_posterior(4, certain=False)
    np.testing.assert_allclose(start.root @ start.root.T, np.eye(4) / 4)
    assert start.log_determinant == pytest.approx(np.linalg.slogdet(4 * np.eye(4))[1])
    assert not first_posterior(4, certain=True).root.any()


@pytest.mark.parametrize(
    "solver", [WorkingSet(tol=1e-6), Variational(tol=1e-7)], ids=["working_set", "variational"]
)
def test_a_damped_fit_ends_where_the_expected_slope_is_that_of_the_prior(solver):
    model = problem(PlainLogistic())
    state = solve(model, solver, 2000).state
    found = gather(model, state, state.columns)
    slope = found.vector - found.gram @ state.posterior.mean
    np.testing.assert_allclose(slope, state.precision * state.posterior.mean, atol=2e-3)


def test_a_damped_fit_that_began_with_other_weights_ends_with_its_own():
    """The best bound of the start is of another model, and must not be preferred to what follows."""
    own = Gamma(1.0)
    model = replace(problem(PlainLogistic()), weights=own, first_weights=Unit())
    state = solve(model, WorkingSet(tol=1e-4), 300).state
    assert state.weights is own
