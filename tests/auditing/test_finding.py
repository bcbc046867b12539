"""The audit finds what was made wrong, and little where nothing was."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import HuberRegressor, LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.naive_bayes import GaussianNB

from rowtrust import RVC, BayesianSVR, FuzzyRVC, RobustRVC, RobustRVR, find_wrong_rows
from rowtrust.auditing import reasons
from rowtrust.auditing.reasons import nearest_vectors
from rowtrust.datasets import flip_labels, make_ripley


def blobs(n_classes, seed=0):
    generator = np.random.default_rng(seed)
    y = np.arange(300) % n_classes
    angle = 2 * np.pi * y / n_classes
    return 3 * np.column_stack([np.cos(angle), np.sin(angle)]) + generator.normal(size=(300, 2)), y


ANY = [
    RobustRVC(gamma="scale"),
    RobustRVC(gamma="scale", label_noise="power"),
    RVC(gamma="scale"),
    FuzzyRVC(gamma="scale"),
    RandomForestClassifier(50, min_samples_leaf=3, random_state=0),
    GaussianNB(),
]


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("estimator", ANY, ids=repr)
def test_flipped_labels_come_first(estimator, n_classes):
    hits, likely = [], []
    for seed in (0, 1):
        X, y = blobs(n_classes, seed)
        given, flipped = flip_labels(y, 0.1, random_state=seed)
        found = find_wrong_rows(estimator, X, given)
        assert average_precision_score(flipped, found.wrong) > 0.85
        assert found.share <= 0.14
        assert sorted(found.order) == list(range(300))
        assert (np.diff(found.wrong[found.order]) <= 0).all()
        hits.extend(flipped[found.suspects])
        likely.extend(found.likely[found.suspects] == y[found.suspects])
        if not isinstance(estimator, RVC | FuzzyRVC):
            assert found.trust[flipped].mean() < found.trust[~flipped].mean()
    assert sum(hits) >= 15
    assert np.mean(hits) > 0.75
    assert np.mean(likely) > 0.6


def test_gross_errors_in_numbers_come_first():
    generator = np.random.default_rng(0)
    X = generator.uniform(-3, 3, (200, 2))
    y = 100 + 5 * np.sin(X[:, 0]) + X[:, 1] + 0.3 * generator.normal(size=200)
    wrong = np.arange(200) < 10
    y[wrong] += generator.choice([-40, 40], 10)
    for estimator in (RobustRVR(), BayesianSVR(), HuberRegressor()):
        found = find_wrong_rows(estimator, X, y)
        assert set(found.order[:10]) == set(range(10))
        assert 10 <= len(found.suspects) <= 16
        if not isinstance(estimator, HuberRegressor):  # whose line is no sine
            expected = 100 + 5 * np.sin(X[wrong, 0]) + X[wrong, 1]
            np.testing.assert_allclose(found.likely[wrong], expected, atol=1.5)


@pytest.mark.parametrize("seed", range(3))
def test_clean_data_have_few_suspects(seed):
    """Rows in the overlap of the classes are hard, not wrong."""
    X, y = make_ripley(300, random_state=seed)
    for estimator in (RobustRVC(gamma=4.0), LogisticRegression()):
        found = find_wrong_rows(estimator, X, y)
        assert len(found.suspects) <= 9
        hard = found.agreement < 0.5
        assert hard.sum() > 15
        assert np.isin(np.flatnonzero(hard), found.suspects).mean() < 0.5
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(200, 3))
    assert len(find_wrong_rows(RobustRVR(), X, X[:, 0] + generator.normal(size=200)).suspects) <= 4


def test_a_fitted_model_answers_as_one_that_is_fitted_here():
    X, y = blobs(2)
    given, _ = flip_labels(y, 0.1, random_state=0)
    model = RobustRVC(gamma="scale")
    here = find_wrong_rows(model, X, given)
    assert not hasattr(model, "classes_")
    fitted = model.fit(X, given)
    there = find_wrong_rows(fitted, X, given)
    np.testing.assert_array_equal(there.wrong, here.wrong)
    table = fitted.audit(X, given)
    np.testing.assert_array_equal(table.index, there.order)
    np.testing.assert_array_equal(table["wrong"], there.wrong[there.order])
    np.testing.assert_array_equal(table.index[table["suspect"]], there.suspects)


def test_fewer_false_suspects_are_fewer_suspects():
    X, y = blobs(2)
    given, _ = flip_labels(y, 0.2, random_state=0)
    strict, loose = (find_wrong_rows(GaussianNB(), X, given, false_share=share) for share in (0.02, 0.5))
    assert 0 < len(strict.suspects) < len(loose.suspects)
    np.testing.assert_array_equal(strict.suspects, loose.suspects[: len(strict.suspects)])
    for found, share in ((strict, 0.02), (loose, 0.5)):
        assert np.mean(1.0 - found.wrong[found.suspects]) <= share
        assert found.missed == pytest.approx(np.delete(found.wrong, found.suspects).sum())
        assert f"{len(found.suspects)} of 300 rows are likely wrong" in found.summary


def test_a_row_is_never_its_own_reason():
    X, y = blobs(2)
    near = nearest_vectors(X, y, 1 - y, np.arange(300), np.arange(300), "classification")
    assert (near.own != np.arange(300)).all()
    assert (y[near.own] == y).all()
    assert (y[near.other] == 1 - y).all()
    alone = nearest_vectors(X, y, 1 - y, np.array([0]), np.array([0]), "classification")
    assert alone.own.tolist() == alone.other.tolist() == [-1]


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_nearest_vectors_do_not_hang_on_blocks(monkeypatch, task):
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(40, 2)), generator.integers(0, 2, 40)
    rows, vectors = generator.permutation(40), np.arange(0, 40, 5)
    whole = nearest_vectors(X, y, 1 - y, rows, vectors, task)
    monkeypatch.setattr(reasons, "block_rows", lambda width: 7)
    parts = nearest_vectors(X, y, 1 - y, rows, vectors, task)
    np.testing.assert_array_equal(parts.own, whole.own)
    np.testing.assert_array_equal(parts.other, whole.other)


@pytest.mark.parametrize("n_rows", [10, 12, 30])
def test_few_rows_and_constant_inputs(n_rows):
    X = np.zeros((n_rows, 2))
    for model, y in ((RobustRVC(), np.arange(n_rows) % 2), (RobustRVR(), np.arange(n_rows))):
        found = find_wrong_rows(model, X, y)
        assert sorted(found.order) == list(range(n_rows))
        assert ((found.wrong >= 0.0) & (found.wrong <= 1.0)).all()


@pytest.mark.parametrize("estimator", [ANY[0], ANY[-2], ANY[-1]], ids=repr)
def test_one_row_in_twenty_of_a_rare_class(estimator):
    """Flips that make the rare class rarer or larger are found, and its right rows stay."""
    generator = np.random.default_rng(0)
    y = (np.arange(420) % 21 == 0).astype(int)
    X = generator.normal(size=(420, 2)) + 5.0 * y[:, None]
    flipped = np.zeros(420, dtype=bool)
    flipped[generator.choice(np.flatnonzero(y == 0), 10, replace=False)] = True
    flipped[np.flatnonzero(y)[:3]] = True
    found = find_wrong_rows(estimator, X, np.where(flipped, 1 - y, y))
    assert np.isin(np.flatnonzero(flipped), found.order[:15]).mean() > 0.9
    assert flipped[found.suspects].mean() > 0.7
    assert np.isin(np.flatnonzero((y == 1) & ~flipped), found.suspects).mean() < 0.2


def test_frames_keep_their_index_and_names():
    pandas = pytest.importorskip("pandas")
    X, y = blobs(3)
    names = np.array(["a", "b", "c"])[y]
    given, _ = flip_labels(names, 0.1, random_state=0)
    index = pandas.Index([f"row {i}" for i in range(300)])
    frame, labels = pandas.DataFrame(X, index=index, columns=["u", "v"]), pandas.Series(given, index=index)
    for estimator in (GaussianNB(), RobustRVC(gamma="scale")):
        found = find_wrong_rows(estimator, frame, labels)
        table = found.to_frame(frame)
        assert list(table.columns) == ["label", "suggested", "probability", "wrong", "suspect", "trust"]
        np.testing.assert_array_equal(table.index, index[found.order])
        np.testing.assert_array_equal(table["label"], labels.loc[table.index])
        np.testing.assert_array_equal(table.index[table["suspect"]], index[found.suspects])
        plain = find_wrong_rows(estimator, X, given)
        np.testing.assert_allclose(plain.wrong, found.wrong, rtol=1e-9)
        np.testing.assert_array_equal(plain.to_frame().index, found.order)


@pytest.mark.parametrize("estimator", [RobustRVC(gamma=0.5), LogisticRegression()], ids=repr)
def test_sparse_rows_are_audited(estimator):
    X, y = blobs(2)
    given, flipped = flip_labels(y, 0.1, random_state=0)
    found = find_wrong_rows(estimator, sparse.csr_array(X), given)
    assert average_precision_score(flipped, found.wrong) > 0.85


def test_labels_that_the_fit_has_not_seen_are_refused():
    X, y = blobs(2)
    model = RVC(gamma="scale").fit(X, y)
    for strange in (y + 5, np.where(y == 1, "b", "a")):
        with pytest.raises(ValueError, match="class"):
            model.audit(X, strange)
        with pytest.raises(ValueError, match="class"):
            find_wrong_rows(model, X, strange)
