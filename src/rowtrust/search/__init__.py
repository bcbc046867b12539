"""Kernels by evidence, without cross-validation: widths, length scales, kernel objects, and their average."""

from rowtrust.search.averaging import Average
from rowtrust.search.choice import KernelChoice, search_kernel
from rowtrust.search.fits import FitPlan, KernelFit, fit_kernel
from rowtrust.search.rows import Centres, TrainingRows

__all__ = [
    "Average",
    "Centres",
    "FitPlan",
    "KernelChoice",
    "KernelFit",
    "TrainingRows",
    "fit_kernel",
    "search_kernel",
]
