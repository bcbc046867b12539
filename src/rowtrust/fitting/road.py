"""The one road from rows to a model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import issparse

from rowtrust.engines import ArraySource, draw_sample
from rowtrust.fitting.average import Average, projected
from rowtrust.fitting.candidates import with_whitener
from rowtrust.fitting.fitted import Fitted, finished
from rowtrust.fitting.plan import Plan, Training, known_factors
from rowtrust.fitting.refit import AllRows, fit_sample, refit_on_all, refit_sample
from rowtrust.fitting.rows import TrainingRows, arranged, place_centres, scattered
from rowtrust.fitting.selection import (
    channels,
    left_out_log_odds,
    noise_of_labels,
    search,
)
from rowtrust.kernels import Columns, robust_scaling, row_keys
from rowtrust.numerics.statistics import location_and_scale
from rowtrust.trust import (
    LabelNoise,
    calibration_slope,
    is_noise,
)


def fit(plan: Plan, rows: TrainingRows, everything: AllRows | None = None) -> Fitted:
    """Fit a plan to rows: all of them, or a sample and what reads all.

    The rows are put in an order of their own, filled and scaled; candidates are fitted to them and weighed,
    by evidence or by left-out rows; those that count are averaged, and projected onto few vectors.
    """
    plan.check()
    given, which = rows.index, np.arange(len(rows.y))
    if everything is None:
        merges = plan.memberships is None and plan.weights.membership is None
        given, rows, which = arranged(rows, plan.kernel.is_precomputed, merges)
    columns = learn_columns(plan, rows)
    rows = replace(rows, X=rows.X if columns is None else columns.filled(rows.X))
    training = prepared(plan, rows, columns)
    if everything is None:
        found, noise = search(training)
        found = projected(training, found)
    else:
        training, found, noise = fit_many(training, everything)
    fitted = finished(training, found, noise, is_sample=everything is not None)
    if everything is not None:
        return replace(fitted.without_rows(), traces=fitted.traces, n_passes=everything.source.reads)
    known = replace(fitted.rows, keys=row_keys(rows.X, rows.y))
    trust, weight = (
        scattered(each, given, which, rows.n_given) for each in (fitted.sample_trust, fitted.expected_weight)
    )
    return replace(fitted, rows=known, sample_trust=trust, expected_weight=weight)


def fit_rows(plan: Plan, rows: TrainingRows) -> Fitted:
    """Fit a plan to rows in memory: to all of them together, or to a sample first if they are many."""
    if plan.takes_together(rows) or plan.needs_all_rows:
        return fit(plan, rows)
    source, budget = ArraySource(rows.X, rows.y, rows.weight), plan.budget
    sample = draw_sample(source, plan.seed, plan.is_of_classes, budget.sample_sizes)
    few = rows.only(sample.rows.index)
    few = replace(few, weight=few.weight * sample.stands_for, copies=few.copies * sample.stands_for)
    fitted = fit(plan, few, AllRows(source, sample.total))
    return fitted.with_all_rows(source, None, rows.index, rows.n_given)


def learn_columns(plan: Plan, rows: TrainingRows) -> Columns | None:
    """Learn from training rows what a missing value may be; None where a plan takes no NaN."""
    if not plan.fills or issparse(rows.X) or plan.kernel.is_precomputed:
        return None
    if np.isnan(rows.X).all():
        raise ValueError("Input X contains NaN and no value at all: nothing can be learnt from it.")
    return Columns.of(rows.X, rows.copies, spreads=plan.kernel.has_width)


def prepared(plan: Plan, rows: TrainingRows, columns: Columns | None) -> Training:
    """Return the plan with its rows: targets standardised, inputs scaled, centres placed."""
    offset, scale = 0.0, 1.0
    if plan.likelihood.is_location_scale:
        factors = known_factors(plan.weights, rows)
        weight = rows.weight if factors is None else rows.weight * factors
        offset, scale = location_and_scale(rows.y, weight, plan.robust_units)
    standard = rows if plan.is_of_classes else replace(rows, y=(rows.y - offset) / scale)
    is_precomputed = plan.kernel.is_precomputed
    centres = place_centres(standard, plan.basis, is_precomputed, plan.seed, plan.budget)
    scaling = robust_scaling(rows.X, rows.copies) if plan.scales and not is_precomputed else None
    if scaling is not None:
        standard = replace(standard, X=scaling(rows.X), variance=scaling.variance)
        centres = replace(centres, rows=scaling(centres.rows))
    training = Training(
        **vars(plan),
        rows=standard,
        centres=centres,
        columns=columns,
        scaling=scaling,
        offset=offset,
        scale=scale,
    )
    training = with_whitener(training)
    return training if plan.memberships is None else replace(training, weights=plan.memberships(training))


def fit_many(training: Training, everything: AllRows) -> tuple[Training, Average, LabelNoise | None]:
    """Search a part of the sample, labels taken as they are; go on with the sample, and with all rows."""
    budget, rows = training.budget, training.rows
    kept = rows.thinned(budget.search_rows, budget.search_class_rows)
    few = training
    if kept is not None:
        settings = ("solver", "every_start", "report", "n_jobs", "warns")
        few = replace(training.part(kept), **{name: getattr(training, name) for name in settings})
    plainly = replace(few, label_noise=None, calibrates=False)
    found = projected(plainly, search(plainly)[0])
    training = replace(training, on_device=everything.source.beside(rows.X, rows.y, rows.weight))
    narrow = training.kernel.has_width and training.kernel.gamma == "evidence"
    found, noise = fit_sample(training, found, narrow), None
    if training.is_of_classes:
        noise = noise_of_labels(training, found, is_sample=True)
        if is_noise(noise.matrix):
            found = refit_sample(training, replace(found, likelihoods=channels(training, noise.matrix)))
    found = refit_on_all(training, found, everything)
    return training, found, None if noise is None else calibrated_many(training, found, noise)


def calibrated_many(training: Training, found: Average, noise: LabelNoise) -> LabelNoise:
    """Return the noise with the slope that left-out rows of a sample ask for."""
    if not training.calibrates:
        return noise
    rows, log_odds = training.rows, left_out_log_odds(training, found, is_sample=True)
    return replace(noise, slope=calibration_slope(log_odds, rows.y, noise.matrix, rows.copies))
