"""A fitted estimator's model as dense arrays that any language can evaluate.

Every estimator predicts from a Gaussian latent function: its mean is linear in kernel values and its
variance quadratic. The arrays are checked against the estimator itself before they leave.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from rowtrust.contracts import Array
from rowtrust.kernels import Basis
from rowtrust.likelihoods import Likelihood, Logistic
from rowtrust.predictive import FarFromData, PredictiveModel

KERNELS = ("rbf", "laplacian", "polynomial", "linear")
"""Kernels that have a formula in C and in ONNX."""

AGREEMENT = 1e-7
"""Largest difference between the arrays and the estimator, of the largest prediction. A guard: 48 fits with
every kernel, with learnt scales and with inputs far from the origin, agree to the last bit."""

CHECKED = 50
"""Vectors near which the arrays are compared with the estimator: enough to find a wrong formula, which is
wrong everywhere. Not studied."""

STEPS = (0.1, 1.0, 3.0, 100.0)
"""How far from each of them, in units of the scaled inputs: near, between, and where nothing of the fit is
left. Taken over without a study."""


class ExportError(ValueError):
    """A model that cannot be written in the wanted format."""


@dataclass(frozen=True)
class Portable:
    """A model in scaled inputs ``z = x * scale``, dense, its kernel without scales of its own.

    Attributes
    ----------
    scale : (d,)
        Of the inputs.
    model
        The model of the scaled inputs.
    classes
        Labels of a classifier, None for a regressor.
    """

    scale: Array
    model: PredictiveModel
    classes: NDArray[Any] | None

    @property
    def centres(self) -> Array:
        """Centres in scaled inputs, shape (k, d)."""
        return np.asarray(self.model.basis.centres)

    @property
    def gamma(self) -> Array:
        """Inverse squared width of the kernel around each centre."""
        return np.broadcast_to(np.asarray(self.model.basis.kernel.gamma, dtype=float), (len(self.centres),))

    @property
    def noise_variance(self) -> float:
        """Variance of a regression's noise."""
        likelihood = self.model.likelihood
        return self.model.widening * float(likelihood.conditional_variance(np.zeros(1))[0])

    def predict(self, X: Array) -> tuple[Array, ...]:
        """Return class probabilities, or mean and deviation of new targets."""
        scaled = X * self.scale
        if self.classes is not None:
            return (self.model.probabilities(scaled),)
        prediction = self.model.predict(scaled)
        return prediction.mean[:, 0], np.sqrt(prediction.variance[:, 0])


def portable(estimator: Any) -> Portable:
    """Return a fitted estimator as arrays; refuse one that is more than that."""
    model: PredictiveModel | None = getattr(estimator, "predictive_model_", None)
    if model is None:
        raise ExportError('only a BayesianSVR of one output and combine="best" can be exported.')
    kernel = model.basis.kernel
    if kernel.function not in KERNELS:
        raise ExportError(
            f"kernel={kernel.function!r} cannot be exported. Fit with one of {', '.join(KERNELS)}."
        )
    check_likelihood(model.likelihood, classifies=is_classifier(estimator))
    scale = np.ones(estimator.n_features_in_) if kernel.scales is None else kernel.scales
    plain = replace(kernel, scales=None)
    covariance, centres = model.total_covariance, dense(model.basis.centres) * scale
    scaled = replace(
        model,
        basis=Basis(plain, centres),
        covariance=covariance,
        spread=None,
        far=None if model.far is None else scaled_far(model.far, scale),
    )
    made = Portable(scale, scaled, estimator.classes_ if is_classifier(estimator) else None)
    check(estimator, made, dense(model.basis.centres))
    return made


def check_likelihood(likelihood: Likelihood, classifies: bool) -> None:
    """Refuse likelihoods whose predictions have no formula here."""
    if classifies and not isinstance(likelihood, Logistic):
        raise ExportError(
            f"a classifier with {type(likelihood).__name__} cannot be exported. Fit it with Logistic()."
        )
    if not classifies and not likelihood.is_location_scale:
        raise ExportError(
            f"a regressor with {type(likelihood).__name__} cannot be exported: its mean is no latent "
            "function. Fit it with Gaussian()."
        )


def dense(rows: Any) -> Array:
    """Return rows as a dense array."""
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=float)


def scaled_far(far: FarFromData, scale: Array) -> FarFromData:
    """Return where the data are, dense and in scaled inputs."""
    anchors = far.anchors
    kernel, rows = replace(anchors.kernel, scales=None), dense(anchors.rows) * scale
    return replace(far, anchors=replace(anchors, kernel=kernel, rows=rows))


def check(estimator: Any, made: Portable, centres: Array) -> None:
    """Compare the arrays with the estimator near and between its vectors."""
    step = 1.0 / np.where(made.scale > 0, made.scale, 1.0)
    near, nowhere = centres[:CHECKED], np.zeros((1, len(made.scale)))
    X = np.vstack([near, *(near + size * step for size in STEPS), nowhere])
    classifies = made.classes is not None
    expected = (estimator.predict_proba(X),) if classifies else estimator.predict(X, return_std=True)
    for ours, theirs in zip(made.predict(X), expected, strict=True):
        error = float(np.abs(ours - theirs).max() / max(1.0, float(np.abs(theirs).max())))
        if not error < AGREEMENT:
            raise ExportError(
                f"this {type(estimator).__name__} predicts otherwise than its vectors, by {error:.1g}, and "
                'cannot be exported. Fit it with a fixed width, such as gamma="scale".'
            )
