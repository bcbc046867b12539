"""What every likelihood promises, against quadrature written here on a fine grid."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import logit

from rowtrust import likelihoods
from rowtrust.engines import MemoryEngine
from rowtrust.inference import AsGiven, Problem, State
from rowtrust.inference.passes import gather, log_scale
from rowtrust.inference.posterior import solve_posterior
from rowtrust.inference.variational import expected_quadratic
from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import (
    EpsilonInsensitive,
    Gaussian,
    Huber,
    LabelChannel,
    Laplace,
    Likelihood,
    Logistic,
    SoftInsensitive,
    Softmax,
)
from rowtrust.priors import ARD
from rowtrust.weights import Unit

REAL, BINARY = "real", "binary"


@dataclass(frozen=True)
class Case:
    """A likelihood, its targets, and how exact its sites and its predictions are.

    Sites that bound a density have no error to speak of (``inf``); the logistic's averages are MacKay's.
    """

    likelihood: Likelihood
    targets: str
    site_error: float = 1e-8
    slope_error: float = 1e-8
    prediction_error: float = 1e-8
    kinks: tuple[float, ...] = ()

    def __repr__(self):
        return repr(self.likelihood)

    @property
    def predicted(self):
        """The likelihood of what is predicted: behind a channel that is the true label."""
        return Logistic() if isinstance(self.likelihood, LabelChannel) else self.likelihood


CASES = [
    Case(Gaussian(2.3), REAL),
    Case(Gaussian(0.2), REAL),
    Case(Logistic(), BINARY, site_error=np.inf, prediction_error=0.02),
    Case(LabelChannel(0.0, 0.0), BINARY, site_error=np.inf, prediction_error=0.02),
    Case(LabelChannel(0.1, 0.3), BINARY, site_error=np.inf, prediction_error=0.02),
    Case(SoftInsensitive(2.0, 0.5, 0.5), REAL, site_error=np.inf, kinks=(0.25, 0.75)),
    Case(Huber(3.0, 0.4), REAL, site_error=np.inf, kinks=(0.8,)),
    Case(EpsilonInsensitive(3.0, 0.4), REAL, site_error=np.inf, kinks=(0.4,)),
    Case(Laplace(1.5), REAL, site_error=np.inf, kinks=(0.0,)),
]
every_case = pytest.mark.parametrize("case", CASES, ids=repr)
binary = pytest.mark.parametrize("case", [case for case in CASES if case.targets == BINARY], ids=repr)

MEANS, VARIANCES = (array.ravel() for array in np.meshgrid([-2.5, 0.0, 0.7, 4.0], [1e-4, 0.04, 1.0, 6.0]))
GRID = np.linspace(-12.0, 12.0, 24001)
DENSITY = np.exp(-0.5 * GRID**2) / np.exp(-0.5 * GRID**2).sum()


def targets_of(case):
    return np.array([0.0, 1.0] if case.targets == BINARY else [-3.0, -0.3, 0.5, 2.0])


def average(function, mean, variance):
    """Return the average of a function of the latent value under ``N(mean, variance)``, row by row."""
    return np.array([DENSITY @ function(m + np.sqrt(v) * GRID) for m, v in zip(mean, variance, strict=True)])


def expected_log_density(case, target, mean, variance):
    return average(lambda f: case.likelihood.log_density(np.full_like(f, target), f), mean, variance)


def expected_site(sites, mean, variance):
    linear = sites.normaliser + sites.constant + sites.shift * mean
    return linear - 0.5 * sites.precision * (mean**2 + variance)


def moment(case, latent, function):
    """Return the average of a function of the target, given the latent value."""
    at = np.array([latent])

    def weighted(t):
        return function(t) * float(np.exp(case.likelihood.log_density(np.array([t]), at))[0])

    if case.targets == BINARY:
        return weighted(0.0) + weighted(1.0)
    cuts = sorted({latent + side * kink for kink in (0.0, *case.kinks) for side in (-1, 1)})
    edges = [-np.inf, cuts[0] - 40.0, *cuts, cuts[-1] + 40.0, np.inf]
    return sum(quad(weighted, *pair, limit=400)[0] for pair in pairwise(edges))


def test_every_likelihood_has_a_case(check_cases):
    known = [*(case.likelihood for case in CASES), Softmax()]  # in test_softmax.py
    check_cases(likelihoods, Likelihood, known)


@every_case
@pytest.mark.parametrize("latent", [-1.3, 0.0, 2.0])
def test_the_density_has_mass_one_and_the_moments_it_claims(case, latent):
    at = np.array([latent])
    assert moment(case, latent, lambda t: 1.0) == pytest.approx(1.0, abs=1e-7)
    mean = case.likelihood.mean(at)[0]
    assert moment(case, latent, lambda t: t) == pytest.approx(mean, abs=1e-6)
    variance = case.likelihood.conditional_variance(at)[0]
    assert moment(case, latent, lambda t: (t - mean) ** 2) == pytest.approx(variance, rel=1e-5)


@every_case
def test_the_arguments_of_the_log_density_broadcast(case):
    target, latent = targets_of(case), np.linspace(-1, 1, 5)
    both = case.likelihood.log_density(target[:, None], latent)
    assert both.shape == (len(target), 5)
    np.testing.assert_array_equal(both[1, 2], case.likelihood.log_density(target[1:2], latent[2:3])[0])


@every_case
def test_the_expected_site_is_the_expected_log_density_or_below_it(case):
    for target in targets_of(case):
        sites = case.likelihood.sites(np.full_like(MEANS, target), MEANS, VARIANCES)
        exact = expected_log_density(case, target, MEANS, VARIANCES)
        found = expected_site(sites, MEANS, VARIANCES)
        if np.isfinite(case.site_error):
            np.testing.assert_allclose(found, exact, rtol=0, atol=case.site_error)
        else:
            assert case.likelihood.is_bound
            assert (found <= exact + 1e-9).all()
        assert (sites.precision > 0).all()


@pytest.mark.parametrize("case", [case for case in CASES if np.isfinite(case.site_error)], ids=repr)
def test_the_site_has_the_expected_slope_and_curvature(case):
    """Stein's identities: derivatives of the expected log density by the latent mean."""
    smooth = np.sqrt(VARIANCES) > 0.5  # a kink within next to no spread is no derivative
    mean, variance, step = MEANS[smooth], VARIANCES[smooth], 1e-2
    for target in targets_of(case):
        sites = case.likelihood.sites(np.full_like(mean, target), mean, variance)
        below, here, above = (
            expected_log_density(case, target, mean + shift, variance) for shift in (-step, 0.0, step)
        )
        slope, curvature = (above - below) / (2 * step), (2 * here - above - below) / step**2
        np.testing.assert_allclose(sites.shift - sites.precision * mean, slope, rtol=0, atol=case.slope_error)
        np.testing.assert_allclose(sites.precision, curvature, rtol=0, atol=case.slope_error)


@every_case
def test_predictions_are_averages_over_the_latent_function(case):
    likelihood, target = case.likelihood, case.predicted
    mean = average(target.mean, MEANS, VARIANCES)
    square = average(lambda f: target.conditional_variance(f) + target.mean(f) ** 2, MEANS, VARIANCES)
    found = likelihood.predict(MEANS, VARIANCES)
    np.testing.assert_allclose(found.mean, mean, atol=case.prediction_error)
    np.testing.assert_allclose(found.variance, square - mean**2, atol=case.prediction_error, rtol=1e-7)
    np.testing.assert_allclose(likelihood.predict_mean(MEANS, VARIANCES), found.mean, rtol=0, atol=1e-12)


@every_case
def test_predictions_have_the_shape_of_the_moments(case):
    mean, variance = MEANS.reshape(8, 2), VARIANCES.reshape(8, 2)
    found, flat = case.likelihood.predict(mean, variance), case.likelihood.predict(MEANS, VARIANCES)
    for field in ("mean", "variance"):
        np.testing.assert_allclose(getattr(found, field).ravel(), getattr(flat, field), atol=1e-12)
    assert case.likelihood.predict_mean(mean, variance).shape == (8, 2)


@pytest.mark.parametrize("case", [case for case in CASES if case.targets == REAL], ids=repr)
def test_weights_widen_the_noise_and_nothing_else(case):
    plain, wide = (case.likelihood.predict(MEANS, VARIANCES, widening) for widening in (1.0, 3.0))
    np.testing.assert_array_equal(plain.mean, wide.mean)
    noise = average(case.likelihood.conditional_variance, MEANS, VARIANCES)
    np.testing.assert_allclose(wide.variance - plain.variance, 2.0 * noise, rtol=1e-9)


@binary
def test_log_odds_are_those_of_the_averaged_probability(case):
    probability = average(case.predicted.mean, MEANS, VARIANCES)
    odds = case.likelihood.log_odds(MEANS, VARIANCES)
    found = 1.0 / (1.0 + np.exp(-odds))
    np.testing.assert_allclose(found, probability, atol=case.prediction_error)
    if case.prediction_error < 1e-4:
        np.testing.assert_allclose(odds, logit(probability), rtol=1e-6, atol=1e-6)


@binary
def test_a_latent_mean_of_given_log_odds_has_them(case):
    odds = case.likelihood.log_odds(MEANS, VARIANCES)
    found = case.likelihood.latent_of_log_odds(odds, VARIANCES)
    np.testing.assert_allclose(found, MEANS, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
@every_case
def test_rescaling_is_a_change_of_units(case, scale):
    """The density of ``s t`` around ``s f`` is that of t around f, divided by s."""
    likelihood = case.likelihood
    if not likelihood.is_location_scale:
        with pytest.raises(NotImplementedError, match=type(likelihood).__name__):
            likelihood.rescaled(scale)
        return
    target, latent = targets_of(case)[:, None], np.linspace(-2, 2, 9)
    found = likelihood.rescaled(scale).log_density(scale * target, scale * latent)
    np.testing.assert_allclose(found, likelihood.log_density(target, latent) - np.log(scale), rtol=1e-10)
    np.testing.assert_allclose(
        likelihood.rescaled(scale).conditional_variance(latent),
        scale**2 * likelihood.conditional_variance(latent),
        rtol=1e-10,
    )


def tiny_problem(case, seed):
    """Return a problem of 30 rows, and a state with some posterior of its first columns."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (30, 1))
    latent = np.sin(2 * X[:, 0])
    y = latent + rng.normal(0, 0.5, 30)
    y = (y > 0) if case.targets == BINARY else y
    weight = rng.integers(1, 4, 30).astype(float)
    engine = MemoryEngine(X, y.astype(float), weight, Basis(Kernel("rbf", 1.0), X[:5]))
    phi = engine.basis.columns(X, np.arange(6))
    posterior = solve_posterior(phi.T @ phi, phi.T @ latent, np.ones(6))
    problem = Problem(engine, AsGiven(), case.likelihood, Unit(), ARD())
    return problem, State(np.arange(6), np.ones(6), posterior, case.likelihood, Unit(), -np.inf)


def expected_sum(statistics, posterior):
    """Return the expectation of all sites under the posterior."""
    quadratic = expected_quadratic(statistics.gram, posterior)
    return log_scale(statistics) + statistics.vector @ posterior.mean - 0.5 * quadratic


@pytest.mark.parametrize("seed", range(3))
@every_case
def test_an_update_never_lowers_the_bound_and_restates_the_statistics(case, seed):
    problem, state = tiny_problem(case, seed)
    statistics = gather(problem, state, state.columns)
    updated, restated = case.likelihood.update(statistics)
    before, after = (expected_sum(each, state.posterior) for each in (statistics, restated))
    assert after >= before - 1e-9 * abs(before)
    if not case.likelihood.learns:
        assert updated is case.likelihood
        assert restated is statistics
        return
    assert after > before
    scratch = gather(problem, replace(state, likelihood=updated), state.columns)
    assert after == pytest.approx(expected_sum(scratch, state.posterior), rel=1e-10)
    np.testing.assert_allclose(restated.gram, scratch.gram, rtol=1e-10)
    np.testing.assert_allclose(restated.vector, scratch.vector, rtol=1e-10, atol=1e-12)
    _, again = updated.update(restated)
    assert expected_sum(again, state.posterior) == pytest.approx(after, rel=1e-10)


@every_case
def test_row_statistics_have_one_column_per_row(case):
    found = case.likelihood.row_statistics(np.ones(4), np.zeros(4), np.ones(4))
    assert found.ndim == 2
    assert found.shape[1] == 4


def log_densities(likelihood, case):
    return likelihood.log_density(targets_of(case)[:, None], np.linspace(-2, 2, 9))


@every_case
def test_coordinates_lead_back_to_the_likelihood(case):
    likelihood = case.likelihood
    assert bool(likelihood.coordinates.size) == likelihood.learns
    again = likelihood.moved_to(likelihood.coordinates)
    assert type(again) is type(likelihood)
    np.testing.assert_allclose(log_densities(again, case), log_densities(likelihood, case), rtol=1e-12)


@pytest.mark.parametrize("size", [1.0, 30.0, 600.0])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
@every_case
def test_no_coordinates_lead_beyond_what_may_be_learnt(case, sign, size):
    moved = case.likelihood.moved_to(case.likelihood.coordinates + sign * size)
    assert np.isfinite(log_densities(moved, case)).all()
    np.testing.assert_allclose(moved.moved_to(moved.coordinates).coordinates, moved.coordinates, rtol=1e-12)
    if isinstance(moved, Gaussian):
        free = case.likelihood.precision * np.exp(sign * size)
        assert moved.precision == pytest.approx(min(free, moved.ceiling), rel=1e-12)


@pytest.mark.parametrize("case", [case for case in CASES if case.likelihood.learns], ids=repr)
def test_coordinates_are_those_of_what_is_learnt(case):
    """An update and a move to its coordinates are the same likelihood."""
    problem, state = tiny_problem(case, 0)
    updated, _ = case.likelihood.update(gather(problem, state, state.columns))
    moved = case.likelihood.moved_to(updated.coordinates)
    np.testing.assert_allclose(log_densities(moved, case), log_densities(updated, case), rtol=1e-12)
    assert not np.allclose(moved.coordinates, case.likelihood.coordinates)


@every_case
def test_the_average_of_one_likelihood_is_itself(case):
    likelihood = case.likelihood
    average = type(likelihood).average([likelihood, likelihood], np.array([0.3, 0.7]))
    latent = np.linspace(-2, 2, 5)
    for target in targets_of(case):
        np.testing.assert_allclose(
            average.log_density(np.full(5, target), latent),
            likelihood.log_density(np.full(5, target), latent),
            rtol=1e-12,
        )
