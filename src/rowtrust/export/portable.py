"""What an export needs of a fitted pipeline: how columns become inputs, and the machine in plain arrays."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, is_classifier

from rowtrust.contracts import Array
from rowtrust.kernels import Basis, Kernel, is_uncertain, joined
from rowtrust.likelihoods import Likelihood, Logistic, Softmax
from rowtrust.numerics.statistics import CONSTANT
from rowtrust.predictive import PredictiveModel
from rowtrust.workflow.tables import Schema
from rowtrust.workflow.tables.errors import listed

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


UNKNOWN = "\u241f no such category"
"""A word that no table has, by which an encoder shows what it does with new ones. Its first letter is the
symbol for a unit separator."""


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
    far = model.far
    dense_model = replace(
        model,
        basis=joined([Basis(part.kernel, dense(part.centres)) for part in model.basis.parts]),
        covariance=model.total_covariance,
        spread=None,
        far=far and replace(far, anchors=replace(far.anchors, rows=dense(far.anchors.rows))),
    )
    made = Portable(dense_model, estimator.classes_ if is_classifier(estimator) else None)
    check(estimator, made)
    return made


def check_likelihood(likelihood: Likelihood, classifies: bool) -> None:
    """Refuse likelihoods whose predictions have no formula here."""
    if classifies and not isinstance(likelihood, Logistic | Softmax):
        raise ExportError(
            f"a classifier with {type(likelihood).__name__} cannot be exported. Fit with Logistic()."
        )
    if not classifies and not likelihood.is_location_scale:
        raise ExportError(
            f"a regressor with {type(likelihood).__name__} cannot be exported. Fit with Gaussian()."
        )


def dense(rows: Any) -> Array:
    """Return rows as a dense array."""
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=float)


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


@dataclass(frozen=True)
class NumberInput:
    """A column of numbers: missing values become ``fill``, then ``(x - mean) / scale``."""

    name: str
    fill: float
    mean: float
    scale: float


@dataclass(frozen=True)
class CategoryInput:
    """A column of words: each sets one of ``width`` inputs to one; ``unknown`` is -1 where none is set."""

    name: str
    place: dict[str, int]
    unknown: int
    width: int


def described(pipeline: Any, schema: Schema) -> list[NumberInput | CategoryInput]:
    """Return the inputs of a fitted pipeline in the order of the model's features.

    The step that reads columns of text is left out: an exported model takes numbers and words as they are
    after it.
    """
    parts = pipeline["prepare"].named_transformers_
    if "dates" in parts:
        raise ExportError(
            f"a model with dates cannot be exported: {listed(schema.of_kind('date'))}. Fit it again with "
            "--drop for these columns, or with days as a number in their place."
        )
    found: list[NumberInput | CategoryInput] = []
    if "numbers" in parts:
        fill, scale = parts["numbers"]["fill"], parts["numbers"]["scale"]
        columns = zip(schema.of_kind("number"), fill.statistics_, scale.mean_, scale.scale_, strict=True)
        found += [NumberInput(name, *(float(each) for each in values)) for name, *values in columns]
    if "categories" in parts:
        found += categories(parts["categories"], schema.of_kind("category"))
    return found


def categories(encoder: Any, names: list[str]) -> list[CategoryInput]:
    """Return how a fitted encoder codes every category, and an unseen one."""
    found, start = [], 0
    for place, (name, known) in enumerate(zip(names, encoder.categories_, strict=True)):
        words = [*known, UNKNOWN]
        probe = pd.DataFrame(
            {other: [encoder.categories_[i][0]] * len(words) for i, other in enumerate(names)}
        )
        probe[name] = np.array(words, dtype=object)
        encoded = encoded_quietly(encoder, probe)
        width = width_of(encoder, place)
        block = encoded[:, start : start + width]
        where = np.where(block.any(axis=1), block.argmax(axis=1), -1)
        mapping = {str(word): int(number) for word, number in zip(known, where[:-1], strict=True)}
        found.append(CategoryInput(name, mapping, int(where[-1]), width))
        start += width
    return found


def width_of(encoder: Any, place: int) -> int:
    """Return how many features a column becomes: rare categories share one."""
    rare = encoder.infrequent_categories_[place]
    return len(encoder.categories_[place]) - (len(rare) - 1 if rare is not None else 0)


def encoded_quietly(encoder: Any, probe: pd.DataFrame) -> Array:
    """Encode without the warning about unknown categories, which are the point here."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return np.asarray(encoder.transform(probe))


class Preparation(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The same preparation as a transformer of its own, which the ONNX converter knows.

    Parameters
    ----------
    inputs : list of NumberInput and CategoryInput
    """

    def __init__(self, inputs: list[NumberInput | CategoryInput]) -> None:
        self.inputs = inputs

    @property
    def n_outputs(self) -> int:
        """How many features come out."""
        return sum(1 if isinstance(each, NumberInput) else each.width for each in self.inputs)

    def fit(self, X: Any, y: Any = None) -> Preparation:
        """Do nothing: everything is known."""
        return self

    def transform(self, X: Any) -> Any:
        """Not needed: this class only carries its inputs to the converter."""
        raise NotImplementedError("Use the pipeline that was exported.")
