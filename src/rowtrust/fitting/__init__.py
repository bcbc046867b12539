"""The one road from rows to a model: candidates, one cross-fit, a decision, the refit, their average."""

from rowtrust.fitting.average import Average
from rowtrust.fitting.budget import Budget
from rowtrust.fitting.fits import KernelFit
from rowtrust.fitting.fitted import Fitted
from rowtrust.fitting.plan import KernelChoice, Plan, Reporter, Training
from rowtrust.fitting.refit import AllRows
from rowtrust.fitting.road import fit, fit_rows
from rowtrust.fitting.rows import TrainingRows, inverse_width, refuse_missing
from rowtrust.fitting.selection import search

__all__ = [
    "AllRows",
    "Average",
    "Budget",
    "Fitted",
    "KernelChoice",
    "KernelFit",
    "Plan",
    "Reporter",
    "Training",
    "TrainingRows",
    "fit",
    "fit_rows",
    "inverse_width",
    "refuse_missing",
    "search",
]
