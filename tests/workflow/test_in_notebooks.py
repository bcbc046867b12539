"""Pictures of a study appear in notebooks: in a real kernel, whether pyplot was used before or not."""

import base64

import numpy as np
import pandas as pd
import pytest

from rowtrust.displays.looks import SERIES
from rowtrust.workflow.report import drawing
from rowtrust.workflow.report.drawing import plotted

nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

STUDY = """
import numpy as np, pandas as pd
from rowtrust import study_table
x = np.linspace(-1, 1, 60)
study = study_table(pd.DataFrame({"x": x, "kind": np.where(x > 0.1, "high", "low")}), "kind",
                    model="plain", test=False, progress=False)
"""


def images_of(cells):
    """Run cells in a kernel; return the pictures in the output of the last."""
    from nbformat import v4

    book = v4.new_notebook(cells=[v4.new_code_cell(each) for each in cells])
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    outputs = [each["data"] for each in book.cells[-1].outputs if "data" in each]
    return [base64.b64decode(each["image/png"]) for each in outputs if "image/png" in each]


@pytest.mark.slow
@pytest.mark.parametrize("first", ["", "%matplotlib inline", "import matplotlib.pyplot as plt"])
@pytest.mark.parametrize("picture", ["study.plot_calibration()", "study.plot_trust()"])
def test_a_kernel_shows_each_picture_once(first, picture):
    (image,) = images_of([first, STUDY, picture])
    assert image.startswith(b"\x89PNG")
    assert len(image) > 5_000


def test_a_figure_shows_itself_without_pyplot():
    figure = plotted([lambda axes: axes.plot([0, 1], [0, 1])])
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert drawing.LIGHT.series == SERIES  # the colours of all displays


def test_what_is_printed_fits_on_a_screen():
    from rowtrust import study_table

    x = np.linspace(-1, 1, 60)
    table = pd.DataFrame({"x": x, "kind": np.where(x > 0.1, "high", "low")})
    study = study_table(table, "kind", test=False, progress=False)
    assert all(len(repr(each)) < 100 and "log score" in repr(each) for each in study.candidates)
    assert len(repr(study.findings).splitlines()) <= 10
