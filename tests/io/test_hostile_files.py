"""Model files from anybody: whatever is in them, they are loaded or refused, in one line and with little."""

import json
import math
import signal
import warnings
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.cluster import KMeans
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler
from typer.testing import CliRunner

import rowtrust
from benchmarks import hostile_models as hostile
from rowtrust.archives.reading import MOST_TIMES, SMALL
from rowtrust.cli import app
from rowtrust.io import ModelFileError, load, read_facts, save
from rowtrust.limits import LimitError, Limits
from rowtrust.workflow.results import read_model
from rowtrust.workflow.tables import Schema, pipeline

MOST_MEGABYTES = 500
MOST_SECONDS = 60  # an alarm against hanging, not a measurement

X = np.random.default_rng(0).normal(size=(30, 2))
y = np.sin(X[:, 0])
holed = np.where(np.arange(60).reshape(30, 2) % 13 == 0, np.nan, X)
TOGETHER = np.c_[X, X[:, :1] + 0.01 * y[:, None] ** 2]  # collinear: whitened
INPUTS = {"sparse rows": sparse.csr_array(X), "a metric": TOGETHER}
MODELS = {
    "numbers": lambda: rowtrust.RVR(gamma=1.0).fit(X, y),
    "classes": lambda: rowtrust.RobustRVC(gamma=1.0).fit(X, y > 0),
    "three classes": lambda: rowtrust.RVC(gamma=1.0).fit(X, np.digitize(y, [-0.3, 0.3])),
    "support vectors": lambda: rowtrust.BayesianSVR().fit(X, y),
    "scaled": lambda: make_pipeline(StandardScaler(), MinMaxScaler(), rowtrust.RVR(gamma=1.0)).fit(X, y),
    "two targets": lambda: rowtrust.RVR(gamma=1.0).fit(X, np.c_[y, -y]),
    "a kernel object": lambda: rowtrust.RVR(kernel=ConstantKernel() + RBF()).fit(X, y),
    "a metric": lambda: rowtrust.RVR().fit(TOGETHER, y),
    "sparse rows": lambda: rowtrust.RVR(gamma=1.0).fit(sparse.csr_array(X), y),
    "missing values": lambda: rowtrust.RVR(gamma=1.0, missing="expected").fit(holed, y),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The contents of the files of all models."""
    path, found = tmp_path_factory.mktemp("models") / "m.skops", {}
    for name, fit in MODELS.items():
        save(fit(), path)
        found[name] = path.read_bytes()
    return found


@pytest.fixture(scope="module")
def crafted(files):
    return hostile.crafted(files["numbers"])


@pytest.fixture(scope="module")
def measured(files, crafted):
    large = {"a large model": hostile.large_model()}
    return hostile.measured({**crafted, **large}, files["numbers"], MOST_SECONDS)


@contextmanager
def alarm():
    """Fail, rather than wait forever."""

    def ring(number, frame):
        raise AssertionError("took too long")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(MOST_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def loaded(content, path):
    """The model in a file; None if it is refused, as it should be if it is."""
    path.write_bytes(content)
    with alarm(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return load(path)
        except ModelFileError as error:
            said = str(error)
    assert "\n" not in said
    assert len(said) < 600
    return None


def answers(model, rows):
    if is_classifier(model):
        assert len(model.predict(rows)) == rows.shape[0]
        return model.predict_proba(rows)
    return np.array(model.predict(rows, return_std=True))


# What is loaded must still be what was saved.


QUICK = ("classes", "two targets", "a kernel object")


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.slow] * (each not in QUICK)) for each in MODELS]
)
def test_models_come_back(name, tmp_path):
    model, path = MODELS[name](), tmp_path / "m.skops"
    save(model, path)
    rows = INPUTS.get(name, X)
    np.testing.assert_array_equal(answers(load(path), rows), answers(model, rows))


WORDS = np.array([["a"], ["b"], ["c"]] * 10, dtype=object)
AROUND = {
    "columns": (make_column_transformer((StandardScaler(), [0]), (MinMaxScaler(), slice(1, 2))), X),
    "categories": (OneHotEncoder(), WORDS),
    "a function": (make_union(FunctionTransformer(np.arctan), StandardScaler()), X),
}


@pytest.mark.parametrize("name", AROUND)
def test_pipelines_come_back(name, tmp_path):
    before, rows = AROUND[name]
    model = make_pipeline(before, rowtrust.RVR(gamma=1.0)).fit(rows, y)
    save(model, tmp_path / "m.skops")
    np.testing.assert_array_equal(load(tmp_path / "m.skops").predict(rows), model.predict(rows))


def test_compositions_with_unfitted_templates_come_back(tmp_path):
    path = tmp_path / "m.skops"
    for model in (
        OneVsRestClassifier(rowtrust.RVC(gamma=1.0)).fit(X, y > 0),
        TransformedTargetRegressor(rowtrust.RVR(gamma=1.0), transformer=StandardScaler()).fit(X, y),
    ):
        save(model, path)
        np.testing.assert_array_equal(load(path).predict(X), model.predict(X))


def test_arrays_that_were_one_are_one_again(files, tmp_path):
    model = rowtrust.RVR(gamma=1.0).fit(X, y)
    model.first_ = model.second_ = np.arange(5.0)
    save(model, tmp_path / "m.skops")
    again = load(tmp_path / "m.skops")
    assert again.first_ is again.second_


@pytest.mark.slow
def test_whatever_save_writes_load_reads(tmp_path):
    """Equal rows compress a thousand times, which looks like a bomb: such a file is not compressed."""
    path, model = tmp_path / "m.skops", rowtrust.RVR(gamma=1.0).fit(X, y)
    model.rows_ = np.zeros((SMALL // 8, 1))
    save(model, path)
    assert path.stat().st_size > SMALL / MOST_TIMES
    assert load(path).rows_.shape == model.rows_.shape
    model.rows_ = model.rows_[:1000]
    save(model, path)
    assert path.stat().st_size < 100_000


@pytest.mark.slow
def test_what_load_would_refuse_is_not_saved(tmp_path):
    path, model = tmp_path / "m.skops", rowtrust.RVR(gamma=1.0).fit(X, y)
    with pytest.raises(ModelFileError, match="was not fitted"):
        save(rowtrust.RVR(), path)
    with pytest.raises(ModelFileError, match="no fitted estimator of rowtrust"):
        save(TransformedTargetRegressor(check_inverse=False).fit(X, y), path)
    with pytest.raises(ModelFileError, match="KMeans"):
        save(make_pipeline(KMeans(2, n_init=1), rowtrust.RVR(gamma=1.0)).fit(X, y), path)
    model.names_ = [str(index) for index in range(60_000)]
    with pytest.raises(LimitError, match=r"more than 50,000 parts.*Limits\(references=N\)"):
        save(model, path)
    assert not path.exists()
    large = Limits(references=100_000)
    save(model, path, limits=large)
    with pytest.raises(LimitError, match="50,000 parts"):
        load(path)
    assert load(path, limits=large).names_ == model.names_


# What was made to do harm.


@pytest.mark.slow
def test_no_crafted_file_takes_much(measured, crafted):
    assert len(measured) == len(crafted) + 1
    assert all(len(content) < 1_000_000 for content in crafted.values())
    for name, (_, memory, said) in measured.items():
        assert "ESCAPED" not in said, name
        assert memory < MOST_MEGABYTES, name
        assert math.isfinite(memory), name


HARMLESS = {
    "one array named a hundred times",  # it is made once
    "a large model",
    "a wide model",
    "49,000 references",
    "a long word",
    "long words",
    "thousands of parts",  # they are never read
    "a circle",  # numbers of references are not followed
    "a kernel of many kernels",
}


@pytest.mark.slow
def test_crafted_files_are_refused_unless_they_are_harmless(measured):
    assert {name for name, (*_, said) in measured.items() if said == "accepted"} == HARMLESS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a large array", "unpacks to more than 67,108,864 bytes"),
        ("an archive in the archive", "unpacks to more than 67,108,864 bytes"),
        ("a size that is too small", "big.npy' cannot be unpacked"),
        ("two parts of one name", "two parts called 'schema.json'"),
        ("LZMA with a large dictionary", "packed in an unusual way"),
        ("deep lists", "more than 60 deep"),
        ("empty lists", "more than 50,000 parts"),
        ("a million parts", "unpacks to more than"),
        ("a void of a gigabyte", "numpy.void"),
        ("an empty array that is wide", "says to be very wide"),
        ("a sparse matrix that reads beyond its columns", "do not fit together"),
        ("coefficients of NaN", "not all finite numbers"),
        ("deviations that broadcast", "does not fit the others"),
        ("an unfitted model", "lacks a parameter"),
        ("random numbers beyond the end", "beyond its end"),
        ("an old protocol", "no protocol of 2"),
        ("a kernel of many columns", "longer than its model is wide"),
        ("a predict that is a number", "no estimator that predicts"),
    ],
)
def test_the_message_says_what_is_wrong(name, told, measured):
    assert told in measured[name][2]


def test_limits_of_a_file_can_be_set(files, tmp_path):
    path = tmp_path / "m.skops"
    path.write_bytes(files["numbers"])
    for read in (load, read_facts):
        with pytest.raises(LimitError, match="the limit model_bytes"):
            read(path, limits=Limits(model_bytes=1000))
    with pytest.raises(
        ModelFileError, match=r"more than 100 parts, the limit references.*--limits references"
    ):
        load(path, limits=Limits(references=100))
    assert load(path, limits=Limits(model_bytes=math.inf)).n_features_in_ == 2


def test_what_is_no_archive_is_not_read_to_its_end(tmp_path):
    for path in ("/dev/zero", "/dev/urandom"):
        if Path(path).exists():
            with alarm(), pytest.raises(ModelFileError, match="no rowtrust model file"):
                load(path)


@pytest.mark.parametrize("text", ["9" * 5000, '"x\\n\\u001b[31m"', "[[[]]]", "1e999", "null"])
def test_words_from_the_file_are_shown_with_care(text, files, tmp_path):
    path, entries = tmp_path / "m.skops", hostile.entries_of(files["numbers"])
    for about in (
        f'{{"format": {text}, "versions": {{}}}}',
        f'{{"format": 2, "versions": {{"numpy": {text}}}}}',
    ):
        content = hostile.packed({**entries, "rowtrust.json": about.encode()})
        loaded(content, path)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                load(path)
            except ModelFileError as error:
                caught.append(error)
        shown = "".join(str(getattr(each, "message", each)) for each in caught)
        assert shown.isprintable()
        assert len(shown) < 600


# What was damaged at random.


@pytest.mark.slow
@pytest.mark.parametrize("damage", hostile.DAMAGES, ids=lambda damage: damage.__name__)
def test_damaged_files_are_refused_or_predict(damage, files, tmp_path):
    generator, refused = np.random.default_rng(0), 0
    for index in range(150):
        name = ("numbers", "classes")[index % 2]
        model = loaded(damage(files[name], generator), tmp_path / "m.skops")
        refused += model is None
        if model is not None:
            assert np.isfinite(answers(model, X)).all()
    assert refused > 30


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_damaged_models_of_all_kinds_are_refused_or_predict(name, files, tmp_path):
    generator, refused = np.random.default_rng(1), 0
    rows = INPUTS.get(name, X)
    for index in range(40):
        damage = (hostile.flipped_schema, hostile.flipped_array)[index % 2]
        model = loaded(damage(files[name], generator), tmp_path / "m.skops")
        refused += model is None
        if model is not None:
            assert np.isfinite(answers(model, rows)).all()
    assert refused > 5


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_bytes_are_loaded_or_refused(data, files, tmp_path):
    content = bytearray(files["numbers"])
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=5)):
        content[place] = data.draw(st.integers(0, 255))
    loaded(bytes(content[: data.draw(st.integers(len(content) // 2, len(content)))]), tmp_path / "m.skops")


# What the command says.


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The file of a model as ``rowtrust fit`` writes it, with its columns."""
    import pandas as pd

    path = tmp_path_factory.mktemp("written") / "model.skops"
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "w": WORDS[:, 0], "y": y})
    schema, target = Schema.find(table, "y", "regression")
    model = pipeline(schema, rowtrust.RVR(gamma=1.0)).fit(schema.conform(table), target.values)
    save(model, path, facts={"schema": schema.as_json()})
    assert read_model(path)[1] == schema
    return path.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(
    "damage", [hostile.flipped_schema, hostile.flipped_array], ids=lambda each: each.__name__
)
def test_the_command_never_blames_itself(damage, written, tmp_path):
    generator, refused = np.random.default_rng(2), 0
    (tmp_path / "data.csv").write_text("a,b,w\n1,2,a\n,0,b\n0,1,zzz\n")
    for _ in range(60):
        (tmp_path / "m.skops").write_bytes(damage(written, generator))
        with alarm():
            result = CliRunner().invoke(
                app, ["predict", str(tmp_path / "m.skops"), str(tmp_path / "data.csv")]
            )
        assert "fault of rowtrust" not in result.output
        assert result.exit_code in (0, 1)
        refused += result.exit_code
        if result.exit_code:
            assert sum(line.startswith("rowtrust: ") for line in result.output.splitlines()) == 1
    assert refused > 15


@pytest.mark.parametrize(
    "columns",
    [
        "x",
        [],
        [{"name": "a"}],
        [{"name": [], "kind": "number", "typical": {}}],
        [{"name": "a", "kind": 1, "typical": 0}],
    ],
)
def test_columns_that_are_none_are_the_files_fault(columns, written, tmp_path):
    path, entries = tmp_path / "m.skops", hostile.entries_of(written)
    about = json.loads(entries["rowtrust.json"])
    about["facts"]["schema"]["inputs"] = columns
    path.write_bytes(hostile.packed({**entries, "rowtrust.json": json.dumps(about).encode()}))
    with pytest.raises(ModelFileError):
        read_model(path)


def test_trying_a_model_starts_no_processes(written, tmp_path, monkeypatch):
    from joblib.externals.loky import reusable_executor

    monkeypatch.setattr(reusable_executor, "_executor", None)  # whatever other tests have started
    path, entries = tmp_path / "m.skops", hostile.entries_of(written)
    changed = hostile.schema_of(written)
    steps = hostile.attributes(changed)["steps"]["content"]
    hostile.attributes(steps[1]["content"][1])["n_jobs"] = hostile.value(64)
    path.write_bytes(hostile.packed({**entries, "schema.json": json.dumps(changed).encode()}))
    assert read_model(path)[0]["prepare"].n_jobs == 64
    assert reusable_executor._executor is None


def test_a_model_that_is_too_large_to_be_saved_is_told_of_its_limit(tmp_path):
    model = rowtrust.RVR(gamma=1.0).fit(X, y)
    for limit in (10_000, 2 * SMALL):
        model.rows_ = np.zeros(limit // 8)
        with pytest.raises(LimitError, match=f"The model has more than {limit:,} bytes.*model_bytes"):
            save(model, tmp_path / "m.skops", limits=Limits(model_bytes=limit))


def test_a_scaler_without_scale_is_refused(tmp_path):
    model = make_pipeline(StandardScaler(), rowtrust.RVR(gamma=1.0)).fit(X, y)
    save(model, tmp_path / "m.skops")
    entries = hostile.entries_of((tmp_path / "m.skops").read_bytes())
    schema = entries["schema.json"].decode()
    for change in (("scale_", "scaly_"), ("mean_", "meen_"), ("with_mean", "with_maen")):
        assert (
            loaded(
                hostile.packed({**entries, "schema.json": schema.replace(*change).encode()}), tmp_path / "n"
            )
            is None
        )


def test_what_is_no_number_in_a_scaler_is_refused(tmp_path):
    model = make_pipeline(StandardScaler(), rowtrust.RVR(gamma=1.0, missing="expected")).fit(X, y)
    model[0].mean_[0] = np.nan  # which the model after it would take for a missing value
    with pytest.raises(ModelFileError, match="StandardScaler has what is no finite number"):
        save(model, tmp_path / "m.skops")


def test_a_part_that_nothing_refers_to_counts(files, tmp_path):
    path = tmp_path / "m.skops"
    path.write_bytes(files["numbers"])
    with ZipFile(path, "a", ZIP_DEFLATED) as archive:
        archive.writestr("useless.npy", bytes(80 * 2**20))
    with pytest.raises(LimitError, match="unpacks to more than 67,108,864 bytes"):
        load(path)
