"""
Watch a fit
===========

A fit climbs a lower bound on the log evidence, and ends when there is little left to gain. The trace shows
whether it did. From scikit-learn 1.9 on, callbacks show progress while the fit runs.
"""

import matplotlib.pyplot as plt
import numpy as np

from rowtrust import RVC
from rowtrust.datasets import make_ripley
from rowtrust.displays import BoundDisplay

# %%
# The working set takes in one vector after another. The variational loop of Hwang & Jeong (2015) keeps all
# and needs more steps; their bounds are not to be compared with each other.

X, y = make_ripley(250, random_state=0)
figure, panels = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for ax, solver in zip(panels, ("working_set", "variational"), strict=True):
    model = RVC(gamma=2.0, solver=solver).fit(X, y)
    BoundDisplay.from_estimator(model, ax=ax)
    ax.set_title(f'solver="{solver}"')
    steps = np.diff(model.lower_bounds_)
    print(
        f"{solver}: {model.n_iter_} steps, bound {model.lower_bound_:.2f}, last step gained {steps[-1]:.1e}"
    )

# %%
# Progress while a fit runs: scikit-learn's bar, one line for each width.

try:
    from sklearn.callback import ProgressBar
except ImportError:  # scikit-learn before 1.9 has no callbacks
    ProgressBar = None
    print("callbacks need scikit-learn 1.9 or newer")

if ProgressBar is not None:
    RVC().set_callbacks(ProgressBar()).fit(X, y)

# %%
# A callback of your own may count steps, write a log, or end a fit that takes too long: it ends when
# ``on_fit_task_end`` returns True.


class AtMost:
    """Ends a fit after some steps."""

    def __init__(self, n_steps):
        self.n_steps, self.n_seen = n_steps, 0

    def setup(self, estimator, context):
        """Begin to count."""
        self.n_seen = 0

    def teardown(self, estimator, context):
        """Nothing is left to do."""

    def on_fit_task_begin(self, estimator, context, **facts):
        """Nothing is to be done."""

    def on_fit_task_end(self, estimator, context, **facts):
        """Count a step, and say whether it was the last."""
        self.n_seen += 1
        return self.n_seen >= self.n_steps


if ProgressBar is not None:
    short = RVC(gamma=2.0).set_callbacks(AtMost(10)).fit(X, y)
    print(f"ended after {short.n_iter_} steps at a bound of {short.lower_bound_:.2f}")

# %%
# **To take away.** A trace that is flat at its end is a fit that is done. One that is not comes with a
# ``ConvergenceWarning``, which says how much was left to gain.
