"""What is to be fitted: the model, what was said of its kernel, and the rows once they are known."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.gaussian_process.kernels import Kernel as KernelObject

from rowtrust.contracts import Array, Indices
from rowtrust.engines import RowSource
from rowtrust.fitting.budget import Budget
from rowtrust.fitting.rows import Centres, TrainingRows, inverse_width
from rowtrust.inference import Coding, EachClass, Observer, OneAgainstRest, Solver
from rowtrust.kernels import WITH_A_WIDTH, Columns, ColumnScaling, Kernel, SharedDistances
from rowtrust.likelihoods import Likelihood
from rowtrust.numerics.magnitudes import shown
from rowtrust.priors import Prior
from rowtrust.weights import Gamma, Unit, Weights

Reporter: TypeAlias = Callable[[str], AbstractContextManager[Observer | None]]
"""Opens a task of this name, and gives the function that sees its steps."""

LEAST_TRUST = 0.05
"""Least prior of weights that multiply a precision: Student's t with a tenth of a degree of freedom. At 0.001
the square of its 95 % interval overflows. A guard."""

WIDEST = {"rbf": 12.8, "laplacian": 8.0}
"""The widest of eight widths of a Gaussian kernel, in units of the inputs' total variance, and of a Laplacian
one, in units of the sum of their deviations; each is half of the one before. On Liver's data every second
of the former costs 0.4 to 1.0 points of error on clean labels; twice as many steps, or one more at the narrow
end, gain nothing."""


@dataclass(frozen=True)
class KernelChoice:
    """What the user said of the kernel.

    Attributes
    ----------
    function
        Name, kernel object or callable.
    gamma
        "evidence", "scale" or an inverse squared width.
    degree, coef0
        Of a polynomial kernel.
    """

    function: Any = "auto"
    gamma: str | float = "evidence"
    degree: float = 3
    coef0: float = 1.0

    @property
    def is_precomputed(self) -> bool:
        """Whether the inputs are kernel values."""
        return isinstance(self.function, str) and self.function == "precomputed"

    @property
    def is_learnt(self) -> bool:
        """Whether the kernel is an object whose hyperparameters are to be learnt."""
        return self.is_object and self.gamma == "evidence" and len(self.function.theta) > 0

    @property
    def is_object(self) -> bool:
        """Whether the kernel is one of scikit-learn's objects, or made like them."""
        return isinstance(self.function, KernelObject)

    @property
    def has_width(self) -> bool:
        """Whether the kernel is one by name whose width the data may choose."""
        return isinstance(self.function, str) and self.function in ("auto", *WITH_A_WIDTH)

    def check(self, rows: TrainingRows) -> None:
        """Refuse what cannot be combined, and say what can."""
        if isinstance(self.function, type):
            name = self.function.__name__
            raise TypeError(f"kernel must be a kernel, not a class of kernels: write {name}(), not {name}.")
        if self.is_object and issparse(rows.X):
            raise ValueError(
                f"scikit-learn's kernel objects need dense inputs; got kernel={self.function!r} and "
                f"{type(rows.X).__name__}. Use X.toarray(), or a kernel by name."
            )

    def averages_families(self, rows: TrainingRows) -> bool:
        """Whether families of kernels are to be averaged: nothing was said of the kernel, and X is dense."""
        is_open = isinstance(self.function, str) and self.function == "auto" and self.gamma == "evidence"
        return is_open and not issparse(rows.X)

    def kernels(self, rows: TrainingRows) -> list[Kernel]:
        """Return the kernels to fit: one, or for "evidence" a path of widths from wide to narrow."""
        function = clone(self.function) if self.is_object else self.function
        family = "rbf" if isinstance(function, str) and function == "auto" else function
        return [Kernel(family, gamma, self.degree, self.coef0) for gamma in self._gammas(rows, family)]

    def _gammas(self, rows: TrainingRows, family: Any) -> list[float]:
        if not isinstance(self.gamma, str):
            return [float(self.gamma)]
        if not self.has_width:
            return [inverse_width(rows, family) if family == "polynomial" else 1.0]
        unit = inverse_width(rows, family)
        if self.gamma == "scale":
            return [unit]
        return [float(gamma) for gamma in unit / widths_of(family)]


def widths_of(family: str) -> Array:
    """Return the widths among which the evidence chooses, widest first."""
    return np.asarray(WIDEST[family] / 2.0 ** np.arange(8))


class Role(Enum):
    """The inputs that a candidate's kernel sees, and what its fit is asked for beside its share."""

    PLAIN = auto()
    """Inputs as they are. How much the function changes with each of them is measured."""
    LINEAR = auto()
    """Inputs as they are; nothing is asked."""
    WHITENED = auto()
    """Collinear inputs without their correlation. Along which directions the function changes is measured."""
    SCALED = auto()
    """Inputs stretched by what the plain ones have measured."""
    TURNED = auto()
    """Collinear inputs along the directions that the whitened ones have measured."""


@dataclass(frozen=True)
class Candidate:
    """A kernel to try, whatever the rows.

    Attributes
    ----------
    function
        Name of the kernel, or what is called as one.
    role
        What inputs it sees, and what its fit is asked for.
    width
        In units of the spread of these inputs; None for a kernel without.
    steps
        How often it was made narrower.
    """

    function: Any
    role: Role
    width: float | None = None
    steps: int = 0

    @property
    def family(self) -> tuple[Any, Role]:
        """What it shares with narrower ones."""
        return self.function, self.role


@dataclass(frozen=True)
class Plan:
    """Everything about a fit but the rows.

    Attributes
    ----------
    likelihood, prior
        Of every output.
    weights
        Of every output.
    codings
        One per output: what makes its targets of the rows' ``y``.
    kernel
        What was said of it.
    solver, max_iter
        What fits every output, and its steps at most.
    label_noise
        Noise matrices that the labels may have, NaN where an entry is to be learnt; None where all are right.
    calibrates
        Whether left-out rows say how sure the log-odds may be.
    may_be_plain
        Whether learnt weights give way to none where left-out rows are predicted better without them.
    memberships
        What makes fixed weights of the training rows; None for the weights above.
    basis
        Where basis functions stand: "auto", None, a number of landmarks, or centres.
    scales
        Whether inputs are scaled, each by itself.
    fills
        Whether missing values are filled by what the others say.
    robust_units
        Whether targets are scaled by their median deviation instead of their standard deviation.
    disagreement
        Whether kernels that disagree add to the variance of their average.
    sparsity
        How far the function may move for fewer vectors.
    seed
        Of all draws.
    n_jobs, report, budget
        Fits at the same time, what tells callbacks, and limits.
    """

    likelihood: Likelihood
    weights: Weights
    prior: Prior
    codings: tuple[Coding, ...]
    kernel: KernelChoice
    solver: Solver
    max_iter: int
    label_noise: Array | None = None
    calibrates: bool = False
    may_be_plain: bool = False
    memberships: Callable[[Training], Weights] | None = None
    basis: Any = "auto"
    scales: bool = True
    fills: bool = True
    robust_units: bool = False
    disagreement: bool = True
    sparsity: float = 1e-2
    seed: int = 0
    n_jobs: int | None = None
    report: Reporter | None = None
    budget: Budget = field(default_factory=Budget)

    @property
    def is_of_classes(self) -> bool:
        """Whether targets are labels."""
        return isinstance(self.codings[0], OneAgainstRest | EachClass)

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        first = self.codings[0]
        return first.n_classes if isinstance(first, EachClass) else max(2, len(self.codings))

    @property
    def learns_noise_of_numbers(self) -> bool:
        """Whether left-out rows can and must weigh kernels: one output, of numbers whose noise is learnt."""
        likelihood = self.likelihood
        return len(self.codings) == 1 and likelihood.is_location_scale and likelihood.learns

    def takes_together(self, rows: TrainingRows) -> bool:
        """Whether rows are few enough to be searched and fitted together."""
        few = len(rows.y) <= self.budget.together_rows
        return (few and rows.X.nbytes <= self.budget.memory_bytes) if isinstance(rows.X, np.ndarray) else True

    @property
    def needs_all_rows(self) -> str | None:
        """What in the plan needs all rows at once, as the user would write it; None if nothing does."""
        wants = {
            "memberships": self.memberships is not None,
            "weights that know their rows": self.weights.membership is not None,
            "kernel='precomputed'": self.kernel.is_precomputed,
            "basis=None": self.basis is None,
            "solver='variational'": self.solver.is_reference,
        }
        return next((name for name, is_so in wants.items() if is_so), None)

    def plainly(self) -> Self:
        """Return the same plan without doubt of any row."""
        report = self.report
        without = None if report is None else lambda name: report(f"{name}, without doubt")
        return replace(self, weights=Unit(), may_be_plain=False, memberships=None, report=without)

    def check(self) -> None:
        """Refuse parts that cannot be composed, and name what to do."""
        likelihood, weights = self.likelihood, self.weights
        if weights.learns and likelihood.weight_exponent == 0.0:
            raise ValueError(
                f"{weights!r} learns its own prior, which needs a likelihood whose normaliser pays for a "
                f"weight, such as Gaussian(). With {type(likelihood).__name__} it would always prefer to "
                "trust no row. Give it a fixed prior, such as Gamma(1.3)."
            )
        if isinstance(weights, Gamma) and not 0.0 < weights.trust < np.inf:
            raise ValueError(
                f"the trust of Gamma must be a finite number above zero, got {shown(weights.trust)}."
            )
        if isinstance(weights, Gamma) and likelihood.weight_exponent > 0.0 and weights.trust < LEAST_TRUST:
            raise ValueError(
                f"the trust prior must be at least {LEAST_TRUST} for noise of numbers, got "
                f"{weights.trust:.3g}: with less the tails are so heavy that intervals have no finite width."
            )
        if likelihood.is_location_scale and type(likelihood).rescaled is Likelihood.rescaled:
            raise ValueError(
                f"{type(likelihood).__name__} has a location and a scale, but does not say how it changes "
                "with the unit of the targets: give it a method rescaled(scale)."
            )


@dataclass(frozen=True)
class Training(Plan):
    """A plan with the rows to train on.

    Attributes
    ----------
    rows, centres
        Training rows, filled, scaled and standardised, and where basis functions may stand.
    columns, scaling
        What filled and scaled them; None: nothing.
    whitener : (d, r)
        The metric in which they have no correlation; None where it is much like their own.
    learns_metric
        Whether there are rows enough for the gradients of a fit in that metric to tell of another.
    offset, scale
        Of the targets, which the rows hold standardised.
    every_start
        Whether a fit is tried from every start, or from the best guess of one only.
    warns
        Whether fits that do not converge say so: those that are means to an end need not.
    on_device
        What reads the rows where passes over them are faster; None: in memory.
    """

    rows: TrainingRows = None  # type: ignore[assignment]
    centres: Centres = None  # type: ignore[assignment]
    columns: Columns | None = None
    scaling: ColumnScaling | None = None
    whitener: Array | None = None
    learns_metric: bool = False
    offset: float = 0.0
    scale: float = 1.0
    every_start: bool = True
    warns: bool = True
    on_device: RowSource | None = None

    @cached_property
    def distances(self) -> SharedDistances:
        """Distances between rows and centres, which fits at several widths share."""
        return SharedDistances(self.rows.X, self.centres.rows)

    def part(self, kept: Indices) -> Training:
        """Return the plan of a fit to some of the rows, a means to an end: loose, silent, from one start."""
        rows = self.rows.only(kept)
        return replace(self.aside(), rows=rows, centres=self.centres.of(rows))

    def aside(self) -> Training:
        """Return the plan of fits that are means to an end."""
        solver = self.solver.looser(self.budget.aside_looseness) if self.warns else self.solver
        return replace(self, solver=solver, every_start=False, report=None, n_jobs=None, warns=False)

    def sample(self) -> Training:
        """Return the plan of a fit to the rows on which kernels are compared; itself if there are few."""
        kept = self.rows.thinned(self.budget.search_rows, self.budget.search_class_rows)
        return self if kept is None else self.part(kept)


def known_factors(weights: Weights, rows: TrainingRows) -> Array | None:
    """Return the factors that a weighting knows of the rows that take part, None for ones."""
    factors = weights.membership
    if factors is None:
        return None
    factors = np.asarray(factors, dtype=float)
    sizes = ((len(rows.y),), (rows.n_given,))
    if factors.shape not in sizes or not ((factors > 0.0) & np.isfinite(factors)).all():
        raise ValueError(
            f"{type(weights).__name__} needs one factor above zero per row, {rows.n_given} of them, all "
            f"finite; got shape {factors.shape}. Give rows that are not to count sample_weight=0 instead."
        )
    if len(factors) == rows.n_given:
        return factors[rows.index]
    return factors[np.argsort(np.argsort(rows.index))]  # of the rows that take part, as they were given
