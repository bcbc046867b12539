"""Dask collections in, dask collections out: predictions and audits that are computed when asked for.

Each partition is judged where it is by a copy of the estimator, which is one key of the graph. Nothing here
imports dask before a dask collection is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial, wraps
from itertools import accumulate
from typing import Any, TypeVar, cast
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_feature_names, _check_n_features, check_is_fitted

from rowtrust.contracts import Array
from rowtrust.engines.kinds import is_dask
from rowtrust.numerics.threads import single_blas_thread
from rowtrust.trust import ListEnds, list_ends, list_names

Method = TypeVar("Method", bound=Callable[..., Any])
Call = Callable[[Any, Any], Any]
"""What is done to a model and a partition."""

LEFT_HERE = ("sample_trust_", "expected_weight_", "lower_bounds_")
"""What of an estimator does not travel: as long as the rows of the fit, and no prediction asks for it."""


def lazily(method: Method) -> Method:
    """Let a method of rows take dask collections: what it returns is computed when it is asked for.

    Of an array come arrays. Of a dataframe come series, and arrays where there are several columns.
    """

    @wraps(method)
    def of_any(self: Any, X: Any, *arguments: Any, **options: Any) -> Any:
        if not is_dask(X):
            return method(self, X, *arguments, **options)
        return lazy_outputs(self, X, partial(call_method, method.__name__, arguments, options))

    return cast(Method, of_any)


def call_method(name: str, arguments: Any, options: Any, model: Any, X: Any) -> Any:
    """Call a method of an estimator."""
    return getattr(model, name)(X, *arguments, **options)


def lazy_outputs(estimator: Any, X: Any, call: Call) -> Any:
    """Return what a call makes of every partition, as one collection for each array that it returns."""
    X = rows_of_fit(estimator, X)
    outputs = call(estimator, one_row(X))  # tells shapes and types
    model, several = one_key(estimator), isinstance(outputs, tuple)
    outputs = outputs if several else (outputs,)
    of_kind = series if hasattr(X, "columns") else arrays
    found = of_kind(X, partial(side_by_side, call, outputs), model, outputs)
    return tuple(found) if several else found[0]


def side_by_side(call: Call, outputs: Sequence[NDArray[Any]], X: Any, model: Any) -> Any:
    """Return what a call makes of a partition, one array after the other as columns of one."""
    if X.shape[0] == 0:
        found = tuple(each[:0] for each in outputs)
    else:
        with single_blas_thread():
            found = call(model, X)
    found = found if isinstance(found, tuple) else (found,)
    return found[0] if len(found) == 1 else np.column_stack(found)


def arrays(X: Any, call: Call, model: Any, outputs: Sequence[NDArray[Any]]) -> list[Any]:
    """Return the arrays of an array."""
    name = f"rowtrust-predictions-{uuid4().hex}"
    first, total = outputs[0], sum(widths(outputs))
    if len(outputs) == 1 and first.ndim == 1:
        return [X.map_blocks(call, model=model, drop_axis=1, dtype=first.dtype, meta=first[:0], name=name)]
    chunks, meta = (X.chunks[0], (total,)), np.empty((0, total), dtype=first.dtype)
    table = X.map_blocks(call, model=model, chunks=chunks, dtype=meta.dtype, meta=meta, name=name)
    return [table[:, columns] for columns in places(outputs)]


def series(X: Any, call: Call, model: Any, outputs: Sequence[NDArray[Any]]) -> list[Any]:
    """Return the series of a dataframe, or its arrays where there are several columns."""
    meta = with_index(call, X._meta, model)
    table = X.map_partitions(partial(with_index, call), model, meta=meta)
    if meta.ndim == 1:
        return [table]
    return [
        table[columns] if isinstance(columns, int) else table[meta.columns[columns].tolist()].to_dask_array()
        for columns in places(outputs)
    ]


def with_index(call: Call, X: Any, model: Any) -> Any:
    """Return what a call makes of a partition of a dataframe, with its index."""
    import pandas

    found = call(X, model)
    return (pandas.Series if found.ndim == 1 else pandas.DataFrame)(found, index=X.index)


def widths(outputs: Sequence[NDArray[Any]]) -> list[int]:
    """Return how many columns each array has."""
    return [1 if each.ndim == 1 else each.shape[1] for each in outputs]


def places(outputs: Sequence[NDArray[Any]]) -> list[int | slice]:
    """Return which columns each array is, side by side with the others."""
    ends = list(accumulate(widths(outputs), initial=0))
    return [
        start if each.ndim == 1 else slice(start, stop)
        for each, start, stop in zip(outputs, ends[:-1], ends[1:], strict=True)
    ]


def lazy_audit(estimator: Any, X: Any, y: Any) -> Any:
    """Return the audit of all partitions as a dask dataframe, in the order of the rows.

    Each partition is judged once; which rows are listed depends on the P(wrong) of all of them.
    """
    from dask import dataframe, delayed

    from rowtrust.engines.dask import DaskSource

    y = X[y] if isinstance(y, str) else y
    inputs = rows_of_fit(estimator, X)
    source, meta = DaskSource(inputs, y), empty_audit(estimator, inputs, y)
    starts = [0] * len(source.parts) if source.known is None else accumulate(source.known, initial=0)
    audit, model = delayed(audit_partition, pure=False, traverse=False), one_key(estimator)
    parts = [
        audit(model, source.reader.columns, part, offset, meta)
        for part, offset in zip(source.parts, starts, strict=False)
    ]
    ends = delayed(ends_of_all)([delayed(chances)(part) for part in parts])
    parts = [delayed(with_lists)(part, ends) for part in parts]
    divisions = getattr(inputs, "divisions", None)
    divisions = divisions if divisions is not None and len(divisions) == len(parts) + 1 else None
    return dataframe.from_delayed(parts, meta=meta, divisions=divisions, verify_meta=False)


def audit_partition(model: Any, columns: Any, part: Any, offset: int, empty: Any) -> Any:
    """Return the audit of a partition, in the order of its rows."""
    X, y, _ = columns(*part)
    if X.shape[0] == 0:
        return empty
    index = getattr(X, "index", np.arange(offset, offset + X.shape[0]))
    X = X.reset_index(drop=True) if hasattr(X, "index") else X
    with single_blas_thread():
        table = model.audit(X, np.asarray(y)).sort_index()
    return table.set_axis(index, axis=0).rename_axis("row")


def chances(audit: Any) -> Array:
    """Return the P(wrong) of the rows of a partition."""
    return np.asarray(audit["p_wrong"], dtype=float)


def ends_of_all(parts: Sequence[Array]) -> ListEnds:
    """Return where the lists of all rows end."""
    return list_ends(np.concatenate(parts))


def with_lists(audit: Any, ends: ListEnds) -> Any:
    """Return the audit of a partition with the lists of all rows."""
    against = audit["likely"] != audit["given"] if "probability" in audit else False
    return audit.assign(list=list_names(chances(audit), ends, np.asarray(against)))


def as_it_is(*part: Any) -> Any:
    """Return a partition as it is."""
    return part


def empty_audit(estimator: Any, X: Any, y: Any) -> Any:
    """Return an audit of no rows: the names and types of its columns."""
    some = getattr(estimator, "classes_", np.zeros(1))[:1]
    kind = y.dtype if isinstance(y.dtype, np.dtype) else some.dtype
    part = one_row(X), some.astype(kind), None
    return audit_partition(estimator, as_it_is, part, 0, None).iloc[:0]


def rows_of_fit(estimator: Any, X: Any) -> Any:
    """Return the inputs of a dask collection, as many as those of the fit and named like them."""
    check_is_fitted(estimator)
    if not hasattr(X, "columns"):
        if X.ndim != 2:
            raise ValueError(f"X must have two axes, rows and features; got {X.ndim}.")
        _check_n_features(estimator, np.empty((0, X.shape[1])), reset=False)
        return X if len(X.chunks[1]) == 1 else X.rechunk({1: -1})
    names = list(getattr(estimator, "feature_names_in_", ()))
    if names and set(names) <= set(X.columns):
        X = X[names]
    _check_feature_names(estimator, X._meta, reset=False)
    _check_n_features(estimator, X._meta, reset=False)
    return X


def one_row(X: Any) -> Any:
    """Return a row in memory with the columns of a collection: all zero."""
    if not hasattr(X, "columns"):
        return np.zeros((1, X.shape[1]))
    import pandas

    return pandas.DataFrame(
        np.zeros((1, len(X.columns))), columns=list(X.columns), index=X._meta_nonempty.index[:1]
    )


def one_key(estimator: Any) -> Any:
    """Return an estimator as one key of a graph: it is sent once, not with every partition."""
    from dask import delayed

    return delayed(travelling(estimator), name=f"rowtrust-model-{uuid4().hex}", traverse=False)


def travelling(estimator: Any) -> Any:
    """Return a copy of an estimator that predicts, without what is as long as the rows of its fit."""
    model = copy(estimator)
    for name in LEFT_HERE:
        vars(model).pop(name, None)
    if hasattr(model, "fitted_"):
        model.fitted_ = model.fitted_.without_rows()
    if hasattr(model, "estimators_"):
        model.estimators_ = [travelling(each) for each in model.estimators_]
    return model
