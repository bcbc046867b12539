"""Kernels by evidence, without cross-validation: widths, length scales, kernel objects, and their average."""

from rowtrust.search.averaging import Average, average
from rowtrust.search.choice import KernelChoice, fits_of, search_kernel
from rowtrust.search.families import better_families
from rowtrust.search.fits import FitPlan, KernelFit, fit_kernel
from rowtrust.search.projection import projected
from rowtrust.search.rows import Centres, TrainingRows

__all__ = [
    "Average",
    "Centres",
    "FitPlan",
    "KernelChoice",
    "KernelFit",
    "TrainingRows",
    "average",
    "better_families",
    "fit_kernel",
    "fits_of",
    "projected",
    "search_kernel",
]
