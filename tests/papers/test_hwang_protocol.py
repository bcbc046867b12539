"""Hwang's protocol: the bound (17), what is counted, what is timed, and whose labels are flipped."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from papers.hwang.bound import printed_bound, pruned_rows, pruned_terms, settled
from papers.hwang.models import AS_PUBLISHED, GRIDS, MACHINES, MODELS, Fitted, counts, scores, select_width
from papers.hwang.protocol import AS_SAID, ONE_IN_SIX, flip_one_class, nearest_once, split, split_once
from rowtrust.datasets import flip_labels, make_ripley
from rowtrust.estimators import RVC, RobustRVC
from rowtrust.priors import ARD


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture(scope="module")
def dirty():
    X, y = make_ripley(60, random_state=0)
    return StandardScaler().fit_transform(X), flip_labels(y, 0.1, random_state=0)[0]


def test_the_bound_ranks_widths_as_the_literal_loop_does(dirty):
    X, y = dirty
    ours, loops = [], []
    for gamma in (10.0, 1.25, 0.078):
        model = MACHINES["RRVM"](gamma=gamma, random_state=0).fit(X, y)
        loop = MACHINES["RRVM"](gamma=gamma, solver="variational", max_iter=20000, tol=1e-7).fit(X, y)
        ours.append(printed_bound(model, X, y))
        loops.append(loop.lower_bound_)
    np.testing.assert_array_equal(np.argsort(ours), np.argsort(loops))
    np.testing.assert_allclose(ours, loops, atol=1.0)
    assert np.ptp(loops) > 3  # nats between widths: far more than what the two differ by


def test_without_the_prior_it_is_the_solvers_own_bound(dirty):
    X, y = dirty
    model = MACHINES["RRVM"](gamma=1.25, random_state=0).fit(X, y)
    phi = np.column_stack([np.ones(len(y)), model_kernel(model, X)])
    precision = np.concatenate([model.intercept_precision_, model.weight_precision_[0]])
    assert settled(model, phi, y, precision).evidence == pytest.approx(model.lower_bound_, abs=0.05)


def model_kernel(model, X):
    distance = ((X[:, None] - X[None, model.relevance_]) ** 2).sum(axis=-1)
    return np.exp(-model.gamma_ * distance)


def test_a_pruned_column_has_the_best_variance():
    prior, curvature = ARD(), 7.0

    def share(variance):
        entropy = 0.5 * (1 + np.log(2 * np.pi * variance))
        return entropy - 0.5 * curvature * variance + prior.bound(np.array([variance]))

    tried = max(share(variance) for variance in np.geomspace(1e-8, 1.0, 20001))
    assert pruned_terms(np.array([curvature]), prior) == pytest.approx(tried, abs=1e-6)


def test_copies_of_a_row_share_a_column():
    X = np.array([[0.0], [1.0], [0.0], [2.0], [1.0]])
    assert sorted(pruned_rows(X, np.array([2]))) == [1, 3]


def test_a_row_kept_at_two_widths_has_two_coefficients():
    model = SimpleNamespace(dual_coef_=np.array([[2.0, -1.0, 0.0, 0.01]]), relevance_=np.array([4, 4, 7, 9]))
    assert counts(model) == {"kept": 3, "kept rows": 2, "kept 1 %": 2}


def test_neighbours_have_no_coefficients():
    assert np.isnan(list(counts(SimpleNamespace()).values())).all()


def test_the_svm_that_is_scored_is_the_one_that_is_counted(dirty):
    X, y = dirty
    found = MODELS["SVM"](X, y, GRIDS["quick"], 0)
    own = found.model.calibrated_classifiers_[0].estimator
    assert own.gamma == pytest.approx(1 / (2 * found.width))
    assert scores(found, X, y, len(y))["kept"] == pytest.approx(100 * len(own.support_) / len(y))


def test_each_machine_chooses_by_its_own_rule(dirty):
    X, y = dirty
    gammas = GRIDS["quick"].gammas(2)
    values = [
        printed_bound(MACHINES["RRVM"](gamma=gamma, random_state=0).fit(X, y), X, y) for gamma in gammas
    ]
    assert MODELS["RRVM"](X, y, GRIDS["quick"], 0).model.gamma_ == gammas[int(np.argmax(values))]
    robust = MODELS["RRVM"](X, y, GRIDS["quick"], 0).model
    assert robust.label_noise == "power"
    plain = MODELS["RVM"](X, y, GRIDS["quick"], 0)
    assert isinstance(plain.model, RVC)
    assert plain.model.get_params().items() >= AS_PUBLISHED.items()
    ours = MODELS["RobustRVC"](X, y, GRIDS["quick"], 0)
    assert ours.model.get_params() == RobustRVC(random_state=0).get_params()
    assert np.isnan(ours.selection_seconds)


def test_the_score_decides_the_width(dirty):
    X, y = dirty
    found = select_width(RVC(**AS_PUBLISHED), X, y, [0.1, 1.0], score=lambda model, X, y: -model.gamma_)
    assert isinstance(found, Fitted)
    assert found.model.gamma_ == 0.1


def test_flips_in_one_class():
    y = np.repeat([0, 1], [30, 70])
    for seed in range(5):
        given, changed = flip_one_class(y, 0.1, random_state=seed)
        assert changed.sum() == 10
        assert len(set(y[changed])) == 1
        assert ((given != y) == changed).all()
    rare = np.repeat([0, 1], [10, 90])
    at_most = max(flip_one_class(rare, 0.1, random_state=seed)[1][:10].sum() for seed in range(10))
    assert at_most == 5


def test_splits_are_the_same_whatever_is_fitted_to_them(data_folder):
    one = split(3, str(data_folder), "liver", 10, None)
    assert len(one.given) == 207
    assert len(one.true) == 138
    few = split(3, str(data_folder), "liver", 10, 50)
    assert len(few.given) == 50
    np.testing.assert_array_equal(one.true, few.true)


def test_nearest_neighbours_meet_more_wrong_labels(data_folder):
    found = [nearest_once(seed, str(data_folder), name="cancer", flipped=10) for seed in range(5)]
    usual, more = (np.mean([record[name] for record in found]) for name in (AS_SAID, ONE_IN_SIX))
    assert usual < more
    clean = nearest_once(0, str(data_folder), name="cancer", flipped=0)
    assert ONE_IN_SIX not in clean
    assert clean[AS_SAID] < 10


def test_a_record_has_both_protocols(data_folder):
    record = split_once(0, str(data_folder), name="cancer", flipped=10, grid="quick", most=80)
    assert {"RVM", "RRVM", "RVC", "RobustRVC"} <= set(record)
    for name, found in record.items():
        assert {"ERR", "AUC", "RMSE", "kept", "kept rows", "selection", "training"} <= set(found), name
        assert found["training"] > 0
    assert record["RVC"]["kept"] >= record["RVC"]["kept rows"] > 0
