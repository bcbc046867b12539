"""The same rows give the same model, whatever holds them: an array, a map, blocks, a file, Dask, a device."""

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sklearn

from rowtrust import RVC, RVR, RobustRVC, RobustRVR
from rowtrust.estimators._machine import SparseBayesMachine
from rowtrust.fitting import Budget
from rowtrust.numerics.array_api import to_numpy

ESTIMATORS = [RobustRVC, RVC, RobustRVR, RVR]
OF_EACH_KIND = [RobustRVC, RVR]
CONTAINERS = ["memmap", "blocks", "parquet", "dask", "tensor"]
WITH_BLOCKS = ["blocks", "parquet", "dask"]
NEW = np.random.default_rng(1).normal(size=(200, 2))
SAME_BLOCKS, OTHER_BLOCKS = 1e-6, 1e-5
SOME_THOUSAND = 5000
SMALL = Budget(together_rows=300, sample_rows=200, search_rows=100, centre_rows=100, landmarks=60)
pytestmark = [
    pytest.mark.filterwarnings("ignore::rowtrust.LandmarksWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning"),
]


@pytest.fixture
def dispatch(monkeypatch):
    """Switch scikit-learn's dispatch on, for tensors."""
    pytest.importorskip("torch")
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    try:
        with sklearn.config_context(array_api_dispatch=True):
            yield
    except ImportError as error:
        pytest.skip(str(error))


@cache
def table(n_rows, of_classes):
    """Return inputs, and labels of which one in ten is wrong, or numbers of which one in ten is far off."""
    rng = np.random.default_rng(0)
    X, wrong = rng.normal(size=(n_rows, 2)), rng.random(n_rows) < 0.1
    if n_rows == SOME_THOUSAND:  # some hundred distinct rows, which are fitted fast
        X = np.round(3.0 * X) / 3.0
    function = np.sin(2.0 * X[:, 0]) + X[:, 1]
    if of_classes:
        return X, np.where(wrong, function <= 0.0, function > 0.0).astype(int)
    return X, function + 0.3 * rng.normal(size=n_rows) + np.where(wrong, 8.0 * rng.normal(size=n_rows), 0.0)


def held(container, X, y, step, folder):
    """Return the arguments of a fit to rows in a container, whose pieces have so many rows."""
    if container == "array":
        return X, y
    if container == "memmap":
        np.save(folder / "X.npy", X)
        return np.load(folder / "X.npy", mmap_mode="r"), y
    if container == "blocks":
        return ([(X[at : at + step], y[at : at + step]) for at in range(0, len(y), step)],)
    if container == "parquet":
        pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        columns = {"one": X[:, 0], "two": X[:, 1], "target": y}
        parquet.write_table(pa.table(columns), folder / "rows.parquet", row_group_size=step)
        return str(folder / "rows.parquet"), "target"
    if container == "dask":
        da = pytest.importorskip("dask.array")
        return da.from_array(X, chunks=(step, 2)), da.from_array(y, chunks=step)
    torch = pytest.importorskip("torch")
    return torch.from_numpy(X), torch.from_numpy(y)


def said(estimator, container, n_rows, step, folder):
    """Return what a fit to rows in a container says of new rows."""
    X, y = table(n_rows, hasattr(estimator, "predict_proba"))
    model = estimator()
    if container == "dask":
        with pytest.importorskip("dask").config.set(scheduler="synchronous"):
            model.fit(*held(container, X, y, step, folder))
    else:
        model.fit(*held(container, X, y, step, folder))
    new = pytest.importorskip("torch").from_numpy(NEW) if container == "tensor" else NEW
    if hasattr(model, "predict_proba"):
        return to_numpy(model.predict_proba(new))
    return np.stack([to_numpy(each) for each in model.predict(new, return_std=True)])


@pytest.fixture(scope="session")
def of_array(tmp_path_factory):
    """What fits to arrays say, each made once."""
    return cache(lambda *case: said(case[0], "array", case[1], None, None))


def assert_same(found, expected, accuracy=SAME_BLOCKS):
    np.testing.assert_allclose(found, expected, rtol=0, atol=accuracy)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("container", CONTAINERS)
def test_a_few_hundred_rows_give_the_same_model_in_every_container(
    estimator, container, of_array, tmp_path, request
):
    if container == "tensor":
        request.getfixturevalue("dispatch")
    assert_same(said(estimator, container, 400, 137, tmp_path), of_array(estimator, 400))


@pytest.mark.parametrize(
    ("estimator", "container"),
    [
        (RobustRVC, "parquet"),
        (RVC, "blocks"),
        (RVR, "tensor"),
        (RobustRVR, "dask"),
    ],
)
def test_some_thousand_rows_give_the_same_model_in_every_container(
    estimator, container, of_array, tmp_path, request
):
    if container == "tensor":
        request.getfixturevalue("dispatch")
    assert_same(said(estimator, container, SOME_THOUSAND, 1711, tmp_path), of_array(estimator, SOME_THOUSAND))


@pytest.mark.slow
@pytest.mark.parametrize("estimator", OF_EACH_KIND)
@pytest.mark.parametrize("container", CONTAINERS)
def test_many_rows_give_the_same_model_in_every_container(estimator, container, of_array, tmp_path, request):
    """More than are fitted together: those of a device stay there, all others are an array.

    What blocks they came in is forgotten by then; the test of streams has blocks of another size.
    """
    if container == "tensor":
        request.getfixturevalue("dispatch")
    accuracy = OTHER_BLOCKS if container == "tensor" else SAME_BLOCKS
    assert_same(said(estimator, container, 25_000, 5000, tmp_path), of_array(estimator, 25_000), accuracy)


def check_streams(estimator, n_rows, step, expected, folder):
    """Compare fits that read their rows piece by piece with that to an array, and with each other."""
    found = {each: said(estimator, each, n_rows, step, folder) for each in (*WITH_BLOCKS, "memmap")}
    for each in found.values():
        assert_same(each, expected, OTHER_BLOCKS)
    for container in WITH_BLOCKS:
        assert_same(found[container], found["blocks"])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_rows_too_many_for_memory_give_the_model_of_an_array(estimator, tmp_path, monkeypatch):
    """Nothing fits into one byte, so that all are read piece by piece."""
    monkeypatch.setattr(SparseBayesMachine, "_budget", replace(SMALL, memory_bytes=1))
    expected = said(estimator, "array", 600, None, tmp_path)
    check_streams(estimator, 600, 137, expected, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", OF_EACH_KIND)
def test_many_rows_too_many_for_memory_give_the_model_of_an_array(estimator, of_array, tmp_path, monkeypatch):
    expected = of_array(estimator, 25_000)
    monkeypatch.setattr(SparseBayesMachine, "_budget", Budget(memory_bytes=1))
    check_streams(estimator, 25_000, 1711, expected, tmp_path)


@pytest.mark.parametrize("estimator", [RVR])
def test_streamed_rows_have_readings_and_no_trust_of_each(estimator, tmp_path, monkeypatch):
    """Which vectors are kept and the bound are those of an array."""
    monkeypatch.setattr(SparseBayesMachine, "_budget", replace(SMALL, memory_bytes=1))
    X, y = table(600, hasattr(estimator, "predict_proba"))
    array, streamed = estimator().fit(X, y), estimator().fit(*held("blocks", X, y, 150, tmp_path))
    np.testing.assert_array_equal(streamed.relevance_, array.relevance_)
    assert streamed.lower_bound_ == pytest.approx(array.lower_bound_, rel=1e-6)
    assert 5 < streamed.n_reads_ <= array.n_reads_ <= 25
    assert array.sample_trust_.shape == (600,)
    assert not hasattr(streamed, "sample_trust_")


def test_rows_that_were_read_into_memory_are_an_array_from_then_on(tmp_path):
    X, y = table(400, True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = RVC().fit(*held("parquet", X, y, 137, tmp_path))
    array = RVC().fit(X, y)
    np.testing.assert_array_equal(model.sample_trust_, array.sample_trust_)
    np.testing.assert_array_equal(model.relevance_, array.relevance_)
    assert list(model.feature_names_in_) == ["one", "two"]
    assert not hasattr(model, "n_reads_")


@pytest.mark.parametrize("container", ["blocks", "parquet", "dask", "tensor"])
def test_three_classes_read_piece_by_piece_are_those_of_an_array(container, tmp_path, monkeypatch, request):
    if container == "tensor":
        request.getfixturevalue("dispatch")
    monkeypatch.setattr(SparseBayesMachine, "_budget", replace(SMALL, memory_bytes=1))
    X, _ = table(400, True)
    y = np.digitize(np.sin(2.0 * X[:, 0]) + X[:, 1], [-0.7, 0.7])
    model, array = RVC(), RVC().fit(X, y)
    if container == "dask":
        with pytest.importorskip("dask").config.set(scheduler="synchronous"):
            model.fit(*held(container, X, y, 137, tmp_path))
    else:
        model.fit(*held(container, X, y, 137, tmp_path))
    assert model.n_reads_ > 1
    assert (array.predict(X) == y).mean() > 0.9
    new = pytest.importorskip("torch").from_numpy(NEW) if container == "tensor" else NEW
    assert_same(to_numpy(model.predict_proba(new)), array.predict_proba(NEW), 1e-6)
