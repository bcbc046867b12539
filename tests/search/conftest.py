"""Plans of small fits."""

import numpy as np
import pytest

from rowtrust.inference import AsGiven, OneAgainstRest, WorkingSet
from rowtrust.kernels import distinct_rows
from rowtrust.likelihoods import Gaussian, Logistic
from rowtrust.priors import ARD
from rowtrust.search import Centres, FitPlan, TrainingRows
from rowtrust.weights import Unit


def sample(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, (n, 1))
    return X, np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=n)


@pytest.fixture
def plan_of():
    """Return a function that plans a fit to rows, each as many times as ``copies`` says."""

    def make(X, y, classes=0, copies=None, **changes):
        n = len(y)
        copies = np.ones(n) if copies is None else copies
        return planned(TrainingRows(X, y, copies, copies, np.arange(n), n), classes, first=0, **changes)

    return make


def planned(rows, classes, first, **changes):
    distinct = distinct_rows(rows.X)
    outputs = [1] if classes == 2 else range(classes)
    settings = {
        "codings": tuple(map(OneAgainstRest, outputs)) if classes else (AsGiven(),),
        "likelihood": Logistic() if classes else Gaussian(),
        "weights": Unit(),
        "prior": ARD(),
        "solver": WorkingSet(tol=1e-3),
        "max_iter": 200,
    }
    return FitPlan(rows, Centres(rows.X[distinct], first + distinct, distinct), **{**settings, **changes})


@pytest.fixture
def make_plan():
    """Return a function that plans a regression, or with ``classes`` a classification of thirds."""

    def make(n=60, seed=0, classes=0, weight=None, index=None, **changes):
        X, y = sample(seed, n)
        if classes:
            y = np.searchsorted(np.quantile(y, np.arange(1, classes) / classes), y)
        weight = np.ones(n) if weight is None else weight
        index = np.arange(n) if index is None else index
        rows = TrainingRows(X, y, np.ones(n), weight, index, max(n, int(index[-1]) + 1))
        return planned(rows, classes, first=100, **changes)

    return make
