"""The noise of numbers: how new targets scatter, and which given ones are wrong, by held-out rows."""

from __future__ import annotations

import numpy as np

from rowtrust.contracts import Array
from rowtrust.fitting.average import Average
from rowtrust.fitting.plan import Training
from rowtrust.likelihoods import Likelihood
from rowtrust.numerics.statistics import weighted_median
from rowtrust.predictive import PredictiveModel, TargetNoise
from rowtrust.trust import NumberJudge, learn_number_judge, learn_number_noise, log_deviation


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
    said = offset + scale * held.mean[:, 0], scale * np.sqrt(held.variance[:, 0])
    judge = learn_number_noise(offset + scale * held.target, *said, held.count)
    if judge is None:
        return None
    usual = weighted_median(log_deviation(own[1]), rows.copies)
    return TargetNoise.of(judge, 0.5 * (judge.usual + usual))


def judged_numbers(
    model: PredictiveModel, target: Array, mean: Array, variance: Array, copies: Array
) -> tuple[NumberJudge, Array]:
    """Return what judges targets by held-out latent moments, and the trust in each of them."""
    said = model.with_noise(mean[:, 0], variance[:, 0])
    deviation = np.sqrt(said.variance)
    judge = learn_number_judge(target, said.mean, deviation, copies)
    return judge, 1.0 - judge.verdict(target, said.mean, deviation).wrong


def says_variance(likelihood: Likelihood) -> bool:
    """Whether a likelihood says how targets vary around their mean."""
    return type(likelihood).conditional_variance is not Likelihood.conditional_variance
