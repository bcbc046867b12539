"""Small tables, and what fitted estimators say of them."""

from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import is_classifier
from sklearn.linear_model import LogisticRegression, Ridge

import rowtrust

CLASSIFIERS = ["RVC", "RobustRVC", "FuzzyRVC", "SparseBayesClassifier", "TrustedClassifier"]
REGRESSORS = ["RVR", "RobustRVR", "FuzzyRVR", "SparseBayesRegressor", "BayesianSVR", "TrustedRegressor"]
ESTIMATORS = [*CLASSIFIERS, *REGRESSORS]
INNER = {
    "TrustedClassifier": LogisticRegression(solver="newton-cholesky", tol=1e-10),
    "TrustedRegressor": Ridge(),
}
"""What trusted estimators are fitted with here: quick, and as steady as the relations ask for."""
TABLES = ["smooth", "separable", "mixed"]


@dataclass(frozen=True)
class Table:
    """Rows to fit, and new rows to predict."""

    X: np.ndarray
    y: np.ndarray
    new: np.ndarray
    weight: np.ndarray | None = None

    @property
    def unit(self):
        """Of the differences that are measured: one for classes, the deviation of numbers."""
        return 1.0 if self.y.dtype.kind in "iuUO" else float(np.std(self.y))


def truth(X):
    """Return the function behind all tables."""
    return np.sin(1.5 * X[:, 0]) + 0.5 * X[:, 1] ** 2


def table(kind, classes):
    """Return a table: noisy, separable (without noise), or of unlike columns with repeated values."""
    generator = np.random.default_rng(TABLES.index(kind) + 10)
    n, d, noise = {"smooth": (70, 2, 0.4), "separable": (60, 3, 0.0), "mixed": (90, 4, 0.3)}[kind]
    X = generator.normal(size=(n + 30, d))
    if kind == "mixed":  # an uneven column, one of few values with many zeros, repeated rows
        X[:, 0] = np.exp(X[:, 0])
        X[:, 2] = np.maximum(np.round(X[:, 2]), 0.0)
        X[60:70] = X[50:60]
    X = X.astype(np.float32).astype(np.float64)  # the same numbers in both
    function = truth(X)
    given = function + noise * generator.normal(size=len(X))
    if classes == 2:
        given = (given > np.median(function)).astype(int)
    elif classes == 3:
        given = np.digitize(given, np.quantile(function, [0.3, 0.7]))
    if classes and noise:
        given[3:9] = 0  # of one class some labels are wrong: rates are unequal
    return Table(X[:n], given[:n], np.vstack([X[n:], 4.0 * X[n : n + 5]]))


@dataclass(frozen=True)
class Said:
    """What a model says: of new rows, and of its own."""

    parts: dict

    def difference(self, other, unit=1.0):
        """Return the largest difference of each part, in units of the targets where it has them."""
        scale = {"probability": 1.0, "trust": 1.0, "mean": unit, "std": unit}
        return {
            name: float(np.abs(part - other.parts[name]).max()) / scale[name]
            for name, part in self.parts.items()
        }

    def with_parts(self, **parts):
        return Said({**self.parts, **parts})


def made(name, **options):
    """Return an estimator with its default settings."""
    if name in INNER:
        options["estimator"] = INNER[name]
    return getattr(rowtrust, name)(**options)


def said(model, new):
    """Return what a fitted model says."""
    if is_classifier(model):
        return Said({"probability": model.predict_proba(new), "trust": model.sample_trust_})
    if isinstance(model, rowtrust.TrustedRegressor):
        mean, std = model.predict(new), np.subtract(*model.predict_interval(new)[::-1])
    else:
        mean, std = model.predict(new, return_std=True)
    parts = {"mean": mean, "std": std}
    if hasattr(model, "sample_trust_"):
        parts["trust"] = model.sample_trust_
    return Said(parts)


def fitted(name, rows, **options):
    return made(name, **options).fit(rows.X, rows.y, sample_weight=rows.weight)


def changed(rows, **parts):
    return replace(rows, **parts)
