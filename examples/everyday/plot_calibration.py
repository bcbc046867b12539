"""
Can probabilities be believed?
==============================

Of the rows to which a model gives 70 %, seven in ten should be of that class. scikit-learn's
``CalibrationDisplay`` shows whether they are. :class:`rowtrust.RVC` is drawn beside an SVC that was
calibrated by cross-validation, on clean labels and on labels of which a fifth is wrong.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import CalibratedClassifierCV, CalibrationDisplay
from sklearn.metrics import brier_score_loss
from sklearn.svm import SVC

from rowtrust import RVC, RobustRVC
from rowtrust.datasets import flip_labels, make_ripley

# %%
# The probabilities are of the *true* label: test rows are clean in both panels.

X_clean, y_clean = make_ripley(4000, random_state=1)
figure, panels = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
styles = {
    "RVC": {"linestyle": "-", "marker": "o"},
    "RobustRVC": {"linestyle": "--", "marker": "s"},
    "SVC, calibrated": {"linestyle": ":", "marker": "^"},
}
models = {"RVC": RVC(), "RobustRVC": RobustRVC(), "SVC, calibrated": CalibratedClassifierCV(SVC())}
X, y = make_ripley(250, random_state=0)
for ax, share in zip(panels, (0.0, 0.2), strict=True):
    dirty, flipped = flip_labels(y, share, random_state=0)
    for name, style in styles.items():
        probability = models[name].fit(X, dirty).predict_proba(X_clean)[:, 1]
        CalibrationDisplay.from_predictions(
            y_clean, probability, n_bins=8, strategy="quantile", name=name, ax=ax, **style
        )
    ax.set_title(f"{share:.0%} of the training labels are wrong")

# %%
# The Brier score is the mean squared distance of the probability from what came true. Means over eight
# draws:

score = np.empty((2, 8, len(models)))
for kind, share in enumerate((0.0, 0.2)):
    for seed in range(8):
        X, y = make_ripley(250, random_state=seed)
        dirty, flipped = flip_labels(y, share, random_state=seed)
        for number, model in enumerate(models.values()):
            probability = model.fit(X, dirty).predict_proba(X_clean)[:, 1]
            score[kind, seed, number] = brier_score_loss(y_clean, probability)

for name, clean, dirty in zip(models, *score.mean(axis=1), strict=True):
    print(f"{name:16} Brier score {clean:.4f} with clean labels, {dirty:.4f} with a fifth of them wrong")

# %%
# **To take away.** With clean labels the SVC, calibrated, is a little ahead of the machines, which need no
# calibration. With wrong labels every model is too unsure of the true class, :class:`rowtrust.RobustRVC`
# least.
