"""Any model's left-out predictions, judged: what was made wrong is found, and little where nothing was."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import HuberRegressor, LinearRegression, LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC

from rowtrust import RVC, BayesianSVR, FuzzyRVC, RobustRVC, RobustRVR, find_wrong_rows
from rowtrust.datasets import flip_labels, make_ripley
from rowtrust.trust import Findings
from rowtrust.trust.folds import left_out_numbers, left_out_probabilities

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 2))
Y = (X[:, 0] + 0.3 * RNG.normal(size=120) > 0).astype(int)


def blobs(n_classes, seed=0):
    generator = np.random.default_rng(seed)
    y = np.arange(240) % n_classes
    angle = 2 * np.pi * y / n_classes
    return 3 * np.column_stack([np.cos(angle), np.sin(angle)]) + generator.normal(size=(240, 2)), y


ANY = [
    RobustRVC(gamma="scale"),
    RobustRVC(gamma="scale", label_noise="power"),
    RVC(gamma="scale"),
    FuzzyRVC(gamma="scale"),
    RandomForestClassifier(30, min_samples_leaf=3, random_state=0),
    GaussianNB(),
]

# What is found


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("estimator", ANY, ids=repr)
def test_flipped_labels_come_first(estimator, n_classes):
    X, y = blobs(n_classes)
    given, flipped = flip_labels(y, 0.1, random_state=0)
    found = find_wrong_rows(estimator, X, given)
    assert average_precision_score(flipped, found.p_wrong) > 0.85
    assert found.share <= 0.14
    assert sorted(found.order) == list(range(240))
    assert (np.diff(found.p_wrong[found.order]) <= 0).all()
    assert flipped[found.flagged].sum() >= 6
    assert flipped[found.flagged].mean() > 0.75
    assert np.mean(found.likely[found.flagged] == y[found.flagged]) > 0.6
    if not isinstance(estimator, RVC | FuzzyRVC):
        assert found.trust[flipped].mean() < found.trust[~flipped].mean()


@pytest.mark.parametrize("estimator", [RobustRVR(), BayesianSVR(), HuberRegressor()], ids=repr)
def test_gross_errors_in_numbers_come_first(estimator):
    generator = np.random.default_rng(0)
    X = generator.uniform(-3, 3, (200, 2))
    y = 100 + 5 * np.sin(X[:, 0]) + X[:, 1] + 0.3 * generator.normal(size=200)
    wrong = np.arange(200) < 10
    y[wrong] += generator.choice([-40, 40], 10)
    found = find_wrong_rows(estimator, X, y)
    assert set(found.order[:10]) == set(range(10))
    assert 10 <= len(found.flagged) <= 16
    if not isinstance(estimator, HuberRegressor):  # whose line is no sine
        expected = 100 + 5 * np.sin(X[wrong, 0]) + X[wrong, 1]
        np.testing.assert_allclose(found.likely[wrong], expected, atol=1.5)


@pytest.mark.parametrize("estimator", [RobustRVC(gamma=4.0), LogisticRegression()], ids=repr)
def test_rows_in_the_overlap_of_clean_classes_are_hard_and_not_wrong(estimator):
    X, y = make_ripley(300, random_state=0)
    found = find_wrong_rows(estimator, X, y)
    assert len(found.flagged) <= 9
    hard = found.agreement < 0.5
    assert hard.sum() > 15
    assert np.isin(np.flatnonzero(hard), found.flagged).mean() < 0.5


@pytest.mark.parametrize("estimator", [ANY[0], ANY[-2], ANY[-1]], ids=repr)
def test_one_row_in_twenty_of_a_rare_class(estimator):
    """Flips that make the rare class rarer or larger are found, and its right rows stay."""
    generator = np.random.default_rng(0)
    y = (np.arange(420) % 21 == 0).astype(int)
    X = generator.normal(size=(420, 2)) + 5.0 * y[:, None]
    flipped = np.zeros(420, dtype=bool)
    flipped[generator.choice(np.flatnonzero(y == 0), 10, replace=False)] = True
    flipped[np.flatnonzero(y)[:3]] = True
    found = find_wrong_rows(estimator, X, np.where(flipped, 1 - y, y))
    assert np.isin(np.flatnonzero(flipped), found.order[:15]).mean() > 0.9
    assert flipped[found.flagged].mean() > 0.7
    assert np.isin(np.flatnonzero((y == 1) & ~flipped), found.flagged).mean() < 0.2


def test_fewer_false_ones_are_fewer_flagged_rows():
    X, y = blobs(2)
    given, _ = flip_labels(y, 0.2, random_state=0)
    strict, loose = (find_wrong_rows(GaussianNB(), X, given, false_share=share) for share in (0.02, 0.5))
    assert 0 < len(strict.flagged) < len(loose.flagged)
    np.testing.assert_array_equal(strict.flagged, loose.flagged[: len(strict.flagged)])
    for found, share in ((strict, 0.02), (loose, 0.5)):
        assert np.mean(1.0 - found.p_wrong[found.flagged]) <= share
        assert found.missed == pytest.approx(np.delete(found.p_wrong, found.flagged).sum())
        assert set(found.worth_a_look) >= set(found.flagged)
        assert f"{len(found.flagged)} of 240 rows are likely errors" in found.summary


# What is said


def found(*p_wrong, **more):
    """Findings of rows of these probabilities."""
    p_wrong, nothing = np.array(p_wrong), np.zeros(len(p_wrong))
    return Findings(np.argsort(-p_wrong, kind="stable"), p_wrong, nothing, nothing, nothing, None, **more)


def test_the_summary_counts_both_lists_and_all_errors():
    clean = found(*[0.001] * 50)
    assert clean.summary == "None of 50 rows is a likely error."
    assert (len(clean.flagged), len(clean.worth_a_look)) == (0, 0)
    unsure = found(0.6, 0.7, *[0.001] * 50)
    assert unsure.summary == (
        "None of 52 rows is a likely error. 2 rows have P(wrong) above 0.5, but no list of them would be "
        "80 % correct. 2 rows are worth a look. We estimate 1 error in total (90 % interval 0 to 3)."
    )
    dirty = found(*[0.8] * 12, *[0.48] * 2, *[0.001] * 386)
    assert dirty.summary == (
        "12 of 400 rows are likely errors (about 2 of them may be right). 2 more are worth a look. "
        "We estimate 11 errors in total (90 % interval 8 to 14)."
    )
    one = found(0.99, *[0.001] * 50)
    assert one.summary.startswith("1 of 51 rows is a likely error. We estimate 1 error in total")
    assert found(0.0, 0.0, reason="too few rows.").summary == "Rows cannot be judged: too few rows."


@pytest.mark.parametrize("seed", range(5))
def test_figures_do_not_contradict_each_other(seed):
    p_wrong = np.random.default_rng(seed).beta(0.2, 2.0, 200)
    findings = found(*p_wrong)
    assert findings.worth_a_look[: len(findings.flagged)].tolist() == findings.flagged.tolist()
    assert p_wrong[findings.flagged].sum() + findings.missed == pytest.approx(findings.expected_errors)
    assert findings.expected_errors == pytest.approx(p_wrong.sum()) == pytest.approx(200 * findings.share)
    np.testing.assert_array_equal(findings.trust, 1.0 - p_wrong)


def test_the_interval_of_the_number_of_errors_holds():
    generator = np.random.default_rng(0)
    p_wrong = generator.beta(0.2, 2.0, 300)
    low, high = found(*p_wrong).expected_errors_interval
    counts = (generator.random((2000, 300)) < p_wrong).sum(axis=1)
    assert np.mean((low <= counts) & (counts <= high)) == pytest.approx(0.9, abs=0.03)


def test_the_interval_is_that_of_whoever_judged_and_lies_within_the_table():
    assert found(0.5, 0.5, errors_interval=(0.25, 1.75)).expected_errors_interval == (0.25, 1.75)
    low, high = found(0.6, 0.5, 0.5).expected_errors_interval
    assert 0.0 <= low < high == 3.0
    assert found(1.0, 1.0).expected_errors_interval == pytest.approx((2.0, 2.0))


def test_findings_print_in_ten_lines():
    many = repr(found(*[0.99] * 300, *[0.001] * 700)).splitlines()
    assert len(many) == 10
    assert many[0].startswith("300 of 1000 rows are likely errors")
    assert many[1] == "  row 0: given 0, likely 0, P(wrong) 0.99"
    assert many[-1] == "  and 292 more in .flagged"
    assert len(repr(found(*[0.99] * 3, *[0.001] * 7)).splitlines()) == 4
    longest = Findings(*(np.array(each) for each in ([0], [0.99], ["a" * 500], ["b" * 500], [0.1])), None)
    assert max(map(len, repr(longest).splitlines()[1:])) < 110


def test_former_names_warn_and_say_the_new_ones():
    findings = found(0.99, 0.001)
    for former, now in (("wrong", "p_wrong"), ("suspects", "flagged")):
        with pytest.warns(FutureWarning, match=rf"Findings\.{former} is called {now} now"):
            values = getattr(findings, former)
        np.testing.assert_array_equal(values, getattr(findings, now))
    model = RVC(gamma="scale")
    for former, now in (("label_noise_", "noise_"), ("label_noise_interval_", "noise_interval_")):
        assert not hasattr(model, former)
        with pytest.warns(FutureWarning, match=rf"RVC\.{former} is called {now} now"):
            values = getattr(model.fit(X, Y), former)
        np.testing.assert_array_equal(values, getattr(model, now))
        model = RVC(gamma="scale")


# By whom rows are judged


class Parrot(ClassifierMixin, RegressorMixin, BaseEstimator):
    """Knows the rows it was fitted to by heart, and nothing else."""

    def fit(self, X, y):
        self.classes_, self.seen_ = np.unique(y), dict(zip(map(tuple, X), y, strict=True))
        return self

    def predict_proba(self, X):
        known = np.array([tuple(row) in self.seen_ for row in X])
        return np.where(known[:, None], [[1.0, 0.0]], [[0.25, 0.75]])

    def predict(self, X):
        return np.array([self.seen_.get(tuple(row), -7.0) for row in X])


def test_no_row_is_judged_by_a_model_that_has_seen_it():
    np.testing.assert_allclose(left_out_probabilities(Parrot(), X, Y)[:, 1], 0.75)
    mean, _ = left_out_numbers(Parrot(), X, X[:, 0])
    np.testing.assert_array_equal(mean, -7.0)


def test_certain_probabilities_are_moved_inside():
    class Sure(Parrot):
        def predict_proba(self, X):
            return np.tile([1.0, 0.0], (len(X), 1))

    assert np.isfinite(find_wrong_rows(Sure(), X, Y).p_wrong).all()


def test_one_deviation_that_outliers_do_not_widen():
    target = 3.0 * X[:, 0] + 0.5 * RNG.normal(size=120)
    target[:10] += 100.0
    _, deviation = left_out_numbers(LinearRegression(), X, target)
    assert np.ptp(deviation) == 0.0
    clean = left_out_numbers(LinearRegression(), X[10:], target[10:])[1][0]
    assert clean == pytest.approx(0.5, rel=0.2)
    assert deviation[0] < 20 * clean
    for exact in (np.zeros(120), X[:, 0]):
        assert left_out_numbers(LinearRegression(), X, exact)[1][0] > 0.0


def test_units_of_numbers_do_not_matter():
    target = 3.0 * X[:, 0] + 0.5 * np.random.default_rng(1).normal(size=120)
    target[:5] += 10.0
    plain = find_wrong_rows(LinearRegression(), X, target)
    assert set(plain.order[:5]) == set(range(5)) <= set(plain.flagged)
    for unit in (1e-6, 1e6):
        scaled = find_wrong_rows(LinearRegression(), X, unit * target)
        np.testing.assert_array_equal(scaled.order, plain.order)
        np.testing.assert_allclose(scaled.p_wrong, plain.p_wrong, atol=1e-6)


# What may be given


@pytest.mark.parametrize("n_rows", [10, 12, 30])
def test_few_rows_and_constant_inputs(n_rows):
    X = np.zeros((n_rows, 2))
    for model, y in ((RobustRVC(), np.arange(n_rows) % 2), (RobustRVR(), np.arange(n_rows))):
        found = find_wrong_rows(model, X, y)
        assert sorted(found.order) == list(range(n_rows))
        assert ((found.p_wrong >= 0.0) & (found.p_wrong <= 1.0)).all()


@pytest.mark.parametrize("estimator", [GaussianNB(), RobustRVC(gamma="scale")], ids=repr)
def test_frames_keep_their_index_and_names(estimator):
    pandas = pytest.importorskip("pandas")
    X, y = blobs(3)
    given, _ = flip_labels(np.array(["a", "b", "c"])[y], 0.1, random_state=0)
    index = pandas.Index([f"row {i}" for i in range(240)])
    frame, labels = pandas.DataFrame(X, index=index, columns=["u", "v"]), pandas.Series(given, index=index)
    found = find_wrong_rows(estimator, frame, labels)
    table = found.to_frame(frame)
    np.testing.assert_array_equal(table.index, index[found.order])
    np.testing.assert_array_equal(table["given"], labels.loc[table.index])
    np.testing.assert_array_equal(table.index[table["list"] == "likely error"], index[found.flagged])
    plain = find_wrong_rows(estimator, X, given)
    np.testing.assert_allclose(plain.p_wrong, found.p_wrong, rtol=1e-9)
    np.testing.assert_array_equal(plain.to_frame().index, found.order)


def test_what_cannot_be_judged_is_refused():
    with pytest.raises(TypeError, match="The model comes first"):
        find_wrong_rows(X, Y, LogisticRegression())
    with pytest.raises(TypeError, match=r"LinearSVC has no predict_proba"):
        find_wrong_rows(LinearSVC(), X, Y)
    with pytest.raises(TypeError, match="KMeans is neither"):
        find_wrong_rows(KMeans(2), X, Y)
    for labels in (np.zeros(120), np.r_[2, Y[1:]]):
        with pytest.raises(ValueError, match="The rarest of"):
            find_wrong_rows(LogisticRegression(), X, labels)
    for share in (0.0, 1.0, np.nan):
        with pytest.raises(ValueError, match="between 0 and 1"):
            find_wrong_rows(LogisticRegression(), X, Y, false_share=share)
    for strange in (Y + 5, np.where(Y == 1, "b", "a")):
        with pytest.raises(ValueError, match="class"):
            find_wrong_rows(RVC(gamma="scale").fit(X, Y), X, strange)


# Doors


def test_a_machine_says_the_same_alone_and_at_the_end_of_a_pipeline():
    for machine, target in ((RobustRVC(gamma="scale"), Y), (RobustRVR(gamma="scale"), X[:, 0] + X[:, 1])):
        alone = find_wrong_rows(machine, X, target)
        for steps in ([machine], [FunctionTransformer(), machine]):
            piped = find_wrong_rows(make_pipeline(*steps), X, target)
            np.testing.assert_allclose(piped.p_wrong, alone.p_wrong, atol=1e-8)


def test_probabilities_and_predictions_may_come_from_anywhere():
    given, flipped = flip_labels(blobs(3)[1], 0.1, random_state=0)
    X = blobs(3)[0]
    probability = cross_val_predict(GaussianNB(), X, given, cv=5, method="predict_proba")
    names = np.array(["a", "b", "c"])[given]
    found = find_wrong_rows(y=names, probabilities=probability)
    assert average_precision_score(flipped, found.p_wrong) > 0.8
    assert set(found.likely) <= {"a", "b", "c"}
    target = X[:, 0] + 0.1 * X[:, 1] ** 2
    target[:6] += 20.0
    mean = cross_val_predict(HuberRegressor(), X, target, cv=5)
    for predictions in (mean, (mean, np.ones(len(mean)))):
        assert set(find_wrong_rows(y=target, predictions=predictions).flagged[:6]) == set(range(6))


@pytest.mark.parametrize(
    "wrongly",
    [
        {"probabilities": np.ones((3, 2))},
        {"probabilities": -np.ones((120, 2))},
        {"predictions": np.full(120, np.nan)},
        {"predictions": np.ones(3)},
        {"predictions": (np.ones(120), -np.ones(120))},
        {"predictions": np.ones(120), "probabilities": np.ones((120, 2))},
        {},
    ],
)
def test_probabilities_and_predictions_that_make_no_sense_are_refused(wrongly):
    with pytest.raises((ValueError, TypeError), match=r"probabilities|predictions"):
        find_wrong_rows(y=Y, **wrongly)


@pytest.mark.parametrize("jitter", [0.0, 1e-6])
def test_copies_and_rows_of_a_group_do_not_vouch_for_each_other(jitter):
    """Every row is there three times, wrong labels too: neighbours know their own copies by heart."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    X[:, 0] += 0.5 * np.sign(X[:, 0])
    given, flipped = flip_labels((X[:, 0] > 0).astype(int), 0.1, random_state=0)
    X, given, group = np.repeat(X, 3, axis=0), np.repeat(given, 3), np.repeat(np.arange(100), 3)
    X += jitter * rng.normal(size=X.shape)
    near, wrong = KNeighborsClassifier(15, weights="distance"), np.repeat(flipped, 3)
    alone, apart = (
        average_precision_score(wrong, find_wrong_rows(near, X, given, groups=each).p_wrong)
        for each in (None, group)
    )
    if jitter:
        assert apart > alone + 0.3
    else:
        assert apart == pytest.approx(alone)


@pytest.mark.parametrize("n_times", [2, 5])
def test_copies_of_a_gross_error_do_not_vouch_for_each_other(n_times):
    X = np.random.default_rng(0).normal(size=(100, 2))
    target = X[:, 0] + 0.1 * X[:, 1]
    target[:3] += 5.0
    which = np.r_[np.arange(100), np.repeat(np.arange(3), n_times - 1)]
    found = find_wrong_rows(KNeighborsRegressor(2), X[which], target[which])
    assert set(which[found.flagged]) >= {0, 1, 2}
    assert found.p_wrong[which < 3].min() > 0.9


def test_several_models_are_averaged():
    X, y = make_ripley(200, random_state=0)
    given, _ = flip_labels(y, 0.1, random_state=0)
    models = [RobustRVC(gamma=1.0), LogisticRegression()]
    one, two = (find_wrong_rows(model, X, given) for model in models)
    both = find_wrong_rows(models, X, given)
    np.testing.assert_allclose(both.p_wrong, (one.p_wrong + two.p_wrong) / 2)
    np.testing.assert_allclose(both.noise, (one.noise + two.noise) / 2)
    assert (np.diff(both.p_wrong[both.order]) <= 0.0).all()
    assert set(both.likely) <= set(np.unique(given))


@pytest.mark.parametrize("slope", [0.0, 1.0])
def test_several_models_of_numbers_are_averaged_but_for_those_that_cannot_judge(slope):
    X, _ = make_ripley(200, random_state=0)
    target = slope * X[:, 1] + X[:, 0] ** 2
    target[:4] += 5.0
    models = [RobustRVR(gamma=1.0), LinearRegression()]
    curve, line = (find_wrong_rows(model, X, target) for model in models)
    both = find_wrong_rows(models, X, target)
    assert not both.reason
    assert set(both.order[:4]) == {0, 1, 2, 3}
    assert both.p_wrong.max() > 0.4
    if slope == 0.0:  # a line explains nothing of a parabola
        assert line.reason
        np.testing.assert_array_equal(both.p_wrong, curve.p_wrong)
    else:
        assert not line.reason
        np.testing.assert_allclose(both.p_wrong, (curve.p_wrong + line.p_wrong) / 2)
        np.testing.assert_allclose(both.likely, (curve.likely + line.likely) / 2)


def test_votes_that_are_all_alike_prove_no_label_wrong():
    """Trees of a forest that agree say zero; of so few rows nobody can be that sure."""
    label = np.arange(60) % 2
    probabilities = np.where(np.eye(2)[label] > 0, 1.0, 0.0)
    probabilities[:3] = probabilities[:3, ::-1]
    found = find_wrong_rows(y=label, probabilities=probabilities)
    assert found.agreement.min() > 1e-4
    assert set(found.order[:3]) == {0, 1, 2}
