"""How noisy are the labels, and which are wrong? One answer, from what other rows say of each label.

Two things are counted and weighed. *Counted*: in the core of every class, the rows of which models that have
not seen their labels are surest, a label that disagrees is wrong rather than hard; these confusions are the
noise matrix that the rows allow. *Weighed*: labels cannot tell noise from classes that overlap, as either
explains them; what tells is that noise spares no row, so that without it the classes would be far sharper.
So the confusions, shrunk towards none in steps, are hypotheses: each undoes its noise, and is believed by how
likely the labels are and by how much doubt about the classes it removes. Where none removes much, labels are
right and classes overlap.

P(wrong) is the average over the hypotheses, and over powers of the probabilities: a model of wrong labels is
softer than the classes are.

Figures in the lines of the constants: ``RobustRVC`` on the class tables of half A, up to 400 rows, labels as
they are and four kinds of wrong labels at 10, 20 and 30 %, and labels that were drawn from fitted models and
smooth functions, so that none is wrong (``python -m benchmarks judge --only held-out`` has the same).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, logsumexp, softmax
from scipy.stats import beta, norm

from rowtrust.contracts import Array, Indices
from rowtrust.numerics.magnitudes import ROUNDING, TINY
from rowtrust.numerics.statistics import class_probabilities, log_odds_of
from rowtrust.trust.matrix import (
    is_informative,
    is_noise,
    log_likelihood,
    uniform_noise,
)
from rowtrust.trust.shares import NOTHING_EXPLAINED, calibration, explains, log_shares, softened

CORE = 0.75
"""Share of the rows that seem to be of a class which are its core. With half of them recall is lower, and
rates of wrong labels near the borders are missed: F1 under class-dependent noise 0.60 for 0.61."""

RIGHT_ROWS = 2.0
"""Right labels that every core has beside those counted: a core of few rows proves no noise. One changes
nothing."""

STRENGTHS = np.linspace(0.0, 1.2, 7)
"""Parts of the confusions counted that are tried as noise, none first."""

SURE, SURE_ROWS = 1.0 / 3.0, 50
"""Share of the rows of a class that are the surest: noise spares none of them, so that a noise of which they
show too little is not believed; and rows for every class beyond which they say no more, as noise that people
make does spare them. Without it labels of two classes that overlap, 4000 rows whose best classifier
errs in 32 % seem to be wrong in 13 %, with it in 6 %; of rows without any error 1.3 and 0.8 % are flagged."""

SHARPER, MAGNIFIED = 10.0, 0.7
"""Nats for every factor e by which a hypothesis makes two classes sharper, times the root of K/2 for K
classes, without which noise of 30 classes is not found; and the part of the magnification by undoing that is
taken off as chance. With (10, 0.4), (10, 0.7) and (8, 1) the likely errors are right in 0.77, 0.81 and 0.88,
are 0.22, 0.19 and 0.14 of the errors, and of rows without any error 1.6, 0.9 and 0.5 % are flagged; fits to
wrong labels gain less by the last."""

PRICE = 1.0
"""Nats that any noise costs, whatever its strength, unless it was said where it may be.
With 0 and 2 of rows without any error 1.1 and 0.6 % are flagged, and F1 under one-sided noise is 0.54 and
0.50."""

POWERS, POWER_SPREAD = (0.7, 1.0, 1.4, 2.0), 0.3
"""Powers of the probabilities with which hypotheses are compared, and the prior deviation of their logarithm.
Without them half as much noise is found; a deviation of 0.5 flags 1.2 % of the rows without any error."""

LOG_SLOPES, SLOPE_SPREAD = np.arange(-0.8, 2.5, 0.4), 1.0
"""Logarithms of the factors on log-odds with which rows are judged, and their prior deviation: models may be
half or eleven times as sure."""

ANY, ANY_RATE = 0.5, 0.2
"""Prior probability that labels are wrong for no reason of their class, and the rate: noise counted in cores
misses errors near the borders, and few rows make uniform noise look uneven. How likely the labels are then
decides. Where that is not asked, the average precision under one-sided noise is 0.57 for 0.64; without such
noise it is 0.70 for 0.72 under uniform noise."""

LEAST = 0.1
"""Part of its probability that no class falls below when noise is undone: the order of rows stays. 0.03 and
0.2 change no figure by more than 0.01."""

ENOUGH_ROWS = 100
"""Rows for every class beyond which more say no more: models are never quite right, and with many rows the
likelihood would take any misfit for certain noise. 500 find as much, and a little less under
instance-dependent noise."""

MISFIT = 0.4
"""Relative deviation of a number of errors beside chance: noise is never quite of the kind that is assumed.
Where classes can be told apart, intervals of nine tenths hold in 0.80 of the cells of uniform and one-sided
noise, without it in 0.70; of 42 tables without any error they hold in 0.93."""

FINEST = 0.1
"""Least deviation of a number of errors. Counts are whole numbers: a smaller one changes nothing."""

FEWEST_ROWS = 2
"""Rows that a class must have for its labels to be judged: nothing can be said of a single one."""

CREDIBLE = 0.9
"""Share of the posterior in intervals that are reported. A convention."""


@dataclass(frozen=True)
class LabelNoise:
    """The noise of labels: possible noise matrices and their shares.

    Attributes
    ----------
    matrices, shares : (m, n_classes, n_classes) and (m,)
        Noise matrices, and the posterior share of each. Entry [k, j] is the probability that a row of class k
        was given the label j.
    interval : (2, n_classes, n_classes)
        Lower and upper ends of a 90 % credible interval of each entry.
    slope
        What log-odds of fits with this noise must be multiplied by to be calibrated.
    """

    matrices: Array
    shares: Array
    interval: Array
    slope: float = 1.0

    @property
    def matrix(self) -> Array:
        """The mean noise matrix."""
        mean = np.tensordot(self.shares, self.matrices, axes=1)
        return np.asarray(mean / mean.sum(axis=1, keepdims=True))

    @classmethod
    def known(cls, matrix: Array, slope: float = 1.0) -> LabelNoise:
        """Return noise that is not in doubt."""
        return cls(matrix[None], np.ones(1), np.array([matrix, matrix]), slope)

    @classmethod
    def average(cls, noises: Sequence[LabelNoise], shares: Array) -> LabelNoise:
        """Return what is believed where each of some noises counts so much."""
        return cls(
            matrices=np.concatenate([each.matrices for each in noises]),
            shares=np.concatenate([share * each.shares for share, each in zip(shares, noises, strict=True)]),
            interval=np.tensordot(shares, [each.interval for each in noises], axes=1),
            slope=float(np.exp(shares @ np.log([each.slope for each in noises]))),
        )


@dataclass(frozen=True)
class LabelVerdict:
    """What the other rows say of labels.

    Attributes
    ----------
    probability : (n, n_classes)
        Of the true labels, by the inputs alone.
    wrong : (n,)
        Probability that the label as given is wrong.
    errors : (2,)
        A 90 % credible interval of the number of wrong labels.
    noise : (n_classes, n_classes)
        The noise matrix by which they were judged.
    reason
        Why no row can be judged, and what to do; empty if rows can be.
    """

    probability: Array
    wrong: Array
    errors: Array
    noise: Array
    reason: str = ""


@dataclass(frozen=True)
class LabelJudge:
    """Slopes and noises that explain the labels of a table, and how much each pair is believed.

    Attributes
    ----------
    slopes, shares : (m,)
        What log-odds are multiplied by, and how much that counts together with its noise.
    matrices : (m, n_classes, n_classes)
        Noise matrices.
    judged : (n_classes,)
        Whether labels of a class can be judged.
    undoes : (m,)
        Whether the log-odds are those of labels as given, whose noise is to be undone; all False if None.
    reason
        Why no row can be judged; empty if rows can be.
    part, usual
        How far probabilities of labels as given, which may be too sure, are moved from their shares, and
        logarithms of these; None: all the way.
    """

    slopes: Array
    matrices: Array
    shares: Array
    judged: NDArray[np.bool_]
    undoes: NDArray[np.bool_] | None = None
    reason: str = ""
    part: float = 1.0
    usual: Array | None = None

    @classmethod
    def of(cls, matrix: Array) -> LabelJudge:
        """Return the judge for a known noise and calibrated log-odds."""
        return cls(np.ones(1), matrix[None], np.ones(1), np.ones(len(matrix), dtype=bool))

    def verdict(self, log_odds: Array, label: Indices) -> LabelVerdict:
        """Judge labels by log-odds of models that have not seen them, shape (n, n_outputs)."""
        rows = np.arange(len(label))
        if self.usual is not None:
            given = class_probabilities(log_odds, len(self.judged))
            log_odds = log_odds_of(softened(given, self.usual, self.part))
        probability, wrong = np.zeros((len(label), self.matrices.shape[-1])), np.zeros(len(label))
        mean, variance = np.zeros(len(self.shares)), np.zeros(len(self.shares))
        sloped = {
            slope: class_probabilities(slope * log_odds, len(self.judged)) for slope in set(self.slopes)
        }
        for place, (share, matrix) in enumerate(zip(self.shares, self.matrices, strict=True)):
            one = sloped[self.slopes[place]]
            if self.undoes is not None and self.undoes[place]:
                one = undone(one, matrix)
            probability += share * one
            if self.reason:
                continue
            joint = one * matrix[:, label].T
            believed = joint[rows, label] / np.maximum(joint.sum(axis=1), TINY)
            doubt = np.where(self.judged[label], np.clip(1.0 - believed, 0.0, 1.0), 0.0)
            wrong += share * doubt
            # the cores in which rates were counted are a part of the rows: a Poisson count
            mean[place] = doubt.sum()
            variance[place] = doubt @ (1.0 - doubt) + mean[place] / CORE + (MISFIT * mean[place]) ** 2
        errors = mixture_interval(self.shares, mean, np.sqrt(variance), len(label))
        noise = np.tensordot(self.shares, self.matrices, axes=1)
        return LabelVerdict(probability, np.clip(wrong, 0.0, 1.0), errors, np.asarray(noise), self.reason)


def judge_labels(
    probability: Array, label: Indices, weight: Array, unknown: Array | None = None
) -> tuple[LabelNoise, LabelJudge]:
    """Return the noise of labels, and what judges them, from left-out probabilities of the labels as given.

    Parameters
    ----------
    probability : (n, n_classes)
        What models that have not seen a row's label say of it.
    label, weight : (n,)
        The numbers of the labels as given, and how many rows each stands for.
    unknown : (m, n_classes, n_classes)
        Noise matrices with NaN where an entry is to be learnt; None: all of them are.
    """
    usual, part = log_shares(label, weight, probability.shape[1]), calibration(probability, label, weight)
    softer = softened(probability, usual, part)
    noise = learn_label_noise(softer, label, weight, unknown)
    judge = learn_label_judge(log_odds_of(softer), label, weight, noise, of_given=True)
    return noise, replace(judge, part=part, usual=usual)


# which noise ----------------------------------------------------------------------------------------


def learn_label_noise(
    probability: Array, label: Indices, weight: Array, unknown: Array | None = None
) -> LabelNoise:
    """Return the noises that may be, and how much each is believed, from left-out probabilities."""
    size = probability.shape[1]
    unknown = np.full((1, size, size), np.nan) if unknown is None else unknown
    counts = core_counts(probability, label, weight)
    counted = counts / counts.sum(axis=1, keepdims=True)
    tried = [with_unknown(stated, counted, strength) for stated in unknown for strength in STRENGTHS]
    is_open = bool(np.isnan(unknown).all())
    if is_open:
        # classes that overlap add to what is counted and take nothing away: no class has less noise than any
        least = float(1.0 - np.diag(counted).max())
        tried += [uniform_noise(strength * least, size) for strength in STRENGTHS]
    matrices = np.array(list({each.tobytes(): each for each in tried if is_informative(each)}.values()))
    price = (PRICE if is_open else 0.0) + np.log(max(len(matrices) - 1, 1))
    scores = noise_scores(matrices, probability, label, weight, price)
    surest = core_counts(probability, label, weight, SURE) - RIGHT_ROWS * np.eye(size)
    scores += log_shown(matrices, surest * min(1.0, SURE_ROWS * size / max(float(surest.sum()), 1.0)))
    shares = np.asarray(softmax(scores))
    kept = shares > ROUNDING
    matrices, shares = matrices[kept], shares[kept] / shares[kept].sum()
    mean = np.tensordot(shares, matrices, axes=1)
    spread = mean * (1.0 - mean) / (1.0 + counts.sum(axis=1, keepdims=True))
    variance = np.tensordot(shares, (matrices - mean) ** 2, axes=1) + spread * is_noise(mean)
    return LabelNoise(matrices, shares, credible_interval(mean, variance))


def core_counts(probability: Array, label: Indices, weight: Array, share: float = CORE) -> Array:
    """Return how many rows in the core of each class were given each label, (n_classes, n_classes).

    The core is that share of the rows that seem to be of the class of which the others are surest.

    A row seems to be of the class of which it is surest beside the rows so labelled (Northcutt, Jiang &
    Chuang 2021).
    """
    size = probability.shape[1]
    own = np.bincount(label, weight * probability[np.arange(len(label)), label], size)
    usual = own / np.maximum(np.bincount(label, weight, size), TINY)
    seems = np.where(usual > 0.0, probability / np.maximum(usual, TINY), 0.0).argmax(axis=1)
    counts = RIGHT_ROWS * np.eye(size)
    for each in np.unique(seems):
        rows = np.flatnonzero(seems == each)
        rows = rows[np.argsort(-probability[rows, each], kind="stable")]
        inside = np.cumsum(weight[rows])
        last = rows[np.searchsorted(inside, share * inside[-1])]
        core = rows[probability[rows, each] >= probability[last, each]]
        counts[each] += np.bincount(label[core], weight[core], size)
    return counts


def log_shown(matrices: Array, surest: Array) -> Array:
    """Return the log probability that the surest rows show no more wrong labels than counted, by each noise.

    Classes that overlap add to the wrong labels that are counted and take none away: only too few speak
    against a noise. Many classes say no more together than two.
    """
    total, right = surest.sum(axis=1), np.diag(surest)
    believed = np.diagonal(matrices, axis1=1, axis2=2)
    shown = betainc(np.maximum(right, TINY), total - right + 1.0, believed)
    return np.asarray(2.0 * np.log(np.maximum(shown, TINY)).mean(axis=1))


def with_unknown(stated: Array, counted: Array, strength: float) -> Array:
    """Return a noise matrix: as stated, and where nothing was stated a part of what was counted."""
    learnt = np.isnan(stated)
    matrix = np.where(learnt, strength * counted, stated)
    beside = matrix - np.diag(np.diag(matrix))
    known = np.diag(stated)
    diagonal = np.where(np.isnan(known), 1.0 - beside.sum(axis=1), known)
    return np.asarray(beside + np.diag(diagonal))


def noise_scores(matrices: Array, probability: Array, label: Indices, weight: Array, price: float) -> Array:
    """Return how much each noise is believed, in nats but for a constant."""
    tempered = weight * min(1.0, ENOUGH_ROWS * len(matrices[0]) / float(weight.sum()))
    scores = np.empty((len(POWERS), len(matrices)))
    for row, power in enumerate(POWERS):
        sharpened = raised(probability, power)
        prior = -0.5 * (np.log(power) / POWER_SPREAD) ** 2
        for column, matrix in enumerate(matrices):
            clean = undone(sharpened, matrix)
            fit = float(tempered @ log_likelihood(clean, label, matrix))
            sharper = np.sqrt(0.5 * len(matrix)) * SHARPER * sharpness(clean, matrix, weight)
            scores[row, column] = fit + prior + sharper - price * is_noise(matrix)
    return np.asarray(np.logaddexp.reduce(scores, axis=0))


def sharpness(clean: Array, matrix: Array, weight: Array) -> float:
    """Return minus the logarithm of the mean doubt about classes, less what undoing the noise alone adds.

    Doubt is measured beside that of who knows only how common the classes are: a noise without which one of
    two classes vanishes makes none of them clearer. Undoing a noise magnifies all differences between
    probabilities by the inverse of its determinant (per contrast between classes), chance and overlap as
    well: only classes that come out sharper than by ``MAGNIFIED`` of that speak for the noise. All of it is
    the Jacobian of a density of true probabilities.
    """
    share, least = np.average(clean, axis=0, weights=weight), 2.0 / float(weight.sum())
    doubt = max(float(np.average(1.0 - clean.max(axis=1), weights=weight)), least)
    doubt /= max(1.0 - float(share.max()), least)
    return float(MAGNIFIED * np.linalg.slogdet(matrix)[1] / (len(matrix) - 1) - np.log(doubt))


def raised(probability: Array, power: float) -> Array:
    """Return powers of probabilities, as probabilities."""
    found = np.maximum(probability, TINY) ** power
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def undone(probability: Array, matrix: Array) -> Array:
    """Return the probabilities of true labels that a noise turns into these of labels as given."""
    clean = np.maximum(np.linalg.solve(matrix.T, probability.T).T, LEAST * probability)
    return np.asarray(clean / clean.sum(axis=1, keepdims=True))


# which rows -----------------------------------------------------------------------------------------


def learn_label_judge(
    log_odds: Array, label: Indices, weight: Array, noise: LabelNoise, of_given: bool = False
) -> LabelJudge:
    """Return what judges labels by left-out log-odds of true labels, shape (n, n_outputs), under a noise.

    Log-odds ``of_given`` labels may hold all of the noise, which then is undone, or a part of it that makes
    them softer only, as those of models that resist it: both are tried.
    """
    size = noise.matrices.shape[-1]
    matrices = np.concatenate([noise.matrices, uniform_noise(ANY_RATE, size)[None]])
    tempered = weight * min(1.0, ENOUGH_ROWS * size / float(weight.sum()))
    ways = [False, True] if of_given else [False]
    fits = np.empty((len(matrices), len(ways), len(LOG_SLOPES)))
    for column, slope in enumerate(LOG_SLOPES):
        sloped = class_probabilities(np.exp(slope) * log_odds, size)
        for (row, matrix), (number, undoes) in product(enumerate(matrices), enumerate(ways)):
            clean = undone(sloped, matrix) if undoes else sloped
            fits[row, number, column] = tempered @ log_likelihood(clean, label, matrix)
    flat = (fits - 0.5 * (LOG_SLOPES / SLOPE_SPREAD) ** 2).reshape(len(matrices), -1)
    # the noises were weighed when they were counted: labels choose only between these and any
    evidence = np.array([logsumexp(flat[:-1] + np.log(noise.shares)[:, None]), logsumexp(flat[-1])])
    counted, any_label = softmax(evidence + np.log([1.0 - ANY, ANY]))
    shares = np.append(counted * noise.shares, any_label)[:, None] * softmax(flat, axis=1)
    which, place = np.nonzero(shares > ROUNDING)
    way, at = np.divmod(place, len(LOG_SLOPES))
    kept = shares[which, place]
    judged = np.bincount(label, minlength=size) >= FEWEST_ROWS
    undone_ways = np.array(ways)[way] if of_given else None
    given = class_probabilities(log_odds, size)
    given = given if of_given else given @ noise.matrix
    reason = "" if explains(given, label, weight) else NOTHING_EXPLAINED
    return LabelJudge(np.exp(LOG_SLOPES[at]), matrices[which], kept / kept.sum(), judged, undone_ways, reason)


def mixture_interval(shares: Array, mean: Array, deviation: Array, n_rows: int) -> Array:
    """Return between which whole numbers ``CREDIBLE`` of a mixture of normal counts lies."""
    at = np.arange(-1, n_rows + 1)
    below = norm.cdf((at[:, None] + 0.5 - mean) / np.maximum(deviation, FINEST)) @ shares
    tail = 0.5 - 0.5 * CREDIBLE
    return np.clip(at[np.minimum(np.searchsorted(below, [tail, 1.0 - tail]), len(at) - 1)], 0, n_rows)


def credible_interval(mean: Array, variance: Array) -> Array:
    """Return between what ``CREDIBLE`` of a Beta distribution of these moments lies, elementwise."""
    largest = mean * (1.0 - mean)
    unsure = (variance > 0.0) & (variance < largest)
    size = np.divide(largest, variance, out=np.full_like(mean, 2.0), where=unsure) - 1.0
    tails = np.array([0.5 - 0.5 * CREDIBLE, 0.5 + 0.5 * CREDIBLE]).reshape(2, *[1] * mean.ndim)
    inner = np.clip(mean, 1e-9, 1.0 - 1e-9)
    return np.where(unsure, beta.ppf(tails, inner * size, (1.0 - inner) * size), mean)
