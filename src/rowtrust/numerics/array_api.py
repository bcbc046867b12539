"""Arrays of other libraries than NumPy, by the array API standard: rows that live on a device.

Functions of a block of rows ask for the ``namespace`` of their rows and compute in it, so that what is
row-sized stays where the rows are. What solvers carry is NumPy's; ``like`` takes it to the rows. For NumPy's
own arrays each function here is the call of NumPy or SciPy that it replaces, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
from scipy import special
from sklearn.externals import array_api_compat as compat  # PyTorch and CuPy with the standard's names

from rowtrust.contracts import Array

__all__ = [
    "all_to_numpy",
    "at_least",
    "at_most",
    "compat",
    "double",
    "expit",
    "is_elsewhere",
    "largest",
    "like",
    "log_expit",
    "namespace",
    "nothing_of",
    "numbered",
    "ones_beside",
    "row_products",
    "rows_at",
    "side_by_side",
    "squared_lengths",
    "taken",
    "times",
    "to_numpy",
]

_KNOWN: dict[type, Any] = {np.ndarray: np, np.float64: np, float: np, int: np}
"""The namespace of every type of array that was asked for: a look-up costs less than a microsecond."""


def namespace(array: Any) -> Any:
    """Return the namespace of an array: NumPy itself for its arrays, for sparse matrices and for numbers."""
    found = _KNOWN.get(type(array))
    if found is None:
        found = _KNOWN[type(array)] = _look_up(array)
    return found


def _look_up(array: Any) -> Any:
    if isinstance(array, np.ndarray | np.generic):
        return np
    try:
        return compat.array_namespace(array)
    except TypeError:  # no array of the standard
        return np


def is_elsewhere(array: Any) -> bool:
    """Tell whether an array is of another library than NumPy: on a device, or as if it were."""
    return namespace(array) is not np


def like(array: Any, reference: Any) -> Array:
    """Return an array of floating-point numbers where another one is, and with its precision."""
    xp = namespace(reference)
    if xp is np:
        if type(array) is np.ndarray and array.dtype == reference.dtype:
            return array
        return np.asarray(to_numpy(array), dtype=float)
    if not is_elsewhere(array):
        array = np.require(array, requirements=["C", "W"])  # PyTorch shares what it can
    dtype = reference.dtype if xp.isdtype(reference.dtype, "real floating") else xp.float64
    there: Array = xp.asarray(array, dtype=dtype, device=compat.device(reference))
    return there


def places(array: Array) -> Array:
    """Return 0, 1, ... along the last axis of an array, where that is."""
    xp = namespace(array)
    found: Array = xp.arange(array.shape[-1], device=compat.device(array))
    return found


def double(array: Any) -> Any:
    """Return an array in double precision, where it is."""
    xp = namespace(array)
    return array if array.dtype == xp.float64 else xp.asarray(array, dtype=xp.float64)


def to_numpy(array: Any) -> Any:
    """Return an array as NumPy's, in the memory of this machine."""
    if not is_elsewhere(array):
        return array
    try:
        return np.asarray(compat.to_device(array, "cpu"))
    except ValueError:  # a library that has another name for this memory
        host = namespace(array).__array_namespace_info__().default_device()
        return np.asarray(compat.to_device(array, host))


def all_to_numpy(value: Any) -> Any:
    """Return sums that a pass has made with every array in them, at any depth, as NumPy's."""
    if isinstance(value, tuple | list):
        return type(value)(map(all_to_numpy, value))
    if is_dataclass(value) and not isinstance(value, type):
        parts = {each.name: getattr(value, each.name) for each in fields(value)}
        return replace(value, **{name: all_to_numpy(part) for name, part in parts.items()})
    return to_numpy(value)


# What the standard lacks, or NumPy spells differently.


def at_least(array: Any, floor: float) -> Array:
    """Return the larger of each number and ``floor``."""
    xp = namespace(array)
    values: Array = np.maximum(array, floor) if xp is np else xp.maximum(array, _number(floor, array))
    return values


def at_most(array: Any, ceiling: float) -> Array:
    """Return the smaller of each number and ``ceiling``."""
    xp = namespace(array)
    values: Array = np.minimum(array, ceiling) if xp is np else xp.minimum(array, _number(ceiling, array))
    return values


def _number(value: float, array: Any) -> Any:
    """Return a number where an array is: not all libraries compare arrays with numbers of Python's."""
    return namespace(array).full((), value, dtype=array.dtype, device=compat.device(array))


def times(weight: Any, values: Any) -> Array:
    """Return the rows of an array, or its numbers, each times a weight."""
    product: Array = weight * values if values.ndim == 1 else weight[:, None] * values
    return product


def squared_lengths(X: Any) -> Array:
    """Return the sum of squares of every row."""
    return row_products(X, X)


def row_products(left: Any, right: Any) -> Array:
    """Return the inner product of every row of one matrix with that of another."""
    xp = namespace(left)
    products: Array = np.einsum("ij,ij->i", left, right) if xp is np else xp.sum(left * right, axis=1)
    return products


def side_by_side(parts: Sequence[Any]) -> Array:
    """Return columns, or blocks of them, as one matrix."""
    xp = namespace(parts[0])
    if xp is np:
        return np.column_stack(parts)
    together: Array = xp.concat([part[:, None] if part.ndim == 1 else part for part in parts], axis=1)
    return together


def taken(array: Any, columns: Any) -> Array:
    """Return some columns of a matrix, by their numbers in NumPy's array."""
    xp = namespace(array)
    if xp is not np:
        columns = xp.asarray(columns, device=compat.device(array))
    some: Array = xp.take(array, columns, axis=1)
    return some


def rows_at(X: Any, index: Any) -> Any:
    """Return some rows of a matrix, by their numbers in NumPy's array."""
    xp = namespace(X)
    return X[index] if xp is np else xp.take(X, xp.asarray(index, device=compat.device(X)), axis=0)


def numbered(values: Any, array: Any) -> Any:
    """Return the place of every number of an array among ``values``, which are sorted and NumPy's.

    What is beyond all of them, as a label may be that only rows of weight zero have, gets the last place.
    """
    xp = namespace(array)
    if xp is np:
        return np.minimum(np.searchsorted(values, array), len(values) - 1)
    return xp.searchsorted(like(values, double(array)), double(array))


def ones_beside(X: Any) -> Array:
    """Return a one for every row of X, in double precision."""
    xp = namespace(X)
    if xp is np:
        return np.ones(X.shape[0])
    ones: Array = xp.ones(X.shape[0], dtype=xp.float64, device=compat.device(X))
    return ones


def nothing_of(rows: Any) -> Array:
    """Return an array of shape ``(0, n)``: no number of each of ``n`` rows."""
    nothing: Array = rows[None, :][:0, :]
    return nothing


def expit(x: Any) -> Array:
    """Return the logistic function."""
    xp = namespace(x)
    if xp is np:
        return np.asarray(special.expit(x))
    small = xp.exp(-xp.abs(x))
    values: Array = xp.where(x < 0.0, small, 1.0) / (1.0 + small)
    return values


def log_expit(x: Any) -> Array:
    """Return the logarithm of the logistic function, without overflow."""
    xp = namespace(x)
    if xp is np:
        return np.asarray(special.log_expit(x))
    values: Array = at_most(x, 0.0) - xp.log1p(xp.exp(-xp.abs(x)))
    return values


def largest(array: Any) -> float:
    """Return the largest of numbers that are not negative; zero of none."""
    xp = namespace(array)
    if xp is np:
        return float(array.max(initial=0.0))
    return float(xp.max(array)) if array.shape[0] else 0.0
