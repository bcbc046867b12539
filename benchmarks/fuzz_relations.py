"""Random relations: two fits that must say the same, whatever the rows and the options are."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone
from sklearn.utils._param_validation import StrOptions

import rowtrust
from benchmarks.fuzz_data import Generator, Rows, draw_rows, one_of
from benchmarks.fuzz_options import CLASSIFIERS, ESTIMATORS, Model
from benchmarks.fuzz_outcomes import Fault, Refused, asked, only_known_warnings

Tell = Callable[[str], None]

EXACT, CLOSE, LOOSE = 1e-9, 1e-5, 0.1
"""Largest differences, in probabilities or in deviations of y. *Exact*: the same numbers go in. *Close*: the
same but for rounding, which decides nothing. *Loose*: rounding may decide between kernels or vectors that are
as good, so that what is said of a row differs as two sound fits do."""

FEWEST = 8
"""Rows below which nearly any two kernels are as good."""

NUMBERS: dict[str, tuple[Any, ...]] = {
    "gamma": (0.1, 1.0),
    "sparsity": (0.0,),
    "label_noise": (0.0, 0.1),
    "trust_prior": (0.5, 2.0),
    "degree": (1, 2),
}
"""Numbers of options under which a relation is asked for; all others stay at their defaults."""

LEFT_OUT = {
    *("max_iter", "tol", "basis", "n_jobs", "random_state", "class_weight"),
    *("likelihood", "weights", "coef0", "C", "epsilon", "beta", "relevance", "kernel_variance"),
    *("bias_variance", "n_restarts", "combine", "solver"),
}
"""Options that end a fit early, draw at random, name rows, columns or classes, are in units, or take n^3."""


@dataclass(frozen=True)
class Relation:
    """A change of the rows, and what it may do to the answer.

    Attributes
    ----------
    change
        From the rows to others, of which the same fit must say the same.
    tolerance
        How large a difference may be.
    back
        From what is said of the other rows to what should have been said of the first.
    """

    change: Callable[[Generator, Rows], Rows]
    tolerance: float
    back: Callable[[Any, Rows], Any] = lambda said, rows: said


def case(generator: Generator, tell: Tell) -> None:
    """Fit twice, and compare."""
    name = one_of(generator, ESTIMATORS)
    with np.errstate(all="ignore"):
        rows = sound_rows(generator, name in CLASSIFIERS)
        model = draw_plain(generator, name)
    relation = one_of(generator, [each for each in RELATIONS if applies(each, model, rows)])
    tell(f"{relation}: {model}\n  {rows}")
    with only_known_warnings():
        first = asked(model.build().fit, rows.X, rows.y, sample_weight=rows.weight)
        compare(generator, RELATIONS[relation], relation, first, rows, tell)


def compare(generator: Generator, relation: Relation, name: str, first: Any, rows: Rows, tell: Tell) -> None:
    """Fit the changed rows, and see that the same is said of them."""
    other = relation.change(generator, rows)
    try:
        second = clone(first).fit(other.X, other.y, sample_weight=other.weight)
    except ValueError as error:
        raise Fault("relation", f"{name}: refused after the change only: {error}") from error
    expected = asked(said, first, rows.new)
    found = relation.back(asked(said, second, other.new), rows)
    unit = 1.0 if hasattr(first, "classes_") else max(float(np.std(rows.y)), 1e-12 * np.abs(rows.y).max())
    if unit == 0.0:
        raise Refused("constant targets have no unit")
    difference = float(np.abs(expected - found).max()) / unit
    tell(f"  difference {difference:.3g}, tolerance {relation.tolerance:g}")
    if not difference <= relation.tolerance:
        raise Fault(
            "relation", f"{name} of {type(first).__name__}: {difference:.3g} > {relation.tolerance:g}"
        )


def said(model: Any, X: Any) -> Any:
    """Return probabilities, or means."""
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


def sound_rows(generator: Generator, classifies: bool) -> Rows:
    """Return dense rows of moderate numbers, one target, weights of copies."""
    while True:
        rows = draw_rows(generator, classifies, odd=0.06, fewest=FEWEST)
        dense = isinstance(rows.X, np.ndarray) and rows.X.dtype == np.float64
        moderate = dense and float(np.nanmax(np.abs(rows.X), initial=0.0)) < 1e6
        weighed = rows.weight is None or (
            np.shape(rows.weight) == rows.X.shape[:1] and (rows.weight >= 0).all()
        )
        if moderate and weighed and np.ndim(rows.y) == 1 and is_moderate(rows.y):
            single = rows.X.astype(np.float32).astype(float), rows.new.astype(np.float32).astype(float)
            return replace(rows, X=single[0], new=single[1])


def is_moderate(y: Any) -> bool:
    """Whether targets are labels, or numbers of everyday size."""
    if y.dtype.kind != "f" or len(np.unique(y)) < 2:
        return len(np.unique(y)) > 1
    return bool(np.isfinite(y).all() and np.std(y) > 1e-6 * np.abs(y).max() and np.abs(y).max() < 1e6)


def draw_plain(generator: Generator, name: str) -> Model:
    """Return an estimator with options that say nothing of single rows and columns."""
    options: dict[str, Any] = {}
    for option, constraints in getattr(rowtrust, name)._parameter_constraints.items():
        if option in LEFT_OUT or generator.random() < 0.75:
            continue
        choices = [*NUMBERS.get(option, ()), *([None] if None in constraints else [])]
        for constraint in constraints:
            if isinstance(constraint, StrOptions):
                choices += sorted(constraint.options - {"precomputed", "time_linear", "time_quadratic"})
        if choices:
            options[option] = one_of(generator, choices)
    return Model(name, {**options, **({} if name == "BayesianSVR" else {"random_state": 0})})


# the relations --------------------------------------------------------------------------------------


def reordered_rows(generator: Generator, rows: Rows) -> Rows:
    order = generator.permutation(len(rows.X))
    weight = None if rows.weight is None else rows.weight[order]
    return replace(rows, X=rows.X[order], y=rows.y[order], weight=weight)


def reordered_columns(generator: Generator, rows: Rows) -> Rows:
    order = generator.permutation(rows.X.shape[1])
    return replace(rows, X=rows.X[:, order], new=rows.new[:, order])


def other_units(generator: Generator, rows: Rows) -> Rows:
    factor = 10.0 ** generator.integers(-6, 7, size=rows.X.shape[1])
    return replace(rows, X=rows.X * factor, new=rows.new * factor)


def doubled_units(generator: Generator, rows: Rows) -> Rows:
    factor = 2.0 ** generator.integers(-20, 21, size=rows.X.shape[1])
    return replace(rows, X=rows.X * factor, new=rows.new * factor)


def scaled_target(generator: Generator, rows: Rows) -> Rows:
    return replace(rows, y=1024.0 * rows.y)


def shifted_target(generator: Generator, rows: Rows) -> Rows:
    return replace(rows, y=rows.y + 3.0 * float(np.std(rows.y)))


def turned_target(generator: Generator, rows: Rows) -> Rows:
    return replace(rows, y=-1.0 * rows.y)


def renamed(generator: Generator, rows: Rows) -> Rows:
    _, number = np.unique(rows.y, return_inverse=True)
    return replace(rows, y=np.array([f"name {place:03d}" for place in number]))


def renamed_backwards(generator: Generator, rows: Rows) -> Rows:
    _, number = np.unique(rows.y, return_inverse=True)
    return replace(rows, y=-number)


def with_constant_column(generator: Generator, rows: Rows) -> Rows:
    value = one_of(generator, (0.0, 1.0, -250.0))
    X, new = (np.column_stack([each, np.full(len(each), value)]) for each in (rows.X, rows.new))
    return replace(rows, X=X, new=new)


def copied(generator: Generator, rows: Rows) -> Rows:
    times = np.ones(len(rows.X), dtype=int) if rows.weight is None else rows.weight.astype(int)
    copies = np.repeat(np.arange(len(rows.X)), times)
    return replace(rows, X=rows.X[copies], y=rows.y[copies], weight=None)


def unchanged(generator: Generator, rows: Rows) -> Rows:
    return rows


def as_sparse(generator: Generator, rows: Rows) -> Rows:
    return replace(rows, X=sparse.csr_matrix(rows.X), new=sparse.csr_matrix(rows.new))


def as_float32(generator: Generator, rows: Rows) -> Rows:
    return replace(rows, X=rows.X.astype(np.float32), new=rows.new.astype(np.float32))


def as_frame(generator: Generator, rows: Rows) -> Rows:
    return replace(rows, X=pd.DataFrame(rows.X).add_prefix("c"), new=pd.DataFrame(rows.new).add_prefix("c"))


def without_weightless(generator: Generator, rows: Rows) -> Rows:
    kept = np.flatnonzero(rows.weight > 0) if rows.weight is not None else np.arange(len(rows.X))
    weight = None if rows.weight is None else rows.weight[kept]
    return replace(rows, X=rows.X[kept], y=rows.y[kept], weight=weight)


def pickled(generator: Generator, rows: Rows) -> Rows:
    kept: Rows = pickle.loads(pickle.dumps(rows))
    return kept


RELATIONS: dict[str, Relation] = {
    "again": Relation(unchanged, EXACT),
    "pickled rows": Relation(pickled, EXACT),
    "float32": Relation(as_float32, EXACT),
    "DataFrame": Relation(as_frame, CLOSE),
    "rows of weight zero": Relation(without_weightless, EXACT),
    "class names": Relation(renamed, EXACT),
    "class names backwards": Relation(renamed_backwards, LOOSE, lambda said, rows: said[:, ::-1]),
    "sparse": Relation(as_sparse, LOOSE),
    "row order": Relation(reordered_rows, LOOSE),
    "column order": Relation(reordered_columns, LOOSE),
    "units": Relation(other_units, LOOSE),
    "units by powers of two": Relation(doubled_units, CLOSE),
    "scale of y": Relation(scaled_target, CLOSE, lambda said, rows: said / 1024.0),
    "shift of y": Relation(shifted_target, LOOSE, lambda said, rows: said - 3.0 * float(np.std(rows.y))),
    "sign of y": Relation(turned_target, LOOSE, lambda said, rows: -said),
    "constant column": Relation(with_constant_column, LOOSE),
    "copies": Relation(copied, LOOSE),
}
"""Every relation with its tolerance."""

OF_CLASSES = {"class names", "class names backwards"}
OF_NUMBERS = {"scale of y", "shift of y", "sign of y"}
OF_UNITS = {"units", "units by powers of two", "constant column"}


def applies(name: str, model: Model, rows: Rows) -> bool:
    """Whether a relation holds for a model and rows of this kind."""
    options, machine = model.options, model.name != "BayesianSVR"
    kernel = options.get("kernel", "auto")
    whole = bool(np.isfinite(rows.X).all())
    if name in OF_CLASSES | OF_NUMBERS:
        return model.classifies == (name in OF_CLASSES)
    if name in OF_UNITS:
        linear = name == "constant column" and kernel == "polynomial"
        return options.get("scaling", "robust") is not None and not linear
    if name == "sparse":
        return machine and whole and kernel in ("rbf", "laplacian")
    if name == "copies":
        return rows.weight is None or bool((rows.weight == np.round(rows.weight)).all())
    return True
