"""What the inputs do."""

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow import inputs


def test_the_input_that_decides_is_the_most_important(class_model, number_model):
    for model, name in ((class_model, "first"), (number_model, "x")):
        ranking = inputs.importances(model, model.train, seed=0)
        assert ranking[0].name == name
        assert ranking[0].mean > 5 * abs(ranking[1].mean)
        assert [each.mean for each in ranking] == sorted((each.mean for each in ranking), reverse=True)


def test_the_log_score_is_cut_off(class_model, number_model):
    wrong = np.where(class_model.train.y == "yes", "no", "yes")
    assert inputs.WORST_SCORE <= inputs.log_score(class_model, class_model.train.X, wrong) < -1.0
    far = np.full(len(number_model.train.y), 1e9)
    assert inputs.log_score(number_model, number_model.train.X, far) == inputs.WORST_SCORE


def test_curves_follow_the_prediction(class_model, number_model):
    ranking = inputs.importances(class_model, class_model.train, seed=0)
    curve = inputs.curves(class_model, ranking, seed=0)[0]
    assert (curve.name, curve.kind) == ("first", "number")
    assert curve.prediction[0] < 0.2 < 0.8 < curve.prediction[-1]
    by_name = {
        each.name: each
        for each in inputs.curves(number_model, inputs.importances(number_model, number_model.train, 0), 0)
    }
    assert sorted(by_name["group"].grid) == ["a", "b"]
    assert len(by_name["group"].sample) == 0


def test_the_surface_of_two_inputs_is_their_plane(class_model):
    surface = inputs.surface(class_model)
    assert surface.names == ("first", "second")
    assert surface.title == "over both inputs, scaled"
    assert surface.prediction.shape == (inputs.GRID, inputs.GRID)
    assert surface.prediction[:, 0].max() < 0.5 < surface.prediction[:, -1].min()
    np.testing.assert_array_equal(surface.target, class_model.train.y == "yes")


def test_the_telling_plane_is_orthonormal_and_follows_the_prediction():
    X = np.random.default_rng(0).normal(size=(300, 5)) * [1, 1, 1, 3, 1]
    plane = inputs.telling_plane(X, X[:, 1])
    np.testing.assert_allclose(plane @ plane.T, np.eye(2), atol=1e-12)
    assert abs(plane[0, 1]) > 0.9
    assert abs(plane[1, 3]) > 0.9
    assert inputs.axis_name(list("abcde"), plane[0]) == "b"
    assert "heaviest to the right: b (" in inputs.caption_of(list("abcde"), plane)
    assert not inputs.telling_plane(X[:, :1], X[:, 0])[1].any()


def test_grids_leave_outliers_out():
    column = pd.Series(np.append(np.linspace(0, 1, 199), 1e6))
    grid = inputs.grid_of(column, "number")
    assert len(grid) == inputs.GRID
    assert grid[-1] < 2.0
    assert inputs.grid_of(pd.Series(["a", "b", "a", None]), "category") == ["a", "b"]
    assert inputs.grid_of(pd.Series([0.0] * 99 + [1.0]), "number")[-1] == 1.0
    assert inputs.spread_over(np.ones(5))[[0, -1]] == pytest.approx([1.0, 2.0])
