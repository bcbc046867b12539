"""A fitted estimator's model as dense arrays that any language can evaluate.

Every estimator predicts from a Gaussian latent function: its mean is linear in kernel values and its
variance quadratic. The arrays are checked against the estimator itself before they leave.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from rowtrust.contracts import Array
from rowtrust.kernels import Basis, Kernel, is_uncertain, joined
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
class Part:
    """Kernels of one family around centres, in inputs ``z = (x - origin) * scale``.

    Attributes
    ----------
    kernel
        The family, without origin and scales of its own.
    origin, scale : (d,)
        Of the inputs.
    centres : (k, d)
        In units of z.
    gamma : (k,)
        Width of the kernel around each centre, as the kernel says it.
    """

    kernel: Kernel
    origin: Array
    scale: Array
    centres: Array
    gamma: Array

    @classmethod
    def of(cls, kernel: Kernel, centres: Array) -> Part:
        """Return the arrays of a kernel around centres in the user's units."""
        size = centres.shape[1]
        return cls(
            kernel=replace(kernel, origin=None, scales=None),
            origin=np.zeros(size) if kernel.origin is None else kernel.origin,
            scale=np.ones(size) if kernel.scales is None else kernel.scales,
            centres=np.asarray(kernel.inputs(centres)),
            gamma=np.broadcast_to(np.asarray(kernel.gamma, dtype=float), (len(centres),)),
        )


@dataclass(frozen=True)
class Portable:
    """A model as arrays.

    Attributes
    ----------
    model
        The model, dense.
    classes
        Labels of a classifier, None for a regressor.
    """

    model: PredictiveModel
    classes: NDArray[Any] | None

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The basis functions, one part a family."""
        return tuple(Part.of(part.kernel, np.asarray(part.centres)) for part in self.model.basis.parts)

    @cached_property
    def anchors(self) -> Part | None:
        """What tells how far the data are."""
        far = self.model.far
        return None if far is None else Part.of(far.anchors.kernel, np.asarray(far.anchors.rows))

    @property
    def n_features(self) -> int:
        """How many inputs there are."""
        return len(self.parts[0].scale)

    @property
    def n_centres(self) -> int:
        """How many basis functions there are beside the bias."""
        return sum(len(part.centres) for part in self.parts)

    @property
    def noise_variance(self) -> float:
        """Variance of a regression's noise."""
        likelihood = self.model.likelihood
        return self.model.widening * float(likelihood.conditional_variance(np.zeros(1))[0])

    def predict(self, X: Array) -> tuple[Array, ...]:
        """Return class probabilities, or mean and deviation of new targets."""
        if self.classes is not None:
            return (self.model.probabilities(X),)
        prediction = self.model.predict(X)
        return prediction.mean[:, 0], np.sqrt(prediction.variance[:, 0])


def portable(estimator: Any) -> Portable:
    """Return a fitted estimator as arrays; refuse one that is more than that."""
    model: PredictiveModel | None = getattr(estimator, "predictive_model_", None)
    if model is None:
        raise ExportError(
            "only a model of one target can be exported: export estimators_[k] of a machine of several. A "
            'BayesianSVR must be fitted to one target, with combine="best".'
        )
    for part in model.basis.parts:
        if part.kernel.function not in KERNELS:
            raise ExportError(
                f"kernel={part.kernel.function!r} cannot be exported. Fit with one of {', '.join(KERNELS)}."
            )
    if is_uncertain(model.basis.centres):
        raise ExportError(
            "a model fitted to rows with missing values cannot be exported: it averages over them. Fit it to "
            "rows without NaN; a pipeline with an imputer can be exported whole."
        )
    check_likelihood(model.likelihood, classifies=is_classifier(estimator))
    dense_model = replace(
        model,
        basis=joined([Basis(part.kernel, dense(part.centres)) for part in model.basis.parts]),
        covariance=model.total_covariance,
        spread=None,
        far=None if model.far is None else dense_far(model.far),
    )
    made = Portable(dense_model, estimator.classes_ if is_classifier(estimator) else None)
    check(estimator, made)
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


def dense_far(far: FarFromData) -> FarFromData:
    """Return where the data are, dense."""
    return replace(far, anchors=replace(far.anchors, rows=dense(far.anchors.rows)))


def check(estimator: Any, made: Portable) -> None:
    """Compare the arrays with the estimator near and between its vectors."""
    scale = made.parts[0].scale
    step = 1.0 / np.where(scale > 0, scale, 1.0)
    near, nowhere = np.asarray(made.model.basis.centres)[:CHECKED], np.zeros((1, len(scale)))
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
