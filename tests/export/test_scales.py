"""Exported models are right whatever the units of X and y, near the data and far from them, and never NaN."""

import numpy as np
import pandas as pd
import pytest

import rowtrust
from rowtrust.export import portable as portable_module
from rowtrust.export.c import estimator_to_c, pipeline_to_c
from rowtrust.export.portable import ExportError, difference, portable
from rowtrust.workflow.tables import Schema, pipeline
from tests.export.test_export import answer, compiled, session

WITHIN = 1e-9
"""Of the range of the predictions, of means and deviations each of its own."""

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
TRUTH = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1]
Y = TRUTH + 0.1 * RNG.normal(size=60)
ROWS = np.vstack([X, RNG.normal(size=(100, 2)) * np.geomspace(0.1, 1e3, 100)[:, None], np.zeros((1, 2))])
BEYOND = np.array([[1e60, -1e60], [1e200, 1.0], [-1e308, 1e308], [0.0, -1e308]])
REGRESSORS = [
    (rowtrust.RVR, {}),
    (rowtrust.RVR, {"kernel": "rbf", "gamma": "scale"}),
    (rowtrust.RVR, {"kernel": "laplacian", "gamma": "scale"}),
    (rowtrust.RVR, {"kernel": "polynomial"}),
    (rowtrust.RVR, {"kernel": "linear"}),
    (rowtrust.RobustRVR, {"kernel": "rbf", "gamma": "scale"}),
    (rowtrust.FuzzyRVR, {"kernel": "polynomial", "degree": 6}),
    (rowtrust.BayesianSVR, {}),
]
CLASSIFIERS = [
    (rowtrust.RVC, {}),
    (rowtrust.RobustRVC, {"kernel": "laplacian", "gamma": "scale"}),
    (rowtrust.FuzzyRVC, {"kernel": "polynomial"}),
    (rowtrust.RVC, {"kernel": "linear"}),
]


def named(pairs):
    return [pytest.param(*pair, id=f"{pair[0].__name__}-{pair[1].get('kernel', 'auto')}") for pair in pairs]


def both(model, folder, n_outputs):
    """Return the model in C and in ONNX, as functions of rows."""
    onnx = pytest.importorskip("rowtrust.export.onnx", reason="needs rowtrust[onnx]")
    run = session(onnx.estimator_to_onnx(model))

    def in_onnx(rows):
        first, second = run.run(None, {"X": rows})
        return second if hasattr(model, "predict_proba") else np.hstack([first, second])

    return compiled(estimator_to_c(model), folder, n_outputs), in_onnx


def assert_right(model, folder, rows, beyond, within=WITHIN):
    expected = answer(model, rows)
    for exported in both(model, folder, expected.shape[1]):
        found = exported(rows)
        for ours, theirs in zip(found.T, expected.T, strict=True):
            assert difference(ours, theirs) < within
        assert np.isfinite(exported(beyond)).all()


@pytest.mark.slow
@pytest.mark.parametrize("size", [1e-12, 1e9])
@pytest.mark.parametrize(("kind", "parameters"), named(REGRESSORS))
def test_targets_of_any_size(kind, parameters, size, tmp_path):
    assert_right(kind(**parameters).fit(X, size * Y), tmp_path, ROWS, BEYOND)


@pytest.mark.slow
@pytest.mark.parametrize(("scale", "offset"), [(1e-200, 0.0), (1e-3, 1e6)])
@pytest.mark.parametrize(("kind", "parameters"), named([*REGRESSORS[:5], REGRESSORS[-1]]))
def test_inputs_of_any_size(kind, parameters, scale, offset, tmp_path):
    model = kind(**parameters).fit(scale * X + offset, Y)
    # A BayesianSVR rounds its rows to a billionth of a deviation; its vectors in the user's units are exact.
    within = 1e-7 if kind is rowtrust.BayesianSVR and offset else WITHIN
    assert_right(model, tmp_path, scale * ROWS + offset, BEYOND, within)


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(("kind", "parameters"), named(CLASSIFIERS))
def test_classes(kind, parameters, n_classes, tmp_path):
    labels = np.digitize(Y, np.quantile(TRUTH, np.linspace(0, 1, n_classes + 1)[1:-1]))
    assert_right(kind(**parameters).fit(X, labels), tmp_path, ROWS, BEYOND)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "columns"), [(1e-9, 2), (1.0, 1)])
def test_a_machine_of_targets_without_noise(size, columns, tmp_path):
    """The prior's variance is a million times what is left of it: a quadratic form lost 2e-4 of the range."""
    model = rowtrust.BayesianSVR().fit(X[:, :columns], size * np.sin(2 * X[:, 0]))
    assert_right(model, tmp_path, ROWS[:, :columns], BEYOND[:, :columns], within=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "rbf"])
def test_one_input_in_onnx_is_not_scaled_in_single_precision(kernel, tmp_path):
    model = rowtrust.RVR(kernel=kernel, gamma="scale").fit(X[:, :1], TRUTH)
    assert_right(model, tmp_path, ROWS[:, :1], BEYOND[:, :1])


def test_a_row_far_out_takes_no_digits_of_the_others(tmp_path):
    """It is a centre of the model, which an origin in the middle of all centres would follow."""
    far = np.vstack([X, [[1e8, -1e8]]])
    model = rowtrust.RVR(kernel="rbf", gamma=2.0, scaling=None, sparsity=0.0).fit(far, np.append(Y, 5.0))
    assert np.abs(model.relevance_vectors_).max() == 1e8
    assert_right(model, tmp_path, ROWS, BEYOND)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_an_outlier_has_the_rates_of_the_classes_in_every_language(n_classes, tmp_path):
    """Its linear function is so large that its rounding would move a probability by half."""
    labels = np.digitize(X[:, 0] - X[:, 1], [0.0, 1.0][: n_classes - 1])
    model = rowtrust.RVC().fit(X, labels)
    assert "linear" in [part.kernel.function for part in model.predictive_model_.basis.parts]
    far = np.array([[1e15, 1.0], [-1e17, 1e17], [1e4, 0.0]])
    assert_right(model, tmp_path, np.vstack([X, far]), BEYOND)
    np.testing.assert_allclose(*model.predict_proba(far[:2]), rtol=1e-12)


def test_a_broken_power_of_a_negative_number(tmp_path):
    """Such a row is refused here; elsewhere it is as if it were where the power begins."""
    model = rowtrust.RVR(kernel="polynomial", degree=2.5, coef0=30.0).fit(X, Y)
    far = np.array([[-900.0, 700.0], [900.0, -700.0], [-900.0, -700.0], [900.0, 700.0]])
    with pytest.raises(ValueError, match="whole degree"):
        model.predict(far)
    assert_right(model, tmp_path, X, far)
    with pytest.raises(ValueError, match="whole degree"):
        rowtrust.RVR(kernel="polynomial", degree=2.5, coef0=0.0).fit(X, Y)


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("part", [0, 1])
def test_the_check_is_relative_to_the_range_of_each_output(size, part):
    model = rowtrust.RVR(kernel="rbf", gamma="scale").fit(X, size * Y)
    predict = type(model).predict

    def slightly_off(X, return_std=False):
        found = list(predict(model, X, return_std=True))
        found[part] = found[part] + 1e-4 * np.ptp(found[part])
        return tuple(found)

    portable(model)
    model.predict = slightly_off
    with pytest.raises(ExportError, match="of the range of its predictions"):
        portable(model)


def test_a_nan_is_no_agreement():
    assert not difference(np.array([0.0, np.nan]), np.array([0.0, 1.0])) < portable_module.AGREEMENT
    assert difference(np.full(3, 2e-9), np.full(3, 1e-9)) == pytest.approx(1.0)


def table(seed, n_rows=120):
    generator = np.random.default_rng(seed)
    size = generator.normal(size=n_rows)
    colour = generator.choice(["red", "blue", "green"], n_rows)
    found = pd.DataFrame(
        {"size": np.where(generator.random(n_rows) < 0.1, np.nan, 1e-6 * size), "colour": colour}
    )
    found["y"] = 1e-9 * (np.sin(2 * size) + (colour == "red") + 0.1 * generator.normal(size=n_rows))
    return found


@pytest.mark.parametrize("columns", [["size"], ["size", "colour"]])
def test_pipelines_with_gaps_and_unknown_words(columns, tmp_path):
    onnx = pytest.importorskip("rowtrust.export.onnx", reason="needs rowtrust[onnx]")
    data = table(0)[[*columns, "y"]]
    schema, target = Schema.find(data, "y")
    model = pipeline(schema, rowtrust.RVR(kernel="linear", scaling=None))
    model.fit(schema.conform(data), target.values)
    new = table(1)[columns]
    if "colour" in columns:
        new.loc[::5, "colour"] = "purple"
    rows = schema.conform(new)
    expected = np.column_stack(model.predict(rows, return_std=True))
    run = session(onnx.pipeline_to_onnx(model, schema))
    names = [each.name for each in run.get_inputs()]
    in_onnx = np.hstack(run.run(None, {name: rows[[name]].to_numpy() for name in names}))
    numbers = rows.copy()
    if "colour" in columns:
        known = model["prepare"].named_transformers_["categories"].categories_[0]
        numbers["colour"] = [list(known).index(word) if word in known else -1 for word in rows["colour"]]
    in_c = compiled(pipeline_to_c(model, schema), tmp_path, 2)(numbers[columns].astype(float))
    for found in (in_onnx, in_c):
        for ours, theirs in zip(found.T, expected.T, strict=True):
            assert difference(ours, theirs) < WITHIN
