"""The record in which a fit ends: what is believed of the model, of its noise and of every row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.engines import Chunk, RowSource
from rowtrust.fitting.average import Average
from rowtrust.fitting.plan import Training
from rowtrust.fitting.selection import (
    class_shift,
    left_out_of,
)
from rowtrust.inference import Coding, Stacked
from rowtrust.kernels import Columns, Kernel, Keys, mean_spread, row_keys
from rowtrust.likelihoods import Likelihood
from rowtrust.numerics.array_api import to_numpy
from rowtrust.numerics.blocks import single_blas_thread
from rowtrust.numerics.statistics import class_probabilities, log_odds_of, weighted_median
from rowtrust.predictive import (
    FarFromData,
    PredictiveModel,
    TargetNoise,
    leave_each_out,
    remember_data,
)
from rowtrust.trust import (
    LabelJudge,
    LabelNoise,
    NumberJudge,
    is_known,
    is_noise,
    judge_labels,
    learn_label_judge,
    learn_number_judge,
    learn_number_noise,
    log_deviation,
    true_shares,
)
from rowtrust.weights import Unit


@dataclass(frozen=True)
class Labels:
    """What is believed of labels.

    Attributes
    ----------
    noise
        The noise matrix, its intervals, and the slope of the log-odds.
    judge
        What turns left-out log-odds into probabilities of being wrong.
    shift : (n_outputs,)
        By how much class weights move the log-odds.
    """

    noise: LabelNoise
    judge: LabelJudge
    shift: Array


@dataclass(frozen=True)
class KnownRows:
    """The rows of a fit, as an audit knows them again: none where they were too many.

    Attributes
    ----------
    keys : (n,)
        Of every row with its target.
    mean, variance : (n, n_outputs)
        Of the latent functions, without the row.
    """

    keys: Keys
    mean: Array
    variance: Array

    def without_any(self) -> KnownRows:
        """Return what is kept of many rows: the contribution of one of them is next to none."""
        empty = (np.empty((0, each.shape[1])) for each in (self.mean, self.variance))
        return KnownRows(np.empty(0, dtype=np.uint64), *empty)

    def positions(self, X: Matrix, y: NDArray[Any]) -> Indices:
        """Return for each row its first position in the fit, -1 if it was not there."""
        keys = row_keys(X, y)
        if not len(self.keys):
            return np.full(len(keys), -1, dtype=np.intp)
        known, first = np.unique(self.keys, return_index=True)
        place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        return np.where(known[place] == keys, first[place], -1)


@dataclass(frozen=True)
class Fitted:
    """A fit: the model, what was decided on the way, and what is known of the rows.

    Attributes
    ----------
    model
        In the user's units.
    kernels, best
        The kernels and how much each counts; the one with the most evidence.
    labels, numbers
        What is believed of labels, None for numbers; and what judges numbers, None for labels.
    rows
        The left-out moments of the rows of the fit.
    codings, likelihoods
        What makes targets of ``y``, and the likelihoods of targets as given where the model's own is of
        something else.
    positions : (k,)
        Position of each centre's row in what the user gave.
    precision, bias_precision : (n_outputs, k) and (n_outputs,)
        Prior precisions of coefficients and intercepts.
    bound, traces
        Lower bound of the best fit, summed over outputs, and those of its steps.
    sample_trust : (n,)
        One minus the probability that a row is wrong, of every row that was given; None where they were too
        many to be kept.
    expected_weight : (n,)
        Of every row that was given, at most 1; None where the fit has no weights.
    columns, input_scale
        What fills missing values, and what each input was divided by; None: nothing.
    n_passes
        How often all rows were read; None where they were fitted together.
    """

    model: PredictiveModel
    kernels: tuple[tuple[Kernel, float], ...]
    best: Kernel
    labels: Labels | None
    numbers: NumberJudge | None
    rows: KnownRows
    codings: tuple[Coding, ...]
    likelihoods: tuple[Likelihood, ...] | None
    positions: Indices
    precision: Array
    bias_precision: Array
    bound: float
    traces: tuple[Array, ...]
    sample_trust: Array | None
    expected_weight: Array | None
    columns: Columns | None
    input_scale: Array | None
    n_passes: int | None = None

    def without_rows(self) -> Fitted:
        """Return the fit without what is as long as its rows."""
        return replace(self, rows=self.rows.without_any(), traces=(), sample_trust=None, expected_weight=None)

    def filled(self, X: Matrix) -> Matrix:
        """Return rows without missing values, as the fit has learnt to fill them."""
        return X if self.columns is None else self.columns.filled(X)

    def log_odds(self, X: Matrix, label: Indices) -> Array:
        """Return the log-odds of rows with labels, of rows of the fit without themselves."""
        assert self.labels is not None
        place, log_odds = self.rows.positions(X, label), self.model.log_odds(X)
        seen, known = place >= 0, place[place >= 0]
        left_out = self.model.likelihood.log_odds(self.rows.mean[known], self.rows.variance[known])
        log_odds[seen] = self.labels.noise.slope * left_out
        return log_odds - self.labels.shift

    def moments(self, X: Matrix, y: Array) -> tuple[Array, Array]:
        """Return latent mean and variance of rows with targets, of rows of the fit without themselves."""
        place = self.rows.positions(X, y)
        mean, variance = self.model.latent_moments(X)
        mean[place >= 0], variance[place >= 0] = (
            each[place[place >= 0]] for each in (self.rows.mean, self.rows.variance)
        )
        return mean[:, 0], variance[:, 0]

    def p_wrong(self, X: Matrix, y: NDArray[Any]) -> Array:
        """Return the probability that rows with targets are wrong: rows of the fit as they were."""
        if self.labels is not None:
            return self.labels.judge.verdict(self.log_odds(X, y), y).wrong
        if self.numbers is None:
            return np.zeros(len(y))
        predicted = self.model.with_noise(*self.moments(X, y))
        return self.numbers.verdict(y, predicted.mean, np.sqrt(predicted.variance)).wrong

    def weight_in_fit(self, X: Matrix, y: NDArray[Any]) -> Array | None:
        """Return the expected weight of rows, at most 1, by the fit; None where it has no weights."""
        weights = self.model.weights
        if type(weights) is Unit:
            return None
        targets = np.column_stack([coding(y) for coding in self.codings])
        found = leave_each_out(self.model, X, targets, 0.0, self.likelihoods)
        return np.clip(found.weight / weights.whole, 0.0, 1.0)

    def with_all_rows(
        self, source: RowSource, classes: NDArray[Any] | None, index: Any, n_given: int
    ) -> Fitted:
        """Return the fit with the trust in every row of a source, and its weight where rows have one.

        Labels are numbers unless classes are given. ``index`` has the places of these rows among those that
        were given; the others count for nothing.
        """
        with single_blas_thread():
            found: Stacked = source.map_reduce(partial(of_chunk, self, classes))
        every = np.zeros((len(found.parts[0]), n_given))
        every[:, index] = np.concatenate(found.parts, axis=1)
        weight = every[1] if len(every) > 1 else None
        return replace(self, sample_trust=every[0], expected_weight=weight, n_passes=source.reads)


def of_chunk(fitted: Fitted, classes: NDArray[Any] | None, chunk: Chunk) -> Stacked:
    """Return the trust in every row of a chunk, and where rows have weights theirs: none at weight zero."""
    X, y = fitted.filled(to_numpy(chunk.X)), to_numpy(chunk.y)
    y = y if classes is None else np.searchsorted(classes, y)
    weight = fitted.weight_in_fit(X, y)
    found = np.array([1.0 - fitted.p_wrong(X, y), *([] if weight is None else [weight])])
    return Stacked((found if chunk.weight is None else found * (to_numpy(chunk.weight) > 0.0),))


def finished(training: Training, found: Average, noise: LabelNoise | None, *, is_sample: bool) -> Fitted:
    """Return the fit in the user's units."""
    rows, labels, slope, trust = training.rows, None, 1.0, np.ones(len(training.rows.y))
    weight = None if type(training.weights) is Unit else np.clip(found.trust, 0.0, 1.0)
    if training.likelihood.is_location_scale:
        hidden = mean_spread(found.model.mean_at, rows.X, rows.weight, len(training.codings))
        found = replace(found, model=replace(found.model, hidden=hidden))
    left_out = left_out_of(training, found, is_sample=is_sample)
    if noise is not None:
        slope, shift = noise.slope, class_shift(training)
        log_odds = slope * found.model.likelihood.log_odds(left_out.mean, left_out.variance) - shift
        judge = judge_of(training, log_odds, noise)
        labels, trust = Labels(noise, judge, shift), 1.0 - judge.verdict(log_odds, rows.y).wrong
        found = replace(found, trust=trust) if is_noise(noise.matrix) else found
    model = replace(found.model, far=far_from_data(training, found, noise, slope)).sharpened(slope)
    model = model if training.scaling is None else model.unscaled(training.scaling)
    if training.likelihood.is_location_scale:
        model = model.rescaled(training.offset, training.scale)
    offset, scale = training.offset, training.scale
    jacobian = found.count * np.log(scale)
    mean, variance, numbers = offset + scale * left_out.mean, scale**2 * left_out.variance, None
    if training.learns_noise_of_numbers:
        model = model.scattering(learnt_noise(training, found, model, mean[:, 0], variance[:, 0]))
        variance = variance * model.stretch(mean)
    if noise is None and has_variance(model.likelihood):
        numbers, trust = judged_numbers(model, offset + scale * rows.y, mean, variance, rows.copies)
    return Fitted(
        model=model,
        kernels=tuple(found.shares),
        best=found.best.kernel,
        labels=labels,
        numbers=numbers,
        rows=KnownRows(np.empty(0, dtype=np.uint64), mean, variance),
        codings=training.codings,
        likelihoods=found.likelihoods,
        positions=found.positions,
        precision=found.precision / scale**2,
        bias_precision=found.bias_precision / scale**2,
        bound=float(found.best.lower_bound) - jacobian,
        traces=tuple(trace - jacobian for trace in found.best.traces),
        sample_trust=trust,
        expected_weight=weight,
        columns=training.columns,
        input_scale=None if training.scaling is None else training.scaling.scale,
    )


def judge_of(training: Training, log_odds: Array, noise: LabelNoise) -> LabelJudge:
    """Return what judges labels: by the noise of the fit, or by their own where the fit believes all."""
    rows, unknown = training.rows, training.label_noise
    if unknown is None:
        return judge_labels(class_probabilities(log_odds, training.n_classes), rows.y, rows.copies)[1]
    if is_known(unknown):
        return LabelJudge.of(noise.matrix)
    return learn_label_judge(log_odds, rows.y, rows.copies, noise)


def far_from_data(
    training: Training, found: Average, noise: LabelNoise | None, slope: float
) -> FarFromData | None:
    """Return what is known far from the data; None where the kernel alone decides."""
    gradual = not training.is_of_classes
    anchors = remember_data(training.rows.expected, found.shares, gradual)
    if anchors is None:
        return None
    latent, weight = slope * found.latent, training.rows.weight * found.trust
    mean = np.average(latent, axis=0, weights=weight)
    variance = np.average((latent - mean) ** 2, axis=0, weights=weight)
    variance = variance.mean(keepdims=True) if training.likelihood.is_joint else variance
    if noise is not None:
        mean = mean_of_rates(training, noise, weight, variance)
    far = FarFromData(anchors, np.asarray(mean), variance, gradual)
    if not training.learns_noise_of_numbers:
        return far
    size = float(found.model.likelihood.conditional_variance(np.zeros(1))[0])
    return far.bridged(training.rows.expected, latent, training.rows.weight, size)


def mean_of_rates(training: Training, noise: LabelNoise, weight: Array, variance: Array) -> Array:
    """Return the latent means whose averaged probabilities are the class rates."""
    noisy = is_noise(noise.matrix)  # then doubt of single rows is no reason to count them less
    weight = training.rows.weight if noisy else weight
    rate = np.bincount(training.rows.y, weights=weight, minlength=training.n_classes) / weight.sum()
    rate = true_shares(noise.matrix, rate) if noisy else rate
    if training.likelihood.is_joint:
        odds = np.log(np.maximum(rate, np.finfo(float).tiny) / rate[0])
        return training.likelihood.latent_of_log_odds(odds[1:], variance)
    return training.likelihood.latent_of_log_odds(log_odds_of(rate[None])[0], variance)


def learnt_noise(
    training: Training, found: Average, model: PredictiveModel, mean: Array, variance: Array
) -> TargetNoise | None:
    """Return how new targets scatter: by what fits outside folds say of rows, or else by left-out moments.

    Fits outside of folds have seen fewer rows: halfway between their usual deviation and that of the model
    lies the scale of its errors.
    """
    offset, scale, rows, held = training.offset, training.scale, training.rows, found.held
    noise = float(model.likelihood.conditional_variance(np.zeros(1))[0])
    own = mean, np.sqrt(variance + noise)
    if held is None:
        judge = learn_number_noise(offset + scale * rows.y, *own, rows.copies)
        return None if judge is None else TargetNoise.of(judge, judge.usual)
    predicted = offset + scale * held.mean[:, 0], scale * np.sqrt(held.variance[:, 0])
    judge = learn_number_noise(offset + scale * held.target, *predicted, held.count)
    if judge is None:
        return None
    usual = weighted_median(log_deviation(own[1]), rows.copies)
    return TargetNoise.of(judge, 0.5 * (judge.usual + usual))


def judged_numbers(
    model: PredictiveModel, target: Array, mean: Array, variance: Array, copies: Array
) -> tuple[NumberJudge, Array]:
    """Return what judges targets by held-out latent moments, and the trust in each of them."""
    predicted = model.with_noise(mean[:, 0], variance[:, 0])
    deviation = np.sqrt(predicted.variance)
    judge = learn_number_judge(target, predicted.mean, deviation, copies)
    return judge, 1.0 - judge.verdict(target, predicted.mean, deviation).wrong


def has_variance(likelihood: Likelihood) -> bool:
    """Whether a likelihood says how targets vary around their mean."""
    return type(likelihood).conditional_variance is not Likelihood.conditional_variance
