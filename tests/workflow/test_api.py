"""The main job in one call."""

import json
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pytest
from matplotlib.figure import Figure

import rowtrust
from rowtrust import study_table
from rowtrust.workflow.api import chosen_test
from rowtrust.workflow.choices import in_python
from rowtrust.workflow.input_data import path_or_frame
from rowtrust.workflow.records import FILES
from rowtrust.workflow.tables import InputError


def table(n_rows=70):
    generator = np.random.default_rng(0)
    first, second = generator.normal(size=(2, n_rows))
    colour = generator.choice(["red", "green"], n_rows)
    return pd.DataFrame({"first": first, "second": second, "colour": colour, "kind": first > 0}).assign(
        kind=np.where(first > 0, "yes", "no")
    )


@pytest.fixture(scope="module")
def study():
    return study_table(table(), "kind", model="plain", progress=False)


def test_the_model_takes_the_frame(study):
    given_rows = table()
    assert (study.model.predict(given_rows) == given_rows["kind"]).mean() > 0.9
    shuffled = given_rows[["colour", "second", "first"]].assign(more=1)
    np.testing.assert_array_equal(study.model.predict(shuffled), study.model.predict(given_rows))


def test_frames_of_polars_and_files_give_the_same(study, tmp_path):
    table().to_csv(tmp_path / "d.csv", index=False)
    names = np.arange(70) * 3 + 5
    odd = table().set_index(names)
    for data in (pl.from_pandas(table()), tmp_path / "d.csv", odd):
        other = study_table(data, "kind", model="plain", progress=False)
        pd.testing.assert_frame_equal(other.quality, study.quality)
        places = study.flagged.index.tolist()
        assert other.flagged.index.tolist() == (names[places].tolist() if data is odd else places)


def test_the_command_is_a_face_of_it(study, tmp_path):
    from typer.testing import CliRunner

    from rowtrust.cli import app

    table().to_csv(tmp_path / "d.csv", index=False)
    line = ["fit", tmp_path / "d.csv", "-t", "kind", "--model", "plain", "-o", tmp_path / "out"]
    assert CliRunner().invoke(app, [str(each) for each in line]).exit_code == 0
    study.save(tmp_path / "saved")
    assert {each.name for each in (tmp_path / "saved").iterdir() if each.is_file()} == set(FILES)
    command, python = (
        json.loads((tmp_path / name / "metrics.json").read_text()) for name in ("out", "saved")
    )
    for name in ("metrics", "rows", "wrong_rows", "importance", "model"):
        assert command[name] == python[name], name


def test_other_rows_judge(study):
    judged = study_table(table(), "kind", model="plain", test=table(40), progress=False)
    assert len(judged.judged.rows.y) == 40
    assert judged.provenance["inputs"][1]["role"] == "test"
    assert judged.provenance["inputs"][1]["rows"] == 40


@pytest.mark.parametrize("test", [0, 0.0, False, None])
def test_no_rows_are_kept(test):
    assert chosen_test(test) == (0.0, None)


def test_shares_and_files():
    assert chosen_test(0.3) == chosen_test("0.3") == (0.3, None)
    assert chosen_test("rows.csv")[1].path == "rows.csv"
    for wrong in (True, 2, -0.1, "0", "1.5"):
        with pytest.raises(InputError, match="--test must be a share"):
            chosen_test(wrong)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": "robst"}, "^model must be .* Did you mean robust"),
        ({"task": "regresion"}, "^task must be .* Did you mean regression"),
        ({"test": 2}, "Use test=0 to hold out none"),
        ({"drop": "colr"}, "no column 'colr'"),
        ({"group": "colr"}, "no column 'colr'"),
        ({"time": "frst"}, "no column 'frst'"),
        ({"id": "secnd"}, "no column 'secnd'"),
        ({"id": "kind"}, "target"),
        ({"dask": "tcp://127.0.0.1:1"}, "dask cannot go with a DataFrame"),
        ({"decimal": "point"}, "^decimal must be one character"),
    ],
)
def test_messages_name_arguments(options, words):
    with pytest.raises(ValueError, match=words) as found:
        study_table(table(), "kind", progress=False, **options)
    assert "--" not in str(found.value)
    assert "\n" not in str(found.value)


def test_what_is_no_table_is_refused():
    for data, words in (
        ([1, 2], "are a list"),
        (pd.Series([1]), "are a pandas Series"),
        (pd.DataFrame({"kind": []}), "no rows"),
        (pd.DataFrame([[1, 2]], columns=["kind", "kind"]), "several columns called 'kind'"),
    ):
        with pytest.raises(InputError, match=words):
            study_table(data, "kind", progress=False)


class FromArrow:
    def __arrow_c_stream__(self, requested_schema=None):
        return pyarrow.Table.from_pandas(table()).__arrow_c_stream__(requested_schema)


class Exchanged:
    def __dataframe__(self, allow_copy=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return table().__dataframe__(allow_copy=allow_copy)


@pytest.mark.parametrize("kind", [FromArrow, Exchanged])
def test_frames_of_other_libraries(kind):
    pd.testing.assert_frame_equal(path_or_frame(kind()).frame, table(), check_dtype=False)


def test_options_in_messages_become_arguments():
    assert in_python("Add --decimal ','.") == "Add decimal=','."
    assert in_python("Try --encoding latin-1.") == "Try encoding='latin-1'."
    assert in_python("Use --no-test, or another --test.") == "Use test=0, or another test."
    assert in_python("cells such as '--n/a'") == "cells such as '--n/a'"
    assert in_python("exists. Add --force or choose another --output.").endswith("another folder.")


def test_findings_name_arguments():
    found = study_table(table(), "kind", drop=["second"], model="plain", progress=False)
    assert "--" not in found.data_checks[["message", "cure"]].to_string()
    assert "second" in set(found.data_columns.index[found.data_columns["role"] == "left out"])


def test_a_bar_only_where_somebody_sees_it(study, capsys):
    study_table(table(), "kind", model="plain")
    assert capsys.readouterr().err == ""


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_the_public_names_are_all_that_shows():
    shown = {name for name in dir(rowtrust) if not name.startswith("_")}
    assert shown == set(rowtrust.__all__)
    assert {"study_table", "Study"} <= shown
    assert not {"contracts", "priors", "workflow"} & shown
    with pytest.raises(AttributeError, match="no attribute 'study'"):
        rowtrust.study


def test_the_workflow_is_imported_when_it_is_used_and_without_the_extra_the_error_names_it():
    found = run(
        "import sys; sys.modules['pandas'] = None\n"
        "from rowtrust import *\n"
        "assert not [name for name in sys.modules if name.startswith('rowtrust.workflow')]\n"
        "import rowtrust; assert 'study_table' not in dir(rowtrust)\n"
        "try: rowtrust.study_table\n"
        "except ImportError as error: print(error)"
    )
    assert "pip install 'rowtrust[cli]'" in found.stdout, found.stderr


@pytest.mark.parametrize("name", ["calibration", "importance", "dependence", "trust", "roc"])
def test_pictures_are_figures(study, name):
    figure = getattr(study, f"plot_{name}")()
    assert isinstance(figure, Figure)
    assert figure.axes
