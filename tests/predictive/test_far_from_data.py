"""Between near and far, moments pass from the fit's to the prior's."""

import numpy as np
import pytest

from rowtrust.kernels import Kernel
from rowtrust.predictive.anchors import choose_anchors
from rowtrust.predictive.far_from_data import FAR, NEAR, FarFromData, let_go

ROWS = np.linspace(-1.0, 1.0, 21)[:, None]
ANCHORS = choose_anchors(ROWS, Kernel("rbf", 0.5))
MEAN, VARIANCE = np.array([5.0, -1.0]), np.array([4.0, 9.0])


def moments(X, gradual):
    fitted = np.tile([2.0, 3.0], (len(X), 1)), np.full((len(X), 2), 0.1)
    return FarFromData(ANCHORS, MEAN, VARIANCE, gradual).moments(X, *fitted)


def test_the_step_is_smooth_and_exact_at_its_ends():
    distance = np.linspace(0.0, 8.0, 1001)
    share = let_go(distance)
    assert (share[distance <= NEAR] == 0).all()
    assert (share[distance >= FAR] == 1).all()
    assert (np.diff(share) >= 0).all()
    assert np.abs(np.diff(share, n=2)).max() < 1e-3


@pytest.mark.parametrize("gradual", [False, True])
def test_at_the_data_nothing_changes_and_far_away_the_prior_is_left(gradual):
    mean, variance = moments(np.vstack([ROWS, [[30.0]], [[-1e6]]]), gradual)
    np.testing.assert_array_equal(mean[:-2], np.tile([2.0, 3.0], (21, 1)))
    np.testing.assert_array_equal(variance[:-2], np.full((21, 2), 0.1))
    np.testing.assert_array_equal(mean[-2:], [MEAN, MEAN])
    np.testing.assert_allclose(variance[-2:], [VARIANCE, VARIANCE], rtol=1e-12)


@pytest.mark.parametrize("gradual", [False, True])
def test_far_away_the_prior_is_left_of_any_mean(gradual):
    """A linear function of an outlier is large: its rounding must not stand in the prior's place."""
    far, large = np.array([[30.0]]), np.array([[1e17, -3e20]])
    mean, variance = FarFromData(ANCHORS, MEAN, VARIANCE, gradual).moments(far, large, large**2)
    np.testing.assert_array_equal(mean, [MEAN])
    np.testing.assert_array_equal(variance, [VARIANCE])


def test_a_gradual_variance_grows_from_the_first_step_away():
    X = 1.0 + np.linspace(0.0, 8.0, 81)[:, None]
    (_, sudden), (mean, gradual) = moments(X, False), moments(X, True)
    one_width = 10
    assert sudden[one_width, 0] == 0.1
    assert gradual[one_width, 0] > 0.1 + 0.2 * VARIANCE[0]
    assert mean[one_width, 0] == 2.0
    assert (np.diff(gradual[:, 0]) > -0.1).all()


def test_means_alone():
    X = np.array([[0.0], [3.5], [50.0]])
    mean, nothing = FarFromData(ANCHORS, MEAN, VARIANCE, True).moments(X, np.zeros((3, 2)), np.empty((3, 0)))
    np.testing.assert_array_equal(mean, moments_from_zero(X))
    assert nothing.shape == (3, 0)


def moments_from_zero(X):
    share = let_go(ANCHORS.distance(ANCHORS.values(X)))[:, None]
    return share * MEAN


def test_far_away_nobody_knows_less_than_the_prior():
    """However large the fit's own variance: the prior's, seen from where the mean is, is enough."""
    far = FarFromData(ANCHORS, MEAN, VARIANCE, True)
    X = np.vstack([ROWS, [[3.8], [4.5], [50.0]]])
    _, variance = far.moments(X, np.full((24, 2), 20.0), np.full((24, 2), 1e6))
    np.testing.assert_array_equal(variance[:21], np.full((21, 2), 1e6))
    np.testing.assert_allclose(variance[-1], VARIANCE)
    assert (variance[-2] < 1e6).all()
    assert (variance[-3:] >= VARIANCE).all()
