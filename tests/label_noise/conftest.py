"""Labels whose true log-odds and noise are known."""

import numpy as np
import pytest
from scipy.special import expit


@pytest.fixture
def noisy_labels():
    """Return a function that draws true log-odds of two classes, true labels, and labels behind noise."""

    def draw(n, matrix, seed=0, spread=3.0):
        generator = np.random.default_rng(seed)
        log_odds = spread * generator.normal(size=(n, 1))
        true = (generator.random(n) < expit(log_odds[:, 0])).astype(int)
        given = (generator.random(n) < np.asarray(matrix)[true, 1]).astype(int)
        return log_odds, true, given

    return draw
