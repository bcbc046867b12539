"""Kernels that say nothing of the rows."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rowtrust.kernels import Kernel
from rowtrust.kernels.blindness import refuse_blind
from rowtrust.numerics.magnitudes import deviations


def look(X, *kernels):
    refuse_blind(X, deviations(X, np.ones(X.shape[0])), kernels)


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_a_kernel_that_is_far_too_wide_or_narrow_is_refused(storage):
    X = np.random.default_rng(0).normal(size=(50, 2))
    look(storage(X), Kernel("rbf", gamma=1.0))
    with pytest.raises(ValueError, match=r"the same between all rows.*Multiply X by"):
        look(storage(X), Kernel("rbf", gamma=1e-12))
    with pytest.raises(ValueError, match="zero between all rows"):
        look(storage(X), Kernel("rbf", gamma=1e12))
    look(storage(X), Kernel("rbf", gamma=1e-12), Kernel("rbf", gamma=1.0))


def test_values_that_vanish_are_refused():
    X = np.random.default_rng(0).normal(size=(50, 2)) * 1e-80
    with pytest.raises(ValueError, match="too small to square"):
        look(X, Kernel("linear", gamma=1.0))


def test_rows_that_are_all_the_same_are_let_pass():
    look(np.ones((5, 2)), Kernel("rbf", gamma=1.0))
