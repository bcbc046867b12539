"""A constant is not returned in silence where something simple explains rows that were left out."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from rowtrust.fitting.average import average, warn_if_constant
from rowtrust.fitting.fits import fit_kernel
from rowtrust.kernels import Kernel

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 3))
Y = X[:, 0] + 0.1 * RNG.normal(size=50)


def without_vectors(plan):
    found = average(plan, [fit_kernel(plan, Kernel("rbf", 0.3))])
    none = np.empty(0, dtype=np.intp)
    return replace(found, model=replace(found.model, basis=found.model.basis.only(none)))


def test_a_constant_is_warned_of_where_a_line_explains(plan_of):
    plan = plan_of(X, Y)
    with pytest.warns(ConvergenceWarning, match="ridge regression explains 9.%"):
        warn_if_constant(plan, without_vectors(plan))


@pytest.mark.parametrize("target", [RNG.normal(size=50), np.zeros(50)])
def test_nothing_is_said_where_nothing_explains(plan_of, target):
    plan = plan_of(X, target)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_constant(plan, without_vectors(plan))
        warn_if_constant(
            plan_of(X, Y), average(plan_of(X, Y), [fit_kernel(plan_of(X, Y), Kernel("rbf", 0.3))])
        )
