"""Ten per cent of the rows made wrong, in three ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import median_abs_deviation

Array = NDArray[Any]

OUTLIERS = 0.1
"""Share of the rows to fit that are contaminated."""


def both_sided(X: Array, y: Array, generator: np.random.Generator) -> tuple[Array, Array]:
    """Move targets up or down by 3 to 9 standard deviations."""
    chosen, size = outliers(y, generator)
    y = y.copy()
    y[chosen] += size * generator.choice([-1.0, 1.0], len(chosen))
    return X, y


def one_sided(X: Array, y: Array, generator: np.random.Generator) -> tuple[Array, Array]:
    """Move targets by 3 to 9 standard deviations, all to one side, which is drawn."""
    chosen, size = outliers(y, generator)
    y = y.copy()
    y[chosen] += size * generator.choice([-1.0, 1.0])
    return X, y


def focused(X: Array, y: Array, generator: np.random.Generator) -> tuple[Array, Array]:
    """Move rows to the columns' medians, with targets 3 standard deviations below the median.

    Inputs are spread over a tenth of each column's median deviation times the number of columns, targets
    over a tenth of theirs.
    """
    chosen, _ = outliers(y, generator)
    spread = 0.1 * X.shape[1] * median_abs_deviation(X, axis=0)
    X_dirty, y_dirty = X.copy(), y.copy()
    X_dirty[chosen] = np.median(X, axis=0) + spread * generator.uniform(-0.5, 0.5, (len(chosen), X.shape[1]))
    step = 0.1 * median_abs_deviation(y) * generator.uniform(size=len(chosen))
    y_dirty[chosen] = np.median(y) - 3.0 * np.std(y) - step
    return X_dirty, y_dirty


def outliers(y: Array, generator: np.random.Generator) -> tuple[Array, Array]:
    """Return which rows are contaminated, and 3 to 9 standard deviations for each."""
    chosen = generator.choice(len(y), round(OUTLIERS * len(y)), replace=False)
    return chosen, np.std(y) * generator.uniform(3.0, 9.0, len(chosen))


BOTH_SIDED = "both-sided"
CONTAMINATIONS: dict[str, Callable[[Array, Array, np.random.Generator], tuple[Array, Array]]] = {
    BOTH_SIDED: both_sided,
    "one-sided": one_sided,
    "focused": focused,
}
"""The three kinds of RCGP's table (Altamirano, Briol & Knoblauch 2024), drawn anew."""

CONTAMINATED = ("boston", "yacht")
"""The tables that get all three."""
