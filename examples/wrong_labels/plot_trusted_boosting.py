"""
Boosting as if the wrong rows were hardly there
===============================================

Boosting fits wrong targets like any others. :class:`rowtrust.TrustedRegressor` fits the same boosting to each
row as far as the row is believed. A tenth of the targets is moved far up. Three fits are compared without
errors: as given, trusted, and by an oracle who leaves out the rows that were moved.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import root_mean_squared_error
from sklearn.model_selection import train_test_split

from rowtrust import TrustedRegressor

# %%
# A smooth function of one input with steps in it.

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0.0, 10.0, size=400))
truth = np.sin(x) + np.floor(x / 2.5)
right = truth + 0.2 * rng.normal(size=400)
wrong = np.zeros(400, dtype=bool)
wrong[rng.choice(400, 40, replace=False)] = True
y = np.where(wrong, right + rng.uniform(5.0, 9.0, size=400), right)
X = x[:, None]

boosting = HistGradientBoostingRegressor(random_state=0)
as_given = HistGradientBoostingRegressor(random_state=0).fit(X, y)
trusted = TrustedRegressor(boosting).fit(X, y)
oracle = HistGradientBoostingRegressor(random_state=0).fit(X[~wrong], y[~wrong])

# %%
# The errors pull boosting up. Trusted boosting follows the oracle, with intervals as wide as the noise.

lower, upper = trusted.predict_interval(X, coverage=0.9)
figure, (left, middle) = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
for ax, name, model, color in (
    (left, "as given", as_given, "tab:red"),
    (middle, "trusted", trusted, "tab:blue"),
):
    points = ax.scatter(x, y, c=trusted.p_wrong_, s=12, cmap="cividis", vmin=0.0, vmax=1.0)
    ax.plot(x, oracle.predict(X), color="black", linewidth=3, alpha=0.4, label="without the wrong rows")
    ax.plot(x, model.predict(X), color=color, label=f"boosting {name}")
    ax.set(xlabel="input", title=f"Boosting {name}")
    ax.legend(frameon=False, loc="upper left")
middle.fill_between(x, lower, upper, color="tab:blue", alpha=0.2, linewidth=0)
left.set_ylabel("target")
figure.colorbar(points, ax=[left, middle], label="P(wrong)")

# %%
# The same with five inputs that matter and five that do not, Friedman's first function:

X_all, y_all = make_friedman1(1400, noise=1.0, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X_all, y_all, train_size=400, random_state=0)
moved = rng.choice(len(y_train), len(y_train) // 10, replace=False)
dirty = y_train.copy()
dirty[moved] += rng.uniform(4.0, 8.0, size=len(moved)) * y_train.std()
kept = np.setdiff1d(np.arange(len(dirty)), moved)
for name, model in (
    ("as given", HistGradientBoostingRegressor(random_state=0).fit(X_train, dirty)),
    ("trusted", TrustedRegressor(boosting).fit(X_train, dirty)),
    ("without the wrong rows", HistGradientBoostingRegressor(random_state=0).fit(X_train[kept], dirty[kept])),
):
    print(f"{name:>22}: RMSE {root_mean_squared_error(y_test, model.predict(X_test)):.2f}")

# %%
# **To take away.** One line around your model, ``TrustedRegressor(model)`` or ``TrustedClassifier(model)``.
# Where nothing is wrong you get the plain fit back, and ``uses_trust_`` says so.
