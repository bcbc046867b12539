"""What leaving flagged rows out does, and the rows that speak for and against each."""

import numpy as np
import pytest

from rowtrust.workflow.auditing import Change, effect_of_change
from rowtrust.workflow.flagged import nearest_vectors

TASKS = pytest.mark.parametrize("task", ["classification", "regression"])


class Recorder:
    """Predicts nothing of use, and remembers which rows were fitted and which were predicted after."""

    seen = []

    def fit(self, X, y):
        self.rows, self.y = X[:, 0].astype(int), y
        return self

    def predict(self, X):
        self.seen.append((self.rows, X[:, 0].astype(int)))
        return np.full(len(X), self.y[0])


@pytest.mark.parametrize("sizes", [[30, 30, 3], [4] * 12])
@pytest.mark.filterwarnings("error")
def test_classes_rarer_than_folds_are_no_reason_for_a_warning_or_an_error(sizes):
    """A warning of scikit-learn's stood in the terminal; where every class is rare, no report was written."""
    y = np.repeat(np.arange(len(sizes)), sizes)
    found = effect_of_change(
        Recorder, Change(np.arange(float(len(y)))[:, None], y, np.array([0]), "classification")
    )
    assert found.n_rows == len(y) - 1


@TASKS
def test_no_row_is_predicted_by_a_fit_to_its_group(task):
    generator = np.random.default_rng(0)
    X, y = np.arange(100.0)[:, None], generator.integers(0, 2, 100)
    groups, flagged = generator.integers(0, 25, 100), np.arange(0, 100, 10)
    Recorder.seen = []
    effect_of_change(Recorder, Change(X, y, flagged, task, groups=groups))
    assert len(Recorder.seen) == 10
    for fitted, predicted in Recorder.seen:
        assert not set(groups[fitted]) & set(groups[predicted])
    judged = np.concatenate([predicted for _, predicted in Recorder.seen])
    assert sorted(judged) == sorted(np.repeat(np.setdiff1d(np.arange(100), flagged), 2))
    assert any(np.isin(flagged, fitted).any() for fitted, _ in Recorder.seen)


@TASKS
def test_nearest_rows_are_those_of_brute_force_and_never_the_row_itself(task):
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(60, 2)), generator.integers(0, 2, 60)
    rows, vectors = generator.permutation(60)[:25], np.arange(0, 60, 5)
    found = nearest_vectors(X, y, 1 - y, rows, vectors, task)
    for place, row in enumerate(rows):
        others = vectors[vectors != row]
        order = others[np.argsort(((X[others] - X[row]) ** 2).sum(axis=1))]
        if task == "regression":
            own, other = order[:2]
        else:
            own, other = order[y[order] == y[row]][0], order[y[order] != y[row]][0]
        assert (found[0, place], found[1, place]) == (own, other)
    alone = nearest_vectors(X, y, 1 - y, np.array([0]), np.array([0]), task)
    assert alone.tolist() == [[-1], [-1]]
