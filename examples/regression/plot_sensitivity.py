"""
How far can one row move a fit?
===============================

Take one row, change its target, fit again, and see how far the predictions of all other rows move. That is
Tukey's sensitivity curve. For a fit that squares its residuals it grows without end; for a robust one it
stays where it is.
"""

import matplotlib.pyplot as plt
import numpy as np

from rowtrust import RVR, BayesianSVR, RobustRVR
from rowtrust.datasets import make_sinc
from rowtrust.displays import SensitivityDisplay

# %%
# One of 60 rows is moved from far below to far above the others.

X, y = make_sinc(60, noise=0.1, random_state=0)
row = int(np.argmin(np.abs(X[:, 0] - 5.0)))
values = np.linspace(-4.0, 4.0, 13)

figure, ax = plt.subplots(figsize=(7.5, 4.4), layout="constrained")
curves = {
    type(model).__name__: SensitivityDisplay.from_estimator(model, X, y, row=row, values=values, ax=ax)
    for model in (RVR(), RobustRVR(), BayesianSVR())
}

# %%
# The mean change of the other predictions when the target is as wrong as 4:

for name, curve in curves.items():
    print(f"{name:12} {curve.change[-1]:.3f}, at its worst {curve.change.max():.3f}")

# %%
# **To take away.** A single wrong number does to a robust fit what a little noise does, however wrong it
# is. Draw this curve before you trust a model with a table that nobody has checked.
