"""The memberships of Li et al. 2008, section 4, one class a kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.memberships.base import (
    Membership,
    SideInformation,
    Targets,
    check_floor,
    check_option,
    check_positive,
    class_labels,
    first_fit_of,
    is_class_number,
)
from rowtrust.memberships.distances import (
    OFFSET,
    alignment,
    class_centre_distances,
    exponential_decay,
    kernel_centre_distances,
    linear_decay,
    neighbour_share,
    unit_ramp,
    within_classes,
)
from rowtrust.numerics.magnitudes import shown
from rowtrust.numerics.statistics import weighted_median


@dataclass(frozen=True)
class ClassCentre(Membership):
    """Rows far from the centre of their class count less (Lin & Wang 2002).

    ``s_i = 1 - d_i / (r_k + offset r_k)``, with ``d_i`` the distance of row i to the mean of its class
    and ``r_k`` the largest such distance in class k. The papers' ``delta`` is ``offset * r_k``, so the
    units of ``X`` do not matter. A class whose rows are all equally far from its centre (one row, two
    rows, copies of a row) gives no reason to down-weight any of them: its members get 1.

    Parameters
    ----------
    space : {"input", "kernel"}, default="input"
        Where distances are measured: ``"input"``, or ``"kernel"`` for the feature space of the kernel
        (which evaluates the kernel between all pairs of rows, block by block). The default is the
        cheaper; neither is the better one everywhere. Balanced accuracies of FuzzyRVC over 20 seeds:
        0.643 in input and 0.686 in kernel space where one class has 5 % of the rows, 0.925 and 0.915
        on half-moons with a tenth of the labels wrong.
    offset : float
        The farthest row of a class gets ``offset / (1 + offset)``; see ``distances.OFFSET`` for the default.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.memberships import ClassCentre, SideInformation
    >>> X, y = np.array([[0.0], [1.0], [5.0]]), np.array([0, 0, 0])
    >>> side = SideInformation(kernel_rows=lambda rows: X[rows] @ X.T, first_fit=lambda: np.ones(3))
    >>> ClassCentre(offset=0.5)(X, y, side).round(3)
    array([0.556, 0.778, 0.333])
    """

    space: str = "input"
    offset: float = OFFSET

    def __call__(self, X: Matrix, y: Targets, side: SideInformation) -> Array:
        """Return the memberships of the rows."""
        check_option("space", self.space, ("input", "kernel"))
        check_positive("offset", self.offset)
        label = class_labels(y, "class_centre")
        weight = side.weight(len(label))
        if self.space == "kernel" or side.precomputed:
            distance = kernel_centre_distances(label, weight, side.kernel_rows)
        else:
            distance = class_centre_distances(X, label, weight)
        return within_classes(distance, label, weight, lambda part, _: linear_decay(part, self.offset))


@dataclass(frozen=True)
class Heuristic(Membership):
    """Rows that disagree with the rows around them count less (Lin & Wang 2004).

    With ``h`` a measure of agreement, ``s = 1`` for ``h > confident``, ``floor`` for ``h < trashy``, and
    ``floor + (1 - floor) ((h - trashy) / (confident - trashy))**degree`` between. Where ``confident``
    does not exceed ``trashy`` this is a step: 1 from ``trashy`` on, ``floor`` below.

    Parameters
    ----------
    measure : {"alignment", "neighbours"}, default="alignment"
        ``"alignment"``: ``h_i = sum_j y_i y_j K_ij``, where ``y_i y_j`` is +1 for rows of one class and
        -1 otherwise. It favours large classes: prefer ``"neighbours"`` on unbalanced data.
        ``"neighbours"``: the share of the nearest rows of ``X`` (the row itself excluded) that have its
        label; it needs no kernel, and counts every row once whatever its sample weight.
        The default was chosen without a study: on half-moons with a tenth of the labels wrong it reaches
        a balanced accuracy of 0.918, ``"neighbours"`` 0.938 (FuzzyRVC, 20 seeds).
    confident : float or None, default=None
        From here on a row is fully trusted. None: the median of ``h``, so at least half the rows are;
        without a study.
    trashy : float or None, default=None
        Up to here a row gets ``floor``. None: for the alignment the smallest ``h``; for the neighbours
        0 (none agrees), because a smallest share of 0.9 on clean data is no reason for doubt.
    degree : float, default=1.0
        Power of the ramp. The default is the straight one, without tuning: 0.5 gains at most 0.011 of
        balanced accuracy and 2 costs at most 0.016, with a class of 5 % of the rows and on half-moons with
        a tenth of the labels wrong (FuzzyRVC, 20 seeds).
    floor : float, default=0.1
        The smallest membership, in ``(0, 1]``. Balanced accuracy at 0.01 and at 0.3 differs by less than
        0.007 from that at the default, on the problems named under ``degree``.
    n_neighbours : int, default=10
        How many nearest rows are asked, at most the ``n - 1`` others. Balanced accuracy at 5 and at 20
        differs by less than 0.009 from that at the default, on the same problems.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.memberships import Heuristic, SideInformation
    >>> X, y = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]), np.array([0, 1, 0, 1, 1, 1])
    >>> side = SideInformation(kernel_rows=lambda rows: X[rows] @ X.T, first_fit=lambda: np.ones(6))
    >>> Heuristic("neighbours", confident=1.0, n_neighbours=2)(X, y, side)
    array([0.55, 0.1 , 0.55, 1.  , 1.  , 1.  ])
    """

    measure: str = "alignment"
    confident: float | None = None
    trashy: float | None = None
    degree: float = 1.0
    floor: float = 0.1
    n_neighbours: int = 10

    def __call__(self, X: Matrix, y: Targets, side: SideInformation) -> Array:
        """Return the memberships of the rows."""
        self.check()
        label = class_labels(y, self.measure)
        weight = side.weight(len(label))
        agreement, least = self.agreement(X, label, weight, side)
        trashy = least if self.trashy is None else self.trashy
        confident = weighted_median(agreement, weight) if self.confident is None else self.confident
        ramp = unit_ramp(agreement, trashy, confident)
        return (1.0 - self.floor) * ramp**self.degree + self.floor

    def agreement(
        self, X: Matrix, label: Indices, weight: Array, side: SideInformation
    ) -> tuple[Array, float]:
        """Return ``h``, and the ``h`` of a row that gets ``floor``, unless ``trashy`` is given."""
        if self.measure == "alignment":
            aligned = alignment(label, weight, side.kernel_rows)
            return aligned, float(aligned.min())
        if side.precomputed:
            raise ValueError(
                "membership 'neighbours' needs inputs, not a precomputed kernel. Use 'alignment', "
                "'kernel_class_centre' or 'imbalance'."
            )
        return neighbour_share(X, label, self.n_neighbours), 0.0

    def check(self) -> None:
        """Raise ValueError where an option makes no sense."""
        check_option("measure", self.measure, ("alignment", "neighbours"))
        check_positive("degree", self.degree)
        check_floor(self.floor)
        if not isinstance(self.n_neighbours, Integral) or self.n_neighbours < 1:
            raise ValueError(
                f"n_neighbours must be a whole number of at least 1; got {shown(self.n_neighbours)}."
            )
        if self.confident is not None and self.trashy is not None and self.confident < self.trashy:
            raise ValueError(
                f"confident must not lie below trashy; got confident={shown(self.confident)} and "
                f"trashy={shown(self.trashy)}. Swap them, or leave either as None to have it estimated."
            )


@dataclass(frozen=True)
class Imbalance(Membership):
    """Large classes count less, and so do rows far from where they matter (Batuwita & Palade 2010).

    Row i of class k gets ``f(d_i) n_min / n_k``, with ``n_min`` the size of the smallest class (FSVM-CIL).
    Distances are compared within a class only; comparing classes is the business of the ratio.

    Parameters
    ----------
    distance : {"class_centre", "overall_centre", "boundary"}, default="class_centre"
        ``"class_centre"``: to the mean of the own class; down-weights outliers.
        ``"overall_centre"``: to the mean of all rows; favours rows between the classes.
        ``"boundary"``: ``abs(margin)`` of a first, plain fit, which doubles the work. As in the paper
        rows near the boundary count most, on either side of it: there the wrong side means overlap,
        not error. Far rows count less: on the wrong side they are outliers, on their own side they
        add little.
        The default needs no first fit; where one class has 5 % of the rows FuzzyRVC's balanced accuracy
        is 0.838, 0.838 and 0.802 in this order (exponential decay, 20 seeds).
    decay : {"linear", "exponential"}, default="exponential"
        ``"linear"``: ``f = 1 - d / (r_k + offset r_k)`` with ``r_k`` the largest distance in the class,
        and 1 where all are equal. A class that lies far out as a whole, which happens to small ones
        with ``"overall_centre"``, is weakened as a whole.
        ``"exponential"``: ``f = 2 / (1 + exp(rate d / m_k))`` with ``m_k`` the median of the distances
        above zero in the class. The typical row gets the same in every class, and one outlier does not
        set the scale for the others, hence the default.
    rate : float, default=1.0
        Steepness of the exponential decay, the paper's ``beta`` in units of ``1 / m_k``.
        The default puts the typical row at 0.54. It was not tuned: with a class of 5 % of the rows 0.3 and
        3 give the same balanced accuracy within 0.002, but on balanced half-moons with a tenth of the
        labels wrong 0.3 gives 0.935, 1 gives 0.920 and 3 gives 0.849 (FuzzyRVC, 20 seeds).
    offset : float
        ``f`` never falls below ``offset / (1 + offset)``, for either decay; see ``distances.OFFSET`` for the
        default.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.memberships import Imbalance, SideInformation
    >>> X, y = np.array([[0.0], [0.0], [9.0], [9.0], [9.0], [9.0]]), np.array([0, 0, 1, 1, 1, 1])
    >>> side = SideInformation(kernel_rows=lambda rows: X[rows] @ X.T, first_fit=lambda: np.ones(6))
    >>> Imbalance()(X, y, side)
    array([1. , 1. , 0.5, 0.5, 0.5, 0.5])
    """

    distance: str = "class_centre"
    decay: str = "exponential"
    rate: float = 1.0
    offset: float = OFFSET

    def __call__(self, X: Matrix, y: Targets, side: SideInformation) -> Array:
        """Return the memberships of the rows."""
        self.check()
        label = class_labels(y, "imbalance")
        weight = side.weight(len(label))
        distance = self.distances(X, label, weight, side)
        closeness = within_classes(distance, label, weight, self.decayed)
        count = np.bincount(label, weight)
        ratio: Array = count.min() / count[label]
        return closeness * ratio

    def distances(self, X: Matrix, label: Indices, weight: Array, side: SideInformation) -> Array:
        """Return how far each row lies from what ``distance`` names."""
        if self.distance == "boundary":
            return np.abs(first_fit_of(side.first_fit, X.shape[0]))
        if self.distance == "overall_centre":
            label = np.zeros_like(label)
        if side.precomputed:
            return kernel_centre_distances(label, weight, side.kernel_rows)
        return class_centre_distances(X, label, weight)

    def decayed(self, distance: Array, weight: Array) -> Array:
        """Return ``f`` for the distances of one class."""
        if self.decay == "linear":
            return linear_decay(distance, self.offset)
        return exponential_decay(distance, weight, self.rate, self.offset)

    def check(self) -> None:
        """Raise ValueError where an option makes no sense."""
        check_option("distance", self.distance, ("class_centre", "overall_centre", "boundary"))
        check_option("decay", self.decay, ("linear", "exponential"))
        check_positive("rate", self.rate)
        check_positive("offset", self.offset)


@dataclass(frozen=True)
class Residual(Membership):
    """Rows that a first, plain regression misses count less.

    ``s_i = 1 - |e_i| / (max|e| + offset max|e|)``. Residuals that are all of one size, zero included,
    rank no row: every row gets 1.

    Parameters
    ----------
    offset : float
        The row with the largest residual gets ``offset / (1 + offset)``; see ``distances.OFFSET`` for the
        default.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.memberships import Residual, SideInformation
    >>> X, y = np.zeros((3, 1)), np.array([0.0, 1.0, -4.0])
    >>> side = SideInformation(kernel_rows=lambda rows: np.ones((3, 3))[rows], first_fit=lambda: y)
    >>> Residual(offset=0.25)(X, y, side)
    array([1. , 0.8, 0.2])
    """

    offset: float = OFFSET

    def __call__(self, X: Matrix, y: Targets, side: SideInformation) -> Array:
        """Return the memberships of the rows."""
        check_positive("offset", self.offset)
        if is_class_number(y):
            raise ValueError(
                "membership 'residual' needs real targets (floats), because only regression has residuals; "
                f"got y of dtype {np.asarray(y).dtype}. For classification use 'class_centre', "
                "'neighbours' or 'imbalance'."
            )
        return linear_decay(np.abs(first_fit_of(side.first_fit, X.shape[0])), self.offset)


@dataclass(frozen=True, eq=False)
class Time(Membership):
    """Old rows count less (Lin & Wang 2002): the newest row gets 1, the oldest ``floor``.

    ``s_i = (1 - floor) u_i + floor``, or with ``u_i**2``, where ``u_i`` runs from 0 at the first time to
    1 at the last. Rows that share a single time are all the newest and get 1.

    Parameters
    ----------
    order : {"linear", "quadratic"}, default="linear"
        ``"linear"`` or ``"quadratic"``, which forgets faster. The default is the gentler, without a study.
    floor : float, default=0.1
        Membership of the oldest row, in ``(0, 1]``. The default is a compromise: where nothing drifts, 0.01
        and 0.3 give the same balanced accuracy within 0.002; where the boundary rotates by 60 degrees from
        the oldest row to the newest they give 0.914 and 0.907, the default 0.909, no memberships 0.895
        (FuzzyRVC, linear, 20 seeds). Give less where old rows mislead.
    times : array-like of shape (n,) or None, default=None
        One number or date per row; None when the rows stand in order of time.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.memberships import SideInformation, Time
    >>> X, y = np.zeros((3, 1)), np.zeros(3)
    >>> side = SideInformation(kernel_rows=lambda rows: np.ones((3, 3))[rows], first_fit=lambda: y)
    >>> Time(floor=0.2)(X, y, side)
    array([0.2, 0.6, 1. ])
    """

    order: str = "linear"
    floor: float = 0.1
    times: ArrayLike | None = field(default=None, repr=False)

    def __call__(self, X: Matrix, y: Targets, side: SideInformation) -> Array:
        """Return the memberships of the rows."""
        check_option("order", self.order, ("linear", "quadratic"))
        check_floor(self.floor)
        progress = elapsed(self.times, X.shape[0])
        power = 1.0 if self.order == "linear" else 2.0
        return (1.0 - self.floor) * progress**power + self.floor


def elapsed(times: ArrayLike | None, n_rows: int) -> Array:
    """Return the share of the time span that had passed at each row; ones where no time passed."""
    moments: NDArray[Any] = np.arange(n_rows, dtype=np.float64) if times is None else np.asarray(times)
    if moments.dtype.kind != "M":
        moments = moments.astype(np.float64)
    if moments.shape != (n_rows,) or not np.isfinite(moments).all():
        raise ValueError(
            f"times must give one finite number or date per row, shape ({n_rows},); got shape "
            f"{moments.shape} with {np.count_nonzero(~np.isfinite(moments))} values not finite. Give the "
            "times of the rows of X, or sort the rows by time and leave times=None."
        )
    since = moments - moments.min()
    span = since.max()
    # A span of dates divides like one of numbers.
    return since / span if span > 0 * span else np.ones(n_rows)
