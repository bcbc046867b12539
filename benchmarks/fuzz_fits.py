"""Random fits: any estimator, any options, any rows; then everything that a fitted model can be asked."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks.fuzz_data import Generator, Rows, draw_rows, one_of
from benchmarks.fuzz_options import CLASSIFIERS, ESTIMATORS, Model, draw_model
from benchmarks.fuzz_outcomes import (
    Fault,
    asked,
    check_between,
    check_finite,
    check_shape,
    only_known_warnings,
)
from rowtrust import BayesianSVR, find_wrong_rows

Tell = Callable[[str], None]
Fitting = Callable[[Any, Rows, bool], None]

FURTHER = (1.0, 3.0, 100.0, 1e5)
"""How far from the rows of the fit some rows to predict are, as factors on all of their numbers."""


def case(generator: Generator, tell: Tell) -> None:
    """Fit a random estimator to random rows, and check whatever it says."""
    with np.errstate(all="ignore"):
        model, rows = draw_case(generator)
    tell(f"{model}\n  {rows}")
    with only_known_warnings():
        estimator = model.build()
        asked(draw_fitting(generator, estimator, rows, tell), estimator, rows, model.classifies)
        check_fitted(estimator, model, rows)
        if generator.random() < 0.2:
            tell("  and wrong rows are asked for")
            check_findings(asked(find_wrong_rows, estimator, rows.X, rows.y), rows)
        check_new_rows(generator, estimator, model, rows)


def draw_fitting(generator: Generator, estimator: Any, rows: Rows, tell: Tell) -> Fitting:
    """Return a way to fit: all rows at once, mostly, and if the target is a column, which blocks forget."""
    if isinstance(estimator, BayesianSVR) or generator.random() < 0.8 or np.shape(rows.y)[1:] == (1,):
        return fit_at_once
    tell(f"  {fit_from_blocks.__name__}")
    return fit_from_blocks


def draw_case(generator: Generator, **options: Any) -> tuple[Model, Rows]:
    """Return an estimator and rows that its kernel can take, mostly."""
    name = one_of(generator, ESTIMATORS)
    rows = draw_rows(generator, name in CLASSIFIERS, **options)
    model = draw_model(generator, name, rows)
    if isinstance(model.options.get("kernel"), str) and model.options["kernel"] == "precomputed":
        rows = precomputed(generator, rows)
    return model, rows


def precomputed(generator: Generator, rows: Rows) -> Rows:
    """Return rows of kernel values; now and then the rows as they are, which must be refused."""
    if generator.random() < 0.1 or not (is_sound(rows.X) and is_sound(rows.new)):
        return rows
    size = max(float(np.abs(np.asarray(rows.X, dtype=float)).max()), np.finfo(float).tiny)
    X, new = (np.clip(np.asarray(values, dtype=float) / size, -9.0, 9.0) for values in (rows.X, rows.new))
    return replace(rows, X=rbf_kernel(X), new=rbf_kernel(new, X), traits=(*rows.traits, "kernel values"))


def is_sound(X: Any) -> bool:
    """Whether rows are dense and finite."""
    return not sparse.issparse(X) and bool(np.isfinite(np.asarray(X, dtype=float)).all())


def fit_at_once(estimator: Any, rows: Rows, classifies: bool) -> None:
    """Fit as everybody does."""
    estimator.fit(rows.X, rows.y, sample_weight=rows.weight)


def fit_from_blocks(estimator: Any, rows: Rows, classifies: bool) -> None:
    """Fit to blocks that are read again and again."""
    estimator.fit([block[: 2 if rows.weight is None else 3] for block in blocks_of(rows)])


def blocks_of(rows: Rows) -> list[tuple[Any, Any, Any]]:
    """Return the rows in two blocks of inputs, targets and weights."""
    X = sparse.csr_matrix(rows.X) if sparse.issparse(rows.X) else rows.X
    half = (X.shape[0] + 1) // 2
    return [
        (
            X.iloc[block] if isinstance(X, pd.DataFrame) else X[block],
            rows.y[block],
            rows.weight[block] if isinstance(rows.weight, np.ndarray) else rows.weight,
        )
        for block in (slice(0, half), slice(half, None))
    ]


# what a fitted model says of the rows of the fit -------------------------------------------------------


def check_fitted(estimator: Any, model: Model, rows: Rows) -> None:
    """Check all outputs for the rows of the fit, and a copy that went through a pickle."""
    if model.classifies:
        check_classifier(estimator, rows.X, rows.y)
    else:
        check_regressor(estimator, rows.X, rows.y)
    if hasattr(estimator, "sample_trust_"):
        check_shape("sample_trust_", estimator.sample_trust_, (rows.X.shape[0],))
        check_between("sample_trust_", estimator.sample_trust_, 0.0, 1.0)
    check_pickle(estimator, rows.X)


def check_classifier(estimator: Any, X: Any, y: Any) -> None:
    """Check what a classifier says of rows."""
    n_rows, classes = X.shape[0], estimator.classes_
    probability = asked(estimator.predict_proba, X)
    check_shape("predict_proba", probability, (n_rows, len(classes)))
    check_between("predict_proba", probability, 0.0, 1.0)
    check_between("sums of predict_proba", probability.sum(axis=1), 1.0, 1.0)
    check_finite("decision_function", estimator.decision_function(X))
    check_between("predict_given_proba", estimator.predict_given_proba(X), 0.0, 1.0)
    labels = estimator.predict(X)
    check_shape("predict", labels, (n_rows,))
    if not np.isin(labels, classes).all():
        raise Fault("output", "predict says classes that there are not")
    if np.isnan(estimator.predict_log_proba(X)).any():
        raise Fault("not finite", "predict_log_proba is not a number")
    given = pd.Index(np.asarray(y)).isin(classes)
    if given.all():
        check_audit(estimator.audit(X, y), n_rows, ("probability", "p_wrong", "trust"))
        if np.isnan(estimator.log_score_samples(X, y)).any():
            raise Fault("not finite", "log_score_samples is not a number")


def check_regressor(estimator: Any, X: Any, y: Any) -> None:
    """Check what a regressor says of rows."""
    shape = (X.shape[0], *np.shape(y)[1:])
    mean, deviation = asked(
        estimator.predict, X, return_std=True
    )  # gaps of rows that did not count are refused
    for name, values in (("mean", mean), ("std", deviation)):
        check_shape(name, values, shape)
        check_finite(name, values)
    if not (deviation > 0.0).all():
        raise Fault("output", f"std is {deviation.min():.3g} for some row")
    lower, upper = asked(estimator.predict_interval, X, 0.9)  # a likelihood with a link has none
    check_finite("predict_interval", [lower, upper])
    if not (lower <= upper).all():
        raise Fault("output", "an interval ends before it begins")
    check_finite("log_score_samples", estimator.log_score_samples(X, y))
    if hasattr(estimator, "audit") and not hasattr(estimator, "estimators_"):
        check_audit(estimator.audit(X, y), X.shape[0], ("p_wrong", "trust"))


def check_audit(table: Any, n_rows: int, shares: tuple[str, ...]) -> None:
    """Check that an audit has every row once, and shares that are shares."""
    check_shape("audit", table["p_wrong"], (n_rows,))
    if len(set(table.index)) != n_rows:
        raise Fault("output", "an audit has not every row once")
    for name in shares:
        check_between(f"{name} of an audit", table[name], 0.0, 1.0)


def check_findings(found: Any, rows: Rows) -> None:
    """Check that every row was judged, by shares that are shares."""
    n_rows = rows.X.shape[0]
    if sorted(found.order) != list(range(n_rows)):
        raise Fault("output", "findings have not every row once")
    for name in ("p_wrong", "trust"):
        check_between(f"{name} of findings", getattr(found, name), 0.0, 1.0)
    check_between("share of wrong rows", found.share, 0.0, 1.0)


def check_pickle(estimator: Any, X: Any) -> None:
    """See that a copy says the same, to the last bit."""
    try:
        text = pickle.dumps(estimator)
    except (pickle.PicklingError, AttributeError):
        return  # a function that the user gave may be such that no pickle takes it
    copy = pickle.loads(text)
    if not np.array_equal(estimator.predict(X), copy.predict(X)):
        raise Fault("relation", "a pickled copy predicts otherwise")


# and of others ----------------------------------------------------------------------------------------


def check_new_rows(generator: Generator, estimator: Any, model: Model, rows: Rows) -> None:
    """Check predictions of rows that were not in the fit, near and far; they may be refused."""
    new = rows.new
    if "kernel values" not in rows.traits and new.dtype.kind == "f" if hasattr(new, "dtype") else False:
        with np.errstate(all="ignore"):
            new = new * new.dtype.type(one_of(generator, FURTHER))
    said = asked(estimator.predict_proba if model.classifies else estimator.predict, new)
    check_finite("predictions of new rows", said)
    if model.classifies:
        check_between("sums of new probabilities", said.sum(axis=1), 1.0, 1.0)
    else:
        _, deviation = estimator.predict(new, return_std=True)
        check_finite("std of new rows", deviation)
        if not (deviation > 0.0).all():
            raise Fault("output", f"std is {deviation.min():.3g} for some new row")
