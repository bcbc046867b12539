"""Fixtures that several packages share."""

import os
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of the papers' data, from ROWTRUST_DATA; tests that need it skip without it."""
    folder = os.environ.get("ROWTRUST_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("set ROWTRUST_DATA to the folder of the papers' data")
    return Path(folder)


@pytest.fixture(scope="session")
def array_api_strict():
    """The library that refuses whatever is not of the array API standard."""
    if np.lib.NumpyVersion(np.__version__) < "2.0.0":
        pytest.skip("array_api_strict copies with an argument that NumPy has from version 2")
    return pytest.importorskip("array_api_strict")


@pytest.fixture(params=["array_api_strict", "torch"])
def elsewhere(request):
    """Move NumPy's arrays to another library; array_api_strict's device is one that NumPy cannot read."""
    if request.param == "torch":
        library = pytest.importorskip("torch")
    else:
        library = request.getfixturevalue("array_api_strict")
    device = library.Device("device1") if request.param == "array_api_strict" else "cpu"
    return lambda array: library.asarray(np.array(array), device=device)


@pytest.fixture(scope="session")
def cluster():
    """Two worker processes of dask on this machine, reached by the loopback alone."""
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("distributed")
    patience = {"distributed.comm.timeouts.connect": "2s"}  # how long the dead are waited for
    with (
        dask.config.set(patience),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            memory_limit="1GiB",
        ) as started,
    ):
        yield started


@pytest.fixture
def client(cluster):
    """What sends work to the workers, and is dask's default while the test runs."""
    from distributed import Client

    with Client(cluster) as connected:
        connected.wait_for_workers(2)
        yield connected
