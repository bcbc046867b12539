"""What the others say of a row, against posteriors computed anew with the row's site taken out."""

from dataclasses import replace

import numpy as np
import pytest

from rowtrust.engines import MemoryEngine
from rowtrust.inference import AsGiven, Problem, State
from rowtrust.inference.passes import gather, row_outputs
from rowtrust.inference.posterior import solve_posterior
from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import Gaussian, Huber, Logistic
from rowtrust.predictive import PredictiveModel, leave_each_out
from rowtrust.priors import ARD
from rowtrust.weights import Gamma, Unit

N, K = 40, 7
COLUMNS = np.arange(K)
PRECISION = np.linspace(0.2, 2.0, K)
PARTS = [
    (Gaussian(4.0), Unit()),
    (Gaussian(4.0), Gamma(1.3)),
    (Logistic(), Unit()),
    (Logistic(), Gamma(1.3)),
    (Huber(3.0, 0.3), Unit()),
]
every_part = pytest.mark.parametrize(("likelihood", "weights"), PARTS, ids=repr)


def rows_of(likelihood, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (N, 1))
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=N)
    return X, (y > 0).astype(float) if isinstance(likelihood, Logistic) else y


def in_balance(likelihood, weights, X, y, copies):
    """Return a problem, and a state whose sites are made from its own posterior."""
    basis = Basis(Kernel("rbf", 0.7), X[: K - 1])
    problem = Problem(MemoryEngine(X, y, copies, basis), AsGiven(), likelihood, weights, ARD())
    phi = basis.columns(X, COLUMNS)
    blank = solve_posterior(phi.T @ phi, np.zeros(K), PRECISION)
    state = State(COLUMNS, PRECISION, blank, likelihood, weights, -np.inf)
    for _ in range(300):
        statistics = gather(problem, state, COLUMNS)
        state = replace(state, posterior=solve_posterior(statistics.gram, statistics.vector, PRECISION))
    return problem, state


def model_of(problem, state):
    mean, covariance = state.posterior.mean[None], state.posterior.covariance[None]
    return PredictiveModel(problem.engine.basis, mean, covariance, state.likelihood, state.weights)


def refitted_without_each(problem, state):
    """Solve once per row, all sites but its own as they were."""
    precision, shift = row_outputs(problem, state, lambda rows: np.stack([rows.precision, rows.shift]))
    phi = problem.engine.basis.columns(problem.engine.X, COLUMNS)
    moments = []
    for i in range(N):
        rest = np.arange(N) != i
        gram = phi[rest].T @ (precision[rest, None] * phi[rest])
        posterior = solve_posterior(gram, phi[rest].T @ shift[rest], PRECISION)
        moments.append([part[0] for part in posterior.latent_moments(phi[i : i + 1])])
    return np.transpose(moments)


@every_part
def test_leaving_a_row_out_is_a_refit_without_its_site(likelihood, weights):
    X, y = rows_of(likelihood)
    problem, state = in_balance(likelihood, weights, X, y, np.ones(N))
    found = leave_each_out(model_of(problem, state), X, y[:, None])
    mean, variance = refitted_without_each(problem, state)
    np.testing.assert_allclose(found.mean[:, 0], mean, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(found.variance[:, 0], variance, rtol=1e-7)
    trust = row_outputs(problem, state, lambda rows: rows.weights.expected)
    np.testing.assert_allclose(found.trust, trust, rtol=1e-8)


@every_part
def test_all_copies_of_a_row_are_left_out(likelihood, weights):
    X, y = rows_of(likelihood)
    copies = np.random.default_rng(1).uniform(0.3, 3.0, N)
    problem, state = in_balance(likelihood, weights, X, y, copies)
    found = leave_each_out(model_of(problem, state), X, y[:, None], copies)
    mean, variance = refitted_without_each(problem, state)
    np.testing.assert_allclose(found.mean[:, 0], mean, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(found.variance[:, 0], variance, rtol=1e-7)


def test_a_row_that_was_not_in_the_fit_is_left_as_it_is():
    likelihood = Gaussian(4.0)
    X, y = rows_of(likelihood)
    problem, state = in_balance(likelihood, Unit(), X, y, np.ones(N))
    model = model_of(problem, state)
    new = np.linspace(-3, 3, 11)[:, None]
    found = leave_each_out(model, new, np.ones((11, 1)), 0.0)
    mean, variance = model.latent_moments(new)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(found.variance, variance, rtol=1e-12)


def test_outputs_are_left_out_one_by_one_and_the_least_trust_counts():
    X, y = rows_of(Logistic())
    one, other = (
        in_balance(Logistic(), Gamma(1.3), X, target, np.ones(N))
        for target in (y, (X[:, 0] > 0.5).astype(float))
    )
    parts = [model_of(*each) for each in (one, other)]
    both = replace(
        parts[0],
        coefficients=np.concatenate([part.coefficients for part in parts]),
        covariance=np.concatenate([part.covariance for part in parts]),
    )
    targets = np.column_stack([problem.engine.y for problem, _ in (one, other)])
    found = leave_each_out(both, X, targets)
    alone = [leave_each_out(part, X, targets[:, [i]]) for i, part in enumerate(parts)]
    np.testing.assert_allclose(found.mean, np.column_stack([each.mean for each in alone]), rtol=1e-12)
    np.testing.assert_allclose(found.variance, np.column_stack([each.variance for each in alone]), rtol=1e-12)
    np.testing.assert_allclose(found.trust, np.minimum(alone[0].trust, alone[1].trust), rtol=1e-12)


def test_a_row_that_holds_the_model_up_alone_leaves_next_to_nothing_but_stays_finite():
    X = np.array([[0.0]])
    basis = Basis(Kernel("rbf", 1.0), X)
    posterior = solve_posterior(1e12 * np.ones((2, 2)), 1e12 * np.ones(2), np.full(2, 1e-3))
    model = PredictiveModel(basis, posterior.mean[None], posterior.covariance[None], Gaussian(1e12), Unit())
    found = leave_each_out(model, X, np.ones((1, 1)))
    assert np.isfinite(found.mean).all()
    assert found.variance[0, 0] > 0
