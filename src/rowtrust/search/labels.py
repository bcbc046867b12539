"""Fits to labels of which some may be wrong: the noise, and honest slopes, from cross-fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rowtrust.contracts import Array
from rowtrust.label_noise import LabelNoise, learn_label_noise, output_rates
from rowtrust.label_noise.matrix import is_noise
from rowtrust.likelihoods import LabelChannel, Likelihood
from rowtrust.search.cross_fitting import CrossFit, cross_fit, part_of
from rowtrust.search.families import thinned
from rowtrust.search.fits import FitPlan, KernelFit, resume_output, shared
from rowtrust.search.rows import TrainingRows
from rowtrust.search.scores import tempered_shares

FIRST_ROWS = 800
"""Rows that say where the noise of many rows begins to be learnt: a limit on time. With 1500 the rates that
are learnt from there are the same within 0.03 on six made-up tables of 40 000 rows."""

SMALLEST = 1e-12
"""Stands for the weight of classes that weigh next to nothing, so that logarithms stay finite. A guard."""

NEGLIGIBLE = 0.01
"""Noise of smaller rates leaves a fit as it is: it would change hardly a prediction. Not studied."""


def learn_noise(plan: FitPlan, fits: list[KernelFit], tried: Sequence[Array]) -> LabelNoise:
    """Return the noise, an average of those tried, from cross-fits at the best kernel.

    Where a class has too few rows for folds the labels are taken for right, unless only one noise is tried.
    """
    best = max(fits, key=lambda fit: fit.score)
    crossed = cross_fit(plan, best.kernel)
    if crossed is None:
        return LabelNoise.known(tried[0]) if len(tried) == 1 else LabelNoise.unknown(len(tried[0]))
    shift = class_shift(plan.rows, len(tried[0]))
    log_odds = [left_out_log_odds(plan, crossed, matrix) - shift for matrix in tried]
    return learn_label_noise(tried, log_odds, plan.rows.y[crossed.rows], crossed.copies)


def first_noise(plan: FitPlan, fit: KernelFit, tried: Sequence[Array]) -> LabelNoise:
    """Return the noise with which that of many rows begins to be learnt, from some rows of the plan."""
    kept = thinned(plan.rows, FIRST_ROWS)
    return learn_noise(plan if kept is None else part_of(plan, kept), [fit], tried)


def class_shift(rows: TrainingRows, n_classes: int) -> Array:
    """Return by how much class weights move the log-odds of every output, shape (n_outputs,)."""
    copies, weight = (np.bincount(rows.y, part, n_classes) for part in (rows.copies, rows.weight))
    positive = np.array([1]) if n_classes == 2 else np.arange(n_classes)
    own = np.divide(
        weight[positive], copies[positive], out=np.ones(len(positive)), where=copies[positive] > 0
    )
    rest = (weight.sum() - weight[positive]) / (copies.sum() - copies[positive])
    return np.asarray(np.log(np.maximum(own, SMALLEST)) - np.log(np.maximum(rest, SMALLEST)))


def left_out_log_odds(plan: FitPlan, crossed: CrossFit, matrix: Array) -> Array:
    """Return what the rows outside each fold say of those in it, if the labels are as noisy as this."""
    return crossed.log_odds(channels(plan, matrix) if is_noise(matrix) else None)


def channels(plan: FitPlan, matrix: Array) -> list[LabelChannel]:
    """Return the likelihood of every output, its labels behind this noise."""
    rows = plan.rows
    given = np.bincount(rows.y, weights=rows.weight, minlength=len(matrix)) / rows.weight.sum()
    return [LabelChannel(*map(float, rates)) for rates in output_rates(matrix, given)]


def fits_with_noise(plan: FitPlan, fits: list[KernelFit], matrix: Array) -> list[KernelFit]:
    """Let fits to labels as given go on with the noise, and weigh them again.

    A fit that begins where the plain one ends has fewer errors than one from scratch: doubt before there is a
    model sticks to the wrong rows.
    """
    if (matrix - np.diag(np.diag(matrix))).max() < NEGLIGIBLE:
        return fits
    noisy = [resumed(plan, fit, channels(plan, matrix)) for fit in fits]
    return shared(noisy, tempered_shares([fit.score for fit in noisy]))


def resumed(plan: FitPlan, fit: KernelFit, likelihoods: Sequence[Likelihood]) -> KernelFit:
    """Return a fit that went on with other likelihoods."""
    pairs = zip(fit.states, likelihoods, strict=True)
    return replace(
        fit,
        solutions=[
            resume_output(plan, fit.asked, output, state, likelihood, grows=True)
            for output, (state, likelihood) in enumerate(pairs)
        ],
    )
