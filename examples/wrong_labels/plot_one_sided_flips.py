"""
Wrong labels on one side
========================

Three in ten rows of one class carry the other label: cases that were missed, faults that nobody wrote down.
These flips move the boundary of every model that trusts its labels. :class:`rowtrust.RobustRVC` learns one
rate per class, and puts the boundary back.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.svm import SVC

from rowtrust import RVC, RobustRVC
from rowtrust.datasets import flip_labels, make_ripley
from rowtrust.displays import BoundaryDisplay

# %%
# Two moons, of which the upper one, class 0, is right, and the lower one, class 1, loses 30 % of its
# labels. Crosses are these rows; no model knows this. They pull the boundary of the plain model into the
# lower moon.

X, y = make_moons(250, noise=0.25, random_state=0)
dirty, flipped = flip_labels(y, 0.3, only_from=1, random_state=0)

figure, panels = plt.subplots(1, 2, figsize=(11, 4.4), sharex=True, sharey=True, layout="constrained")
for ax, model in zip(panels, (RVC(), RobustRVC()), strict=True):
    BoundaryDisplay.from_estimator(model.fit(X, dirty), X, dirty, wrong=flipped, ax=ax)
    ax.set_title(type(model).__name__)
panels[0].get_legend().remove()  # that of the other panel says it for both

# %%
# Eight draws of the moons, and of Ripley's mixture, each judged by 2000 rows with clean labels.


def two_moons(n_rows, random_state):
    """Return the moons of the picture."""
    return make_moons(n_rows, noise=0.25, random_state=random_state)


models = {"RVC": RVC(), "SVC": SVC(), "RobustRVC": RobustRVC()}
for data, make in (("moons", two_moons), ("Ripley", make_ripley)):
    errors, rates = np.empty((8, 3)), []
    for seed in range(8):
        X, y = make(250, random_state=seed)
        dirty, flipped = flip_labels(y, 0.3, only_from=1, random_state=seed)
        X_clean, y_clean = make(2000, random_state=1000 + seed)
        errors[seed] = [1.0 - model.fit(X, dirty).score(X_clean, y_clean) for model in models.values()]
        rates.append(models["RobustRVC"].noise_[1, 0])
    told = ", ".join(f"{name} {error:.1%}" for name, error in zip(models, errors.mean(axis=0), strict=True))
    print(f"{data:6} error on clean rows: {told}; learnt rate {np.mean(rates):.0%} where 30 % is true")

# %%
# **To take away.** Where labels may be wrong on one side, use :class:`rowtrust.RobustRVC`: it has the
# lowest error on both, though on the moons an SVC comes close. The learnt rate is cautious (see
# :doc:`/gallery/wrong_labels/plot_label_noise_rates`) and still puts most of the boundary right.
# ``predict_proba`` is of the true label, ``predict_given_proba`` of the label as it would be written down.
