"""What the records say to the results of Chu, Keerthi & Ong (2001), sections 4.2 to 5."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from papers.chu import published as paper
from papers.chu.lookups import NEARLY
from papers.chu.plan import (
    START_NAMES,
    arm_records,
    arm_start_records,
    boston_records,
    printed_experiment,
    records_of,
)
from papers.chu.printed_words import agreement
from papers.chu.starts import PROBLEMS
from papers.chu.starts_plan import start_records
from papers.chu.tables import TABLES, position_error
from papers.claims import Finding, Verdict
from papers.context import RunContext
from papers.datasets import load
from papers.experiments import Record
from papers.judging import compared, counted, judged, paired, parts_judged, said
from papers.spreads import judged_spreads
from papers.tables import TOLERANCE, Cell, Number
from rowtrust.datasets import robot_arm_position

OURS = "Bayesian SVR, Gaussian"
"""The paper's method in table 7."""

PENTIUM = "The paper's seconds are those of a Pentium III at 450 MHz, which cannot be run here."
"""Why times are shown and not judged."""

CONFOUNDED = (
    "The problems differ by more than their hyperparameters; the same rows with one shared relevance were "
    "not tried."
)
"""Why an order among problems does not show what the number of hyperparameters does."""


def arm_data(context: RunContext) -> Finding:
    """Tell whether MacKay's rows are as (47) says."""
    X, Y = load("robot arm", context.store.data)
    noise = Y - robot_arm_position(X)
    deviation = float(noise.std())
    first, second = np.abs(X[:, 0]), X[:, 1]
    parts = {
        "600 rows": len(X) == 600,
        "noise of 0.05": abs(deviation / 0.05 - 1.0) < 3.0 / np.sqrt(2.0 * noise.size),
        "first angle": bool(first.min() >= 0.4525 and first.max() <= 1.9325),
        "second angle": bool(second.min() >= 0.5335 and second.max() <= 3.1425),
    }
    figure = (
        f"{len(X)} rows; targets minus (47) have deviation {deviation:.4f}; angles {first.min():.3f} to "
        f"{first.max():.3f} on either side and {second.min():.3f} to {second.max():.3f}"
    )
    return parts_judged(parts, figure, "The file at hand is another one.")


def table_3(context: RunContext) -> Finding:
    """Count the numbers of table 3."""
    table = TABLES["3"](context)
    return counted(table, said(table, "-ln P over"))


def same_settings(context: RunContext) -> Finding:
    """Tell whether both targets of the arm get almost the same hyperparameters."""
    own, fresh = arm_records(context)
    ratios = {}
    for name in ("C", "w1", "w2"):
        pairs = [(r["settings"]["y1"][name], r["settings"]["y2"][name]) for r in (own, *fresh)]
        ratios[name] = float(np.exp(np.median(np.abs([np.log(a / b) for a, b in pairs]))))
    printed = {
        name: max(values) / min(values)
        for name in ratios
        for values in [[paper.ARM_SETTINGS[target][name] for target in ("y1", "y2")]]
    }
    parts = {name: ratio < 1.0 + NEARLY for name, ratio in ratios.items()}
    figure = "factor between the targets, in the median over draws: " + ", ".join(
        f"{name} {ratio:.2f} (the paper {printed[name]:.2f})" for name, ratio in ratios.items()
    )
    return parts_judged(parts, figure, "The evidence jumps, and the two searches end at different places.")


def arm_times(context: RunContext) -> Finding:
    """Show the seconds of one evaluation and of the whole fit of the arm."""
    own, _ = arm_records(context)
    settings = own["settings"]["y1"]
    unit, total = float(settings["unit time s"]), float(settings["total time s"])
    theirs, whole = paper.ARM_TIMES["unit time s"], paper.ARM_TIMES["total time s"]
    figure = (
        f"one evaluation {1000 * unit:.1f} ms (the paper {theirs:g} s), all of it {total:.2f} s "
        f"({whole:g} s): {total / unit:.0f} evaluations' time ({whole / theirs:.0f})"
    )
    return Finding("not run", figure, PENTIUM)


def table_4(context: RunContext) -> Finding:
    """Count the numbers of table 4."""
    table = TABLES["4"](context)
    return counted(table, said(table, "Of "))


def printed_settings(context: RunContext) -> Finding:
    """Tell whether table 3's hyperparameters give table 4's errors, and table 3's -ln P, on the same rows."""
    (record,) = records_of(context, printed_experiment(context))
    found = agreement(record)
    nats = ", ".join(
        f"{gap:+.2f} nats off for {target} (rounding can move it by {found.rounding[target]:.2f})"
        for target, gap in found.nats.items()
    )
    figure = (
        f"{len(found.errors)} errors lie between {min(found.errors):+.2%} and {max(found.errors):+.2%} of "
        f"the print; -ln P is {nats}"
    )
    parts = {"errors": found.same_errors, "-ln P": not found.unexplained}
    return parts_judged(parts, figure, f"{found.on_errors()} {found.on_evidence()}")


def least_error(context: RunContext) -> Finding:
    """Tell whether the noise alone makes an error of 0.005."""
    own, fresh = arm_records(context)

    def noise_of(record: Record) -> float:
        places = ("set 1, position", "set 2, position")
        return float(sum(record["errors"][place]["ASN x 1000"] for place in places)) / 2000.0

    drawn = Number.of(noise_of(record) for record in fresh)
    error = (drawn.deviation or np.inf) / np.sqrt(drawn.count)
    figure = (
        f"squared noise of the position {drawn.mean:.5f} over fresh draws (s.e. {error:.1g}), "
        f"{noise_of(own):.5f} in MacKay's test rows; twice 0.05 squared is {2 * 0.05**2:g}"
    )
    return judged(abs(drawn.mean - 0.005) <= TOLERANCE * error, figure, "Another noise than 0.05.")


def table_5(context: RunContext) -> Finding:
    """Tell whether the method beats the neural networks and Gaussian processes on the arm."""
    starts = arm_start_records(context)
    ours = Number.of(position_error(record) for record in starts)
    process, name = paper.ARM_RUN
    printed = paper.ARM_METHODS[name]
    others = {method: value for method, value in paper.ARM_METHODS.items() if method != name}
    again = float(np.median([record["rivals"][process] for record in starts]))
    figure = (
        f"median ASE {ours.median:.6f} over {ours.count} random starts, worst {ours.worst('lower'):.6f} "
        f"(the paper {printed}); printed rivals {min(others.values())} to {max(others.values())}; "
        f"scikit-learn's Gaussian process on the same rows {again:.6f}"
    )
    if ours.median >= min(others.values()):
        return Finding("not reproduced", figure, said(TABLES["5"](context), "Median"))
    reason = ""
    if again < ours.median:
        reason = "The order among printed numbers holds; the Gaussian process, run again, does better."
    return Finding("in part" if reason else "reproduced", figure, reason)


def table_6(context: RunContext) -> Finding:
    """Count the errors of table 6."""
    table = TABLES["6"](context)
    return counted(table, f"The splits are random and not the paper's. {said(table, 'Half of')}")


def table_6_spreads(context: RunContext) -> Finding:
    """Count the standard deviations over splits of table 6."""
    return judged_spreads(TABLES["6"](context).cells, "The splits are random and not the paper's.")


def boston_times(context: RunContext) -> Finding:
    """Show the seconds of one evaluation and of the whole fit of the housing data."""
    records = [record[OURS] for record in boston_records(context)]
    unit = float(np.mean([record["unit time s"] for record in records]))
    total = float(np.mean([record["total time s"] for record in records]))
    theirs, whole = paper.BOSTON["unit time s"][0], paper.BOSTON["total time s"][0]
    figure = (
        f"one evaluation {1000 * unit:.0f} ms (the paper {theirs} s), a fit {total:.2f} s ({whole} s): "
        f"{total / unit:.0f} evaluations' time ({whole / theirs:.0f})"
    )
    return Finding("not run", figure, PENTIUM)


def table_7(context: RunContext) -> Finding:
    """Count the errors of table 7, those of rivals too."""
    table = TABLES["7"](context)
    cause = f"Quoted from studies with splits of their own. {said(table, 'Relevance', 'Ridge')}"
    return counted(table, cause, own_only=False)


def table_7_order(context: RunContext) -> Finding:
    """Tell whether the method lies where the paper has it: above two rivals, below two."""
    records = boston_records(context)
    ours = [record[OURS]["ASE"] for record in records]
    parts, texts, distances = {}, [], []
    for name, printed in paper.BOSTON_METHODS.items():
        if name == OURS:
            continue
        theirs = [record[name]["ASE"] for record in records]
        distance = paired(theirs, ours)
        distances.append(distance)
        worse = printed > paper.BOSTON_METHODS[OURS]
        apart = "" if abs(distance) > TOLERANCE else " (not told apart)"
        parts[f"{name} is {'worse' if worse else 'better'}{apart}"] = not apart and (distance > 0) == worse
        texts.append(f"{name} {np.mean(theirs):.2f} ({distance:+.1f} s.e. from ours, paired)")
    figure = f"ours {np.mean(ours):.2f}; {'; '.join(texts)}"
    if min(distances) > TOLERANCE:
        return Finding("better", figure, "On the same splits it beats all four.")
    return parts_judged(parts, figure, "On the same splits the order is another than between studies.")


def splits_and_kernel(context: RunContext) -> Finding:
    """Tell whether the splits, and the kernel, can make the differences of table 7.

    The spread over splits is ours, or the printed one where that is smaller: ours must not excuse a gap.
    """
    records = boston_records(context)
    ours = Number.of(record[OURS]["ASE"] for record in records)
    own = paper.BOSTON_METHODS[OURS]
    below = max(own - value for value in paper.BOSTON_METHODS.values())
    spread = np.nan if ours.deviation is None else ours.deviation
    between = float(np.sqrt(2.0 / paper.SPLITS) * np.minimum(spread, paper.BOSTON["ASE"][1]))
    kernels = {kind: f"relevance vectors, {kind}" for kind in ("linear splines", "Gaussian")}
    errors = {kind: np.array([r[name]["ASE"] for r in records]) for kind, name in kernels.items()}
    distance = paired(errors["linear splines"], errors["Gaussian"])
    figure = (
        f"spread over splits {spread:.2f} here, {paper.BOSTON['ASE'][1]} printed; with the smaller one two "
        f"studies of {paper.SPLITS} splits differ by {between:.2f} (one s.e.) by chance, the paper "
        f"is {below:.2f} behind; relevance vectors with splines {errors['linear splines'].mean():.2f}, "
        f"with a Gaussian kernel {errors['Gaussian'].mean():.2f} ({distance:+.1f} s.e., paired, "
        f"{ours.count} splits)"
    )
    parts = {
        "random selection can explain it": below <= TOLERANCE * between,
        "the kernel matters": abs(distance) > TOLERANCE,
    }
    kernel, chance = (
        "" if parts["the kernel matters"] else "The two kernels are not told apart on the same splits.",
        "" if parts["random selection can explain it"] else "Our splits vary too little for such a gap.",
    )
    return parts_judged(parts, figure, f"{chance} {kernel}".strip())


def feasible(context: RunContext) -> Finding:
    """Count the errors of all tables: those of the method itself."""
    names = ("ASE", "ASE x 100", "ASE x 1000", "AAE", "NMSE")
    others = {START_NAMES[""], START_NAMES["restarts"]}  # of table 1, where the paper's start is beside
    return feasible_by(
        [
            cell
            for number in ("1", "2", "4", "6")
            for cell in compared(list(TABLES[number](context).cells))
            if cell.measure in names and not others & set(cell.row)
        ]
    )


def feasible_by(cells: list[Cell]) -> Finding:
    """Judge by errors beside the print: a tenth may be worse, and up to half of them in part."""
    bad = sum(cell.verdict == "worse" for cell in cells)
    better = sum(cell.verdict == "better" for cell in cells)
    same = len(cells) - bad - better
    figure = f"{len(cells)} printed errors: {same} within 2 s.e., {better} better, {bad} worse"
    if not cells:
        return Finding("not run", figure, "There are too few repeats to judge any of them.")
    if bad <= 0.1 * len(cells):
        return Finding("reproduced", figure)
    verdict: Verdict = "in part" if bad <= 0.5 * len(cells) else "not reproduced"
    return Finding(verdict, figure, "See the tables for which and why.")


def more_minima(context: RunContext) -> Finding:
    """Tell whether starts end further apart the more hyperparameters there are."""
    records = start_records(context)
    apart = {
        way: [float(np.mean([r["apart"] for r in records[problem, way]])) for problem in PROBLEMS]
        for way in ("paper", "library")
    }
    names = ", ".join(f"{problem} ({inputs + 2})" for problem, inputs in PROBLEMS.items())
    few, many = np.mean(apart["paper"][:2]), np.mean(apart["paper"][2:])
    figure = (
        f"pairs of random starts that end more than one nat apart, for {names} hyperparameters: "
        f"{', '.join(f'{share:.0%}' for share in apart['paper'])} as in the paper, "
        f"{', '.join(f'{share:.0%}' for share in apart['library'])} when the climb begins with beta = 1"
    )
    # Four problems that differ in everything: their order can support the sentence, and cannot show it.
    verdict: Verdict = "in part" if many > few else "not reproduced"
    return Finding(verdict, figure, CONFOUNDED)


def best_by_evidence(context: RunContext) -> Finding:
    """Tell whether the start with the highest evidence predicts better than the average start."""
    return of_starts(context, "best", lambda record: float(np.mean(record["errors"])), "the average start")


def mixture(context: RunContext) -> Finding:
    """Tell whether mixing the starts predicts better than the best start: by evidence, or all alike."""
    found, plain = (
        of_starts(context, name, lambda record: float(record["best"]), "the best start")
        for name in ("mixture", "average")
    )
    return replace(found, figure=f"by evidence: {found.figure}; all alike: {plain.figure}")


def of_starts(context: RunContext, name: str, other: Callable[[Record], float], other_name: str) -> Finding:
    """Compare a measure of several starts with another one, problem by problem, in the paper's way."""
    texts, distances = [], []
    for problem in PROBLEMS:
        records = start_records(context)[problem, "paper"]
        ratio = [np.log(record[name] / other(record)) for record in records]
        distances.append(paired(ratio, np.zeros(len(ratio))))
        texts.append(f"{problem} {np.expm1(np.mean(ratio)):+.1%} ({distances[-1]:+.1f} s.e.)")
    figure = f"error against that of {other_name}: {', '.join(texts)}"
    better, worse = sum(d < -TOLERANCE for d in distances), sum(d > TOLERANCE for d in distances)
    return by_problems(better, worse, len(distances), figure)


def by_problems(better: int, worse: int, count: int, figure: str) -> Finding:
    """Judge "is better": clearly so on at least half of the problems and clearly worse on none."""
    if 2 * better >= count and better and not worse:
        return Finding("reproduced", figure)
    told = f"Beyond {TOLERANCE:g} s.e. it is better on {better} of {count} problems and worse on {worse}."
    if better > worse:
        return Finding("in part", figure, told)
    likeliest = "" if worse else " Likeliest the starts that count differ by too little."
    return Finding("not reproduced", figure, told + likeliest)
