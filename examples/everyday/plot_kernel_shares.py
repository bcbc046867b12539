"""
Which kernels were used?
========================

There is no kernel to choose: Gaussian, Laplacian and linear ones of several widths are fitted, and averaged
by how well they explain the data. ``kernel_share_`` and ``gamma_share_`` show which won.
"""

import matplotlib.pyplot as plt
import numpy as np

from rowtrust import RVR
from rowtrust.displays import KernelShareDisplay

# %%
# Three functions: a straight line, a smooth wave, and steps.

generator = np.random.default_rng(0)
X = np.sort(generator.uniform(-3, 3, (150, 1)), axis=0)
functions = {
    "line": 0.7 * X[:, 0],
    "wave": np.sin(2.0 * X[:, 0]),
    "steps": np.round(X[:, 0]) % 2.0,
}
figure, panels = plt.subplots(2, 3, figsize=(12, 6), layout="constrained")
for (upper, lower), (name, truth) in zip(panels.T, functions.items(), strict=True):
    y = truth + 0.2 * generator.standard_normal(150)
    model = RVR().fit(X, y)
    upper.scatter(X[:, 0], y, s=8, color="0.6")
    upper.plot(X[:, 0], truth, color="black", linestyle="--", linewidth=1)
    upper.plot(X[:, 0], model.predict(X), color="tab:orange", linewidth=2)
    upper.set_title(name)
    KernelShareDisplay.from_estimator(model, ax=lower)
    shares = ", ".join(f"{kernel} {share:.0%}" for kernel, share in model.kernel_share_.items())
    print(f"{name}: {shares}; RMSE to the truth {np.sqrt(np.mean((model.predict(X) - truth) ** 2)):.3f}")

# %%
# **To take away.** A straight line got the linear kernel, a smooth wave the Gaussian one, and steps mostly
# the Laplacian one, which may have corners. If you know which it is, say so: ``kernel="rbf"`` is quicker.
