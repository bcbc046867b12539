"""
Study a table
=============

The main job in one call: from a table to a model, its scores, the likely errors and a report. The same as
``rowtrust fit`` on the command line.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from rowtrust import study_table

# %%
# Ten measurements of 442 patients, and how their diabetes went on. In a twentieth of the rows we replace
# the progression by a gross error, far outside of what is usual and so easy to find. In your work this is
# ``study_table("patients.csv", "progression")``.

diabetes = load_diabetes(as_frame=True, scaled=False)
table = diabetes.frame.rename(columns={"target": "progression", "bp": "blood_pressure"})
generator = np.random.default_rng(0)
wrong = np.isin(np.arange(len(table)), generator.choice(len(table), 22, replace=False))
table.loc[wrong, "progression"] += generator.choice([-1, 1], 22) * generator.uniform(300, 600, 22).round()

study = study_table(table, "progression", progress=False)
study  # in a notebook, and here, a card with the answers

# %%
# How good is it, on rows that it has not seen?

study.quality[["value", "lower", "upper"]]

# %%
# Which rows are wrong? Rows keep the index of the table; all of them are audited.

flagged = study.flagged_rows
print(
    f"{len(flagged)} flagged rows, {wrong[flagged].sum()} of them wrong; {wrong.sum()} rows are wrong in all"
)
study.flagged.head()

# %%
# What matters, and how does the prediction move with it?

figure, panels = plt.subplots(1, 2, figsize=(12, 4.2), layout="constrained")
study.plot_importance(panels[0])
study.plot_dependence(panels[1])

# %%
# How far are the rows trusted, and are the error bars calibrated? Those of this table are too wide: the
# curve lies above the diagonal, so that intervals hold more rows than they promise.

figure, panels = plt.subplots(1, 2, figsize=(12, 4.2), layout="constrained")
study.plot_trust(panels[0])
study.plot_calibration(panels[1])

# %%
# **To take away.** One call answers most questions about a new table. ``study.report("report.html")``
# writes all of it as one page, ``study.save("folder")`` the model too, and
# ``study.model.predict(new_table)`` predicts rows of the same columns.
