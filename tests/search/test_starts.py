"""Fits from several starts: the higher bound is kept, losers are dropped, and jobs change nothing."""

import warnings
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from rowtrust import RobustRVC
from rowtrust.inference import Variational
from rowtrust.kernels import Kernel
from rowtrust.search import starts
from rowtrust.search.fits import problem_at, solve_output
from rowtrust.search.starts import TIE, best_start, fits_along
from rowtrust.search.widths import search_widths
from rowtrust.weights import Gamma, Unit

GAMMAS = (0.1, 0.4, 1.6, 6.4)
PATH = [Kernel("rbf", gamma) for gamma in GAMMAS]


def ended(bound):
    return SimpleNamespace(state=SimpleNamespace(bound=bound))


def test_every_output_keeps_its_own_highest_bound():
    one, two = [ended(-5.0), ended(-9.0), ended(-1.0)], [ended(-7.0), ended(-8.0), ended(-1.0)]
    best, worthy = best_start({0: one, 1: two})
    assert [each.state.bound for each in best] == [-5.0, -8.0, -1.0]
    assert best[2] is one[2], "a tie is for the best guess"
    assert worthy == (0, 1)


def test_the_best_of_three_starts_is_kept():
    best, worthy = best_start({0: [ended(-5.0)], 1: [ended(-7.0)], 2: [ended(-3.0)]})
    assert best[0].state.bound == -3.0
    assert worthy == (0, 2)


@pytest.mark.parametrize(("lead", "wins"), [(-1.0, False), (0.9 * TIE, False), (1.1 * TIE, True)])
def test_the_best_guess_gives_way_to_a_clear_lead_only(lead, wins):
    one, two = ended(-5.0), ended(-5.0 + lead)
    best, worthy = best_start({0: [one], 1: [two]})
    assert best == [two if wins else one]
    assert worthy == ((0, 1) if wins else (0,))


def tried(monkeypatch, leads):
    """Let start 1 end higher than the best guess by ``leads(gamma, output)``; return what is solved."""
    seen = []

    def fake(plan, problem, start, output):
        gamma = float(problem.kernel.gamma)
        seen.append((gamma, start, output))
        return ended(start * leads(gamma, output))

    monkeypatch.setattr(starts, "solve_output", fake)
    return seen


def begun(seen):
    return {gamma: sorted({start for each, start, _ in seen if each == gamma}) for gamma in GAMMAS}


def test_a_start_that_lost_is_not_tried_again(make_plan, monkeypatch):
    seen = tried(monkeypatch, lambda gamma, output: -1.0)
    fits = list(fits_along(make_plan(weights=Gamma(1.3)), PATH))
    assert begun(seen) == {0.1: [0, 1], 0.4: [0], 1.6: [0], 6.4: [0]}
    assert [fit.solutions[0].state.bound for fit in fits] == [0.0] * 4


def test_a_start_goes_on_until_it_loses(make_plan, monkeypatch):
    seen = tried(monkeypatch, lambda gamma, output: 3.0 if gamma < 1.0 or gamma > 5.0 else -3.0)
    fits = list(fits_along(make_plan(weights=Gamma(1.3)), PATH))
    assert begun(seen) == {0.1: [0, 1], 0.4: [0, 1], 1.6: [0, 1], 6.4: [0]}
    assert [fit.solutions[0].state.bound for fit in fits] == [3.0, 3.0, 0.0, 0.0]


def test_a_start_that_wins_for_one_output_goes_on_for_all(make_plan, monkeypatch):
    seen = tried(monkeypatch, lambda gamma, output: 2.0 if output == 1 else -2.0)
    fits = list(fits_along(make_plan(classes=3, weights=Gamma(1.3)), PATH[:2]))
    assert len(seen) == 2 * 2 * 3
    for fit in fits:
        assert [solution.state.bound for solution in fit.solutions] == [0.0, 2.0, 0.0]


def test_weights_with_one_start_are_fitted_once(make_plan, monkeypatch):
    seen = tried(monkeypatch, lambda gamma, output: 0.0)
    list(fits_along(make_plan(weights=Unit()), PATH))
    assert seen == [(gamma, 0, 0) for gamma in GAMMAS]


def test_a_solver_that_does_not_mind_the_start_is_run_once(make_plan, monkeypatch):
    seen = tried(monkeypatch, lambda gamma, output: 5.0)
    list(fits_along(make_plan(weights=Gamma(1.3), solver=Variational()), PATH))
    assert seen == [(gamma, 0, 0) for gamma in GAMMAS]


@pytest.mark.parametrize("classes", [0, 3])
def test_no_start_ends_higher_than_what_is_kept(make_plan, classes):
    plan = make_plan(n=50, classes=classes, weights=Gamma(1.3))
    (fit,) = fits_along(plan, PATH[1:2])
    problem = problem_at(plan, PATH[1])
    assert len(problem.starts) == 2
    for output, state in enumerate(fit.states):
        ends = [solve_output(plan, problem, start, output).state for start in (0, 1)]
        assert max(end.bound for end in ends) <= state.bound + TIE
        assert any(end.bound == state.bound for end in ends)
        assert all(end.weights == plan.weights for end in ends), (
            "whatever it began with, it ends with its own"
        )


def test_callbacks_are_told_of_every_start(make_plan):
    names = []

    @contextmanager
    def report(name):
        names.append(name)
        yield lambda state, info: False

    list(fits_along(make_plan(classes=2, weights=Gamma(1.3), report=report), PATH[:1]))
    assert names == ["gamma=0.1, output 0", "gamma=0.1, output 0, start 1"]


# Several fits at the same time


def noisy_moons(n=70):
    X, y = make_moons(n, noise=0.2, random_state=0)
    wrong = np.random.default_rng(0).choice(n, 7, replace=False)
    y[wrong] = 1 - y[wrong]
    return X, y


@pytest.mark.parametrize("noise", ["channel", "power"])
def test_jobs_change_nothing(noise):
    X, y = noisy_moons()
    y[X[:, 0] > 1.3] = 2
    alone, together = (
        RobustRVC(label_noise=noise, n_jobs=jobs, random_state=0).fit(X, y) for jobs in (None, 2)
    )
    assert len(alone.gamma_share_) > 1
    # Behind a channel fits go on from columns that were computed here or elsewhere: rounding differs.
    tolerance = 0.0 if noise == "power" else 1e-7
    assert list(alone.gamma_share_) == list(together.gamma_share_)
    assert alone.lower_bound_ == pytest.approx(together.lower_bound_, rel=tolerance, abs=0.0)
    assert alone.n_iter_ == together.n_iter_
    for name in (
        "relevance_",
        "dual_coef_",
        "intercept_",
        "covariance_",
        "weight_precision_",
        "sample_trust_",
    ):
        pair = getattr(alone, name), getattr(together, name)
        np.testing.assert_allclose(*pair, rtol=tolerance, atol=tolerance, err_msg=name)
    np.testing.assert_allclose(alone.predict_proba(X), together.predict_proba(X), rtol=0.0, atol=tolerance)
    assert together.get_params()["n_jobs"] == 2


@pytest.mark.parametrize("jobs", [2, 3])
def test_a_path_ends_at_the_same_width_whatever_runs_beside_it(make_plan, jobs):
    path = [Kernel("rbf", gamma) for gamma in (0.3, 1e4, 2e4, 4e4)]
    alone, together = (
        search_widths(make_plan(weights=Gamma(1.3), n_jobs=each), path) for each in (None, jobs)
    )
    assert [fit.gamma for fit in together] == [fit.gamma for fit in alone]
    assert [fit.share for fit in together] == [fit.share for fit in alone]
    assert [fit.bound for fit in together] == [fit.bound for fit in alone]


def test_warnings_of_jobs_reach_the_caller(make_plan):
    plan = make_plan(weights=Gamma(1.3), max_iter=2, n_jobs=2)

    def warned(plan):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            list(fits_along(plan, PATH[:2]))
        return sorted(str(each.message) for each in caught if each.category is ConvergenceWarning)

    alone = warned(replace(plan, n_jobs=None))
    assert alone
    assert all("max_iter=2" in message for message in alone)
    assert set(alone) <= set(warned(plan))


def test_warnings_of_jobs_can_be_made_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        with pytest.raises(ConvergenceWarning, match="max_iter=2"):
            RobustRVC(gamma=1.0, max_iter=2, n_jobs=2).fit(*noisy_moons())


def test_errors_of_jobs_reach_the_caller():
    X, y = noisy_moons()
    y[X[:, 0] > 1.3] = 2
    model = RobustRVC(kernel=lambda X, Y: np.full((len(X), len(Y)), np.nan), n_jobs=2)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(X, y)


@pytest.mark.parametrize("noise", ["channel", "power"])
def test_jobs_take_kernels_written_on_the_spot(noise):
    X, y = noisy_moons()
    alone, together = (
        RobustRVC(
            kernel=lambda X, Y: (1.0 + X @ Y.T) ** 3, label_noise=noise, n_jobs=jobs, random_state=0
        ).fit(X, y)
        for jobs in (None, 2)
    )
    np.testing.assert_array_equal(alone.decision_function(X), together.decision_function(X))


def test_jobs_that_would_run_in_threads_of_this_process_run_one_after_the_other(make_plan):
    """Fits share what they cache: nested parallel calls, which joblib runs in threads, are serial."""
    alone = list(fits_along(make_plan(classes=3), PATH[:2]))
    with parallel_config(backend="threading"):
        among_threads = list(fits_along(make_plan(classes=3, n_jobs=2), PATH[:2]))
    for one, two in zip(alone, among_threads, strict=True):
        np.testing.assert_array_equal(one.latent, two.latent)


def test_a_fit_that_reports_to_callbacks_is_serial(make_plan):
    """Callbacks may end a fit: they must see its steps, which workers could not tell of."""
    seen = []

    @contextmanager
    def report(name):
        seen.append(name)
        yield None

    plan = make_plan(n_jobs=2, report=report)
    list(fits_along(plan, [Kernel("rbf", 1.0), Kernel("rbf", 2.0)]))
    assert len(seen) >= 2
