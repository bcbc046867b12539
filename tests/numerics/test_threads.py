"""One BLAS thread inside, what was set before outside, also where fits overlap."""

import os
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import pytest
import sklearn.ensemble  # noqa: F401  (OpenMP comes with it)
from threadpoolctl import threadpool_info, threadpool_limits

from rowtrust.numerics.blocks import FEW_ROWS, single_blas_thread, threads_for


def blas_threads():
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads():
    """Let BLAS use two threads; without them there is nothing to limit."""
    with threadpool_limits(2, user_api="blas"):
        if blas_threads() != {2}:
            pytest.skip("BLAS has one thread only")
        yield


class Visitor(Thread):
    """A thread that enters the block and leaves it when told to, and lives on until it is let go."""

    def __init__(self):
        super().__init__(daemon=True)
        self.may_enter, self.may_leave, self.may_end = Event(), Event(), Event()
        self.entered, self.left = Event(), Event()

    def run(self):
        self.may_enter.wait(20)
        with single_blas_thread():
            self.entered.set()
            self.may_leave.wait(20)
        self.left.set()
        self.may_end.wait(20)

    def enter(self):
        self.start()
        self.may_enter.set()
        assert self.entered.wait(20)

    def leave(self):
        self.may_leave.set()
        assert self.left.wait(20)


def test_one_thread_inside_and_two_again_outside():
    with single_blas_thread():
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_an_error_inside_restores_the_limit():
    with pytest.raises(KeyError), single_blas_thread():
        raise KeyError
    assert blas_threads() == {2}


def openmp_threads():
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "openmp"}


def test_openmp_has_one_thread_where_rows_are_few():
    with threadpool_limits(2, user_api="openmp"):
        if openmp_threads() != {2}:
            pytest.skip("OpenMP is not there")
        with threads_for(FEW_ROWS - 1), single_blas_thread():
            assert openmp_threads() == blas_threads() == {1}
        with threads_for(FEW_ROWS):
            assert openmp_threads() == {2}
        assert openmp_threads() == {2}


def test_blocks_may_be_nested():
    with single_blas_thread():
        with single_blas_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == {2}


@pytest.fixture
def visitor():
    visitor = Visitor()
    yield visitor
    for each in (visitor.may_enter, visitor.may_leave, visitor.may_end):
        each.set()
    visitor.join(20)


def test_one_that_comes_later_may_leave_first(visitor):
    with single_blas_thread():
        visitor.enter()
        assert blas_threads() == {1}
        visitor.leave()
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_one_that_comes_later_may_leave_last(visitor):
    with single_blas_thread():
        visitor.enter()
        assert blas_threads() == {1}
    visitor.leave()
    assert blas_threads() == {2}


def test_one_that_comes_first_may_leave_first(visitor):
    visitor.enter()
    with single_blas_thread():
        visitor.leave()
    assert blas_threads() == {2}


def test_one_that_comes_first_may_leave_last(visitor):
    visitor.enter()
    with single_blas_thread():
        pass
    visitor.leave()
    assert blas_threads() == {2}


PAIR = """
import sys
import scipy.linalg
from test_threads import Visitor, blas_threads

before = blas_threads()
visitors = [Visitor(), Visitor()]
for visitor in visitors:
    visitor.enter()
for which in sys.argv[1:]:
    visitors[int(which)].leave()
print(before, blas_threads())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "order",
    ["01", "10"],
    ids=["first in first out", "last in first out"],
)
def test_threads_that_overlap_restore_the_limit_in_either_order(order):
    """In a process of its own, where nobody has set a limit before them."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    found = subprocess.run(
        [sys.executable, "-c", PAIR, *order],
        cwd=Path(__file__).parent,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    assert found == "{2} {2}"


def test_a_limit_changed_in_between_is_the_one_that_comes_back():
    with single_blas_thread():
        pass
    with threadpool_limits(1, user_api="blas"):
        with single_blas_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    with single_blas_thread():
        assert blas_threads() == {1}
    assert blas_threads() == {2}
