"""The loop around a solver: when it ends, what it warns of, what it says of the rows."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_expit
from sklearn.exceptions import ConvergenceWarning

from rowtrust.engines import MemoryEngine
from rowtrust.inference import AsGiven, Info, Problem, State, Variational, WorkingSet, solve
from rowtrust.inference.posterior import Posterior
from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import Gaussian, Logistic
from rowtrust.priors import ARD
from rowtrust.weights import Fixed, Gamma, Unit


@dataclass(frozen=True)
class Counting:
    """A solver that moves the bias by one a step, and is content after so many."""

    is_reference = False

    enough: int
    tol: float = 0.25

    def start(self, problem):
        blank = Posterior(np.zeros(1), np.zeros((1, 1)), 0.0)
        return State(np.zeros(1, dtype=np.intp), np.ones(1), blank, problem.likelihood, problem.weights, 0.0)

    def step(self, problem, state):
        posterior = replace(state.posterior, mean=state.posterior.mean + 1.0)
        bound = state.bound + 1.0
        return replace(state, posterior=posterior, bound=bound), Info(bound, 7.0, 1, bound >= self.enough)

    def finish(self, problem, state):
        return replace(state, memory="finished")


def make_problem(weights=None, block_bytes=64):
    X = np.linspace(-1, 1, 20)[:, None]
    engine = MemoryEngine(
        X, np.sin(3 * X[:, 0]), np.ones(20), Basis(Kernel("rbf", 1.0), X), block_bytes=block_bytes
    )
    return Problem(engine, AsGiven(), Gaussian(), weights or Unit(), ARD())


@pytest.mark.filterwarnings("error")
def test_it_steps_until_the_solver_is_content():
    solution = solve(make_problem(), Counting(4), 100)
    assert [info.bound for info in solution.trace] == [1.0, 2.0, 3.0, 4.0]
    assert solution.state.bound == 4.0
    assert solution.state.memory == "finished"


@pytest.mark.filterwarnings("error")
def test_a_solver_that_is_content_with_the_last_step_allowed_warns_of_nothing():
    assert len(solve(make_problem(), Counting(4), 4).trace) == 4


def test_it_stops_at_max_iter_and_says_how_far_from_converged():
    with pytest.warns(ConvergenceWarning, match=r"Counting .* max_iter=3 .* gain 7 nats .*tol=0.25"):
        solution = solve(make_problem(), Counting(4), 3)
    assert len(solution.trace) == 3
    assert solution.state.memory == "finished"


@pytest.mark.filterwarnings("error")
def test_an_observer_ends_the_run_without_a_warning():
    seen = []

    def observe(state, info):
        seen.append((state.bound, info.bound))
        return len(seen) == 2

    solution = solve(make_problem(), Counting(9), 100, observe)
    assert seen == [(1.0, 1.0), (2.0, 2.0)]
    assert len(solution.trace) == 2


def test_the_last_pass_tells_of_every_row_in_order():
    problem = make_problem(Gamma(1.3))
    solution = solve(problem, Counting(2), 10)
    np.testing.assert_array_equal(solution.latent_mean, np.full(20, 2.0))
    loss = 0.5 * (problem.engine.y - 2.0) ** 2
    np.testing.assert_allclose(solution.expected_weight, 1.8 / (1.3 + loss), rtol=1e-12)


# The covariance that is told


def logistic_problem(seed=0, n=50):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = (X[:, 0] + 0.7 * rng.normal(size=n) > 0).astype(float)
    return X, y, Basis(Kernel("rbf", 0.5), X)


def bound_in_the_mean(phi, y, precision, variance, mean):
    """Return Jaakkola and Jordan's bound, its parameters at their best, as far as it hangs on the mean."""
    latent = phi @ mean
    xi = np.sqrt(latent**2 + variance)
    terms = log_expit(xi) + (y - 0.5) * latent - 0.5 * xi
    return float(terms.sum() - 0.5 * mean @ (precision * mean))


def hessian(function, at, step=1e-3):
    """Central differences."""
    units = step * np.eye(len(at))
    return np.array(
        [
            [
                function(at + a + b) - function(at + a - b) - function(at - a + b) + function(at - a - b)
                for a in units
            ]
            for b in units
        ]
    ) / (4 * step**2)


@pytest.fixture
def no_floor(monkeypatch):
    """Rows far from the boundary count as bent as they are."""
    monkeypatch.setattr("rowtrust.inference.run.LEAST_RESPONSE", 0.0)


@pytest.mark.usefixtures("no_floor")
@pytest.mark.parametrize("seed", range(3))
def test_the_covariance_told_is_the_inverse_curvature_of_the_bound(seed):
    X, y, basis = logistic_problem(seed)
    engine = MemoryEngine(X, y, np.ones(50), basis, block_bytes=300)
    problem = Problem(engine, AsGiven(), Logistic(), Unit(), ARD())
    solution = solve(problem, WorkingSet(tol=1e-8), 2000)
    state = solution.state
    assert 2 <= len(state.columns) <= 12
    phi = basis.columns(X, state.columns)
    _, variance = state.posterior.latent_moments(phi)
    parts = phi, y, state.precision, variance
    curvature = -hessian(lambda at: bound_in_the_mean(*parts, at), state.posterior.mean)
    covariance = np.linalg.inv(curvature)
    found = solution.posterior.covariance
    np.testing.assert_allclose(phi @ found @ phi.T, phi @ covariance @ phi.T, rtol=2e-3, atol=2e-3)
    np.testing.assert_array_equal(solution.posterior.mean, state.posterior.mean)
    told, bare = (np.einsum("ij,jk,ik->i", phi, each, phi) for each in (found, state.posterior.covariance))
    assert (told > bare).all(), "sites bend more than the bound: q(beta) is too sure of itself"


@pytest.mark.usefixtures("no_floor")
def test_the_covariance_told_is_the_response_to_a_small_pull():
    """Add ``pull * mean`` to the bound: where its maximum moves to, by how much, is the covariance."""
    X, y, basis = logistic_problem(1)
    problem = Problem(MemoryEngine(X, y, np.ones(50), basis), AsGiven(), Logistic(), Unit(), ARD())
    solution = solve(problem, WorkingSet(tol=1e-8), 2000)
    state, size = solution.state, len(solution.state.columns)
    phi = basis.columns(X, state.columns)
    _, variance = state.posterior.latent_moments(phi)

    def pulled(pull):
        def negative(mean):
            return -bound_in_the_mean(phi, y, state.precision, variance, mean) - pull @ mean

        return minimize(negative, state.posterior.mean, method="BFGS", options={"gtol": 1e-7}).x

    pull = 1e-2
    moved = np.array([(pulled(e) - pulled(-e)) / (2 * pull) for e in pull * np.eye(size)])
    found = phi @ solution.posterior.covariance @ phi.T
    np.testing.assert_allclose(phi @ moved @ phi.T, found, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("weights", ["unit", "fixed"])
def test_where_sites_are_exact_the_covariance_told_is_that_of_q(weights):
    X = np.linspace(-1, 1, 40)[:, None]
    y = np.sin(3 * X[:, 0]) + 0.2 * np.random.default_rng(0).normal(size=40)
    membership = np.random.default_rng(1).uniform(0.2, 1.0, 40)
    weight = membership if weights == "fixed" else np.ones(40)
    engine = MemoryEngine(X, y, weight, Basis(Kernel("rbf", 1.0), X))
    part = Fixed(membership) if weights == "fixed" else Unit()
    problem = Problem(engine, AsGiven(), Gaussian(), part, ARD())
    solution = solve(problem, WorkingSet(tol=1e-10), 2000)
    phi = engine.basis.columns(X, solution.state.columns)
    for one, two in zip(
        solution.posterior.latent_moments(phi), solution.state.posterior.latent_moments(phi), strict=True
    ):
        np.testing.assert_allclose(one, two, rtol=1e-5)


def test_predictions_of_a_doubted_row_are_less_sure_than_q():
    """Doubt follows the latent function: rows in doubt say less than their sites."""
    rng = np.random.default_rng(0)
    X = np.sort(rng.uniform(-1, 1, (60, 1)), axis=0)
    y = np.sin(3 * X[:, 0]) + 0.1 * rng.normal(size=60)
    y[::10] += 3.0
    engine = MemoryEngine(X, y, np.ones(60), Basis(Kernel("rbf", 1.0), X))
    solution = solve(Problem(engine, AsGiven(), Gaussian(), Gamma(1.3), ARD()), WorkingSet(), 2000)
    phi = engine.basis.columns(X, solution.state.columns)
    told, bare = (each.latent_moments(phi)[1] for each in (solution.posterior, solution.state.posterior))
    assert (told > bare).all()


# The warm start


def wrong_labels(n=60, wrong=(5, 25, 48)):
    X = np.linspace(-2, 2, n)[:, None]
    y = (X[:, 0] > 0).astype(float)
    y[list(wrong)] = 1 - y[list(wrong)]
    engine = MemoryEngine(X, y, np.ones(n), Basis(Kernel("rbf", 0.5), X))
    problem = Problem(engine, AsGiven(), Logistic(), Gamma(1.3), ARD(), first_weights=Unit())
    return problem, np.array(wrong)


def quietly(problem, max_iter):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return solve(problem, WorkingSet(), max_iter)


@pytest.mark.parametrize("max_iter", range(1, 6))
def test_a_robust_fit_is_robust_however_early_it_is_stopped(max_iter):
    problem, wrong = wrong_labels()
    solution = quietly(problem, max_iter)
    plain = quietly(replace(problem, weights=Unit(), first_weights=None), max_iter)
    assert len(solution.trace) == max_iter
    assert solution.state.weights is problem.weights
    assert solution.expected_weight.min() < 0.9
    assert not np.array_equal(solution.latent_mean, plain.latent_mean)
    if max_iter > 1:  # before, there is a bias and nothing else
        assert np.abs(solution.latent_mean - plain.latent_mean).max() > 0.1
        assert solution.expected_weight[wrong].max() < 0.7 * np.median(solution.expected_weight)


def test_a_fit_that_ends_by_itself_has_left_its_warm_start():
    problem, wrong = wrong_labels()
    solution = quietly(problem, 1000)
    assert solution.trace[-1].converged
    assert solution.state.weights is problem.weights
    assert solution.state.bound == solution.trace[-1].bound
    assert solution.expected_weight[wrong].max() < 0.7 * np.delete(solution.expected_weight, wrong).min()


def test_a_warm_start_begins_as_the_plain_fit_does():
    problem, _ = wrong_labels()
    plain = quietly(replace(problem, weights=Unit(), first_weights=None), 3)
    warm = quietly(problem, 3)
    assert [info.bound for info in warm.trace] == [info.bound for info in plain.trace]


def test_the_first_step_with_its_own_weights_knows_not_what_is_left():
    problem, _ = wrong_labels()
    solver = WorkingSet()
    state = solver.start(problem)
    while state.memory.warm_start:
        state, _ = solver.step(problem, state)
    _, info = solver.step(problem, state)
    assert info.distance > 1.0, "a warning would say that nothing is left"


def test_an_observer_that_ends_the_warm_start_leaves_a_robust_fit_too():
    problem, _ = wrong_labels()
    solution = solve(problem, WorkingSet(), 1000, lambda state, info: True)
    assert len(solution.trace) == 1
    assert solution.expected_weight.min() < 0.9


def test_far_from_the_boundary_the_covariance_is_not_that_of_a_straight_term():
    """Classes far apart: each row counts with a tenth of its site at least, so that the fit stays sure."""
    X = np.array([[-5.0], [-4.8], [-5.2], [5.0], [4.8], [5.2]])
    y = (X[:, 0] > 0).astype(float)
    basis = Basis(Kernel("rbf", 0.02), X)
    problem = Problem(MemoryEngine(X, y, np.ones(6), basis), AsGiven(), Logistic(), Unit(), ARD())
    solution = solve(problem, WorkingSet(tol=1e-6), 2000)
    phi = basis.columns(X, solution.state.columns)
    bare, told = (each.latent_moments(phi)[1] for each in (solution.state.posterior, solution.posterior))
    assert (told >= bare).all()
    assert (told <= 10.0 * bare * (1 + 1e-9)).all()


def test_the_papers_own_loop_is_told_as_it_ends():
    X, y, basis = logistic_problem(0, n=20)
    problem = Problem(MemoryEngine(X, y, np.ones(20), basis), AsGiven(), Logistic(), Unit(), ARD())
    solution = solve(problem, Variational(tol=1e-3), 500)
    assert solution.posterior is solution.state.posterior


@dataclass(frozen=True)
class Huge(Counting):
    """A solver that ends with a huge coefficient of which hardly anything is known."""

    def start(self, problem):
        state = super().start(problem)
        posterior = replace(state.posterior, mean=np.full(1, 1e80))
        return replace(state, precision=np.full(1, 1e-250), posterior=posterior)


@pytest.mark.filterwarnings("error")
def test_only_the_covariance_of_the_response_is_asked_for():
    """The mean of a response that pulls with the coefficients themselves would overflow."""
    problem = replace(make_problem(), likelihood=Gaussian(precision=1e-252))
    solution = solve(problem, Huge(1), 1)
    np.testing.assert_allclose(solution.posterior.mean, 1e80)
    np.testing.assert_allclose(solution.posterior.covariance, 1.0 / (1e-250 + 20 * 1e-252))
