"""The evidence over the free hyperparameters, and climbing it."""

import numpy as np
import pytest

from rowtrust.svr.evidence import (
    FORBIDDEN,
    Climb,
    EvidenceObjective,
    Settled,
    StoppingRule,
    TrainingSet,
    climb,
    problem_of,
)
from rowtrust.svr.space import SearchSpace

STEP = 1e-5


def test_a_climb_never_ends_below_its_start(random_rows, choices_with):
    rows = TrainingSet(*random_rows(0))
    space = SearchSpace(choices_with(), 3)
    for beta in (0.05, 0.3, 1.0):
        objective = EvidenceObjective(rows, space, beta)
        start = space.first_start()
        before = objective(start)[0]
        best = climb(objective, start, StoppingRule(30, 0.1))
        assert EvidenceObjective(rows, space, beta)(best)[0] <= before + 1e-8


def test_a_tied_epsilon_follows_the_slope_in_value_and_slope(random_rows, choices_with):
    rows = TrainingSet(*random_rows(0))
    objective = EvidenceObjective(rows, SearchSpace(choices_with(tie=0.5, beta=1.0), 3), 1.0)
    start = objective.space.first_start()
    assert len(start) == 6
    _, slope = objective(start)
    step = STEP * np.eye(6)[0]
    numeric = (objective(start + step)[0] - objective(start - step)[0]) / (2 * STEP)
    assert slope[0] == pytest.approx(numeric, rel=1e-5, abs=1e-5)


def test_the_best_point_seen_is_remembered(random_rows, choices_with):
    space = SearchSpace(choices_with(), 3)
    objective = EvidenceObjective(TrainingSet(*random_rows(0)), space, 0.3)
    first = space.first_start()
    points = [first, np.minimum(first + 0.3, space.upper), np.maximum(first - 0.3, space.lower)]
    values = [objective(point)[0] for point in points]
    assert objective.best_value == min(values)
    np.testing.assert_array_equal(objective.best_vector, points[int(np.argmin(values))])
    assert objective.n_evaluations == 3


def test_too_few_curved_rows_are_noticed(random_rows, choices_with):
    rows = TrainingSet(*random_rows(0))
    for beta, lacking in ((1e-6, True), (1.0, False)):
        objective = EvidenceObjective(rows, SearchSpace(choices_with(), 3), beta)
        objective(objective.space.first_start())
        assert objective.lacks_curvature is lacking


class Staircase:
    """An objective whose best value falls by one for so many evaluations, then never again."""

    def __init__(self, space, falling):
        self.space, self.falling = space, falling
        self.best_value, self.best_vector, self.n_evaluations = np.inf, None, 0

    def __call__(self, vector):
        self.n_evaluations += 1
        self.best_value, self.best_vector = -float(min(self.n_evaluations, self.falling)), vector
        return self.best_value, np.full_like(vector, 1e-3 * (-1) ** self.n_evaluations)


@pytest.mark.parametrize("patience", [3, 7])
def test_a_climb_ends_once_it_has_gained_nothing_for_long_enough(patience, choices_with):
    space = SearchSpace(choices_with(), 3)
    way = Climb(Staircase(space, 5), StoppingRule(100, 0.1, patience=patience))
    for _ in range(5 + patience - 1):
        way(space.first_start())
    with pytest.raises(Settled):
        way(space.first_start())


def test_where_the_covariance_is_not_finite_the_search_turns_back(random_rows, choices_with):
    X, y, weight = random_rows(0)
    objective = EvidenceObjective(TrainingSet(X * np.nan, y, weight), SearchSpace(choices_with(), 3), 1.0)
    value, slopes = objective(objective.space.first_start())
    assert value == FORBIDDEN
    assert not slopes.any()
    assert objective.best_vector is None


def test_with_nothing_to_learn_a_climb_stays(random_rows, choices_with):
    fixed = choices_with(C=2.0, epsilon=0.2, relevance=np.ones(3), kernel_variance=1.0, bias_variance=0.1)
    objective = EvidenceObjective(TrainingSet(*random_rows(0)), SearchSpace(fixed, 3), 0.3)
    assert climb(objective, np.zeros(0), StoppingRule(10, 0.1)).size == 0
    assert objective.n_evaluations == 0


def test_a_problem_is_composed_in_the_memory_given(random_rows, choices_with):
    rows, space = TrainingSet(*random_rows(0)), SearchSpace(choices_with(), 3)
    parameters = space.hyperparameters(space.first_start(), 0.3)
    memory = np.empty((60, 60))
    problem = problem_of(rows, parameters, memory)
    assert problem.matrix.correlation is memory
    assert problem.likelihood == parameters.likelihood
    assert problem.matrix.covariance.variance == pytest.approx(
        parameters.kernel_variance + parameters.bias_variance
    )


def test_a_subset_takes_rows_whole(random_rows):
    rows = TrainingSet(*random_rows(0))
    some = rows.subset(20)
    assert len(some) == 20
    positions = [np.flatnonzero(rows.y == value)[0] for value in some.y]
    assert len(set(positions)) == 20
    np.testing.assert_array_equal(some.X, rows.X[positions])
    np.testing.assert_array_equal(some.sample_weight, rows.sample_weight[positions])
    np.testing.assert_array_equal(rows.subset(20).y, some.y)
    assert len(rows.subset(1000)) == 60
