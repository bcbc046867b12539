"""Every solver through one contract, with every likelihood and weighting that never lowers its bound."""

import importlib
import inspect
import itertools
import pkgutil
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from rowtrust import inference
from rowtrust.engines import MemoryEngine
from rowtrust.inference import AsGiven, Problem, Variational, WorkingSet, solve
from rowtrust.inference.passes import gather, log_scale
from rowtrust.inference.posterior import site_log_evidence, solve_posterior
from rowtrust.kernels import Basis, Kernel, distinct_rows
from rowtrust.likelihoods import Gaussian, Logistic
from rowtrust.priors import ARD
from rowtrust.weights import Fixed, Gamma, Unit

LIKELIHOODS = ["gaussian", "logistic"]
WEIGHTS = ["unit", "fixed", "gamma"]
SOLVERS = {"variational": Variational(tol=1e-6), "working_set": WorkingSet(tol=1e-4, entry=1e-2)}


def test_every_solver_has_a_case():
    """A solver is a class of the package with start, step and finish."""
    names = [f"{inference.__name__}.{module.name}" for module in pkgutil.iter_modules(inference.__path__)]
    modules = [importlib.import_module(name) for name in names]
    found = {
        part.__name__
        for module in modules
        for _, part in inspect.getmembers(module, inspect.isclass)
        if part.__module__ == module.__name__
        and all(hasattr(part, method) for method in ("start", "step", "finish"))
        and not getattr(part, "_is_protocol", False)
    }
    cases = {type(solver).__name__ for solver in SOLVERS.values()}
    missing = sorted(found - cases)
    assert not missing, f"{missing} in rowtrust.inference: write a case for each into SOLVERS of this file."
    assert found == cases


def make_problem(likelihood, weights, seed, n_rows=None, block_bytes=2**22, copies=None, repeat=False):
    """Draw a random problem; with ``copies`` its rows are weighted, or repeated."""
    generator = np.random.default_rng(seed)
    n_rows = n_rows or int(generator.integers(20, 81))
    n_features = int(generator.integers(1, 4))
    X = generator.normal(size=(n_rows, n_features))
    latent = np.sin(2 * X[:, 0]) + (X[:, -1] if n_features > 1 else 0.0)
    gamma = float(generator.choice([0.2, 0.5, 1.0, 2.0]))
    if likelihood == "gaussian":
        target = latent + 0.3 * generator.normal(size=n_rows)
        target = (target - target.mean()) / target.std()
    else:
        target = (latent + 0.5 * generator.normal(size=n_rows) > 0).astype(float)
    membership = generator.uniform(0.2, 1.0, n_rows)
    sample_weight = np.ones(n_rows) if copies is None else copies.astype(float)
    if repeat:
        rows = np.repeat(np.arange(n_rows), copies)
        X, target, membership, sample_weight = X[rows], target[rows], membership[rows], np.ones(len(rows))
    weight = sample_weight * membership if weights == "fixed" else sample_weight
    basis = Basis(Kernel("rbf", gamma), X[distinct_rows(X)])
    return Problem(
        MemoryEngine(X, target, weight, basis, block_bytes=block_bytes),
        AsGiven(),
        {"gaussian": Gaussian(), "logistic": Logistic()}[likelihood],
        {"unit": Unit(), "fixed": Fixed(membership), "gamma": Gamma(), "learnt": Gamma(1.0, True)}[weights],
        ARD(),
    )


def run(problem, solver, max_iter=3000):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return solve(problem, solver, max_iter)


def latent(problem, state):
    """Mean and variance of the latent function at the rows."""
    phi = problem.engine.basis.columns(problem.engine.X, state.columns)
    return state.posterior.latent_moments(phi)


@pytest.mark.parametrize(
    ("likelihood", "weights"), [*itertools.product(LIKELIHOODS, WEIGHTS), ("gaussian", "learnt")]
)
@pytest.mark.parametrize("solver", ["working_set", pytest.param("variational", marks=pytest.mark.slow)])
def test_the_bound_never_decreases(solver, likelihood, weights):
    for seed in range(6):
        solution = run(make_problem(likelihood, weights, seed), SOLVERS[solver], max_iter=150)
        bounds = np.array([info.bound for info in solution.trace])
        rise = np.diff(bounds)
        assert rise.min() > -1e-8 * np.abs(bounds).max(), (solver, likelihood, weights, seed)


@pytest.mark.parametrize(("solver", "accuracy"), [("variational", 1e-8), ("working_set", 1e-6)])
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_an_integer_weight_equals_a_repeated_row(solver, accuracy, likelihood, weights):
    for seed in range(3):
        copies = np.random.default_rng(seed).integers(1, 4, size=40)
        weighted = make_problem(likelihood, weights, seed, 40, copies=copies)
        repeated = make_problem(likelihood, weights, seed, 40, copies=copies, repeat=True)
        # Exact copies of noisy targets say that there is no noise: run on, and the noise precision
        # climbs to its ceiling, where rounding decides. The equality is one of every step.
        first, second = run(weighted, SOLVERS[solver], 40), run(repeated, SOLVERS[solver], 40)
        one, two = first.state, second.state
        assert one.bound == pytest.approx(two.bound, rel=accuracy)
        np.testing.assert_array_equal(one.columns, two.columns)
        # Coefficients of nearly equal columns are ill determined; the function they make is not.
        for moment_one, moment_two in zip(latent(weighted, one), latent(repeated, two), strict=True):
            size = np.abs(moment_one).max()
            np.testing.assert_allclose(
                np.repeat(moment_one, copies), moment_two, rtol=0, atol=accuracy * size
            )
        np.testing.assert_allclose(
            np.repeat(first.expected_weight, copies), second.expected_weight, rtol=accuracy
        )


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
@pytest.mark.parametrize("solver", ["working_set", pytest.param("variational", marks=pytest.mark.slow)])
def test_the_size_of_the_row_blocks_does_not_change_the_result(solver, likelihood, weights):
    problem = make_problem(likelihood, weights, 3, 60)
    whole = run(problem, SOLVERS[solver], 100).state
    for block_bytes in (8, 8 * 61 * 13):
        blocked = run(make_problem(likelihood, weights, 3, 60, block_bytes), SOLVERS[solver], 100).state
        np.testing.assert_array_equal(blocked.columns, whole.columns)
        for one, two in zip(latent(problem, blocked), latent(problem, whole), strict=True):
            np.testing.assert_allclose(one, two, rtol=0, atol=1e-8 * np.abs(two).max())
        assert blocked.bound == pytest.approx(whole.bound, rel=1e-8)


def site_evidence(problem, state):
    """Log evidence of the sites at the state's precisions, sites and posterior brought into balance."""
    for _ in range(500):
        statistics = gather(problem, state, state.columns)
        posterior = solve_posterior(statistics.gram, statistics.vector, state.precision)
        state = replace(state, posterior=posterior)
    return site_log_evidence(log_scale(statistics), statistics.vector, state.precision, posterior)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(5))
def test_working_set_reaches_the_evidence_of_the_variational_solver(part):
    """Both measured by the same site evidence, the variational run to convergence: eight times of ten.

    Maxima differ in either direction; in the median the fast solver is not behind.
    """
    lead = []
    for seed in range(part, 50, 5):
        problem = make_problem(LIKELIHOODS[seed % 2], WEIGHTS[seed % 3], seed)
        fast = run(problem, SOLVERS["working_set"]).state
        faithful = run(problem, SOLVERS["variational"], 5000).state
        lead.append(site_evidence(problem, fast) - site_evidence(problem, faithful))
    assert sum(np.array(lead) >= -0.5) >= 8, np.round(lead, 2)
    assert np.median(lead) > -0.05


@pytest.mark.parametrize("solver", SOLVERS)
def test_max_iter_warns_and_says_how_far(solver):
    with pytest.warns(ConvergenceWarning, match=r"could still gain .* nats .*Raise max_iter"):
        solution = solve(make_problem("logistic", "gamma", 0), SOLVERS[solver], max_iter=2)
    assert len(solution.trace) == 2


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_observer_sees_every_step_and_can_end_the_run(solver):
    seen = []

    def observe(state, info):
        seen.append(info)
        return len(seen) == 3

    solution = solve(make_problem("gaussian", "unit", 1), SOLVERS[solver], 100, observe)
    assert seen == solution.trace
    assert len(seen) == 3


@pytest.mark.parametrize("weights", ["unit", "fixed"])
def test_gaussian_noise_agrees_with_dense_evidence(weights):
    """The bound of a working-set fit is the log marginal likelihood of the kept columns."""
    problem = make_problem("gaussian", weights, 5, 50)
    state = run(problem, WorkingSet(tol=1e-10)).state
    phi = problem.engine.basis.columns(problem.engine.X, state.columns)
    power = problem.weights.membership if weights == "fixed" else np.ones(50)
    precision = state.likelihood.precision
    covariance = np.diag(1 / (precision * power)) + (phi / state.precision) @ phi.T
    _, log_determinant = np.linalg.slogdet(covariance)
    target = problem.engine.y
    quadratic = target @ np.linalg.solve(covariance, target)
    # A power p of a Gaussian is a Gaussian of precision p tau, but for its normaliser.
    correction = np.sum(0.5 * power * np.log(precision / (2 * np.pi))) - np.sum(
        0.5 * np.log(power * precision / (2 * np.pi))
    )
    dense = -0.5 * (quadratic + log_determinant + 50 * np.log(2 * np.pi)) + correction
    assert site_evidence(problem, state) == pytest.approx(dense, rel=1e-8)
    assert state.bound == pytest.approx(dense, abs=1e-5)


def test_many_columns_are_scored_through_a_pool():
    """With more columns than the pool holds, the end is still verified against all of them."""

    def bound(seed, pool_size):
        problem = make_problem("gaussian", "unit", seed, 300)
        return run(problem, WorkingSet(tol=1e-3, entry=0.1, pool_size=pool_size, seed=1)).state.bound

    small, whole = (np.mean([bound(seed, size) for seed in range(10, 16)]) for size in (40, 1000))
    assert small > whole - 1.0
