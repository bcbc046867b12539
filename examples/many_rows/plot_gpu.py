"""
Rows on a GPU
=============

Under scikit-learn's ``array_api_dispatch`` arrays of PyTorch or CuPy stay on their device, where all work
on them is done. This example takes CUDA where PyTorch has it, PyTorch on the processor where it is
installed, and NumPy otherwise: the lines that fit and predict are the same.
"""

import os

os.environ["SCIPY_ARRAY_API"] = "1"  # SciPy wants this set before it is imported

import time

import matplotlib.pyplot as plt
import numpy as np
import sklearn

from rowtrust import RVC
from rowtrust.datasets import make_many_rows

try:
    import torch
except ImportError:
    torch = None

# %%
# Where is the work done?

on_cuda = torch is not None and torch.cuda.is_available()
device = "cuda" if on_cuda else "cpu"


def to_device(values):
    """Return an array on the device."""
    return values if torch is None else torch.as_tensor(values, device=device)


def to_numpy(values):
    """Return an array in plain memory."""
    return values if torch is None else values.cpu().numpy()


print("arrays of", "NumPy" if torch is None else "PyTorch", "on", device)

# %%
# 40 000 rows go there, the model is fitted there, and only the probabilities come back.

X, y = make_many_rows(40_000, flipped=0.0, random_state=0).arrays()
start = time.perf_counter()
with sklearn.config_context(array_api_dispatch=True):
    model = RVC(basis=100, random_state=0).fit(to_device(X), to_device(y))
    probability = to_numpy(model.predict_proba(to_device(X)))[:, 1]
print(f"error {np.mean((probability > 0.5) != y):.2%}; it took {time.perf_counter() - start:.1f} s")

# %%
# The probabilities of both classes, as they should be: high where the label is 1, low where it is 0.

figure, ax = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
bins = np.linspace(0, 1, 31)
for label, hatch in ((0, None), (1, "//")):
    ax.hist(probability[y == label], bins, alpha=0.6, hatch=hatch, label=f"rows of class {label}")
ax.set(xlabel="probability of class 1", ylabel="rows")
ax.legend(frameon=False, loc="upper center")

# %%
# **To take away.** Only the arrays that ``fit`` is given change. ``rowtrust fit big.parquet --target label
# --device cuda`` does the same from the command line.
