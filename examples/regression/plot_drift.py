"""
A world that changes
====================

Rows come in blocks, and the boundary between the classes turns a little with each. A model fitted once is
soon wrong. ``partial_fit`` learns block by block: it keeps memories of several lengths and believes those
that have predicted the last blocks best.
"""

import matplotlib.pyplot as plt
import numpy as np

from rowtrust import RVC
from rowtrust.datasets import make_rotating_stream

# %%
# Thirty blocks of 100 rows; after 20 blocks the boundary is back where it was. Each block is predicted
# before it is learnt from. One model is fitted once, to the first five blocks. Another forgets nothing: it
# is fitted again, every fifth block, to all rows so far. All have one kernel width, ``gamma="scale"``,
# which is quick; the default averages over widths.

N_BLOCKS, FIRST = 30, 5
blocks = list(make_rotating_stream(N_BLOCKS, 100, period=20, random_state=0))


def all_rows(blocks):
    """Return the rows of several blocks as one."""
    return tuple(np.concatenate(parts) for parts in zip(*blocks, strict=True))


following = RVC(gamma="scale", random_state=0)
scores = {"partial_fit": [], "fitted once": [], "fitted to all rows so far": []}
for number, (X, y) in enumerate(blocks):
    if number == FIRST:
        once = RVC(gamma="scale", random_state=0).fit(*all_rows(blocks[:FIRST]))
    if number >= FIRST:
        if number % FIRST == 0:
            everything = RVC(gamma="scale", random_state=0).fit(*all_rows(blocks[:number]))
        for name, model in zip(scores, (following, once, everything), strict=True):
            scores[name].append(model.score(X, y))
    following.partial_fit(X, y, classes=[0, 1])

# %%
# The share of each block that is predicted right. The best possible classifier has about 91 %.

figure, ax = plt.subplots(figsize=(9, 4.2), layout="constrained")
for (name, values), style in zip(scores.items(), ("-", "--", ":"), strict=True):
    ax.plot(np.arange(FIRST, N_BLOCKS), values, style, linewidth=2, label=name)
ax.set(xlabel="block", ylabel="accuracy before learning from it", ylim=(0, 1))
ax.legend(frameon=False, loc="lower left")

for name, values in scores.items():
    print(f"{name:26} {np.mean(values):.1%} of the labels right")
longest = max(following.memory_share_, key=following.memory_share_.get)
print(f"the memory that counts most forgets within {longest:g} rows")

# %%
# **To take away.** Where the world changes, more rows are not better rows: the model that forgets nothing
# is worse than chance at times, since old labels contradict new ones. ``partial_fit`` follows at some
# distance behind the best possible, and its memory says how fast the world turns.
