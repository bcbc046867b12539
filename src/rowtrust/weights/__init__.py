"""Weights: how much each row counts in the fit."""

from rowtrust.weights.base import Weights
from rowtrust.weights.fixed import Fixed, Unit
from rowtrust.weights.gamma import HWANG_TRUST_PRIOR, WHOLE_TRUST, Gamma

__all__ = ["HWANG_TRUST_PRIOR", "WHOLE_TRUST", "Fixed", "Gamma", "Unit", "Weights"]
