"""Share and sharpness of predictions, learnt from labels of which some are wrong."""

import numpy as np

from rowtrust.numerics.mixtures import mixture


def test_share_of_wrong_rows_is_found_from_true_probabilities():
    generator = np.random.default_rng(0)
    probability = generator.beta(0.4, 0.4, 4000)
    truth = (generator.random(4000) < probability).astype(int)
    both = np.column_stack([1 - probability, probability])
    for share in (0.0, 0.1, 0.2):
        label = np.where(generator.random(4000) < share, 1 - truth, truth)
        assert abs(mixture(both, label).share - share) < 0.03


def test_evidence_prefers_the_truth_and_forgives_wrong_rows():
    """Sharp right predictions beat blunted ones even where a tenth of the labels is wrong."""
    generator = np.random.default_rng(0)
    truth = generator.integers(2, size=2000)
    label = np.where(generator.random(2000) < 0.1, 1 - truth, truth)
    right = np.clip(np.eye(2)[truth], 0.02, 0.98)
    noisy = np.where(generator.random(2000)[:, None] < 0.15, right[:, ::-1], right)
    assert mixture(right, label).log_score > mixture(noisy, label).log_score
    assert abs(mixture(right, label).share - 0.1) < 0.03
