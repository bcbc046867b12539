"""Several targets: one machine each, exactly as if each target had been fitted alone."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from rowtrust.inference.run import Observer
from rowtrust.search import TrainingRows
from rowtrust.search.fits import Reporter

PER_TARGET = ("gamma_", "noise_precision_", "noise_variance_", "lower_bound_", "trust_prior_")
"""Numbers of a machine that are published as one array over targets."""


def fit_each_target(estimator: Any, rows: TrainingRows, report: Reporter | None) -> None:
    """Fit a machine to every column of the targets, and publish what they have in common."""
    machines = []
    for number, column in enumerate(rows.y.T):
        machine = clone(estimator)
        for name in ("n_features_in_", "feature_names_in_", "_columns"):
            if hasattr(estimator, name):
                setattr(machine, name, getattr(estimator, name))
        own = None if report is None else named(report, f"target {number}, ")
        machine._fit_to(replace(rows, y=np.ascontiguousarray(column)), own)
        machines.append(machine)
    forget_fit(estimator)
    publish(estimator, machines, rows)


def named(report: Reporter, prefix: str) -> Reporter:
    """Return a reporter whose tasks bear a prefix."""

    def prefixed(name: str) -> AbstractContextManager[Observer | None]:
        return report(prefix + name)

    return prefixed


def publish(estimator: Any, machines: list[Any], rows: TrainingRows) -> None:
    """Set the fitted attributes of an estimator of several targets."""
    estimator.estimators_ = machines
    estimator.predictive_model_ = None
    estimator.intercept_ = np.concatenate([machine.intercept_ for machine in machines])
    estimator.relevance_ = np.unique(np.concatenate([machine.relevance_ for machine in machines]))
    estimator.sample_trust_ = np.min([machine.sample_trust_ for machine in machines], axis=0)
    estimator.n_iter_ = max(machine.n_iter_ for machine in machines)
    if all(hasattr(machine, "n_reads_") for machine in machines):
        estimator.n_reads_ = sum(machine.n_reads_ for machine in machines)
    for name in PER_TARGET:
        values = [getattr(machine, name, None) for machine in machines]
        if None not in values:
            setattr(estimator, name, np.array(values, dtype=float))


def forget_fit(estimator: Any) -> None:
    """Take away what an earlier fit has left, but for what is known of the inputs."""
    kept = ("n_features_in_", "feature_names_in_")
    for name in [name for name in vars(estimator) if is_fitted_attribute(name) and name not in kept]:
        delattr(estimator, name)


def forget_targets(estimator: Any) -> None:
    """Take away what a fit of several targets has left."""
    if hasattr(estimator, "estimators_"):
        forget_fit(estimator)


def is_fitted_attribute(name: str) -> bool:
    """Whether an attribute is one that a fit sets."""
    return name == "_fit_rows" or (name.endswith("_") and not name.startswith("_"))


def single_target_only(estimator: Any, what: str) -> None:
    """Refuse an estimator of several targets, and name the cure."""
    if hasattr(estimator, "estimators_"):
        raise ValueError(
            f"{what} takes one target at a time; this {type(estimator).__name__} was fitted to a table of "
            f"{len(estimator.estimators_)}. Use estimators_[k], and the k-th column of y."
        )
