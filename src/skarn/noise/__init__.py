"""How targets scatter around the latent function."""

from skarn.noise.gaussian import Gaussian
from skarn.noise.logistic import Logistic
from skarn.noise.soft_insensitive import EpsilonInsensitive, Huber, Laplace, SoftInsensitive

__all__ = ["EpsilonInsensitive", "Gaussian", "Huber", "Laplace", "Logistic", "SoftInsensitive"]
