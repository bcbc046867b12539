"""The road of many rows: a sample is drawn and searched, and its model goes on with all rows.

An array of more than ``MANY_ROWS`` rows takes it, and so does everything that is not an array in memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from sys import maxsize
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_random_state

from rowtrust.contracts import Array
from rowtrust.engines import ArraySource, Chunk, RowSource
from rowtrust.engines.sampling import Sample, draw_sample
from rowtrust.estimators._audit import FitRows
from rowtrust.estimators._devices import trust_there
from rowtrust.estimators._missing import fill_holes, learn_columns, refuse_holes
from rowtrust.estimators._targets import forget_targets
from rowtrust.inference.passes import Stacked
from rowtrust.kernels import Columns, ColumnScaling, is_uncertain
from rowtrust.numerics.array_api import double, like, numbered, single
from rowtrust.numerics.threads import single_blas_thread
from rowtrust.search import TrainingRows
from rowtrust.search.cross_fitting import part_of
from rowtrust.search.families import thinned
from rowtrust.search.fits import FitPlan, Reporter
from rowtrust.search.many_rows import (
    SEARCH_ROWS,
    AllRows,
    go_on_with_all,
    go_on_with_noise,
    go_on_with_sample,
)

MANY_ROWS = 20_000
"""Rows beyond which a sample is searched first. Not studied: below, a search on all rows takes seconds."""


@dataclass(frozen=True)
class Preparation:
    """Makes rows of a fit of rows as they are stored. It travels to the rows.

    Attributes
    ----------
    columns
        What fills missing values; None: there must be none.
    scaling
        Of the inputs; None: as they are.
    classes, factors
        The labels in order, and what the weights of each are multiplied by; None where targets are numbers,
        or are coded and weighted already.
    offset, scale
        Of targets that are numbers.
    single
        Whether kernels are computed in single precision: they have that of the inputs.
    """

    columns: Columns | None
    scaling: ColumnScaling | None
    classes: NDArray[Any] | None
    factors: Array | None
    offset: float
    scale: float
    single: bool = False

    def __call__(self, chunk: Chunk) -> Chunk:
        """Return the rows of the fit."""
        X, y, weight = chunk.X, chunk.y, chunk.weight
        if self.columns is None:
            refuse_holes(X)
        else:
            X = self.columns.filled(X)
        X = X if self.scaling is None else self.scaling(X)
        if self.classes is not None and self.factors is not None:
            y = numbered(self.classes, y)
            factor = like(self.factors, X)[y]
            weight = factor if weight is None else weight * factor
        elif (self.offset, self.scale) != (0.0, 1.0):
            y = (double(y) - self.offset) / self.scale
        in_single = self.single and not is_uncertain(X)
        return Chunk(single(X) if in_single else X, y, weight, chunk.offset)


def is_many(estimator: Any, rows: TrainingRows) -> bool:
    """Whether a fit to rows in memory takes the road of many rows."""
    return len(rows.y) > MANY_ROWS and may_travel(estimator) and not issparse(rows.X)


def may_travel(estimator: Any) -> bool:
    """Whether a fit is one that the road of many rows can make."""
    precomputed = isinstance(estimator.kernel, str) and estimator.kernel == "precomputed"
    parts = estimator._travels and estimator.basis is not None and estimator.solver == "working_set"
    if not parts or estimator._weights().membership is not None:
        return False
    return not precomputed


def most_in_memory(estimator: Any) -> int:
    """Return how many rows on a device come to memory to be fitted: all where they cannot stay."""
    return MANY_ROWS if may_travel(estimator) else maxsize


def fit_device(estimator: Any, source: RowSource, report: Reporter | None) -> None:
    """Fit to many rows that stay on their device. They are an array: each has its trust."""
    fit_source(estimator, source, report)
    estimator.sample_trust_ = trust_there(estimator, source)
    estimator.n_reads_ = source.reads


def fit_many(estimator: Any, rows: TrainingRows, report: Reporter | None) -> None:
    """Fit to many rows in memory: checked, coded and weighted."""
    source = ArraySource(rows.X, rows.y, rows.weight)
    sample = draw_sample(source, seed_of(estimator), np.issubdtype(rows.y.dtype, np.integer))
    few = rows.only(sample.rows.index)
    few = replace(few, weight=few.weight * sample.stands_for, copies=few.copies * sample.stands_for)
    estimator._columns = learn_columns(estimator, few.X, few.copies)
    few = replace(few, X=fill_holes(estimator, few.X))
    prepare = partial(preparation, estimator._columns, None, None)
    fit_sample_then_all(estimator, few, source, sample.total, prepare, report)
    estimator.sample_trust_ = np.zeros(rows.n_given)
    estimator.sample_trust_[rows.index] = trust_of_rows(estimator, source)
    estimator.n_reads_ = source.reads


def fit_source(estimator: Any, source: RowSource, report: Reporter | None) -> None:
    """Fit to rows that are not in memory. Nothing is kept of the size of the rows."""
    refuse_what_cannot_travel(estimator)
    forget_targets(estimator)
    sample = draw_sample(source, seed_of(estimator), hasattr(estimator, "predict_proba"))
    few = rows_of_sample(estimator, sample)
    classes = getattr(estimator, "classes_", None)
    factors = None
    if classes is not None:
        factors = np.array([np.average((few.weight / few.copies)[few.y == k]) for k in range(len(classes))])
    prepare = partial(preparation, estimator._columns, classes, factors)
    fit_sample_then_all(estimator, few, source, sample.total, prepare, report)
    if hasattr(estimator, "sample_trust_"):
        del estimator.sample_trust_
    if source.names is not None:
        estimator.feature_names_in_ = np.asarray(source.names, dtype=object)
    estimator.n_reads_ = source.reads


def refuse_what_cannot_travel(estimator: Any) -> None:
    """Refuse a fit that needs all rows at once."""
    name = type(estimator).__name__
    if not estimator._travels:
        raise ValueError(
            f"{name} weighs rows by memberships, which are made of all rows together: give arrays in memory. "
            "Where rows are read piece by piece take RobustRVC or RobustRVR, which learn how far to trust "
            "each row, or give memberships as sample weights to RVC or RVR."
        )
    wants = [
        f"kernel={estimator.kernel!r}" if isinstance(estimator.kernel, str) else "",
        f"basis={estimator.basis!r}" if estimator.basis is None else "",
        f"solver={estimator.solver!r}",
    ]
    needs = [each for each in wants if each in ("kernel='precomputed'", "basis=None", "solver='variational'")]
    if needs:
        raise ValueError(
            f"{name} with {needs[0]} needs all rows at once: give arrays in memory, or leave that parameter "
            "at its default."
        )


def rows_of_sample(estimator: Any, sample: Sample) -> TrainingRows:
    """Check the sample as an ordinary fit does; its rows know where they stand among all."""
    drawn = sample.rows
    rows: TrainingRows = estimator._validate_rows(drawn.X, drawn.y, drawn.weight * sample.stands_for)
    estimator._columns = learn_columns(estimator, rows.X, rows.copies)
    filled = fill_holes(estimator, rows.X)
    return replace(rows, X=filled, index=drawn.index[rows.index], n_given=sample.n_rows)


def preparation(
    columns: Columns | None, classes: NDArray[Any] | None, factors: Array | None, plan: FitPlan
) -> Preparation:
    """Return what makes rows of a plan's fit of stored rows."""
    return Preparation(columns, plan.scaling, classes, factors, plan.offset, plan.scale)


def fit_sample_then_all(
    estimator: Any,
    few: TrainingRows,
    source: RowSource,
    total: float,
    prepare: Any,
    report: Reporter | None,
) -> None:
    """Search on the sample, go on with all rows, and set the fitted attributes."""
    plan: FitPlan = estimator._compose(few, report)
    choice = estimator._kernel_choice()
    found = estimator._searched_plainly(searched_part(plan))
    in_single = estimator.kernel_dtype == "float32"
    everything = AllRows(source, replace(prepare(plan), single=in_single), total)
    plan = replace(plan, nearby=source.beside(plan.rows.X, plan.rows.y, plan.rows.weight))
    found = go_on_with_sample(plan, found, choice.searches_widths)
    found = estimator._look_again(plan, found)
    if found.likelihoods is not None:
        found = estimator._look_again(plan, go_on_with_noise(plan, found))
    found = go_on_with_all(plan, found, everything)
    found = estimator._completed(plan, estimator._look_again(plan, found))
    estimator._publish(plan, found, estimator._finished(plan, found))
    estimator._fit_rows = FitRows.unknown(found.likelihoods)


def searched_part(plan: FitPlan) -> FitPlan:
    """Return the plan of the rows on which kernels are searched."""
    kept = thinned(plan.rows, SEARCH_ROWS)
    if kept is None:
        return plan
    part = part_of(plan, kept)
    return replace(
        part, solver=plan.solver, every_start=plan.every_start, report=plan.report, n_jobs=plan.n_jobs
    )


def seed_of(estimator: Any) -> int:
    """Return a number for the draw of the sample: the same one where no random state is given."""
    if estimator.random_state is None:
        return 0
    return int(check_random_state(estimator.random_state).randint(np.iinfo(np.int32).max))


def trust_of_rows(estimator: Any, source: RowSource) -> Array:
    """Return the trust in every row, by one reading of all."""
    with single_blas_thread():
        found: Stacked = source.map_reduce(partial(trust_of_chunk, estimator))
    return np.concatenate(found.parts)


def trust_of_chunk(estimator: Any, chunk: Chunk) -> Stacked:
    """Return the trust in the rows of a chunk, whose targets are coded already."""
    return Stacked((estimator._row_trust(fill_holes(estimator, chunk.X), chunk.y),))
