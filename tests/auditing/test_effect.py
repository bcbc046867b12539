"""What leaving suspects out does, judged without rows of the same group in the fit."""

import numpy as np
import pytest

from rowtrust.auditing.effect import Change, effect_of_change


class Recorder:
    """Predicts nothing of use, and remembers which rows were fitted and which were predicted after."""

    seen = []

    def fit(self, X, y):
        self.rows, self.y = X[:, 0].astype(int), y
        return self

    def predict(self, X):
        self.seen.append((self.rows, X[:, 0].astype(int)))
        return np.full(len(X), self.y[0])


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_no_row_is_predicted_by_a_fit_to_its_group(task):
    generator = np.random.default_rng(0)
    X, y = np.arange(100.0)[:, None], generator.integers(0, 2, 100)
    groups, suspects = generator.integers(0, 25, 100), np.arange(0, 100, 10)
    Recorder.seen = []
    effect_of_change(Recorder, Change(X, y, suspects, task, groups=groups))
    assert len(Recorder.seen) == 10
    for fitted, predicted in Recorder.seen:
        assert not set(groups[fitted]) & set(groups[predicted])
    judged = np.concatenate([predicted for _, predicted in Recorder.seen])
    assert sorted(judged) == sorted(np.repeat(np.setdiff1d(np.arange(100), suspects), 2))
    assert any(np.isin(suspects, fitted).any() for fitted, _ in Recorder.seen)
