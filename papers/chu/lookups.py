"""What the records say to the results of Chu, Keerthi & Ong (2001), section 4.1: the sinc data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from papers.chu import published as paper
from papers.chu.plan import START_NAMES, TABLE_2_NOISE, evidence_experiments, sinc_experiment
from papers.chu.protocol import BETA, SINC_ROWS
from papers.chu.tables import TABLES
from papers.claims import Finding
from papers.context import RunContext
from papers.judging import counted, judged, parts_judged, said
from papers.tables import Number
from papers.trends import apart, mean_and_error, median_and_error, rises
from rowtrust.contracts import Array

NOISY = (0.1, 0.2, 0.3)
"""Levels of noise of table 1 above zero."""

WIDE = (0.05, 0.1, 0.3, 0.5, 0.7, 1.0)
"""Values of beta in table 2 at which Sigma_M has not heavily shrunk in the paper: ten rows and more."""

GREATLY, MAINLY = 1.5, 1.5
"""Factor from which on a change is great, and up to which it is none; the paper's w varies by 1.23."""

NEARLY = 0.25
"""Share by which numbers may differ and be approximately equal: the paper's ASE at noise 0.2 is 0.24 off."""

SURE = 0.1
"""Nats of standard error up to which an integral by Monte Carlo counts."""


def sinc_values(context: RunContext, measure: str, noise: float, beta: float = BETA) -> Array:
    """Return one measure over all draws of sinc."""
    experiment = sinc_experiment(context, noise, beta)
    records = context.collect([experiment])[experiment.name]
    return np.array([record[measure] for record in records], dtype=float)


def medians(context: RunContext, measure: str) -> dict[float, float]:
    """Return the median of a measure at every level of noise."""
    return {noise: float(np.median(sinc_values(context, measure, noise))) for noise in paper.SINC_BY_NOISE}


def shown(values: dict[float, float], form: str = ".3g") -> str:
    """Return medians as text, by noise."""
    return ", ".join(f"{value:{form}} at {noise:g}" for noise, value in values.items())


def table_1(context: RunContext) -> Finding:
    """Count the numbers of table 1, from random starts as in the paper and from ours."""
    table = TABLES["1"](context)
    cause = said(table, "Noise 0", "C, epsilon and w")
    found, ours = (counted(table, cause, START_NAMES[start]) for start in ("random", ""))
    return replace(found, figure=f"{found.figure}; {ours.figure}")


def noise_parameters(context: RunContext) -> Finding:
    """Tell whether C and epsilon change greatly with the noise."""
    C, epsilon = medians(context, "C"), medians(context, "epsilon")
    parts = {
        "C falls with the noise": all(np.diff(list(C.values())) < 0),
        "C changes greatly between 0.1 and 0.3": C[0.1] / C[0.3] > GREATLY,
        "epsilon is least without noise": epsilon[0.0] < min(epsilon[noise] for noise in NOISY),
        "epsilon changes greatly": max(epsilon.values()) / min(epsilon.values()) > GREATLY,
    }
    figure = f"median C {shown(C)}; median 100 epsilon {shown(epsilon)} (noise)"
    return parts_judged(
        parts, figure, "Likeliest the evidence is flat there, and many values do nearly as well: see table 1."
    )


def relevance(context: RunContext) -> Finding:
    """Tell whether w stays as the noise changes."""
    w, C = medians(context, "w"), medians(context, "C")
    noisy = [w[noise] for noise in NOISY]
    ratio, other = max(noisy) / min(noisy), max(C.values()) / min(C.values())
    whole = max(w.values()) / min(w.values())
    figure = (
        f"median w {shown(w)} (noise): a factor of {ratio:.2f} over noise 0.1 to 0.3, {whole:.2f} with the "
        f"clean rows, where C changes by {other:.0f}"
    )
    parts = {"with noise": ratio < MAINLY, "clean rows too": whole < MAINLY}
    return parts_judged(
        parts,
        figure,
        "Likeliest C and w make up for each other: a longer length with a larger C fits nearly as well.",
    )


def confidence(context: RunContext) -> Finding:
    """Tell whether -ln P rises with the noise."""
    found = {
        noise: median_and_error(sinc_values(context, "-ln P", noise)) for noise in sorted(paper.SINC_BY_NOISE)
    }
    told = ", ".join(
        f"{value:.1f} (s.e. {error:.1f}) at {noise:g}" for noise, (value, error) in found.items()
    )
    return judged(
        rises(list(found.values())), f"median -ln P {told} (noise)", "It does not rise by more than chance."
    )


def squared_error(context: RunContext) -> Finding:
    """Tell whether ASE is about the variance of the noise."""
    draws = {noise: sinc_values(context, "ASE", noise) for noise in NOISY}
    ratios = {noise: float(np.mean(values)) / noise**2 for noise, values in draws.items()}
    theirs = {noise: paper.SINC_BY_NOISE[noise]["ASE"] / noise**2 for noise in NOISY}
    parts = {f"noise {noise:g}": abs(ratio - 1.0) <= NEARLY for noise, ratio in ratios.items()}
    figure = f"ASE / variance {shown(ratios, '.2f')}; the paper {shown(theirs, '.2f')} (noise)"
    return parts_judged(parts, figure, f"{on_failed(draws.values())} The test targets are draws too.")


def on_failed(draws: Iterable[Array]) -> str:
    """Say how many fits of some draws failed by their error."""
    failed = sum(Number.of(values).failed("lower") for values in draws)
    return f"{failed} fits failed: see the worst draws in table 1." if failed else "No fit failed."


def clean_error(context: RunContext) -> Finding:
    """Tell whether the function is learnt from clean rows, and from the noisiest, as figure 3 shows."""
    clean = sinc_values(context, "ASE", 0.0)
    noisy = sinc_values(context, "ASE", 0.3)
    variance = float(np.var(np.sinc(np.linspace(-10.0, 10.0, 2001) / np.pi)))
    left, right = float(np.median(clean)) / variance, (float(np.mean(noisy)) - 0.09) / variance
    figure = (
        f"share of sinc's variance that is missed: {left:.1e} from clean rows in the median (ASE "
        f"{clean.max():.1e} in the worst of {len(clean)} draws), {right:.2f} from rows with noise 0.3"
    )
    parts = {"clean": left < 1e-3, "noise 0.3": right < NEARLY}
    return parts_judged(
        parts, figure, f"{on_failed((clean, noisy))} Likeliest some searches end far from the best evidence."
    )


def table_2(context: RunContext) -> Finding:
    """Count the numbers of table 2."""
    table = TABLES["2"](context)
    return counted(table, said(table, "C, epsilon and w", "Rows in M"))


def beta_influence(context: RunContext) -> Finding:
    """Tell whether beta changes nothing but the number of rows in Sigma_M."""
    of_beta = {
        measure: [
            float(np.mean(sinc_values(context, measure, TABLE_2_NOISE, beta))) for beta in paper.SINC_BY_BETA
        ]
        for measure in ("AAE", "ASE x 100", "in M", "-ln P")
    }
    spans = {name: max(values) / min(values) - 1.0 for name, values in of_beta.items() if name != "-ln P"}
    lost = max(of_beta["-ln P"]) - min(of_beta["-ln P"])
    figure = (
        f"over all beta AAE varies by {spans['AAE']:.1%} and ASE by {spans['ASE x 100']:.1%}, -ln P by "
        f"{lost:.1f} nats; rows in Sigma_M from {min(of_beta['in M']):.0f} to {max(of_beta['in M']):.0f}"
    )
    parts = {
        "AAE": spans["AAE"] < 0.05,
        "ASE": spans["ASE x 100"] < 0.1,
        "rows in Sigma_M": spans["in M"] > 1.0,
    }
    return parts_judged(
        parts, figure, f"{extremes(context, 'ASE x 100')} {evidence_behind(of_beta['-ln P'])}"
    )


def extremes(context: RunContext, measure: str, betas: Iterable[float] = tuple(paper.SINC_BY_BETA)) -> str:
    """Say at which beta a measure is lowest and highest, and which hyperparameters were chosen there."""
    means = {beta: float(np.mean(sinc_values(context, measure, TABLE_2_NOISE, beta))) for beta in betas}
    told = []
    for word, beta in (
        ("lowest", min(means, key=lambda b: means[b])),
        ("highest", max(means, key=lambda b: means[b])),
    ):
        chosen = ", ".join(
            f"{name} {np.median(sinc_values(context, key, TABLE_2_NOISE, beta)):.3g}"
            for name, key in (("C", "C"), ("100 epsilon", "epsilon"), ("w", "w"), ("rows in Sigma_M", "in M"))
        )
        told.append(f"{word} at beta {beta:g} ({means[beta]:.4g}; medians {chosen})")
    return f"{measure} is {' and '.join(told)}."


def evidence_behind(values: Sequence[float]) -> str:
    """Say whether a small beta, with fewer rows in Sigma_M, also has the lower evidence."""
    lost = values[0] - min(values)
    if lost <= 0:
        return "-ln P is lowest at the smallest beta: likeliest other settings fit as well."
    return (
        f"The smallest beta loses {lost:.1f} nats against the best one: likeliest Laplace's approximation, "
        "which sees only the rows of Sigma_M, chooses otherwise with fewer of them."
    )


def beta_sparseness(context: RunContext) -> Finding:
    """Tell whether beta controls the size of Sigma_M, and nothing else where that has not shrunk."""
    sizes = [float(np.mean(sinc_values(context, "in M", TABLE_2_NOISE, beta))) for beta in paper.SINC_BY_BETA]
    errors = [float(np.mean(sinc_values(context, "AAE", TABLE_2_NOISE, beta))) for beta in WIDE]
    evidence = [float(np.mean(sinc_values(context, "-ln P", TABLE_2_NOISE, beta))) for beta in WIDE]
    theirs = [row[3] for beta, row in paper.SINC_BY_BETA.items() if beta in WIDE]
    spread, printed = max(evidence) - min(evidence), max(theirs) - min(theirs)
    rises = sum(later > earlier for earlier, later in pairwise(sizes))
    figure = (
        f"rows in Sigma_M by rising beta: {', '.join(f'{size:.0f}' for size in sizes)}; from 0.05 on AAE "
        f"varies by {max(errors) / min(errors) - 1.0:.1%} and -ln P by {spread:.1f} nats (the paper "
        f"{printed:.1f})"
    )
    parts = {
        "Sigma_M grows with beta": rises >= len(sizes) - 2 and sizes[-1] > 2.0 * sizes[0],
        "errors do not change": max(errors) / min(errors) < 1.05,
        "-ln P changes no more than in the paper": spread <= 2.0 * printed,
    }
    return parts_judged(parts, figure, f"{extremes(context, '-ln P', WIDE)} {evidence_behind(evidence)}")


def constant_left_out(context: RunContext) -> Finding:
    """Tell whether -ln P agrees with the tables only without the constant n ln 2."""
    constant = SINC_ROWS * float(np.log(2.0))
    gaps = {}
    for noise in NOISY:
        ours, theirs = sinc_values(context, "-ln P", noise), paper.SINC_BY_NOISE[noise]["-ln P"]
        gaps[noise] = float(np.median(ours)) - theirs
    holds = all(abs(gap) < 0.5 * constant for gap in gaps.values())
    figure = (
        f"median -ln P minus the paper's {shown(gaps, '+.1f')} (noise) with {constant:.1f} left out; with it "
        f"each would be {constant:.1f} larger"
    )
    return judged(holds, figure, "Another constant must have been left out.")


def evidence_by_monte_carlo(context: RunContext) -> Finding:
    """Tell how far Laplace's evidence is from the integral (43) on small problems, by beta.

    Points at which the integral itself is not known are left out. It depends on the problem where the largest
    median is twice the smallest, and further from it than chance over problems explains.
    """
    experiments = evidence_experiments(context)
    records = context.collect(experiments.values())
    gaps: dict[float, list[list[float]]] = {}
    same: dict[float, list[bool]] = {}
    dropped = total = 0
    for (rows, beta), experiment in experiments.items():
        for record in records[experiment.name]:
            same.setdefault(beta, []).append(bool(record["same point"]))
            sure = [point for point in record["points"] if point["error"] <= SURE]
            total += len(record["points"])
            dropped += len(record["points"]) - len(sure)
            if sure:
                off = [abs(point["laplace"] - point["integral"]) / rows for point in sure]
                gaps.setdefault(beta, []).append(off)
    left_out = f"{dropped} of {total} points left out, where the integral's error is above {SURE:g} nats"
    if not gaps:
        return Finding("not run", left_out, "No integral is known well enough.")
    middle = {beta: float(np.median(np.concatenate(values))) for beta, values in gaps.items()}
    agree = {beta: float(np.mean(values)) for beta, values in same.items()}
    figure = "nats a row between (46) and the integral, in the median: " + ", ".join(
        f"{value:.2f} at beta {beta:g} (same best hyperparameters in {agree[beta]:.0%})"
        for beta, value in middle.items()
    )
    least, most = min(middle, key=lambda beta: middle[beta]), max(middle, key=lambda beta: middle[beta])
    errors = {beta: mean_and_error([np.median(off) for off in gaps[beta]])[1] for beta in (least, most)}
    clear = apart((middle[least], errors[least]), (middle[most], errors[most]))
    holds = clear and middle[most] > 2.0 * middle[least]
    return judged(
        holds, f"{figure}; {left_out}", "It is equally good, or equally bad, on all problems tried."
    )
