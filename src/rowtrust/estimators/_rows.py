"""What estimators ask of rows, weights and targets, in scikit-learn's manner, and where rows are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array
from sklearn.utils.validation import _check_sample_weight, column_or_1d, validate_data

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.engines import Chunk, RowSource, as_source, collected, device_source, on_device
from rowtrust.fitting import Budget, Fitted, TrainingRows
from rowtrust.inference import Stacked
from rowtrust.kernels import Columns
from rowtrust.numerics.array_api import double, is_elsewhere, like, numbered, to_numpy
from rowtrust.numerics.magnitudes import LARGE, SMALL, cure
from rowtrust.numerics.threads import single_blas_thread

SHOWN_LABELS = 5
"""Unknown labels that a message lists; readability alone."""


def validated(estimator: Any, X: Any, *targets: Any, **options: Any) -> Any:
    """Check rows as scikit-learn does; of words among numbers say where they are, and what to do."""
    try:
        return validate_data(estimator, X, *targets, **options)
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        columns = X.items() if hasattr(X, "items") else enumerate(np.asarray(X, dtype=object).T)
        found = ((name, word) for name, column in columns for word in column if is_word(word))
        name, word = next(found, ("?", "?"))
        raise ValueError(
            f"Column {name!r} of X holds words such as {str(word)!r}, but {type(estimator).__name__} takes "
            "numbers. Put an encoder, such as OneHotEncoder, before it in a pipeline, or give the table to "
            "rowtrust.study_table, which encodes words itself."
        ) from error


def is_word(cell: Any) -> bool:
    """Whether a cell is text that is no number."""
    try:
        float(cell)
    except ValueError:
        return True
    except TypeError:
        return False
    return False


def weighted_rows(X: Matrix, y: NDArray[Any], sample_weight: Any, fewest: int = 2) -> TrainingRows:
    """Leave out rows of weight zero; refuse weights that are negative, not finite, or leave too few rows."""
    weight: Array = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weight < 0).any():
        raise ValueError(
            "Negative values in data passed to `sample_weight`. A sample weight counts copies of a "
            "row and must be zero or more."
        )
    index = np.flatnonzero(weight > 0)
    if len(index) == 0 or (len(index) < fewest and weight.sum() < fewest):  # weight two stands for two
        raise ValueError(
            f"{len(index)} of {len(weight)} sample weights are positive: too few rows are left to fit. Give "
            f"at least {fewest} of the rows a positive weight."
        )
    if not weight.sum() < LARGE:
        raise ValueError("The sample weights are too large to be summed. Divide them by their mean.")
    if len(index) < len(weight):
        X, y = X[index], y[index]
    return TrainingRows(X, y, weight[index], weight[index], index, len(weight))


def check_target_size(y: Array) -> None:
    """Refuse targets whose squares overflow or vanish."""
    largest = float(np.abs(y).max())
    if largest > LARGE or 0.0 < largest < SMALL:
        raise ValueError(
            f"The targets are of size {largest:.1e}, beyond what can be squared. Rescale y. "
            f"{cure(largest, 'y')}"
        )


def label_numbers(y: Any, classes: NDArray[Any], n_rows: int) -> tuple[Indices, NDArray[Any]]:
    """Return labels as positions in ``classes`` and as given."""
    given = column_or_1d(y)
    if len(given) != n_rows:
        raise ValueError(f"X has {n_rows} rows but y has {len(given)} labels; give one per row.")
    unknown = given[~np.isin(given, classes)]
    if len(unknown):
        raise ValueError(
            f"y holds labels that were not in the fit: {unknown[:SHOWN_LABELS].tolist()}. "
            f"The classes are {classes.tolist()}."
        )
    return np.searchsorted(classes, given), given


def checked_targets(y: Any, n_rows: int) -> Array:
    """Return numbers, one per row."""
    target: Array = column_or_1d(check_array(y, ensure_2d=False, dtype=np.float64, input_name="y"))
    if len(target) != n_rows:
        raise ValueError(f"X has {n_rows} rows but y has {len(target)} targets; give one per row.")
    return target


def refuse_missing(X: Matrix, name: str = "estimator") -> None:
    """Refuse rows with missing values, and say what to do. Rows on a device were looked at before."""
    if is_elsewhere(X):
        return
    missing = np.isnan(X.data if issparse(X) else X)
    if missing.any():
        raise ValueError(
            f"Input X contains NaN, {missing.sum()} of its values, and this {name} takes none. Fit "
            f'{name}(missing="expected") to dense rows, or put an imputer such as SimpleImputer before it.'
        )


# Where the rows are ---------------------------------------------------------------------------------


def located(X: Any, y: Any, weight: Any, budget: Budget) -> tuple[Any, Any, Any, RowSource | None]:
    """Return arrays in memory, or what reads the rows where they are if they are too many for that."""
    if on_device(X):
        source: RowSource | None = device_source(X, y, weight, budget.together_rows)
        return (X, y, weight, source) if source else (to_numpy(X), to_numpy(y), to_numpy(weight), None)
    is_small = isinstance(X, np.memmap) and 8 * X.size <= budget.memory_bytes
    source = None if is_small else as_source(X, y, weight)
    if source is None:
        return X, y, weight, None
    rows = collected(source, budget.memory_bytes)
    return (X, y, weight, source) if rows is None else (*rows, None)


@dataclass(frozen=True)
class Preparation:
    """Makes rows of a fit of rows as they are stored, where they are.

    Attributes
    ----------
    classes, factors
        The labels in order, and what the weights of each are multiplied by; None where targets are numbers,
        or are coded and weighted already.
    columns, scaling, offset, scale
        What fills and scales the inputs, and the units of targets: of the plan that was made of a sample.
    """

    classes: NDArray[Any] | None = None
    factors: Array | None = None
    columns: Columns | None = None
    scaling: Any = None
    offset: float = 0.0
    scale: float = 1.0

    def of(self, training: Any) -> Preparation:
        """Return what makes rows of a plan's fit."""
        names = ("columns", "scaling", "offset", "scale")
        return replace(self, **{name: getattr(training, name) for name in names})

    def __call__(self, chunk: Chunk) -> Chunk:
        """Return the rows of the fit."""
        X, y, weight = chunk.X, chunk.y, chunk.weight
        if self.columns is None:
            refuse_missing(X)
        else:
            X = self.columns.filled(X)
        X = X if self.scaling is None else self.scaling(X)
        if self.classes is not None and self.factors is not None:
            y = numbered(self.classes, y)
            factor = like(self.factors, X)[y]
            weight = factor if weight is None else weight * factor
        elif (self.offset, self.scale) != (0.0, 1.0):
            y = (double(y) - self.offset) / self.scale
        return Chunk(X, y, weight, chunk.offset)


def with_all_rows(
    fitted: Fitted, source: RowSource, classes: NDArray[Any] | None, index: Any, n_given: int
) -> Fitted:
    """Return a fit with the trust in every row of a source, and its weight where rows have one.

    Labels are numbers unless classes are given. ``index`` has the places of these rows among those that were
    given; the others count for nothing.
    """
    with single_blas_thread():
        found: Stacked = source.map_reduce(partial(of_chunk, fitted, classes))
    every = np.zeros((len(found.parts[0]), n_given))
    every[:, index] = np.concatenate(found.parts, axis=1)
    weight = every[1] if len(every) > 1 else None
    return replace(fitted, sample_trust=every[0], expected_weight=weight, n_passes=source.reads)


def of_chunk(fitted: Fitted, classes: NDArray[Any] | None, chunk: Chunk) -> Stacked:
    """Return the trust in every row of a chunk, and where rows have weights theirs: none at weight zero."""
    X, y = fitted.filled(to_numpy(chunk.X)), to_numpy(chunk.y)
    y = y if classes is None else np.searchsorted(classes, y)
    weight = fitted.weight_in_fit(X, y)
    found = np.array([1.0 - fitted.p_wrong(X, y), *([] if weight is None else [weight])])
    return Stacked((found if chunk.weight is None else found * (to_numpy(chunk.weight) > 0.0),))
