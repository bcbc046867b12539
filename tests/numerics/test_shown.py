"""Messages show values without the names of NumPy's types."""

import numpy as np
import pytest

from rowtrust import RobustRVC, RobustRVR
from rowtrust.numerics.magnitudes import shown

X = np.random.default_rng(0).normal(size=(30, 2))
Y = (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.int64(0), "0"),
        (np.str_("a"), "'a'"),
        ({np.int64(0): np.float64(0.5)}, "{0: 0.5}"),
        ([np.int64(1), (np.bool_(True),)], "[1, (True,)]"),
        ("a", "'a'"),
        (None, "None"),
    ],
)
def test_numpy_is_not_seen(value, text):
    assert shown(value) == text


def test_classes_in_messages_are_plain():
    with pytest.raises(ValueError, match=r"label_noise names 3, which is none of \[0, 1\]"):
        RobustRVC(label_noise={np.int64(3): 0.1}).fit(X, Y)
    with pytest.raises(ValueError, match=r"got \{0: 0\.0, 1: 1\.0\}"):
        RobustRVC(class_weight={np.int64(0): 0.0, np.int64(1): 1.0}).fit(X, Y)
    with pytest.raises(ValueError, match=r"got 2\.0\."):
        RobustRVR(gamma="scale").fit(X, X[:, 0]).predict_interval(X, np.float64(2.0))
