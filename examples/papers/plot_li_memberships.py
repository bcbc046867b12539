"""
Li et al. (2008): fuzzy memberships
===================================

A fuzzy machine takes a membership for each row, set before the fit: how much the row counts. The papers
propose several rules; here they are drawn on the same rows, larger marks for larger memberships.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import balanced_accuracy_score
from sklearn.metrics.pairwise import rbf_kernel

from rowtrust import RVC, FuzzyRVC
from rowtrust.datasets import flip_labels, make_imbalanced_blobs
from rowtrust.memberships import MEMBERSHIPS, SideInformation, normalised

# %%
# A rare class in two clouds, and a tenth of the common class labelled rare by mistake. Each rule maps the
# rows to memberships; in the fit they are scaled to mean one, as here.

rules = {
    "class_centre": "far from its class: less",
    "neighbours": "other labels around it: less",
    "imbalance": "common class: less, far ones more so",
    "time_linear": "old rows: less (rows are in order)",
}


def dirty_rows(seed):
    """Return rows of a rare and a common class, labels of which some are wrong, and which they are."""
    X, y = make_imbalanced_blobs(300, ratio=8, random_state=seed)
    return X, *flip_labels(y, 0.1, only_from=0, random_state=seed)


X, y, wrong = dirty_rows(seed=0)
side = SideInformation(
    kernel_rows=lambda rows: rbf_kernel(X[rows], X, gamma=0.5), first_fit=lambda: np.ones(len(y))
)
figure, panels = plt.subplots(2, 2, figsize=(10, 8), sharex=True, sharey=True, layout="constrained")
for ax, (name, meaning) in zip(panels.flat, rules.items(), strict=True):
    membership = normalised(MEMBERSHIPS[name](X, y, side), np.ones(len(y)))
    for label, (colour, marker) in enumerate((("tab:blue", "o"), ("tab:orange", "^"))):
        rows = y == label
        ax.scatter(*X[rows].T, s=25 * membership[rows], c=colour, marker=marker, alpha=0.7, linewidths=0)
    ax.scatter(*X[wrong].T, s=14, c="black", marker="x", linewidths=0.8)
    ax.set_title(f"{name}: {meaning}", fontsize=10)
    print(
        f"{name:13} mean membership: wrong rows {membership[wrong].mean():.2f}, "
        f"right rows of the rare class {membership[(y == 1) & ~wrong].mean():.2f}, "
        f"of the common class {membership[y == 0].mean():.2f}"
    )

# %%
# What does each do for the balanced accuracy on clean rows? Five draws, and the plain machine beside them.

models = {"no membership": RVC()} | {name: FuzzyRVC(membership=name) for name in rules}
scores = np.empty((5, len(models)))
for seed in range(5):
    X, y, wrong = dirty_rows(seed)
    X_clean, y_clean = make_imbalanced_blobs(3000, ratio=8, random_state=100 + seed)
    for number, model in enumerate(models.values()):
        scores[seed, number] = balanced_accuracy_score(y_clean, model.fit(X, y).predict(X_clean))
for name, score in zip(models, scores.mean(axis=0), strict=True):
    print(f"{name:13} balanced accuracy {score:.3f}")

# %%
# **To take away.** A membership helps only if what it says is true. "neighbours" doubts just the wrong rows
# here. "imbalance" trusts them most, since they carry the rare label. "class_centre" doubts the true rare
# rows, which lie in two clouds far from their mean, and costs a tenth of the accuracy. On these rows none
# is better than no membership: without a reason to doubt rows, use :class:`rowtrust.RVC` or
# :class:`rowtrust.RobustRVC`.
