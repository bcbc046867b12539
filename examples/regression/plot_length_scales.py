"""
Which inputs matter?
====================

Friedman's first function has ten inputs, of which five say nothing. :class:`rowtrust.BayesianSVR` gives
every input its own length scale, learnt by the evidence: the function bends fast along inputs with a large
relevance, and not at all along those with none.
"""

import numpy as np

from rowtrust import RVR, BayesianSVR
from rowtrust.datasets import make_friedman
from rowtrust.displays import LengthScalesDisplay

# %%
# The function is ``10 sin(pi x0 x1) + 20 (x2 - 0.5)**2 + 10 x3 + 5 x4``, with noise of deviation one.

X, y = make_friedman(1, 240, random_state=0)
model = BayesianSVR().fit(X, y)
LengthScalesDisplay.from_estimator(model)

# %%
# Inputs 3 and 4 enter in a straight line. Their relevance is small though they matter: a straight line
# bends nowhere. A relevance near zero says "straight or not at all", and only the prediction tells which.

useless = model.feature_relevance_[5:].max()
least = model.feature_relevance_[:5].min()
print(f"least relevance of the five inputs of use {least:.4f}, largest of the others {useless:.1e}")

# %%
# What does it gain? The distance from the noise-free function on fresh rows, mean over five draws.

distance = np.empty((5, 2))
for seed in range(5):
    X, y = make_friedman(1, 240, random_state=seed)
    X_new, truth = make_friedman(1, 2000, noise=0.0, random_state=100 + seed)
    fits = [model.fit(X, y).predict(X_new) for model in (RVR(), BayesianSVR())]
    distance[seed] = [np.sqrt(np.mean((fit - truth) ** 2)) for fit in fits]
print("RMSE to the truth: RVR {:.2f}, BayesianSVR {:.2f}".format(*distance.mean(axis=0)))

# %%
# **To take away.** Where a few of many inputs matter, length scales learnt one by one are worth their time.
# The default kernels of ``RVR`` stretch inputs by their effect, which is a step in that direction.
