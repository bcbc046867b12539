"""Guesses of where the next pass is to begin, against Newton steps and maxima found on dense matrices."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from sklearn.exceptions import ConvergenceWarning

from rowtrust.engines import MemoryEngine
from rowtrust.inference import AsGiven, Problem, State, Variational, WorkingSet, solve
from rowtrust.inference.acceleration import (
    LARGEST_CHANGE,
    Hyper,
    hyper_step,
    with_extrapolated_parts,
    with_newton_mean,
)
from rowtrust.inference.passes import block_statistics, curved_statistics, one_pass
from rowtrust.inference.posterior import Posterior, solve_posterior
from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import Gaussian, Logistic, SoftInsensitive
from rowtrust.priors import ARD
from rowtrust.weights import Gamma, Unit

LIKELIHOODS = {"logistic": Logistic(), "gaussian": Gaussian(), "soft": SoftInsensitive(3.0, 0.2, 0.5)}
WEIGHTS = {"unit": Unit(), "gamma": Gamma(), "learnt": Gamma(1.0, learns=True)}
K = 6


def make_problem(likelihood, weights, seed):
    rng = np.random.default_rng(seed)
    n_rows, n_features = int(rng.integers(20, 81)), int(rng.integers(1, 4))
    X = rng.normal(size=(n_rows, n_features))
    latent = np.sin(2 * X[:, 0]) + (X[:, -1] if n_features > 1 else 0.0)
    target = latent + rng.choice([0.3, 0.5]) * rng.normal(size=n_rows)
    target = (
        (target > 0).astype(float) if likelihood == "logistic" else (target - target.mean()) / target.std()
    )
    basis = Basis(Kernel("rbf", float(rng.choice([0.2, 0.5, 1.0, 2.0]))), X)
    engine = MemoryEngine(X, target, np.ones(n_rows), basis)
    return Problem(engine, AsGiven(), LIKELIHOODS[likelihood], WEIGHTS[weights], ARD())


def random_state(problem, seed, size=K):
    """Return a state of the first columns with some mean, covariance and prior precisions."""
    rng = np.random.default_rng(1000 + seed)
    precision = rng.uniform(0.3, 2.0, size)
    phi = problem.engine.basis.columns(problem.engine.X, np.arange(size))
    posterior = solve_posterior(phi.T @ phi, rng.normal(size=size), precision)
    posterior = replace(posterior, mean=rng.normal(size=size))
    return State(np.arange(size), precision, posterior, problem.likelihood, problem.weights, -np.inf)


# The mean


def logistic_bound(problem, state):
    """Return the part of the bound that hangs on the mean, and its gradient: Jaakkola and Jordan's, dense."""
    phi, target = problem.engine.basis.columns(problem.engine.X, state.columns), problem.engine.y
    variance = np.einsum("ij,jk,ik->i", phi, state.posterior.covariance, phi)

    def bound(mean):
        latent = phi @ mean
        xi = np.sqrt(latent**2 + variance)
        terms = log_expit(xi) + (target - 0.5) * latent - 0.5 * xi
        return float(terms.sum() - 0.5 * mean @ (state.precision * mean))

    def gradient(mean):
        latent = phi @ mean
        xi = np.sqrt(latent**2 + variance)
        return phi.T @ (target - 0.5 - (expit(xi) - 0.5) / xi * latent) - state.precision * mean

    return bound, gradient


def newton(problem, state):
    statistics = one_pass(problem, state, state.columns, curved_statistics)
    return with_newton_mean(state, state, np.arange(len(state.columns)), statistics)


@pytest.mark.parametrize("seed", range(5))
def test_a_step_is_that_of_the_dense_hessian(seed):
    problem = make_problem("logistic", "unit", seed)
    state = random_state(problem, seed)
    _, gradient = logistic_bound(problem, state)
    at, step = state.posterior.mean, 1e-5
    hessian = np.array([(gradient(at + e) - gradient(at - e)) / (2 * step) for e in step * np.eye(K)])
    expected = at - np.linalg.solve(hessian, gradient(at))
    found = newton(problem, state)
    np.testing.assert_allclose(found.posterior.mean, expected, rtol=2e-3, atol=2e-3)
    np.testing.assert_array_equal(found.posterior.root, state.posterior.root)
    assert not np.allclose(found.posterior.mean, at, atol=0.1)


@pytest.mark.parametrize("seed", range(5))
def test_steps_reach_the_maximum_over_the_mean(seed):
    problem = make_problem("logistic", "unit", seed)
    state = random_state(problem, seed)
    bound, gradient = logistic_bound(problem, state)
    best = minimize(
        lambda mean: -bound(mean), np.zeros(K), jac=lambda mean: -gradient(mean), method="BFGS", tol=1e-10
    )
    for _ in range(12):
        state = newton(problem, state)
    np.testing.assert_allclose(state.posterior.mean, best.x, atol=1e-5)


@pytest.mark.parametrize("weights", [pytest.param("unit", marks=pytest.mark.slow), "gamma"])
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_at_rest_no_step_is_taken(likelihood, weights):
    """Where a pass leads back to where it began, Newton's method has nothing to add."""
    problem = make_problem(likelihood, weights, 1)
    state = random_state(problem, 1)
    for _ in range(3000):
        statistics = one_pass(problem, state, state.columns, block_statistics)
        state = replace(state, posterior=solve_posterior(statistics.gram, statistics.vector, state.precision))
    np.testing.assert_allclose(newton(problem, state).posterior.mean, state.posterior.mean, atol=1e-6)


def test_where_sites_are_exact_the_step_is_where_the_pass_leads():
    problem = make_problem("gaussian", "unit", 2)
    state = random_state(problem, 2)
    statistics = one_pass(problem, state, state.columns, block_statistics)
    led = solve_posterior(statistics.gram, statistics.vector, state.precision)
    np.testing.assert_allclose(newton(problem, state).posterior.mean, led.mean, rtol=1e-6, atol=1e-8)


def test_columns_that_left_or_entered_are_seen_by_the_step():
    """The best point of the quadratic model at the old mean, with what left at zero."""
    problem = make_problem("logistic", "gamma", 3)
    state = random_state(problem, 3, size=5)
    working, kept = np.arange(8), np.array([0, 2, 3, 6, 7])
    statistics = one_pass(problem, state, working, curved_statistics)
    precision = np.linspace(0.5, 1.5, len(kept))
    blank = Posterior(np.zeros(5), np.eye(5), 0.0)
    led = replace(state, columns=working[kept], precision=precision, posterior=blank)
    found = with_newton_mean(state, led, kept, statistics)
    before = np.append(state.posterior.mean, np.zeros(3))
    slope, bend = statistics.vector - statistics.gram @ before, statistics.curvature

    def model(part):
        change = -before
        change[kept] += part
        return slope @ change - 0.5 * change @ bend @ change - 0.5 * part @ (precision * part)

    best = minimize(lambda part: -model(part), np.zeros(5), method="BFGS", tol=1e-10)
    np.testing.assert_allclose(found.posterior.mean, best.x, atol=1e-4)
    np.testing.assert_array_equal(found.columns, led.columns)


def test_without_curvature_nothing_is_guessed():
    problem = make_problem("logistic", "unit", 0)
    state = random_state(problem, 0)
    statistics = one_pass(problem, state, state.columns, block_statistics)
    assert with_newton_mean(state, state, np.arange(K), statistics) is state


# The parameters of likelihood and weights


def learning_state(log_precision, log_trust):
    blank = Posterior(np.zeros(1), np.zeros((1, 1)), 0.0)
    likelihood, weights = Gaussian(np.exp(log_precision)), Gamma(np.exp(log_trust), learns=True)
    return State(np.zeros(1, dtype=np.intp), np.ones(1), blank, likelihood, weights, -np.inf)


def test_a_step_of_the_parameters_is_told_in_their_coordinates():
    step = hyper_step(learning_state(0.3, 0.2), learning_state(0.5, 1.2))
    np.testing.assert_allclose(step.begun, [0.3, 0.2])
    np.testing.assert_allclose(step.led, [0.5, 1.2])


@pytest.mark.parametrize("rate", [0.9, 0.5, 0.0, -0.4])
@pytest.mark.parametrize("second", [None, 0.4])
def test_aitkens_rule_is_exact_for_a_linear_recursion(rate, second):
    """Whether the second step begins where the first led, or at a guess on the way."""
    end, away = np.array([1.0, 1.5]), np.array([-0.3, 0.1])

    def led(begun):
        return end + rate * (begun - end)

    start = end + away
    begun = led(start) if second is None else end + second * away
    steps = [Hyper(at, led(at)) for at in (start, begun)]
    found = with_extrapolated_parts(learning_state(*steps[1].led), *steps)
    assert np.log(found.likelihood.precision) == pytest.approx(end[0], abs=1e-9)
    assert np.log(found.weights.trust) == pytest.approx(end[1], abs=1e-9)


def test_parameters_go_only_so_far_beyond_a_step():
    steps = (
        Hyper(np.array([0.0, 0.5]), np.array([0.1, 0.5])),
        Hyper(np.array([0.1, 0.5]), np.array([0.1999, 0.5])),
    )
    found = with_extrapolated_parts(learning_state(*steps[1].led), *steps)
    assert np.log(found.likelihood.precision) == pytest.approx(0.1999 + LARGEST_CHANGE)


def test_parameters_at_rest_stay():
    still = Hyper(np.array([0.3, 0.5]), np.array([0.3, 0.5]))
    state = learning_state(0.3, 0.5)
    assert with_extrapolated_parts(state, still, still) is state


# The solvers


def run(problem, solver, max_iter):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return solve(problem, solver, max_iter)


@pytest.mark.parametrize(
    ("likelihood", "weights", "share"),
    [
        # 130 of 401 steps. Most of these end within 30 plain steps, of which guesses save half; of the slow
        # one, plain takes 148 and stops 0.002 below what guesses reach in 25. Ten steps more are let pass.
        pytest.param("logistic", "unit", 0.35, marks=pytest.mark.slow),
        ("logistic", "gamma", 0.3),
        ("gaussian", "unit", 1.0),  # a pass is a Newton step already: only the noise is extrapolated
        pytest.param("gaussian", "gamma", 0.9, marks=pytest.mark.slow),
        ("gaussian", "learnt", 0.7),
        ("soft", "unit", 0.9),
        ("soft", "gamma", 0.9),
    ],
)
def test_guesses_save_steps_and_cost_no_evidence(likelihood, weights, share):
    """Beside a plain run that may take ten times as long; one in five may end in another maximum."""
    reached, steps = [], []
    for seed in range(10):
        problem = make_problem(likelihood, weights, seed)
        fast = run(problem, WorkingSet(tol=1e-4), 300)
        plain = run(problem, WorkingSet(tol=1e-5, accelerated=False), 3000)
        bounds = np.array([info.bound for info in fast.trace])
        assert np.diff(bounds).min() > -1e-8 * np.abs(bounds).max(), seed
        assert fast.trace[-1].converged, seed
        assert fast.state.bound == bounds[-1]
        reached.append(fast.state.bound > plain.state.bound - 0.1)
        steps.append((len(fast.trace), len(plain.trace)))
    assert sum(reached) >= 8, f"{sum(reached)} of 10"
    fast, plain = np.sum(steps, axis=0)
    assert fast < share * plain


def test_a_guess_that_ends_lower_is_dropped():
    """The step is made again from where the last one led."""
    problem, solver = make_problem("logistic", "gamma", 4), WorkingSet()
    state = solver.start(problem)
    while state.memory.safe is None or len(state.columns) < 2:
        state, _ = solver.step(problem, state)
    wild = replace(state.posterior, mean=state.posterior.mean + 30.0)
    found, info = solver.step(problem, replace(state, posterior=wild))
    safe = replace(state.memory.safe, memory=state.memory.without_guess())
    expected, told = solver.step(problem, safe)
    assert info == told
    assert info.bound >= state.bound
    np.testing.assert_array_equal(found.posterior.mean, expected.posterior.mean)


@pytest.mark.parametrize("stop", [1, 2, 3, 5, 8])
def test_what_is_kept_is_where_a_step_led(stop):
    """A guess has no bound of its own; nor does it stay in memory, with all that were before it."""
    problem = make_problem("logistic", "gamma", 4)
    for solver in (WorkingSet(), Variational(accelerated=True)):
        solution = run(problem, solver, stop)
        assert solution.state.bound == solution.trace[-1].bound
        memory = solution.state.memory
        assert not isinstance(memory, State)
        assert getattr(memory, "safe", None) is None


@pytest.mark.slow
@pytest.mark.parametrize(("likelihood", "weights"), [("logistic", "gamma"), ("gaussian", "learnt")])
def test_guesses_change_no_bound_of_the_variational_solver(likelihood, weights):
    for seed in (1, 3):
        problem = make_problem(likelihood, weights, seed)
        fast, plain = (run(problem, Variational(1e-6, accelerated), 20_000) for accelerated in (True, False))
        assert fast.state.bound == pytest.approx(plain.state.bound, abs=1e-3)
        assert np.diff([info.bound for info in fast.trace]).min() > -1e-8 * abs(fast.state.bound)
        assert len(fast.trace) < 1.05 * len(plain.trace)
