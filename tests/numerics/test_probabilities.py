"""Log-odds and class probabilities."""

import numpy as np
import pytest

from rowtrust.numerics.statistics import class_probabilities, log_odds_of


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_log_odds_lead_back_to_their_probabilities(n_classes):
    probability = np.random.default_rng(0).dirichlet(np.full(n_classes, 0.3), 50)
    log_odds = log_odds_of(probability)
    assert log_odds.shape == (50, 1 if n_classes == 2 else n_classes)
    np.testing.assert_allclose(class_probabilities(log_odds), probability, atol=1e-9)


def test_certainty_has_finite_log_odds():
    for probability in (np.eye(2), np.eye(3)):
        log_odds = log_odds_of(probability)
        assert np.isfinite(log_odds).all()
        np.testing.assert_allclose(class_probabilities(log_odds), probability, atol=1e-9)


def test_the_sign_is_that_of_the_second_class():
    odds = log_odds_of(np.array([[0.2, 0.8], [0.5, 0.5]]))
    np.testing.assert_allclose(odds, [[np.log(4.0)], [0.0]], atol=1e-12)


def test_rows_that_no_class_wants_belong_to_all():
    np.testing.assert_allclose(class_probabilities(np.full((1, 4), -1e4)), 0.25)
