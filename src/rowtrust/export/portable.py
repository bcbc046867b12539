"""A fitted estimator's model as dense arrays that any language can evaluate.

Every estimator predicts from a Gaussian latent function: its mean is linear in kernel values and its
variance quadratic. The arrays are checked against the estimator itself before they leave.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from rowtrust.contracts import Array
from rowtrust.kernels import Basis, Kernel, is_uncertain, joined
from rowtrust.likelihoods import Likelihood, Logistic, Softmax
from rowtrust.numerics.statistics import CONSTANT
from rowtrust.predictive import FarFromData, PredictiveModel

KERNELS = ("rbf", "laplacian", "polynomial", "linear")
"""Kernels that have a formula in C and in ONNX."""

AGREEMENT = 1e-6
"""Largest difference between the arrays and the estimator, of the range of the predictions: of means and of
deviations, each of its own. A guard: in 50 fits with every kernel and with |y| of 1e-9 it was 1e-13 at most,
but up to 1e-7 for the deviations of a BayesianSVR of targets without noise."""

CHECKED = 50
"""Vectors near which the arrays are compared with the estimator: enough to find a wrong formula, which is
wrong everywhere. Not studied."""

STEPS = (0.1, 1.0, 3.0, 100.0)
"""How far from each of them, in units of the scaled inputs: near, between, and where nothing of the fit is
left. Taken over without a study."""


class ExportError(ValueError):
    """A model that cannot be written in the wanted format.

    Examples
    --------
    >>> from rowtrust import RVC
    >>> from rowtrust.datasets import make_ripley
    >>> from rowtrust.export.c import estimator_to_c
    >>> from rowtrust.export.portable import ExportError
    >>> own = RVC(kernel=lambda X, Y: X @ Y.T).fit(*make_ripley(50, random_state=0))
    >>> try:
    ...     estimator_to_c(own)
    ... except ExportError:
    ...     print("a kernel of one's own is Python, not C")
    a kernel of one's own is Python, not C
    """


@dataclass(frozen=True)
class Part:
    """Kernels of one family around centres, in inputs ``z = (x - origin) * metric``.

    Attributes
    ----------
    kernel
        The family, without origin and metric of its own.
    origin : (d,)
        Of the inputs.
    metric : (d,) or (d, r)
        Factors on them, or a matrix by which rows are multiplied.
    centres : (k, d)
        In units of z.
    gamma : (k,)
        Width of the kernel around each centre, as the kernel says it.
    """

    kernel: Kernel
    origin: Array
    metric: Array
    centres: Array
    gamma: Array

    @classmethod
    def of(cls, kernel: Kernel, centres: Array) -> Part:
        """Return the arrays of a kernel around centres in the user's units."""
        size = centres.shape[1]
        return cls(
            kernel=replace(kernel, origin=None, metric=None),
            origin=np.zeros(size) if kernel.origin is None else kernel.origin,
            metric=np.ones(size) if kernel.metric is None else kernel.metric,
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
    def is_joint(self) -> bool:
        """Whether all classes are in one softmax, with one variance."""
        return self.model.likelihood.is_joint

    @property
    def n_features(self) -> int:
        """How many inputs there are."""
        return len(self.parts[0].metric)

    @property
    def n_centres(self) -> int:
        """How many basis functions there are beside the bias."""
        return sum(len(part.centres) for part in self.parts)

    @property
    def noise_variance(self) -> float:
        """Variance of a regression's noise, before variances are stretched."""
        return self.model.noise_variance / (1.0 if self.model.noise is None else self.model.noise.factor**2)

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
    if classifies and not isinstance(likelihood, Logistic | Softmax):
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
    """Compare the arrays with the estimator near and between its vectors, and far from them.

    Near ones have a range of their own: a polynomial is so large elsewhere that nothing would be seen here.
    """
    metric = made.parts[0].metric
    scale = np.linalg.norm(metric.reshape(len(metric), -1), axis=1)
    step = 1.0 / np.where(scale > 0, scale, 1.0)
    near, nowhere = np.asarray(made.model.basis.centres)[:CHECKED], np.zeros((1, len(scale)))
    close = np.vstack([near, *(near + size * step for size in STEPS[:-1]), nowhere])
    for X in (close, np.vstack([close, near + STEPS[-1] * step])):
        X, expected = answered(estimator, X)
        error = float(np.max([difference(*pair) for pair in zip(made.predict(X), expected, strict=True)]))
        if not error < AGREEMENT:
            raise ExportError(
                f"this {type(estimator).__name__} predicts otherwise than its vectors, by {error:.1g} of the "
                "range of its predictions, and cannot be exported. Fit it with a fixed width, such as "
                'gamma="scale".'
            )


def answered(estimator: Any, X: Array) -> tuple[Array, tuple[Array, ...]]:
    """Return the rows that the estimator does not refuse, and what it says of them."""

    def said(rows: Array) -> tuple[Array, ...]:
        with warnings.catch_warnings():
            # These rows are made here: that their columns have no names is nobody's fault.
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            if is_classifier(estimator):
                return (estimator.predict_proba(rows),)
            return tuple(estimator.predict(rows, return_std=True))

    try:
        return X, said(X)
    except ValueError:
        kept = [row for row in range(len(X)) if is_answered(said, X[[row]])]
        return X[kept], said(X[kept])


def is_answered(said: Callable[[Array], Any], row: Array) -> bool:
    """Tell whether a row is not refused: polynomials grow beyond all bounds, or have no value."""
    try:
        said(row)
    except ValueError:
        return False
    return True


def difference(ours: Array, theirs: Array) -> float:
    """Return the largest difference of two predictions as a share of their range, NaN if one is NaN.

    Predictions that are all the same have their size for a range: nothing else says how large they are.
    """
    scale = float(np.ptp(theirs))
    if scale <= CONSTANT * float(np.abs(theirs).max()):
        scale = float(np.abs(theirs).max()) or 1.0
    return float(np.abs(ours - theirs).max()) / scale
