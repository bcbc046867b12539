"""Ways to make clean data dirty, with a known answer to which rows are wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state


def flip_labels(
    y: NDArray[Any], share: float, *, random_state: int | np.random.RandomState | None = None
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Give a share of the rows a wrong label, drawn evenly from the other classes.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels of two or more classes.
    share
        Between 0 and 1: this share of the rows, rounded to whole rows, is flipped.
    random_state
        Seed or generator.

    Returns
    -------
    dirty : ndarray of shape (n_samples,)
        A copy with wrong labels.
    flipped : ndarray of bool of shape (n_samples,)
        Which rows were flipped.

    Examples
    --------
    >>> import numpy as np
    >>> from skarn.datasets import flip_labels
    >>> dirty, flipped = flip_labels(np.array([0, 1] * 10), 0.1, random_state=0)
    >>> int(flipped.sum()), int((dirty != np.array([0, 1] * 10)).sum())
    (2, 2)
    """
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"share must lie between 0 and 1; got {share}.")
    generator: Any = check_random_state(random_state)
    classes, numbers = np.unique(np.asarray(y), return_inverse=True)
    if len(classes) < 2:
        raise ValueError("Labels can only be flipped between two or more classes; y has one.")
    chosen = generator.choice(len(numbers), size=round(share * len(numbers)), replace=False)
    step = generator.randint(1, len(classes), size=len(chosen))
    dirty = numbers.copy()
    dirty[chosen] = (numbers[chosen] + step) % len(classes)
    return classes[dirty], np.isin(np.arange(len(numbers)), chosen)
