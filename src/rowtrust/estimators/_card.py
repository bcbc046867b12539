"""A fitted estimator in a notebook: a small card of what it found, above scikit-learn's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from rowtrust.contracts import Array

MOST_SHOWN = 3
"""Kernels, and pairs of classes whose labels are confused, that a card names: it is to stay small."""

LOOKS = "text-align:left;vertical-align:top;padding:2px 10px 2px 0;background:none"
"""Style of a cell; no colours, so that a dark notebook stays dark."""


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
    """Yield names and values of what is known of a fit, from its parameters and attributes."""
    found = vars(estimator)
    kind = "relevance" if "relevance_" in found else "support"
    trust = np.asarray(found.get("sample_trust_", ()), dtype=float)
    of_rows = f" of {len(trust):,} rows" if trust.ndim and len(trust) else ""
    yield "model", f"{len(np.unique(found[f'{kind}_'])):,} {kind} vectors{of_rows}"
    shares = found.get("kernel_share_")
    if isinstance(shares, dict):
        ordered = sorted(shares.items(), key=lambda item: -item[1])[:MOST_SHOWN]
        yield "kernels", ", ".join(f"{name} {share:.0%}" for name, share in ordered if round(share, 2) > 0.0)
    for name, bound in (("lower bound", found.get("lower_bound_")), ("log evidence", found.get("evidence_"))):
        if bound is not None:
            steps = found["n_iter_"]
            yield "fit", f"{name} {float(np.sum(bound)):.1f} nats, {steps} step{'s' if steps != 1 else ''}"
    if "noise_" in found:
        pairs = list(confusions(found))
        if pairs or found.get("label_noise", "power") != "power":
            yield "label noise", "; ".join(pairs) or "none found"
    weight = np.asarray(found.get("expected_weight_", ()), dtype=float)
    if "membership" in found and differs(weight):  # known before the fit, which doubts nothing by it
        yield "membership", f"{weight.min():.2f} to {weight.max():.2f}, the mean is {weight.mean():.2f}"
    if differs(trust):
        few = int(np.sum(trust < 0.5))
        yield "trust", f"{few:,} of {len(trust):,} rows below 0.5, the mean is {trust.mean():.2f}"


def differs(values: Array) -> bool:
    """Whether values of rows differ; rows of sample weight 0 have none."""
    counted = values[values > 0.0]
    return bool(counted.size and np.ptp(counted) > 0.0)


def confusions(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield which labels are given for which, how often, and how sure that is; the most frequent first."""
    noise, names = np.asarray(found["noise_"]), found["classes_"]
    rates = noise - np.diag(np.diag(noise))
    for place in np.argsort(rates, axis=None)[::-1][:MOST_SHOWN]:
        true, given = np.unravel_index(place, rates.shape)
        if rates[true, given] > 0.0:
            low, high = found["noise_interval_"][:, true, given]
            yield f"{names[true]} given as {names[given]}: {rates[true, given]:.1%} ({low:.1%} to {high:.1%})"
