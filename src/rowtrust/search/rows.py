"""Training rows, as the solvers want them: checked, weighted, without rows that count for nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.kernels import Kernel, refuse_blind
from rowtrust.kernels.content import Keys, content_keys, numbered
from rowtrust.kernels.kernels import times
from rowtrust.kernels.missing import expected_rows, hidden_deviation
from rowtrust.numerics.magnitudes import MOST_SQUARED, cure, deviations, small_or_large


@dataclass(frozen=True)
class TrainingRows:
    """Rows that take part in a fit.

    Attributes
    ----------
    X
        Inputs, dense or CSR; for a precomputed kernel the rows of the kernel matrix.
    y : (n,)
        Class numbers, or targets.
    copies : (n,)
        Sample weights: how many copies of itself each row stands for; all positive.
    weight : (n,)
        The factor on each row's likelihood: sample weight times class weight.
    index : (n,)
        Positions of the rows in what the user gave; of merged rows that of the first.
    n_given
        How many rows the user gave.
    variance : (d,)
        Of the inputs, where it is not that of all rows: wild values are left out of it. None otherwise.
    keys : (n, 3)
        Numbers that the content of each row decides (``content_keys``); None: not made yet.
    """

    X: Matrix
    y: NDArray[Any]
    copies: Array
    weight: Array
    index: Indices
    n_given: int
    variance: Array | None = None
    keys: Keys | None = None

    def known(self) -> TrainingRows:
        """Return the rows with their keys."""
        return replace(self, keys=content_keys(self.X))

    def ordered(self) -> TrainingRows:
        """Return the rows with their keys, scattered into an order that only their content decides.

        Of copies of a row that with the smaller target comes first, then that of the smaller weight.
        """
        keys = content_keys(self.X)
        order = np.lexsort((self.weight, self.copies, self.y, keys[:, 2], keys[:, 1]))
        return replace(self, keys=keys).only(order)

    def merged(self) -> tuple[TrainingRows, Indices]:
        """Return ordered rows, equal ones of equal targets as one that stands for all, and which each is in.

        A weight of two and a row given twice are then one problem to the last digit: where there is no noise
        a fit may carry roundings far.
        """
        keys = content_keys(self.X) if self.keys is None else self.keys
        differs = (self.y[1:] != self.y[:-1]) | (keys[1:] != keys[:-1]).any(axis=1)
        starts = np.append(True, differs)
        which, first = np.cumsum(starts) - 1, np.flatnonzero(starts)
        rows, copies = self.only(first), np.bincount(which, weights=self.copies).astype(float)
        return replace(rows, copies=copies, weight=copies * (rows.weight / rows.copies)), which

    @property
    def groups(self) -> Indices:
        """A number for each row, equal for copies, in an order that only their content decides."""
        return numbered(content_keys(self.X) if self.keys is None else self.keys)

    @property
    def deviations(self) -> Array:
        """The deviations of the inputs, in units of which widths are."""
        return spreads(self.X, self.copies) if self.variance is None else np.sqrt(self.variance)

    @property
    def variances(self) -> Array:
        """Their squares, where ``inverse_width`` has not refused them."""
        return np.asarray(self.deviations**2)

    def stretched(self, scales: Array) -> TrainingRows:
        """Return the rows with every input multiplied by its scale."""
        return replace(self, X=times(self.X, scales), variance=(self.deviations * scales) ** 2)

    def refuse_blind(self, kernels: Iterable[Kernel]) -> None:
        """Refuse kernels that say nothing of the rows, because of the size of the inputs."""
        refuse_blind(self.X, self.deviations, kernels)

    def only(self, kept: Indices) -> TrainingRows:
        """Return some of the rows, their widths in the same units."""
        return replace(
            self,
            X=self.X[kept],
            y=self.y[kept],
            copies=self.copies[kept],
            weight=self.weight[kept],
            index=self.index[kept],
            keys=None if self.keys is None else self.keys[kept],
        )

    @property
    def part(self) -> Array:
        """With which power one copy of each row takes part: class weight, and a sample weight below one."""
        return np.minimum(self.copies, 1.0) * self.weight / self.copies


@dataclass(frozen=True)
class Centres:
    """Where basis functions may stand, chosen once a fit.

    Attributes
    ----------
    rows
        Inputs of the centres; for a precomputed kernel column numbers of its matrix.
    positions
        For each centre the position of its row in what the user gave, or its own in the centres given.
    distinct
        Positions of the distinct training rows.
    follow_rows
        Whether there is one on every distinct row, so that a fit to fewer rows has fewer of them.
    """

    rows: Matrix
    positions: Indices
    distinct: Indices
    follow_rows: bool = True


def inverse_width(rows: TrainingRows, function: str) -> float:
    """Return one over the inputs' spread, in the unit in which a kernel's ``gamma`` is one over its width.

    The spread is the sum of the variances for a Gaussian or polynomial kernel and that of the deviations for
    a Laplacian one; one if the inputs are constant.
    """
    deviation = rows.deviations
    total = float(np.hypot.reduce(deviation))
    if total == 0.0:
        return 1.0
    if not 1.0 / MOST_SQUARED < total * total < MOST_SQUARED:
        raise ValueError(
            f"The inputs spread over {total:.1e}, too {small_or_large(total)} to be squared. "
            f"{cure(total, 'X')} Or leave scaling at its default, which scales every input by itself."
        )
    return 1.0 / float(deviation.sum() if function == "laplacian" else total * total)


def spreads(X: Matrix, weight: Array) -> Array:
    """Return the standard deviations of the features, rows weighted, missing values' own included."""
    return np.hypot(deviations(expected_rows(X), weight), hidden_deviation(X, weight))
