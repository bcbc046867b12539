"""Labels whose true log-odds and noise are known."""

import numpy as np
import pytest
from scipy.special import expit, softmax

from rowtrust.numerics.statistics import class_probabilities


@pytest.fixture
def noisy_labels():
    """Return a function that draws true log-odds, true labels by them, and labels behind noise."""

    def draw(n, matrix, seed=0, spread=3.0):
        rng = np.random.default_rng(seed)
        if len(matrix) == 2:
            log_odds = spread * rng.normal(size=(n, 1))
            true = (rng.random(n) < expit(log_odds[:, 0])).astype(int)
            return log_odds, true, (rng.random(n) < np.asarray(matrix)[true, 1]).astype(int)
        latent = softmax(spread * rng.normal(size=(n, len(matrix))), axis=1)
        log_odds = np.log(latent) - np.log1p(-latent)
        probability = class_probabilities(log_odds)
        true = (rng.random((n, 1)) > np.cumsum(probability, axis=1)[:, :-1]).sum(axis=1)
        given = (rng.random((n, 1)) > np.cumsum(np.asarray(matrix)[true], axis=1)[:, :-1]).sum(axis=1)
        return log_odds, true, given

    return draw
