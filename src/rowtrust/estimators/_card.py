"""A fitted estimator in a notebook: a small card of what it found, above scikit-learn's own."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

MOST_SHOWN = 3
"""Kernels, and pairs of classes whose labels are confused, that a card names: it is to stay small."""

DOUBT = 0.5
"""Trust below which a row is counted as doubted. Where labels pass a channel, such a row is more likely wrong
than right; where rows are weighted by powers or precisions, it counts less than half."""

LOOKS = "text-align:left;vertical-align:top;padding:2px 10px 2px 0;background:none"
"""Style of a cell; no colours, so that a dark notebook stays dark."""


class CardMixin:
    """Adds a card to the picture of an estimator in notebooks, once it is fitted."""

    def _html_repr(self) -> str:
        """Return the card, and what scikit-learn shows of the parameters."""
        diagram: str = BaseEstimator._html_repr(self)
        return card(self) + diagram


def card(estimator: Any) -> str:
    """Return what a fit has found as a small table of HTML; nothing before the fit."""
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return ""
    rows = "".join(
        f'<tr><th style="{LOOKS}">{escape(name)}</th><td style="{LOOKS}">{escape(text)}</td></tr>'
        for name, text in facts(estimator)
    )
    return f'<div><table style="border-collapse:collapse">{rows}</table></div>'


def facts(estimator: Any) -> Iterator[tuple[str, str]]:
    """Yield names and values of what is known of a fit, whichever of them it has."""
    for name, tell in TOLD.items():
        text = tell(estimator)
        if text:
            yield name, text


def told_vectors(estimator: Any) -> str:
    """Say how many rows are the model."""
    found = getattr(estimator, "relevance_", getattr(estimator, "support_", None))
    if found is None:
        return ""
    kind = "relevance" if hasattr(estimator, "relevance_") else "support"
    size = len(np.unique(np.concatenate([np.ravel(each) for each in found]) if is_ragged(found) else found))
    rows = getattr(estimator, "sample_trust_", None)
    of_rows = "" if rows is None else f" of {np.shape(rows)[0]:,} rows"
    return f"{size:,} {kind} vectors{of_rows}"


def is_ragged(found: Any) -> bool:
    """Return whether there is one array for each target."""
    return isinstance(found, list | tuple)


def told_kernels(estimator: Any) -> str:
    """Say which kernels count most."""
    shares = getattr(estimator, "kernel_share_", None)
    if not isinstance(shares, dict):
        return ""
    ordered = sorted(shares.items(), key=lambda item: -item[1])
    parts = [f"{name} {share:.0%}" for name, share in ordered[:MOST_SHOWN] if share >= 0.005]
    return ", ".join(parts)


def told_bound(estimator: Any) -> str:
    """Say how probable the data are under the model, and how long that took."""
    if hasattr(estimator, "lower_bound_"):
        name, value = "lower bound", estimator.lower_bound_
    elif hasattr(estimator, "evidence_"):
        name, value = "log evidence", estimator.evidence_
    else:
        return ""
    steps = estimator.n_iter_
    return f"{name} {float(np.sum(value)):.1f} nats, {steps} step{'s' if steps != 1 else ''}"


def told_labels(estimator: Any) -> str:
    """Say which labels are given for which, and how often."""
    noise = getattr(estimator, "label_noise_", None)
    if noise is None:
        return ""
    rates = np.array(noise) - np.diag(np.diag(noise))
    order = np.argsort(rates, axis=None)[::-1][:MOST_SHOWN]
    pairs = [np.unravel_index(each, rates.shape) for each in order]
    told = [told_pair(estimator, int(true), int(given)) for true, given in pairs if rates[true, given] > 0]
    return "; ".join(told) or "none found" if learns_labels(estimator) else ""


def told_pair(estimator: Any, true: int, given: int) -> str:
    """Say how often one class was given the label of another, and how sure that is."""
    low, high = estimator.label_noise_interval_[:, true, given]
    names = estimator.classes_
    rate = estimator.label_noise_[true, given]
    return f"{names[true]} given as {names[given]}: {rate:.1%} ({low:.1%} to {high:.1%})"


def learns_labels(estimator: Any) -> bool:
    """Return whether the estimator expects wrong labels at all."""
    return getattr(estimator, "label_noise", "power") != "power"


def told_trust(estimator: Any) -> str:
    """Say how many rows are doubted; nothing of estimators that trust all alike."""
    trust = weights(estimator)
    if trust is None or is_fuzzy(estimator):
        return ""
    doubted = int(np.sum(trust < DOUBT))
    return f"{doubted:,} of {len(trust):,} rows below {DOUBT:g}, the mean is {trust.mean():.2f}"


def told_membership(estimator: Any) -> str:
    """Say how memberships spread: they are known before the fit, which doubts nothing by them."""
    membership = weights(estimator)
    if membership is None or not is_fuzzy(estimator):
        return ""
    low, high = membership.min(), membership.max()
    return f"{low:.2f} to {high:.2f}, the mean is {membership.mean():.2f}"


def weights(estimator: Any) -> Any:
    """Return how much each row counts; None where all count alike, or nobody knows."""
    found = np.asarray(getattr(estimator, "sample_trust_", ()), dtype=float)
    counted = found[found > 0.0]  # rows of sample weight 0 have none
    return found if counted.size and np.ptp(counted) > 0.0 else None


def is_fuzzy(estimator: Any) -> bool:
    """Return whether rows have memberships, which are computed before the fit."""
    return hasattr(estimator, "membership")


TOLD = {
    "model": told_vectors,
    "kernels": told_kernels,
    "fit": told_bound,
    "label noise": told_labels,
    "trust": told_trust,
    "membership": told_membership,
}
"""What a card says, line by line, and who says it."""
