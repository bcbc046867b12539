"""How targets scatter around the latent function."""

from skarn.noise.gaussian import Gaussian
from skarn.noise.logistic import Logistic

__all__ = ["Gaussian", "Logistic"]
