"""The two learners that everyone fits: with scikit-learn's defaults, alone, trusted, and under cleanlab."""

from __future__ import annotations

from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

BOOSTING = HistGradientBoostingClassifier(random_state=0)
FOREST = RandomForestClassifier(random_state=0)
BOOSTING_OF_NUMBERS = HistGradientBoostingRegressor(random_state=0)
FOREST_OF_NUMBERS = RandomForestRegressor(random_state=0)
