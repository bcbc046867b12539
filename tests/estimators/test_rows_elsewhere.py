"""Rows that are not in memory: the model does not hang on where they are, and what cannot be is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rowtrust import (
    RVC,
    RVR,
    FuzzyRVC,
    FuzzyRVR,
    RobustRVC,
    RobustRVR,
    SparseBayesClassifier,
    SparseBayesRegressor,
)
from rowtrust.engines import ArraySource, finding, sampling
from rowtrust.estimators import _many_rows

pa = pytest.importorskip("pyarrow")
csv = pytest.importorskip("pyarrow.csv")
ds = pytest.importorskip("pyarrow.dataset")
pq = pytest.importorskip("pyarrow.parquet")

GENERATOR = np.random.default_rng(0)
N = 600
NAMES = ["a", "b", "c"]
X = GENERATOR.normal(size=(N, 3))
LATENT = np.sin(2.0 * X[:, 0]) + X[:, 1]
LABEL = np.where(GENERATOR.random(N) < 0.1, LATENT <= 0, LATENT > 0).astype(int)
NUMBER = LATENT + 0.1 * GENERATOR.normal(size=N) + 4.0 * (GENERATOR.random(N) < 0.05)
WEIGHT = GENERATOR.integers(1, 3, N).astype(float)
ESTIMATORS = [RVC, RobustRVC, RVR, RobustRVR]


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch):
    """Small arrays take the road of many rows too, and a mapped array is large."""
    monkeypatch.setattr(_many_rows, "MANY_ROWS", 300)
    monkeypatch.setattr(finding, "MAPPED_BYTES", 1000)


def targets(estimator):
    return LABEL if hasattr(estimator, "predict_proba") else NUMBER


def weights(estimator):
    return WEIGHT if estimator in (RVC, RVR) else None


def elsewhere(kind, folder, y, weight=None, rows=X):
    """Return the arguments of a fit to rows that are stored in some way."""
    columns = {**dict(zip(NAMES, rows.T, strict=True)), "y": y}
    if weight is not None:
        columns["w"] = weight
    table = pa.table(columns)
    named = {"y": "y"} if weight is None else {"y": "y", "sample_weight": "w"}
    if kind == "memmap":
        np.save(folder / "X.npy", rows)
        mapped = np.load(folder / "X.npy", mmap_mode="r")
        return {"X": mapped, "y": y, "sample_weight": weight}
    if kind == "blocks":
        cuts = [slice(0, 50), slice(50, 51), slice(51, N)]
        given = [rows, y] if weight is None else [rows, y, weight]
        return {"X": [tuple(each[cut] for each in given) for cut in cuts]}
    path = folder / f"data.{kind}"
    if kind == "csv":
        csv.write_csv(table, path)
    else:
        pq.write_table(table, folder / "data.parquet", row_group_size=70)
        path = folder / "data.parquet"
    return {"X": ds.dataset(path) if kind == "dataset" else str(path), **named}


def predicted(model):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else np.stack(model.predict(X, True))


KINDS = ["memmap", "parquet", "csv", "dataset", "blocks"]


@pytest.fixture(scope="module")
def in_memory():
    """The models of arrays in memory, each fitted once."""
    found = {}

    def fit(estimator):
        if estimator not in found:
            model = estimator(basis=30, random_state=0)
            found[estimator] = model.fit(X, targets(model), weights(estimator))
        return found[estimator]

    return fit


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:X has feature names:UserWarning")
@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_same_rows_give_the_same_model_wherever_they_are(in_memory, tmp_path, estimator, kind):
    expected = in_memory(estimator)
    model = clone(expected).fit(**elsewhere(kind, tmp_path, targets(expected), weights(estimator)))
    accuracy = 1e-8 if kind == "csv" else 1e-10
    np.testing.assert_allclose(predicted(model), predicted(expected), rtol=accuracy, atol=accuracy)
    np.testing.assert_array_equal(model.relevance_, expected.relevance_)
    assert model.lower_bound_ == pytest.approx(expected.lower_bound_, rel=accuracy)
    assert model.n_features_in_ == 3
    assert not hasattr(model, "sample_trust_")
    if kind in ("parquet", "csv", "dataset"):
        assert model.feature_names_in_.tolist() == NAMES
    else:
        assert not hasattr(model, "feature_names_in_")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_trust_is_written_as_a_fit_in_memory_says_it(in_memory, tmp_path, estimator):
    model = in_memory(estimator)
    y = targets(model)
    np.testing.assert_allclose(model.write_trust(X, y), model.sample_trust_, rtol=1e-12)
    path = tmp_path / "trust.npy"
    model.write_trust(elsewhere("blocks", tmp_path, y)["X"], out=path)
    np.testing.assert_allclose(np.load(path), model.sample_trust_, rtol=1e-12)
    out = np.empty(N)
    assert np.shares_memory(model.write_trust(X, y, out=out), out)
    np.testing.assert_allclose(out, model.sample_trust_, rtol=1e-12)
    if estimator in (RobustRVC, RobustRVR):
        assert np.ptp(out) > 0.3


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_trust_of_a_file_is_that_of_its_columns(tmp_path):
    arguments = elsewhere("parquet", tmp_path, LABEL)
    model = RobustRVC(basis=30, random_state=0, gamma=0.5).fit(**arguments)
    trust = model.write_trust(arguments["X"], "y")
    assert trust.shape == (N,)
    turned = pa.table({name: X[:, NAMES.index(name)] for name in ("b", "a", "c")} | {"y": LABEL})
    with pytest.raises(ValueError, match="columns of the fit were a, b, c; these are b, a, c"):
        model.write_trust(ds.dataset(turned), "y")
    with pytest.raises(ValueError, match=r"array of shape \(600,\), one number a row; got \(5,\)"):
        model.write_trust(arguments["X"], "y", out=np.empty(5))
    with pytest.raises(ValueError, match="X has 2 features"):
        model.write_trust([(X[:, :2], LABEL)])


def test_words_are_labels_in_files_too(tmp_path):
    words = np.where(LABEL == 1, "yes", "no")
    model = RVC(basis=20, gamma=0.5, random_state=0).fit(**elsewhere("csv", tmp_path, words))
    assert model.classes_.tolist() == ["no", "yes"]
    assert set(model.predict(pd.DataFrame(X, columns=NAMES))) == {"no", "yes"}


@pytest.mark.parametrize("estimator", [RVC, RVR])
def test_missing_values_are_filled_chunk_by_chunk(tmp_path, estimator):
    holes = np.where(GENERATOR.random(X.shape) < 0.1, np.nan, X)
    model = estimator(basis=20, gamma=0.5, random_state=0)
    y = targets(model)
    expected = clone(model).fit(holes, y)
    model.fit(**elsewhere("blocks", tmp_path, y, rows=holes))
    np.testing.assert_allclose(predicted(model), predicted(expected), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("kind", ["array", "blocks"])
def test_missing_values_outside_the_sample_are_refused_too(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(sampling, "SAMPLE_ROWS", 100)
    monkeypatch.setattr(sampling, "ROWS_OF_A_CLASS", 20)
    model = RVR(basis=20, gamma=0.5, random_state=0, missing=None)
    drawn = sampling.draw_sample(ArraySource(X, NUMBER), _many_rows.seed_of(model), False).rows.index
    holes = X.copy()
    holes[np.setdiff1d(np.arange(N), drawn)[-1], 0] = np.nan
    arguments = {"X": holes, "y": NUMBER} if kind == "array" else {"X": [(holes, NUMBER)]}
    with pytest.raises(ValueError, match="contains NaN, 1 of its values"):
        model.fit(**arguments)


def test_rows_of_weight_zero_are_not_there(tmp_path):
    keep = GENERATOR.random(N) < 0.8
    model = RVR(basis=X[:20], gamma=0.5, random_state=0)
    with_zeros = clone(model).fit(**elsewhere("blocks", tmp_path, NUMBER, keep.astype(float)))
    without = clone(model).fit([(X[keep], NUMBER[keep])])
    np.testing.assert_allclose(with_zeros.predict(X), without.predict(X), rtol=1e-3, atol=1e-3)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_class_weights_count_in_files(tmp_path):
    model = RVC(basis=30, gamma=0.5, random_state=0, class_weight={0: 1.0, 1: 5.0})
    expected = clone(model).fit(X, LABEL)
    model.fit(**elsewhere("blocks", tmp_path, LABEL))
    np.testing.assert_allclose(predicted(model), predicted(expected), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("fuzzy", [FuzzyRVC, FuzzyRVR])
def test_memberships_of_all_rows_are_refused_with_the_cure(tmp_path, fuzzy):
    model = fuzzy()
    with pytest.raises(ValueError, match=r"memberships, which are made of all rows.*RobustRVC or RobustRVR"):
        model.fit(**elsewhere("parquet", tmp_path, targets(model)))
    model.set_params(basis=20).fit(X[:100], targets(model)[:100])
    with pytest.raises(ValueError, match="see sample_trust_"):
        model.write_trust(X, targets(model))


@pytest.mark.parametrize(
    "parameters", [{"kernel": "precomputed"}, {"basis": None}, {"solver": "variational"}], ids=str
)
def test_what_needs_all_rows_at_once_is_refused(tmp_path, parameters):
    (name,) = parameters
    with pytest.raises(ValueError, match=rf"{name}=.*needs all rows at once: give arrays in memory"):
        RVC(**parameters).fit(**elsewhere("blocks", tmp_path, LABEL))


def test_one_class_and_one_row_are_refused(tmp_path):
    with pytest.raises(ValueError, match="at least two classes"):
        RVC().fit([(X, np.zeros(N, dtype=int))])
    with pytest.raises(ValueError, match="minimum of 2"):
        RVR().fit([(X[:1], NUMBER[:1])])


def test_a_fit_that_fails_leaves_the_model_as_it_was(tmp_path):
    model = RVC(basis=20, gamma=0.5).fit(X[:100], LABEL[:100])
    before = predicted(model)

    class Broken:
        readings = 0

        def __iter__(self):
            self.readings += 1
            yield X, LABEL
            if self.readings > 4:
                raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        model.fit(Broken())
    np.testing.assert_array_equal(predicted(model), before)


@pytest.mark.parametrize("estimator", [SparseBayesClassifier, SparseBayesRegressor])
def test_the_general_estimators_read_files_too(tmp_path, estimator):
    model = estimator(basis=20, gamma=0.5, random_state=0)
    y = targets(model)
    expected = clone(model).fit(X, y)
    model.fit(**elsewhere("parquet", tmp_path, y))
    np.testing.assert_allclose(
        model.predict(pd.DataFrame(X, columns=NAMES)), expected.predict(X), rtol=1e-10, atol=1e-10
    )


@pytest.mark.parametrize("dtype", [np.float32, np.int16])
def test_a_mapped_array_of_other_numbers_is_read_piece_by_piece(tmp_path, dtype):
    rows = np.round(100.0 * X).astype(dtype)
    np.save(tmp_path / "X.npy", rows)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = RVR(basis=20, gamma=0.5, random_state=0)
    expected = clone(model).fit(rows.astype(float), NUMBER)
    model.fit(mapped, NUMBER)
    np.testing.assert_allclose(model.predict(rows), expected.predict(rows), rtol=1e-10, atol=1e-10)
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: X has 600 rows, y has 599"):
        model.fit(mapped, NUMBER[1:])
    with pytest.raises(ValueError, match="y of rows 0 to 599 contains NaN"):
        model.fit(mapped, np.full(N, np.nan))
