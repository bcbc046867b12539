"""What every prior promises: precisions that are best, found by brute force; a bound at its maximum."""

import numpy as np
import pytest
from scipy.stats import norm

from rowtrust import priors
from rowtrust.priors import ARD, Prior


def evidence_share(precision, sparsity, quality):
    """Return what a column adds to the log evidence, as a difference of Gaussian log densities."""
    t = quality / sparsity
    without = norm.logpdf(t, 0, np.sqrt(1 / sparsity))
    return norm.logpdf(t, 0, np.sqrt(1 / sparsity + 1 / precision)) - without


CASES = [(ARD(), evidence_share), (ARD(1.0, 1.0), evidence_share)]
"""Each with what its ``best_precision`` maximises over the precision of one column."""

every_case = pytest.mark.parametrize(("prior", "objective"), CASES, ids=[repr(prior) for prior, _ in CASES])
every_prior = pytest.mark.parametrize("prior", [prior for prior, _ in CASES], ids=repr)
GRID = np.append(np.logspace(-8, 8, 32001), np.inf)


def test_every_prior_has_a_case(check_cases):
    check_cases(priors, Prior, [prior for prior, _ in CASES])


@pytest.mark.parametrize(("lower", "upper"), [(0.0, np.inf), (0.5, np.inf), (0.0, 2.0), (0.3, 4.0)])
@every_case
def test_the_best_precision_beats_every_other_on_a_grid(prior, objective, lower, upper):
    rng = np.random.default_rng(0)
    sparsity, quality = rng.exponential(3.0, 40) + 0.05, 4.0 * rng.normal(size=40)
    precision = np.where(rng.uniform(size=40) < 0.5, np.inf, rng.exponential(1.0, 40) + 0.1)
    best, gain = prior.best_precision(precision, sparsity, quality, lower, upper)
    assert np.isinf(best).any() == np.isinf(upper)
    assert np.isfinite(best).any()
    assert ((best >= lower) & (best <= upper)).all()
    limits = [limit for limit in (lower, upper) if limit > 0.0]
    allowed = np.append(GRID[(lower <= GRID) & (upper >= GRID)], limits)
    for j in range(40):
        values = objective(allowed, sparsity[j], quality[j])
        present = objective(precision[j], sparsity[j], quality[j])
        reached = objective(best[j], sparsity[j], quality[j])
        assert gain[j] == pytest.approx(reached - present, abs=1e-9)
        assert reached >= values.max() - 1e-9
        assert reached <= values.max() + 1e-5


@every_case
def test_limits_may_differ_from_column_to_column(prior, objective):
    sparsity, quality = np.full(3, 2.0), np.full(3, 4.0)
    lower, upper = np.array([0.0, 5.0, 0.0]), np.array([np.inf, np.inf, 0.01])
    best, _ = prior.best_precision(np.ones(3), sparsity, quality, lower, upper)
    free = GRID[np.argmax(objective(GRID, 2.0, 4.0))]
    np.testing.assert_allclose(best, [free, 5.0, 0.01], rtol=1e-2)


@every_prior
def test_the_expected_precision_falls_with_the_size_of_a_coefficient(prior):
    expected = prior.expected_precision(np.logspace(-6, 6, 50))
    assert (expected > 0).all()
    assert (np.diff(expected) < 0).all()


@every_prior
def test_the_bound_is_at_its_maximum_over_the_precisions(prior):
    """Then its derivative by ``E beta**2`` is minus half the expected precision."""
    for moment in (0.01, 0.5, 3.0, 100.0):
        step = 1e-5 * moment
        slope = (prior.bound(np.array([moment + step])) - prior.bound(np.array([moment - step]))) / (2 * step)
        assert slope == pytest.approx(-0.5 * prior.expected_precision(np.array([moment]))[0], rel=1e-6)
