"""Rows far from the centre of their class count less."""

from __future__ import annotations

from dataclasses import dataclass

from rowtrust.contracts import Array, Matrix
from rowtrust.memberships.base import Membership, SideInformation
from rowtrust.memberships.checks import Targets, check_option, check_positive, class_labels
from rowtrust.memberships.decays import OFFSET, linear_decay
from rowtrust.memberships.distances import class_centre_distances, kernel_centre_distances, within_classes


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
        The farthest row of a class gets ``offset / (1 + offset)``; see ``decays.OFFSET`` for the default.

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
