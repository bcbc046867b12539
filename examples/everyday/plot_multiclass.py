"""
Several classes
===============

Classifiers take any number of classes, and their probabilities add up to one and agree with ``predict``.
Far from all rows they go back to how common each class is.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_predict, cross_val_score

from rowtrust import RVC
from rowtrust.displays import BoundaryDisplay

# %%
# Wines of three growers. With two of the thirteen inputs the classes can be drawn.

wine = load_wine(as_frame=True)
two = wine.data[["alcohol", "flavanoids"]]
grower = np.array(["first", "second", "third"])[wine.target]
model = RVC().fit(two, grower)

figure, ax = plt.subplots(figsize=(8, 4.8), layout="constrained")
BoundaryDisplay.from_estimator(model, two, grower, ax=ax)

# %%
# With all inputs, on held-out rows:

probability = cross_val_predict(RVC(), wine.data, grower, method="predict_proba")
accuracy = cross_val_score(RVC(), wine.data, grower).mean()
print(f"accuracy {accuracy:.1%}, two inputs alone {cross_val_score(RVC(), two, grower).mean():.1%}")

# %%
# How sure is it? Where the largest probability is high, it is right.

largest = probability.max(axis=1)
right = np.unique(grower)[probability.argmax(axis=1)] == grower
for low, high in ((0.0, 0.8), (0.8, 1.01)):
    chosen = (largest >= low) & (largest < high)
    told = f"largest probability {'below' if high <= 0.8 else 'from'} 0.8"
    print(f"{told}: {chosen.sum()} wines, {right[chosen].mean():.0%} right")

far = two.iloc[:1] + 100.0
print("far from all wines:   ", model.predict_proba(far)[0].round(2))
print("shares of the growers:", np.array([np.mean(grower == name) for name in model.classes_]).round(2))

# %%
# **To take away.** Look at the largest probability before you act on a class: a few wines have a low one,
# and they are wrong far more often than the rest.
