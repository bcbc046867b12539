"""What a model says of rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import BayesianRidge, LogisticRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import Pipeline

from rowtrust.workflow.predictions import cross_fit, in_row_order, predict_rows, prediction_table


def test_folds_go_back_into_the_order_of_the_rows():
    parts = [(np.array([3, 0]), np.array([[3.0], [0.0]])), (np.array([1, 2]), np.array([[1.0], [2.0]]))]
    np.testing.assert_array_equal(in_row_order(parts)[:, 0], [0, 1, 2, 3])
    pairs = [(rows, (part[:, 0], 10 * part[:, 0])) for rows, part in parts]
    mean, deviation = in_row_order(pairs)
    np.testing.assert_array_equal(mean, [0, 1, 2, 3])
    np.testing.assert_array_equal(deviation, [0, 10, 20, 30])


def test_a_class_that_the_model_never_saw_has_no_probability():
    X = pd.DataFrame({"x": np.arange(20.0)})
    model = LogisticRegression().fit(X, np.array(["a", "c"] * 10))
    found = predict_rows(model, X, np.array(["a", "b", "c"]))
    assert found.shape == (20, 3)
    assert not found[:, 1].any()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_no_row_is_predicted_by_a_fit_that_saw_it():
    """Targets are noise: a model that had seen them could recall them, one that has not cannot."""
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(60, 50)))
    y = generator.normal(size=60)
    steps, folds = [], list(KFold(3, shuffle=True, random_state=0).split(X))
    mean, deviation = cross_fit(Pipeline([("model", BayesianRidge())]), X, y, folds, lambda: steps.append(1))
    assert np.corrcoef(mean, y)[0, 1] < 0.4
    assert (deviation > 0).all()
    assert len(steps) == 3


def test_weights_count_in_every_fold():
    """Half of the rows have another height, and no weight to speak of."""
    X = pd.DataFrame({"x": np.zeros(60)})
    y = np.tile([0.0, 100.0], 30)
    folds = list(KFold(3, shuffle=True, random_state=0).split(X))
    model = Pipeline([("model", BayesianRidge())])
    mean, _ = cross_fit(model, X, y, folds, lambda: None, np.where(y > 50, 1e-6, 1.0))
    assert np.abs(mean).max() < 1.0
    assert np.abs(cross_fit(model, X, y, folds, lambda: None)[0]).min() > 30.0


def test_tables_of_predictions(class_model, number_model):
    rows = class_model.train.X
    table = prediction_table(class_model.pipeline, class_model.schema, rows, 0.9)
    assert list(table) == ["prediction", "P(no)", "P(yes)"]
    assert table["prediction"].tolist() == np.where(table["P(yes)"] > 0.5, "yes", "no").tolist()
    rows = number_model.train.X
    narrow, wide = (
        prediction_table(number_model.pipeline, number_model.schema, rows, level) for level in (0.5, 0.95)
    )
    assert ((wide["upper"] - wide["lower"]) > 2 * (narrow["upper"] - narrow["lower"])).all()
    assert (wide["upper"] + wide["lower"]).to_numpy() == pytest.approx(2 * wide["prediction"].to_numpy())
