"""Gaussian noise against scipy.stats, a one-dimensional search and statistics made from scratch."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from rowtrust.contracts import Statistics
from rowtrust.inference.passes import expected_loss, log_scale
from rowtrust.likelihoods.gaussian import Gaussian


def statistics_of(likelihood, phi, target, weight, count, mean, variance):
    """Add up the rows one at a time, as the definition says."""
    sites = likelihood.sites(target, mean, variance)
    gram, vector = np.zeros((phi.shape[1],) * 2), np.zeros(phi.shape[1])
    for i, row in enumerate(phi):
        gram += weight[i] * sites.precision[i] * np.outer(row, row)
        vector += weight[i] * sites.shift[i] * row
    return Statistics(
        gram=gram,
        vector=vector,
        constant=float(weight @ sites.constant),
        normaliser=float(count @ sites.normaliser),
        loss=float(weight @ expected_loss(sites, mean, variance)),
        count=float(count.sum()),
        likelihood=np.empty(0),
        weights=np.array([-float(len(target))]),
        curvature=gram.copy(),
    )


def problem(seed, n=40, k=4):
    rng = np.random.default_rng(seed)
    phi, target = rng.normal(size=(n, k)), rng.normal(0, 2, n)
    weight = rng.uniform(0.1, 1.5, n)
    mean, variance = target + rng.normal(0, 0.7, n), rng.exponential(0.2, n)
    return phi, target, weight, mean, variance


@settings(deadline=None)
@given(
    target=st.floats(-50, 50),
    latent=st.floats(-50, 50),
    precision=st.floats(1e-4, 1e4),
)
def test_the_site_is_the_log_density(target, latent, precision):
    """Normaliser included, and whatever the latent moments are: a Gaussian site is exact."""
    sites = Gaussian(precision).sites(np.array([target]), np.array([3.0]), np.array([9.0]))
    value = sites.normaliser + sites.constant + sites.shift * latent - 0.5 * sites.precision * latent**2
    expected = norm.logpdf(target, latent, precision**-0.5)
    scale = 1 + precision * (target**2 + latent**2)
    assert value[0] == pytest.approx(expected, abs=1e-12 * scale)


def test_the_expected_loss_is_half_the_precision_times_the_expected_squared_residual():
    _, target, _, mean, variance = problem(0)
    loss = expected_loss(Gaussian(2.5).sites(target, mean, variance), mean, variance)
    np.testing.assert_allclose(loss, 0.5 * 2.5 * ((target - mean) ** 2 + variance), rtol=1e-11)


@pytest.mark.parametrize("power", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_update_maximises_the_bound_over_the_precision(seed, power):
    """For power weights, which multiply the normaliser, and for learnt ones, which do not."""
    phi, target, weight, mean, variance = problem(seed)
    count = weight if power else np.ones_like(weight)
    squared = (target - mean) ** 2 + variance

    def bound(log_precision):
        tau = np.exp(log_precision)
        return 0.5 * count.sum() * np.log(tau / (2 * np.pi)) - 0.5 * tau * (weight @ squared)

    best = minimize_scalar(lambda x: -bound(x), bounds=(-10, 10), method="bounded", options={"xatol": 1e-10})
    for start in (0.01, 1.0, 300.0):
        likelihood = Gaussian(start)
        updated, _ = likelihood.update(statistics_of(likelihood, phi, target, weight, count, mean, variance))
        assert bound(np.log(updated.precision)) >= -best.fun - 1e-10
        assert np.log(updated.precision) == pytest.approx(best.x, abs=1e-6)


@pytest.mark.parametrize("power", [True, False])
@pytest.mark.parametrize("start", [0.02, 1.0, 50.0])
def test_restated_statistics_equal_those_made_with_the_new_precision(start, power):
    phi, target, weight, mean, variance = problem(7)
    count = weight if power else np.ones_like(weight)
    likelihood = Gaussian(start)
    updated, restated = likelihood.update(
        statistics_of(likelihood, phi, target, weight, count, mean, variance)
    )
    scratch = statistics_of(updated, phi, target, weight, count, mean, variance)
    assert updated.precision != pytest.approx(start, rel=0.01)
    for field in fields(Statistics):
        np.testing.assert_allclose(
            getattr(restated, field.name), getattr(scratch, field.name), rtol=1e-11, err_msg=field.name
        )


def test_the_log_scale_of_restated_statistics_is_the_bound_of_the_new_sites():
    """constant + normaliser carries every term that the coefficients do not touch."""
    phi, target, weight, mean, variance = problem(3)
    likelihood = Gaussian(1.0)
    updated, restated = likelihood.update(
        statistics_of(likelihood, phi, target, weight, weight, mean, variance)
    )
    zero_latent = weight @ norm.logpdf(target, 0.0, updated.precision**-0.5)
    assert log_scale(restated) == pytest.approx(zero_latent, rel=1e-12)


def test_the_ceiling_holds_for_zero_residuals():
    phi, target, weight, _, _ = problem(1)
    likelihood = Gaussian(1.0, ceiling=1e4)
    perfect = statistics_of(likelihood, phi, target, weight, weight, target, np.zeros_like(target))
    assert perfect.loss == pytest.approx(0.0, abs=1e-12)
    updated, restated = likelihood.update(perfect)
    assert updated.precision == pytest.approx(1e4)
    np.testing.assert_allclose(restated.gram, 1e4 * perfect.gram)
    again, _ = updated.update(restated)
    assert again.precision == pytest.approx(1e4)


def test_the_ceiling_does_not_touch_what_lies_below_it():
    phi, target, weight, mean, variance = problem(2)
    low, high = (Gaussian(1.0, ceiling=c) for c in (1e3, 1e9))
    statistics = statistics_of(low, phi, target, weight, weight, mean, variance)
    assert low.update(statistics)[0].precision == high.update(statistics)[0].precision
    assert low.update(statistics)[0].precision < 1e3


def test_statistics_add_over_any_split_of_the_rows():
    phi, target, weight, mean, variance = problem(4)
    likelihood = Gaussian(1.7)
    whole = statistics_of(likelihood, phi, target, weight, weight, mean, variance)
    rows = (phi, target, weight, weight, mean, variance)
    parts = [statistics_of(likelihood, *(a[cut] for a in rows)) for cut in (slice(0, 13), slice(13, 40))]
    added = parts[0] + parts[1]
    for field in fields(Statistics):
        np.testing.assert_allclose(getattr(added, field.name), getattr(whole, field.name), rtol=1e-12)
