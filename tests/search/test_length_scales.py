"""One scale per input: gradients of the evidence, steepness of the fitted function."""

import numpy as np

from rowtrust.search.alternate import FrozenSites, design_log_evidence
from rowtrust.search.length_scales import scaled_log_evidence, steepness

generator = np.random.default_rng(0)
X = generator.normal(size=(40, 3))
FROZEN = FrozenSites(
    generator.uniform(0.1, 1, 40), generator.normal(size=40), X[:6], generator.uniform(0.1, 1, 7)
)


def slope(function, at, step=1e-5):
    """Central differences."""
    units = step * np.eye(len(at))
    return np.array([(function(at + unit) - function(at - unit)) / (2 * step) for unit in units])


def test_the_gradient_by_the_scales_is_exact():
    log_scale = np.array([0.3, -0.4, -1.0])
    value, gradient = scaled_log_evidence(log_scale, X, FROZEN)
    numeric = slope(lambda at: scaled_log_evidence(at, X, FROZEN)[0], log_scale)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-7)
    distance = ((X[:, None] - X[None, :6]) ** 2 * np.exp(log_scale)).sum(axis=2)
    phi = np.column_stack([np.ones(40), np.exp(-distance)])
    np.testing.assert_allclose(value, design_log_evidence(phi, FROZEN)[0], rtol=1e-9)


def test_steepness_is_the_squared_derivative():
    log_scale = np.array([0.3, -0.4, -1.0])
    frozen = FrozenSites(FROZEN.site_precision, FROZEN.site_shift, X[:6], FROZEN.prior_precision)
    eta = np.exp(log_scale)

    def design(rows):
        distance = ((rows[:, None] - X[None, :6]) ** 2 * eta).sum(axis=2)
        return np.column_stack([np.ones(len(rows)), np.exp(-distance)])

    phi = design(X)
    inverse = phi.T @ (frozen.site_precision[:, None] * phi) + np.diag(frozen.prior_precision)
    mean = np.linalg.solve(inverse, phi.T @ frozen.site_shift)
    numeric = [slope(lambda row: float(design(row[None])[0] @ mean), row) for row in X]
    np.testing.assert_allclose(steepness(log_scale, X, frozen), np.square(numeric), rtol=1e-5, atol=1e-9)
