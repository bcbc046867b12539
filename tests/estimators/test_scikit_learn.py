"""scikit-learn's own contract, and its callbacks."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import rowtrust
from rowtrust.datasets import flip_labels

CLASSIFIERS = [rowtrust.RVC, rowtrust.RobustRVC, rowtrust.FuzzyRVC]
REGRESSORS = [rowtrust.RVR, rowtrust.RobustRVR, rowtrust.FuzzyRVR]
ESTIMATORS = CLASSIFIERS + REGRESSORS


@pytest.mark.parametrize(
    ("estimator", "options"),
    [
        pytest.param(rowtrust.RVC, {"kernel": "linear"}, marks=pytest.mark.slow),
        (rowtrust.RobustRVC, {"kernel": "linear", "label_noise": 0.1, "calibration": None}),
        *(pytest.param(each, {}, marks=pytest.mark.slow) for each in ESTIMATORS),
        pytest.param(rowtrust.RVR, {"missing": None, "gamma": "scale"}, marks=pytest.mark.slow),
        *(
            pytest.param(each, {"estimator": inner}, marks=pytest.mark.slow)
            for each, inner in (
                (rowtrust.TrustedClassifier, None),
                (rowtrust.TrustedClassifier, LogisticRegression()),
                (rowtrust.TrustedRegressor, None),
                (rowtrust.TrustedRegressor, Ridge()),
            )
        ),
    ],
)
def test_check_estimator(estimator, options):
    """A check that scikit-learn itself skips may skip."""
    results = check_estimator(estimator(**options), on_skip=None)
    assert {result["status"] for result in results} <= {"passed", "skipped"}


@pytest.mark.parametrize("estimator", [rowtrust.RobustRVC, rowtrust.RVR])
def test_works_in_pipelines_and_searches(estimator):
    X, y = make_moons(60, noise=0.2, random_state=0)
    pipeline = make_pipeline(StandardScaler(), estimator(kernel="laplacian", gamma=0.5))
    assert np.isfinite(cross_val_score(pipeline, X, y, cv=3)).all()
    search = GridSearchCV(estimator(random_state=0), {"gamma": [0.5, 2.0]}, cv=2).fit(X, y)
    assert search.best_params_["gamma"] in (0.5, 2.0)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_parameters_are_keyword_only_and_survive_a_clone(estimator):
    with pytest.raises(TypeError):
        estimator("rbf")
    model = estimator(gamma=0.7, basis=10, max_iter=7)
    assert clone(model).get_params() == model.get_params()


callbacks = pytest.importorskip("sklearn.callback", reason=f"scikit-learn {sklearn.__version__} has none")


class Recorder:
    """A callback that counts the steps of every task, and may stop each of them."""

    def __init__(self, stop_after=None):
        self.steps, self.closed, self.stop_after = {}, False, stop_after

    def setup(self, estimator, context):
        self.closed = False

    def on_fit_task_begin(self, estimator, context):
        if "gamma=" in context.task_name:
            self.task = context.task_name
            assert self.task not in self.steps
            self.steps[self.task] = 0

    def on_fit_task_end(self, estimator, context):
        if context.task_name != "step":
            return False
        self.steps[self.task] += 1
        return self.steps[self.task] == self.stop_after

    def teardown(self, estimator, context):
        self.closed = True


FURTHER = {
    ("RobustRVC", "channel"): ["gamma=1, output 0, label noise"],
    ("RobustRVC", "power"): ["gamma=1, output 0, start 1"],
    ("RobustRVR", None): ["gamma=1, output 0, start 1"],
}
WAYS = [
    (each, noise)
    for each in ESTIMATORS
    for noise in (("channel", "power") if each is rowtrust.RobustRVC else (None,))
]


def dirty_moons():
    """Return rows some of whose labels are wrong, so that there is noise to fit."""
    X, y = make_moons(60, noise=0.1, random_state=0)
    return X, flip_labels(y, 0.15, random_state=1)[0]


@pytest.mark.parametrize(("estimator", "noise"), WAYS)
def test_callbacks_see_every_step(estimator, noise):
    X, y = dirty_moons()
    recorder = Recorder()
    model = estimator(gamma=1.0, random_state=0, **({"label_noise": noise} if noise else {}))
    model = model.set_callbacks(recorder).fit(X, y)
    assert list(recorder.steps) == ["gamma=1, output 0", *FURTHER.get((estimator.__name__, noise), [])]
    assert min(recorder.steps.values()) > 1
    assert model.n_iter_ in recorder.steps.values()
    assert recorder.closed


def test_a_callback_can_end_the_fit_early():
    X, y = dirty_moons()
    recorder = Recorder(stop_after=2)
    model = rowtrust.RobustRVC(gamma=1.0, random_state=0).set_callbacks(recorder).fit(X, y)
    assert list(recorder.steps.values()) == [2, 2]
    assert model.n_iter_ == 2
    assert model.predict(X).shape == (60,)


def test_callbacks_are_closed_when_a_fit_fails():
    recorder = Recorder()
    model = rowtrust.RVC(kernel=lambda X, Y: np.full((len(X), len(Y)), np.nan)).set_callbacks(recorder)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(*make_moons(20, random_state=0))
    assert recorder.closed


def test_progress_bars_work(capsys):
    pytest.importorskip("rich")
    X, y = make_moons(60, noise=0.2, random_state=0)
    rowtrust.RobustRVC(random_state=0).set_callbacks(callbacks.ProgressBar()).fit(X, y)
    assert "RobustRVC" in capsys.readouterr().out
