"""Estimators and dask: predictions are lazy and those of rows in memory, and jobs run on a cluster."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import NotFittedError

from rowtrust import RVR, BayesianSVR, RobustRVC, RobustRVR
from rowtrust.engines import ArraySource
from rowtrust.engines.kinds import is_dask
from rowtrust.estimators import _machine
from rowtrust.estimators._dask import travelling

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

from rowtrust.engines.dask import DaskSource  # noqa: E402

N = 120
GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(N, 3))
LABELS = np.array(["no", "yes"])[(X[:, 0] + 0.3 * GENERATOR.normal(size=N) > 0).astype(int)]
NUMBERS = np.sin(X[:, 0]) + 0.2 * GENERATOR.normal(size=N)
NAMES = ["one", "two", "three"]
TABLE = pd.DataFrame(X, columns=NAMES, index=1000 + np.arange(N)).assign(label=LABELS, number=NUMBERS)
ARRAY = da.from_array(X, chunks=(50, 2))
FRAME = dd.from_pandas(TABLE, npartitions=3)


@pytest.fixture(scope="module")
def classifier():
    return RobustRVC(gamma=0.5, random_state=0).fit(X, LABELS)


@pytest.fixture(scope="module")
def regressor():
    return RobustRVR(gamma=0.5, random_state=0).fit(X, NUMBERS)


@pytest.fixture(scope="module")
def named():
    return {
        "classes": RobustRVC(gamma=0.5, random_state=0).fit(TABLE[NAMES], LABELS),
        "numbers": RobustRVR(gamma=0.5, random_state=0).fit(TABLE[NAMES], NUMBERS),
    }


CLASSES = ["predict", "predict_proba", "decision_function", "predict_given_proba", "predict_log_proba"]


@pytest.mark.parametrize("method", CLASSES)
def test_predictions_of_an_array_are_lazy_arrays(method, classifier):
    found, expected = lazy(classifier, method, ARRAY), getattr(classifier, method)(X)
    assert isinstance(found, da.Array)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    assert found.chunks[0] == ARRAY.chunks[0]
    close(found.compute(scheduler="synchronous"), expected)


@pytest.mark.parametrize("std", [False, True])
def test_numbers_of_an_array_are_lazy_arrays(std, regressor):
    found, expected = (
        lazy(regressor, "predict", ARRAY, return_std=std),
        regressor.predict(X, return_std=std),
    )
    assert type(found) is (tuple if std else da.Array)
    for lazily, now in zip(*((each if std else (each,)) for each in (found, expected)), strict=True):
        assert (lazily.shape, lazily.dtype) == (now.shape, now.dtype)
        close(lazily.compute(scheduler="synchronous"), now)


def test_intervals_and_further_arguments_are_passed_on(regressor):
    found = lazy(regressor, "predict_interval", ARRAY, 0.5)
    for lazily, now in zip(found, regressor.predict_interval(X, coverage=0.5), strict=True):
        close(lazily.compute(scheduler="synchronous"), now)


def test_several_targets_are_several_columns():
    model = RVR(gamma=0.5).fit(X, np.stack([NUMBERS, -2 * NUMBERS], axis=1))
    mean, deviation = lazy(model, "predict", ARRAY, return_std=True)
    assert mean.shape == deviation.shape == (N, 2)
    for lazily, now in zip((mean, deviation), model.predict(X, return_std=True), strict=True):
        close(lazily.compute(scheduler="synchronous"), now)


def test_support_vector_regression_is_lazy_too():
    model = BayesianSVR(random_state=0).fit(X[:40], NUMBERS[:40])
    for kind in (False, True, "parts"):
        found = lazy(model, "predict", ARRAY, return_std=kind)
        found, expected = np.array(dask.compute(found)[0]), np.array(model.predict(X, return_std=kind))
        close(found, expected)


def test_predictions_of_a_dataframe_keep_its_index(named):
    """Its inputs are found by their names, among other columns and in any order."""
    mixed = FRAME[["label", "three", "number", "two", "one"]]
    predicted = lazy(named["classes"], "predict", mixed)
    assert isinstance(predicted, type(FRAME["label"]))
    assert predicted.divisions == FRAME.divisions
    predicted = predicted.compute()
    np.testing.assert_array_equal(predicted.index, TABLE.index)
    np.testing.assert_array_equal(predicted, named["classes"].predict(TABLE[NAMES]))
    probability = lazy(named["classes"], "predict_proba", mixed)
    assert isinstance(probability, da.Array)
    close(probability.compute(), named["classes"].predict_proba(TABLE[NAMES]))
    expected = named["numbers"].predict(TABLE[NAMES], return_std=True)
    for column, now in zip(lazy(named["numbers"], "predict", mixed, return_std=True), expected, strict=True):
        assert isinstance(column, type(FRAME["label"]))
        close(column.compute(), now)


def test_partitions_without_rows_have_no_predictions(named):
    some = FRAME[FRAME["one"] > TABLE["one"].max() - 1e-9]
    assert lazy(named["classes"], "predict", some).compute().shape == (1,)
    assert lazy(named["classes"], "predict_proba", some).compute().shape == (1, 2)
    assert named["classes"].audit(some, "label").compute().shape == (1, 6)


def test_sizes_of_chunks_need_not_be_known(classifier):
    hidden = FRAME[NAMES].to_dask_array()
    close(lazy(classifier, "predict_proba", hidden).compute(), classifier.predict_proba(X))


@pytest.mark.parametrize(("kind", "target"), [("classes", "label"), ("numbers", "number")])
def test_an_audit_is_that_of_rows_which_the_model_has_not_seen(kind, target, named):
    """In the order of the rows, as the model is: what a copy says that knows nothing of the fit's rows."""
    model = named[kind]
    given = {"classes": LABELS, "numbers": NUMBERS}[kind]
    asis = travelling(model)
    expected = pd.concat([asis.audit(TABLE[NAMES][part], given[part]).sort_index() for part in thirds()])
    for y in (target, FRAME[target]):
        found = lazy(model, "audit", FRAME, y)
        assert isinstance(found, type(FRAME))
        assert found.divisions == FRAME.divisions
        table = found.compute(scheduler="synchronous")
        pd.testing.assert_frame_equal(table, expected, check_dtype=False, rtol=1e-9)
        assert list(found.dtypes) == list(table.dtypes)


def thirds():
    return [slice(start, start + N // 3) for start in range(0, N, N // 3)]


def test_an_audit_of_arrays_numbers_the_rows(classifier):
    found = classifier.audit(ARRAY, da.from_array(LABELS, chunks=70)).compute(scheduler="synchronous")
    np.testing.assert_array_equal(found.index, np.arange(N))
    np.testing.assert_array_equal(found["label"], LABELS)
    close(found["wrong"], travelling(classifier).audit(X, LABELS).sort_index()["wrong"])


def test_what_does_not_go_with_the_fit_is_refused_at_once(classifier, named):
    with pytest.raises(NotFittedError):
        lazy(RobustRVC(), "predict", ARRAY)
    with pytest.raises(ValueError, match="X has 2 features, but RobustRVC is expecting 3"):
        lazy(classifier, "predict", ARRAY[:, :2])
    with pytest.raises(ValueError, match=r"[Ff]eature names"):
        lazy(named["classes"], "predict", FRAME[["one", "two"]])
    with pytest.raises(ValueError, match="two axes"):
        lazy(classifier, "predict", ARRAY[:, 0])


def test_a_model_is_sent_once_and_without_the_rows_of_its_fit(classifier):
    graph = dict(classifier.predict(ARRAY).__dask_graph__())
    assert sum("rowtrust-model" in str(key) for key in graph) == 1
    copy = travelling(classifier)
    assert not hasattr(copy, "sample_trust_")
    assert len(pickle.dumps(copy)) < len(pickle.dumps(classifier))
    assert len(classifier.sample_trust_) == N, "the model itself keeps what it had"


def test_arrays_and_dataframes_are_dasks_collections_of_rows():
    assert is_dask(ARRAY)
    assert is_dask(FRAME)
    assert not any(is_dask(each) for each in (X, TABLE, [[1.0]], dask.delayed(X), "rows.parquet"))


def test_dask_is_imported_for_its_own_collections_only():
    code = """
import sys
import numpy as np
from rowtrust import RVC
X = np.random.default_rng(0).normal(size=(40, 2))
model = RVC(gamma=1.0).fit(X, X[:, 0] > 0)
model.predict(X), model.audit(X, X[:, 0] > 0)
print("dask" in sys.modules)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


def test_predictions_on_a_cluster_are_those_of_this_process(client, classifier):
    close(classifier.predict_proba(ARRAY).compute(), classifier.predict_proba(X))


# Fits

ROWS = 400
MANY = GENERATOR.normal(size=(ROWS, 3))
MANY_LABELS = (np.sin(2 * MANY[:, 0]) + MANY[:, 1] + 0.4 * GENERATOR.normal(size=ROWS) > 0).astype(int)
MANY_NUMBERS = np.round(10 * np.sin(MANY[:, 0]) + GENERATOR.normal(size=ROWS)).astype(int)
COPIES = GENERATOR.integers(0, 3, ROWS)
CHUNK = 100
CASES = {
    "classes": (RobustRVC(gamma=0.5, basis=40, random_state=0), MANY_LABELS),
    "numbers": (RobustRVR(gamma=0.5, basis=40, random_state=0), MANY_NUMBERS),
}


def in_memory(monkeypatch, kind, weight=None):
    """Return the fit to the same rows in memory, cut into the same chunks and read as rows elsewhere are."""
    model, y = CASES[kind]
    y = y.astype(float) if kind == "numbers" else y
    source = ArraySource(MANY, y, weight, chunk_rows=CHUNK, n_threads=1)
    with monkeypatch.context() as patched:
        patched.setattr(_machine, "as_source", lambda *arguments: source)
        return fit(model, MANY, y)


def fit(model, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).fit(*arguments)


def in_chunks(values):
    return da.from_array(values, chunks=(CHUNK, 3)[: values.ndim])


def assert_same(found, expected, names=None):
    rows = MANY if names is None else pd.DataFrame(MANY, columns=names)
    np.testing.assert_array_equal(found.relevance_, expected.relevance_)
    np.testing.assert_allclose(found.dual_coef_, expected.dual_coef_, rtol=1e-6)
    method = "predict_proba" if hasattr(found, "predict_proba") else "predict"
    pair = getattr(found, method)(rows), getattr(expected, method)(MANY)
    np.testing.assert_allclose(*pair, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_a_fit_to_arrays_is_that_of_rows_in_memory(kind, scheduler, monkeypatch):
    """Whole numbers as targets are numbers: only classifiers take them for classes."""
    model, y = CASES[kind]
    with dask.config.set(scheduler=scheduler):
        found = fit(model, in_chunks(MANY), in_chunks(y), in_chunks(COPIES))
    assert_same(found, in_memory(monkeypatch, kind, COPIES.astype(float)))
    assert found.n_reads_ <= 25


def test_a_fit_to_a_dataframe_knows_its_columns(monkeypatch):
    table = pd.DataFrame(MANY, columns=NAMES).assign(name="row", target=MANY_LABELS, copies=COPIES)
    frame, model = dd.from_pandas(table, npartitions=ROWS // CHUNK), CASES["classes"][0]
    expected = in_memory(monkeypatch, "classes", COPIES.astype(float))
    with dask.config.set(scheduler="synchronous"):
        for arguments in ((frame, "target", "copies"), (frame[NAMES], frame["target"], frame["copies"])):
            found = fit(model, *arguments)
            assert_same(found, expected, NAMES)
            assert list(found.feature_names_in_) == NAMES
            assert found.n_features_in_ == 3
            assert np.mean(found.predict(frame).compute() == MANY_LABELS) == expected.score(MANY, MANY_LABELS)


def test_a_label_of_rows_that_do_not_count_is_no_class(monkeypatch):
    model, y = CASES["classes"]
    with dask.config.set(scheduler="synchronous"):
        found = fit(model, in_chunks(MANY), in_chunks(np.where(COPIES == 0, 7, y)), in_chunks(COPIES))
    assert list(found.classes_) == [0, 1]
    assert_same(found, in_memory(monkeypatch, "classes", COPIES.astype(float)))


def test_a_cluster_gives_the_fit_of_rows_in_memory(client, monkeypatch):
    model, y = CASES["classes"]
    assert_same(
        fit(model, *client.persist([in_chunks(MANY), in_chunks(y)])), in_memory(monkeypatch, "classes")
    )


def test_a_worker_that_is_killed_in_the_middle_of_a_fit_changes_nothing(client, monkeypatch):
    model, y = CASES["classes"]
    expected, victim = in_memory(monkeypatch, "classes"), min(client.run(os.getpid).values())
    sum_all = DaskSource._sum

    def killing(source, function):
        if source.reads == 2:
            threading.Timer(0.02, os.kill, (victim, signal.SIGKILL)).start()
        return sum_all(source, function)

    monkeypatch.setattr(DaskSource, "_sum", killing)
    found = fit(model, *client.persist([in_chunks(MANY), in_chunks(y)]))
    assert found.n_reads_ > 3
    client.wait_for_workers(2)
    assert victim not in client.run(os.getpid).values()
    assert_same(found, expected)


# Jobs on a cluster


@pytest.mark.parametrize("noise", ["channel", "power"])
def test_jobs_on_a_cluster_change_nothing(client, noise):
    inputs, labels = make_moons(70, noise=0.2, random_state=0)
    labels[inputs[:, 0] > 1.3] = 2
    alone = RobustRVC(label_noise=noise, random_state=0).fit(inputs, labels)
    with parallel_config(backend="dask"):
        there = RobustRVC(label_noise=noise, random_state=0, n_jobs=2).fit(inputs, labels)
    assert list(alone.gamma_share_) == list(there.gamma_share_)
    np.testing.assert_array_equal(alone.relevance_, there.relevance_)
    np.testing.assert_allclose(there.predict_proba(inputs), alone.predict_proba(inputs), rtol=0, atol=1e-7)


def refuse(*arguments, **options):
    raise AssertionError("computed before anybody asked")


def lazy(model, method, rows, *arguments, **options):
    """Call a method while nothing may be computed."""
    with dask.config.set(scheduler=refuse):
        return getattr(model, method)(rows, *arguments, **options)


def close(found, expected):
    if np.asarray(expected).dtype.kind in "fc":
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    else:
        np.testing.assert_array_equal(found, expected)
