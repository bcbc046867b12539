"""What the inputs do."""

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow import inputs
from tests.workflow.conftest import fitted


def three_classes(n_rows: int = 90) -> pd.DataFrame:
    """Classes in three stripes over the first of two numbers."""
    generator = np.random.default_rng(0)
    first, second = generator.uniform(0, 3, n_rows), 100.0 * generator.normal(size=n_rows)
    return pd.DataFrame(
        {"first": first, "second": second, "kind": np.array(["a", "b", "c"])[first.astype(int)]}
    )


@pytest.fixture(scope="module")
def three_model():
    return fitted(three_classes(), "kind")


def test_the_input_that_decides_is_the_most_important(class_model, number_model):
    for model, name in ((class_model, "first"), (number_model, "x")):
        ranking = inputs.importances(model, model.train, seed=0)
        assert ranking[0].name == name
        assert ranking[0].mean > 5 * abs(ranking[1].mean)
        assert [each.mean for each in ranking] == sorted((each.mean for each in ranking), reverse=True)


def shuffled_errors(model, error):
    """Importance anew, by the pipeline's own predictions: errors of shuffled rows less those as they are."""
    generator = np.random.default_rng(0)
    part = model.train.take(generator.choice(len(model.train.y), len(model.train.y), replace=False))
    found = {}
    for name in model.schema.names:
        errors = []
        for _ in range(5):
            X = part.X.copy()
            X[name] = part.X[name].to_numpy()[generator.permutation(len(X))]
            errors.append(error(part.y, model.pipeline.predict(X)))
        found[name] = np.mean(errors) - error(part.y, model.pipeline.predict(part.X)), np.std(errors)
    return found


def test_importance_is_lost_accuracy_for_classes(class_model):
    anew = shuffled_errors(class_model, lambda target, said: np.mean(target != said))
    for each in inputs.importances(class_model, class_model.train, seed=0):
        assert (each.mean, each.deviation) == pytest.approx(anew[each.name])
    assert 0.2 < anew["first"][0] < 0.8


def test_importance_is_added_rmse_for_numbers(number_model):
    anew = shuffled_errors(number_model, lambda target, said: np.sqrt(np.mean((target - said) ** 2)))
    for each in inputs.importances(number_model, number_model.train, seed=0):
        assert (each.mean, each.deviation) == pytest.approx(anew[each.name])


def test_the_log_score_is_cut_off(class_model, number_model):
    wrong = np.where(class_model.train.y == "yes", "no", "yes")
    said = class_model.predict(class_model.train.X)
    assert inputs.WORST_SCORE <= inputs.log_score(class_model, said, wrong) < -1.0
    far = np.full(len(number_model.train.y), 1e9)
    said = number_model.predict(number_model.train.X)
    assert inputs.log_score(number_model, said, far) == inputs.WORST_SCORE


def test_curves_follow_the_prediction(class_model, number_model):
    ranking = inputs.importances(class_model, class_model.train, seed=0)
    curve = inputs.curves(class_model, ranking, seed=0)[0]
    assert (curve.name, curve.kind, curve.outcomes) == ("first", "number", ("yes",))
    assert curve.prediction.shape == (inputs.GRID, 1)
    assert curve.prediction[0] < 0.2 < 0.8 < curve.prediction[-1]
    by_name = {
        each.name: each
        for each in inputs.curves(number_model, inputs.importances(number_model, number_model.train, 0), 0)
    }
    assert sorted(by_name["group"].grid) == ["a", "b"]
    assert by_name["group"].outcomes == ("y",)
    assert len(by_name["group"].sample) == 0


def test_one_of_two_classes_is_shown_the_positive_one(class_model):
    assert [class_model.classes[place] for place in inputs.shown_classes(class_model)] == ["yes"]
    assert np.mean(class_model.train.y == "yes") > 0.5, "it would be the rarer one if it had another name"


def test_three_classes_have_a_line_each(three_model):
    curve = inputs.curves(three_model, inputs.importances(three_model, three_model.train, 0), 0)[0]
    assert curve.outcomes == ("a", "b", "c")
    np.testing.assert_allclose(curve.prediction.sum(axis=1), 1.0)
    assert list(curve.prediction[[0, inputs.GRID // 2, -1]].argmax(axis=1)) == [0, 1, 2]


def test_the_plane_has_the_units_of_the_inputs_and_all_classes(three_model):
    drawn = inputs.surface(three_model, seed=0)
    assert drawn.names == ("first", "second")
    assert drawn.outcomes == ("a", "b", "c")
    assert drawn.prediction.shape == (inputs.GRID, inputs.GRID, 3)
    assert -0.1 < drawn.first[0] < drawn.first[-1] < 3.1
    assert drawn.second[-1] > 100
    middle = drawn.prediction[inputs.GRID // 2]
    assert list(middle[[0, inputs.GRID // 2, -1]].argmax(axis=1)) == [0, 1, 2]
    again = three_model.predict(pd.DataFrame({"first": drawn.first[[3]], "second": drawn.second[[8]]}))
    np.testing.assert_allclose(drawn.prediction[8, 3], again[0])


def test_there_is_no_plane_of_anything_but_two_numbers(number_model):
    assert inputs.surface(number_model, seed=0) is None
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 3))
    table = pd.DataFrame(X, columns=list("abc")).assign(y=X[:, 0])
    assert inputs.surface(fitted(table, "y"), seed=0) is None


def test_the_plane_leaves_gaps_out(class_model):
    drawn = inputs.surface(class_model, seed=0)
    assert np.isfinite(drawn.rows).all()
    assert len(drawn.rows) == class_model.train.X["second"].notna().sum()


def test_kinds_of_pictures():
    few, truths = pd.Series([1.0, 2.0, 3.0, np.nan] * 9), pd.Series([0.5, 1.5] * 9)
    assert inputs.drawn_kind(few, "number") == "steps"
    assert inputs.drawn_kind(truths, "number") == "steps"
    assert inputs.drawn_kind(pd.Series(np.linspace(0, 1, 6)), "number") == "number"
    assert inputs.drawn_kind(pd.Series(np.arange(50.0)), "number") == "number"
    assert inputs.drawn_kind(pd.Series(["a", "b"]), "category") == "category"
    assert inputs.drawn_kind(pd.Series([18_262.0, 18_263.0]), "date") == "date"
    assert inputs.grid_of(few, "steps") == [1.0, 2.0, 3.0]


def test_dates_are_dates():
    days = pd.date_range("2019-01-01", periods=80, freq="D")
    table = pd.DataFrame({"when": days.astype(str), "amount": np.arange(80.0) + 0.5})
    model = fitted(table, "amount")
    (curve,) = inputs.curves(model, inputs.importances(model, model.train, 0), 0)
    assert curve.kind == "date"
    assert np.datetime64("2019-01-01") < curve.grid[0] < np.datetime64("2019-01-04")
    assert np.datetime64("2019-03-16") < curve.grid[-1] < np.datetime64("2019-03-22")
    assert list(curve.sample.astype("datetime64[D]")) == list(days.to_numpy().astype("datetime64[D]"))
    assert curve.prediction[0, 0] < 10 < 70 < curve.prediction[-1, 0]


def test_grids_leave_outliers_out():
    column = pd.Series(np.append(np.linspace(0, 1, 199), 1e6))
    grid = inputs.grid_of(column, "number")
    assert len(grid) == inputs.GRID
    assert grid[-1] < 2.0
    assert inputs.grid_of(pd.Series(["a", "b", "a", None]), "category") == ["a", "b"]
    assert inputs.grid_of(pd.Series([0.0] * 99 + [1.0]), "number")[-1] == 1.0
    assert inputs.spread_over(np.ones(5))[[0, -1]] == pytest.approx([1.0, 2.0])
