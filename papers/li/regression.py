"""After Li et al. (2008): one repeat of the study of regression with gross outliers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from papers.datasets import load
from papers.experiments import Record
from rowtrust.contracts import Array
from rowtrust.datasets import make_friedman, make_sinc
from rowtrust.estimators import RVR, BayesianSVR, FuzzyRVR, RobustRVR

TRAINING_ROWS, TEST_ROWS = 150, 250
"""Rows of a repeat; the yacht data have 308 in all, and the rest is tested on."""

NEAREST, FARTHEST = 5.0, 10.0
"""How far outliers are moved, in standard deviations of the targets: between these."""

COVERAGE = 0.9
"""Of the intervals."""

NORMAL_REACH = 1.6448536269514722
"""Standard deviations on either side of a normal mean that cover nine tenths."""

RESIDUAL = "fuzzy RVR, residual"
"""What the records call the fuzzy machine."""

MACHINES: dict[str, Any] = {
    "RVR": RVR,
    RESIDUAL: FuzzyRVR,
    "robust RVR": RobustRVR,
    "Bayesian SVR": BayesianSVR,
}
"""Our regressors, all as they come; the fuzzy one has the residual membership by default."""

METHODS = (*MACHINES, "SVR", "GP")
"""What is compared; the last two are scikit-learn's."""

MEASURES = ("RMSE", "MAE", "coverage %", "width")
"""What is measured, all but the coverage in standard deviations of the clean training targets."""

SUPPORT_GRIDS = {
    "full": {
        "C": [1.0, 10.0, 100.0, 1000.0],
        "gamma": [0.01, 0.04, 0.16, 0.64, 2.5],
        "epsilon": [0.02, 0.2],
    },
    "quick": {"C": [1.0, 10.0], "gamma": [0.04, 2.5], "epsilon": [0.1]},
}
"""What SVR chooses from, for inputs and targets of variance one."""


def regression_once(
    seed: int, data: str | None, *, name: str, share: float, one_sided: bool, rows: int, grid: str
) -> Record:
    """Move a share of the training targets far away, and measure every regressor on clean rows."""
    X, y, X_test, y_test = drawn(name, data, rows, seed)
    unit = float(y.std())
    dirty = with_outliers(y, share, one_sided, seed)
    record: Record = {}
    for method, machine in MACHINES.items():
        model = machine(random_state=seed).fit(X, dirty)
        record[method] = scores(y_test, model.predict(X_test), model.predict_interval(X_test, COVERAGE), unit)
    record["SVR"] = scores(y_test, support_vectors(X, dirty, grid, seed)(X_test), None, unit)
    mean, low, high = gaussian_process(X, dirty, X_test, seed)
    record["GP"] = scores(y_test, mean, (low, high), unit)
    return record


def drawn(name: str, data: str | None, rows: int, seed: int) -> tuple[Array, Array, Array, Array]:
    """Return training and test rows of a problem, drawn or split by the seed."""
    size = rows + TEST_ROWS
    if name == "sinc":
        X, y = make_sinc(size, random_state=seed)
    elif name == "friedman":
        X, y = make_friedman(1, size, random_state=seed)
    else:
        X, y = load(name, data)
    order = np.random.default_rng(seed).permutation(len(y))[:size]
    train, test = order[:rows], order[rows:]
    return X[train], y[train], X[test], y[test]


def with_outliers(y: Array, share: float, one_sided: bool, seed: int) -> Array:
    """Return targets of which a share was moved by five to ten of their standard deviations.

    The rows of a smaller share are among those of a larger one, moved alike: shares are paired.
    """
    generator = np.random.default_rng([seed, 1])
    order = generator.permutation(len(y))
    size = generator.uniform(NEAREST, FARTHEST, len(y)) * y.std()
    sign = generator.choice([-1.0, 1.0], len(y))
    chosen = order[: round(share * len(y))]
    dirty = np.array(y, dtype=float)
    dirty[chosen] += size[chosen] * (1.0 if one_sided else sign[chosen])
    return dirty


def support_vectors(X: Array, y: Array, grid: str, seed: int) -> Any:
    """Return the predictions of an SVR chosen by the mean absolute error on rows left out.

    The absolute error, because a squared one would be that of the outliers.
    """
    centre, unit = float(np.mean(y)), float(np.std(y))
    search = GridSearchCV(
        make_pipeline(StandardScaler(), SVR()),
        {f"svr__{key}": values for key, values in SUPPORT_GRIDS[grid].items()},
        scoring="neg_mean_absolute_error",
        cv=KFold(5, shuffle=True, random_state=seed),
    ).fit(X, (y - centre) / unit)
    return lambda rows: centre + unit * search.predict(rows)


def gaussian_process(X: Array, y: Array, X_test: Array, seed: int) -> tuple[Array, Array, Array]:
    """Return mean and interval of scikit-learn's Gaussian process with a length scale per input."""
    scaler = StandardScaler().fit(X)
    kernel = ConstantKernel() * RBF(np.ones(X.shape[1])) + WhiteKernel()
    model = GaussianProcessRegressor(kernel, normalize_y=True, random_state=seed).fit(scaler.transform(X), y)
    mean, deviation = model.predict(scaler.transform(X_test), return_std=True)
    return mean, mean - NORMAL_REACH * deviation, mean + NORMAL_REACH * deviation


def scores(y: Array, predicted: Array, interval: tuple[Array, Array] | None, unit: float) -> dict[str, float]:
    """Return the errors, and coverage and width of the intervals where there are any."""
    error = (predicted - y) / unit
    found = {"RMSE": float(np.sqrt(np.mean(error**2))), "MAE": float(np.mean(np.abs(error)))}
    if interval is not None:
        low, high = interval
        found["coverage %"] = 100.0 * float(np.mean((low <= y) & (y <= high)))
        found["width"] = float(np.mean(high - low)) / unit
    return found
