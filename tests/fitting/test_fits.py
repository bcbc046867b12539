"""Fits at one kernel: every output on shared rows, from the starts that are worth it, in many jobs."""

import warnings
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.exceptions import ConvergenceWarning

from rowtrust.fitting import fits as module
from rowtrust.fitting.decide import width_score
from rowtrust.fitting.fits import fit_kernel, fits_along, resumed
from rowtrust.inference import Variational, WorkingSet
from rowtrust.kernels import Kernel
from rowtrust.likelihoods import LabelChannel
from rowtrust.weights import Fixed, Gamma

RBF = Kernel("rbf", 1.0)
GAMMAS = (0.1, 0.4, 1.6, 6.4)
PATH = [Kernel("rbf", gamma) for gamma in GAMMAS]
SOLVERS = pytest.mark.parametrize("solver", [WorkingSet(tol=1e-3), Variational(tol=1e-3)], ids=repr)


def test_every_output_is_fitted_on_the_same_rows_and_adds_up(make_plan):
    fit = fit_kernel(make_plan(classes=3), RBF)
    assert len(fit.states) == len(fit.traces) == 3
    assert {id(problem.engine) for problem in fit.problems} == {id(fit.engine)}
    assert fit.latent.shape == (60, 3)
    kept = [len(state.columns) - 1 for state in fit.states]
    assert fit.kept_share == pytest.approx(np.mean(kept) / 60)
    assert fit.bound == pytest.approx(sum(trace[-1] for trace in fit.traces))
    assert fit.score == pytest.approx(
        sum(width_score(state.bound, 60, k) for state, k in zip(fit.states, kept, strict=True))
    )


@pytest.mark.parametrize("classes", [0, 2])
def test_a_membership_is_a_weight_on_its_row(make_plan, plan_of, classes):
    """As a power on the likelihood it is a number of copies, whoever says so."""
    membership = np.random.default_rng(0).uniform(0.2, 1.0, 60)
    plan = make_plan(classes=classes, weights=Fixed(membership))
    fuzzy = fit_kernel(plan, RBF)
    weighted = fit_kernel(plan_of(plan.rows.X, plan.rows.y, classes, weight=membership), RBF)
    np.testing.assert_array_equal(fuzzy.states[0].columns, weighted.states[0].columns)
    np.testing.assert_allclose(fuzzy.latent, weighted.latent, rtol=0, atol=1e-12)
    assert fuzzy.bound == pytest.approx(weighted.bound, rel=1e-12)
    np.testing.assert_array_equal(fuzzy.trust, membership)
    np.testing.assert_array_equal(weighted.trust, np.ones(60))


@pytest.mark.parametrize("membership", [np.ones(7), np.zeros(60), np.full(60, -1.0), np.full(60, np.nan)])
def test_memberships_that_do_not_fit_the_rows_are_refused(make_plan, membership):
    with pytest.raises(ValueError, match="one factor above zero per row"):
        fit_kernel(make_plan(weights=Fixed(membership)), RBF)


def test_trust_is_the_least_over_outputs(make_plan):
    fit = fit_kernel(make_plan(classes=3, weights=Gamma(1.3)), RBF)
    least = np.min([solution.expected_weight for solution in fit.solutions], axis=0)
    np.testing.assert_array_equal(fit.trust, least)
    assert fit.trust.min() < 0.9


# Starts


def tried(monkeypatch, leads):
    """Let start 1 end higher than the best guess by ``leads(gamma, output)``; return what is solved."""
    seen, solve_output = [], module.solve_output
    solutions = {}

    def fake(plan, problem, start, output):
        seen.append((float(problem.kernel.gamma), start, output))
        if "any" not in solutions:
            solutions["any"] = solve_output(plan, problem, 0, 0)
        bound = start * leads(float(problem.kernel.gamma), output)
        return replace(solutions["any"], state=replace(solutions["any"].state, bound=bound))

    monkeypatch.setattr(module, "solve_output", fake)
    return seen


def begun(seen):
    return {gamma: sorted({start for each, start, _ in seen if each == gamma}) for gamma in GAMMAS}


@pytest.mark.parametrize(
    ("leads", "starts", "bounds"),
    [
        (lambda gamma: -1.0, [[0, 1], [0], [0], [0]], [0.0] * 4),
        (lambda gamma: 0.01, [[0, 1], [0], [0], [0]], [0.0] * 4),
        (lambda gamma: 3.0 if gamma < 1 else -3.0, [[0, 1], [0, 1], [0, 1], [0]], [3.0, 3.0, 0.0, 0.0]),
    ],
    ids=["loses", "ties", "wins twice"],
)
def test_the_best_guess_gives_way_to_a_clear_lead_only_and_losers_are_not_tried_again(
    make_plan, monkeypatch, leads, starts, bounds
):
    seen = tried(monkeypatch, lambda gamma, output: leads(gamma))
    fits = list(fits_along(make_plan(weights=Gamma(1.3)), PATH))
    assert begun(seen) == dict(zip(GAMMAS, starts, strict=True))
    assert [fit.bound for fit in fits] == bounds


# Fits that go on


@SOLVERS
def test_a_fit_that_goes_on_behind_noise_ends_higher_than_it_began(make_plan, solver):
    plan = make_plan(classes=2, solver=solver)
    after = resumed(plan, fit_kernel(plan, RBF), [LabelChannel(0.15, 0.15)])
    (bounds,) = after.traces
    assert (np.diff(bounds) >= -1e-6 * np.abs(bounds[1:])).all()
    assert after.bound > bounds[0]
    assert after.states[0].likelihood == LabelChannel(0.15, 0.15)


def test_a_fit_that_goes_on_as_it_was_stays_where_it_is(make_plan):
    plan = make_plan(n=120, classes=2)
    fit = fit_kernel(plan, RBF)
    again = resumed(plan, fit, [plan.likelihood])
    assert again.bound == pytest.approx(fit.bound, abs=0.05)
    assert again.bound >= fit.bound - 1e-6
    silent = resumed(plan, fit, [LabelChannel(0.0, 0.0)])
    assert silent.bound == pytest.approx(fit.bound, abs=0.1)


def test_columns_do_not_enter_where_they_may_not(make_plan):
    plan = make_plan(classes=2)
    fit = fit_kernel(plan, RBF)
    kept = resumed(plan, fit, [LabelChannel(0.15, 0.15)], grows=False)
    assert set(kept.states[0].columns) <= set(fit.states[0].columns)


# Callbacks, and several fits at the same time


def test_callbacks_are_told_of_every_output_and_start_one_after_the_other(make_plan):
    names, steps = [], []

    @contextmanager
    def report(name):
        names.append(name)
        yield lambda state, info: steps.append(info)

    plan = make_plan(classes=3, weights=Gamma(1.3), report=report, n_jobs=2)
    list(fits_along(plan, [RBF]))
    assert len(set(names)) == len(names) == 6
    names.clear(), steps.clear()
    fit = fit_kernel(plan, RBF)
    assert len(names) == 3
    assert len(steps) == sum(len(trace) for trace in fit.traces)


def test_jobs_take_kernels_written_on_the_spot_and_give_the_same(make_plan):
    kernel = Kernel(lambda X, Y: (1.0 + X @ Y.T) ** 3, 1.0)
    one, two = (list(fits_along(make_plan(classes=3, n_jobs=jobs), [kernel, RBF])) for jobs in (None, 2))
    for alone, together in zip(one, two, strict=True):
        np.testing.assert_array_equal(together.latent, alone.latent)
        assert together.bound == alone.bound


def test_jobs_that_would_run_in_threads_of_this_process_run_one_after_the_other(make_plan):
    """Fits share what they cache: nested parallel calls, which joblib runs in threads, are serial."""
    one = list(fits_along(make_plan(classes=3), PATH[:2]))
    with parallel_config(backend="threading"):
        two = list(fits_along(make_plan(classes=3, n_jobs=2), PATH[:2]))
    for alone, among_threads in zip(one, two, strict=True):
        np.testing.assert_array_equal(alone.latent, among_threads.latent)


def test_warnings_of_jobs_reach_the_caller_and_can_be_made_errors(make_plan):
    plan = make_plan(max_iter=2, n_jobs=2)
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        list(fits_along(plan, PATH[:2]))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        with pytest.raises(ConvergenceWarning, match="max_iter=2"):
            list(fits_along(plan, PATH[:2]))
        list(fits_along(plan.aside(), PATH[:2]))  # a means to an end says nothing


def test_fits_in_threads_leave_the_filters_of_warnings_alone(make_plan):
    """Each fit put filters of its own in place and, where they overlapped, left them there for good."""
    plan = replace(make_plan(classes=3), max_iter=1, n_jobs=2)
    with warnings.catch_warnings(record=True) as caught, parallel_config(backend="threading"):
        warnings.simplefilter("always", ConvergenceWarning)
        before = list(warnings.filters)
        fits = list(fits_along(plan, PATH[:1]))
        assert warnings.filters == before
    assert len(fits) == 1
    assert sum("before it converged" in str(each.message) for each in caught) == 3


def test_a_solution_says_whether_it_was_cut_short(make_plan):
    plan = make_plan()
    assert all(each.complaint == "" for each in fit_kernel(plan, RBF).solutions)
    cut = fit_kernel(replace(plan, max_iter=1, warns=False), RBF).solutions
    assert all("stopped at max_iter=1" in each.complaint for each in cut)
