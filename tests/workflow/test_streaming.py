"""Files of which a study has a sample: the model is fitted to all rows, and the study says so."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rowtrust.estimators._machine import SparseBayesMachine
from rowtrust.fitting import Budget
from rowtrust.workflow import Progress, Settings, run, run_study
from rowtrust.workflow.candidates import build
from rowtrust.workflow.fitting import fit_model, fit_to_file
from rowtrust.workflow.input_data import InputTable, Question
from rowtrust.workflow.results import study_file
from rowtrust.workflow.streaming import StoredBlocks, WholeFile, joined, stored, targets_of
from rowtrust.workflow.summaries import summary, summary_lines
from rowtrust.workflow.tables import InputError, Layout, Schema, reading
from rowtrust.workflow.tables.steps import pipeline

N = 700


def table_of(n_rows=N, seed=0):
    """Two numbers, a category with gaps, classes and numbers that follow them; some rows lack a target."""
    generator = np.random.default_rng(seed)
    first, second = generator.normal(size=(2, n_rows))
    colour = generator.choice(["red", "green", "blue"], n_rows)
    latent = first + 0.5 * (colour == "red")
    table = pd.DataFrame({"first": first, "second": second, "colour": colour})
    table["kind"] = np.where(latent > 0, "yes", "no")
    table["value"] = latent + 0.1 * generator.normal(size=n_rows)
    table.loc[::11, "second"] = np.nan
    table.loc[5::13, ["kind", "value"]] = None
    return table


@pytest.fixture
def path(tmp_path):
    table_of().to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


def limit(monkeypatch, **sizes):
    """Change the sizes of every fit."""
    monkeypatch.setattr(SparseBayesMachine, "_budget", replace(Budget(), **sizes))


@pytest.fixture
def small_memory(monkeypatch):
    """A study has 200 rows in memory, a piece of a file 90; small tables take the road of many rows."""
    monkeypatch.setattr(reading, "IN_MEMORY_ROWS", 200)
    monkeypatch.setattr(reading, "CHUNK_ROWS", 90)
    limit(monkeypatch, together_rows=100, sample_rows=150, memory_bytes=1000)


class Heard(Progress):
    def __init__(self):
        self.total, self.cost, self.shares, self.steps = 0.0, 0.0, [], []

    def start(self, total):
        self.total = total

    def step(self, description, cost=1.0):
        self.cost += cost
        self.steps.append(description)

    def part(self, share):
        self.shares.append(share)


def schema_of(target):
    drop = ["value"] if target == "kind" else ["kind"]
    return Schema.find(table_of(), target, None, drop)[0]


def whole(path, tmp_path):
    return WholeFile(str(path), Layout(), N, tmp_path)


@pytest.mark.parametrize("target", ["kind", "value"])
def test_parts_are_the_rows_with_a_target_but_for_those_kept_for_judging(
    path, tmp_path, small_memory, target
):
    table = table_of()
    left_out = np.array([1, 2, 100, 500])
    classes = np.array(["no", "yes"]) if target == "kind" else np.empty(0)
    parts = list(whole(path, tmp_path).parts(schema_of(target), classes, left_out))
    assert len(parts) == 8
    found = joined(parts)
    expected = table.index[table[target].notna() & ~table.index.isin(left_out - 1)]
    np.testing.assert_array_equal(found.rows, expected + 1)
    np.testing.assert_allclose(found.X["first"], table["first"][expected])
    if target == "kind":
        assert found.y.tolist() == table["kind"][expected].tolist()
    else:
        np.testing.assert_allclose(found.y, table["value"][expected])


def test_rows_of_some_numbers_are_found_again(path, tmp_path, small_memory):
    numbers = np.array([3, 95, 640])
    found = whole(path, tmp_path).rows(schema_of("kind"), np.array(["no", "yes"]), numbers)
    np.testing.assert_array_equal(found.rows, numbers)
    np.testing.assert_allclose(found.X["first"], table_of()["first"][numbers - 1])


@pytest.mark.parametrize(
    ("column", "classes", "rows", "labels"),
    [
        (["b", "a", None, "c"], ["a", "b"], [0, 1], ["b", "a"]),
        ([1, 2, 3], [1, 3], [0, 2], [1, 3]),
        ([10, 9, 2], ["10", "9", "x"], [0, 1], ["10", "9"]),
        (["10", "x", "9"], [9, 10], [0, 2], [10, 9]),
    ],
)
def test_labels_of_a_piece_are_those_of_the_sample(column, classes, rows, labels):
    found, y = targets_of(pd.Series(column, dtype=object), np.array(classes))
    assert (found.tolist(), y.tolist()) == (rows, labels)


def test_stored_blocks_are_read_again_and_gone_at_the_end(path, tmp_path, small_memory):
    schema, classes = schema_of("kind"), np.array(["no", "yes"])
    file = whole(path, tmp_path)
    preparation = pipeline(schema, None)[:-1]
    everything = joined(list(file.parts(schema, classes, np.empty(0, dtype=int))))
    expected = preparation.fit_transform(everything.X)
    readings = []
    place = tmp_path / "place"
    place.mkdir()
    parts = file.parts(schema, classes, np.empty(0, dtype=int))
    with stored(parts, preparation, place, lambda: readings.append(1)) as blocks:
        for _ in range(2):
            np.testing.assert_allclose(np.concatenate([X for X, _ in blocks]), expected)
        assert np.concatenate([y for _, y in blocks]).tolist() == everything.y.tolist()
        positions = np.array([0, 600, 89, 90, 3])
        np.testing.assert_array_equal(blocks.numbers_of(positions), everything.rows[positions])
        assert list(place.iterdir())
    assert len(readings) == 3
    assert not list(place.iterdir())


def test_nothing_to_fit_is_refused(tmp_path):
    with (
        pytest.raises(InputError, match="no row of the file can be fitted"),
        stored(iter([]), None, tmp_path),
    ):
        pass


def test_blocks_without_rows_are_not_stored(tmp_path):
    blocks = StoredBlocks(tmp_path)
    blocks.append(np.empty((0, 2)), np.empty(0), np.empty(0, dtype=int))
    assert len(blocks) == 0
    assert not list(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("target", ["kind", "value"])
def test_a_model_of_a_file_is_that_of_its_rows_in_memory(path, tmp_path, small_memory, target):
    """Prepared alike, the rows of a file give the model that they give in memory."""
    schema = schema_of(target)
    sources = [whole(path, tmp_path), WholeFile(str(path), Layout(), N)]
    classes = np.array(["no", "yes"]) if target == "kind" else np.empty(0)
    everything = joined(list(sources[0].parts(schema, classes, np.empty(0, dtype=int))))
    settings = Settings("d", target)
    estimator = build("plain", schema.task, False, 0).set_params(basis=30)
    in_memory = fit_model(schema, clone(estimator), everything, everything)
    for source in sources:
        nobody = np.empty(0, dtype=np.intp)
        arguments = (schema, clone(estimator), everything, everything, nobody, source, settings)
        streamed = fit_to_file(*arguments, lambda: None)
        expected, found = (np.asarray(each.predict(everything.X)) for each in (in_memory, streamed))
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)
        assert streamed.n_fitted == len(everything.y)
        np.testing.assert_array_equal(streamed.relevance, in_memory.relevance)
        np.testing.assert_array_equal(streamed.train.rows, everything.rows)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("target", ["kind", "value"])
def test_a_study_of_a_large_file_fits_all_rows_and_says_what_it_sampled(
    path, tmp_path, small_memory, target, kind
):
    if kind == "parquet":
        path = tmp_path / "data.parquet"
        table_of().to_parquet(path)
    heard = Heard()
    drop = ("value",) if target == "kind" else ("kind",)
    settings = Settings("data", target, model="plain", drop=drop)
    study = study_file(Question(InputTable(str(path)), settings), tmp_path / "out", heard)
    table = table_of()
    with_target = int(table[target].notna().sum())
    assert study.fitted.n_fitted == with_target - len(study.judged.rows.y)
    assert not np.isin(study.judged.rows.rows, study.fitted.train.rows).any()
    np.testing.assert_allclose(
        study.fitted.train.X["first"], table["first"][study.fitted.train.rows - 1], rtol=1e-12
    )
    vectors = study.fitted.estimator.relevance_vectors_
    prepared = study.fitted.prepared
    np.testing.assert_allclose(prepared[study.fitted.relevance], vectors, rtol=1e-9, atol=1e-12)
    said = " ".join(study.notes)
    assert "kernels were chosen on a sample of some 150 rows" in said
    assert f"the file has {N} rows: scores, pictures and flagged rows come from" in said
    assert heard.cost == pytest.approx(heard.total)
    assert 0.0 < heard.shares[0] < heard.shares[-1] <= 1.0
    assert summary(study, 1.0)["rows"]["train"] == study.fitted.n_fitted
    assert f"{study.fitted.n_fitted} training rows" in summary_lines(study, tmp_path, 1.0)[0]
    left = sorted(each.name for each in tmp_path.iterdir())
    assert left == sorted({"out", "data.csv", path.name})


def test_candidates_are_compared_on_a_sample_and_the_note_says_so(monkeypatch):
    limit(monkeypatch, compared_rows=60)
    study = run_study(table_of(200), Settings("d", "kind", drop=("value",), test=0.2))
    n_fitted = study.fitted.n_fitted - len(study.judged.rows.y)
    assert len(study.candidates[0].mixture.row_scores) == pytest.approx(60, abs=2)
    n_compared = len(study.candidates[0].mixture.row_scores)
    said = f"on {n_compared} rows drawn at random; the chosen one was fitted to {n_fitted}"
    assert any(said in note for note in study.notes)


def test_fuzzy_models_are_fitted_to_a_sample_of_many_rows(monkeypatch):
    limit(monkeypatch, together_rows=80)
    settings = Settings("d", "kind", model="fuzzy", drop=("value",))
    assert run_study(table_of(200), settings).fitted.n_fitted == pytest.approx(80, abs=2)


@pytest.mark.parametrize("place", [{"dask": "tcp://nobody:1"}, {"device": "cuda"}])
def test_models_that_need_all_rows_at_once_do_not_go_elsewhere(place):
    with pytest.raises(InputError, match="fuzzy needs all rows at once, in this process"):
        run_study(table_of(100), Settings("d", "kind", model="fuzzy", drop=("value",), **place))
    names = run.candidate_names(Settings("d", "kind", **place), schema_of("value"), 100, False)
    assert names == ["robust", "plain"]


def test_of_many_rows_trust_is_one_minus_p_wrong_too(monkeypatch):
    """One number a row, whichever road the fit took: no card says P(wrong) 0.99 and trust 1.00."""
    limit(monkeypatch, together_rows=100, sample_rows=150)
    table = table_of(300).dropna(subset=["kind"]).reset_index(drop=True)
    table.loc[:5, "kind"] = np.where(table.loc[:5, "kind"] == "yes", "no", "yes")
    study = run_study(table, Settings("d", "kind", drop=("value",), model="robust"))
    np.testing.assert_allclose(study.ranking["trust"], 1.0 - study.ranking["p_wrong"])
