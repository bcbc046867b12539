"""
Find wrong labels, look at them, fit again
==========================================

An audit ranks the rows by how likely their labels are wrong. A person looks at the first of them and
corrects those that are. Then the model is fitted again.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from rowtrust import RobustRVC
from rowtrust.datasets import flip_labels
from rowtrust.displays import TrustDisplay

# %%
# The breast-cancer table of scikit-learn, with a tenth of the training diagnoses flipped. The test rows
# stay clean.

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
dirty, flipped = flip_labels(y_train, 0.1, random_state=0)

model = RobustRVC().fit(X_train, dirty)
audit = model.audit(X_train, dirty)  # a DataFrame, the likeliest errors first
print(audit.head())

# %%
# ``list`` names the likely errors: of these, one in five is expected to be right.

flagged = audit.index[audit["list"] == "likely error"].to_numpy()
found = flipped[flagged].sum()
print(f"{len(flagged)} flagged rows, {found} of them wrong; {flipped.sum()} labels are wrong in all")

# %%
# The trust in each row says the same in a picture.

TrustDisplay.from_estimator(model, X_train, dirty)

# %%
# How far down the list does one have to read? The curve counts the wrong labels among the first rows.

order = audit.index.to_numpy()
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
ax.plot(np.arange(1, len(order) + 1), np.cumsum(flipped[order]), label="by the audit")
ax.plot([0, len(order)], [0, flipped.sum()], color="0.5", linestyle="--", label="in any order")
ax.axvline(len(flagged), color="tab:orange", linestyle=":", label="last likely error")
ax.set(xlabel="rows looked at", ylabel="wrong labels found", xlim=(0, None), ylim=(0, None))
ax.legend(loc="lower right", frameon=False)

# %%
# A person looks at the flagged rows, and corrects those that are wrong. Here the truth plays that person.
# Errors are means over five splits.

errors = np.empty((5, 2))
for seed in range(5):
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
    dirty, flipped = flip_labels(y_train, 0.1, random_state=seed)
    before = RobustRVC().fit(X_train, dirty)
    audit = before.audit(X_train, dirty)
    flagged = audit.index[audit["list"] == "likely error"].to_numpy()
    corrected = dirty.copy()
    corrected[flagged] = y_train[flagged]
    after = RobustRVC().fit(X_train, corrected)
    errors[seed] = [1.0 - model.score(X_test, y_test) for model in (before, after)]
print("error on clean rows: before {:.1%}, after {:.1%}".format(*errors.mean(axis=0)))

# %%
# **To take away.** Most wrong labels stand at the top of the list, so that a person looks at a tenth of the
# table and not at all of it. The robust model hardly needs the correction: what you gain is a clean table,
# which serves every model to come.
