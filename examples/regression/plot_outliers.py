"""
Outliers in a regression
========================

A tenth of the targets has a gross error, always upwards: a sensor that sticks, a comma in the wrong place.
Least squares follows them. :class:`rowtrust.RobustRVR` learns how heavy the tails of the noise are, and how
much each row counts; :class:`rowtrust.BayesianSVR` bounds the pull of every row by its loss.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVR

from rowtrust import RVR, BayesianSVR, RobustRVR
from rowtrust.datasets import add_heavy_tails, make_sinc
from rowtrust.displays import PredictionDisplay

# %%
# The plain and the robust machine on the same rows; the dashed line is the truth.

X, y = make_sinc(120, noise=0.1, random_state=0)
dirty, hit = add_heavy_tails(y, 1.0, share=0.1, one_sided=True, random_state=0)
grid = np.linspace(-10, 10, 300)[:, None]
truth = np.sinc(grid[:, 0] / np.pi)

figure, panels = plt.subplots(2, 1, figsize=(8, 7), sharex=True, sharey=True, layout="constrained")
for ax, model in zip(panels, (RVR(), RobustRVR()), strict=True):
    PredictionDisplay.from_estimator(model.fit(X, dirty), X, dirty, ax=ax)
    ax.plot(grid[:, 0], truth, color="black", linestyle="--", linewidth=1.2)
    ax.set_title(type(model).__name__)

# %%
# Which rows does the robust machine flag? Rows with a small error among those hit are no outliers to
# anyone.

audit = RobustRVR().fit(X, dirty).audit(X, dirty)
flagged = audit.index[audit["list"] == "likely error"].to_numpy()
print(f"{hit.sum()} rows were hit; {len(flagged)} flagged, {hit[flagged].sum()} of them rightly")

# %%
# Distance from the truth, as a mean over five draws. SVR is tuned by a grid search on the dirty rows.

models = {
    "RVR": RVR(),
    "SVR, grid search": GridSearchCV(SVR(), {"C": [0.1, 1, 10, 100], "gamma": [0.05, 0.1, 0.3, 1]}),
    "RobustRVR": RobustRVR(),
    "BayesianSVR": BayesianSVR(),
}
distance = np.empty((5, len(models)))
for seed in range(5):
    X, y = make_sinc(120, noise=0.1, random_state=seed)
    dirty, hit = add_heavy_tails(y, 1.0, share=0.1, one_sided=True, random_state=seed)
    fits = [model.fit(X, dirty).predict(grid) for model in models.values()]
    distance[seed] = [np.sqrt(np.mean((fit - truth) ** 2)) for fit in fits]

for name, value in zip(models, distance.mean(axis=0), strict=True):
    print(f"{name:17} RMSE to the truth {value:.3f}")

# %%
# **To take away.** With gross errors in the targets take :class:`rowtrust.RobustRVR` or
# :class:`rowtrust.BayesianSVR`, and look at the flagged rows. The plain machine is for clean targets.
