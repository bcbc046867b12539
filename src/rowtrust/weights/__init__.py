"""How far each row is believed."""

from rowtrust.weights.base import Weights
from rowtrust.weights.fixed import Fixed, Unit
from rowtrust.weights.gamma import HWANG_TRUST_PRIOR, Gamma

__all__ = ["HWANG_TRUST_PRIOR", "Fixed", "Gamma", "Unit", "Weights"]
