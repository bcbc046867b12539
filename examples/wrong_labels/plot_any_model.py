"""
Any model can be asked for wrong rows
=====================================

:func:`rowtrust.find_wrong_rows` takes every scikit-learn classifier with ``predict_proba``, and every
regressor. It fits the model to four fifths of the rows, asks it about the rest, and says which labels are
wrong with which probability. Here it asks a random forest.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from rowtrust import RobustRVC, find_wrong_rows
from rowtrust.datasets import flip_labels

# %%
# A tenth of the diagnoses of scikit-learn's breast-cancer table is flipped.

X, y = load_breast_cancer(return_X_y=True)
dirty, flipped = flip_labels(y, 0.1, random_state=0)

forest = RandomForestClassifier(200, random_state=0)
findings = find_wrong_rows(forest, X, dirty)
print(findings.summary)
print(f"{flipped[findings.flagged].sum()} of {len(findings.flagged)} flagged rows are wrong")

# %%
# ``findings.p_wrong`` is a probability for each row. Rows whose label we flipped stand apart from the others.

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
bins = np.linspace(0.0, 1.0, 21)
ax.hist(findings.p_wrong[~flipped], bins, label="right labels", color="tab:blue", alpha=0.7)
ax.hist(findings.p_wrong[flipped], bins, label="flipped labels", color="tab:orange", hatch="//", alpha=0.7)
ax.set(xlabel="P(wrong) by a random forest", ylabel="rows (log scale)", yscale="log")
ax.legend(frameon=False)

# %%
# The robust classifier of this library answers the same question with its own audit, without folds of
# yours.

ours = find_wrong_rows(RobustRVC(), X, dirty)
print(f"RobustRVC: {flipped[ours.flagged].sum()} of {len(ours.flagged)} flagged rows are wrong")
print(f"named by both: {len(np.intersect1d(ours.flagged, findings.flagged))}")

# %%
# **To take away.** You need not change your model to find wrong rows. Two models that agree about a row are
# a good reason to look at it first.
