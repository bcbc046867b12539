"""
Wrong labels on both sides
==========================

A fifth of the labels are wrong, as often in one class as in the other. Such flips hardly move the boundary
of a smooth model: what they spoil are its probabilities. :class:`rowtrust.RobustRVC` learns how often
labels are wrong, and takes that out of its probabilities again.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.svm import SVC

from rowtrust import RVC, RobustRVC
from rowtrust.datasets import flip_labels, make_ripley
from rowtrust.displays import BoundaryDisplay

# %%
# Three models see the same 250 rows of Ripley's mixture. Crosses are the labels that we flipped; no model
# knows which they are. The SVC gets its probabilities from a calibration by cross-validation.

models = {
    "RVC": RVC(),
    "RobustRVC": RobustRVC(),
    "SVC, calibrated": CalibratedClassifierCV(SVC(), ensemble=False),
}
X, y = make_ripley(250, random_state=0)
dirty, flipped = flip_labels(y, 0.2, random_state=0)

figure, panels = plt.subplots(1, 3, figsize=(13, 4.2), sharex=True, sharey=True, layout="constrained")
for ax, (name, model) in zip(panels, models.items(), strict=True):
    BoundaryDisplay.from_estimator(model.fit(X, dirty), X, dirty, wrong=flipped, ax=ax)
    ax.set_title(name)
for ax in panels[:-1]:
    ax.get_legend().remove()  # that of the last panel says it for all

# %%
# One draw proves little, so we take eight, and judge every model by 2000 clean rows. The log loss asks for
# honest probabilities, the error only for the right side of the boundary.

errors, losses = np.empty((8, 3)), np.empty((8, 3))
for seed in range(8):
    X, y = make_ripley(250, random_state=seed)
    dirty, flipped = flip_labels(y, 0.2, random_state=seed)
    X_clean, y_clean = make_ripley(2000, random_state=1000 + seed)
    for number, model in enumerate(models.values()):
        probability = model.fit(X, dirty).predict_proba(X_clean)
        errors[seed, number] = np.mean(probability.argmax(axis=1) != y_clean)
        losses[seed, number] = log_loss(y_clean, probability)

for name, error, loss in zip(models, errors.mean(axis=0), losses.mean(axis=0), strict=True):
    print(f"{name:16} error {error:.1%}, log loss {loss:.3f}")

# %%
# **To take away.** With flips on both sides the classes of a plain SVC are as good as any, here even a
# little better. The robust model has the best probabilities, and knows which rows are wrong: see
# :doc:`/gallery/wrong_labels/plot_find_and_refit`. Flips on one side are another matter:
# :doc:`/gallery/wrong_labels/plot_one_sided_flips`.
