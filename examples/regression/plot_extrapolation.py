"""
Error bars in a gap
===================

What does a model say where it saw nothing? Honest error bars grow inside a gap and beyond the data. Those
of :class:`rowtrust.BayesianSVR` grow enough in both; those of :class:`rowtrust.RVR` are honest near the
data, but too short in a gap that is wider than the waves of the function.
"""

import matplotlib.pyplot as plt
import numpy as np

from rowtrust import RVR, BayesianSVR
from rowtrust.displays import PredictionDisplay

# %%
# Noisy rows of sinc, none of them between 2 and 6.5. The dashed line is the truth.


def gapped(seed, n_rows=120):
    """Return noisy rows of sinc outside of the gap."""
    generator = np.random.default_rng(seed)
    x = generator.uniform(-10, 10, n_rows)
    x = x[(x < 2) | (x > 6.5)]
    return x[:, None], np.sinc(x / np.pi) + 0.1 * generator.standard_normal(len(x))


X, y = gapped(seed=0)
models = {"RVR": RVR(), "BayesianSVR": BayesianSVR()}
figure, panels = plt.subplots(2, 1, figsize=(8, 7), sharex=True, sharey=True, layout="constrained")
for ax, (name, model) in zip(panels, models.items(), strict=True):
    PredictionDisplay.from_estimator(model.fit(X, y), X, y, ax=ax)
    x = np.linspace(*ax.get_xlim(), 400)
    ax.plot(x, np.sinc(x / np.pi), color="black", linestyle="--", linewidth=1.2)
    ax.set_title(name)

# %%
# Fresh targets tell whether 95 % intervals hold: near the data, in the gap, and beyond. Ten draws.

places = {"near the data": (-10, 2), "in the gap": (2.5, 6), "beyond": (12, 20)}
shares = np.empty((10, len(models), len(places)))
for seed in range(10):
    generator = np.random.default_rng(100 + seed)
    for number, model in enumerate(models.values()):
        model.fit(*gapped(seed))
        for place, (low, high) in enumerate(places.values()):
            x = generator.uniform(low, high, 500)
            fresh = np.sinc(x / np.pi) + 0.1 * generator.standard_normal(500)
            mean, deviation = model.predict(x[:, None], return_std=True)
            shares[seed, number, place] = np.mean(np.abs(fresh - mean) < 1.96 * deviation)

for name, row in zip(models, shares.mean(axis=0), strict=True):
    told = ", ".join(f"{place} {share:.0%}" for place, share in zip(places, row, strict=True))
    print(f"{name:12} 95 % intervals hold: {told}")

# %%
# **To take away.** Near the data trust the intervals of either. If predictions in gaps matter, use
# :class:`rowtrust.BayesianSVR`, which is made for up to some thousand rows. Beyond all data both go back to
# what the targets are on average, with error bars as wide as the targets vary.
