"""Anchors know how far the data are, and what values at the data would leave unexplained."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.gaussian_process.kernels import (
    RBF,
    ConstantKernel,
    ExpSineSquared,
    RationalQuadratic,
    WhiteKernel,
)

from rowtrust.kernels import Kernel
from rowtrust.predictive.anchors import FEW, MOST_ANCHORS, MOST_ROWS, SLACK, TOO_FAR, TOO_MUCH, choose_anchors

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(200, 2))
GAMMA = 0.5  # width one


def conditional_variance(new, rows, gamma):
    """Prior variance left at new rows by noiseless values at others: Gaussian process textbook."""
    K = np.exp(-gamma * cdist(rows, rows, "sqeuclidean")) + 1e-8 * np.eye(len(rows))
    k = np.exp(-gamma * cdist(new, rows, "sqeuclidean"))
    return 1.0 - np.einsum("ij,ji->i", k, np.linalg.solve(K, k.T))


def test_training_rows_are_explained_and_at_distance_zero():
    anchors = choose_anchors(X, Kernel("rbf", GAMMA))
    values = anchors.values(X)
    assert anchors.slack == SLACK
    assert len(anchors.rows) < 50
    assert (anchors.unexplained(values) == 0).all()
    assert (anchors.distance(values) == 0).all()


def test_unexplained_is_the_conditional_variance_of_a_gaussian_process():
    """Near the data, values at all rows explain little more than values at the anchors."""
    anchors = choose_anchors(X, Kernel("rbf", GAMMA))
    new = GENERATOR.uniform(-6, 6, size=(300, 2))
    truth = conditional_variance(new, np.asarray(anchors.rows), GAMMA)
    expected = np.maximum(0.0, (truth - anchors.slack) / (1.0 - anchors.slack))
    np.testing.assert_allclose(anchors.unexplained(anchors.values(new)), expected, atol=1e-6)
    everyone = conditional_variance(new, X, GAMMA)
    near = cdist(new, X).min(axis=1) < 0.5
    assert (anchors.unexplained(anchors.values(new))[near] <= everyone[near] + 10 * SLACK).all()


def test_distance_never_exceeds_that_of_the_nearest_row():
    anchors = choose_anchors(X, Kernel("rbf", GAMMA))
    new = GENERATOR.uniform(-6, 6, size=(300, 2))
    truth = cdist(new, X).min(axis=1)
    found = anchors.distance(anchors.values(new))
    assert (found <= truth + 1e-9).all()
    assert (found >= truth - anchors.reach - 1e-9).all()
    assert anchors.reach < 2.0


def test_five_widths_away_everything_is_unexplained():
    anchors = choose_anchors(X, Kernel("rbf", GAMMA))
    direction = GENERATOR.normal(size=(100, 2))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    far = np.array(
        [d * next(s for s in np.arange(5, 20, 0.05) if cdist([s * d], X).min() >= 5) for d in direction]
    )
    assert anchors.unexplained(anchors.values(far)).min() > 0.99


def series(n_rows):
    """Rows one by one along a line, of which many more than there are anchors stand alone."""
    return np.arange(float(n_rows))[:, None]


def test_where_anchors_are_too_few_the_kernel_widens_and_training_rows_stay_explained():
    for rows in (series(2000), GENERATOR.normal(size=(1000, 10))):
        anchors = choose_anchors(rows, Kernel("rbf", 0.5))
        values = anchors.values(rows)
        assert len(anchors.rows) <= MOST_ANCHORS
        assert anchors.kernel.gamma < 0.5
        assert np.mean(anchors.unexplained(values) > 0) <= FEW + 1e-12
        assert (anchors.distance(values) == 0).all()
        assert anchors.unexplained(anchors.values(rows[:3] + 1e6)).min() == 1.0


@pytest.mark.slow
def test_rows_beyond_those_drawn_are_data_too():
    """Rows in turn from two places, a small crowd far away, and heavy tails: all are at distance zero."""
    n_rows = 2 * MOST_ROWS + 500
    rows = GENERATOR.standard_t(2.0, size=(n_rows, 2))
    rows[1::2] += 100.0
    rows[-3:] = 1e4
    anchors = choose_anchors(rows, Kernel("rbf", 0.5))
    assert np.mean(anchors.distance(anchors.values(rows)) > 0) <= FEW
    assert np.mean(anchors.unexplained(anchors.values(rows)) > 0) <= FEW
    assert (anchors.distance(anchors.values(rows[-3:])) == 0).all()
    nowhere = np.array([[5e3, 5e3], [1e9, 1e9]])
    assert (anchors.distance(anchors.values(nowhere)) > 4.0).all()


@pytest.mark.slow
def test_tails_without_a_variance():
    """So many rows stand alone that the kernel must widen; what is beyond all of them is far still."""
    rows = GENERATOR.standard_cauchy(size=(3 * MOST_ROWS, 2))
    anchors = choose_anchors(rows, Kernel("rbf", 0.5))
    assert anchors.reach <= TOO_FAR
    assert anchors.slack <= TOO_MUCH
    assert np.mean(anchors.distance(anchors.values(rows)) > 0) <= FEW
    assert anchors.distance(anchors.values(np.array([[1e12, 0.0]])))[0] > 4.0


def test_kernel_objects_count_from_their_value_far_away():
    kernel = Kernel(2.0 * RBF(1.0) + ConstantKernel(3.0), 1.0)
    anchors, plain = choose_anchors(X, kernel), choose_anchors(X, Kernel("rbf", 0.5))
    new = GENERATOR.uniform(-6, 6, size=(50, 2))
    np.testing.assert_allclose(anchors.values(new), plain.values(new), atol=1e-7)


def test_a_kernel_that_does_not_change_has_no_anchors():
    assert choose_anchors(X, Kernel(ConstantKernel(3.0), 1.0)) is None
    assert choose_anchors(X, Kernel(WhiteKernel(3.0), 1.0)) is None


@pytest.mark.parametrize(
    "kernel", [ExpSineSquared(1.0, 3.0), RBF(1.0) + ExpSineSquared(1.0, 3.0), RationalQuadratic(1.0, 0.01)]
)
def test_a_kernel_that_never_settles_has_no_anchors(kernel):
    assert choose_anchors(X, Kernel(kernel, 1.0)) is None


def test_a_kernel_object_too_narrow_for_its_rows_has_no_anchors():
    """It cannot be widened."""
    assert choose_anchors(series(600), Kernel(RBF(1e-3), 1.0)) is None


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
def test_inputs_too_far_apart_for_any_width_have_no_anchors():
    """Their squared distances overflow: no width brings them together, and the search must end."""
    assert choose_anchors(1e200 * series(600), Kernel("rbf", 1.0)) is None


def test_without_variances_there_is_nothing_to_explain():
    anchors = choose_anchors(X, Kernel("rbf", GAMMA), explain=False)
    assert anchors.whitener is None
    with pytest.raises(ValueError, match="explain=True"):
        anchors.unexplained(anchors.values(X))


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_sparse_rows_and_other_kernels(kernel, storage):
    anchors = choose_anchors(storage(X), Kernel(kernel, GAMMA))
    values = anchors.values(storage(X))
    assert anchors.distance(values).max() == pytest.approx(0.0, abs=1e-6)
    assert anchors.unexplained(anchors.values(storage(X + 1000.0))).min() == 1.0


def test_copies_of_a_row_are_one_anchor():
    anchors = choose_anchors(np.repeat(X[:1], 50, axis=0), Kernel("rbf", GAMMA))
    assert len(anchors.rows) == 1
    assert anchors.reach == pytest.approx(0.0, abs=1e-6)
