"""Exported models predict what the estimators predict, on 1000 random rows."""

import ctypes
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

import rowtrust
from rowtrust.export.c import estimator_to_c, pipeline_to_c
from rowtrust.export.portable import ExportError, portable
from rowtrust.workflow.tables import Schema, pipeline

CLASSIFIERS = (rowtrust.RVC, rowtrust.RobustRVC, rowtrust.FuzzyRVC)
REGRESSORS = (rowtrust.RVR, rowtrust.RobustRVR, rowtrust.FuzzyRVR, rowtrust.BayesianSVR)
KERNELS = ("rbf", "laplacian", "polynomial", "linear")


def random_rows(far=500):
    """Return rows near the training rows, and 200 that are further and further from them."""
    rows = np.random.default_rng(1).normal(size=(1000, 3)) * [1.5, 1.5, 30.0]
    rows[:200] *= np.geomspace(1.0, 30.0, 200)[:, None]
    return rows + np.array([0, 0, far])


def fitted(kind, labels=("a", "b"), far=500, collinear=False, **parameters):
    """Fit 90 rows with an input far from the origin; the second may be nearly the first."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(90, 3)) * [1, 1, 20] + [0, 0, far]
    if collinear:
        X[:, 1] = X[:, 0] + 0.01 * X[:, 1]
    y = X[:, 0] + 0.02 * (X[:, 2] - far) + 0.2 * generator.normal(size=90)
    if kind in CLASSIFIERS:
        y = np.array(labels)[np.digitize(y, np.quantile(y, np.linspace(0, 1, len(labels) + 1)[1:-1]))]
    return kind(random_state=0, **parameters).fit(X, y)


def answer(model, X):
    if hasattr(model, "predict_proba"):
        return model.predict_proba(X)
    return np.column_stack(model.predict(X, return_std=True))


def models():
    for kind in (*CLASSIFIERS, *REGRESSORS):
        marks = [pytest.mark.slow] * kind.__name__.startswith(("Fuzzy", "RV"))
        yield pytest.param(kind, {}, id=kind.__name__, marks=marks)
    for kernel in KERNELS[1:]:
        yield pytest.param(rowtrust.RVC, {"kernel": kernel, "gamma": 0.01, "far": 0}, id=kernel)
    yield pytest.param(rowtrust.RVC, {"kernel": "rbf"}, id="several widths")
    yield pytest.param(rowtrust.RVR, {"collinear": True}, id="a metric")
    yield pytest.param(rowtrust.RobustRVC, {"labels": ("a", "b", "c")}, id="three classes")
    yield pytest.param(
        rowtrust.RVC, {"labels": (10, 20, 30)}, id="three numbered classes", marks=pytest.mark.slow
    )
    yield pytest.param(rowtrust.RVR, {"gamma": 1e-9}, id="hardly a vector", marks=pytest.mark.slow)


def session(model):
    runtime = pytest.importorskip("onnxruntime")
    return runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def assert_classes_agree(found, model, probability):
    """Single precision may break a tie of the classes' rates, far from the data, the other way."""
    best, second = np.sort(probability, axis=1)[:, [-1, -2]].T
    clear = best - second > 1e-5
    assert clear.mean() > 0.8
    assert (found[clear] == model.classes_[probability.argmax(axis=1)][clear]).all()
    taken = probability[np.arange(len(found)), np.searchsorted(model.classes_, found)]
    assert (taken >= best - 1e-5).all()


@pytest.mark.parametrize(("kind", "parameters"), list(models()))
def test_onnx(kind, parameters):
    onnx = pytest.importorskip("rowtrust.export.onnx", reason="needs rowtrust[onnx]")
    model, X = fitted(kind, **parameters), random_rows(parameters.get("far", 500))
    first, second = session(onnx.estimator_to_onnx(model)).run(None, {"X": X})
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(second, answer(model, X), atol=1e-5)
        assert_classes_agree(first, model, answer(model, X))
    else:
        np.testing.assert_allclose(np.hstack([first, second]), answer(model, X), rtol=1e-5, atol=1e-5)


def compiled(source, folder, n_outputs):
    """Compile with all warnings as errors; return a function of rows."""
    compiler = shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    (folder / "model.c").write_text(source)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, "-o", folder / "model.so", folder / "model.c", "-lm"], check=True)
    function = ctypes.CDLL(str(folder / "model.so")).rowtrust_predict
    pointer = ctypes.POINTER(ctypes.c_double)

    def predict(X):
        X = np.ascontiguousarray(X, dtype=float)
        out = np.zeros((len(X), n_outputs))
        for row, result in zip(X, out, strict=True):
            function(row.ctypes.data_as(pointer), result.ctypes.data_as(pointer))
        return out

    return predict


@pytest.mark.parametrize(("kind", "parameters"), list(models()))
def test_c(kind, parameters, tmp_path):
    model, X = fitted(kind, **parameters), random_rows(parameters.get("far", 500))
    expected = answer(model, X)
    predict = compiled(estimator_to_c(model), tmp_path, expected.shape[1])
    np.testing.assert_allclose(predict(X), expected, rtol=1e-7, atol=1e-7)


def mixed_table(n_rows, seed):
    generator = np.random.default_rng(seed)
    letters = np.array(
        [*"abcdefghijklmnopqrstuvwxyz", "*/ evil", 'quo"te', "new\nline", *map(str, range(20))]
    )
    table = pd.DataFrame(
        {
            "size */ of\n it": generator.normal(1e4, 3.0, n_rows),
            "weight": np.where(generator.random(n_rows) < 0.1, np.nan, generator.normal(size=n_rows)),
            "letter": letters[np.minimum(generator.geometric(0.06, n_rows), len(letters)) - 1],
            "colour": generator.choice(["red", "blue"], n_rows),
        }
    )
    table["y"] = np.where(table["weight"].fillna(0) + (table["colour"] == "red") > 0.5, "yes", "no")
    return table


@pytest.fixture(scope="module")
def whole():
    """A pipeline with gaps, rare categories and names that bite."""
    table = mixed_table(300, 0)
    schema, target = Schema.find(table, "y")
    model = pipeline(schema, rowtrust.RobustRVC(random_state=0)).fit(schema.conform(table), target.values)
    assert model["prepare"].named_transformers_["categories"].infrequent_categories_[0] is not None
    return model, schema, schema.conform(mixed_table(1000, 1))


def test_whole_pipeline_in_onnx(whole):
    onnx = pytest.importorskip("rowtrust.export.onnx", reason="needs rowtrust[onnx]")
    model, schema, X = whole
    run = session(onnx.pipeline_to_onnx(model, schema))
    names = [each.name for each in run.get_inputs()]
    label, probability = run.run(None, {new: X[[old]].to_numpy() for new, old in zip(names, X, strict=True)})
    np.testing.assert_allclose(probability, model.predict_proba(X), atol=1e-5)
    assert (label == model.predict(X)).all()


def test_whole_pipeline_in_c(whole, tmp_path):
    model, schema, X = whole
    source = pipeline_to_c(model, schema)
    encoder = model["prepare"].named_transformers_["categories"]
    numbers = X.copy()
    for name, known in zip(schema.of_kind("category"), encoder.categories_, strict=True):
        places = {word: place for place, word in enumerate(known)}
        numbers[name] = [places.get(word, -1) for word in X[name]]
    order = schema.of_kind("number") + schema.of_kind("category")
    predict = compiled(source, tmp_path, 2)
    np.testing.assert_allclose(predict(numbers[order].astype(float)), model.predict_proba(X), atol=1e-9)


def test_what_cannot_be_exported_is_refused():
    model = fitted(
        rowtrust.RVR, kernel=lambda X, Y: np.exp(-0.01 * ((X[:, None] - Y[None]) ** 2).sum(axis=2))
    )
    with pytest.raises(ExportError, match="kernel"):
        portable(model)
    model = fitted(rowtrust.RVR)
    model.predict = lambda X, return_std=False: (np.zeros(len(X)), np.ones(len(X)))
    with pytest.raises(ExportError, match="cannot be exported"):
        portable(model)


def test_command(tmp_path, whole):
    from typer.testing import CliRunner

    from rowtrust.cli import app
    from rowtrust.io import save

    model, schema, _ = whole
    save(model, tmp_path / "model.skops", facts={"schema": schema.as_json()})
    for name in ("model.onnx", "model.c"):
        if name.endswith("onnx"):
            pytest.importorskip("skl2onnx")
        result = CliRunner().invoke(app, ["export", str(tmp_path), str(tmp_path / name)])
        assert result.exit_code == 0, result.output
        assert (tmp_path / name).stat().st_size > 1000
    result = CliRunner().invoke(app, ["export", str(tmp_path), str(tmp_path / "model.exe")])
    assert result.exit_code == 1
    assert "--format onnx" in result.output


def test_a_model_without_vectors_is_plain_c_too(tmp_path):
    model = fitted(rowtrust.RobustRVC, kernel="polynomial", gamma=0.01, sparsity=1e4, far=0)
    assert model.dual_coef_.shape[1] == 0
    X = random_rows(0)
    predict = compiled(estimator_to_c(model), tmp_path, 2)
    np.testing.assert_allclose(predict(X), model.predict_proba(X), rtol=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [rowtrust.RVR, rowtrust.RVC])
def test_names_of_columns_are_no_reason_for_a_warning(kind):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), columns=["a", "b"])
    assert "rowtrust_predict" in estimator_to_c(kind(gamma=0.5).fit(X, (X["a"] > 0).astype(int)))
