"""Where the rows of a fit are does not change the model; places that are not there are told in a line."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from rowtrust import RVC, RVR
from rowtrust.estimators._machine import SparseBayesMachine
from rowtrust.fitting import Budget
from rowtrust.workflow import streaming
from rowtrust.workflow.streaming import (
    StoredBlocks,
    all_in_memory,
    as_dask,
    connected,
    fit_on_device,
    torch_with,
)
from rowtrust.workflow.tables import InputError

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(400, 2))
WORDS = np.where(np.sin(2.0 * X[:, 0]) + X[:, 1] > 0, "yes", "no")


@pytest.fixture
def blocks(tmp_path):
    """Rows in three blocks on the disk."""
    found = StoredBlocks(tmp_path)
    for cut in (slice(0, 150), slice(150, 151), slice(151, 400)):
        found.append(X[cut], WORDS[cut], np.arange(400)[cut])
    return found


def test_blocks_in_memory_are_their_rows(blocks):
    inputs, labels = all_in_memory(blocks)
    np.testing.assert_array_equal(inputs, X)
    np.testing.assert_array_equal(labels, WORDS)


def test_blocks_as_dask_arrays_are_their_rows(blocks):
    pytest.importorskip("dask.array")
    inputs, labels = as_dask(blocks)
    assert inputs.shape == X.shape
    assert inputs.numblocks == (3, 1)
    np.testing.assert_array_equal(inputs.compute(scheduler="sync"), X)
    np.testing.assert_array_equal(labels.compute(scheduler="sync"), WORDS)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("many", [100, 1000])
@pytest.mark.parametrize("estimator", [RVC, RVR])
def test_a_fit_on_a_device_is_that_in_memory(monkeypatch, estimator, many):
    pytest.importorskip("torch")
    monkeypatch.setattr(SparseBayesMachine, "_budget", replace(Budget(), together_rows=many))
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    y = WORDS if estimator is RVC else X[:, 0] + 0.1 * X[:, 1] ** 2
    there = fit_on_device(estimator(basis=20, gamma=0.5, random_state=0), X, y, "cpu")
    here = estimator(basis=20, gamma=0.5, random_state=0).fit(X, y)
    if estimator is RVC:
        assert there.classes_.tolist() == ["no", "yes"]
        assert there.predict(X[:5]).tolist() == here.predict(X[:5]).tolist()
        np.testing.assert_allclose(there.predict_proba(X), here.predict_proba(X), rtol=1e-6, atol=1e-6)
    else:
        np.testing.assert_allclose(there.predict(X), here.predict(X), rtol=1e-6, atol=1e-6)


def test_what_is_not_there_is_told_with_the_cure(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match="finds no CUDA device"):
        torch_with("cuda")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(InputError, match="needs PyTorch"):
        torch_with("cuda")


def test_no_scheduler_is_told_with_the_cure(monkeypatch):
    pytest.importorskip("dask.distributed")
    monkeypatch.setattr(streaming, "PATIENCE", 0.5)
    with pytest.raises(InputError, match="no scheduler answers there"), connected("tcp://127.0.0.1:9"):
        pass


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_fit_to_dask_arrays_of_blocks_is_that_of_the_blocks(blocks):
    dask = pytest.importorskip("dask")
    pytest.importorskip("dask.array")
    with dask.config.set(scheduler="sync"):
        there = RVC(basis=20, gamma=0.5, random_state=0).fit(*as_dask(blocks))
    here = RVC(basis=20, gamma=0.5, random_state=0).fit(blocks)
    np.testing.assert_allclose(there.predict_proba(X), here.predict_proba(X), rtol=1e-8, atol=1e-8)
    np.testing.assert_array_equal(there.relevance_, here.relevance_)
