"""Rows on a device, under scikit-learn's ``array_api_dispatch``: many of them stay there.

Without that setting nothing here acts: scikit-learn makes NumPy's arrays of what it can, and refuses others.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn._config import get_config

from rowtrust.contracts import Array
from rowtrust.engines import Chunk, DeviceSource, RowSource
from rowtrust.inference.passes import Stacked
from rowtrust.numerics.array_api import compat, double, is_elsewhere, like, namespace, to_numpy
from rowtrust.weights import Unit


def on_device(X: Any) -> bool:
    """Tell whether an array is of another library than NumPy, and is to be worked on where it is."""
    return is_elsewhere(X) and bool(get_config()["array_api_dispatch"])


def from_device(X: Any, y: Any, weight: Any, most: int) -> tuple[Any, Any, Any, DeviceSource | None]:
    """Return rows in memory, or what reads them where they are if there are more than ``most`` of them.

    What needs a closer look than a device can give it comes to memory, however much it is: missing values,
    labels that are not numbers, and whatever is wrong.
    """
    if not on_device(X):
        return X, y, weight, None
    if X.ndim == 2 and X.shape[0] > most:
        found = [_there(part, X, of_rows) for part, of_rows in ((X, False), (y, True), (weight, True))]
        if all(each is not None for each in found[:2]) and (weight is None or are_weights(found[2])):
            return X, y, weight, DeviceSource(*found)
    return to_numpy(X), to_numpy(y), to_numpy(weight), None


def _there(values: Any, X: Any, of_rows: bool) -> Any:
    """Return finite numbers on the device of X, one a row if they are of rows; None if they are not so."""
    xp = namespace(X)
    if not is_elsewhere(values):
        values = np.asarray(values)
        if values.dtype.kind not in "fiu":
            return None
    values = xp.asarray(values, device=compat.device(X))
    if of_rows and values.shape != (X.shape[0],):
        return None
    return values if all_numbers(values) else None


def are_weights(weight: Any) -> bool:
    """Tell whether numbers on a device can be weights: none is negative, and not all are zero."""
    if weight is None:
        return False
    xp = namespace(weight)
    return bool(xp.all(weight >= 0)) and float(xp.max(weight)) > 0.0


def all_numbers(values: Any) -> bool:
    """Tell whether an array on a device has finite numbers alone."""
    xp = namespace(values)
    if xp.isdtype(values.dtype, "integral"):
        return True
    return bool(xp.isdtype(values.dtype, "real floating") and xp.all(xp.isfinite(values)))


def rows_there(estimator: Any, X: Any) -> Any:
    """Return rows to be predicted on their device, or in memory where some values are missing or wrong."""
    right = X.ndim == 2 and X.shape[1] == estimator.n_features_in_ and X.shape[0] > 0
    return double(X) if right and all_numbers(X) else to_numpy(X)


def back_to(X: Any, values: NDArray[Any]) -> NDArray[Any]:
    """Return what was made of rows where the rows are; labels that are not numbers stay in memory."""
    if not on_device(X) or values.dtype.kind not in "fiu":
        return values
    there: NDArray[Any] = like(values, X) if values.dtype.kind == "f" else _there(values, X, False)
    return there


def trust_there(estimator: Any, source: RowSource) -> Array:
    """Return the trust in every row, by one reading of all."""
    found: Stacked = source.map_reduce(partial(_trust_of_chunk, estimator))
    return np.concatenate(found.parts)


def _trust_of_chunk(estimator: Any, chunk: Chunk) -> Stacked:
    classes, y = getattr(estimator, "classes_", None), to_numpy(chunk.y)
    y = y.astype(np.float64) if classes is None else np.searchsorted(classes, y)
    stays = isinstance(estimator.predictive_model_.weights, Unit)
    trust: Array = estimator._row_trust(chunk.X if stays else to_numpy(chunk.X), y)
    return Stacked((trust if chunk.weight is None else trust * (to_numpy(chunk.weight) > 0.0),))
