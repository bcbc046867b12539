"""
How often are labels wrong?
===========================

:class:`rowtrust.RobustRVC` learns how often rows of each class were given the label of another class. Here
we know the truth and can compare. The learnt rates are cautious: they see that labels are wrong, and on
which side, but where many are wrong they come out too low.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from rowtrust import RobustRVC
from rowtrust.datasets import flip_labels
from rowtrust.displays import LabelNoiseDisplay

# %%
# Two moons, and 30 % of the positive rows are given as negative. The bar is the learnt rate, the line is a
# 90 % credible interval, and the diamonds are the truth.

X, y = make_moons(300, noise=0.2, random_state=0)
y = np.array(["negative", "positive"])[y]
dirty, flipped = flip_labels(y, 0.3, only_from="positive", random_state=0)
model = RobustRVC().fit(X, dirty)

truth = np.array([[1.0, 0.0], [0.3, 0.7]])
figure, ax = plt.subplots(figsize=(8, 2.6), layout="constrained")
display = LabelNoiseDisplay.from_estimator(model, ax=ax)
ax.scatter([truth[pair] for pair in display.pairs_], range(2), marker="D", s=60, color="black", zorder=3)

# %%
# The same for rates from 0 to 40 %, on one side and on both, three draws each.

shares = np.array([0.0, 0.1, 0.2, 0.3, 0.4])
learnt = np.empty((2, len(shares), 3))
for kind, only_from in enumerate(("positive", None)):
    for number, share in enumerate(shares):
        for seed in range(3):
            X, y = make_moons(300, noise=0.2, random_state=seed)
            y = np.array(["negative", "positive"])[y]
            dirty, flipped = flip_labels(y, share, only_from=only_from, random_state=seed)
            learnt[kind, number, seed] = RobustRVC().fit(X, dirty).noise_[1, 0]

figure, ax = plt.subplots(figsize=(6.5, 4.4), layout="constrained")
ax.plot(shares, shares, color="0.5", linestyle="--", label="truth")
for kind, (name, style) in enumerate((("one side", "-o"), ("both sides", "-.s"))):
    ax.plot(shares, learnt[kind].mean(axis=1), style, label=f"learnt, wrong on {name}")
    ax.fill_between(shares, learnt[kind].min(axis=1), learnt[kind].max(axis=1), alpha=0.2)
    told = ", ".join(f"{rate:.0%}" for rate in learnt[kind].mean(axis=1))
    print(f"wrong on {name}: truth 0%, 10%, 20%, 30%, 40%; learnt {told}")
ax.set(xlabel="share of positive rows that are given as negative", ylabel="learnt share")
ax.legend(frameon=False)

# %%
# **To take away.** Clean labels get a rate near zero, and noise is seen where it is. Read a high rate as
# "at least this much": beyond a tenth the truth is higher, and the interval does not always reach it. If
# you know the rates, from labels that were checked, give them: ``RobustRVC(label_noise={"positive":
# 0.3})``. With three or more classes that are confused in a cycle the learnt rates are far too low, often
# zero.
