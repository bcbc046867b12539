"""The search: which kernels count, whether doubt helps, and how noisy the labels are.

Kernels of classes are weighed by their evidence, those of numbers by left-out rows, and so is the choice
between doubt and none: Student's t contains the Gaussian, so its evidence is the higher one wherever errors
are uneven, as those of a smooth model of an uneven function are. No bound tells such rows from outliers.
Errors on left-out rows do, if each counts by no more than an outlier could be worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rowtrust.contracts import Array
from rowtrust.fitting.average import Average, average, warn_if_constant
from rowtrust.fitting.candidates import (
    AS_GIVEN,
    FIRST,
    candidates_of,
    fit_narrower,
    fits_of,
    fits_of_families,
    kernels_of,
    may_be_narrower,
)
from rowtrust.fitting.cross_fit import cross_fit, few_steps
from rowtrust.fitting.decide import (
    LESS_ERROR,
    TEMPERATURE,
    Stack,
    is_narrow_enough,
    is_surely_less,
    most_worthy,
    stacked,
    tempered_shares,
    worth_a_step,
)
from rowtrust.fitting.fits import KernelFit, fit_kernel, fits_along, resumed, shared
from rowtrust.fitting.learning import learn_kernel, reachable
from rowtrust.fitting.plan import Candidate, Role, Training
from rowtrust.kernels import Kernel
from rowtrust.likelihoods import LabelChannel, Likelihood, Softmax
from rowtrust.numerics.statistics import class_probabilities
from rowtrust.predictive import LeftOut, leave_each_out
from rowtrust.trust import (
    LabelNoise,
    alternatives,
    calibration_slope,
    chosen_noise,
    is_known,
    is_noise,
    learn_label_noise,
    no_noise,
    output_rates,
)
from rowtrust.weights import WHOLE_TRUST, Gamma

NEGLIGIBLE = 0.01
"""Noise of smaller rates leaves a fit as it is: it would change hardly a prediction."""


@dataclass(frozen=True)
class HeldOut:
    """What left-out rows say of candidates; none are named where the kernel is not among them."""

    stack: Stack
    candidates: Sequence[Candidate] = ()


def search(plan: Training) -> tuple[Average, LabelNoise | None]:
    """Return the average of the kernels that count, and for classes what is believed of the labels."""
    plan.kernel.check(plan.rows)
    fits, is_plain, held = weighed(plan)
    found = average(plan, fits)
    if held is not None and plan.sample() is plan:
        found = replace(found, held=held.stack.averaged)
    warn_if_constant(plan, found)
    if plan.is_of_classes:
        noise = asked_of_folds(plan, found)
        if is_noise(noise.matrix):
            found = average(plan, fits_with_noise(plan, fits, noise.matrix))
        return behind_noise(plan, found, noise), noise
    if is_plain:
        found = replace(found, model=replace(found.model, weights=Gamma(WHOLE_TRUST)))
    return found, None


def weighed(plan: Training) -> tuple[list[KernelFit], bool, HeldOut | None]:
    """Fit kernels and weigh them; the flag tells whether doubt was given up, the rest what folds said."""
    ways = [plan, plan.plainly()] if plan.may_be_plain else [plan]
    if plan.kernel.averages_families(plan.rows) and plan.learns_noise_of_numbers:
        refuse_blind_inputs(plan)
        held = [held_out(way.sample()) for way in ways]
        if held[0] is not None:
            is_plain = len(ways) > 1 and errs_less(held[1], held[0])
            return fits_of_stack(ways[is_plain], held[is_plain]), is_plain, held[is_plain]
    fits = by_evidence(plan)
    held = [held_at(way, fits) for way in ways] if plan.may_be_plain else [None]
    is_plain = plan.may_be_plain and errs_less(held[1], held[0])
    return (by_evidence(ways[1]) if is_plain else fits), is_plain, held[is_plain]


def refuse_blind_inputs(plan: Training) -> None:
    """Refuse inputs of such a size that no kernel on them as they are says anything."""
    plan.rows.refuse_blind(kernels_of(candidates_of(plan, AS_GIVEN), plan, plan.rows))


def errs_less(one: HeldOut | None, other: HeldOut | None) -> bool:
    """Whether the first errs less on left-out rows, surely."""
    if one is None or other is None:
        return False
    return is_surely_less(one.stack.squares, other.stack.squares, other.stack.copies)


def held_at(plan: Training, fits: list[KernelFit]) -> HeldOut | None:
    """Ask left-out rows of the kernel with the most evidence; None where there are too few."""
    kernel = max(fits, key=lambda fit: fit.score).kernel
    crossed = cross_fit(plan.sample(), lambda part: list(fits_along(part, [kernel])))
    return None if crossed is None else HeldOut(stacked(crossed.numbers()))


def held_out(plan: Training) -> HeldOut | None:
    """Ask left-out rows how much each family counts, and narrower ones; None where there are too few."""
    crossed = cross_fit(plan, fits_of_families)
    if crossed is None:
        return None
    stack, idle = stacked(crossed.numbers()), list[int]()
    for _ in range(plan.budget.narrower):
        worthy = worth_a_step(stack, [each.family for each in crossed.candidates], idle)
        place = next((k for k in worthy if all(may_be_narrower(own, own[k]) for own in crossed.fits)), None)
        if place is None:
            break
        longer = crossed.with_narrower(place)
        after = stacked(longer.numbers())
        if after.error > LESS_ERROR * stack.error:
            idle.append(place)
        else:
            crossed, stack = longer, after
    return HeldOut(stack, crossed.candidates)


def fits_of_stack(plan: Training, held: HeldOut | None) -> list[KernelFit]:
    """Fit the kernels that count to all rows, the most worthy ones where a sample has judged them."""
    assert held is not None
    sample, shares = plan.sample(), held.stack.shares
    shares = shares if sample is plan else most_worthy(shares, plan.budget.refits)
    wanted = [each for each, share in zip(held.candidates, shares, strict=True) if share > 0.0]
    quick = replace(few_steps(sample), every_start=False, report=None, warns=False)
    asked = [each for each in candidates_of(sample, FIRST) if each.role is not Role.LINEAR]
    kernels = kernels_of(wanted, sample, plan.rows, fits_of(quick, asked))
    return shared(list(fits_along(plan, kernels)), shares[shares > 0.0])


def by_evidence(plan: Training) -> list[KernelFit]:
    """Fit families, a path of widths or a kernel object, and weigh them by their evidence."""
    choice, rows = plan.kernel, plan.rows
    if choice.is_learnt:
        rows.refuse_blind(reachable(choice.function))
        return learn_kernel(plan, choice.function)
    if choice.averages_families(rows):
        fits = families_by_evidence(plan)
    else:
        fits = path_of_widths(plan, choice.kernels(rows))
    return shared(fits, tempered_shares([fit.score for fit in fits]))


def families_by_evidence(plan: Training) -> list[KernelFit]:
    """Fit members of every family that a sample does not rule out, and narrower ones where they lead."""
    refuse_blind_inputs(plan)
    sample = plan.sample()
    tried = with_narrower(sample, fits_of_families(sample), plan.budget.narrower)
    if sample is plan:
        return tried
    behind = np.array([fit.score for fit in tried]) - max(fit.score for fit in tried)
    wanted = behind * plan.rows.copies.sum() > -4.0 * TEMPERATURE * sample.rows.copies.sum()
    kernels = [fit.kernel for fit, is_wanted in zip(tried, wanted, strict=True) if is_wanted]
    return with_narrower(plan, list(fits_along(plan, kernels)), 1)


def with_narrower(plan: Training, fits: list[KernelFit], steps: int) -> list[KernelFit]:
    """Return the fits, and narrower ones as long as the best of all is the narrowest of its family."""
    for _ in range(steps):
        best = max(fits, key=lambda fit: fit.score)
        if not may_be_narrower(fits, best):
            break
        fits = [*fits, fit_narrower(plan, best)]
    return fits


def path_of_widths(plan: Training, kernels: Sequence[Kernel]) -> list[KernelFit]:
    """Fit kernels, widest first, until narrower ones cannot win."""
    if not plan.kernel.is_precomputed:
        plan.rows.refuse_blind(kernels)
    fits: list[KernelFit] = []
    for fit in fits_along(plan, kernels):
        fits.append(fit)
        if is_narrow_enough([each.score for each in fits], fit.kept_share):
            break
    return fits


# labels ---------------------------------------------------------------------------------------------


def noise_of_labels(plan: Training, found: Average, *, is_sample: bool = False) -> LabelNoise:
    """Return the noise that was stated, or what a fit to the labels as given says of it."""
    if plan.label_noise is None:
        return LabelNoise.known(no_noise(plan.n_classes))
    if is_known(plan.label_noise):
        return LabelNoise.known(plan.label_noise[0])
    log_odds = left_out_log_odds(plan, found, is_sample=is_sample)
    given = class_probabilities(log_odds, plan.n_classes)
    return learn_label_noise(given, plan.rows.y, plan.rows.copies, plan.label_noise)


def left_out_of(training: Training, found: Average, *, is_sample: bool) -> LeftOut:
    """Return what the other rows say of each training row; one of a sample stands for others, not copies."""
    rows = training.rows
    targets = np.column_stack([coding(rows.y) for coding in training.codings])
    part, together = (rows.part, None) if is_sample else rows.with_copies()
    return leave_each_out(found.model, rows.X, targets, part * found.best.known, found.likelihoods, together)


def left_out_log_odds(training: Training, found: Average, *, is_sample: bool) -> Array:
    """Return what the other rows say of each label, classes taken as often as they are."""
    left_out = left_out_of(training, found, is_sample=is_sample)
    log_odds = found.model.likelihood.log_odds(left_out.mean, left_out.variance)
    return np.asarray(log_odds - class_shift(training))


def asked_of_folds(plan: Training, found: Average) -> LabelNoise:
    """Return the noise that rows outside of folds show, and the slope of the log-odds that they ask for.

    Noise that was stated is not asked for. Where rows are too few for folds, the fit is asked without each
    row: its columns were chosen with the row, which hides a part of the noise.
    """
    learns = plan.label_noise is not None and not is_known(plan.label_noise)
    kernel = found.best.kernel
    crossed = cross_fit(plan, lambda part: [fit_kernel(part, kernel)]) if plan.calibrates or learns else None
    if crossed is None:
        return noise_of_labels(plan, found)
    shift, (label, weight) = class_shift(plan), crossed.labels
    plainly = crossed.log_odds() - shift
    if not learns:
        noise = noise_of_labels(plan, found)
    else:
        given = class_probabilities(plainly, plan.n_classes)
        noise = learn_label_noise(given, label, weight, plan.label_noise)
    is_open = plan.label_noise is not None and bool(np.isnan(plan.label_noise).all())
    tried = alternatives(noise) if is_open else [noise]
    left_out_odds = [
        crossed.log_odds(channels(plan, each.matrix)) - shift if is_noise(each.matrix) else plainly
        for each in tried
    ]
    if is_open:
        noise = chosen_noise(tried, left_out_odds, label, weight)
    else:
        noise = replace(noise, slope=calibration_slope(left_out_odds[0], label, noise.matrix, weight))
    return noise if plan.calibrates else replace(noise, slope=1.0)


def class_shift(plan: Training) -> Array:
    """Return by how much class weights move the log-odds that the model's likelihood tells."""
    rows, n_classes = plan.rows, plan.n_classes
    copies, weight = (np.bincount(rows.y, part, n_classes) for part in (rows.copies, rows.weight))
    positive = np.array([1]) if n_classes == 2 else np.arange(n_classes)
    own = np.divide(
        weight[positive], copies[positive], out=np.ones(len(positive)), where=copies[positive] > 0
    )
    rest = (weight.sum() - weight[positive]) / (copies.sum() - copies[positive])
    least = np.finfo(float).tiny  # classes that weigh next to nothing
    if plan.likelihood.is_joint:
        logarithm = np.log(np.maximum(own, least))
        return np.asarray(logarithm[1:] - logarithm[0])
    return np.asarray(np.log(np.maximum(own, least)) - np.log(np.maximum(rest, least)))


def channels(plan: Training, matrix: Array) -> tuple[Likelihood, ...]:
    """Return the likelihood of every output, its labels behind this noise."""
    if isinstance(plan.likelihood, Softmax):
        return (replace(plan.likelihood, noise=matrix),)
    rows = plan.rows
    given = np.bincount(rows.y, weights=rows.weight, minlength=len(matrix)) / rows.weight.sum()
    return tuple(LabelChannel(*map(float, rates)) for rates in output_rates(matrix, given))


def fits_with_noise(plan: Training, fits: list[KernelFit], matrix: Array) -> list[KernelFit]:
    """Let fits to labels as given go on with the noise, and weigh them again.

    A fit that begins where the plain one ends has fewer errors than one from scratch: doubt before there is a
    model sticks to the wrong rows.
    """
    if (matrix - np.diag(np.diag(matrix))).max() < NEGLIGIBLE:
        return fits
    noisy = [resumed(plan, fit, channels(plan, matrix)) for fit in fits]
    return shared(noisy, tempered_shares([fit.score for fit in noisy]))


def behind_noise(plan: Training, found: Average, noise: LabelNoise) -> Average:
    """Return a model of true labels, with the likelihoods of those that were given."""
    if not is_noise(noise.matrix):
        return found
    model = replace(found.model, likelihood=plan.likelihood)
    return replace(found, model=model, likelihoods=channels(plan, noise.matrix))
