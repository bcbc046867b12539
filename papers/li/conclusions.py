"""After Li et al. (2008): what follows from the records, in words. No word here knows the answer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import t as student

from papers.context import RunContext
from papers.experiments import Record
from papers.li.conclusions_beside import drift_comparisons, interval_sentence, outlier_comparisons
from papers.li.methods import DEFAULT, DISTINCT, FUZZY
from papers.li.paired import COUNTS_READ, RULE, Compared, sentences, tally
from papers.li.plan import problems, ratios, real_experiments, synthetic_experiments
from papers.li.protocol import MOVED
from papers.li.table_pairs import JUDGED
from papers.tables import TOLERANCE

MEMBERSHIP = "membership"
"""The word by which a subject is known as a membership."""

AGAINST_NOISE = ("class_centre", "kernel_class_centre", "alignment", "neighbours")
"""Memberships that shall find wrong rows, not make up for rareness."""

CONTROL = "time_linear"
"""A membership that is a random weight where rows have no order."""

NAMES = {
    "RVM": "the plain RVM",
    "RVM balanced": "class_weight='balanced'",
    f"RVM, {MOVED}": f"the {MOVED}",
    "channel RVM": "the channel",
    "channel RVM balanced": "the channel with balanced weights",
    **{f"fuzzy RVM, {name}": f"the {name} {MEMBERSHIP}" for name in (DEFAULT, *AGAINST_NOISE)},
    f"fuzzy RVM, {CONTROL}": "a random weight (the control)",
}
"""What the sentences call the methods."""

Question = tuple[str, str, str]
"""A method, another, and the measure in which they are compared."""


def conclusions(context: RunContext) -> list[str]:
    """Return the conclusions of the study, the short one first, each counted from records."""
    comparisons = [
        *imbalance_comparisons(context),
        *noise_comparisons(context),
        *outlier_comparisons(context),
        *drift_comparisons(context),
    ]
    return [
        *in_short(comparisons),
        counting_rule(context),
        *sentences(comparisons),
        best_membership(context),
        interval_sentence(context),
    ]


def in_short(comparisons: Sequence[Compared]) -> list[str]:
    """Say where memberships win and where a rival does, on more than half of the problems."""
    ours = [item for item in comparisons if MEMBERSHIP in item.subject]
    found = []
    for verdict, words in (
        (1, "Where fuzzy memberships help"),
        (-1, "Where something else does better than fuzzy memberships"),
    ):
        parts: dict[tuple[str, str], list[str]] = {}
        for item in ours:
            if item.found.verdict() == verdict:
                parts.setdefault((item.topic, item.subject), []).append(f"{item.other} in {item.measure}")
        places = [
            f"{topic.lower()}, {subject} beside {', '.join(others)}"
            for (topic, subject), others in parts.items()
        ]
        found.append(f"**{words}:**" + "".join(f"\n  - {place}" for place in places or ["nowhere"]))
    undecided = sum(item.found.verdict() == 0 for item in ours)
    return [
        *found,
        (
            f"In the other {undecided} of {len(ours)} comparisons neither is better on more than half of the "
            "problems."
        ),
    ]


def counting_rule(context: RunContext) -> str:
    """Say how the counts are made, and how many problems there are."""
    first = problems(context, noise=False)
    balanced = sum(ratio == 1 for ratio in ratios(context))
    left_out = f" ({balanced} of them balanced, and left out)" if balanced else ""
    return (
        f"{RULE} {COUNTS_READ} Of methods that are alike, about {chance(first[0].repeats):.0f} % of "
        "problems are told apart by chance on fresh draws; more on real data, whose splits share rows, so "
        f"that their standard errors are too small. There are {len(first)} problems{left_out} of rare "
        f"classes with clean and as many with noisy labels, {first[0].repeats} repeats each; tables 6 to 14 "
        "have the counts in full."
    )


def chance(repeats: int) -> float:
    """Return how often methods that are alike differ by more than the tolerance, in per cent."""
    return 200.0 * float(student.sf(TOLERANCE, max(repeats - 1, 1)))


def unbalanced(context: RunContext, noises: Sequence[bool], kinds: str = "both") -> list[list[Record]]:
    """Return the records of the problems with a rare class; kinds is "synthetic", "real" or "both"."""
    found: list[list[Record]] = []
    for noise in noises:
        clouds = synthetic_experiments(context, noise)
        chosen = [clouds[ratio] for ratio in clouds if ratio > 1 and kinds != "real"]
        chosen += real_experiments(context, noise).values() if kinds != "synthetic" else ()
        found += context.collect(chosen).values()
    return found


def asked(topic: str, groups: list[list[Record]], questions: Sequence[Question]) -> list[Compared]:
    """Answer questions over some problems."""
    return [
        Compared(topic, NAMES[method], NAMES[other], measure, tally(groups, method, other, measure))
        for method, other, measure in questions
    ]


def imbalance_comparisons(context: RunContext) -> list[Compared]:
    """Compare the imbalance membership with class weights and with a threshold."""
    threshold = f"RVM, {MOVED}"
    decisions = [(FUZZY, other, "G-mean") for other in ("RVM", "RVM balanced", threshold)]
    decisions += [(FUZZY, other, "average precision") for other in ("RVM", "RVM balanced")]
    decisions += [("RVM balanced", "RVM", "G-mean"), (threshold, "RVM balanced", "G-mean")]
    decisions += [(f"fuzzy RVM, {CONTROL}", "RVM", "G-mean")]
    losses = [(FUZZY, "RVM", "log loss"), (FUZZY, "RVM balanced", "log loss")]
    losses += [("RVM balanced", "RVM", "log loss")]
    return [
        *asked("Rare classes", unbalanced(context, (False, True)), decisions),
        *asked(
            "Rare classes, synthetic data (test rows as unbalanced as the training rows)",
            unbalanced(context, (False, True), "synthetic"),
            losses,
        ),
        *asked(
            "Rare classes, real data (test rows less unbalanced than the training rows)",
            unbalanced(context, (False, True), "real"),
            losses,
        ),
    ]


def noise_comparisons(context: RunContext) -> list[Compared]:
    """Compare the memberships made against noise, and the channel, where labels are wrong."""
    against = [
        (f"fuzzy RVM, {name}", "RVM", measure)
        for name in AGAINST_NOISE
        for measure in ("G-mean", "average precision")
    ]
    channel = [
        (method, other, measure)
        for method, other in (
            (FUZZY, "channel RVM balanced"),
            ("channel RVM", "RVM"),
            ("channel RVM balanced", "RVM balanced"),
        )
        for measure in JUDGED
    ]
    right = [("channel RVM", "RVM", "log loss"), ("channel RVM balanced", "RVM balanced", "log loss")]
    return [
        *asked("Wrong labels", unbalanced(context, (True,)), [*against, *channel]),
        *asked("Right labels", unbalanced(context, (False,)), right),
    ]


def best_membership(context: RunContext) -> str:
    """Say which membership is the best beside balanced weights, with hindsight, and how many never are."""
    every = unbalanced(context, (False, True))
    against = {name: tally(every, f"fuzzy RVM, {name}", "RVM balanced", "G-mean") for name in DISTINCT}
    best = max(against, key=lambda name: against[name].better - against[name].worse)
    found, never = against[best], sum(found.better == 0 for found in against.values())
    means = {
        name: np.mean([np.mean([record[name]["G-mean"] for record in group]) for group in every])
        for name in (f"fuzzy RVM, {best}", FUZZY, "RVM balanced")
    }
    return (
        f"Which membership. Of {len(against)} the best in G-mean beside {NAMES['RVM balanced']}, with "
        f"hindsight, is {best} ({found.better}:{found.worse} of {found.count}; mean G-mean "
        f"{means[f'fuzzy RVM, {best}']:.3f}, {DEFAULT} {means[FUZZY]:.3f}, {NAMES['RVM balanced']} "
        f"{means['RVM balanced']:.3f}); {never} of the {len(against)} are better on no problem."
    )
