"""How well scores rank rows: areas under the ROC and the precision-recall curve, and the curves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import norm, rankdata, t
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_curve

from rowtrust.contracts import Array, Indices
from rowtrust.workflow.quality.intervals import exact_limits, own_groups
from rowtrust.workflow.quality.records import LEVEL, Curves, Figure

FEWEST_ROWS = 5
"""Rows of a class, and of the others, without which its ranking is not judged: the interval of the area
would span more than half of all there is."""

FEW_GROUPS = 2
"""Groups with rows of a class up to which the variance between them may be none by chance. On synthetic
rows in groups of one class that differ, intervals of 90 % held the area of 4 groups in 66 % of the cases, of
6 in 77 %; with this and Student's quantile in 99 % and 93 %."""

MOST_POINTS = 200
"""Points of a curve that are kept: more than a picture can show."""

NEAR_ONE = 1.0 - 1e-12
"""Where the search for the lower end of an area begins; at one itself the end solves its equation in vain."""

AREA = "chance that a row of one class ranks above one of the other"
"""What the area under the ROC curve is, in words."""

PRECISION = "mean share of true ones among the rows that a threshold picks out"
"""What average precision is, in words."""


def area_figure(score: Array, positive: NDArray[np.bool_], groups: Indices | None) -> Figure:
    """Return the area under the ROC curve; ties count one half.

    The interval is that of Newcombe (2006), made wider where the variance of DeLong, over groups of rows if
    there are any, is larger than the one it assumes. It is not empty if the ranking is perfect. Of few
    groups it is wider still.
    """
    groups = own_groups(groups)
    above, below = placements(score, positive)
    area = float(above.mean())
    n_up, n_down = len(above), len(below)
    wider = 1.0
    if 0.0 < area < 1.0:
        wider = seen_variance(above, below, positive, groups) / assumed_variance(area, n_up, n_down)
    if groups is not None:
        wider = wider_for_groups(wider, positive, groups, is_seen=0.0 < area < 1.0)
    wider = max(1.0, wider)
    lower = lower_end(area, n_up, n_down, wider)
    upper = 1.0 - lower_end(1.0 - area, n_up, n_down, wider)
    return Figure("AUC", area, lower, upper, AREA, "score interval (Newcombe), no narrower than DeLong's")


def wider_for_groups(wider: float, positive: NDArray[np.bool_], groups: Indices, *, is_seen: bool) -> float:
    """Return by what the assumed variance grows where rows come in groups.

    A variance that is seen over few groups is itself not known well: Student's quantile allows for that. Over
    one or two of a class, or where none is seen, groups count at least as one row of each class they have.
    """
    n_groups = len(np.unique(groups[positive])), len(np.unique(groups[~positive]))
    fewest, tail = min(n_groups), 0.5 + 0.5 * LEVEL
    wider *= float(t.ppf(tail, max(fewest - 1, 1)) / norm.ppf(tail)) ** 2 if is_seen else 1.0
    if is_seen and fewest > FEW_GROUPS:
        return wider
    n_rows = int(positive.sum()), int((~positive).sum())
    return max(wider, assumed_variance(0.5, *n_groups) / assumed_variance(0.5, *n_rows))


def placements(score: Array, positive: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Return the share of others below each positive row, and of positive rows above each other."""
    rank = rankdata(score)
    up, down = rank[positive], rank[~positive]
    above = (up - rankdata(score[positive])) / len(down)
    below = 1.0 - (down - rankdata(score[~positive])) / len(up)
    return above, below


def seen_variance(above: Array, below: Array, positive: NDArray[np.bool_], groups: Indices | None) -> float:
    """Return the variance of an area as DeLong has it, or over groups as Obuchowski (1997)."""
    area = above.mean()
    influence = np.empty(len(positive))
    influence[positive] = (above - area) / len(above)
    influence[~positive] = (below - area) / len(below)
    sums = influence if groups is None else np.bincount(groups, influence)
    return float(sums @ sums) * len(sums) / max(len(sums) - 1.0, 1.0)


def assumed_variance(area: float, n_up: int, n_down: int) -> float:
    """Return the variance of an area for exponential scores (Hanley and McNeil), as Newcombe has it."""
    middle = 0.5 * (n_up + n_down) - 1.0
    spread = 1.0 + middle * ((1.0 - area) / (2.0 - area) + area / (1.0 + area))
    return area * (1.0 - area) * spread / (n_up * n_down)


def lower_end(area: float, n_up: int, n_down: int, wider: float) -> float:
    """Return the least area from which the one that was seen is not too far."""
    reach = float(norm.ppf(0.5 + 0.5 * LEVEL)) * np.sqrt(wider)
    if area <= 0.0:
        return 0.0

    def ahead(true: float) -> float:
        return float(area - true - reach * np.sqrt(assumed_variance(true, n_up, n_down)))

    return float(brentq(ahead, 0.0, min(area, NEAR_ONE)))


def precision_figure(score: Array, positive: NDArray[np.bool_], groups: Indices | None) -> Figure:
    """Return the average precision, with the binomial interval of Boyd, Eng and Page (2013).

    Positive rows count as the trials; of rows in groups, the groups that have some.
    """
    value = float(average_precision_score(positive, score))
    groups = own_groups(groups)
    trials = int(positive.sum()) if groups is None else len(np.unique(groups[positive]))
    lower, upper = exact_limits(value * trials, trials)
    return Figure("average precision", value, lower, upper, PRECISION, "binomial over positive rows")


def curves_of(name: str, score: Array, positive: NDArray[np.bool_], groups: Indices | None) -> Curves:
    """Return the curves of a class against the others; both must have a row."""
    false_rate, true_rate, _ = roc_curve(positive, score)
    precision, recall, _ = precision_recall_curve(positive, score, drop_intermediate=True)
    false_rate, true_rate = thinned(false_rate, true_rate)
    recall, precision = thinned(recall, precision)
    enough = min(positive.sum(), (~positive).sum()) >= FEWEST_ROWS
    false, true, found, right = (tuple(each.tolist()) for each in (false_rate, true_rate, recall, precision))
    return Curves(
        name,
        float(positive.mean()),
        false,
        true,
        found,
        right,
        area_figure(score, positive, groups) if enough else None,
        precision_figure(score, positive, groups) if enough else None,
    )


def thinned(x: Array, y: Array) -> tuple[Array, Array]:
    """Return points of a curve that lie about equally far apart along it, both ends among them."""
    if len(x) <= MOST_POINTS:
        return x, y
    way = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y)))])
    chosen = np.searchsorted(way, np.linspace(0.0, way[-1], MOST_POINTS))
    chosen = np.unique(np.concatenate([[0], chosen[1:-1], [len(x) - 1]]))
    return x[chosen], y[chosen]
