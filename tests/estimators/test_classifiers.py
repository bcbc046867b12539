"""What users of the classifiers count on."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

from rowtrust import RVC, FuzzyRVC, RobustRVC
from rowtrust.datasets import flip_labels, make_ripley, ripley_probability
from rowtrust.kernels import content_keys
from rowtrust.memberships import MEMBERSHIPS, Imbalance

CLASSIFIERS = [RVC, RobustRVC, FuzzyRVC]
EACH = [
    RVC,
    RobustRVC,
    *(pytest.param(each, marks=pytest.mark.slow) for each in CLASSIFIERS if each not in (RVC, RobustRVC)),
]
AS_GIVEN = {"scaling": None, "sparsity": 0.0}
"""Numbers for ``gamma`` mean the inputs as they are, and every column stays."""
X, Y = make_moons(150, noise=0.2, random_state=0)


@pytest.mark.parametrize("estimator", EACH)
@pytest.mark.parametrize("solver", ["working_set", "variational"])
def test_moons_are_told_apart_by_few_vectors(estimator, solver):
    X_test, y_test = make_moons(1000, noise=0.2, random_state=1)
    model = estimator(gamma=2.0, solver=solver, max_iter=200, tol=0.05, random_state=0).fit(X, Y)
    assert model.score(X_test, y_test) > 0.93
    if solver == "working_set":
        assert len(model.relevance_) <= 15


@pytest.mark.parametrize("estimator", EACH)
@pytest.mark.parametrize("labels", [np.array(["setosa", "versicolor", "virginica"])])
def test_multiclass_probabilities_sum_to_one_and_agree_with_predict(estimator, labels):
    rows, numbers = load_iris(return_X_y=True)
    model = estimator(random_state=0).fit(rows, labels[numbers])
    probability = model.predict_proba(rows)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(rows), model.classes_[probability.argmax(axis=1)])
    np.testing.assert_array_equal(
        model.predict(rows), model.classes_[model.decision_function(rows).argmax(axis=1)]
    )
    assert model.score(rows, labels[numbers]) > 0.93
    assert model.dual_coef_.shape == (3, len(model.relevance_))
    assert np.diff(model.lower_bounds_).min() > -1e-9  # of one machine of all classes


@pytest.mark.parametrize("estimator", EACH)
def test_far_away_rows_still_have_probabilities(estimator):
    rows, numbers = load_iris(return_X_y=True)
    probability = estimator(random_state=0).fit(rows, numbers).predict_proba(1e6 * np.ones((1, 4)))
    np.testing.assert_allclose(probability.sum(), 1.0)


def test_probabilities_average_over_the_posterior():
    """They are nearer to one half than the probability of the mean, by MacKay's factor."""
    model = RVC(gamma=2.0, random_state=0).fit(X, Y)
    mean, variance = (moment[:, 0] for moment in model.predictive_model_.latent_moments(X))
    plain = 1 / (1 + np.exp(-mean))
    averaged = model.predict_proba(X)[:, 1]
    assert (np.abs(averaged - 0.5) <= np.abs(plain - 0.5) + 1e-12).all()
    np.testing.assert_allclose(averaged, 1 / (1 + np.exp(-mean / np.sqrt(1 + np.pi * variance / 8))))


NOISES = [{}, {"label_noise": "power"}, {"label_noise": 0.1, "calibration": None}]


@pytest.mark.parametrize(
    ("estimator", "options"),
    [(RVC, {}), (FuzzyRVC, {"membership": "class_centre"}), (RobustRVC, NOISES[2])],
)
@pytest.mark.parametrize("kernel", ["laplacian", pytest.param("polynomial", marks=pytest.mark.slow)])
def test_sparse_rows_give_the_dense_fit(estimator, options, kernel):
    """Scaled too where differences of rows are all that counts: sparse rows are not moved, dense ones are."""
    scaling = "robust" if kernel in ("rbf", "laplacian") else None
    rows = np.where(np.abs(X) < 0.3, 0.0, X)
    if estimator is RobustRVC and not options and kernel == "polynomial":
        options = {
            "label_noise": 0.05,
            "calibration": None,
        }  # its cross-fits end elsewhere for the rounding of sparse products
    dense = estimator(kernel=kernel, scaling=scaling, random_state=0, **options).fit(rows, Y)
    machine = estimator(kernel=kernel, scaling=scaling, random_state=0, **options)
    stored = machine.fit(sparse.csr_array(rows), Y)
    assert sparse.issparse(stored.relevance_vectors_)
    np.testing.assert_allclose(
        dense.predict_proba(rows), stored.predict_proba(sparse.csr_array(rows)), atol=1e-5
    )


@pytest.mark.parametrize(
    ("estimator", "options"),
    [(RVC, {}), (FuzzyRVC, {"membership": "kernel_class_centre"}), *((RobustRVC, noise) for noise in NOISES)],
)
def test_callable_and_precomputed_kernels_equal_the_named_one(estimator, options):
    """Rows are given in the order of their content, which those of a precomputed kernel do not have."""
    options, order = {**options, "scaling": None}, np.argsort(content_keys(X)[:, 1])
    rows, labels = X[order], Y[order]
    named = estimator(kernel="laplacian", gamma=0.7, random_state=0, **options).fit(rows, labels)
    called = estimator(kernel=lambda a, b: laplacian_kernel(a, b, 0.7), random_state=0, **options)
    matrix = laplacian_kernel(rows, rows, 0.7)
    given = estimator(kernel="precomputed", random_state=0, **options).fit(matrix, labels)
    expected = named.predict_proba(rows[:20])
    np.testing.assert_allclose(called.fit(rows, labels).predict_proba(rows[:20]), expected, atol=1e-8)
    if estimator is RobustRVC and len(options) == 1:
        return  # folds are dealt by the inputs, which a precomputed kernel does not have
    np.testing.assert_allclose(given.predict_proba(matrix[:20]), expected, atol=1e-8)
    np.testing.assert_array_equal(given.relevance_, named.relevance_)


def test_basis_can_be_landmarks_or_given_centres():
    landmarks = RVC(gamma=2.0, basis=20, random_state=0, **AS_GIVEN).fit(X, Y)
    given = RVC(gamma=2.0, basis=X[:20], random_state=0, **AS_GIVEN).fit(X, Y)
    for model in (landmarks, given):
        assert model.score(X, Y) > 0.9
    np.testing.assert_array_equal(landmarks.relevance_vectors_, X[landmarks.relevance_])
    assert (given.relevance_ < 20).all()
    machine = RVC(kernel="precomputed", basis=np.arange(20), random_state=0, **AS_GIVEN)
    columns = machine.fit(rbf_kernel(X, X, 2.0), Y)
    np.testing.assert_allclose(
        columns.predict_proba(rbf_kernel(X, X, 2.0)), given.predict_proba(X), atol=1e-8
    )


@pytest.mark.parametrize(
    ("estimator", "options"),
    [
        (RVC, {}),
        (FuzzyRVC, {"membership": "class_centre", "normalise_membership": False}),
        *((RobustRVC, noise) for noise in NOISES[1:]),
    ],
)
def test_class_weight_equals_sample_weight(estimator, options):
    """But where noise is learnt, and for scales, sparsity, means: there class weights are no rows."""
    options = {**options, **AS_GIVEN}
    by_class = estimator(gamma=2.0, class_weight={0: 1.0, 1: 3.0}, random_state=0, **options).fit(X, Y)
    by_row = estimator(gamma=2.0, random_state=0, **options).fit(X, Y, sample_weight=np.where(Y, 3.0, 1.0))
    np.testing.assert_allclose(by_class.predict_proba(X), by_row.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("estimator", EACH)
def test_a_class_of_more_weight_is_more_probable(estimator):
    plain, heavy = (estimator(gamma=2.0, class_weight=each).fit(X, Y) for each in (None, {0: 1.0, 1: 3.0}))
    assert heavy.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean()


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("estimator", EACH)
def test_frames_and_feature_names(estimator, library):
    frames = pytest.importorskip(library)
    frame = frames.DataFrame({"length": X[:, 0], "width": X[:, 1]})
    model = estimator(gamma=2.0, random_state=0).fit(frame, Y)
    assert list(model.feature_names_in_) == ["length", "width"]
    plain = estimator(gamma=2.0, random_state=0).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(frame), plain.predict_proba(X))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename({"width": "depth"}, **({"axis": 1} if library == "pandas" else {})))


@pytest.mark.slow
def test_the_robust_model_withstands_flipped_labels():
    def error(estimator, seed):
        rows, labels = make_ripley(250, random_state=seed)
        dirty, _ = flip_labels(labels, 0.15, random_state=seed)
        X_test, _ = make_ripley(1000, random_state=100 + seed)
        model = estimator(gamma=4.0, random_state=0, **AS_GIVEN).fit(rows, dirty)
        return np.sqrt(np.mean((model.predict_proba(X_test)[:, 1] - ripley_probability(X_test)) ** 2))

    plain, robust = (np.mean([error(cls, seed) for seed in range(8)]) for cls in (RVC, RobustRVC))
    assert robust < plain - 0.02


def test_trust_falls_on_the_flipped_rows():
    rows, labels = make_blobs(300, centers=[[0, 0], [4, 0]], random_state=0)
    dirty, flipped = flip_labels(labels, 0.1, random_state=0)
    for model in (RobustRVC(gamma=1.0), RVC(gamma=1.0), FuzzyRVC(gamma=1.0)):
        model.fit(rows, dirty)
        assert model.sample_trust_.shape == (300,)
        assert model.sample_trust_[flipped].mean() < 0.5
        assert model.sample_trust_[~flipped].mean() > 0.95


def test_rows_of_weight_zero_count_for_nothing():
    weight = np.r_[np.ones(100), np.zeros(50)]
    model = RobustRVC(gamma=2.0, random_state=0).fit(X, Y, sample_weight=weight)
    without = RobustRVC(gamma=2.0, random_state=0).fit(X[:100], Y[:100])
    np.testing.assert_allclose(model.predict_proba(X), without.predict_proba(X), atol=1e-10)
    assert (model.relevance_ < 100).all()
    assert (model.sample_trust_[100:] == 0).all()


IMBALANCED_MEMBERSHIPS = [name for name in MEMBERSHIPS if name.startswith("imbalance")]


@pytest.mark.parametrize("membership", [*IMBALANCED_MEMBERSHIPS[:2], Imbalance(rate=2.0)])
def test_imbalance_memberships_find_the_rare_class(membership):
    rows, labels = make_blobs([570, 30], centers=[[0, 0], [1.5, 0]], random_state=0)
    X_test, y_test = make_blobs([1000, 1000], centers=[[0, 0], [1.5, 0]], random_state=1)
    plain = RVC(gamma=0.3, random_state=0).fit(rows, labels).score(X_test, y_test)
    fuzzy = FuzzyRVC(gamma=0.3, membership=membership, random_state=0).fit(rows, labels)
    assert fuzzy.score(X_test, y_test) > plain + 0.1


@pytest.mark.parametrize("membership", [name for name in MEMBERSHIPS if name != "residual"])
def test_every_membership_serves_three_classes(membership):
    rows, labels = load_iris(return_X_y=True)
    model = FuzzyRVC(membership=membership, gamma=0.3).fit(rows, labels)
    assert model.score(rows, labels) > 0.85
    assert (model.expected_weight_ > 0).all()
    assert (model.expected_weight_ <= 1 + 1e-12).all()


def test_membership_may_be_an_array_or_a_callable():
    values = np.random.default_rng(0).uniform(0.3, 1.0, 150)
    options = {"gamma": 2.0, "normalise_membership": False, "random_state": 0, **AS_GIVEN}
    one = FuzzyRVC(membership=values, **options).fit(X, Y)
    two = FuzzyRVC(membership=lambda rows, labels: values, **options).fit(X, Y)
    three = RVC(gamma=2.0, random_state=0, **AS_GIVEN).fit(X, Y, sample_weight=values)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    np.testing.assert_allclose(one.expected_weight_, values, rtol=1e-12)
    np.testing.assert_allclose(one.predict_proba(X), three.predict_proba(X), atol=1e-6)


def test_normalised_memberships_keep_the_number_of_rows():
    small = FuzzyRVC(membership=np.full(150, 0.01), gamma=2.0, normalise_membership=True).fit(X, Y)
    plain = RVC(gamma=2.0).fit(X, Y)
    np.testing.assert_allclose(small.predict_proba(X), plain.predict_proba(X), atol=1e-8)


def test_audit_ranks_the_flipped_rows_first():
    pandas = pytest.importorskip("pandas")
    rows, labels = make_moons(200, noise=0.1, random_state=0)
    labels = np.where(labels, "yes", "no")
    dirty, flipped = flip_labels(labels, 0.05, random_state=0)
    frame = pandas.DataFrame(rows, columns=["a", "b"], index=[f"row {i}" for i in range(200)])
    model = RobustRVC(gamma=2.0, random_state=0).fit(frame, dirty)
    table = model.audit(frame, dirty)
    assert list(table.columns) == ["given", "likely", "probability", "p_wrong", "list", "trust"]
    assert set(table.index[:10]) == set(frame.index[flipped])
    assert (table["likely"][:10] != table["given"][:10]).all()
    assert table["p_wrong"].is_monotonic_decreasing
    assert (table["list"] == "likely error").is_monotonic_decreasing
    np.testing.assert_allclose(table.loc[frame.index, "trust"], model.sample_trust_, rtol=1e-12)
    unseen = model.audit(frame[:3].to_numpy() + 0.01, dirty[:3])
    assert len(unseen) == 3


def test_audit_without_pandas_is_a_structured_array(monkeypatch):
    import builtins

    real_import = builtins.__import__

    def no_pandas(name, *arguments, **options):
        if name == "pandas":
            raise ImportError
        return real_import(name, *arguments, **options)

    model = RobustRVC(gamma=2.0, random_state=0).fit(X, Y)
    monkeypatch.setattr(builtins, "__import__", no_pandas)
    table = model.audit(X, Y)
    columns = ["row", "given", "likely", "probability", "p_wrong", "list", "trust"]
    assert list(table.dtype.names) == columns
    np.testing.assert_array_equal(np.sort(table["row"]), np.arange(150))


def test_audit_of_three_classes_flags_both_sides():
    rows, labels = load_iris(return_X_y=True)
    found = []
    for seed in range(3):
        dirty, flipped = flip_labels(labels, 0.06, random_state=seed)
        table = RobustRVC(random_state=0).fit(rows, dirty).audit(rows, dirty)
        found.append(flipped[table.index[: flipped.sum()]].mean())
    assert np.mean(found) >= 0.7


@pytest.mark.parametrize(
    "membership", ["imbalance", "class_centre", "kernel_class_centre", "imbalance_linear_overall_centre"]
)
def test_memberships_of_a_precomputed_kernel_measure_in_its_space(membership):
    """The linear kernel's space is the input space, so the memberships must agree."""
    by_input = FuzzyRVC(membership=membership, kernel="linear", scaling=None, random_state=0).fit(X, Y)
    by_kernel = FuzzyRVC(membership=membership, kernel="precomputed", random_state=0).fit(X @ X.T, Y)
    np.testing.assert_allclose(by_kernel.expected_weight_, by_input.expected_weight_, atol=1e-6)
    with pytest.raises(ValueError, match="needs inputs"):
        FuzzyRVC(membership="neighbours", kernel="precomputed").fit(X @ X.T, Y)


def test_a_rare_class_gets_a_landmark():
    labels = np.r_[np.zeros(145, dtype=int), np.ones(5, dtype=int)]
    for seed in range(3):
        model = RVC(basis=10, gamma=2.0, sparsity=0.0, solver="variational", max_iter=5, random_state=seed)
        with pytest.warns(ConvergenceWarning):
            assert (model.fit(X, labels).relevance_ >= 145).any()  # that solver keeps every column


def test_what_is_looked_at_first_does_not_change_the_answer():
    rows, labels = make_moons(700, noise=0.2, random_state=0)
    one, two = (RVC(gamma=2.0).fit(rows, labels) for _ in range(2))
    np.testing.assert_array_equal(one.relevance_, two.relevance_)
