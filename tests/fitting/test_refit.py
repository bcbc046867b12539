"""Many rows: one joint problem that begins where the search ended, and few readings of all of them."""

from dataclasses import replace

import numpy as np
import pytest

from rowtrust.engines import ArraySource
from rowtrust.fitting import AllRows, Budget
from rowtrust.fitting.average import average, projected
from rowtrust.fitting.fits import fit_kernel, shared
from rowtrust.fitting.refit import (
    first_states,
    fit_sample,
    joint_problems,
    refit_on_all,
    sample_engine,
)
from rowtrust.kernels import Kernel

KERNELS = [Kernel("rbf", 0.3), Kernel("laplacian", 0.5), Kernel("rbf", 1.2)]


@pytest.fixture(params=[0, 2, 3], ids=["numbers", "two classes", "three classes"])
def plan(request, make_plan):
    return make_plan(n=120, classes=request.param, disagreement=False)


def found_by(plan, kernels=KERNELS, sparsity=0.0):
    shares = np.array([0.5, 0.3, 0.2])[: len(kernels)]
    fits = shared([fit_kernel(plan, kernel) for kernel in kernels], shares / shares.sum())
    return projected(replace(plan, sparsity=sparsity), average(plan, fits))


def everything_of(plan, times=1):
    X, y, weight = (np.concatenate([each] * times) for each in (plan.rows.X, plan.rows.y, plan.rows.weight))
    return AllRows(ArraySource(X, y, weight, 50), float(weight.sum()))


@pytest.mark.parametrize("sparsity", [0.0, 0.02])
def test_the_joint_problem_begins_with_the_function_that_was_found(plan, sparsity):
    found = found_by(plan, sparsity=sparsity)
    kernels = [kernel for kernel, _ in found.shares]
    engine = sample_engine(plan, kernels)
    states = first_states(plan, found, kernels, joint_problems(plan, found, engine))
    for output, state in enumerate(states):
        begun = engine.basis.columns(plan.rows.X, state.columns) @ state.posterior.mean
        np.testing.assert_allclose(begun, found.model.mean_at(plan.rows.X)[:, output], atol=1e-9)
        assert len(np.unique(state.columns)) == len(state.columns)
        assert (state.precision > 0).all()


def test_the_joint_fit_of_the_sample_has_more_evidence_than_any_kernel_alone(plan):
    """Columns of several kernels that compete can only explain more than they do in a mixture."""
    joint = fit_sample(plan, found_by(plan), narrow=False)
    assert joint.best.bound > max(fit_kernel(plan, kernel).bound for kernel in KERNELS) - 0.02 * len(
        plan.rows.y
    )
    assert joint.count == pytest.approx(plan.rows.weight.sum())
    assert sum(share for _, share in joint.shares) == pytest.approx(1.0)
    np.testing.assert_allclose(joint.latent, joint.model.mean_at(plan.rows.X), atol=1e-9)
    np.testing.assert_allclose(joint.model.basis.centres, plan.rows.X[joint.positions])


def test_rows_given_again_and_again_are_one_problem_of_their_weight_in_few_readings(plan):
    joint = fit_sample(plan, found_by(plan), narrow=False)
    everything = everything_of(plan, times=4)
    found = refit_on_all(plan, joint, everything)
    assert found.count == pytest.approx(4 * plan.rows.weight.sum())
    assert everything.source.reads <= plan.budget.passes + 3
    assert found.latent.shape == (120, len(plan.codings))
    assert found.trust.shape == (120,)
    heavy = replace(plan, rows=replace(plan.rows, weight=4 * plan.rows.weight))
    same = refit_on_all(plan, joint, everything_of(heavy))
    assert same.best.bound == pytest.approx(found.best.bound, abs=0.02 * abs(found.best.bound) + 1.0)


def test_the_budget_ends_the_readings_and_says_so(make_plan):
    plan = make_plan(n=120, budget=Budget(passes=1))
    rough = fit_sample(plan, found_by(plan, KERNELS[:1]), narrow=False)
    everything = everything_of(make_plan(n=120, seed=1), times=20)
    with pytest.warns(UserWarning, match="stopped after 1 passes"):
        refit_on_all(plan, rough, everything)
    assert everything.source.reads <= 4


def test_narrower_kernels_join_where_they_are_worth_it(make_plan, plan_of):
    """A kernel ten times too wide misses what a step narrower explains; a linear function needs none."""
    plan, wide = make_plan(n=300), [Kernel("rbf", 0.02)]
    finer, alone = (fit_sample(plan, found_by(plan, wide), narrow=each) for each in (True, False))
    assert max(float(kernel.gamma) for kernel, _ in finer.shares) > 0.02
    assert finer.best.bound > alone.best.bound
    X = plan.rows.X
    straight = plan_of(X, 0.5 * X[:, 0] + 0.3 * np.random.default_rng(3).normal(size=300))
    kept = fit_sample(straight, found_by(straight, wide), narrow=True)
    assert {float(kernel.gamma) for kernel, _ in kept.shares} == {0.02}
