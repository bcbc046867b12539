"""How targets scatter around the latent function."""

from rowtrust.likelihoods.base import Likelihood, Prediction
from rowtrust.likelihoods.gaussian import Gaussian
from rowtrust.likelihoods.heavy_tailed import HeavyTailed
from rowtrust.likelihoods.label_channel import LabelChannel
from rowtrust.likelihoods.logistic import Logistic
from rowtrust.likelihoods.soft_insensitive import EpsilonInsensitive, Huber, Laplace, SoftInsensitive
from rowtrust.likelihoods.softmax import Softmax

__all__ = [
    "EpsilonInsensitive",
    "Gaussian",
    "HeavyTailed",
    "Huber",
    "LabelChannel",
    "Laplace",
    "Likelihood",
    "Logistic",
    "Prediction",
    "SoftInsensitive",
    "Softmax",
]
