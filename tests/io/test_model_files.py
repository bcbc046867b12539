"""A model file gives back the model, and can do nothing else."""

import io
import json
import pickle
import tracemalloc
import zipfile
from pathlib import Path

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from typer.testing import CliRunner

import rowtrust
from rowtrust import io as model_files
from rowtrust.archives import is_ours
from rowtrust.cli import app
from rowtrust.io import ModelFileError, VersionWarning, load, read_facts, save
from rowtrust.limits import Limits

PUBLIC = (getattr(rowtrust, name) for name in rowtrust.__all__)
OUR_OWN = [part for part in PUBLIC if hasattr(part, "fit") and not part.__name__.startswith("Trusted")]
ESTIMATORS = sorted(OUR_OWN, key=lambda kind: kind.__name__)


def rows(n_rows: int = 40):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n_rows, 2))
    return X, X[:, 0] + 0.1 * generator.normal(size=n_rows)


def fitted(kind):
    X, y = rows()
    return kind(random_state=0).fit(X, np.where(y > 0, "b", "a") if hasattr(kind, "predict_proba") else y)


def answer(model):
    X, _ = rows()
    return (
        model.predict_proba(X)
        if hasattr(model, "predict_proba")
        else np.array(model.predict(X, return_std=True))
    )


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=[pytest.mark.slow] * kind.__name__.startswith(("Fuzzy", "Sparse")))
        for kind in sorted(ESTIMATORS, key=lambda kind: kind.__name__)
    ],
    ids=lambda kind: kind.__name__,
)
def test_every_estimator_comes_back(kind, tmp_path):
    model = fitted(kind)
    save(model, tmp_path / "m.skops", facts={"of": "mice"})
    np.testing.assert_array_equal(answer(load(tmp_path / "m.skops")), answer(model))
    assert read_facts(tmp_path / "m.skops") == {"of": "mice"}
    np.testing.assert_array_equal(answer(pickle.loads(pickle.dumps(model))), answer(model))
    joblib.dump(model, tmp_path / "m.joblib")
    np.testing.assert_array_equal(answer(joblib.load(tmp_path / "m.joblib")), answer(model))


def test_three_classes_come_back(tmp_path):
    rows, label = load_iris(return_X_y=True)
    model = rowtrust.RVC().fit(rows, label)
    save(model, tmp_path / "m.skops")
    again = load(tmp_path / "m.skops")
    np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))
    np.testing.assert_array_equal(again.fitted_.p_wrong(rows, label), model.fitted_.p_wrong(rows, label))


@pytest.mark.parametrize("storage", [sparse.csr_matrix, sparse.csr_array])
def test_models_of_sparse_inputs_come_back(storage, tmp_path):
    X, y = rows()
    model = rowtrust.RVR().fit(storage(X), y)
    save(model, tmp_path / "m.skops")
    again = load(tmp_path / "m.skops").predict(storage(X), return_std=True)
    np.testing.assert_array_equal(again, model.predict(storage(X), return_std=True))


def test_pipelines_come_back(tmp_path):
    X, y = rows()
    model = make_pipeline(StandardScaler(), rowtrust.RVR()).fit(X, y)
    save(model, tmp_path / "m.skops")
    np.testing.assert_array_equal(load(tmp_path / "m.skops").predict(X), model.predict(X))


class Bomb:
    """Leaves a mark when it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (Path(self.mark),)


def archive(path, schema, ours=True):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("schema.json", json.dumps({"protocol": 2, "_skops_version": "0.13.0", **schema}))
        if ours:
            facts = {"schema": {"inputs": [], "target": "y", "task": "regression", "left_out": []}}
            versions = model_files.installed_versions()
            about = {"format": model_files.FORMAT, "versions": versions, "facts": facts}
            file.writestr("rowtrust.json", json.dumps(about))


def node(module, name, loader, content=None, **more):
    """A piece of a skops schema."""
    return {
        "__module__": module,
        "__class__": name,
        "__loader__": loader,
        "content": content,
        "__id__": 1,
        **more,
    }


def call_of(module, name, argument):
    """A schema that asks for a call of a function while loading."""
    text = node("builtins", "str", "JsonNode", json.dumps(argument), is_json=True)
    arguments = node("builtins", "tuple", "TupleNode", [text])
    content = {"args": arguments, "state": None, "constructor": None}
    return node(module, name, "ReduceNode", content, __reduce__={"args": arguments})


def function_of(module, name):
    """A schema that asks for a function."""
    return node(module, "function", "FunctionNode", {"module_path": module, "function": name})


HOSTILE = {
    "os.system": lambda mark: call_of("os", "system", f"touch {mark}"),
    "builtins.eval": lambda mark: call_of("builtins", "eval", f"open({str(mark)!r}, 'w')"),
    "a function": lambda mark: function_of("os", "system"),
    "a function of rowtrust": lambda mark: function_of("rowtrust.cli.app", "main"),
    "a method": lambda mark: node(
        "builtins",
        "method",
        "MethodNode",
        {"func": "touch", "obj": node("pathlib", "PosixPath", "ObjectNode")},
    ),
    "a module that is not loaded": lambda mark: node("antigravity", "Anything", "ObjectNode"),
    "a loader that is none": lambda mark: node("os", "system", "NoSuchNode"),
    "nonsense": lambda mark: {},
}


def refused_by_predict(path, tmp_path):
    (tmp_path / "data.csv").write_text("a,b\n1,2\n")
    result = CliRunner().invoke(app, ["predict", str(path), str(tmp_path / "data.csv")])
    assert result.exit_code == 1, result.output
    assert len(result.output.strip().splitlines()) == 1, result.output
    assert "unexpected" not in result.output, result.output
    return result.output


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_skops_runs_nothing(case, tmp_path):
    mark, path = tmp_path / "mark", tmp_path / "m.skops"
    archive(path, HOSTILE[case](mark))
    with pytest.raises(ModelFileError):
        load(path)
    refused_by_predict(path, tmp_path)
    assert not mark.exists()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_hostile_pickle_runs_nothing(protocol, tmp_path):
    mark, path = tmp_path / "mark", tmp_path / "m.skops"
    path.write_bytes(pickle.dumps(Bomb(mark), protocol=protocol))
    with pytest.raises(ModelFileError, match="pickle, which can run code"):
        load(path)
    assert "pickle" in refused_by_predict(path, tmp_path)
    joblib.dump(Bomb(mark), path, compress=3)
    refused_by_predict(path, tmp_path)
    assert not mark.exists()


def test_pickle_inside_the_archive_is_not_opened(tmp_path):
    """NumPy's format can contain pickles; an array in a model file cannot."""
    mark, path = tmp_path / "mark", tmp_path / "m.skops"
    save(fitted(rowtrust.RVR), path)
    bomb = io.BytesIO()
    np.save(bomb, np.array([Bomb(mark)], dtype=object), allow_pickle=True)
    content = {name: zipfile.ZipFile(path).read(name) for name in zipfile.ZipFile(path).namelist()}
    with zipfile.ZipFile(path, "w") as file:
        for name, data in content.items():
            file.writestr(name, bomb.getvalue() if name.endswith(".npy") else data)
    with pytest.raises(ModelFileError):
        load(path)
    assert not mark.exists()


def test_what_could_run_code_is_not_saved(tmp_path):
    model = make_pipeline(FunctionTransformer(Path), rowtrust.RVR())
    with pytest.raises(ModelFileError, match="Path"):
        save(model, tmp_path / "m.skops")
    callable_kernel = rowtrust.RVR(kernel=answer)
    with pytest.raises(ModelFileError, match="joblib"):
        save(callable_kernel, tmp_path / "m.skops")
    assert not list(tmp_path.iterdir())


def test_other_archives_and_bombs_are_refused(tmp_path):
    path = tmp_path / "m.skops"
    archive(path, {}, ours=False)
    with pytest.raises(ModelFileError, match="not written by rowtrust"):
        load(path)
    path.write_bytes(b"")
    with pytest.raises(ModelFileError, match="empty"):
        load(path)
    save(fitted(rowtrust.RVR), path)
    for read in (load, read_facts):
        with pytest.raises(ModelFileError, match=r"more than 100 bytes .*--limits model_bytes=N"):
            read(path, limits=Limits(model_bytes=100))


def rewrite(path, **changes):
    """Change what a model file says of itself."""
    content = {name: zipfile.ZipFile(path).read(name) for name in zipfile.ZipFile(path).namelist()}
    about = {**json.loads(content["rowtrust.json"]), **changes}
    content["rowtrust.json"] = json.dumps(about).encode()
    with zipfile.ZipFile(path, "w") as file:
        for name, data in content.items():
            file.writestr(name, data)


def test_versions_are_checked(tmp_path):
    path = tmp_path / "m.skops"
    save(fitted(rowtrust.RVR), path)
    rewrite(path, versions={**model_files.installed_versions(), "scikit-learn": "0.1.2"})
    with pytest.warns(VersionWarning, match=r"scikit-learn 0\.1\.2 \(here"):
        load(path)


@pytest.mark.parametrize("other", [1, 2, 99, None])
def test_another_format_is_refused_by_its_number(other, tmp_path):
    path = tmp_path / "m.skops"
    save(fitted(rowtrust.RVR), path)
    rewrite(path, format=other, versions={"rowtrust": "9.0"})
    for read in (load, read_facts):
        with pytest.raises(
            ModelFileError, match=rf"format {other}, which is not format {model_files.FORMAT}.*rowtrust 9\.0"
        ):
            read(path)


@pytest.mark.parametrize(
    "name",
    [
        "rowtrust.io.ModelFileError",
        "rowtrust.cli.options.Bar",
        "rowtrust.workflow.records.Settings",
        "rowtrust.estimators.no_such_module.RVC",
        "rowtrust.svr_but_not_ours.Anything",
        "sklearn.gaussian_process.kernels.clone",
    ],
)
def test_only_records_and_estimators_of_the_model_are_trusted(name):
    assert not is_ours(name)


def test_records_estimators_and_kernels_are_trusted():
    kind = rowtrust.RVC
    assert is_ours(f"{kind.__module__}.{kind.__name__}")
    assert is_ours("sklearn.gaussian_process.kernels.RBF")


def test_cut_file_is_refused(tmp_path):
    path = tmp_path / "m.skops"
    save(fitted(rowtrust.RobustRVC), path)
    whole = path.read_bytes()
    for size in (10, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:size])
        with pytest.raises(ModelFileError):
            load(path)


def test_failed_save_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "m.skops"
    save(fitted(rowtrust.RVR), path)
    before = path.read_bytes()

    def refuse(self, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(OSError, match="space"):
        save(fitted(rowtrust.RVR), path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["m.skops"]


def test_a_small_file_takes_little_memory(tmp_path):
    save(rowtrust.RVR(gamma=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0]), tmp_path / "model.skops")
    load(tmp_path / "model.skops")
    tracemalloc.start()
    try:
        load(tmp_path / "model.skops")
        assert tracemalloc.get_traced_memory()[1] < 50 * 2**20
    finally:
        tracemalloc.stop()
