"""
A pipeline with categories
==========================

Real tables have numbers and words. scikit-learn's ``ColumnTransformer`` turns words into columns of zeros
and ones, and a machine of this library stands at the end like any other estimator.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.inspection import permutation_importance
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from rowtrust import RobustRVC

# %%
# Parts from three machines. Heat and wear spoil them, the third machine spoils more, the day says nothing,
# and an inspector has noted one part in ten wrongly. Some temperatures are missing.

generator = np.random.default_rng(0)
n_rows = 400
parts = pd.DataFrame(
    {
        "temperature": generator.normal(80, 10, n_rows),
        "wear": generator.uniform(0, 1, n_rows),
        "machine": generator.choice(["lathe", "mill", "press"], n_rows),
        "day": generator.choice(["Mon", "Tue", "Wed", "Thu", "Fri"], n_rows),
    }
)
score = (parts["temperature"] - 85) / 6 + 4 * (parts["wear"] - 0.5) + 2.0 * (parts["machine"] == "press")
is_bad = score + 0.5 * generator.standard_normal(n_rows) > 0
wrong = generator.random(n_rows) < 0.1
noted = np.where(is_bad ^ wrong, "bad", "good")
parts.loc[generator.random(n_rows) < 0.1, "temperature"] = np.nan

# %%
# Words become zeros and ones; numbers pass as they are: the machine scales its inputs and takes missing
# values.

words = make_column_selector(dtype_exclude="number")
prepare = make_column_transformer(
    (OneHotEncoder(handle_unknown="ignore", sparse_output=False), words), remainder="passthrough"
)
pipeline = make_pipeline(prepare, RobustRVC())
print(f"cross-validated accuracy, notes as given: {cross_val_score(pipeline, parts, noted).mean():.1%}")

# %%
# We know which notes are right, so we can ask for more than the user could.

rows, others, noted_rows, _, _, truth = train_test_split(
    parts, noted, np.where(is_bad, "bad", "good"), random_state=0
)
pipeline.fit(rows, noted_rows)
print(f"accuracy on right notes: {pipeline.score(others, truth):.1%}")

importance = permutation_importance(pipeline, others, truth, n_repeats=20, random_state=0)
order = np.argsort(importance.importances_mean)
figure, ax = plt.subplots(figsize=(6.5, 3.2), layout="constrained")
ax.barh(parts.columns[order], importance.importances_mean[order], xerr=importance.importances_std[order])
ax.set_xlabel("accuracy lost when the column is shuffled")

# %%
# **To take away.** The accuracy by notes as given looks poor because the notes are: no model can agree with
# wrong notes. Nothing had to be scaled or filled, and the day is found to be of no use.
