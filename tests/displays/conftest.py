"""Pictures are drawn without a screen, and closed after each test."""

import matplotlib
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot


@pytest.fixture(autouse=True)
def closed():
    """Close the figures that displays make for themselves."""
    yield
    pyplot.close("all")
