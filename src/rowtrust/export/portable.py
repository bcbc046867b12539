"""A fitted estimator as a few arrays that any language can evaluate.

Every estimator predicts from a Gaussian latent function: its mean is linear in kernel values and its
variance quadratic. An exported model is checked against the estimator itself before it leaves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import expit
from sklearn.base import is_classifier

from rowtrust.contracts import Array
from rowtrust.kernels import Kernel
from rowtrust.predictive.far_from_data import Surroundings

KERNELS = ("rbf", "laplacian", "polynomial", "linear")
AGREEMENT = 1e-7


class ExportError(ValueError):
    """A model that cannot be written in the wanted format."""


@dataclass(frozen=True)
class Portable:
    """``f ~ N(coefficients' phi, constant + phi' form phi)`` with ``phi = (1, k(z, centres))``.

    ``z = (x - offset) * scale`` are the inputs. Far from the data the moments are those of the prior.

    Attributes
    ----------
    offset, scale : (d,)
        Of the inputs.
    kernel
        Name and parameters.
    centres : (k, d)
        In scaled inputs.
    coefficients : (outputs, 1 + k)
        Of the mean.
    constant : (outputs,)
        Of the variance.
    form : (outputs, 1 + k, 1 + k)
        Of the variance.
    noise : (outputs,)
        Variance of the noise; zeros for classes.
    classes
        Labels of a classifier, None for a regressor.
    surroundings
        Where the data are, in scaled inputs; None if the model needs no telling.
    """

    offset: Array
    scale: Array
    kernel: Kernel
    centres: Array
    coefficients: Array
    constant: Array
    form: Array
    noise: Array
    classes: NDArray[Any] | None
    surroundings: Surroundings | None = None

    @property
    def gamma(self) -> Array:
        """Inverse squared width of the kernel around each centre."""
        return np.broadcast_to(np.asarray(self.kernel.gamma, dtype=float), (len(self.centres),))

    def moments(self, X: Array) -> tuple[Array, Array]:
        """Return mean and variance of every output."""
        phi, scaled = np.ones((len(X), 1 + len(self.centres))), (X - self.offset) * self.scale
        if len(self.centres):
            phi[:, 1:] = self.kernel(scaled, self.centres)
        mean = phi @ self.coefficients.T
        variance = np.maximum(self.constant + np.einsum("ij,ojk,ik->io", phi, self.form, phi), 0.0)
        if self.surroundings is not None:
            mean, variance = self.surroundings.moments(scaled, mean, variance)
        return mean, variance

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Return class probabilities twice, or mean and deviation of each output."""
        mean, variance = self.moments(X)
        if self.classes is None:
            return mean, np.sqrt(variance + self.noise)
        positive = expit(mean / np.sqrt(1.0 + np.pi * variance / 8.0))
        if positive.shape[1] == 1:
            both = np.column_stack([1.0 - positive, positive])
            return both, both
        shares = positive / positive.sum(axis=1, keepdims=True)
        return shares, shares


def portable(estimator: Any) -> Portable:
    """Return a fitted estimator as arrays; refuse one that is more than that."""
    made = from_support(estimator) if hasattr(estimator, "machines_") else from_relevance(estimator)
    check(estimator, made)
    return made


def from_relevance(estimator: Any) -> Portable:
    """Return a relevance vector machine as arrays."""
    if not isinstance(estimator.kernel, str) or estimator.kernel not in KERNELS:
        raise ExportError(
            f"kernel={estimator.kernel!r} cannot be exported. Fit with one of {', '.join(KERNELS)}."
        )
    centres = estimator.relevance_vectors_
    centres = centres.toarray() if hasattr(centres, "toarray") else np.asarray(centres)
    n_inputs, n_outputs = estimator.n_features_in_, len(estimator.intercept_)
    noise = 0.0 if is_classifier(estimator) else float(estimator.noise_variance_)
    relevance = getattr(estimator, "feature_relevance_", None)
    scale = np.ones(n_inputs) if relevance is None else np.sqrt(np.asarray(relevance) / 2.0)
    # Centres may come in several widths.
    widths = estimator.kernel in ("rbf", "laplacian") and hasattr(estimator, "relevance_gamma_")
    gamma = estimator.relevance_gamma_ if widths else float(estimator.gamma_)
    kernel = Kernel(estimator.kernel, gamma, estimator.degree, estimator.coef0)
    return Portable(
        offset=np.zeros(n_inputs),
        scale=scale,
        kernel=kernel,
        centres=centres * scale,
        coefficients=np.column_stack([estimator.intercept_, estimator.dual_coef_]),
        constant=np.zeros(n_outputs),
        form=np.asarray(estimator.covariance_),
        noise=np.full(n_outputs, noise),
        classes=estimator.classes_ if is_classifier(estimator) else None,
        surroundings=scaled_surroundings(estimator, scale),
    )


def scaled_surroundings(estimator: Any, scale: Array) -> Surroundings | None:
    """Return where the data are, dense and in scaled inputs."""
    if estimator.anchors_ is None:
        return None
    around: Surroundings = estimator._surroundings()
    rows = estimator.anchors_
    rows = rows.toarray() if hasattr(rows, "toarray") else rows
    kernel = replace(around.anchors.kernel, scales=None)
    return replace(around, anchors=replace(around.anchors, kernel=kernel, rows=rows * scale))


def from_support(estimator: Any) -> Portable:
    """Return Bayesian support vector regression with one output as arrays."""
    if len(estimator.machines_) > 1 or estimator.combine == "mixture":
        raise ExportError('only a BayesianSVR of one output and combine="best" can be exported.')
    (machine,) = estimator.machines_
    posterior, units = machine.best.posterior, machine.units
    prior, target_scale = posterior.covariance, units.target_scale
    size = len(posterior.vectors)
    mean = np.concatenate(
        [[prior.bias_variance * posterior.dual.sum()], prior.kernel_variance * posterior.dual]
    )
    mean *= target_scale
    mean[0] += units.target_offset
    cross = np.zeros((len(posterior.quadratic), 1 + size))
    cross[:, 0] = prior.bias_variance
    cross[np.arange(len(posterior.quadratic)), 1 + posterior.quadratic] = prior.kernel_variance
    root = solve_triangular(posterior.factor, cross, lower=True) if len(cross) else cross
    relevance = np.sqrt(prior.relevance)
    return Portable(
        offset=np.asarray(units.input_offset, dtype=float),
        scale=relevance / units.input_scale,
        kernel=Kernel("rbf", 0.5),
        centres=posterior.vectors * relevance,
        coefficients=mean[None, :],
        constant=np.array([target_scale**2 * prior.variance]),
        form=-(target_scale**2) * (root.T @ root)[None, :, :],
        noise=np.array([float(estimator.noise_variance_)]),
        classes=None,
    )


def check(estimator: Any, made: Portable) -> None:
    """Compare the arrays with the estimator near and between its vectors."""
    centres = made.centres / np.where(made.scale > 0, made.scale, 1.0) + made.offset
    nowhere = np.zeros((1, len(made.offset))) + made.offset
    step = 1.0 / np.where(made.scale > 0, made.scale, 1.0)
    X = np.vstack([centres[:50], *(centres[:50] + size * step for size in (0.1, 1.0, 3.0, 100.0)), nowhere])
    if made.classes is not None:
        expected = (estimator.predict_proba(X),)
    else:
        expected = tuple(each.reshape(len(X), -1) for each in estimator.predict(X, return_std=True))
    for ours, theirs in zip(made.predict(X), expected, strict=False):
        error = float(np.abs(ours - theirs).max() / max(1.0, float(np.abs(theirs).max())))
        if not error < AGREEMENT:
            raise ExportError(
                f"this {type(estimator).__name__} predicts otherwise than its vectors, by {error:.1g}, and "
                'cannot be exported. Fit it with a fixed width, such as gamma="scale".'
            )
