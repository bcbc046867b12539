"""The kernels that are tried, and the effects of inputs against brute force.

For that columns are set to quantiles in all rows, and the fit is asked again.
"""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from rowtrust.fitting.candidates import effect_scales, effects, fits_of_families
from rowtrust.fitting.fits import fit_kernel
from rowtrust.kernels import Kernel
from rowtrust.numerics.statistics import weighted_quantiles

RNG = np.random.default_rng(0)
X = np.column_stack([RNG.normal(size=(60, 2)), RNG.integers(0, 2, 60), np.ones(60)])
Y = np.sin(2 * X[:, 0]) + X[:, 2] + 0.1 * RNG.normal(size=60)
LEVELS = [0.1, 0.3, 0.5, 0.7, 0.9]
CLASSES = np.searchsorted([-0.3, 0.8], Y)
COPIES = RNG.integers(1, 4, 60).astype(float)
KERNELS = [Kernel("rbf", 0.3), Kernel("laplacian", 0.4)]


def friedman(n=90):
    X, y = make_friedman1(n, n_features=6, noise=1.0, random_state=0)
    return (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()


def total_effects(plan, fit):
    """Return the effect of every column over all rows of a plan."""
    rows = plan.rows
    return effects([weighted_quantiles(column, rows.copies, LEVELS) for column in rows.X.T], rows, fit)


def by_brute_force(fit, X, copies):
    def latent(rows):
        pairs = [(each.state.columns, each.posterior.mean) for each in fit.solutions]
        return np.column_stack([fit.engine.basis.columns(rows, columns) @ mean for columns, mean in pairs])

    def quantile(values, share):
        """Return a value, counted from the nearer end; the median between two."""
        if share == 0.5:
            return np.median(values)
        if share < 0.5:
            return -quantile(-values, 1.0 - share)
        return np.quantile(values, share, method="inverted_cdf")

    repeated, found = np.repeat(X, copies.astype(int), axis=0), []
    for column in range(X.shape[1]):
        values = []
        for level in (quantile(repeated[:, column], share) for share in LEVELS):
            changed = repeated.copy()
            changed[:, column] = level
            values.append(latent(changed))
        found.append(np.var(values, axis=0).mean(axis=0).sum())
    return np.array(found)


@pytest.mark.parametrize("kernel", KERNELS, ids=["rbf", "laplacian"])
@pytest.mark.parametrize("classes", [0, 3])
def test_effects_are_those_of_brute_force(plan_of, kernel, classes):
    plan = plan_of(X, CLASSES if classes else Y, classes, COPIES)
    fit = fit_kernel(plan, kernel)
    found = total_effects(plan, fit)
    np.testing.assert_allclose(found, by_brute_force(fit, X, COPIES), rtol=1e-6, atol=1e-10)
    assert found[3] == pytest.approx(0.0, abs=1e-12)


def test_useless_inputs_have_the_smallest_scales_and_the_variance_stays(plan_of):
    rows, target = friedman(150)
    plan = plan_of(rows, target)
    scales = effect_scales(plan, [fit_kernel(plan, Kernel(name, 0.05)) for name in ("rbf", "laplacian")])
    assert scales[5:].max() < scales[:5].min()
    assert (rows * scales).var(axis=0).sum() == pytest.approx(rows.var(axis=0).sum())


def test_nothing_to_go_by_leaves_inputs_alone(plan_of):
    plan = plan_of(X, np.zeros(60))
    np.testing.assert_array_equal(effect_scales(plan, [fit_kernel(plan, KERNELS[0])]), np.ones(4))


def test_every_family_is_fitted_then_others_on_scaled_inputs(plan_of):
    kernels = [fit.kernel for fit in fits_of_families(plan_of(*friedman()))]
    first, scaled = kernels[:3], kernels[3:]
    assert [kernel.function for kernel in first] == ["rbf", "laplacian", "linear"]
    assert all(kernel.metric is None for kernel in first)
    assert {kernel.function for kernel in scaled} == {"rbf", "laplacian"}
    for kernel in scaled:
        np.testing.assert_array_equal(kernel.metric, scaled[0].metric)
        assert kernel.metric[5] < kernel.metric[:5].min()
