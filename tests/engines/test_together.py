"""Several solvers on one engine: each gets what it would alone, and a reading serves all that wait."""

import threading
from functools import partial

import numpy as np
import pytest

from rowtrust.engines import ArraySource, MemoryEngine, StreamEngine
from rowtrust.engines.together import SharedReading, together
from rowtrust.inference import OneAgainstRest, Problem, WorkingSet, solve
from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import Logistic
from rowtrust.priors import ARD
from rowtrust.weights import Gamma, Unit

N, M = 150, 12
RNG = np.random.default_rng(0)
X = RNG.uniform(-2, 2, (N, 2))
Y = np.digitize(np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * RNG.normal(size=N), [-0.7, 0.7])
BASIS = Basis(Kernel("rbf", 1.0), X[:M])


def engine_of(n_threads=2):
    source = ArraySource(X, Y, np.ones(N), 40, n_threads)
    return StreamEngine(source, BASIS, X[:50])


def passes(engine, number, name):
    """Ask so often for a sum that shows who asked."""
    return [
        engine.map_reduce(
            lambda block, state: state * np.ones(len(block.y)).sum(), np.arange(2), (name + step)
        )
        for step in range(number)
    ]


@pytest.fixture(autouse=True)
def nothing_hangs():
    """Fail where threads are left behind."""
    before = threading.active_count()
    yield
    assert threading.active_count() <= before


@pytest.mark.parametrize("numbers", [[3], [1, 5], [4, 4, 4], [0, 2, 7, 1], [0, 0]])
def test_as_many_readings_as_the_longest_alone(numbers):
    engine = engine_of()
    solvers = [partial(passes, number=number, name=100 * place) for place, number in enumerate(numbers)]
    found = together(engine, solvers)
    alone = [N * (100 * place + np.arange(number)) for place, number in enumerate(numbers)]
    assert [list(answer) for answer in found] == [list(answer) for answer in alone]
    assert engine.source.reads == max(numbers)


def fit(engine, output, weights):
    problem = Problem(engine, OneAgainstRest(output), Logistic(), weights, ARD())
    return solve(problem, WorkingSet(), 200)


@pytest.mark.parametrize("weights", [Unit(), Gamma(1.3)])
def test_fits_side_by_side_are_those_alone(weights):
    shared = engine_of()
    found = together(shared, [partial(fit, output=output, weights=weights) for output in range(3)])
    reads = []
    for output, solution in enumerate(found):
        own = engine_of()
        alone = fit(own, output, weights)
        reads.append(own.source.reads)
        np.testing.assert_array_equal(solution.state.columns, alone.state.columns)
        np.testing.assert_allclose(solution.posterior.mean, alone.posterior.mean, rtol=1e-7, atol=1e-10)
        assert solution.state.bound == pytest.approx(alone.state.bound, rel=1e-10)
    assert shared.source.reads == max(reads) > min(reads)


def test_one_solver_needs_no_thread_and_gets_the_engine_itself():
    engine, seen = engine_of(), []
    assert together(engine, [lambda each: seen.append((each, threading.current_thread())) or 7]) == [7]
    assert seen == [(engine, threading.main_thread())]


@pytest.mark.parametrize("after", [0, 2])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_solver_that_fails_raises_and_the_others_go_on(place, after):
    ended = []

    def failing(engine):
        passes(engine, after, 0)
        raise ArithmeticError("this one")

    def patient(engine):
        ended.append(len(passes(engine, 5, 1)))

    solvers = [patient, patient]
    solvers.insert(place, failing)
    engine = engine_of()
    with pytest.raises(ArithmeticError, match="this one"):
        together(engine, solvers)
    assert ended == [5, 5]
    assert engine.source.reads == 5


def test_a_reading_that_fails_fails_for_all_that_asked():
    engine = engine_of()
    met = []

    def bad(block, state):
        raise OSError("the disk is gone")

    def solver(each, function):
        try:
            each.map_reduce(function, np.arange(1), None)
        except OSError:
            met.append(1)
            raise

    with pytest.raises(OSError, match="the disk is gone"):
        together(engine, [partial(solver, function=bad), partial(solver, function=lambda block, _: 1)])
    assert met == [1, 1]
    assert passes(engine, 1, 2) == [2 * N]


def test_the_widest_request_sets_the_size_of_the_blocks():
    asked = []

    class Watched(MemoryEngine):
        def map_reduce(self, function, columns, state):
            asked.append(len(columns))
            return super().map_reduce(function, columns, state)

    engine = Watched(X, Y, np.ones(N), BASIS)
    one = [
        lambda each, width=width: each.map_reduce(lambda b, _: 0, np.arange(width), 0) for width in (2, 9, 4)
    ]
    together(engine, one)
    assert asked == [9]


def test_a_shared_engine_has_the_columns_and_the_probes_of_its_own():
    engine = engine_of()
    shared = SharedReading(engine, 1)
    assert shared.n_columns == engine.n_columns
    np.testing.assert_array_equal(shared.probe(np.arange(4)), engine.probe(np.arange(4)))
    np.testing.assert_array_equal(
        np.concatenate([block.y for block in shared.blocks(3)]),
        np.concatenate([b.y for b in engine.blocks(3)]),
    )
