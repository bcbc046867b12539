"""What the softmax promises: a bound, the maximum a posteriori, one model for any order of classes."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.optimize import minimize
from scipy.special import log_expit, logsumexp
from sklearn.datasets import load_iris

from rowtrust import RVC
from rowtrust.engines import MemoryEngine
from rowtrust.inference import EachClass, OneAgainstRest, Problem, State, WorkingSet, lower_bound, solve
from rowtrust.inference.passes import gather, log_scale
from rowtrust.inference.phases import Memory, Phase
from rowtrust.inference.posterior import first_posterior, site_log_evidence, solve_posterior
from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import Logistic, Softmax
from rowtrust.numerics.statistics import class_probabilities, odds_against_rest
from rowtrust.priors import ARD
from rowtrust.weights import Unit

NOISE = np.array([[0.8, 0.1, 0.1], [0.0, 0.7, 0.3], [0.2, 0.1, 0.7]])

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = np.argmax(X @ RNG.normal(size=(2, 3)) + RNG.normal(size=(40, 3)), axis=1)
WEIGHT = RNG.uniform(0.5, 2.0, size=40)


def problem(likelihood, coding, y=Y):
    return Problem(
        MemoryEngine(X, y, WEIGHT, Basis(Kernel("rbf", 0.5), X)), coding, likelihood, Unit(), ARD()
    )


def settled(one, columns, precision, steps=200):
    """Iterate sites and posterior with columns and precisions that stay."""
    outputs = one.coding(np.zeros(1, dtype=int)).shape[1:]
    state = State(
        columns, precision, first_posterior(len(columns), True, outputs), one.likelihood, Unit(), 0.0
    )
    for _ in range(steps):
        found = gather(one, state, columns)
        posterior = solve_posterior(found.gram, found.vector, precision)
        bound = log_scale(found) + site_log_evidence(0.0, found.vector, precision, posterior)
        state = State(columns, precision, posterior, one.likelihood, Unit(), bound)
    return state


@pytest.mark.parametrize("noise", [None, NOISE])
def test_sites_lie_below_the_density_and_touch_it(noise):
    likelihood, target = Softmax(noise), np.eye(3)
    for _ in range(20):
        mean = RNG.normal(scale=3.0, size=(3, 3))
        mean -= mean.mean(axis=1, keepdims=True)
        sites = likelihood.sites(target, mean, np.ones(3))

        def site(latent, sites=sites):
            square = np.sum(latent**2, axis=1)
            return sites.constant + np.sum(sites.shift * latent, axis=1) - 0.5 * sites.precision * square

        np.testing.assert_allclose(site(mean), likelihood.log_density(target, mean), atol=1e-10)
        other = mean + RNG.normal(scale=RNG.choice([0.1, 1.0, 10.0]), size=(3, 3))
        other -= other.mean(axis=1, keepdims=True)
        assert (site(other) <= likelihood.log_density(target, other) + 1e-10).all()


def test_noise_is_a_mixture_of_true_classes():
    latent = RNG.normal(size=(5, 3))
    given = np.exp([Softmax(NOISE).log_density(np.tile(each, (5, 1)), latent) for each in np.eye(3)]).T
    np.testing.assert_allclose(given, Softmax().mean(latent) @ NOISE, atol=1e-5)


def test_probabilities_of_two_classes_are_those_of_the_logistic():
    mean, variance = RNG.normal(size=20), RNG.uniform(0.0, 9.0, size=20)
    both = 0.5 * np.column_stack([-mean, mean])  # the difference has twice the variance
    odds = Softmax().log_odds(both, 0.5 * variance)
    np.testing.assert_allclose(odds[:, 0], Logistic().log_odds(mean, variance))
    np.testing.assert_allclose(Softmax().latent_of_log_odds(odds, 0.5 * variance), both)


def test_log_odds_against_the_first_and_against_the_rest_are_of_one_distribution():
    mean, variance = RNG.normal(scale=4.0, size=(20, 5)), RNG.uniform(0.0, 4.0, size=20)
    probability = Softmax().predict_mean(mean, variance)
    odds = Softmax().log_odds(mean, variance)
    np.testing.assert_allclose(class_probabilities(odds, 5), probability, atol=1e-12)
    rest = np.log(probability) - np.log1p(-probability)
    np.testing.assert_allclose(odds_against_rest(odds, 5), rest, rtol=1e-6, atol=1e-6)


def test_the_coefficients_are_the_maximum_a_posteriori():
    columns, precision = np.array([0, 3, 9, 20]), np.array([0.1, 1.0, 2.0, 0.5])
    one = problem(Softmax(), EachClass(3))
    found = settled(one, columns, precision).posterior.mean
    phi = one.engine.basis.columns(X, columns)

    def loss(flat):
        beta = flat.reshape(4, 3)
        latent = phi @ beta
        fit = WEIGHT @ (latent[np.arange(40), Y] - logsumexp(latent, axis=1))
        return 0.5 * np.sum(precision[:, None] * beta**2) - fit

    best = minimize(loss, np.zeros(12), method="BFGS", options={"gtol": 1e-7}).x.reshape(4, 3)
    np.testing.assert_allclose(found, best, atol=1e-5)


def test_two_classes_have_the_functions_of_the_logistic():
    """With the same columns; the difference of two coefficients has twice the prior variance."""
    columns, precision, y = np.array([0, 3, 9]), np.array([0.2, 1.0, 2.0]), np.minimum(Y, 1)
    found = settled(problem(Softmax(), EachClass(2), y), columns, precision).posterior.mean
    phi = problem(Logistic(), OneAgainstRest(1), y).engine.basis.columns(X, columns)

    def loss(beta):
        return 0.25 * np.sum(precision * beta**2) - WEIGHT @ log_expit((2 * y - 1) * (phi @ beta))

    best = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-9}).x
    np.testing.assert_allclose(phi @ (found[:, 1] - found[:, 0]), phi @ best, atol=1e-6)


@pytest.mark.parametrize("noise", [None, NOISE])
def test_no_step_lowers_what_is_maximised(noise):
    trace = solve(problem(Softmax(noise), EachClass(3)), WorkingSet(), 300).trace
    bounds = np.array([info.bound for info in trace])
    assert len(bounds) > 5
    assert np.diff(bounds).min() > -1e-9


@pytest.mark.parametrize("alpha", [0.05, 1.0])
def test_the_bound_is_below_the_evidence(alpha):
    """One coefficient a class: two contrasts, integrated on a grid."""
    n = np.bincount(Y, WEIGHT)
    contrast = np.array([[1.0, -1.0, 0.0], [1.0, 1.0, -2.0]]) / np.sqrt([[2.0], [6.0]])

    def density(b, a):
        latent = a * contrast[0] + b * contrast[1]
        fit = n @ latent - n.sum() * logsumexp(latent)
        return np.exp(fit - n @ np.log(n / n.sum()) - 0.5 * alpha * (a * a + b * b)) * alpha / (2.0 * np.pi)

    exact = np.log(dblquad(density, -6, 6, -6, 6, epsabs=1e-10)[0]) + n @ np.log(n / n.sum())
    state = settled(problem(Softmax(), EachClass(3)), np.array([0]), np.array([alpha]))
    assert exact - 0.6 < lower_bound(state.bound, state.precision, state.posterior) < exact
    assert exact < state.bound < exact + 3.0  # it pays for one of the two contrasts


def test_the_order_of_classes_changes_nothing():
    rows, label = load_iris(return_X_y=True)
    order = np.array([2, 0, 1])
    one, other = RVC().fit(rows, label), RVC().fit(rows, order[label])
    np.testing.assert_allclose(one.predict_proba(rows), other.predict_proba(rows)[:, order], atol=1e-6)
    np.testing.assert_allclose(one.intercept_.sum(), 0.0, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3, 6, 20])
def test_no_row_needs_more_curvature_and_two_classes_no_less(n_classes):
    """By brute force along random directions, and along those in which single classes take over."""
    for scale in (0.0, 0.5, 2.0, 8.0):
        mean = RNG.normal(scale=scale, size=n_classes)
        axis = np.eye(n_classes)
        pairs = (axis[:, None] - axis[None, :]).reshape(-1, n_classes)[1:]
        unit = np.vstack([RNG.normal(size=(300, n_classes)), pairs[np.abs(pairs).sum(axis=1) > 0.0]])
        unit -= unit.mean(axis=1, keepdims=True)
        unit /= np.linalg.norm(unit, axis=1, keepdims=True)
        length = np.geomspace(0.01, 60.0, 400)[:, None, None]
        other = mean + length * unit
        touching = logsumexp(mean) + (other - mean) @ Softmax().mean(mean)
        needed = 2.0 * (logsumexp(other, axis=-1) - touching) / length[..., 0] ** 2
        curvature = Softmax().secant_curvature(mean[None])[0]
        assert needed.max() <= curvature * (1.0 + 1e-6)
        if n_classes == 2:
            assert needed.max() > 0.99 * curvature


def test_a_step_that_would_lower_what_is_maximised_ends_the_fit():
    one = problem(Softmax(), EachClass(3))
    state = solve(one, WorkingSet(), 300).state
    raised = replace(state, bound=state.bound + 1.0, memory=Memory(np.arange(5), Phase.REFRESH))
    after, info = WorkingSet().step(one, raised)
    assert info.converged
    assert info.bound == after.bound == raised.bound
    assert after.posterior is raised.posterior


def test_a_column_enters_for_a_class_that_alone_needs_it():
    """A small cluster of one class inside another's region, among six classes."""
    rng = np.random.default_rng(1)
    centres = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0], [6.0, 6.0], [-6.0, 0.0], [0.0, -6.0], [7.0, 0.5]])
    label = np.repeat([0, 1, 2, 3, 4, 5, 0], [40, 40, 40, 40, 40, 40, 10])
    spread = np.where(np.arange(250) < 240, 1.0, 0.2)
    rows = np.repeat(centres, [40, 40, 40, 40, 40, 40, 10], axis=0) + spread[:, None] * rng.normal(
        size=(250, 2)
    )
    engine = MemoryEngine(rows, label, np.ones(250), Basis(Kernel("rbf", 1.0), rows))
    found = solve(Problem(engine, EachClass(6), Softmax(), Unit(), ARD()), WorkingSet(), 300)
    assert (found.state.columns > 240).any()
    assert (found.latent_mean[240:].argmax(axis=1) == 0).mean() >= 0.8
    own = found.state.posterior.mean[found.state.columns > 240]
    assert (np.abs(own[:, [2, 3, 4, 5]]).max(axis=1) < 0.5 * np.abs(own[:, :2]).max(axis=1)).all()
