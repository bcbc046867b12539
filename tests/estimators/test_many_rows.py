"""The road of many rows: few readings, and what an ordinary fit promises."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics import roc_auc_score

from rowtrust import (
    RVC,
    RVR,
    FuzzyRVC,
    FuzzyRVR,
    RobustRVC,
    RobustRVR,
    SparseBayesClassifier,
    SparseBayesRegressor,
)
from rowtrust.engines import ArraySource
from rowtrust.estimators._many_rows import MANY_ROWS, fit_source
from rowtrust.io import load, save
from rowtrust.weights import Fixed, Gamma

MOST_READS = 25
N = 1200
CLASSIFIERS = {
    "RVC": RVC(),
    "channel": RobustRVC(),
    "power": RobustRVC(label_noise="power"),
    "stated": RobustRVC(label_noise=0.1),
    "calibrated": RVC(calibration="folds"),
    "any": SparseBayesClassifier(weights=Gamma()),
}
REGRESSORS = {
    "RVR": RVR(),
    "RobustRVR": RobustRVR(),
    "doubting": RobustRVR(trust_prior=2.0),
    "any": SparseBayesRegressor(),
}
every_classifier = pytest.mark.parametrize("model", CLASSIFIERS.values(), ids=CLASSIFIERS)
every_regressor = pytest.mark.parametrize("model", REGRESSORS.values(), ids=REGRESSORS)
every_model = pytest.mark.parametrize(
    "model",
    [*CLASSIFIERS.values(), *REGRESSORS.values()],
    ids=[*CLASSIFIERS, *map("{}-r".format, REGRESSORS)],
)
pytestmark = pytest.mark.filterwarnings("ignore::rowtrust.estimators._validation.LandmarksWarning")


@pytest.fixture(autouse=True)
def low_limits(request, monkeypatch):
    """Let a few hundred rows be many, unless a test wants many that are."""
    if "twenty_five_thousand" in request.node.name:
        return
    monkeypatch.setattr("rowtrust.estimators._many_rows.MANY_ROWS", 300)
    monkeypatch.setattr("rowtrust.estimators._many_rows.SEARCH_ROWS", 150)
    monkeypatch.setattr("rowtrust.engines.sampling.SAMPLE_ROWS", 400)
    monkeypatch.setattr("rowtrust.engines.sampling.ROWS_OF_A_CLASS", 60)
    monkeypatch.setattr(ArraySource.__init__, "__defaults__", (None, 250, None))


def data(n=N, seed=0, classes=2, flips=0.1, columns=2):
    """Return rows, labels of which some were flipped, which those are, and targets with outliers there."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, columns))
    function = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 - 1
    label = np.digitize(function + 0.2 * rng.normal(size=n), [0.0] if classes == 2 else [-0.6, 0.6])
    wrong = rng.random(n) < flips
    given = np.where(wrong, (label + 1) % classes, label)
    target = function + 0.1 * rng.normal(size=n) + np.where(wrong, 4.0, 0.0)
    return X, given, wrong, target


def targets(model, given, target):
    return given if hasattr(model, "predict_proba") else target


def answers(model, X):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else np.stack(model.predict(X, True))


@every_model
def test_all_rows_are_read_few_times_without_a_warning(model):
    X, given, _, target = data()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = clone(model).fit(X, targets(model, given, target))
    assert 5 < model.n_reads_ <= MOST_READS
    assert np.isfinite(answers(model, X)).all()
    assert np.isfinite(model.lower_bound_)
    assert model.sample_trust_.shape == (N,)
    assert set(model.relevance_.tolist()) <= set(range(N))
    np.testing.assert_allclose(model.relevance_vectors_, X[model.relevance_], rtol=1e-9, atol=1e-12)
    assert sum(model.gamma_share_.values()) == pytest.approx(1.0)
    assert sum(model.kernel_share_.values()) == pytest.approx(1.0)


@every_classifier
def test_classifiers_are_as_good_as_with_the_first_rows_alone(model):
    X, given, _, _ = data()
    fresh, truth, _, _ = data(3000, seed=1, flips=0.0)
    many = clone(model).fit(X, given)
    few = clone(model).fit(X[:250], given[:250])
    assert not hasattr(few, "n_reads_")
    # A few hundred rows do not tell the noise well without the caution of an ordinary fit.
    slack = 0.03 if isinstance(model, RobustRVC) else 0.0
    assert many.log_score(fresh, truth) > few.log_score(fresh, truth) - slack
    assert many.score(fresh, truth) > 0.9


@every_regressor
def test_regressors_are_as_good_as_with_the_first_rows_alone(model):
    flips = 0.1 if "Robust" in type(model).__name__ else 0.0
    X, _, _, target = data(flips=flips)
    fresh, _, _, truth = data(3000, seed=1, flips=0.0)
    many = clone(model).fit(X, target)
    few = clone(model).fit(X[:250], target[:250])
    assert many.log_score(fresh, truth) > few.log_score(fresh, truth)
    assert many.score(fresh, truth) > 0.95


@pytest.mark.parametrize("model", [RobustRVC(), RobustRVC(label_noise="power"), RobustRVR()])
def test_wrong_rows_are_trusted_less(model):
    X, given, wrong, target = data()
    model = clone(model).fit(X, targets(model, given, target))
    assert roc_auc_score(wrong, -model.sample_trust_) > 0.93
    assert model.sample_trust_.min() >= 0.0
    if hasattr(model, "predict_proba"):
        assert model.sample_trust_.max() <= 1.0


@pytest.mark.parametrize("model", [RVC(), RobustRVC(), RobustRVC(label_noise="power")])
def test_three_classes_share_their_readings(model):
    X, given, wrong, _ = data(classes=3)
    fresh, truth, _, _ = data(3000, seed=1, classes=3, flips=0.0)
    model = clone(model).fit(X, given)
    assert model.n_reads_ <= MOST_READS
    assert model.score(fresh, truth) > 0.8
    assert len(model.lower_bounds_) == 3
    if isinstance(model, RobustRVC):
        assert roc_auc_score(wrong, -model.sample_trust_) > 0.85


def test_labels_may_be_words():
    X, given, _, _ = data()
    names = np.array(["no", "yes"])
    words, numbers = RobustRVC().fit(X, names[given]), RobustRVC().fit(X, given)
    assert words.predict(X[:50]).tolist() == names[numbers.predict(X[:50])].tolist()
    np.testing.assert_array_equal(words.predict_proba(X), numbers.predict_proba(X))


@pytest.mark.parametrize("model", [RVR(), RobustRVR()])
def test_several_targets_are_each_as_if_alone(model):
    X, _, _, target = data()
    both = np.column_stack([target, X[:, 0] + target**2])
    model = clone(model).fit(X, both)
    alone = clone(model).fit(X, both[:, 1])
    np.testing.assert_array_equal(model.predict(X)[:, 1], alone.predict(X))
    assert model.n_reads_ == sum(each.n_reads_ for each in model.estimators_)
    assert not hasattr(model.fit(X[:100], both[:100]), "n_reads_")


@pytest.mark.parametrize("model", [RVC(gamma=0.5, random_state=0), RVR(gamma=0.5, random_state=0)])
def test_rows_of_weight_zero_change_nothing_but_positions(model):
    X, given, _, target = data()
    y = targets(model, given, target)
    model = clone(model).set_params(basis=60)
    plain = clone(model).fit(X, y)
    where = np.sort(np.random.default_rng(4).permutation(N + 200)[:N])
    wide, wide_y, weight = np.full((N + 200, 2), 9.0), np.zeros(N + 200, dtype=y.dtype), np.zeros(N + 200)
    wide[where], wide_y[where], weight[where] = X, y, 1.0
    weighted = clone(model).fit(wide, wide_y, sample_weight=weight)
    np.testing.assert_allclose(answers(weighted, X), answers(plain, X), rtol=1e-9)
    np.testing.assert_array_equal(weighted.relevance_, where[plain.relevance_])
    np.testing.assert_allclose(weighted.sample_trust_[where], plain.sample_trust_)
    assert (weighted.sample_trust_[weight == 0.0] == 0.0).all()


@pytest.mark.parametrize("model", [RVC(kernel="rbf", gamma=0.5), RVR(kernel="rbf", gamma=0.5)])
def test_weights_are_repeated_rows(model):
    """About: the sums over all rows are the same, but another sample may lead to another maximum."""
    X, given, _, target = data(flips=0.0)
    target = target + 0.5 * np.random.default_rng(2).normal(size=N)
    y, centres = targets(model, given, target), X[::20]
    copies = np.random.default_rng(5).integers(1, 4, N)
    weighted = clone(model).set_params(basis=centres).fit(X, y, sample_weight=copies)
    repeated = clone(model).set_params(basis=centres).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    assert np.median(np.abs(answers(weighted, X) - answers(repeated, X))) < 0.06
    assert weighted.lower_bound_ == pytest.approx(repeated.lower_bound_, rel=0.1)


def test_class_weights_move_the_boundary_as_they_do_in_an_ordinary_fit():
    X, given, _, _ = data(flips=0.0)
    plain = RVC(kernel="rbf", gamma=0.5, basis=60).fit(X, given).predict_proba(X)[:, 1].mean()
    moved = RVC(kernel="rbf", gamma=0.5, basis=60, class_weight={0: 1.0, 1: 9.0}).fit(X, given)
    assert moved.predict_proba(X)[:, 1].mean() > plain + 0.02
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rowtrust.estimators._many_rows.MANY_ROWS", 10**9)
        ordinary = clone(moved).fit(X, given)
    assert np.abs(moved.predict_proba(X) - ordinary.predict_proba(X)).mean() < 0.03
    balanced = RobustRVC(class_weight="balanced").fit(X, given)
    assert balanced.score(X, given) > 0.9


@pytest.mark.parametrize(
    "model",
    [
        RVC(kernel="rbf", gamma=0.5),
        RobustRVC(kernel="rbf", gamma=0.5, label_noise="power"),
        RVR(kernel="rbf", gamma=0.5),
        RobustRVR(kernel="rbf", gamma=0.5, trust_prior=2.0),
    ],
    ids=["RVC", "power", "RVR", "RobustRVR"],
)
def test_the_bound_is_about_that_of_an_ordinary_fit_to_all_rows(model):
    """Given the same centres and one width, both roads maximise the same bound."""
    X, given, _, target = data()
    y = targets(model, given, target)
    model = clone(model).set_params(basis=X[::15], sparsity=0.0, scaling=None)
    many = clone(model).fit(X, y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rowtrust.estimators._many_rows.MANY_ROWS", 10**9)
        ordinary = clone(model).fit(X, y)
    assert hasattr(many, "n_reads_") > hasattr(ordinary, "n_reads_")
    # Over eight orders of the rows it is behind by at most 17 nats, and as often ahead.
    assert many.lower_bound_ > ordinary.lower_bound_ - 0.02 * N
    difference = np.abs(answers(many, X) - answers(ordinary, X))
    assert np.median(difference) < 0.03
    assert np.abs(many.sample_trust_ - ordinary.sample_trust_).mean() < 0.04


@pytest.mark.parametrize(
    "settings",
    [
        {"basis": 40},
        {"basis": data()[0][:30]},
        {"basis": 40, "landmarks": "kmeans++"},
        {"kernel": "laplacian", "basis": 40},
        {"kernel": "linear"},
        {"kernel": "polynomial", "degree": 2},
        {"kernel": RBF(1.0), "basis": 40},
        {"kernel": RBF(1.0), "gamma": "scale", "basis": 40},
        {"kernel": lambda X, Y: (1.0 + X @ Y.T) ** 2, "basis": 40},
        {"kernel": "rbf", "length_scales": "learnt", "basis": 40},
        {"gamma": "scale"},
        {"scaling": None},
        {"sparsity": 0.0},
        {"tol": 0.1},
        {"n_jobs": 2, "kernel": "rbf"},
        {"random_state": 7},
        {"random_state": np.random.RandomState(7)},
    ],
    ids=lambda settings: "-".join(f"{name}" for name in settings),
)
@pytest.mark.parametrize("kind", [RobustRVC, RVR])
def test_every_setting_of_kernel_and_basis_works(kind, settings):
    X, given, _, target = data()
    y = targets(kind, given, target)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)  # so few rows may want more readings
        model = kind(**settings).fit(X, y)
    assert model.n_reads_ <= MOST_READS
    assert np.isfinite(answers(model, X)).all()
    least = 0.0 if settings.get("kernel") == "linear" else 0.1
    assert model.score(X, y) > (0.6 if kind is RobustRVC else least)


def test_learnt_length_scales_find_the_columns_that_matter():
    X, _, _, target = data(columns=4, flips=0.0)
    relevance = RVR(kernel="rbf", length_scales="learnt", basis=60).fit(X, target).feature_relevance_
    assert relevance[:2].min() > 10 * relevance[2:].max()


@pytest.mark.parametrize("model", [RobustRVC(), RVC(), RVR(), RobustRVR()])
def test_missing_values_are_taken(model):
    X, given, _, target = data(columns=3)
    holes = X.copy()
    holes[np.random.default_rng(6).random(X.shape) < 0.1] = np.nan
    holes[:, 2] = np.where(np.isnan(holes[:, 2]), np.nan, X[:, 0] + 0.1 * X[:, 2])
    y = targets(model, given, target)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = clone(model).fit(holes, y)
    assert model.n_reads_ <= MOST_READS
    assert np.isfinite(answers(model, holes)).all()
    assert np.isfinite(model.sample_trust_).all()
    with pytest.raises(ValueError, match="NaN"):
        clone(model).set_params(missing=None).fit(holes, y)


@pytest.mark.parametrize("model", [RobustRVC(), RobustRVC(label_noise="power"), RVC(), RobustRVR()])
def test_an_audit_tells_the_trust_of_the_fit_and_finds_wrong_rows(model):
    pandas = pytest.importorskip("pandas")
    X, given, wrong, target = data()
    y = targets(model, given, target)
    model = clone(model).fit(X, y)
    table = model.audit(X, y).sort_index()
    assert isinstance(table, pandas.DataFrame)
    near = np.abs(X).max(axis=1) < 2.0  # further out an audit lets go of the fit
    np.testing.assert_allclose(table["trust"][near], model.sample_trust_[near], rtol=1e-6, atol=0.02)
    assert roc_auc_score(wrong, table["wrong"]) > 0.9
    fresh, fresh_given, fresh_wrong, fresh_target = data(400, seed=9)
    found = model.audit(fresh, targets(model, fresh_given, fresh_target)).sort_index()
    assert roc_auc_score(fresh_wrong, found["wrong"]) > 0.9


@pytest.mark.parametrize("model", [RobustRVC(), RobustRVR()])
def test_a_fit_can_be_pickled_and_saved(model, tmp_path):
    pytest.importorskip("skops")
    X, given, _, target = data()
    y = targets(model, given, target)
    model = clone(model).fit(X, y)
    save(model, tmp_path / "model.skops")
    for copy in (pickle.loads(pickle.dumps(model)), load(tmp_path / "model.skops")):
        np.testing.assert_array_equal(answers(copy, X), answers(model, X))
        assert copy.n_reads_ == model.n_reads_
        assert copy.audit(X[:30], y[:30])["wrong"].tolist() == model.audit(X[:30], y[:30])["wrong"].tolist()
    assert not hasattr(clone(model), "n_reads_")


@pytest.mark.parametrize("model", [RobustRVC(), RobustRVR()])
def test_a_second_fit_leaves_nothing_of_the_first(model):
    X, given, _, target = data()
    y = targets(model, given, target)
    both, few, many = clone(model), clone(model).fit(X[:120], y[:120]), clone(model).fit(X, y)
    names = [set(vars(both.fit(X, y))), set(vars(both.fit(X[:120], y[:120])))]
    np.testing.assert_array_equal(answers(both, X), answers(few, X))
    assert names == [set(vars(many)), set(vars(few))]
    assert "n_reads_" in names[0] - names[1]
    np.testing.assert_array_equal(answers(both.fit(X, y), X), answers(many, X))
    assert set(vars(both)) == set(vars(many))


@pytest.mark.parametrize("model", [RobustRVC(), RVR()])
def test_the_answer_does_not_hang_on_threads_nor_on_chunks(model, monkeypatch):
    X, given, _, target = data()
    y = targets(model, given, target)
    found = []
    for threads, rows in ((1, 250), (3, 250), (2, 97)):
        monkeypatch.setattr("rowtrust.engines.sources.thread_count", lambda number=threads: number)
        monkeypatch.setattr(ArraySource.__init__, "__defaults__", (None, rows, None))
        found.append(answers(clone(model).fit(X, y), X))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_allclose(found[0], found[2], atol=1e-4)


def test_a_failed_fit_leaves_the_last_one(monkeypatch):
    X, given, _, _ = data()
    model = RobustRVC().fit(X, given)
    before, answered = dict(vars(model)), model.predict_proba(X)

    def broken(*_, **__):
        raise OSError("the disk is gone")

    monkeypatch.setattr("rowtrust.estimators._many_rows.go_on_with_all", broken)
    with pytest.raises(OSError, match="the disk is gone"):
        model.fit(X[:, ::-1], 1 - given)
    assert vars(model).keys() == before.keys()
    np.testing.assert_array_equal(model.predict_proba(X), answered)
    with pytest.raises(OSError, match="the disk is gone"):
        (unfitted := RVC()).fit(X, given)
    assert not hasattr(unfitted, "n_reads_")


@pytest.mark.parametrize("model", [RobustRVC(), RVR(), RobustRVR()])
def test_parameters_set_after_a_fit_change_nothing(model):
    X, given, _, target = data()
    y = targets(model, given, target)
    model = clone(model).fit(X, y)
    before = answers(model, X)
    model.set_params(kernel="polynomial", gamma=7.0, basis=3, scaling=None, missing=None, sparsity=0.5)
    np.testing.assert_array_equal(answers(model, X), before)


@pytest.mark.parametrize("model", [FuzzyRVC(), FuzzyRVR(), RVC(solver="variational"), RVR(basis=None)])
def test_what_needs_all_rows_at_once_takes_the_ordinary_road(model, monkeypatch):
    monkeypatch.setattr("rowtrust.estimators._many_rows.MANY_ROWS", 50)
    X, given, _, target = data(70)
    assert hasattr(RVC(gamma=0.5).fit(X, given), "n_reads_")
    assert not hasattr(clone(model).fit(X, targets(model, given, target)), "n_reads_")


def test_sparse_rows_kernel_matrices_and_known_weights_take_the_ordinary_road():
    X, given, _, target = data(320)
    assert not hasattr(RVC(kernel="rbf", gamma=0.5).fit(csr_array(X), given), "n_reads_")
    assert not hasattr(RVR(kernel="precomputed").fit(X @ X.T, target), "n_reads_")
    trusted = np.where(data(320)[2], 1e-6, 1.0)
    doubted = SparseBayesRegressor(weights=Fixed(trusted)).fit(X, target)
    assert not hasattr(doubted, "n_reads_")
    assert doubted.score(*(lambda d: (d[0], d[3]))(data(500, 1, flips=0.0))) > 0.95


def test_the_limit_itself():
    X, given, _, _ = data(301)
    assert not hasattr(RVC(kernel="rbf", gamma=0.5).fit(X[:300], given[:300]), "n_reads_")
    assert hasattr(RVC(kernel="rbf", gamma=0.5).fit(X, given), "n_reads_")


def test_a_rare_class_is_not_lost():
    X, given, _, _ = data(flips=0.0)
    given = np.where((X[:, 0] > 1.2) & (X[:, 1] > 0.8), 2, given)
    model = RobustRVC().fit(X, given)
    rare = given == 2
    assert 10 < rare.sum() < 40
    assert model.classes_.tolist() == [0, 1, 2]
    assert (model.predict(X)[rare] == 2).mean() > 0.6
    assert (model.predict(X)[~rare] == 2).mean() < 0.02


def test_the_users_limit_on_steps_is_kept_and_warns():
    X, given, _, _ = data()
    with pytest.warns(sklearn.exceptions.ConvergenceWarning, match="max_iter=2"):
        model = RVC(kernel="rbf", gamma=0.5, max_iter=2).fit(X, given)
    assert model.n_iter_ == 2


@pytest.mark.parametrize("classes", [2, 3])
def test_callbacks_hear_of_the_sample_and_of_all_rows(classes):
    pytest.importorskip("sklearn.callback", reason=f"scikit-learn {sklearn.__version__} has none")
    tasks, ended = [], []

    class Recorder:
        def setup(self, estimator, context): ...

        def on_fit_task_begin(self, estimator, context):
            tasks.append(context.task_name)

        def on_fit_task_end(self, estimator, context):
            ended.append(context.task_name)
            return False

        def teardown(self, estimator, context): ...

    X, given, _, _ = data(classes=classes)
    model = RobustRVC(kernel="rbf", gamma=0.5).set_callbacks(Recorder()).fit(X, given)
    assert sorted(tasks) == sorted(ended)
    for output in range(classes if classes > 2 else 1):
        assert f"output {output}, all rows" in tasks
        assert f"output {output}, sample" in tasks
    assert tasks.count("step") >= model.n_iter_
    assert model.n_reads_ <= MOST_READS


@pytest.mark.parametrize("model", [RobustRVC(basis=150, kernel="rbf"), RVR(basis=150, kernel="rbf")])
def test_twenty_five_thousand_rows(model):
    n = 25_000
    assert n > MANY_ROWS
    X, given, wrong, target = data(n, flips=0.1 if hasattr(model, "predict_proba") else 0.0)
    fresh, truth, _, fresh_target = data(4000, seed=1, flips=0.0)
    y, score_y = targets(model, given, target), targets(model, truth, fresh_target)
    many, few = clone(model).fit(X, y), clone(model).fit(X[:2000], y[:2000])
    assert many.n_reads_ <= MOST_READS
    assert many.log_score(fresh, score_y) > few.log_score(fresh, score_y) - 0.01
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(many.label_noise_, [[0.9, 0.1], [0.1, 0.9]], atol=0.03)
        assert roc_auc_score(wrong, -many.sample_trust_) > 0.95


@pytest.mark.parametrize(
    "model",
    [RVC(class_weight={"no": 1.0, "yes": 4.0}), RobustRVC(), RobustRVR()],
    ids=["class weights", "channel", "numbers"],
)
def test_rows_of_a_source_are_as_rows_in_memory(model):
    """Labels are words and targets whole numbers, as a file has them."""
    X, given, _, target = data()
    weight = np.random.default_rng(7).uniform(0.5, 2.0, N)
    if hasattr(model, "predict_proba"):
        y, other = np.array(["no", "yes"])[given], "zebra"  # beyond all classes, but its rows weigh nothing
    else:
        y, other = np.round(100 * target).astype(int), 0
    model = clone(model).set_params(gamma=0.5)
    memory, streamed = clone(model).fit(X, y, sample_weight=weight), clone(model)
    rows, labels = np.vstack([X, X[:5]]), np.concatenate([y, np.full(5, other, dtype=y.dtype.type)])
    source = ArraySource(rows, labels, np.r_[weight, np.zeros(5)], 250, 1)
    fit_source(streamed, source, None)
    np.testing.assert_allclose(answers(streamed, X), answers(memory, X), rtol=1e-6, atol=1e-8)
    assert not hasattr(streamed, "sample_trust_")
    assert streamed.n_reads_ == source.reads == memory.n_reads_ - 1
    np.testing.assert_array_equal(streamed.relevance_, memory.relevance_)
