"""Fuzzy memberships: how far each row is believed before the fit (Li et al. 2008, section 4).

A membership maps the training rows to numbers in ``(0, 1]`` that serve as fixed power weights. Small
constants are shares of the data's own scale, so no membership changes when its distances are all
multiplied by a number. Kernels are read one block of rows at a time: memory stays linear in ``n``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.memberships.checks import (
    Targets,
    check_floor,
    check_option,
    check_positive,
    checked,
    class_labels,
    elapsed,
    first_fit_of,
    is_class_number,
)
from rowtrust.memberships.distances import (
    KernelRows,
    alignment,
    class_centre_distances,
    exponential_decay,
    kernel_centre_distances,
    linear_decay,
    neighbour_share,
    unit_ramp,
    weighted_median,
    within_classes,
)


@dataclass(frozen=True)
class Context:
    """What a membership may ask about the rows besides ``X`` and ``y``.

    Attributes
    ----------
    kernel_rows
        ``kernel_rows(rows)`` is the kernel between the rows of that slice and all ``n`` rows, shape
        ``(block, n)``; a precomputed kernel can answer it too.
    first_fit
        Runs a plain fit on these very rows when called. Classification: the signed margin of each
        row, positive on the side of its own label; regression: the residual ``y - f``. Shape ``(n,)``.
    sample_weight
        How many copies each row stands for, shape ``(n,)``; None: one.
    precomputed
        Whether X holds kernel rows instead of inputs. Distances are then those of the kernel's space.
    """

    kernel_rows: KernelRows
    first_fit: Callable[[], Array]
    sample_weight: Array | None = None
    precomputed: bool = False

    def weight(self, n_rows: int) -> Array:
        """Return how many copies each row stands for."""
        return np.ones(n_rows) if self.sample_weight is None else self.sample_weight


class Membership(ABC):
    """How far each row is believed, as a function of all the rows."""

    @abstractmethod
    def __call__(self, X: Matrix, y: Targets, context: Context) -> Array:
        """Return one number in ``(0, 1]`` per row, shape ``(n,)``."""


@dataclass(frozen=True)
class ClassCentre(Membership):
    """Rows far from the centre of their class count less (Lin & Wang 2002).

    ``s_i = 1 - d_i / (r_k + offset r_k)``, with ``d_i`` the distance of row i to the mean of its class
    and ``r_k`` the largest such distance in class k. The papers' ``delta`` is ``offset * r_k``, so the
    units of ``X`` do not matter. A class whose rows are all equally far from its centre (one row, two
    rows, copies of a row) gives no reason to doubt any of them: its members get 1.

    Parameters
    ----------
    space
        Where distances are measured: ``"input"``, or ``"kernel"`` for the feature space of the kernel
        (which evaluates the kernel between all pairs of rows, block by block).
    offset
        The farthest row of a class gets ``offset / (1 + offset)``.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0], [1.0], [5.0]]), np.array([0, 0, 0])
    >>> context = Context(kernel_rows=lambda rows: (X @ X.T)[rows], first_fit=lambda: np.ones(3))
    >>> ClassCentre(offset=0.5)(X, y, context).round(3)
    array([0.556, 0.778, 0.333])
    """

    space: str = "input"
    offset: float = 1e-3

    def __call__(self, X: Matrix, y: Targets, context: Context) -> Array:
        """Return the memberships of the rows."""
        check_option("space", self.space, ("input", "kernel"))
        check_positive("offset", self.offset)
        label = class_labels(y, "class_centre")
        weight = context.weight(len(label))
        if self.space == "kernel" or context.precomputed:
            distance = kernel_centre_distances(label, weight, context.kernel_rows)
        else:
            distance = class_centre_distances(X, label, weight)
        return within_classes(distance, label, weight, lambda part, _: linear_decay(part, self.offset))


@dataclass(frozen=True, eq=False)
class Time(Membership):
    """Old rows count less (Lin & Wang 2002): the newest row gets 1, the oldest ``floor``.

    ``s_i = (1 - floor) u_i + floor``, or with ``u_i**2``, where ``u_i`` runs from 0 at the first time to
    1 at the last. Rows that share a single time are all the newest and get 1.

    Parameters
    ----------
    order
        ``"linear"`` or ``"quadratic"``, which forgets faster.
    floor
        Membership of the oldest row, in ``(0, 1]``.
    times
        One number or date per row; None when the rows stand in order of time.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.zeros((3, 1)), np.zeros(3)
    >>> context = Context(kernel_rows=lambda rows: np.ones((3, 3))[rows], first_fit=lambda: y)
    >>> Time(floor=0.2)(X, y, context)
    array([0.2, 0.6, 1. ])
    """

    order: str = "linear"
    floor: float = 0.1
    times: ArrayLike | None = field(default=None, repr=False)

    def __call__(self, X: Matrix, y: Targets, context: Context) -> Array:
        """Return the memberships of the rows."""
        check_option("order", self.order, ("linear", "quadratic"))
        check_floor(self.floor)
        progress = elapsed(self.times, X.shape[0])
        power = 1.0 if self.order == "linear" else 2.0
        return (1.0 - self.floor) * progress**power + self.floor


@dataclass(frozen=True)
class Heuristic(Membership):
    """Rows that disagree with the rows around them count less (Lin & Wang 2004).

    With ``h`` a measure of agreement, ``s = 1`` for ``h > confident``, ``floor`` for ``h < trashy``, and
    ``floor + (1 - floor) ((h - trashy) / (confident - trashy))**degree`` between. Where ``confident``
    does not exceed ``trashy`` this is a step: 1 from ``trashy`` on, ``floor`` below.

    Parameters
    ----------
    measure
        ``"alignment"``: ``h_i = sum_j y_i y_j K_ij``, where ``y_i y_j`` is +1 for rows of one class and
        -1 otherwise. It favours large classes: prefer ``"neighbours"`` on unbalanced data.
        ``"neighbours"``: the share of the nearest rows of ``X`` (the row itself excluded) that have its
        label; it needs no kernel, and counts every row once whatever its sample weight.
    confident
        From here on a row is fully believed. None: the median of ``h``, so at least half the rows are.
    trashy
        Up to here a row gets ``floor``. None: for the alignment the smallest ``h``; for the neighbours
        0 (none agrees), because a smallest share of 0.9 on clean data is no reason for doubt.
    degree
        Power of the ramp.
    floor
        The smallest membership, in ``(0, 1]``.
    n_neighbours
        How many nearest rows are asked, at most the ``n - 1`` others.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]), np.array([0, 1, 0, 1, 1, 1])
    >>> context = Context(kernel_rows=lambda rows: (X @ X.T)[rows], first_fit=lambda: np.ones(6))
    >>> Heuristic("neighbours", confident=1.0, n_neighbours=2)(X, y, context)
    array([0.55, 0.1 , 0.55, 1.  , 1.  , 1.  ])
    """

    measure: str = "alignment"
    confident: float | None = None
    trashy: float | None = None
    degree: float = 1.0
    floor: float = 0.1
    n_neighbours: int = 10

    def __call__(self, X: Matrix, y: Targets, context: Context) -> Array:
        """Return the memberships of the rows."""
        self.check()
        label = class_labels(y, self.measure)
        weight = context.weight(len(label))
        if self.measure == "alignment":
            agreement = alignment(label, weight, context.kernel_rows)
            least = float(agreement.min())
        elif context.precomputed:
            raise ValueError(
                "membership 'neighbours' needs inputs, not a precomputed kernel. Use 'alignment', "
                "'kernel_class_centre' or 'imbalance'."
            )
        else:
            agreement, least = neighbour_share(X, label, self.n_neighbours), 0.0
        trashy = least if self.trashy is None else self.trashy
        confident = weighted_median(agreement, weight) if self.confident is None else self.confident
        ramp = unit_ramp(agreement, trashy, confident)
        return (1.0 - self.floor) * ramp**self.degree + self.floor

    def check(self) -> None:
        """Raise ValueError where an option makes no sense."""
        check_option("measure", self.measure, ("alignment", "neighbours"))
        check_positive("degree", self.degree)
        check_floor(self.floor)
        if not isinstance(self.n_neighbours, Integral) or self.n_neighbours < 1:
            raise ValueError(f"n_neighbours must be a whole number of at least 1; got {self.n_neighbours!r}.")
        if self.confident is not None and self.trashy is not None and self.confident < self.trashy:
            raise ValueError(
                f"confident must not lie below trashy; got confident={self.confident!r} and "
                f"trashy={self.trashy!r}. Swap them, or leave either as None to have it estimated."
            )


@dataclass(frozen=True)
class Imbalance(Membership):
    """Large classes count less, and so do rows far from where they matter (Batuwita & Palade 2010).

    Row i of class k gets ``f(d_i) n_min / n_k``, with ``n_min`` the size of the smallest class (FSVM-CIL).
    Distances are compared within a class only; comparing classes is the business of the ratio.

    Parameters
    ----------
    distance
        ``"class_centre"``: to the mean of the own class; doubts outliers.
        ``"overall_centre"``: to the mean of all rows; believes the rows between the classes.
        ``"boundary"``: ``abs(margin)`` of a first, plain fit, which doubles the work. As in the paper
        rows near the boundary are believed most, on either side of it: there a wrong side is overlap,
        not error. Far rows are believed less, on the wrong side as outliers and on their own as
        telling nothing new.
    decay
        ``"linear"``: ``f = 1 - d / (r_k + offset r_k)`` with ``r_k`` the largest distance in the class,
        and 1 where all are equal. A class that lies far out as a whole, which happens to small ones
        with ``"overall_centre"``, is weakened as a whole.
        ``"exponential"``: ``f = 2 / (1 + exp(rate d / m_k))`` with ``m_k`` the median of the distances
        above zero in the class. The typical row gets the same in every class, and one outlier does not
        set the scale for the others, hence the default.
    rate
        Steepness of the exponential decay, the paper's ``beta`` in units of ``1 / m_k``.
    offset
        ``f`` never falls below ``offset / (1 + offset)``, for either decay.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0], [0.0], [9.0], [9.0], [9.0], [9.0]]), np.array([0, 0, 1, 1, 1, 1])
    >>> context = Context(kernel_rows=lambda rows: (X @ X.T)[rows], first_fit=lambda: np.ones(6))
    >>> Imbalance()(X, y, context)
    array([1. , 1. , 0.5, 0.5, 0.5, 0.5])
    """

    distance: str = "class_centre"
    decay: str = "exponential"
    rate: float = 1.0
    offset: float = 1e-3

    def __call__(self, X: Matrix, y: Targets, context: Context) -> Array:
        """Return the memberships of the rows."""
        check_option("distance", self.distance, ("class_centre", "overall_centre", "boundary"))
        check_option("decay", self.decay, ("linear", "exponential"))
        check_positive("rate", self.rate)
        check_positive("offset", self.offset)
        label = class_labels(y, "imbalance")
        weight = context.weight(len(label))
        distance = self.distances(X, label, weight, context)
        closeness = within_classes(distance, label, weight, self.faded)
        count = np.bincount(label, weight)
        ratio: Array = count.min() / count[label]
        return closeness * ratio

    def distances(self, X: Matrix, label: Indices, weight: Array, context: Context) -> Array:
        """Return how far each row lies from what ``distance`` names."""
        if self.distance == "boundary":
            return np.abs(first_fit_of(context.first_fit, X.shape[0]))
        if self.distance == "overall_centre":
            label = np.zeros_like(label)
        if context.precomputed:
            return kernel_centre_distances(label, weight, context.kernel_rows)
        return class_centre_distances(X, label, weight)

    def faded(self, distance: Array, weight: Array) -> Array:
        """Return ``f`` for the distances of one class."""
        if self.decay == "linear":
            return linear_decay(distance, self.offset)
        return exponential_decay(distance, weight, self.rate, self.offset)


@dataclass(frozen=True)
class Residual(Membership):
    """Rows that a first, plain regression misses count less.

    ``s_i = 1 - |e_i| / (max|e| + offset max|e|)``. Residuals that are all of one size, zero included,
    rank no row: every row gets 1.

    Parameters
    ----------
    offset
        The row with the largest residual gets ``offset / (1 + offset)``.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.zeros((3, 1)), np.array([0.0, 1.0, -4.0])
    >>> context = Context(kernel_rows=lambda rows: np.ones((3, 3))[rows], first_fit=lambda: y)
    >>> Residual(offset=0.25)(X, y, context)
    array([1. , 0.8, 0.2])
    """

    offset: float = 1e-3

    def __call__(self, X: Matrix, y: Targets, context: Context) -> Array:
        """Return the memberships of the rows."""
        check_positive("offset", self.offset)
        if is_class_number(y):
            raise ValueError(
                "membership 'residual' needs real targets (floats), because only regression has residuals; "
                f"got y of dtype {np.asarray(y).dtype}. For classification use 'class_centre', "
                "'neighbours' or 'imbalance'."
            )
        return linear_decay(np.abs(first_fit_of(context.first_fit, X.shape[0])), self.offset)


MEMBERSHIPS: dict[str, Membership] = {
    "class_centre": ClassCentre("input"),
    "kernel_class_centre": ClassCentre("kernel"),
    "time_linear": Time("linear"),
    "time_quadratic": Time("quadratic"),
    "alignment": Heuristic("alignment"),
    "neighbours": Heuristic("neighbours"),
    "imbalance": Imbalance(),
    "imbalance_linear_class_centre": Imbalance("class_centre", "linear"),
    "imbalance_linear_overall_centre": Imbalance("overall_centre", "linear"),
    "imbalance_linear_boundary": Imbalance("boundary", "linear"),
    "imbalance_exponential_class_centre": Imbalance("class_centre", "exponential"),
    "imbalance_exponential_overall_centre": Imbalance("overall_centre", "exponential"),
    "imbalance_exponential_boundary": Imbalance("boundary", "exponential"),
    "residual": Residual(),
}
"""Every membership that can be asked for by name."""


def resolve(membership: object, X: Matrix, y: Targets, context: Context) -> Array:
    """Return the memberships that a name, a ``Membership``, a callable or an array stands for.

    Parameters
    ----------
    membership
        A key of ``MEMBERSHIPS``, a ``Membership``, a callable ``(X, y) -> array``, or an array.
    X, y, context
        The rows, and what a membership may ask about them.

    Returns
    -------
    Array of shape (n,)
        A new array, every value finite and in ``(0, 1]``.
    """
    if isinstance(membership, str):
        membership = named(membership)
    if isinstance(membership, Membership):
        return checked(membership(X, y, context), X.shape[0])
    if isinstance(membership, type):
        raise ValueError(f"membership must be an instance; got the class. Write {membership.__name__}().")
    if callable(membership):
        return checked(membership(X, y), X.shape[0])
    return checked(membership, X.shape[0])


def named(name: str) -> Membership:
    """Return the membership of this name."""
    if name not in MEMBERSHIPS:
        raise ValueError(f"unknown membership {name!r}; choose one of {', '.join(map(repr, MEMBERSHIPS))}.")
    return MEMBERSHIPS[name]


def normalised(membership: Array, weight: Array) -> Array:
    """Return the memberships divided by their mean over all copies of all rows.

    A common factor on all memberships tempers the likelihood, hence the sparsity of the fit; with mean
    one the rows together count as many as they are.
    """
    scaled: Array = membership / np.average(membership, weights=weight)
    return scaled
