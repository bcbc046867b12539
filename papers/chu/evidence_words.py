"""Where Laplace's method is good and where it is not, in words made from the records."""

from __future__ import annotations

import numpy as np

from papers.experiments import Record

Records = dict[tuple[int, float], list[Record]]
"""Records of the evidence by Monte Carlo, by number of rows and beta."""

GOOD = 0.5
"""Nats within which Laplace's method counts as good: a factor of 1.6 in probability."""


def all_points(records: Records) -> list[Record]:
    """Return every point of every grid, with its number of rows and beta."""
    return [
        {**point, "rows": rows, "beta": beta, "off": point["laplace"] - point["integral"]}
        for (rows, beta), repeats in records.items()
        for record in repeats
        for point in record["points"]
    ]


def conclusion(records: Records) -> list[str]:
    """Return sentences on where (46) is good, and on whether it matters."""
    points = all_points(records)
    by_beta = {
        beta: np.array([abs(point["off"]) for point in points if point["beta"] == beta])
        for beta in dict.fromkeys(beta for _, beta in records)
    }
    told = "; ".join(
        f"beta {beta:g}: median {np.median(off):.2f}, within {GOOD:g} in {np.mean(off <= GOOD):.0%}"
        for beta, off in by_beta.items()
    )
    many = [abs(point["off"]) for point in points if 2 * point["in M"] > point["rows"]]
    few = [abs(point["off"]) for point in points if 2 * point["in M"] <= point["rows"]]
    best, worst = (
        min(by_beta, key=lambda beta: float(np.median(by_beta[beta]))),
        max(by_beta, key=lambda beta: float(np.median(by_beta[beta]))),
    )
    below = float(np.mean([point["off"] > 0 for point in points]))
    return [
        (
            f"Size of the error in nats, {told}. It is smallest at beta = {best:g} and largest at beta = "
            f"{worst:g}."
        ),
        by_rows_in_the_zone(many, few),
        (
            f"(46) gave the evidence as smaller than it is at {below:.0%} of the points: a narrow "
            "quadratic zone has a sharp curvature at its bottom that the loss does not keep further out."
        ),
        *choices(records),
    ]


def by_rows_in_the_zone(many: list[float], few: list[float]) -> str:
    """Say what the number of rows with curvature does."""
    if not many or not few:
        return "All points of the grid have as many rows in a quadratic zone."
    return (
        f"With more than half of the rows in a quadratic zone the median error is {np.median(many):.2f} "
        f"nats, with fewer {np.median(few):.2f}."
    )


def choices(records: Records) -> list[str]:
    """Say whether choosing hyperparameters by (46) differs from choosing them by the integral."""
    told = []
    for beta in dict.fromkeys(beta for _, beta in records):
        repeats = [record for (_, its), found in records.items() if its == beta for record in found]
        same = np.mean([record["same point"] for record in repeats])
        lost = [record["lost nats"] for record in repeats]
        told.append(f"beta {beta:g}: the same point in {same:.0%}, {np.mean(lost):.2f} nats lost on average")
    return [f"Does it matter? Choosing C, epsilon and w on the grid by (46), {'; '.join(told)}."]
