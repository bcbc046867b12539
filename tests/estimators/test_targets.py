"""Several targets are several machines, each as if it were fitted alone."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_friedman1
from sklearn.gaussian_process.kernels import RBF
from sklearn.utils import get_tags

from rowtrust import RVC, RVR, BayesianSVR, FuzzyRVR, RobustRVR, SparseBayesRegressor, find_wrong_rows
from rowtrust.export.portable import ExportError, portable
from rowtrust.io import load, save
from rowtrust.likelihoods import Huber

SPARSE = [RVR, RobustRVR, FuzzyRVR, SparseBayesRegressor]
X, FIRST = make_friedman1(60, n_features=5, noise=0.5, random_state=0)
SECOND = 1e3 * np.tanh(X[:, 3]) - X[:, 4] + np.random.default_rng(0).normal(size=60)
BOTH = np.column_stack([FIRST, SECOND])
NEW = np.random.default_rng(1).uniform(-0.5, 1.5, (30, 5))


@pytest.mark.parametrize("kind", [RVR, BayesianSVR])
def test_each_target_is_as_if_it_were_fitted_alone(kind):
    options = {} if kind is BayesianSVR else {"kernel": "rbf"}
    both = kind(**options).fit(X, BOTH)
    alone = [kind(**options).fit(X, target) for target in BOTH.T]
    for asked in (
        lambda model: model.predict(NEW),
        lambda model: model.predict(NEW, return_std=True)[1],
        lambda model: model.predict_interval(NEW, 0.8)[0],
        lambda model: model.predict_interval(NEW)[1],
    ):
        assert asked(both).shape == (30, 2)
        np.testing.assert_array_equal(asked(both), np.column_stack([asked(model) for model in alone]))
    scores = [model.log_score_samples(X, target) for model, target in zip(alone, BOTH.T, strict=True)]
    np.testing.assert_allclose(both.log_score_samples(X, BOTH), np.sum(scores, axis=0))
    np.testing.assert_allclose(both.noise_variance_, [model.noise_variance_ for model in alone])
    assert get_tags(both).target_tags.multi_output


@pytest.mark.parametrize("kind", [RVR, RobustRVR])
def test_weights_and_attributes(kind):
    weight = np.arange(60) % 3.0
    both = kind(random_state=0, gamma=0.5).fit(X, BOTH, sample_weight=weight)
    alone = [kind(random_state=0, gamma=0.5).fit(X, target, sample_weight=weight) for target in BOTH.T]
    np.testing.assert_array_equal(both.predict(NEW)[:, 1], alone[1].predict(NEW))
    np.testing.assert_array_equal(both.relevance_, np.union1d(*(model.relevance_ for model in alone)))
    np.testing.assert_array_equal(both.sample_trust_, np.minimum(*(model.sample_trust_ for model in alone)))
    assert both.lower_bound_.sum() == pytest.approx(sum(model.lower_bound_ for model in alone))
    assert both.n_iter_ == max(model.n_iter_ for model in alone)


def test_a_column_of_targets_gives_a_column_of_predictions():
    column, flat = RVR(gamma=0.5).fit(X, FIRST[:, None]), RVR(gamma=0.5).fit(X, FIRST)
    assert column.predict(NEW).shape == (30, 1)
    np.testing.assert_array_equal(column.predict(NEW)[:, 0], flat.predict(NEW))


def test_a_fit_leaves_nothing_of_the_one_before():
    model = RobustRVR(gamma=0.5)
    flat = set(vars(model.fit(X, FIRST)))
    both = set(vars(model.fit(X, BOTH)))
    assert "dual_coef_" in flat - both
    assert model.predict(NEW).shape == (30, 2)
    assert set(vars(model.fit(X, FIRST))) == flat
    assert model.predict(NEW).shape == (30,)


def test_a_fit_that_fails_leaves_the_one_before():
    model = RVR(gamma=0.5).fit(X, BOTH)
    before = model.predict(NEW)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(X, np.where(BOTH > 12, np.nan, BOTH))
    np.testing.assert_array_equal(model.predict(NEW), before)


def test_sparse_inputs_kernels_and_likelihoods():
    model = SparseBayesRegressor(likelihood=Huber(5.0, 0.1), gamma=0.5).fit(csr_array(X), BOTH)
    assert model.noise_variance_.shape == (2,)
    assert model.predict(csr_array(X)).shape == (60, 2)
    kernels = RVR(kernel=RBF([1.0, 1.0])).fit(X[:40, :2], BOTH[:40])
    assert kernels.estimators_[0].kernel_ != kernels.estimators_[1].kernel_


def test_what_is_for_one_target_says_so():
    model = RobustRVR(gamma=0.5).fit(X, BOTH)
    for ask in (
        lambda: model.audit(X, BOTH),
        lambda: model.audit(X, FIRST),
        lambda: find_wrong_rows(model, X, BOTH),
        lambda: find_wrong_rows(RVR(gamma=0.5), X, BOTH),
    ):
        with pytest.raises(ValueError, match=r"one target at a time.*table of 2.*estimators_\[k\]"):
            ask()
    assert len(model.estimators_[1].audit(X, SECOND)) == 60
    with pytest.raises(ExportError, match=r"one target.*estimators_\[k\]"):
        portable(model)
    assert portable(model.estimators_[1]).classes is None
    with pytest.raises(ValueError, match="expected: one row per row of X"):
        model.log_score_samples(X, FIRST)
    with pytest.raises(ValueError, match="1d array"):
        RVC().fit(X, BOTH > 10)


def test_a_model_file_has_all_targets(tmp_path):
    pytest.importorskip("skops")
    model = RobustRVR(gamma=0.5).fit(X, BOTH)
    save(model, tmp_path / "model.skops")
    np.testing.assert_array_equal(load(tmp_path / "model.skops").predict(NEW), model.predict(NEW))


def test_callbacks_see_every_target():
    pytest.importorskip("sklearn.callback")
    seen = []

    class Recorder:
        def setup(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            seen.append(context.task_name)

        def on_fit_task_end(self, estimator, context):
            return False

        def teardown(self, estimator, context):
            pass

    RVR(gamma=0.5).set_callbacks(Recorder()).fit(X, BOTH)
    named = [name for name in seen if name != "step"]
    assert [name for name in named if "target" in name] == [
        "target 0, gamma=0.5, output 0",
        "target 1, gamma=0.5, output 0",
    ]
