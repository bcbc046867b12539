"""
A world that changes
====================

Rows come in blocks, and the boundary between the classes turns a little with each. A model fitted once is
soon wrong. Fit again: to the latest rows only, as the others contradict them.
"""

import matplotlib.pyplot as plt
import numpy as np

from rowtrust import RVC
from rowtrust.datasets import make_rotating_stream

# %%
# Thirty blocks of 100 rows; after 20 blocks the boundary is back where it was. Each block is predicted
# before a model is fitted to it. One model is fitted once, to the first five blocks. Two are fitted again
# before every block: to the latest two blocks, and to all rows so far. All have one kernel width,
# ``gamma="scale"``, which is quick; the default averages over widths.

N_BLOCKS, FIRST, LATEST = 30, 5, 2
blocks = list(make_rotating_stream(N_BLOCKS, 100, period=20, random_state=0))


def all_rows(blocks):
    """Return the rows of several blocks as one."""
    return tuple(np.concatenate(parts) for parts in zip(*blocks, strict=True))


def fitted(blocks):
    """Return a model of the rows of some blocks."""
    return RVC(gamma="scale", random_state=0).fit(*all_rows(blocks))


once = fitted(blocks[:FIRST])
scores = {"fitted to the latest rows": [], "fitted once": [], "fitted to all rows so far": []}
for number in range(FIRST, N_BLOCKS):
    models = (fitted(blocks[number - LATEST : number]), once, fitted(blocks[:number]))
    for name, model in zip(scores, models, strict=True):
        scores[name].append(model.score(*blocks[number]))

# %%
# The share of each block that is predicted right. The best possible classifier has about 91 %.

figure, ax = plt.subplots(figsize=(9, 4.2), layout="constrained")
for (name, values), style in zip(scores.items(), ("-", "--", ":"), strict=True):
    ax.plot(np.arange(FIRST, N_BLOCKS), values, style, linewidth=2, label=name)
ax.set(xlabel="block", ylabel="accuracy on the next block", ylim=(0, 1))
ax.legend(frameon=False, loc="lower left")

for name, values in scores.items():
    print(f"{name:26} {np.mean(values):.1%} of the labels right")

# %%
# **To take away.** Where the world changes, more rows are not better rows: the model that forgets nothing
# is worse than chance at times, since old labels contradict new ones. Two blocks are few rows, but they are
# recent. How many to keep depends on how fast the world turns: compare on the next rows, as here.
