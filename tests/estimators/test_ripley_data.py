"""The figures that are promised on Ripley's real data, 60/40 splits, gamma = 4."""

import numpy as np
import pytest

from rowtrust import RVC, RobustRVC
from rowtrust.datasets import flip_labels

REPEATS = 20
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ripley(data_folder):
    files = [data_folder / "ripley" / name for name in ("synth.tr", "synth.te")]
    if not all(file.exists() for file in files):
        pytest.skip("Ripley's data are not in ROWTRUST_DATA")
    rows = np.vstack([np.loadtxt(file, skiprows=1) for file in files])
    return rows[:, :2], rows[:, 2].astype(int)


def measure(estimator, ripley, share, seed):
    """Return error, RMSE, trust in flipped and other rows, and the share of columns kept."""
    X, y = ripley
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = np.split(order, [int(0.6 * len(y))])
    dirty, flipped = flip_labels(y[train], share, random_state=seed)
    estimator.set_params(kernel="rbf", gamma=4.0, scaling=None, sparsity=0.0, random_state=seed)
    model = estimator.fit(X[train], dirty)
    probability = model.predict_proba(X[test])[:, 1]
    counted = getattr(
        model, "expected_weight_", model.sample_trust_
    )  # how much rows count, where that is learnt
    return (
        np.mean((probability > 0.5) != y[test]),
        np.sqrt(np.mean((probability - y[test]) ** 2)),
        counted[flipped].mean() if share else np.nan,
        counted[~flipped].mean(),
        len(model.relevance_) / len(train),
    )


def average(estimator, ripley, share):
    return np.mean([measure(estimator, ripley, share, seed) for seed in range(REPEATS)], axis=0)


@pytest.mark.parametrize(("noise", "most", "gain"), [("power", 0.272, 0.01), ("channel", 0.275, 0.005)])
def test_ten_percent_flipped_labels(ripley, noise, most, gain):
    error, rmse, flipped_trust, other_trust, kept = average(RobustRVC(label_noise=noise), ripley, 0.1)
    _, plain_rmse, *_ = average(RVC(), ripley, 0.1)
    assert error <= 0.103
    assert rmse <= most
    assert rmse <= plain_rmse - gain
    assert flipped_trust < 0.5
    assert other_trust > 0.85
    assert kept < 0.025


@pytest.mark.parametrize(("noise", "loss"), [("power", 0.008), ("channel", 0.003)])
def test_clean_labels(ripley, noise, loss):
    _, rmse, *_ = average(RobustRVC(label_noise=noise), ripley, 0.0)
    _, plain_rmse, *_ = average(RVC(), ripley, 0.0)
    assert rmse <= plain_rmse + loss
