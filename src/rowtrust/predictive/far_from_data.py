"""Far from the data a prediction returns to what is known without inputs: class rates, a mean target.

A sparse model's variance is that of its few basis functions, and they vanish where no data are: there the
model would be surest. So where the data are is remembered beside the model. Up to ``NEAR`` widths from
the data the fitted mean stands; then it lets go smoothly, and beyond ``FAR`` nothing of it is left. The
variance of a regression grows from the first step away: by the share of the prior variance that function
values at the data would leave unexplained, as in a Gaussian process. In a gap between data a few basis
functions may go where no row holds them: there a Gaussian process through the fitted values says how far
that is from where all rows would have the function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rowtrust.contracts import Array, Matrix
from rowtrust.engines.device import numbers_of_block
from rowtrust.kernels import ColumnScaling, Kernel, is_stationary
from rowtrust.numerics.array_api import like, to_numpy
from rowtrust.numerics.blocks import block_rows, row_blocks
from rowtrust.predictive.anchors import FEW, JITTER, Anchors, choose_anchors

NEAR, FAR = 2.0, 4.0
"""Widths from the data up to which the fitted mean stands, and beyond which nothing of it is left. Chosen
while looking at coverage and calibration on sinc, Friedman's functions and the papers' data
(docs/uncertainty.md), after 3 and 1.5 for the first. In the mean width no test row of the papers' data is
further than two widths, so that no error there depends on them."""

HALF = 0.5
"""Deviations for each unit by which mean and bridge disagree: intervals of 95 % then reach the bridge. Of the
rows in gaps of twenty functions of one to three inputs they cover 89 % without it."""


def let_go(distance: Array) -> Array:
    """Return the share, 0 to 1, by which a mean has left the fit for the prior: smooth."""
    step = np.clip((distance - NEAR) / (FAR - NEAR), 0.0, 1.0)
    return np.asarray(step**2 * (3.0 - 2.0 * step))


def between(near: Array, far: Array, gone: Array) -> Array:
    """Return the mean of two values, ``gone`` the share of the second; one of 1 leaves nothing of the first.

    Not ``near + gone * (far - near)``, in which rounding of a large ``near`` covers ``far``.
    """
    return np.asarray((1.0 - gone) * near + gone * far)


@dataclass(frozen=True)
class FarFromData:
    """Where the data are, and the moments of the latent functions where they are not.

    Attributes
    ----------
    anchors
        Rows that stand for the data.
    mean, variance : (n_outputs,)
        Of the latent functions far from all data; one variance where they share it.
    gradual
        Whether the variance grows with what the data leave unexplained, however near they are. Otherwise it
        is that of the fit as long as the mean is.
    bridge : (m, n_outputs)
        Weights of the kernel around anchors in the mean of a Gaussian process through the fitted values, less
        ``mean``; None where none was laid.
    astray
        The largest distance of a fitted mean from that process at a training row.
    """

    anchors: Anchors
    mean: Array
    variance: Array
    gradual: bool
    bridge: Array | None = None
    astray: float = 0.0

    def moments(self, X: Matrix, mean: Array, variance: Array) -> tuple[Array, Array]:
        """Return mean and variance (empty: not asked for), on their way to the prior's."""
        mean, variance = mean.copy(), variance.copy()
        size = block_rows(self.anchors.rows.shape[0], numbers_of_block(X))
        for rows in row_blocks(X.shape[0], size):
            values = self.anchors.values(X[rows, :])
            gone = let_go(self.anchors.distance(values))[:, None]
            if variance.size and self.bridge is not None:
                variance[rows] += (HALF * self.beyond(mean[rows], values)) ** 2
            mean[rows] = between(mean[rows], self.mean, gone)
            if variance.size:
                variance[rows] = self._grown(mean[rows], variance[rows], gone, values)
        return mean, variance

    def beyond(self, mean: Array, values: Array) -> Array:
        """Return how much further than at any training row means lie from the process through them."""
        bridge = self.mean + to_numpy(values @ like(self.bridge, values))
        return np.asarray(np.maximum(np.abs(mean - bridge) - self.astray, 0.0))

    def bridged(self, X: Matrix, latent: Array, weight: Array, noise: float) -> FarFromData:
        """Return the same with a process through fitted values of rows, known up to this variance."""
        root, variance = self.anchors.whitener, float(self.variance.max())
        if root is None or not variance > 0.0:
            return self
        rows = row_blocks(X.shape[0], block_rows(len(root), numbers_of_block(X)))
        features = np.vstack([to_numpy(self.anchors.values(X[each, :])) for each in rows]) @ root.T
        weighed = (features * weight[:, None]).T
        ridge = max(noise / variance, JITTER * float(weight.sum())) * np.eye(len(root))
        bridge = root.T @ np.linalg.solve(weighed @ features + ridge, weighed @ (latent - self.mean))
        laid = replace(self, bridge=bridge)
        apart = laid.beyond(latent, features @ np.linalg.inv(root).T)
        return replace(laid, astray=float(np.quantile(apart, 1.0 - FEW, method="higher")))

    def _grown(self, mean: Array, variance: Array, gone: Array, values: Array) -> Array:
        """Return the variance on its way to the prior's, and no larger than what covers the prior."""
        unknown = np.maximum(self.anchors.unexplained(values)[:, None], gone) if self.gradual else gone
        grown = (1.0 - gone) ** 2 * variance + unknown * self.variance
        apart = (mean - self.mean) ** 2
        if variance.shape[1] < mean.shape[1]:
            apart = apart.mean(axis=1, keepdims=True)
        enough = self.variance + apart
        return np.minimum(grown, between(grown, enough, unknown))

    def unscaled(self, scaling: ColumnScaling) -> FarFromData:
        """Return the same for inputs in the user's units, the anchors being scaled ones."""
        anchors = self.anchors
        kernel, rows = scaling.kernel(anchors.kernel), scaling.rows(anchors.rows)
        return replace(self, anchors=replace(anchors, kernel=kernel, rows=rows))

    def rescaled(self, offset: float, scale: float) -> FarFromData:
        """Return the same for latent functions that were standardised: in the user's units."""
        return replace(
            self,
            mean=offset + scale * self.mean,
            variance=scale**2 * self.variance,
            bridge=None if self.bridge is None else scale * self.bridge,
            astray=scale * self.astray,
        )


def remember_data(X: Matrix, shares: Sequence[tuple[Kernel, float]], gradual: bool) -> Anchors | None:
    """Choose anchors for the kernels of a model, and how much each counts; None if none depends on distance.

    The kernel of the anchors has the mean width of the family that counts most, a Gaussian one where there
    is one: its distances cost least.
    """
    near = [pair for pair in shares if is_stationary(pair[0])]
    gaussian = [pair for pair in near if pair[0].function == "rbf"]
    groups: dict[Any, list[tuple[Kernel, float]]] = {}
    for kernel, share in gaussian or near:
        groups.setdefault((repr(kernel.function), *kernel.family[1:]), []).append((kernel, share))
    if not groups:
        return None
    kernels, counts = zip(
        *max(groups.values(), key=lambda group: sum(pair[1] for pair in group)), strict=True
    )
    weight = np.array(counts) / np.sum(counts)
    mean_gamma = float(np.exp(weight @ np.log([float(np.max(kernel.gamma)) for kernel in kernels])))
    return choose_anchors(X, replace(kernels[0], gamma=mean_gamma), explain=gradual)
