"""Plans of small fits, with their rows."""

import numpy as np
import pytest

from rowtrust.fitting import KernelChoice, Training, TrainingRows
from rowtrust.fitting.rows import Centres
from rowtrust.inference import AsGiven, OneAgainstRest, WorkingSet
from rowtrust.kernels import distinct_rows
from rowtrust.likelihoods import Gaussian, Logistic
from rowtrust.priors import ARD
from rowtrust.weights import Unit


@pytest.fixture
def plan_of():
    """Return a function that plans a fit to rows, each as many times as ``copies`` says."""

    def make(X, y, classes=0, copies=None, weight=None, **changes):
        n = X.shape[0]
        copies = np.ones(n) if copies is None else copies
        weight = copies if weight is None else weight
        rows, distinct = TrainingRows(X, y, copies, weight, np.arange(n), n), distinct_rows(X)
        settings = {
            "codings": tuple(map(OneAgainstRest, [1] if classes == 2 else range(classes))) or (AsGiven(),),
            "likelihood": Logistic() if classes else Gaussian(),
            "disagreement": not classes,
            "kernel": KernelChoice(),
            "weights": Unit(),
            "prior": ARD(),
            "solver": WorkingSet(tol=1e-3),
            "max_iter": 200,
        }
        centres = Centres(X[distinct], distinct, distinct)
        return Training(rows=rows, centres=centres, **{**settings, **changes})

    return make


@pytest.fixture
def make_plan(plan_of):
    """Return a function that plans a regression of a wave, or a classification of its levels."""

    def make(n=60, seed=0, classes=0, **changes):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-3, 3, (n, 1))
        y = np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=n)
        if classes:
            y = np.searchsorted(np.quantile(y, np.arange(1, classes) / classes), y)
        return plan_of(X, y, classes, **changes)

    return make


@pytest.fixture
def slope():
    """Return a function that differentiates another by central differences."""

    def differences(function, at, step=1e-5):
        units = step * np.eye(len(at))
        return np.array([(function(at + unit) - function(at - unit)) / (2 * step) for unit in units])

    return differences
