"""Evidence and its gradient by the design matrix; parameters and the solver that alternate."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from rowtrust.inference.passes import row_outputs
from rowtrust.kernels import Kernel
from rowtrust.search import fit_kernel
from rowtrust.search.alternate import (
    IDLE_ROUNDS,
    LARGEST_CHANGE,
    Ascent,
    Climb,
    FrozenSites,
    Start,
    Trial,
    alternate,
    best_bound,
    best_score,
    climb_from,
    design_log_evidence,
    fit_along,
    freeze_sites,
    frozen_posterior,
    learn_kernel,
    trial,
)
from rowtrust.search.scores import HOPELESS

generator = np.random.default_rng(0)
X = generator.normal(size=(40, 3))
FROZEN = FrozenSites(
    generator.uniform(0.1, 1, 40), generator.normal(size=40), X[:6], generator.uniform(0.1, 1, 7)
)


def slope(function, at, step=1e-5):
    """Central differences."""
    units = step * np.eye(len(at))
    return np.array([(function(at + unit) - function(at - unit)) / (2 * step) for unit in units])


def test_the_derivative_by_the_design_is_exact():
    phi = generator.normal(size=(40, 7))
    _, by_design = design_log_evidence(phi, FROZEN)
    numeric = slope(lambda flat: design_log_evidence(flat.reshape(40, 7), FROZEN)[0], phi.ravel())
    np.testing.assert_allclose(by_design.ravel(), numeric, rtol=1e-5, atol=1e-7)


def test_the_evidence_is_that_of_a_gaussian():
    """With Gaussian noise of known precision it is the density of the targets, but for constants."""
    target, phis = generator.normal(size=40), generator.normal(size=(2, 40, 7))
    frozen = FrozenSites(np.full(40, 4.0), 4.0 * target, X[:6], FROZEN.prior_precision)

    def log_density(phi):
        covariance = phi @ np.diag(1.0 / frozen.prior_precision) @ phi.T + 0.25 * np.eye(40)
        return multivariate_normal(cov=covariance).logpdf(target)

    ours, theirs = (
        [evidence(phi) for phi in phis]
        for evidence in (lambda phi: design_log_evidence(phi, frozen)[0], log_density)
    )
    assert ours[0] - ours[1] == pytest.approx(theirs[0] - theirs[1])


def test_frozen_sites_are_those_of_the_state(make_plan):
    fit = fit_kernel(make_plan(), Kernel("rbf", 0.5))
    problem, state = fit.problems[0], fit.states[0]
    frozen = freeze_sites(problem, state, fit.engine.basis.centres)
    precision, shift = row_outputs(problem, state, lambda rows: np.stack([rows.precision, rows.shift]))
    np.testing.assert_array_equal(frozen.site_precision, precision)
    np.testing.assert_array_equal(frozen.site_shift, shift)
    phi = fit.engine.basis.columns(fit.engine.X, state.columns)
    np.testing.assert_array_equal(frozen.centres, fit.engine.basis.centres[state.columns[1:] - 1])
    np.testing.assert_allclose(
        phi @ frozen_posterior(phi, frozen).mean, phi @ state.posterior.mean, rtol=0, atol=1e-2
    )


def test_a_trial_tells_bound_score_and_every_outputs_sites(make_plan):
    fit = fit_kernel(make_plan(classes=3), Kernel("rbf", 0.5))
    found = trial(fit)
    assert (found.bound, found.score, len(found.outputs)) == (fit.bound, fit.score, 3)


PEAK = np.array([1.5, -0.5])


def hill(at):
    """A fake solver whose bound is a parabola."""
    return Trial(-10.0 * float(((at - PEAK) ** 2).sum()), 0.0, [None, None])


def slope_of_hill(at, frozen):
    """Half of the fake evidence, as there are two outputs."""
    return -5.0 * float(((at - PEAK) ** 2).sum()), -10.0 * (at - PEAK)


def climb_up(fit_at=hill, limit=9.0):
    return Climb(fit_at, slope_of_hill, np.full(2, -limit), np.full(2, limit))


@pytest.mark.parametrize("start", [[0.0, 0.0], [8.0, -8.0]])
def test_a_climb_reaches_the_top(start):
    end = alternate(climb_up(), Ascent(np.array(start), np.array(start)))
    np.testing.assert_allclose(end.best, PEAK, atol=1e-3)
    assert end.over


def test_a_round_goes_only_so_far_and_stays_within_bounds():
    far = climb_up().improve(np.array([8.0, -8.0]), [None, None])
    np.testing.assert_allclose(far, [8.0 - LARGEST_CHANGE, -8.0 + LARGEST_CHANGE])
    np.testing.assert_allclose(climb_up(limit=1.0).improve(np.zeros(2), [None, None]), [1.0, -0.5])


def test_a_climb_that_gains_nothing_ends_and_keeps_the_best():
    bounds = iter([3.0, 1.0, 2.0, 99.0])
    seen = []

    def fit_at(at):
        seen.append(at)
        return Trial(next(bounds), 0.0, [None, None])

    end = alternate(climb_up(fit_at), Ascent(np.zeros(2), np.zeros(2)))
    assert end.bound == 3.0
    assert len(seen) == 1 + IDLE_ROUNDS
    np.testing.assert_array_equal(end.best, np.zeros(2))


def test_rounds_are_limited():
    seen = []

    def fit_at(at):
        seen.append(at)
        return Trial(float(len(seen)), 0.0, [None, None])

    alternate(climb_up(fit_at), Ascent(np.zeros(2), np.zeros(2)), rounds=3)
    assert len(seen) == 3


def test_a_path_ends_once_it_is_hopeless():
    scores = iter([0.0, 5.0, 5.0 - HOPELESS - 1.0, 100.0])
    climb = climb_up(lambda at: Trial(0.0, next(scores), []))
    starts = fit_along(climb, [np.full(2, float(i)) for i in range(4)])
    assert [start.trial.score for start in starts] == [0.0, 5.0, 4.0 - HOPELESS]
    assert best_score(starts).at[0] == 1.0


def test_the_highest_of_several_starts_goes_on():
    starts = [Start(np.array(at), hill(np.array(at))) for at in ([8.0, 8.0], [1.0, 0.0])]
    assert best_bound(starts) is starts[1]
    np.testing.assert_allclose(climb_from(climb_up(), *starts), PEAK, atol=1e-3)
    np.testing.assert_allclose(climb_from(climb_up(), starts[0], starts[0]), PEAK, atol=1e-3)


@pytest.mark.filterwarnings("error")
def test_fits_on_the_way_do_not_warn(make_plan):
    plan = make_plan()
    calls = []

    def learn(fit_at):
        calls.append(fit_at(np.array([0.3])))
        return np.array([0.6])

    fits = learn_kernel(plan, lambda at: Kernel("rbf", float(at[0])), learn)
    assert [fit.gamma for fit in fits] == [0.6]
    assert np.isfinite(calls[0].bound)
    with pytest.warns(UserWarning, match="max_iter=1"):
        learn_kernel(replace(plan, max_iter=1), lambda at: Kernel("rbf", float(at[0])), learn)
