"""What the user said of the kernel, and the search that it asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.gaussian_process.kernels import Kernel as KernelObject

from rowtrust.kernels import Kernel
from rowtrust.kernels.kernels import WITH_A_WIDTH
from rowtrust.search.averaging import Average, average
from rowtrust.search.families import search_families
from rowtrust.search.fits import FitPlan, KernelFit
from rowtrust.search.kernel_objects import reachable, search_kernel_object
from rowtrust.search.length_scales import search_length_scales
from rowtrust.search.rows import TrainingRows, inverse_width
from rowtrust.search.widths import SQUARED_WIDTHS, WIDTHS, search_widths


@dataclass(frozen=True)
class KernelChoice:
    """What the user said of the kernel.

    Attributes
    ----------
    function
        Name, kernel object or callable.
    gamma
        "evidence", "scale" or an inverse squared width.
    length_scales
        None, or "learnt".
    degree, coef0
        Of a polynomial kernel.
    disagreement
        Whether widths that disagree add to the variance of their average.
    """

    function: Any
    gamma: str | float
    length_scales: str | None
    degree: float
    coef0: float
    disagreement: bool = True

    @property
    def is_object(self) -> bool:
        """Whether the kernel is one of scikit-learn's objects, or made like them."""
        return isinstance(self.function, KernelObject)

    def check(self, rows: TrainingRows) -> None:
        """Refuse what cannot be combined, and say what can."""
        if isinstance(self.function, type):
            name = self.function.__name__
            raise TypeError(f"kernel must be a kernel, not a class of kernels: write {name}(), not {name}.")
        if self.is_object:
            self._check_object(rows)
        elif self.length_scales is not None and (self.family != "rbf" or issparse(rows.X)):
            raise ValueError(
                "length_scales='learnt' needs kernel='rbf' and dense inputs; got "
                f"kernel={self.function!r} and {type(rows.X).__name__}. Use length_scales=None, or "
                "X.toarray()."
            )

    def _check_object(self, rows: TrainingRows) -> None:
        if self.length_scales is not None:
            raise ValueError(
                "length_scales='learnt' needs kernel='rbf'; a kernel object learns its own hyperparameters. "
                "Use length_scales=None and one length scale per input, such as "
                f"RBF(length_scale=[1.0] * {rows.X.shape[1]})."
            )
        if issparse(rows.X):
            raise ValueError(
                f"scikit-learn's kernel objects need dense inputs; got kernel={self.function!r} and "
                f"{type(rows.X).__name__}. Use X.toarray(), or a kernel by name."
            )

    def averages_families(self, rows: TrainingRows) -> bool:
        """Whether families of kernels are to be averaged: nothing was said of the kernel, and X is dense."""
        said = self.function != "auto" or self.gamma != "evidence" or self.length_scales is not None
        return not said and not issparse(rows.X)

    @property
    def searches_widths(self) -> bool:
        """Whether the width is for the data to choose."""
        named = not self.is_object and self.family in WITH_A_WIDTH
        return named and self.gamma == "evidence" and self.length_scales is None

    @property
    def family(self) -> Any:
        """The kernel, the Gaussian one where none was named."""
        return "rbf" if self.function == "auto" else self.function

    def kernel(self, gamma: float) -> Kernel:
        """Return the kernel at a width."""
        return Kernel(self.family, gamma, self.degree, self.coef0)

    def gammas(self, rows: TrainingRows) -> list[float]:
        """Return the inverse squared widths to fit: one, or for "evidence" a path from wide to narrow."""
        if not isinstance(self.gamma, str):
            return [float(self.gamma)]
        if self.family not in WITH_A_WIDTH:
            return [inverse_width(rows, self.function) if self.function == "polynomial" else 1.0]
        unit = inverse_width(rows, self.family)
        if self.gamma == "scale":
            return [unit]
        return [float(gamma) for gamma in unit / (WIDTHS if self.function == "laplacian" else SQUARED_WIDTHS)]


def search_kernel(plan: FitPlan, choice: KernelChoice) -> Average:
    """Find out whatever there is to find out about the kernel; return the model, an average of its fits."""
    return average(plan, fits_of(plan, choice), choice.disagreement)


def fits_of(plan: FitPlan, choice: KernelChoice) -> list[KernelFit]:
    """Fit a path of widths, learnt length scales, or a kernel object; weigh what is to be averaged."""
    plan.check()
    choice.check(plan.rows)
    if choice.is_object:
        if choice.gamma == "evidence" and len(choice.function.theta):
            plan.rows.refuse_blind(reachable(choice.function))
            return search_kernel_object(plan, choice.function)
        used = Kernel(clone(choice.function), choice.gammas(plan.rows)[0], choice.degree, choice.coef0)
        plan.rows.refuse_blind([used])
        return search_widths(plan, [used])
    if choice.length_scales is not None:
        return search_length_scales(plan, choice.gammas(plan.rows))
    if choice.averages_families(plan.rows):
        return search_families(plan)
    kernels = [choice.kernel(gamma) for gamma in choice.gammas(plan.rows)]
    if choice.function != "precomputed":
        plan.rows.refuse_blind(kernels)
    return search_widths(plan, kernels)
