"""Fits at one kernel: every output on shared rows, memberships as factors on the rows, parts that compose."""

from contextlib import contextmanager

import numpy as np
import pytest

from rowtrust.inference import Variational
from rowtrust.kernels import Kernel
from rowtrust.likelihoods import Logistic
from rowtrust.search import fit_kernel
from rowtrust.search.fits import known_factors, problem_at, shared, solve_output
from rowtrust.search.scores import width_score
from rowtrust.weights import Fixed, Gamma, Unit

RBF = Kernel("rbf", 1.0)


def test_every_output_is_fitted_on_the_same_engine(make_plan):
    fit = fit_kernel(make_plan(classes=3), RBF)
    assert len(fit.problems) == len(fit.solutions) == len(fit.states) == len(fit.traces) == 3
    assert {id(problem.engine) for problem in fit.problems} == {id(fit.engine)}
    assert fit.latent.shape == (60, 3)
    assert fit.bound == pytest.approx(sum(state.bound for state in fit.states))
    assert fit.gamma == 1.0
    assert fit.kernel is RBF


def test_the_score_and_the_share_kept_add_up_over_outputs(make_plan):
    fit = fit_kernel(make_plan(classes=3), RBF)
    kept = [len(state.columns) - 1 for state in fit.states]
    scores = [width_score(state.bound, 60, k) for state, k in zip(fit.states, kept, strict=True)]
    assert fit.score == pytest.approx(sum(scores))
    assert fit.kept_share == pytest.approx(np.mean(kept) / 60)


def test_traces_end_at_the_bounds(make_plan):
    fit = fit_kernel(make_plan(), RBF)
    assert fit.traces[0][-1] == fit.states[0].bound
    assert len(fit.traces[0]) == len(fit.solutions[0].trace)


def test_the_solver_of_the_plan_is_used(make_plan):
    assert len(fit_kernel(make_plan(n=25, solver=Variational(tol=0.1)), RBF).states[0].columns) == 26
    assert len(fit_kernel(make_plan(n=25), RBF).states[0].columns) < 26


@pytest.mark.parametrize("classes", [0, 2])
def test_a_fit_begins_with_the_best_guess(make_plan, classes):
    plan = make_plan(classes=classes, weights=Gamma(1.3))
    problem = problem_at(plan, RBF)
    assert [type(start) for start in problem.starts] == ([Unit, Gamma] if classes else [Gamma, Unit])
    fit, first, other = fit_kernel(plan, RBF), *(solve_output(plan, problem, start, 0) for start in (0, 1))
    assert [info.bound for info in fit.solutions[0].trace] == [info.bound for info in first.trace]
    assert [info.bound for info in fit.solutions[0].trace] != [info.bound for info in other.trace]


def test_a_problem_knows_its_own_weights_however_it_begins(make_plan):
    plan = make_plan(classes=2, weights=Gamma(1.3))
    problem = problem_at(plan, RBF)
    assert [one.weights for one in problem.problems] == [plan.weights]
    for start in range(2):
        assert solve_output(plan, problem, start, 0).state.weights == plan.weights


@pytest.mark.parametrize("classes", [0, 2])
def test_a_membership_is_a_weight_on_its_row(make_plan, classes):
    """As a power on the likelihood it is a number of copies, whoever says so."""
    membership = np.random.default_rng(0).uniform(0.2, 1.0, 60)
    fuzzy = fit_kernel(make_plan(classes=classes, weights=Fixed(membership)), RBF)
    weighted = fit_kernel(make_plan(classes=classes, weight=membership), RBF)
    np.testing.assert_array_equal(fuzzy.states[0].columns, weighted.states[0].columns)
    np.testing.assert_allclose(fuzzy.latent, weighted.latent, rtol=0, atol=1e-12)
    assert fuzzy.bound == pytest.approx(weighted.bound, rel=1e-12)
    np.testing.assert_array_equal(fuzzy.trust, membership)
    np.testing.assert_array_equal(weighted.trust, np.ones(60))


def test_trust_is_the_least_over_outputs(make_plan):
    fit = fit_kernel(make_plan(classes=3, weights=Gamma(1.3)), RBF)
    least = np.min([solution.expected_weight for solution in fit.solutions], axis=0)
    np.testing.assert_array_equal(fit.trust, least)
    assert fit.trust.min() < 0.9


def test_weights_may_depend_on_the_kernel(make_plan):
    seen = []

    def weights(kernel):
        seen.append(kernel)
        return Fixed(np.full(60, 0.5))

    fit = fit_kernel(make_plan(weights=weights), RBF)
    assert seen == [RBF]
    np.testing.assert_array_equal(fit.engine.weight, np.full(60, 0.5))


def test_factors_follow_the_rows_that_take_part(make_plan):
    index = np.arange(5, 65)
    rows = make_plan(index=index).rows
    everyone = np.linspace(0.1, 1.0, 65)
    np.testing.assert_array_equal(known_factors(Fixed(everyone), rows), everyone[5:])
    np.testing.assert_array_equal(known_factors(Fixed(everyone[:60]), rows), everyone[:60])
    assert known_factors(Unit(), rows) is None


@pytest.mark.parametrize("membership", [np.ones(7), np.zeros(60), np.full(60, -1.0), np.full(60, np.nan)])
def test_factors_that_do_not_fit_the_rows_name_the_cure(make_plan, membership):
    with pytest.raises(ValueError, match=r"one factor above zero per row, 60 of them.*sample_weight=0"):
        make_plan(weights=Fixed(membership)).check()


def test_weights_that_learn_need_a_normaliser_that_pays(make_plan):
    with pytest.raises(ValueError, match=r"Logistic .* trust nobody.*such as Gamma\(1.3\)"):
        make_plan(classes=2, weights=Gamma(1.0, learns=True)).check()
    make_plan(weights=Gamma(1.0, learns=True)).check()
    make_plan(classes=2, weights=Gamma(1.0), likelihood=Logistic()).check()


def test_callbacks_are_told_of_every_output(make_plan):
    names, steps = [], []

    @contextmanager
    def report(name):
        names.append(name)
        yield lambda state, info: steps.append(info)

    fit = fit_kernel(make_plan(classes=3, report=report), RBF)
    assert names == ["gamma=1, output 0", "gamma=1, output 1", "gamma=1, output 2"]
    assert len(steps) == sum(len(trace) for trace in fit.traces)


def test_fits_that_do_not_count_are_dropped(make_plan):
    fit = fit_kernel(make_plan(n=20), RBF)
    kept = shared([fit, fit, fit], np.array([0.25, 0.0, 0.75]))
    assert [each.share for each in kept] == [0.25, 0.75]
