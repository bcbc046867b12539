"""
Model files that cannot run code
================================

A pickle runs whatever its author put into it. ``rowtrust.io`` writes files that hold numbers and names of
known types only, with the versions they were written with, and refuses everything else.
"""

import pickle
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from rowtrust import RobustRVR
from rowtrust.datasets import make_sinc
from rowtrust.io import ModelFileError, load, read_facts, save

# %%
# Fit, save with a few facts beside the model, and load.

X, y = make_sinc(150, random_state=0)
model = RobustRVR().fit(X, y)

folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "model.skops"
save(model, path, facts={"who": "line 3", "unit": "bar"})
again = load(path)
print(f"{path.stat().st_size / 1024:.0f} KiB; facts: {read_facts(path)}")

# %%
# The loaded model predicts the same, error bars included.

grid = np.linspace(-12, 12, 300)[:, None]
before, after = (each.predict(grid, return_std=True) for each in (model, again))
difference = max(np.abs(one - other).max() for one, other in zip(before, after, strict=True))
print(f"largest difference of means and deviations: {difference}")

figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
mean, deviation = after
ax.fill_between(grid[:, 0], mean - 1.96 * deviation, mean + 1.96 * deviation, alpha=0.25, label="95 %")
ax.plot(grid[:, 0], mean, linewidth=3, label="loaded")
ax.plot(grid[:, 0], before[0], color="black", linestyle="--", linewidth=1, label="before it was saved")
ax.scatter(X[:, 0], y, s=6, color="0.4")
ax.legend(frameon=False)

# %%
# Other files are refused.

trap = Path(folder.name) / "trap.skops"
trap.write_bytes(pickle.dumps(model))
try:
    load(trap)
except ModelFileError as error:
    print("refused:", str(error).replace(f"{folder.name}/", ""))
folder.cleanup()

# %%
# **To take away.** Send models as these files, never as pickles. They can be loaded from people you do not
# know; what is promised, and what is not, is in SECURITY.md.
