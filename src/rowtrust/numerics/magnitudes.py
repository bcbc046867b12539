"""Sizes of numbers: spreads that no square over- or underflows, and what to say where a double cannot help.

Numbers are measured in units of powers of two, by which a division is exact: in other units the result
differs by the same power of two and by nothing else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, issparse

from rowtrust.contracts import Array, Matrix

SMALLEST_SPREAD, LARGEST_SPREAD = 1e-290, 1e290
"""Spreads of an input of which one over it is a double too, times any scale that a search finds. Guards: the
smallest normal double is 2e-308, and seventeen decimal exponents are left for those scales."""

TINY = float(np.finfo(float).tiny)
"""Stands for zero where a logarithm is taken or a division made; its value does not matter."""

ROUNDING = 1e-6
"""Share below which a difference may be rounding, carried along by a fit: what is so alike is the same, what
is so sure is certain, and no spread is believed to be so much smaller than another. A guard."""

JITTERS = (0.0, 1e-14, 1e-12, 1e-10, 1e-8)
"""What is added to a diagonal of size one, in turn, until a factorisation succeeds: rounding first; a matrix
that needs more than the last is wrong, not ill conditioned. Guards, taken over without a study."""

HALF_DIGITS, LAST_DIGITS = 1e-8, 1e-12
"""Share that rounding may have in a difference of squares, about the root of a double's precision; and in one
number after some thousand steps of arithmetic. Guards: what is smaller is not computed with."""

LARGE, SMALL = 1e100, 1e-100
"""Sizes beyond which sums of squares, and products of three, may over- or underflow. Guards: half of the
exponents of a double, and some to spare."""

MOST_SQUARED = 1e290
"""Largest square of a spread that is computed with, and one over the smallest. A guard, as the spreads'."""

FURTHEST = 1e150
"""Where an input of a kernel of distances may stand at most, in its units: further rows are moved there, so
that the square is a double. Nothing is lost: the kernel is zero long before. A guard."""


NEARLY_FULL = 0.9
"""Share of stored numbers above which a sparse column is treated as a dense one; below it, at most one digit
is lost by cancellation. Derived."""


def unit_of(values: Array) -> Array:
    """Return for every column a power of two near its largest number; one where all are zero."""
    largest = np.abs(values).max(axis=0, initial=0.0)
    return np.where(largest > 0.0, np.ldexp(1.0, np.frexp(largest)[1] - 1), 1.0)


def deviations(X: Matrix, weight: Array) -> Array:
    """Return the standard deviation of every column, rows weighted: right wherever it is a double.

    A constant column has none at all, however large it is.
    """
    share = weight / weight.sum()
    if issparse(X):
        return sparse_deviations(csc_array(X), share)
    halved = 0.5 * X  # differences of the largest doubles overflow
    centred = halved - halved[:1]
    unit = unit_of(centred)
    centred = centred / unit
    return np.asarray(2.0 * unit * np.sqrt(share @ (centred - share @ centred) ** 2))


def sparse_deviations(X: csc_array, share: Array) -> Array:
    """Return the same for sparse columns: by their stored numbers, but where hardly any is left out.

    Zeros keep the mean's square apart from the mean of squares, so that nothing cancels.
    """
    stored = np.diff(X.indptr)
    column = np.repeat(np.arange(X.shape[1]), stored)
    largest = np.zeros(X.shape[1])
    np.maximum.at(largest, column, np.abs(X.data))
    unit = unit_of(largest[None])
    data, weight = X.data / unit[column], share[X.indices]
    mean = np.bincount(column, weight * data, X.shape[1])
    square = np.bincount(column, weight * data**2, X.shape[1])
    found = unit * np.sqrt(np.maximum(square - mean**2, 0.0))
    for full in np.flatnonzero(stored > NEARLY_FULL * X.shape[0]):
        found[full] = deviations(X[:, [full]].toarray(), share)[0]
    return np.asarray(found)


def refuse_spreads(spread: Array) -> None:
    """Refuse inputs in whose units one over their spread is no double, and name the cure. Zero is none."""
    wrong = np.flatnonzero((spread > 0.0) & ~((spread >= SMALLEST_SPREAD) & (spread <= LARGEST_SPREAD)))
    if len(wrong):
        what = f"Input {wrong[0]} spreads over {spread[wrong[0]]:.1e}"
        raise ValueError(
            f"{what}, too {small_or_large(spread[wrong[0]])} to divide by. {cure(spread[wrong])}"
        )


def small_or_large(spread: float) -> str:
    """Say on which side of one a spread is."""
    return "small" if spread < 1.0 else "large"


def cure(spread: Array | float, what: str = "it") -> str:
    """Say by what numbers are to be multiplied so that they spread over about one."""
    size = float(np.max(spread))
    exponent = min(-round(np.log10(size)), 300) if size < np.inf else -300  # itself a double
    return f"Multiply {what} by 1e{exponent:+d}: another unit changes nothing else."


def within_reach(X: Array) -> Array:
    """Return inputs of a kernel of distances, those that are too far away to be squared moved nearer."""
    return np.clip(X, -FURTHEST, FURTHEST)


def within_doubles(values: Array) -> Array:
    """Return numbers that may be too large or too small for a double as the nearest ones that are not.

    Zero stays: it is not a small number here, but none.
    """
    limits = np.finfo(float)
    return np.where(values > 0.0, np.clip(values, limits.tiny, limits.max), values)


def shown(value: Any) -> str:
    """Return what ``repr`` returns, with NumPy's numbers and words as Python's, also within containers."""
    return repr(plain(value))


def shown_few(values: NDArray[Any], most: int = 5) -> str:
    """Return the first of some values: a message is to stay short."""
    return shown(values[:most].tolist())


def plain(value: Any) -> Any:
    """Return a value with NumPy's scalars, also those in lists, tuples and dictionaries, as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {plain(name): plain(each) for name, each in value.items()}
    if type(value) in (list, tuple, set):
        return type(value)(plain(each) for each in value)
    return value
