"""The relations, and how nearly each holds: the one place where tolerances are stated.

A relation changes a table in a way that must not change what a model says of it, and takes what the model
then says back to the first table. Differences are the largest over all rows: of probabilities and of trust as
they are, of means and deviations in standard deviations of the targets.

Tolerances have three reasons:

``EXACT``
    The fit sees the very same numbers: rows are put into an order of their content, equal ones are one row
    that stands for all, and storage is converted first. Memberships of fuzzy machines are made of the rows
    as they are given, and their sums round, so that these machines have ``ROUNDING`` instead; so have
    trusted estimators, whose inner fits do so.
``ROUNDING``
    The fit sees the same numbers but for roundings of a last digit, such as sums over columns in another
    order. Where targets have noise a fit carries them to 1e-10 or so; where they have none it interpolates,
    and its steps, some hundreds, may carry them to 1e-5 (one in 24 random tables, RVR).
``MIRRORED``
    The two classes change sides. Log-odds of the one are minus those of the other, and so are their sites,
    but the numbers at which the solver stops differ by its tolerance: 2e-5 was measured.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from tests.metamorphic.tables import INNER, Table, changed

EXACT, ROUNDING, MIRRORED = 1e-9, 1e-4, 1e-3
ONE_KERNEL = (("kernel", "rbf"),)
"""Where storage alone changes, which is undone before any kernel is chosen; BayesianSVR has but one."""


@dataclass(frozen=True)
class Relation:
    """A change of a table, and how nearly the answers must be the same.

    Attributes
    ----------
    change
        Makes of a table and a generator the changed table, and what takes answers back.
    tolerance
        Of the largest difference.
    targets
        "any", "classes" or "numbers": of which tables it is a relation.
    options
        Settings of both fits, where the relation is not one of the defaults.
    without
        Estimators that do not take such a table.
    """

    change: Callable
    tolerance: float
    targets: str = "any"
    options: tuple = ()
    without: tuple = ()

    def tolerance_for(self, name):
        """Return the tolerance; memberships, and what others fit, are made of the rows as they are given."""
        return max(self.tolerance, ROUNDING) if name.startswith(("Fuzzy", "Trusted")) else self.tolerance

    def options_for(self, name):
        """Return the settings of both fits."""
        return () if name in ("BayesianSVR", *INNER) else self.options

    def holds_for(self, name, is_classifier):
        wanted = "classes" if is_classifier else "numbers"
        return self.targets in ("any", wanted) and name not in self.without


def as_it_is(said):
    return said


def row_order(table: Table, generator):
    order = generator.permutation(len(table.X))
    return changed(table, X=table.X[order], y=table.y[order]), trust_of(np.argsort(order))


def trust_of(rows):
    """Return what takes the trust in these rows, one for each of the first table."""

    def back(said):
        return said.with_parts(trust=said.parts["trust"][rows]) if "trust" in said.parts else said

    return back


def column_order(table, generator):
    order = generator.permutation(table.X.shape[1])
    order = np.roll(order, 1) if (order == np.arange(len(order))).all() else order
    return of_inputs(table, lambda X: X[:, order])


def of_inputs(table, function):
    """Return the table with all inputs changed by a function."""
    return changed(table, X=function(table.X), new=function(table.new)), as_it_is


def units(table, generator):
    unit = 10.0 ** generator.uniform(-4.0, 4.0, table.X.shape[1])
    origin = unit * generator.normal(size=len(unit))
    return of_inputs(table, lambda X: X * unit + origin)


def signs(table, generator):
    sign = np.where(np.arange(table.X.shape[1]) % 2 == 0, -1.0, 1.0)
    return of_inputs(table, lambda X: X * sign)


def constant_column(table, generator):
    return of_inputs(table, lambda X: np.insert(X, 1, 1e5, axis=1))


def single_precision(table, generator):
    return of_inputs(table, lambda X: X.astype(np.float32))


def column_major(table, generator):
    return of_inputs(table, np.asfortranarray)


def sparse(table, generator):
    return of_inputs(table, csr_array)


def frame(table, generator):
    import pandas as pd

    names = [f"input {number}" for number in range(table.X.shape[1])]
    return of_inputs(table, lambda X: pd.DataFrame(X, columns=names, index=np.arange(len(X))[::-1]))


def targets(factor, shift):
    """Return the change of targets to ``factor * y + shift``."""

    def change(table, generator):
        def back(said):
            mean, std = (said.parts["mean"] - shift) / factor, said.parts["std"] / abs(factor)
            return said.with_parts(mean=mean, std=std)

        return changed(table, y=factor * table.y + shift), back

    return change


def names(table, generator):
    return changed(table, y=np.array(["ash", "birch", "cedar"])[table.y]), as_it_is


def names_reversed(table, generator):
    def back(said):
        return said.with_parts(probability=said.parts["probability"][:, ::-1])

    return changed(table, y=np.array(["oak", "fir", "elm"])[table.y]), back


def copies(table, generator):
    """Rows as often as their weights say, in any order, instead of weights; a row of none is not there."""
    weight = np.arange(len(table.X)) % 4
    rows = np.repeat(np.arange(len(table.X)), weight)
    order = generator.permutation(len(rows))
    repeated = changed(table, X=table.X[rows[order]], y=table.y[rows[order]], weight=None)
    last = np.zeros(len(table.X), dtype=int)
    last[rows[order]] = np.arange(len(rows))

    def back(said):
        if "trust" not in said.parts:
            return said
        return said.with_parts(trust=np.where(weight > 0, said.parts["trust"][last], 0.0))

    return repeated, back


RELATIONS = {
    "order of rows": Relation(row_order, EXACT),
    "copies against weights": Relation(copies, EXACT),
    "float32 against float64": Relation(single_precision, EXACT, options=ONE_KERNEL),
    "column-major order": Relation(column_major, EXACT, options=ONE_KERNEL),
    "DataFrame against array": Relation(frame, EXACT, options=ONE_KERNEL),
    "names of classes": Relation(names, EXACT, "classes", options=ONE_KERNEL),
    "order of columns": Relation(column_order, ROUNDING),
    "units of columns": Relation(units, ROUNDING, without=tuple(INNER)),
    "signs of columns": Relation(signs, ROUNDING),
    "a constant column": Relation(constant_column, ROUNDING, without=("TrustedClassifier",)),
    "sparse against dense": Relation(sparse, ROUNDING, options=ONE_KERNEL, without=("BayesianSVR", *INNER)),
    "shift of targets": Relation(targets(1.0, 300.0), ROUNDING, "numbers"),
    "scale of targets": Relation(targets(37.0, 0.0), ROUNDING, "numbers"),
    "sign of targets": Relation(targets(-1.0, 0.0), ROUNDING, "numbers"),
    "order of the names of classes": Relation(names_reversed, MIRRORED, "classes"),
}
"""What a model does not depend on. Trusted estimators depend on what those that they fit depend on: ridge and
logistic regression on units and storage, the latter on a large constant."""
