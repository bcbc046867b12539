"""One joint problem of the kernels found: the same function to begin with, and few readings of all rows."""

from dataclasses import replace

import numpy as np
import pytest

from rowtrust.engines import ArraySource
from rowtrust.engines.stream import as_they_are
from rowtrust.kernels import Basis, JointBasis, Kernel
from rowtrust.search import average, projected
from rowtrust.search.choice import KernelChoice, fits_of
from rowtrust.search.fits import fit_kernel, shared
from rowtrust.search.many_rows import (
    MOST_READINGS,
    AllRows,
    as_average,
    column_gains,
    first_states,
    go_on_with_all,
    go_on_with_sample,
    joint_columns,
    joint_problems,
    kernel_shares,
    most_gaining,
    sample_engine,
    until_read,
)

KERNELS = [Kernel("rbf", 0.3), Kernel("laplacian", 0.5), Kernel("rbf", 1.2)]


@pytest.fixture(params=[0, 2, 3], ids=["numbers", "two classes", "three classes"])
def plan(request, make_plan):
    return make_plan(n=120, classes=request.param)


def found_by(plan, kernels=KERNELS, tolerance=0.0):
    fits = shared([fit_kernel(plan, kernel) for kernel in kernels], np.array([0.5, 0.3, 0.2]))
    return projected(plan, average(plan, fits, disagreement=False), tolerance)


def everything_of(plan, times=1):
    rows = plan.rows
    X, y = np.tile(rows.X, (times, 1)), np.tile(rows.y, times)
    weight = np.tile(rows.weight, times)
    return AllRows(ArraySource(X, y, weight, 50), as_they_are, float(weight.sum()))


@pytest.mark.parametrize("tolerance", [0.0, 0.02])
def test_the_joint_problem_begins_with_the_function_that_was_found(plan, tolerance):
    found = found_by(plan, tolerance=tolerance)
    kernels = [kernel for kernel, _ in found.shares]
    engine = sample_engine(plan, kernels)
    states = first_states(plan, found, kernels, joint_problems(plan, found, engine))
    for output, state in enumerate(states):
        begun = engine.basis.columns(plan.rows.X, state.columns) @ state.posterior.mean
        np.testing.assert_allclose(begun, found.model.mean_at(plan.rows.X)[:, output], atol=1e-9)
        assert len(np.unique(state.columns)) == len(state.columns)
        assert state.columns[0] == 0
        assert (state.precision > 0).all()


def test_columns_of_centres_are_those_of_their_kernel_and_row(plan):
    found = found_by(plan)
    kernels = [kernel for kernel, _ in found.shares]
    basis = sample_engine(plan, kernels).basis
    assert isinstance(basis, JointBasis)
    mine = basis.columns(plan.rows.X, joint_columns(plan, found, kernels))
    own = found.model.basis
    np.testing.assert_allclose(mine, own.columns(plan.rows.X, np.arange(1, own.n_columns)), rtol=1e-12)


def test_the_joint_fit_has_more_evidence_than_where_it_began(plan):
    """Columns of several kernels that compete can only explain more than they do in a mixture."""
    found = found_by(plan)
    joint = go_on_with_sample(plan, found, narrow=False)
    alone = max(fit_kernel(plan, kernel).bound for kernel in KERNELS)
    assert joint.bound > alone - 0.02 * len(plan.rows.y)
    assert joint.count == pytest.approx(plan.rows.weight.sum())
    assert sum(share for _, share in joint.shares) == pytest.approx(1.0)
    np.testing.assert_allclose(joint.latent, joint.model.mean_at(plan.rows.X), atol=1e-9)
    assert set(joint.positions.tolist()) <= set(plan.centres.positions.tolist())
    np.testing.assert_allclose(
        joint.model.basis.centres, plan.centres.rows[joint.positions - plan.centres.positions[0]]
    )


def test_all_rows_that_are_the_sample_change_hardly_anything(plan):
    joint = go_on_with_sample(plan, found_by(plan), narrow=False)
    everything = everything_of(plan)
    again = go_on_with_all(plan, joint, everything)
    assert again.bound > joint.bound - 0.5
    assert np.abs(again.latent - joint.latent).mean() < 0.1 * joint.latent.std()
    assert again.best.gamma == float(np.max(again.best.kernel.gamma))


def test_rows_given_again_and_again_are_one_problem_of_their_weight(plan):
    """Four times the rows: the bound, but for the prior, is fourfold, and readings are few."""
    joint = go_on_with_sample(plan, found_by(plan), narrow=False)
    everything = everything_of(plan, times=4)
    found = go_on_with_all(plan, joint, everything)
    assert found.count == pytest.approx(4 * plan.rows.weight.sum())
    assert everything.source.reads <= MOST_READINGS + 3
    assert found.latent.shape == (len(plan.rows.y), len(plan.codings))
    assert found.trust.shape == plan.rows.y.shape
    assert len(found.traces) == len(plan.codings)


def test_the_most_gaining_columns_come_first(plan):
    joint = go_on_with_sample(plan, found_by(plan), narrow=False)
    problem, state = joint.best.problems[0], joint.best.states[0]
    every = np.arange(1, problem.engine.n_columns)
    gain = column_gains(problem, state, every)
    best = most_gaining(problem, state)
    assert gain[best[0] - 1] == gain.max()
    np.testing.assert_array_equal(gain[best - 1], np.sort(gain)[::-1][: len(best)])


def test_narrower_kernels_join_where_they_are_worth_it(make_plan):
    """A kernel ten times too wide misses what a step narrower explains; a linear function needs none."""
    plan = make_plan(n=300)
    wide = fit_kernel(plan, Kernel("rbf", 0.02))
    found = average(plan, shared([wide], np.ones(1)), disagreement=False)
    joined_by = go_on_with_sample(plan, found, narrow=True)
    assert max(float(kernel.gamma) for kernel, _ in joined_by.shares) > 0.02
    assert joined_by.bound > go_on_with_sample(plan, found, narrow=False).bound
    straight = make_plan(n=300)
    straight = replace(straight, rows=line(straight.rows))
    own = average(
        straight, shared([fit_kernel(straight, Kernel("rbf", 0.02))], np.ones(1)), disagreement=False
    )
    alone = go_on_with_sample(straight, own, narrow=True)
    assert {float(kernel.gamma) for kernel, _ in alone.shares} == {0.02}


def line(rows):
    noise = np.random.default_rng(3).normal(size=len(rows.y))
    return replace(rows, y=0.5 * rows.X[:, 0] + 0.3 * noise)


def test_readings_are_counted_whatever_a_step_takes():
    source = ArraySource(np.zeros((3, 1)), np.zeros(3))
    asked = []
    stop = until_read(source, 2, lambda state, info: asked.append(info))
    assert [stop(None, 0), source.map_reduce(len_of), stop(None, 1), source.map_reduce(len_of)] == [
        False,
        3,
        False,
        3,
    ]
    assert stop(None, 2)
    assert asked == [0, 1, 2]
    assert until_read(source, 99, lambda state, info: True)(None, 3)
    assert not until_read(source, 99, None)(None, 4)


def len_of(chunk):
    return len(chunk.X)


def test_kernels_share_by_their_columns():
    centres = np.zeros((4, 1))
    basis = JointBasis(tuple(Basis(kernel, centres) for kernel in KERNELS))
    shares = kernel_shares(basis, np.array([0, 3, 4, 5, 6, 7]), 4)
    assert shares == [(KERNELS[0], pytest.approx(1 / 3)), (KERNELS[1], pytest.approx(2 / 3))]
    assert kernel_shares(basis, np.array([], dtype=int), 4) == [(KERNELS[0], 1.0)]


def test_whether_widths_are_searched():
    def choice(function="auto", gamma="evidence", scales=None):
        return KernelChoice(function, gamma, scales, 3, 1.0).searches_widths

    assert choice()
    assert choice("laplacian")
    assert not choice("polynomial")
    assert not choice(gamma=1.0)
    assert not choice(gamma="scale")
    assert not choice("rbf", scales="learnt")


def test_to_tell_a_joint_model_again_changes_nothing(make_plan):
    plan = make_plan(n=60)
    fits = fits_of(plan, KernelChoice("rbf", 1.0, None, 3, 1.0))
    found = average(plan, fits, disagreement=False)
    joint = go_on_with_sample(plan, found, narrow=False)
    again = as_average(plan, joint, joint.best.problems, joint.best.solutions, 60.0)
    np.testing.assert_array_equal(again.model.coefficients, joint.model.coefficients)
