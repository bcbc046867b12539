"""Fixtures that several packages share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of the papers' data, from ROWTRUST_DATA; tests that need it skip without it."""
    folder = os.environ.get("ROWTRUST_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("set ROWTRUST_DATA to the folder of the papers' data")
    return Path(folder)
