"""The lower bound (17) of Hwang & Jeong (2015), at a model whose columns were pruned.

The paper's loop keeps every column, with a Gamma prior on its precision. The library's solver takes the
limit in which that prior says nothing, and drops columns: its own bound has no term of the precisions. Here
the terms are put back, so that widths are compared by the quantity that the paper prints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from rowtrust.contracts import Array
from rowtrust.priors import ARD
from rowtrust.weights import HWANG_TRUST_PRIOR

MOST_STEPS, SMALLEST_RISE = 200, 1e-6
"""Steps in which sites and weights follow the posterior, at the precisions of the fit, and nats below which
the last one ends: a fitted model is there within two hundredths of a nat before the first."""


@dataclass(frozen=True)
class Settled:
    """Posterior and sites of the kept columns, bias first, that agree with each other.

    Parameters
    ----------
    mean, covariance
        Of ``q(beta)``.
    curvature
        Of each row: its weight times the precision of its site.
    evidence
        The bound without any term of the precisions.
    """

    mean: Array
    covariance: Array
    curvature: Array
    evidence: float


def printed_bound(model: Any, X: Array, y: NDArray[Any]) -> float:
    """Return the value of (17) at a fitted model of one Gaussian width, with power weights.

    Kept columns get ``q(alpha_j)`` of (12) and (13). A pruned column gets the Gaussian around zero that is
    best for it beside the others: with a proper prior of its precision, pruning is never quite complete, and
    leaves about the same constant behind as a kept column does. So it is the bound of one posterior over
    all columns, never more than what the loop itself could reach.

    Parameters
    ----------
    model
        A fitted robust classifier of two classes, with ``label_noise="power"`` and ``scaling=None``.
    X, y
        The rows it was fitted to, and their classes, 0 or 1.

    Returns
    -------
    float

    Examples
    --------
    >>> from rowtrust import RobustRVC
    >>> from rowtrust.datasets import make_ripley
    >>> from papers.hwang.bound import printed_bound
    >>> from papers.hwang.models import AS_PUBLISHED
    >>> X, y = make_ripley(60, random_state=0)
    >>> model = RobustRVC(label_noise="power", **AS_PUBLISHED, gamma=4.0, random_state=0).fit(X, y)
    >>> bool(printed_bound(model, X, y) < model.lower_bound_ - 60 * 10)
    True
    """
    kernel = np.exp(-model.gamma_ * cdist(X, X, "sqeuclidean"))
    kept = np.asarray(model.relevance_)
    precision = np.concatenate([model.intercept_precision_, model.weight_precision_[0]])
    found = settled(model, np.column_stack([np.ones(len(y)), kernel[:, kept]]), y, precision)
    second_moment = found.mean**2 + np.diag(found.covariance)
    given = 0.5 * np.sum(np.log(precision) - np.log(2 * np.pi) - precision * second_moment)
    pruned = pruned_rows(X, kept)
    rest = pruned_terms(found.curvature @ kernel[:, pruned] ** 2, ARD())
    return found.evidence - float(given) + ARD().bound(second_moment) + rest


def pruned_rows(X: Array, kept: NDArray[Any]) -> NDArray[Any]:
    """Return a position of every distinct row whose column was not kept: copies share one column."""
    _, first, which = np.unique(X, axis=0, return_index=True, return_inverse=True)
    return np.asarray(np.delete(first, np.unique(which.ravel()[kept])))


def settled(model: Any, phi: Array, y: NDArray[Any], precision: Array) -> Settled:
    """Let the sites, the weights and the posterior agree at the precisions that a fit ended with."""
    mean = np.concatenate([model.intercept_, model.dual_coef_[0]])
    covariance = np.asarray(model.covariance_[0])
    evidence = -np.inf
    for _ in range(MOST_STEPS):
        latent = phi @ mean
        reach = np.sqrt(latent**2 + np.einsum("ij,jk,ik->i", phi, covariance, phi))
        slope = np.tanh(reach / 2) / (4 * np.maximum(reach, 1e-8))
        log_peak = -np.logaddexp(0.0, -reach) - reach / 2
        loss = np.maximum(-(log_peak + (y - 0.5) * latent), 0.0)
        weight = HWANG_TRUST_PRIOR / (HWANG_TRUST_PRIOR + loss)
        curvature = 2 * weight * slope
        vector = phi.T @ (weight * (y - 0.5))
        inverse = (phi * curvature[:, None]).T @ phi + np.diag(precision)
        covariance = np.linalg.inv(inverse)
        mean = covariance @ vector
        terms = weight * (log_peak + slope * reach**2 + loss)
        terms -= HWANG_TRUST_PRIOR * np.log1p(loss / HWANG_TRUST_PRIOR)
        volume = np.log(precision).sum() - np.linalg.slogdet(inverse)[1]
        before, evidence = evidence, float(terms.sum() + 0.5 * (vector @ mean + volume))
        if evidence - before < SMALLEST_RISE:
            break
    return Settled(mean, covariance, curvature, evidence)


def pruned_terms(sparsity: Array, prior: ARD) -> float:
    """Return what columns of mean zero add to the bound, each with the variance that is best for it.

    With ``s`` the column's curvature the variance solves ``s v**2 / 2 + (s b + a) v = b``.
    """
    half = prior.rate * sparsity + prior.shape
    variance = 2 * prior.rate / (half + np.sqrt(half**2 + 2 * prior.rate * sparsity))
    entropy = 0.5 * np.sum(1 + np.log(2 * np.pi * variance))
    return float(entropy - 0.5 * sparsity @ variance) + prior.bound(variance)
