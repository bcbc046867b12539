"""How far each row is believed."""

from skarn.weights.fixed import Fixed, Unit
from skarn.weights.gamma import HWANG_TRUST_PRIOR, Gamma

__all__ = ["HWANG_TRUST_PRIOR", "Fixed", "Gamma", "Unit"]
