"""What the records of our study say to the claims of Li et al. (2008)."""

from __future__ import annotations

import numpy as np

from papers.claims import Finding
from papers.context import RunContext
from papers.experiments import Record
from papers.judging import judged, parts_judged
from papers.li.conclusions import AGAINST_NOISE, unbalanced
from papers.li.conclusions_beside import mean_of, with_and_without
from papers.li.methods import DEFAULT, DISTINCT, FUZZY
from papers.li.paired import Tally, differences, outcome, tally
from papers.li.plan import synthetic_experiments
from papers.li.regression import RESIDUAL
from papers.li.theory import weighted_violation
from papers.trends import apart, falls, mean_and_error
from rowtrust.memberships import MEMBERSHIPS

DECISIONS = "G-mean"
"""The measure of decisions where a class is rare."""

SEVERELY = 0.75
"""Share of the balanced data's measure below which a loss is severe."""

CONTROL_KIND = "Time"
"""The kind that is random weights here, since the rows have no order: a control."""

AGAINST_WRONG = "kernel_class_centre"
"""The membership of a fuzzy SVM against wrong labels: Lin and Wang's distance to a class centre, in the space
of the kernel that the machine uses."""


def counts(found: Tally) -> str:
    """Return a tally as text."""
    return f"better on {found.better}, the same on {found.same}, worse on {found.worse}"


def by_tally(found: Tally, figure: str, reason: str) -> Finding:
    """Judge "is better": on more than half of the problems, on some and never worse, or neither."""
    if found.verdict() > 0:
        return Finding("reproduced", figure, reason if found.worse else "")
    if found.better > found.worse:
        return Finding("in part", figure, reason)
    return Finding("not reproduced", figure, reason)


def unbalanced_data(context: RunContext) -> Finding:
    """Tell whether the fuzzy machine finds rare classes better than the plain one, labels being right."""
    groups = unbalanced(context, (False,))
    found, rival = (tally(groups, FUZZY, other, DECISIONS) for other in ("RVM", "RVM balanced"))
    figure = (
        f"{DECISIONS} of {found.count} problems, paired: {counts(found)} than RVM (mean "
        f"{mean_of(groups, FUZZY, DECISIONS):.3f} against {mean_of(groups, 'RVM', DECISIONS):.3f}); "
        f"{counts(rival)} than class weights ({mean_of(groups, 'RVM balanced', DECISIONS):.3f})"
    )
    return by_tally(found, figure, "On the other problems the plain machine finds the rare class as well.")


def wrong_labels(context: RunContext) -> Finding:
    """Tell how many of the memberships made against noise help where labels are wrong, each on its own."""
    groups = unbalanced(context, (True,))
    tallies = {name: helped(groups, f"fuzzy RVM, {name}") for name in AGAINST_NOISE}
    helping = [name for name, found in tallies.items() if found.better > found.worse]
    rare = tally(groups, FUZZY, "RVM", DECISIONS)
    figure = (
        f"against RVM on {len(groups)} problems with wrong labels, helped/harmed ({DECISIONS} or log loss "
        f"better and the other not worse, or the reverse): "
        f"{'; '.join(f'{name} {found.better}/{found.worse}' for name, found in tallies.items())}; the "
        f"{DEFAULT} membership, which does not look for wrong labels, {DECISIONS}: {counts(rare)}"
    )
    if 2 * len(helping) >= len(tallies):
        return Finding("reproduced", figure)
    reason = (
        f"{len(helping)} of {len(tallies)} help on more problems than they harm. Likeliest memberships from "
        "distances and neighbours also take weight off right rows near the boundary. A channel for wrong "
        "labels is compared in the tables."
    )
    return Finding("in part" if helping else "not reproduced", figure, reason)


def helped(groups: list[list[Record]], method: str) -> Tally:
    """Count the problems on which a method helps: better than RVM in one measure and not worse in the other.

    Decisions and probabilities of one problem are not independent, so they make one count together.
    """
    total = [
        sum(
            outcome(differences(group, method, "RVM", measure), measure)
            for measure in (DECISIONS, "log loss")
        )
        for group in groups
    ]
    return Tally(sum(t > 0 for t in total), sum(t == 0 for t in total), sum(t < 0 for t in total))


def outliers(context: RunContext) -> Finding:
    """Tell whether the residual membership helps a regression with outliers."""
    dirty, clean = with_and_without(context)
    found, cost = tally(dirty, RESIDUAL, "RVR", "RMSE"), tally(clean, RESIDUAL, "RVR", "RMSE")
    robust = tally(dirty, RESIDUAL, "robust RVR", "RMSE")
    figure = (
        f"RMSE on {found.count} problems with outliers, paired: {counts(found)} than RVR (mean "
        f"{mean_of(dirty, RESIDUAL, 'RMSE'):.2f} against {mean_of(dirty, 'RVR', 'RMSE'):.2f}); "
        f"{counts(robust)} than the robust RVR ({mean_of(dirty, 'robust RVR', 'RMSE'):.2f}); without "
        f"outliers {counts(cost)} than RVR"
    )
    return by_tally(found, figure, "A first fit that outliers have drawn tells too little of which rows are.")


def memberships(context: RunContext) -> Finding:
    """Tell which kinds of membership help on each of the two problems, random ones beside them as a control.

    Memberships that differ by a formula's detail are of one kind, and different kinds are what is claimed.
    """
    kinds, texts = {}, []
    for noise, problem in ((False, "rare classes, right labels"), (True, "rare classes, wrong labels")):
        groups = unbalanced(context, (noise,))
        tallies = {name: tally(groups, f"fuzzy RVM, {name}", "RVM", DECISIONS) for name in DISTINCT}
        helping = [name for name, found in tallies.items() if found.verdict() > 0]
        kinds[problem] = {kind_of(name) for name in helping}
        texts.append(
            f"{problem}: {len(helping)} of {len(tallies)}, {len(kinds[problem])} of "
            f"{len({kind_of(name) for name in DISTINCT})} kinds ({by_kind(helping)})"
        )
    figure = (
        f"memberships better than RVM in {DECISIONS} on more than half of the problems: {'; '.join(texts)}"
    )
    if all(len(found) > 1 and CONTROL_KIND not in found for found in kinds.values()):
        return Finding("reproduced", figure)
    alone = " and ".join(problem for problem, found in kinds.items() if len(found) < 2)
    reason = (
        f"No two kinds help with {alone}: memberships made for other problems than rare classes do not find "
        "them."
        if alone
        else "Random weights, the control, help as well."
    )
    return Finding("in part" if all(kinds.values()) else "not reproduced", figure, reason)


def kind_of(name: str) -> str:
    """Return the kind of a membership: the class that it is made by."""
    return type(MEMBERSHIPS[name]).__name__


def by_kind(names: list[str]) -> str:
    """Say how many memberships of each kind there are."""
    kinds = [kind_of(name) for name in names]
    return ", ".join(f"{kind} {kinds.count(kind)}" for kind in dict.fromkeys(kinds)) or "none"


def by_ratio(context: RunContext, noise: bool) -> dict[int, list[Record]]:
    """Return the records of the clouds, by ratio."""
    experiments = synthetic_experiments(context, noise)
    records = context.collect(experiments.values())
    return {ratio: records[experiment.name] for ratio, experiment in experiments.items()}


def imbalance_harms(context: RunContext) -> Finding:
    """Tell whether the plain machine's decisions get worse as a class gets rarer, and severely so."""
    means = {
        ratio: mean_and_error([record["RVM"][DECISIONS] for record in records])
        for ratio, records in sorted(by_ratio(context, noise=False).items())
    }
    numbers = list(means.values())
    figure = f"{DECISIONS} of RVM on clouds: " + ", ".join(
        f"{value:.2f} (s.e. {error:.2f}) at 1:{ratio}" for ratio, (value, error) in means.items()
    )
    if falls(numbers) and numbers[-1][0] >= SEVERELY * numbers[0][0]:
        return Finding("in part", figure, "It falls, but not severely.")
    return judged(falls(numbers), figure, "It does not fall by more than chance.")


def noise_makes_it_worse(context: RunContext) -> Finding:
    """Tell whether wrong labels cost the plain machine more the rarer a class is."""
    clean, noisy = by_ratio(context, noise=False), by_ratio(context, noise=True)
    lost = {
        ratio: np.array(
            [
                before["RVM"][DECISIONS] - after["RVM"][DECISIONS]
                for before, after in zip(clean[ratio], noisy[ratio], strict=True)
            ]
        )
        for ratio in clean
    }
    first, *later = (mean_and_error(lost[ratio]) for ratio in sorted(lost))
    rarer = (
        float(np.mean([value for value, _ in later])),
        float(np.linalg.norm([error for _, error in later])) / len(later),
    )
    figure = f"{DECISIONS} that wrong labels cost RVM: " + ", ".join(
        f"{values.mean():+.3f} at 1:{ratio}" for ratio, values in lost.items()
    )
    figure += f"; at the rarer ones {rarer[0] - first[0]:+.3f} more (s.e. {np.hypot(rarer[1], first[1]):.3f})"
    reason = (
        "Likeliest there is little left to lose where the plain machine has given the rare class up. A fifth "
        "of the rare rows are swapped, and as many of the others, so the noise is in proportion to the rare "
        "class."
    )
    return judged(apart(first, rarer), figure, reason)


def beside_rivals(context: RunContext) -> Finding:
    """Tell where the fuzzy machine stands beside plain remedies: class weights and a robust machine."""
    groups = unbalanced(context, (False, True))
    rivals = ("RVM", "RVM balanced", "robust RVM", "SMOTE + SVM")
    tallies = {rival: tally(groups, FUZZY, rival, DECISIONS) for rival in rivals}
    figure = f"{DECISIONS} on {len(groups)} problems with right and wrong labels: " + "; ".join(
        f"{counts(found)} than {rival}" for rival, found in tallies.items()
    )
    found = tallies["RVM"]
    level = [rival for rival, each in tallies.items() if each.verdict() <= 0]
    means = ", ".join(f"{name} {mean_of(groups, name, DECISIONS):.3f}" for name in (FUZZY, *rivals))
    reason = (
        f"Mean {DECISIONS}: {means}. On no more than half of the problems better than: {', '.join(level)}."
    )
    if found.verdict() > 0 and tallies["RVM balanced"].verdict() < 0:
        return Finding("in part", figure, reason)
    return by_tally(found, figure, reason)


def beside_fuzzy_svm(context: RunContext) -> Finding:
    """Tell whether the fuzzy machine has a posterior, and probabilities as good as a fuzzy SVM's by Platt."""
    groups = unbalanced(context, (False, True))
    found = tally(groups, FUZZY, f"fuzzy SVM, {DEFAULT}", "log loss")
    decisions = tally(groups, FUZZY, f"fuzzy SVM, {DEFAULT}", DECISIONS)
    violation = weighted_violation()
    figure = (
        f"the weighted posterior holds to {violation:.0e}; log loss on {found.count} problems: "
        f"{counts(found)} than the fuzzy SVM with probabilities by Platt's method; {DECISIONS}: "
        f"{counts(decisions)}"
    )
    losses = [mean_of(groups, name, "log loss") for name in (FUZZY, f"fuzzy SVM, {DEFAULT}", "RVM")]
    reason = (
        f"Mean log loss {losses[0]:.3f}, of the fuzzy SVM {losses[1]:.3f}, of the plain RVM {losses[2]:.3f}. "
        "Likeliest since memberships change the class rates that the machine has learnt, and Platt's sigmoid "
        "is fitted to the rates as they are."
    )
    parts = {"a posterior": violation < 1e-9, "probabilities as good": found.verdict() >= 0}
    return parts_judged(parts, figure, reason)


def fuzzy_svm_eliminates(context: RunContext) -> Finding:
    """Tell whether fuzzy SVMs take the effect of rare classes, and of wrong labels, away on clouds.

    Each problem is judged by the membership that is made for it.
    """
    clean, noisy = (by_ratio(context, noise) for noise in (False, True))
    values = {
        (name, noise): {
            ratio: np.array([record[f"fuzzy SVM, {name}"][DECISIONS] for record in records])
            for ratio, records in sorted(groups.items())
        }
        for name in (DEFAULT, AGAINST_WRONG)
        for noise, groups in ((False, clean), (True, noisy))
    }
    first, *_, last = (float(each.mean()) for each in values[DEFAULT, False].values())
    costs = {
        ratio: mean_and_error(each - values[AGAINST_WRONG, True][ratio])
        for ratio, each in values[AGAINST_WRONG, False].items()
    }
    harmed = [ratio for ratio, cost in costs.items() if apart((0.0, 0.0), cost)]
    figure = f"{DECISIONS} on clouds, in brackets with wrong labels: " + "; ".join(
        f"fuzzy SVM, {name}: "
        + ", ".join(
            f"{each.mean():.2f} ({values[name, True][ratio].mean():.2f}) at 1:{ratio}"
            for ratio, each in values[name, False].items()
        )
        for name in (DEFAULT, AGAINST_WRONG)
    )
    parts = {"unbalanced data cost little": last >= SEVERELY * first, "wrong labels cost nothing": not harmed}
    ratios = ", ".join(f"1:{ratio}" for ratio in harmed) or "none"
    return parts_judged(
        parts,
        figure,
        f"At the rarest class {last / max(first, 1e-12):.0%} of the {DECISIONS} at the commonest are left by "
        f"{DEFAULT}; with {AGAINST_WRONG}, which shall find wrong labels, these cost more than chance "
        f"explains at {ratios}.",
    )
