"""A path of widths: fitted from wide to narrow, weighed by evidence, left when it is hopeless."""

import numpy as np
import pytest

from rowtrust.inference import WorkingSet
from rowtrust.kernels import Kernel
from rowtrust.search import fit_kernel, starts
from rowtrust.search.scores import tempered_shares
from rowtrust.search.widths import SQUARED_WIDTHS, search_widths


def path(gammas):
    return [Kernel("rbf", gamma) for gamma in gammas]


def test_the_candidates_halve_from_wide_to_narrow():
    assert len(SQUARED_WIDTHS) == 8
    np.testing.assert_allclose(SQUARED_WIDTHS[:-1] / SQUARED_WIDTHS[1:], 2.0)


def test_shares_are_those_of_the_scores(make_plan):
    gammas = [0.05, 0.2, 1.0]
    fits = search_widths(make_plan(), path(gammas))
    everyone = tempered_shares([fit.score for fit in fits])
    assert sum(fit.share for fit in fits) == pytest.approx(1.0)
    np.testing.assert_allclose([fit.share for fit in fits], everyone / everyone.sum(), rtol=1e-10)
    assert all(fit.gamma in gammas for fit in fits)


def test_the_width_of_the_truth_counts_most(make_plan):
    """A sine of period pi: neither a plane nor noise."""
    fits = search_widths(make_plan(n=120), path([0.001, 0.5, 60.0]))
    assert max(fits, key=lambda fit: fit.share).gamma == 0.5


def widths_tried(monkeypatch):
    used, problem_at = [], starts.problem_at

    def counting(plan, kernel):
        used.append(float(kernel.gamma))
        return problem_at(plan, kernel)

    monkeypatch.setattr(starts, "problem_at", counting)
    return used


def test_every_width_of_a_path_is_fitted_as_if_it_were_alone(make_plan):
    plan = make_plan(solver=WorkingSet(tol=1e-6))
    fits = search_widths(plan, path([0.1, 0.2, 0.4]))
    assert len(fits) == 3
    for fit in fits:
        alone = fit_kernel(plan, fit.kernel)
        assert fit.bound == alone.bound
        assert [len(trace) for trace in fit.traces] == [len(trace) for trace in alone.traces]
        np.testing.assert_array_equal(fit.latent, alone.latent)


def test_the_path_ends_once_it_is_hopeless(make_plan, monkeypatch):
    used = widths_tried(monkeypatch)
    search_widths(make_plan(n=120), path([0.3, 1e4, 2e4, 4e4]))
    assert used == [0.3, 1e4]
