"""Several classes: accuracy, vectors and seconds of ``RVC`` and ``RobustRVC`` beside a grid search of SVC.

Tables of three and more classes of the manifest and of scikit-learn, as they are and with wrong labels; then
sizes: images of digits, many inputs and many classes. ``--store`` keeps what was measured, ``--tables`` and
``--only`` name cells, ``--draws`` is the number of splits; without ``--most-rows`` 400 rows are fitted.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine, make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.preprocessing import StandardScaler

from benchmarks.dirty_peers import tuned_svc
from benchmarks.label_noise import one_sided, uniform
from benchmarks.race import Options
from benchmarks.report import print_table, print_title
from benchmarks.tables import Table, read_tables
from rowtrust import RVC, RobustRVC

Array = NDArray[Any]

MOST_ROWS = 400
"""Rows of a table that are fitted."""

NOISES = {"": (uniform, 0.0)} | {
    f"{name} {rate:.0%}": (flip, rate)
    for name, flip in (("uniform", uniform), ("one-sided", one_sided))
    for rate in (0.2, 0.3)
}
"""Wrong labels in the rows that are fitted."""

SIZES = {"digits": (1500, 64, 10), "wide": (1500, 617, 26), "many classes": (4500, 20, 90)}
"""Rows, inputs and classes."""

LEARNERS = ("RVC", "RobustRVC", "SVC", "SVC, cleanlab")
"""What is fitted."""


@dataclass(frozen=True)
class Line:
    """What was measured in a cell."""

    table: str
    noise: str
    split: int
    learner: str
    rows: int
    classes: int
    error: float
    log_loss: float
    seconds: float
    vectors: int = 0
    coefficients: int = 0


def run(settings: Options) -> None:
    """Measure what the store has not, and print the tables."""
    store = settings.store
    lines = pd.read_csv(store, keep_default_na=False).to_dict("records") if store and store.exists() else []
    known = {(each["table"], each["noise"], each["split"], each["learner"]) for each in lines}
    for table, data in sources(settings):
        for split in range(settings.draws):
            for noise in NOISES if table not in SIZES else [""]:
                for learner in settings.only or (LEARNERS if noise else LEARNERS[:3]):
                    if (table, noise, split, learner) not in known:
                        lines.append(asdict(measure(table, data(split), noise, split, learner)))
                        if store:
                            pd.DataFrame(lines).to_csv(store, index=False)
    show(pd.DataFrame(lines))


def sources(settings: Options) -> Iterator[tuple[str, Callable[[int], tuple[Array, ...]]]]:
    """Yield names, and what makes rows to fit and to test of the number of a split."""
    most = settings.most_rows or (150 if settings.quick else MOST_ROWS)
    tables = [
        Table(name, "", True, pd.DataFrame(load().data), load().target)
        for name, load in (("iris", load_iris), ("wine", load_wine))
    ]
    for each in [*(read_tables(settings.data) if settings.data else []), *tables]:
        if each.is_classes and len(np.unique(each.target)) > 2 and wanted(settings, each.name):
            yield each.name, lambda split, each=each: each.split(most, split)
    for name in SIZES:
        if wanted(settings, name) and not settings.quick:
            yield name, lambda split, name=name: sized(name, split)


def wanted(settings: Options, name: str) -> bool:
    """Whether a table was asked for."""
    return name in (settings.tables or [name])


def sized(name: str, split: int) -> tuple[Array, ...]:
    """Return rows to fit and to test of a large problem."""
    rows, inputs, classes = SIZES[name]
    if name == "digits":
        X, y = load_digits(return_X_y=True)
    else:
        X, y = make_classification(
            rows + 2000,
            inputs,
            n_informative=min(inputs, 60),
            n_redundant=0,
            n_classes=classes,
            n_clusters_per_class=1,
            class_sep=4.0,
            random_state=split,
        )
    X, X_test, y, y_test = train_test_split(X, y, train_size=rows, stratify=y, random_state=split)
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), y, scaler.transform(X_test), y_test


def measure(table: str, data: tuple[Array, ...], noise: str, split: int, learner: str) -> Line:
    """Fit a learner to a cell."""
    X, y, X_test, y_test = data
    labels, y = np.unique(y, return_inverse=True)
    kept = np.isin(y_test, labels)
    X_test, y_test = X_test[kept], np.searchsorted(labels, y_test[kept])
    flip, rate = NOISES[noise]
    given = flip(X, y, rate, np.random.default_rng(split))[0] if rate else y
    start = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fitted(learner, X, given, split)
    seconds = process_time() - start
    probability = np.clip(model.predict_proba(X_test), 1e-12, 1.0)
    found = Line(
        table=table,
        noise=noise,
        split=split,
        learner=learner,
        rows=len(X),
        classes=len(labels),
        error=float(np.mean(model.classes_[probability.argmax(axis=1)] != y_test)),
        log_loss=float(log_loss(y_test, probability, labels=model.classes_)),
        seconds=seconds,
    )
    if hasattr(model, "dual_coef_"):
        vectors = len(np.unique(model.relevance_))
        found = Line(**{**asdict(found), "vectors": vectors, "coefficients": model.dual_coef_.size})
    print(found, flush=True)
    return found


def fitted(learner: str, X: Array, y: Array, split: int) -> Any:
    """Return a fitted learner."""
    if learner in ("RVC", "RobustRVC"):
        return {"RVC": RVC, "RobustRVC": RobustRVC}[learner]().fit(X, y)
    model = tuned_svc(X, y, split).fit(X, y)
    if learner == "SVC":
        return model
    from cleanlab.filter import find_label_issues

    probability = cross_val_predict(clone(model), X, y, cv=5, method="predict_proba")
    kept = ~find_label_issues(y, probability, n_jobs=1)
    kept |= (np.bincount(y[kept], minlength=len(probability[0])) < 5)[y]  # too few for its folds
    return clone(model).fit(X[kept], y[kept])


def show(lines: pd.DataFrame) -> None:
    """Print the means over splits, and over all tables for every noise."""
    numbers = ["error", "log_loss", "seconds", "vectors", "coefficients"]
    for noise, own in lines.groupby("noise", sort=False):
        print_title(f"several classes{', ' + str(noise) if noise else ''}")
        means = own.groupby(["table", "rows", "classes", "learner"], sort=False)[numbers].mean().reset_index()
        over = means[~means.table.isin(SIZES)].groupby("learner")[numbers].mean().reset_index()
        rows = [
            [each.table, str(each.rows), str(each.classes), each.learner, *cells(each)]
            for each in means.itertuples()
        ]
        rows += [["all tables", "", "", each.learner, *cells(each)] for each in over.itertuples()]
        headers = ["table", "rows", "classes", "learner", "error %", "log loss", "CPU s", "vectors", "coef."]
        print_table(headers, rows)


def cells(line: Any) -> list[str]:
    """Return the cells of a line of the tables."""
    return [
        f"{100 * line.error:.1f}",
        f"{line.log_loss:.3f}",
        f"{line.seconds:.1f}",
        f"{line.vectors:.0f}",
        f"{line.coefficients:.0f}",
    ]
