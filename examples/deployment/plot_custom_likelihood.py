"""
A likelihood of your own
========================

Counts are not Gaussian: they are never negative, and vary more where there are many. Your own likelihood is
one class with two formulas; the regressor does the rest: kernels, sparseness, error bars.
"""

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import gammaln

from rowtrust import RVR, SparseBayesRegressor
from rowtrust.likelihoods import Likelihood

# %%
# The latent function is the logarithm of the rate. ``log_density`` and ``mean`` are all that a likelihood
# must have; ``conditional_variance`` is for error bars. The rate is bounded, so that the density is finite
# everywhere.


@dataclass(frozen=True)
class Poisson(Likelihood):
    """``t_i`` is a count with the rate ``exp(f_i)``."""

    def log_density(self, target, latent):
        """Return the log probability of a count."""
        return target * latent - self.mean(latent) - gammaln(target + 1.0)

    def mean(self, latent):
        """Return the rate."""
        return np.exp(np.minimum(latent, 50.0))

    def conditional_variance(self, latent):
        """Return the variance of a count, which is its rate."""
        return self.mean(latent)


# %%
# Calls that come in during a day: many in the morning, few at night.


def calls(seed, n_rows=200):
    """Return hours, counts, and the true rates."""
    generator = np.random.default_rng(seed)
    hour = np.sort(generator.uniform(0, 24, n_rows))
    rate = np.exp(1.0 + 1.2 * np.sin(2 * np.pi * hour / 24))
    return hour[:, None], generator.poisson(rate), rate


X, y, rate = calls(seed=0)
models = {"Poisson": SparseBayesRegressor(likelihood=Poisson()), "Gaussian (RVR)": RVR()}

figure, panels = plt.subplots(1, 2, figsize=(11, 4.2), sharey=True, layout="constrained")
for ax, (name, model) in zip(panels, models.items(), strict=True):
    mean, deviation = model.fit(X, y).predict(X, return_std=True)
    ax.fill_between(
        X[:, 0], mean - 1.96 * deviation, mean + 1.96 * deviation, alpha=0.25, label="two deviations"
    )
    ax.plot(X[:, 0], mean, linewidth=2, label="mean")
    ax.plot(X[:, 0], rate, color="black", linestyle="--", label="true rate")
    ax.scatter(X[:, 0], y, s=8, color="0.4")
    ax.axhline(0, color="0.7", linewidth=0.8)
    ax.set(title=name, xlabel="hour")
panels[0].set_ylabel("calls")
panels[0].legend(frameon=False)

# %%
# How far are the means from the rates, and the deviations from those of a count? Five draws.

found = np.empty((5, 2, 2))
for seed in range(5):
    X, y, rate = calls(seed)
    for number, model in enumerate(models.values()):
        mean, deviation = model.fit(X, y).predict(X, return_std=True)
        found[seed, number] = [
            np.sqrt(np.mean((mean - rate) ** 2)),
            np.mean(np.abs(deviation - np.sqrt(rate))),
        ]
for name, (distance, off) in zip(models, found.mean(axis=0), strict=True):
    print(f"{name:15} RMSE to the rate {distance:.2f}, deviations off by {off:.2f}")

# %%
# **To take away.** The means are about as good as those of a Gaussian machine; the error bars are near
# those of counts only with the likelihood of counts. (Two deviations to either side are a rough interval:
# where counts are few it reaches below zero.) The whole recipe, with a test that checks your formulas, is
# in :doc:`/extend`.
