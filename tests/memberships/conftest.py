"""Rows that have a membership, and what a membership may ask about them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from rowtrust.memberships import SideInformation


def side_information(kernel=None, first_fit=None):
    """Side information that fails when asked for what the test did not give."""

    def unasked(*_):
        raise AssertionError("this membership must not ask for that")

    def kernel_rows(rows):
        return kernel[rows]

    return SideInformation(
        kernel_rows=unasked if kernel is None else kernel_rows,
        first_fit=unasked if first_fit is None else (lambda: np.asarray(first_fit)),
    )


@pytest.fixture
def side_of():
    """The function that makes side information of a kernel matrix and the outcome of a first fit."""
    return side_information


@pytest.fixture
def rows():
    """Forty rows of three unequal classes, the kernel between them and the margins of some fit."""
    generator = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [24, 11, 5])
    generator.shuffle(y)
    X = generator.normal(size=(40, 3)) + 2.0 * y[:, None]
    X[generator.random(X.shape) < 0.3] = 0.0
    return X, y, side_information(rbf_kernel(X, gamma=0.3), generator.normal(size=40) + 1.0)
