"""The loop around a solver: when it ends, what it warns of, what it says of the rows."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from rowtrust.engines import MemoryEngine
from rowtrust.inference import AsGiven, Info, Problem, State, WorkingSet, solve
from rowtrust.inference.posterior import Posterior
from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import Gaussian, Logistic
from rowtrust.priors import ARD
from rowtrust.weights import Gamma, Unit


@dataclass(frozen=True)
class Counting:
    """A solver that moves the bias by one a step, and is content after so many."""

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


def test_weights_of_a_warm_start_give_way_at_the_end():
    """Ended in its warm start, a fit must not report that every row was trusted."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 1))
    y = (rng.uniform(size=60) < 0.5 + 0.4 * np.sign(X[:, 0])).astype(float)
    engine = MemoryEngine(X, y, np.ones(60), Basis(Kernel("rbf", 1.0), X))
    problem = Problem(engine, AsGiven(), Logistic(), Gamma(1.3), ARD())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        solution = solve(problem, WorkingSet(), 2)
    assert solution.state.weights is problem.weights
    assert solution.expected_weight.min() < 0.9
