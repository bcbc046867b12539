"""Far from the data a prediction returns to what is known without inputs: class rates, a mean target.

A sparse model's variance is that of its few basis functions, and they vanish where no data are: there the
model would be surest. So where the data are is remembered beside the model. Up to ``NEAR`` widths from
the data the fitted mean stands; then it lets go smoothly, and beyond ``FAR`` nothing of it is left. The
variance of a regression grows from the first step away: by the share of the prior variance that function
values at the data would leave unexplained, as in a Gaussian process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import Kernel as KernelObject

from rowtrust.contracts import Array, Matrix
from rowtrust.engines.device import numbers_of_block
from rowtrust.kernels import ColumnScaling, Kernel
from rowtrust.kernels.kernels import WITH_A_WIDTH
from rowtrust.numerics.blocks import block_rows, row_blocks
from rowtrust.predictive.anchors import Anchors, choose_anchors

NEAR, FAR = 2.0, 4.0
"""Widths from the data up to which the fitted mean stands, and beyond which nothing of it is left. Chosen
while looking at coverage and calibration on sinc, Friedman's functions and the papers' data
(docs/uncertainty.md), after 3 and 1.5 for the first. In the mean width no test row of the papers' data is
further than two widths, so that no error there depends on them."""


def let_go(distance: Array) -> Array:
    """Return the share, 0 to 1, by which a mean has left the fit for the prior: smooth."""
    step = np.clip((distance - NEAR) / (FAR - NEAR), 0.0, 1.0)
    return np.asarray(step**2 * (3.0 - 2.0 * step))


@dataclass(frozen=True)
class FarFromData:
    """Where the data are, and the moments of the latent functions where they are not.

    Attributes
    ----------
    anchors
        Rows that stand for the data.
    mean, variance : (n_outputs,)
        Of the latent functions far from all data.
    gradual
        Whether the variance grows with what the data leave unexplained, however near they are. Otherwise it
        is that of the fit as long as the mean is.
    """

    anchors: Anchors
    mean: Array
    variance: Array
    gradual: bool

    def moments(self, X: Matrix, mean: Array, variance: Array) -> tuple[Array, Array]:
        """Return mean and variance (empty: not asked for), on their way to the prior's."""
        mean, variance = mean.copy(), variance.copy()
        size = block_rows(self.anchors.rows.shape[0], numbers_of_block(X))
        for rows in row_blocks(X.shape[0], size):
            values = self.anchors.values(X[rows, :])
            gone = let_go(self.anchors.distance(values))[:, None]
            mean[rows] += gone * (self.mean - mean[rows])
            if variance.size:
                variance[rows] = self._grown(mean[rows], variance[rows], gone, values)
        return mean, variance

    def _grown(self, mean: Array, variance: Array, gone: Array, values: Array) -> Array:
        """Return the variance on its way to the prior's, and no larger than what covers the prior."""
        unknown = np.maximum(self.anchors.unexplained(values)[:, None], gone) if self.gradual else gone
        grown = (1.0 - gone) ** 2 * variance + unknown * self.variance
        enough = self.variance + (mean - self.mean) ** 2
        return np.asarray(grown - unknown * np.maximum(grown - enough, 0.0))

    def unscaled(self, scaling: ColumnScaling) -> FarFromData:
        """Return the same for inputs in the user's units, the anchors being scaled ones."""
        anchors = self.anchors
        kernel, rows = scaling.kernel(anchors.kernel), scaling.rows(anchors.rows)
        return replace(self, anchors=replace(anchors, kernel=kernel, rows=rows))

    def rescaled(self, offset: float, scale: float) -> FarFromData:
        """Return the same for latent functions that were standardised: in the user's units."""
        return replace(self, mean=offset + scale * self.mean, variance=scale**2 * self.variance)


def remember_data(X: Matrix, shares: Sequence[tuple[Kernel, float]], gradual: bool) -> Anchors | None:
    """Choose anchors for the kernels of a model, and how much each counts; None if none depends on distance.

    The kernel of the anchors has the mean width of the family that counts most, a Gaussian one where there
    is one: its distances cost least.
    """
    near = [pair for pair in shares if is_stationary(pair[0])]
    gaussian = [pair for pair in near if pair[0].function == "rbf"]
    groups: dict[Any, list[tuple[Kernel, float]]] = {}
    for kernel, share in gaussian or near:
        scales = b"" if kernel.scales is None else kernel.scales.tobytes()
        groups.setdefault((repr(kernel.function), scales), []).append((kernel, share))
    if not groups:
        return None
    kernels, counts = zip(
        *max(groups.values(), key=lambda group: sum(pair[1] for pair in group)), strict=True
    )
    weight = np.array(counts) / np.sum(counts)
    mean_gamma = float(np.exp(weight @ np.log([float(np.max(kernel.gamma)) for kernel in kernels])))
    return choose_anchors(X, replace(kernels[0], gamma=mean_gamma), explain=gradual)


def is_stationary(kernel: Kernel) -> bool:
    """Whether a kernel depends on the distance alone."""
    function = kernel.function
    return bool(function.is_stationary()) if isinstance(function, KernelObject) else function in WITH_A_WIDTH
