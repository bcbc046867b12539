"""What estimators ask of rows, weights and targets, in scikit-learn's manner, and where rows are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import _check_sample_weight, column_or_1d, validate_data

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.engines import RowSource, as_source, collected, device_source, on_device
from rowtrust.fitting import Budget, TrainingRows
from rowtrust.numerics.array_api import to_numpy
from rowtrust.numerics.magnitudes import LARGE, SMALL, cure, shown_few


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
            f"y holds labels that were not in the fit: {shown_few(unknown)}. "
            f"The classes are {classes.tolist()}."
        )
    return np.searchsorted(classes, given), given


def checked_targets(y: Any, n_rows: int) -> Array:
    """Return numbers, one per row."""
    target: Array = column_or_1d(check_array(y, ensure_2d=False, dtype=np.float64, input_name="y"))
    if len(target) != n_rows:
        raise ValueError(f"X has {n_rows} rows but y has {len(target)} targets; give one per row.")
    return target


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
