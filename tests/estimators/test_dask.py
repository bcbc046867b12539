"""Estimators and dask: predictions are lazy and those of rows in memory, and jobs run on a cluster."""

import os
import pickle
import signal
import subprocess
import sys
import threading
from copy import copy

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import make_moons
from sklearn.exceptions import NotFittedError

from rowtrust import RVR, BayesianSVR, RobustRVC, RobustRVR
from rowtrust.engines import is_dask
from rowtrust.estimators._machine import SparseBayesMachine
from rowtrust.fitting import Budget

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
    asis = without_rows(model)
    expected = asis.audit(TABLE[NAMES], given).sort_index()
    for y in (target, FRAME[target]):
        found = lazy(model, "audit", FRAME, y)
        assert isinstance(found, type(FRAME))
        assert found.divisions == FRAME.divisions
        table = found.compute(scheduler="synchronous")
        pd.testing.assert_frame_equal(table, expected, check_dtype=False, rtol=1e-9)
        assert list(found.dtypes) == list(table.dtypes)


def without_rows(model):
    """Return a copy that knows none of the rows of its fit."""
    copied = copy(model)
    copied.fitted_ = model.fitted_.without_rows()
    return copied


def test_an_audit_of_arrays_numbers_the_rows(classifier):
    found = classifier.audit(ARRAY, da.from_array(LABELS, chunks=70)).compute(scheduler="synchronous")
    np.testing.assert_array_equal(found.index, np.arange(N))
    np.testing.assert_array_equal(found["given"], LABELS)
    close(found["p_wrong"], without_rows(classifier).audit(X, LABELS).sort_index()["p_wrong"])


@pytest.mark.parametrize("n_parts", [2, 8])
def test_lists_of_an_audit_are_of_all_rows_and_not_of_a_partition(n_parts):
    """Errors of the first partition are sure, those of the last less so: alone none of them is listed."""
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(2000, 2)) * [3.0, 1.0]
    model = RobustRVC(kernel="linear", label_noise=0.1).fit(rows[:300], rows[:300, 0] > 0.0)
    log_odds = model.decision_function(rows)
    surely, likely, hardly, right = (
        np.flatnonzero((np.abs(log_odds) > low) & (np.abs(log_odds) < high))[:count]
        for low, high, count in ((6.0, 9.0, 24), (2.4, 3.2, 12), (0.5, 1.5, 6), (9.0, np.inf, 358))
    )
    which = np.concatenate([surely, right, likely, hardly])
    given = (log_odds[which] > 0.0) ^ ~np.isin(which, right)
    rows, size = rows[which], 400 // n_parts
    here = without_rows(model)
    expected = here.audit(rows, given).sort_index()["list"]
    assert expected.value_counts().to_dict() == {"": 358, "likely error": 36, "worth a look": 6}
    lazily = model.audit(da.from_array(rows, chunks=(size, 2)), da.from_array(given, chunks=size))
    found = lazily.compute(scheduler="synchronous")["list"]
    assert found.tolist() == expected.tolist()
    last = here.audit(rows[-size:], given[-size:])["list"]
    assert (last != "likely error").all()


def test_an_audit_judges_every_partition_once_and_none_before_it_is_asked(classifier, monkeypatch):
    sizes, judge_rows = [], RobustRVC.judge_rows
    monkeypatch.setattr(
        RobustRVC, "judge_rows", lambda self, X, y: sizes.append(len(X)) or judge_rows(self, X, y)
    )
    lazily = classifier.audit(ARRAY, da.from_array(LABELS, chunks=50))
    assert sizes == [1]  # a row that tells the columns
    lazily.compute(scheduler="synchronous")
    assert sorted(sizes) == [1, 20, 50, 50]


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
    sent = [len(pickle.dumps(part)) for key, part in graph.items() if "rowtrust-model" in str(key)]
    assert len(sent) == 1
    assert sent[0] < len(pickle.dumps(classifier))
    assert len(classifier.sample_trust_) == N, "the model itself keeps what it had"


def test_arrays_and_dataframes_are_dasks_collections_of_rows():
    assert is_dask(ARRAY)
    assert is_dask(FRAME)
    assert not any(is_dask(each) for each in (X, TABLE, [[1.0]], dask.delayed(X), "rows.parquet"))


@pytest.mark.slow
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


@pytest.mark.slow
def test_predictions_on_a_cluster_are_those_of_this_process(client, classifier):
    close(classifier.predict_proba(ARRAY).compute(), classifier.predict_proba(X))


# Fits


def test_a_fit_to_a_dataframe_knows_its_columns(named):
    model = RobustRVC(gamma=0.5, random_state=0)
    with dask.config.set(scheduler="synchronous"):
        for arguments in ((FRAME.drop(columns="number"), "label"), (FRAME[NAMES], FRAME["label"])):
            model.fit(*arguments)
            assert list(model.feature_names_in_) == NAMES
            close(model.predict_proba(TABLE[NAMES]), named["classes"].predict_proba(TABLE[NAMES]))


def test_weights_may_be_a_column_or_an_array():
    copies = np.arange(N) % 3
    model, expected = RVR(gamma=0.5), RVR(gamma=0.5).fit(X, NUMBERS, copies).predict(X)
    frame = dd.from_pandas(TABLE.drop(columns="label").assign(copies=copies), npartitions=3)
    with dask.config.set(scheduler="synchronous"):
        close(model.fit(frame, "number", "copies").predict(TABLE[NAMES]), expected)
        chunks = [da.from_array(each, chunks=50) for each in (NUMBERS, copies)]
        close(model.fit(da.from_array(X, chunks=(50, 3)), *chunks).predict(X), expected)


@pytest.fixture
def streaming(monkeypatch):
    """Let no rows come into the memory of this process."""
    few = Budget(together_rows=60, sample_rows=80, sample_class_rows=20, memory_bytes=1)
    monkeypatch.setattr(SparseBayesMachine, "_budget", few)


@pytest.mark.slow
def test_a_worker_that_is_killed_in_the_middle_of_a_fit_changes_nothing(client, monkeypatch, streaming):
    expected, victim = RobustRVC(gamma=0.5).fit(X, LABELS), min(client.run(os.getpid).values())
    rows = client.persist([da.from_array(X, chunks=(40, 3)), da.from_array(LABELS, chunks=40)])
    close(RobustRVC(gamma=0.5).fit(*rows).predict_proba(X), expected.predict_proba(X), 1e-6)
    sum_all = DaskSource._sum

    def killing(source, function):
        if source.reads == 2:
            threading.Timer(0.02, os.kill, (victim, signal.SIGKILL)).start()
        return sum_all(source, function)

    monkeypatch.setattr(DaskSource, "_sum", killing)
    rows = client.persist([da.from_array(X, chunks=(40, 3)), da.from_array(LABELS, chunks=40)])
    found = RobustRVC(gamma=0.5).fit(*rows)
    assert found.n_reads_ > 3
    client.wait_for_workers(2)
    assert victim not in client.run(os.getpid).values()
    close(found.predict_proba(X), expected.predict_proba(X), 1e-6)


# Jobs on a cluster


@pytest.mark.slow
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


def close(found, expected, accuracy=1e-9):
    if np.asarray(expected).dtype.kind in "fc":
        np.testing.assert_allclose(found, expected, rtol=accuracy, atol=1e-3 * accuracy)
    else:
        np.testing.assert_array_equal(found, expected)
