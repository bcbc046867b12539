"""Which rows are wrong? Every row judged by the others, averaged over widths and priors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from rowtrust.auditing.leave_out import TEMPER, LeftOut, every_model
from rowtrust.auditing.shares import AS_BOLD, AS_THEY_ARE, Mixture, mixture
from rowtrust.contracts import Array, Indices
from rowtrust.engines.threads import single_blas_thread
from rowtrust.likelihoods import Gaussian, Logistic
from rowtrust.likelihoods.logistic import moderated
from rowtrust.weights import HWANG_TRUST_PRIOR

REGRESSION_TRUST = 2.0
"""Student's t with four degrees of freedom: outliers are what the user asks for."""


@dataclass(frozen=True)
class Findings:
    """What the rest of the data say of each row.

    Attributes
    ----------
    order
        Rows, the most suspicious first.
    mixture
        The estimated share of wrong rows, and each row's probability to be wrong.
    likely
        The label or the target that the other rows suggest.
    agreement
        Probability of the label as given under the other rows; for numbers the standardised residual.
    trust
        Expected weight of the row in a robust fit.
    prediction
        Class probabilities, or mean and deviation, of each row under the others.
    """

    order: Indices
    mixture: Mixture
    likely: NDArray[Any]
    agreement: Array
    trust: Array
    prediction: Any

    @property
    def suspects(self) -> Indices:
        """The rows before the proposed cut: the head of the ranking, as many as the estimated share says."""
        return self.order[: round(self.mixture.share * len(self.order))]


def find_wrong_rows(X: Array, y: NDArray[Any], *, task: str = "classification", seed: int = 0) -> Findings:
    """Rank the rows of a table by how much the other rows contradict their target.

    Parameters
    ----------
    X : (n, d)
        Inputs, scaled so that a unit means about the same in every column.
    y : (n,)
        Labels, or numbers if ``task="regression"``.
    task
        "classification" or "regression".
    seed
        Of the landmarks.

    Examples
    --------
    >>> from rowtrust.auditing import find_wrong_rows
    >>> from rowtrust.datasets import flip_labels, make_ripley
    >>> X, y = make_ripley(400, random_state=0)
    >>> given, flipped = flip_labels(y, 0.1, random_state=0)
    >>> findings = find_wrong_rows(X, given)
    >>> bool(flipped[findings.order[:20]].mean() > 0.8)
    True
    """
    X = np.ascontiguousarray(X, dtype=float)
    with single_blas_thread():
        return numbers(X, np.asarray(y, dtype=float), seed) if task == "regression" else classes(X, y, seed)


def classes(X: Array, y: NDArray[Any], seed: int) -> Findings:
    """Rank rows with labels; several classes go one against the rest."""
    names, label = np.unique(y, return_inverse=True)
    positive = [1] if len(names) == 2 else range(len(names))
    by_class = [
        list(every_model(X, (label == each).astype(float), Logistic(), HWANG_TRUST_PRIOR, seed))
        for each in positive
    ]
    models = list(zip(*by_class, strict=True))
    predictions = [class_probabilities(model) for model in models]
    weights = tempered([mixture(each, label, AS_THEY_ARE).log_evidence for each in predictions])
    average = np.tensordot(weights, np.array(predictions), axes=1)
    trust = np.tensordot(
        weights, [np.min([part.trust for part in model], axis=0) for model in models], axes=1
    )
    found = mixture(average, label, AS_BOLD)
    return Findings(
        order=np.argsort(-found.surprise, kind="stable"),
        mixture=found,
        likely=names[average.argmax(axis=1)],
        agreement=average[np.arange(len(label)), label],
        trust=trust,
        prediction=average,
    )


def class_probabilities(model: tuple[LeftOut, ...]) -> Array:
    """Return probabilities of all classes from one latent function, or from one a class."""
    positive = np.column_stack([expit(moderated(part.mean, part.variance)) for part in model])
    if len(model) == 1:
        return np.column_stack([1.0 - positive[:, 0], positive[:, 0]])
    total = positive.sum(axis=1, keepdims=True)
    return np.asarray((positive + 1e-12) / (total + 1e-12 * len(model)))


def numbers(X: Array, y: Array, seed: int) -> Findings:
    """Rank rows with numbers."""
    centre = float(np.median(y))
    scale = 1.4826 * float(np.median(np.abs(y - centre))) or float(np.std(y)) or 1.0
    target = (y - centre) / scale
    models = list(every_model(X, target, Gaussian(), REGRESSION_TRUST, seed))
    moments = [(each.mean, np.sqrt(each.variance + 1.0 / each.noise.precision)) for each in models]
    weights = tempered([mixture(each, target, AS_THEY_ARE).log_evidence for each in moments])
    mean = np.tensordot(weights, [each[0] for each in moments], axes=1)
    deviation = np.sqrt(np.tensordot(weights, [each[1] ** 2 for each in moments], axes=1))
    found = mixture((mean, deviation), target, AS_BOLD)
    return Findings(
        order=np.argsort(-found.surprise, kind="stable"),
        mixture=found,
        likely=centre + scale * mean,
        agreement=(target - mean) / deviation,
        trust=np.tensordot(weights, [each.trust for each in models], axes=1),
        prediction=(centre + scale * mean, scale * deviation),
    )


def tempered(log_evidence: list[float]) -> Array:
    """Return weights of an average over models: the best evidence counts most, but not alone."""
    logs = np.array(log_evidence)
    weights = np.exp((logs - logs.max()) / TEMPER)
    return np.asarray(weights / weights.sum())
