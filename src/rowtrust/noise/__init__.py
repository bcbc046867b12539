"""How targets scatter around the latent function."""

from rowtrust.noise.gaussian import Gaussian
from rowtrust.noise.logistic import Logistic
from rowtrust.noise.soft_insensitive import EpsilonInsensitive, Huber, Laplace, SoftInsensitive

__all__ = ["EpsilonInsensitive", "Gaussian", "Huber", "Laplace", "Logistic", "SoftInsensitive"]
