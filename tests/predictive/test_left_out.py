"""What the others say of a row, against Newton steps on dense matrices and fits to the other rows."""

from dataclasses import replace

import numpy as np
import pytest

from rowtrust.engines import MemoryEngine
from rowtrust.inference import AsGiven, Problem, State
from rowtrust.inference.passes import LEAST_RESPONSE, expected_loss, gather, row_outputs
from rowtrust.inference.posterior import solve_posterior
from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import Gaussian, Huber, LabelChannel, Logistic
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
    (LabelChannel(0.1, 0.2), Unit()),
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


def dense_design(problem):
    return problem.engine.basis.columns(problem.engine.X, COLUMNS)


def row_terms(problem, state, variance):
    """Return slope and curvature of every row's term of the bound in its latent mean, by differences.

    The term is what sites and weights, made anew at every mean, leave of it; terms that bend upwards count
    as bent a little.
    """
    target, copies = problem.engine.y, problem.engine.weight
    mean = dense_design(problem) @ state.posterior.mean

    def parts(at):
        sites = state.likelihood.sites(target, at, variance)
        loss = expected_loss(sites, at, variance)
        return sites, loss, state.weights.learn(loss, state.likelihood.weight_exponent)

    def term(at):
        sites, loss, weights = parts(at)
        return sites.normaliser + weights.bound - weights.expected * loss

    def slope(at, step=1e-5):
        return (term(at + step) - term(at - step)) / (2 * step)

    curvature = (slope(mean - 1e-3) - slope(mean + 1e-3)) / 2e-3
    sites, _, weights = parts(mean)
    precision = weights.expected * sites.precision
    return copies * slope(mean), copies * np.clip(curvature, LEAST_RESPONSE * precision, precision)


def hessian_of(problem, state):
    """Return the curvature of the bound in the coefficients."""
    phi = dense_design(problem)
    _, curvature = row_terms(problem, state, state.posterior.latent_moments(phi)[1])
    return phi.T @ (curvature[:, None] * phi) + np.diag(PRECISION)


def model_of(problem, state):
    """Return the model as a fit tells it: with the linear response as its covariance."""
    covariance = np.linalg.inv(hessian_of(problem, state))
    mean = state.posterior.mean[None]
    return PredictiveModel(problem.engine.basis, mean, covariance[None], state.likelihood, state.weights)


def newton_without_each(problem, state):
    """Take a row's curvature out of the Hessian and its slope out of the gradient, zero, and step."""
    phi, hessian = dense_design(problem), hessian_of(problem, state)
    told = np.einsum("ij,ij->i", phi, np.linalg.solve(hessian, phi.T).T)
    moments = []
    for row, slope, curvature in zip(phi, *row_terms(problem, state, told), strict=True):
        without = hessian - curvature * np.outer(row, row)
        mean = state.posterior.mean + np.linalg.solve(without, -slope * row)
        moments.append([row @ mean, row @ np.linalg.solve(without, row)])
    return np.transpose(moments)


def refitted_without(problem, state, i):
    """Return the latent moments of a row in a fit without it and its copies, the prior precisions kept."""
    X, y, copies = problem.engine.X, problem.engine.y, problem.engine.weight
    rest = (X[i] != X).any(axis=1)
    basis = problem.engine.basis
    engine = MemoryEngine(X[rest], y[rest], copies[rest], basis)
    others = replace(problem, engine=engine)
    for _ in range(300):
        statistics = gather(others, state, COLUMNS)
        state = replace(state, posterior=solve_posterior(statistics.gram, statistics.vector, PRECISION))
    return [part[0] for part in state.posterior.latent_moments(basis.columns(X[i : i + 1], COLUMNS))]


@pytest.mark.parametrize("copies", [np.ones(N), np.random.default_rng(1).uniform(0.3, 3.0, N)])
def test_for_gaussian_noise_leaving_a_row_out_is_a_refit(copies):
    likelihood = Gaussian(4.0)
    X, y = rows_of(likelihood)
    problem, state = in_balance(likelihood, Unit(), X, y, copies)
    found = leave_each_out(model_of(problem, state), X, y[:, None], copies)
    for i in range(0, N, 5):
        mean, variance = refitted_without(problem, state, i)
        assert found.mean[i, 0] == pytest.approx(mean, rel=1e-5, abs=1e-6)
        assert found.variance[i, 0] == pytest.approx(variance, rel=1e-5)


@pytest.mark.parametrize("seed", [0])
@pytest.mark.parametrize("weights", [Unit(), Gamma(1.3)], ids=repr)
def test_for_classes_leaving_a_row_out_is_nearly_a_refit(weights, seed):
    X, y = rows_of(Logistic(), seed)
    problem, state = in_balance(Logistic(), weights, X, y, np.ones(N))
    some = np.arange(0, N, 3)
    fitted = dense_design(problem)[some] @ state.posterior.mean
    found = leave_each_out(model_of(problem, state), X, y[:, None]).mean[some, 0]
    refitted = np.array([refitted_without(problem, state, i)[0] for i in some])
    assert np.abs(found - refitted).max() < 0.15 * np.abs(fitted - refitted).max()


@every_part
def test_leaving_a_row_out_is_a_newton_step_without_its_term(likelihood, weights):
    X, y = rows_of(likelihood)
    problem, state = in_balance(likelihood, weights, X, y, np.ones(N))
    found = leave_each_out(model_of(problem, state), X, y[:, None])
    mean, variance = newton_without_each(problem, state)
    np.testing.assert_allclose(found.mean[:, 0], mean, rtol=2e-4, atol=2e-4)
    np.testing.assert_allclose(found.variance[:, 0], variance, rtol=2e-4)


@every_part
def test_the_weight_of_a_row_left_out_is_that_of_the_fit(likelihood, weights):
    X, y = rows_of(likelihood)
    problem, state = in_balance(likelihood, weights, X, y, np.ones(N))
    model = PredictiveModel(
        problem.engine.basis,
        state.posterior.mean[None],
        state.posterior.covariance[None],
        likelihood,
        weights,
    )
    weight = row_outputs(problem, state, lambda rows: rows.weights.expected)
    found = leave_each_out(model, X, y[:, None]).weight
    np.testing.assert_allclose(found, np.minimum(weight, 1.0), rtol=1e-8)


@every_part
def test_all_copies_of_a_row_are_left_out(likelihood, weights):
    X, y = rows_of(likelihood)
    copies = np.random.default_rng(1).uniform(0.3, 3.0, N)
    problem, state = in_balance(likelihood, weights, X, y, copies)
    found = leave_each_out(model_of(problem, state), X, y[:, None], copies)
    mean, variance = newton_without_each(problem, state)
    np.testing.assert_allclose(found.mean[:, 0], mean, rtol=2e-4, atol=2e-4)
    np.testing.assert_allclose(found.variance[:, 0], variance, rtol=2e-4)


def test_for_gaussian_noise_leaving_copies_out_together_is_a_refit():
    likelihood = Gaussian(4.0)
    X, y = rows_of(likelihood)
    group = np.arange(N) // 2
    X = X[2 * group]
    problem, state = in_balance(likelihood, Unit(), X, y, np.ones(N))
    found = leave_each_out(model_of(problem, state), X, y[:, None], groups=group)
    for i in range(0, N, 5):
        mean, variance = refitted_without(problem, state, i)
        assert found.mean[i, 0] == pytest.approx(mean, rel=1e-5, abs=1e-6)
        assert found.variance[i, 0] == pytest.approx(variance, rel=1e-5)


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


def test_outputs_are_left_out_one_by_one_and_the_least_weight_counts():
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
    np.testing.assert_allclose(found.mean, np.column_stack([each.mean for each in alone]), rtol=1e-9)
    np.testing.assert_allclose(found.variance, np.column_stack([each.variance for each in alone]), rtol=1e-9)
    np.testing.assert_allclose(found.weight, np.minimum(alone[0].weight, alone[1].weight), rtol=1e-12)


def test_a_row_that_holds_the_model_up_alone_leaves_next_to_nothing_but_stays_finite():
    X = np.array([[0.0]])
    basis = Basis(Kernel("rbf", 1.0), X)
    posterior = solve_posterior(1e12 * np.ones((2, 2)), 1e12 * np.ones(2), np.full(2, 1e-3))
    model = PredictiveModel(basis, posterior.mean[None], posterior.covariance[None], Gaussian(1e12), Unit())
    found = leave_each_out(model, X, np.ones((1, 1)))
    assert np.isfinite(found.mean).all()
    assert found.variance[0, 0] > 0


def test_targets_may_have_likelihoods_of_their_own():
    """What a row behind a channel put in is taken out through the channel, whatever the model predicts."""
    X, y = rows_of(Logistic())
    channel = LabelChannel(0.1, 0.2)
    model = model_of(*in_balance(channel, Unit(), X, y, np.ones(N)))
    truth = replace(model, likelihood=Logistic())
    expected, found = (
        leave_each_out(model, X, y[:, None]),
        leave_each_out(truth, X, y[:, None], 1.0, [channel]),
    )
    np.testing.assert_array_equal(found.mean, expected.mean)
    np.testing.assert_array_equal(found.variance, expected.variance)
    assert np.abs(leave_each_out(truth, X, y[:, None]).mean - expected.mean).max() > 1e-3
