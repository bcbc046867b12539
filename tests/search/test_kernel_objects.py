"""The evidence's gradient in the hyperparameters of kernel objects, and how they are learnt."""

import numpy as np
import pytest
from sklearn.gaussian_process import kernels
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel

from rowtrust.kernels import OnColumns
from rowtrust.search import kernel_objects
from rowtrust.search.alternate import FrozenSites, Trial, design_log_evidence
from rowtrust.search.kernel_objects import (
    cross_gradient,
    kernel_log_evidence,
    learn_theta,
    other_starts,
    tiles,
)

generator = np.random.default_rng(0)
X = generator.normal(size=(40, 3))
FROZEN = FrozenSites(
    generator.uniform(0.1, 1, 40), generator.normal(size=40), X[:6], generator.uniform(0.1, 1, 7)
)
KERNELS = [
    RBF(0.8),
    RBF([0.5, 1.0, 2.0]),
    ConstantKernel(2.0) * Matern([0.5, 1.0, 2.0], nu=2.5) + WhiteKernel(0.2),
    kernels.RationalQuadratic(1.0, 0.7) * RBF(1.0, "fixed"),
    kernels.ExpSineSquared(1.0, 2.0),
    kernels.DotProduct(0.6) ** 2,
    kernels.PairwiseKernel(0.4, metric="rbf"),
    OnColumns(RBF([0.5, 1.0]), [0, 2]) + ConstantKernel(0.5) * OnColumns(RBF(1.0), [1]),
]


def slope(function, at, step=1e-5):
    """Central differences."""
    units = step * np.eye(len(at))
    return np.array([(function(at + unit) - function(at - unit)) / (2 * step) for unit in units])


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_gradient_by_theta_is_exact(kernel):
    value, gradient = kernel_log_evidence(kernel.theta, kernel, X, FROZEN)
    numeric = slope(lambda theta: kernel_log_evidence(theta, kernel, X, FROZEN)[0], kernel.theta)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-6)
    phi = np.column_stack([np.ones(40), kernel(X, X[:6])])
    assert value == pytest.approx(design_log_evidence(phi, FROZEN)[0])


def test_tiles_cover_every_row_and_centre_once(monkeypatch):
    kernel = KERNELS[-1]
    whole = kernel_log_evidence(kernel.theta, kernel, X, FROZEN)
    monkeypatch.setattr(kernel_objects, "SMALLEST_TILE", 1)
    monkeypatch.setattr(kernel_objects, "LARGEST_TILE", 4)
    assert len(list(tiles(40, 6))) == 20
    parts = kernel_log_evidence(kernel.theta, kernel, X, FROZEN)
    np.testing.assert_allclose(parts[1], whole[1])
    np.testing.assert_allclose(cross_gradient(kernel, X[:3], X[:6]), kernel(X, eval_gradient=True)[1][:3, :6])


def test_white_noise_has_no_say():
    kernel = RBF(0.8) + WhiteKernel(0.5)
    value, gradient = kernel_log_evidence(kernel.theta, kernel, X, FROZEN)
    assert value == pytest.approx(kernel_log_evidence(kernel.theta[:1], RBF(0.8), X, FROZEN)[0])
    assert gradient[1] == 0.0


def test_no_centre_no_gradient():
    empty = FrozenSites(FROZEN.site_precision, FROZEN.site_shift, X[:0], FROZEN.prior_precision[:1])
    value, gradient = kernel_log_evidence(np.zeros(1), RBF(), X, empty)
    assert np.isfinite(value)
    assert gradient == [0.0]


def test_starts_differ_in_their_length_scales_only():
    kernel = ConstantKernel(2.0) * RBF([0.5, 1.0]) + Matern(3.0) + RBF(1.0, "fixed")
    path = np.exp(other_starts(kernel))
    np.testing.assert_allclose(path[0], [2.0, 2.0, 4.0, 12.0])
    np.testing.assert_allclose(path[-1], [2.0, 0.125, 0.25, 0.75])
    assert not other_starts(kernels.DotProduct())


@pytest.mark.parametrize(("start", "end"), [(1.0, 0.5), (10.0, 0.5), (1e-9, 1e-2)])
def test_theta_stays_within_its_bounds(start, end):
    """The frozen evidence of this fake solver pulls down without end; the start may lie outside."""
    seen = []

    def fit_at(theta):
        seen.append(float(np.exp(theta[0])))
        return Trial(-seen[-1] * 1e3, 0.0, [FROZEN])

    learn_theta(fit_at, RBF(start, (1e-2, 0.5)), X)
    assert seen[0] == pytest.approx(end)
    assert min(seen) >= 1e-2 * (1 - 1e-9)
    assert max(seen) <= 0.5 * (1 + 1e-9)


def test_a_kernel_without_a_gradient_names_the_cure():
    class Odd(RBF):
        def __call__(self, X, Y=None, eval_gradient=False):
            if eval_gradient:
                raise NotImplementedError("no gradient")
            return super().__call__(X, Y)

    with pytest.raises(ValueError, match=r"cannot be learnt.*no gradient.*\"fixed\""):
        kernel_log_evidence(Odd().theta, Odd(), X, FROZEN)
