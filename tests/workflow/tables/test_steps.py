"""The steps of a pipeline before the model: it takes a table as it was read."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pytest
from sklearn.base import clone
from sklearn.pipeline import Pipeline

import rowtrust
from rowtrust import io
from rowtrust.export.portable import ExportError, described
from rowtrust.workflow.results import read_model
from rowtrust.workflow.tables import InputError, Schema, pipeline
from rowtrust.workflow.tables.steps import DateCycles, ReadColumns, varying_cycles

N = 60


def raw():
    generator = np.random.default_rng(0)
    x = generator.normal(size=N)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(generator.integers(0, 900, N), unit="D")
    return pd.DataFrame(
        {
            "note": [f"she said {n} things" for n in range(N)],
            "share": [f"{10 * each:.1f} %" for each in x],
            "when": days.strftime("%d.%m.%Y"),
            "colour": generator.choice(["red", "Red", "blue"], N),
            "y": np.where(x > 0, "up", "down"),
        }
    )


@pytest.fixture(scope="module")
def fitted():
    table = raw()
    schema, target = Schema.find(table, "y")
    return pipeline(schema, rowtrust.RVC(gamma=0.05)).fit(table, target.values), schema, table


def test_a_pipeline_takes_the_table_as_it_was_read_or_conformed(fitted):
    model, schema, table = fitted
    expected = model.predict_proba(table)
    np.testing.assert_array_equal(model.predict_proba(schema.conform(table)), expected)
    shuffled = table[["y", "colour", "when", "share"]].assign(colour=table["colour"].str.upper())
    np.testing.assert_array_equal(model.predict_proba(shuffled), expected)
    assert list(model.feature_names_in_) == ["share", "when", "colour"]
    assert model.n_features_in_ == 3
    assert (model.predict(table) == table["y"]).mean() > 0.9


def test_a_pipeline_takes_frames_of_other_libraries(fitted):
    model, _, table = fitted
    expected = model.predict_proba(table)
    for other in (pl.from_pandas(table), pyarrow.Table.from_pandas(table)):
        np.testing.assert_array_equal(model.predict_proba(other), expected)


def test_names_of_features_go_through_all_steps(fitted):
    model, _, table = fitted
    names = list(model[:-1].get_feature_names_out())
    assert len(names) == model[:-1].transform(table).shape[1]
    assert names[:3] == ["numbers__share", "categories__colour_blue", "categories__colour_red"]
    assert names[3:5] == ["dates__when", "dates__when (year, sine)"]


def test_a_pipeline_refuses_what_is_no_table_or_garbled(fitted):
    model, _, table = fitted
    with pytest.raises(InputError, match="takes a DataFrame with named columns, got a numpy ndarray"):
        model.predict(np.zeros((2, 3)))
    with pytest.raises(InputError, match="lack the column 'share'"):
        model.predict(table.drop(columns="share"))
    with pytest.raises(InputError, match="'share' holds numbers in the model but 100% other text"):
        model.predict(table.assign(share="high"))


def test_a_pipeline_can_be_saved_and_loaded_and_copied(fitted, tmp_path):
    model, _, table = fitted
    io.save(model, tmp_path / "model.skops")
    again = io.load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))
    assert clone(model)[0].schema == model[0].schema


@pytest.mark.parametrize("stored", ["", "[]", "{", '{"inputs": 5}', "[" * 100_000, '{"inputs": [{}]}'])
def test_a_step_that_does_not_know_its_columns_says_so(stored):
    with pytest.raises(InputError, match="does not know its columns"):
        ReadColumns(stored).fit(None)


@pytest.mark.parametrize(
    "stored", ["{", '{"inputs": [], "left_out": [], "target": "y", "task": "regression"}']
)
def test_a_model_file_whose_step_knows_other_columns_is_refused(fitted, tmp_path, stored):
    model, schema, _ = fitted
    changed = Pipeline([("read", clone(model[0])), *model.steps[1:]])
    changed[0].set_params(schema=stored).n_features_in_ = 3
    io.save(changed, tmp_path / "model.skops", facts={"schema": schema.as_json()})
    with pytest.raises(io.ModelFileError, match="cannot predict, as its parts do not fit"):
        read_model(tmp_path / "model.skops")


def test_the_schema_of_a_step_is_that_of_the_model(fitted):
    model, schema, _ = fitted
    assert Schema.from_json(json.loads(model[0].schema)) == schema


def test_a_model_with_dates_is_not_exported_and_one_with_text_numbers_is(fitted):
    model, schema, table = fitted
    with pytest.raises(ExportError, match="a model with dates cannot be exported: 'when'"):
        described(model, schema)
    other, target = Schema.find(table.drop(columns="when"), "y")
    without = pipeline(other, rowtrust.RVC(gamma=1.0)).fit(table, target.values)
    assert [each.name for each in described(without, other)] == ["share", "colour"]


def test_cycles_are_those_in_which_dates_vary():
    start = 18262.0
    assert varying_cycles(start + np.arange(400.0)) == ["year", "week"]
    assert varying_cycles(start + np.arange(0, 3000, 7.0)) == ["year"]
    assert varying_cycles(start + np.arange(30.0)) == ["week"]
    assert varying_cycles(start + np.arange(0, 1, 0.01)) == ["day"]
    assert varying_cycles(np.array([np.nan, np.nan])) == []


def test_december_is_next_to_january_and_gaps_stay():
    days = pd.DataFrame({"d": 18262.0 + np.arange(0.0, 800.0)})
    step = DateCycles().fit(days)
    ends = pd.DataFrame({"d": [18262.0, 18262.0 + 364, 18262.0 + 182, np.nan]})
    found = step.transform(ends)
    new_year, december, july = found[:3, 1:3]
    assert np.linalg.norm(new_year - december) < 0.1 < 1.9 < np.linalg.norm(new_year - july)
    assert np.isnan(found[3]).all()
    assert len(step.get_feature_names_out()) == found.shape[1] == 5


def test_a_model_file_asks_for_no_other_class_of_the_workflow():
    from rowtrust.archives import is_ours

    assert is_ours("rowtrust.workflow.tables.steps.ReadColumns")
    assert not is_ours("rowtrust.workflow.tables.schema.Schema")
    assert not is_ours("rowtrust.workflow.tables.sources.Source")
