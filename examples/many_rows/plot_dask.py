"""
Rows on a Dask cluster
======================

Give dask arrays and dataframes to ``fit`` as they are. Up to 256 MiB of inputs come to memory; more are
read where their partitions are: only sums are sent. Here the scheduler is a few local threads; with
``dask.distributed.Client(address)`` the same lines run on a cluster.
"""

import dask
import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

from rowtrust import RVC
from rowtrust.datasets import make_many_rows

# %%
# 40 000 rows in eight chunks. Rows in plain memory stand beside them for comparison.

X, y = make_many_rows(40_000, flipped=0.0, random_state=0).arrays()
X_there, y_there = da.from_array(X, chunks=(5000, -1)), da.from_array(y, chunks=5000)

with dask.config.set(scheduler="threads", num_workers=2):
    there = RVC(basis=100, random_state=0).fit(X_there, y_there)
here = RVC(basis=100, random_state=0).fit(X, y)

# %%
# Predictions of dask arrays are lazy: computed, chunk by chunk, when they are asked for.

lazy = there.predict_proba(X_there)[:, 1]
print(lazy)
with dask.config.set(scheduler="threads", num_workers=2):
    probability = lazy.compute()

# %%
# The answer is that of a fit in memory.

in_memory = here.predict_proba(X)[:, 1]
print(f"largest difference of a probability: {np.abs(probability - in_memory).max():.1e}")
print(f"error: dask {np.mean((probability > 0.5) != y):.2%}, in memory {np.mean((in_memory > 0.5) != y):.2%}")

figure, ax = plt.subplots(figsize=(5, 4.6), layout="constrained")
ax.plot([0, 1], [0, 1], color="0.5", linewidth=1)
ax.scatter(in_memory[::40], probability[::40], s=8)
ax.set_xlabel("probability, rows in memory")
ax.set_ylabel("probability, rows in dask")

# %%
# **To take away.** Where rows lie is no part of the model. Dask is for rows that lie on many machines;
# those on one disk can be read from a file: :doc:`/gallery/many_rows/plot_a_million_rows`.
