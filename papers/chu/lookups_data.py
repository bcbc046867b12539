"""What data and records say to sentences of Chu, Keerthi & Ong (2001) that stand beside the tables."""

from __future__ import annotations

import numpy as np

from papers.chu import published as paper
from papers.chu.lookups import SURE
from papers.chu.plan import arm_start_records, boston_experiment, evidence_experiments
from papers.chu.protocol import TEST_ROWS
from papers.claims import Finding
from papers.context import RunContext
from papers.datasets import load
from papers.judging import judged, parts_judged
from papers.trends import apart, mean_and_error

TRACTS, ATTRIBUTES, TRAINED = 506, 13, 481
"""Rows and inputs of the housing data, and rows to train on, as section 4.3 names them."""

DEAREST = 50.0
"""Thousands of dollars at which the prices of the housing data are cut, in the file of StatLib."""


def boston_data(context: RunContext) -> Finding:
    """Tell whether the housing data, and our splits of them, are as section 4.3 says."""
    X, y = load("boston", context.store.data)
    splits = boston_experiment(context).repeats
    parts = {
        f"{TRACTS} tracts": len(X) == TRACTS,
        f"{ATTRIBUTES} attributes": X.shape[1] == ATTRIBUTES,
        "median prices": bool(y.min() > 0.0 and y.max() == DEAREST),
        f"{TRAINED} rows to train on": len(X) - TEST_ROWS == TRAINED,
        f"{paper.SPLITS} splits": splits == paper.SPLITS,
    }
    figure = (
        f"{len(X)} rows, {X.shape[1]} inputs, prices of {y.min():g} to {y.max():g} thousand dollars; "
        f"{len(X) - TEST_ROWS}/{TEST_ROWS} rows in each of {splits} splits"
    )
    otherwise = f"This run has {splits} splits." if splits != paper.SPLITS else ""
    same = all(holds for name, holds in parts.items() if not name.endswith("splits"))
    return parts_judged(parts, figure, otherwise if same else f"The file at hand is another one. {otherwise}")


def processes_are_good(context: RunContext) -> Finding:
    """Tell whether a Gaussian process, run again, does as well on the arm as the printed networks."""
    process, own = paper.ARM_RUN
    networks = {name: ase for name, ase in paper.ARM_METHODS.items() if name not in (process, own)}
    again = float(np.median([record["rivals"][process] for record in arm_start_records(context)]))
    best, worst = min(networks.values()), max(networks.values())
    figure = (
        f"position of the robot arm, ASE: scikit-learn's Gaussian process {again:.6f} (print "
        f"{paper.ARM_METHODS[process]:g}), printed networks {best:g} to {worst:g}"
    )
    parts = {"below the worst network": again < worst, "below the best network": again < best}
    return parts_judged(parts, figure, "Good results need not be the best: one problem was looked at.")


def useful_where_laplace_is_good(context: RunContext) -> Finding:
    """Tell whether (46) picks the integral's best hyperparameters where it is nearer to the integral.

    Compared are, over all small problems, how far (46) is from the integral in those where both have their
    highest value at the same hyperparameters, and in the others.
    """
    experiments = evidence_experiments(context)
    records = context.collect(experiments.values())
    gaps: dict[bool, list[float]] = {True: [], False: []}
    for (rows, _), experiment in experiments.items():
        for record in records[experiment.name]:
            off = [abs(p["laplace"] - p["integral"]) / rows for p in record["points"] if p["error"] <= SURE]
            if off:
                gaps[bool(record["same point"])].append(float(np.median(off)))
    same, other = gaps[True], gaps[False]
    if min(len(same), len(other)) < 2:
        figure = f"{len(same)} problems have the same best hyperparameters, {len(other)} others"
        return Finding("not run", figure, "There are too few of one kind to compare.")
    near, far = mean_and_error(same), mean_and_error(other)
    figure = (
        f"nats a row between (46) and the integral: {near[0]:.2f} (s.e. {near[1]:.2f}) in {len(same)} "
        f"problems with the same best hyperparameters by both, {far[0]:.2f} ({far[1]:.2f}) in "
        f"{len(other)} others"
    )
    return judged(
        apart(near, far),
        figure,
        f"The others are {far[0] - near[0]:+.2f} nats a row further off, no more than chance explains: "
        "likeliest an error that is alike for all hyperparameters does not move the maximum.",
    )
