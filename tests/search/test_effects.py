"""Effects of inputs against brute force: columns set to quantiles in all rows, and the fit asked again."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from rowtrust.kernels import Kernel
from rowtrust.search import fit_kernel
from rowtrust.search.effects import LEVELS, effect_scales, effects, spread_rows

RNG = np.random.default_rng(0)
X = np.column_stack([RNG.normal(size=(60, 2)), RNG.integers(0, 2, 60), np.ones(60)])
Y = np.sin(2 * X[:, 0]) + X[:, 2] + 0.1 * RNG.normal(size=60)
CLASSES = np.searchsorted([-0.3, 0.8], Y)
COPIES = RNG.integers(1, 4, 60).astype(float)
KERNELS = [Kernel("rbf", 0.3), Kernel("laplacian", 0.4)]


def latent(fit, rows):
    """Return the latent functions at rows, one column an output."""
    return np.column_stack(
        [fit.engine.basis.columns(rows, each.state.columns) @ each.posterior.mean for each in fit.solutions]
    )


def quantile(values, share):
    """Return a quantile that is a value, counted from the nearer end; the median between two."""
    if share == 0.5:
        return np.median(values)
    if share < 0.5:
        return -quantile(-values, 1.0 - share)
    return np.quantile(values, share, method="inverted_cdf")


def by_brute_force(fit, X, copies):
    repeated = np.repeat(X, copies.astype(int), axis=0)
    found = []
    for column in range(X.shape[1]):
        values = []
        for level in (quantile(repeated[:, column], share) for share in LEVELS):
            changed = repeated.copy()
            changed[:, column] = level
            values.append(latent(fit, changed))
        found.append(np.var(values, axis=0).mean(axis=0).sum())
    return np.array(found)


@pytest.mark.parametrize("kernel", KERNELS, ids=["rbf", "laplacian"])
@pytest.mark.parametrize("classes", [0, 3])
@pytest.mark.parametrize("copies", [np.ones(60), COPIES], ids=["once", "copies"])
def test_effects_are_those_of_brute_force(plan_of, kernel, classes, copies):
    plan = plan_of(X, CLASSES if classes else Y, classes, copies)
    fit = fit_kernel(plan, kernel)
    found = effects(plan, spread_rows(plan.rows), fit)
    np.testing.assert_allclose(found, by_brute_force(fit, X, copies), rtol=1e-6, atol=1e-10)
    assert found[3] == pytest.approx(0.0, abs=1e-12)


def test_useless_inputs_have_the_smallest_scales(plan_of):
    rows, target = make_friedman1(200, noise=1.0, random_state=0)
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    plan = plan_of(rows, (target - target.mean()) / target.std())
    scales = effect_scales(
        plan, [fit_kernel(plan, Kernel("rbf", 0.05)), fit_kernel(plan, Kernel("laplacian", 0.05))]
    )
    assert scales[5:].max() < scales[:5].min()
    scaled = rows * scales
    assert scaled.var(axis=0).sum() == pytest.approx(rows.var(axis=0).sum())


def test_copies_are_rows(plan_of):
    plan = plan_of(X, Y, copies=COPIES)
    times = COPIES.astype(int)
    repeated = plan_of(np.repeat(X, times, axis=0), np.repeat(Y, times))
    scales = [
        effect_scales(each, [fit_kernel(each, kernel) for kernel in KERNELS]) for each in (plan, repeated)
    ]
    np.testing.assert_allclose(scales[0], scales[1], rtol=1e-3)


def test_units_are_taken_out(plan_of):
    """Of a kernel whose own scales follow the units: the effect is that of the function."""
    plan, factor = plan_of(X, Y), 8.0
    wide = plan_of(factor * X, Y)
    one = effects(plan, spread_rows(plan.rows), fit_kernel(plan, Kernel("rbf", 0.3)))
    other = effects(wide, spread_rows(wide.rows), fit_kernel(wide, Kernel("rbf", 0.3 / factor**2)))
    np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-12)


def test_nothing_to_go_by_leaves_inputs_alone(plan_of):
    plan = plan_of(X, np.zeros(60))
    np.testing.assert_array_equal(effect_scales(plan, [fit_kernel(plan, KERNELS[0])]), np.ones(4))
