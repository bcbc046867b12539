"""Rows in dask partitions: the sums are those of rows in memory, on any scheduler, whoever dies."""

import os
import pickle
import signal
from functools import partial

import numpy as np
import pytest

from rowtrust.engines import ArraySource, StreamEngine
from rowtrust.engines.stream import ChunkFunction
from rowtrust.inference import OneAgainstRest, Problem, WorkingSet, solve
from rowtrust.inference.passes import RowPass, block_statistics
from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import Logistic
from rowtrust.priors import ARD
from rowtrust.weights import Gamma

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

from rowtrust.engines.dask import DaskSource  # noqa: E402

N, ROWS = 600, 50


def make_rows(n=N):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n, 3))
    y = (np.sin(2 * X[:, 0]) + X[:, 1] + 0.5 * generator.normal(size=n) > 0).astype(int)
    return X, y, generator.integers(1, 3, n).astype(float)


X, Y, WEIGHT = make_rows()
ARRAYS = (
    da.from_array(X, chunks=(ROWS, -1)),
    da.from_array(Y, chunks=ROWS),
    da.from_array(WEIGHT, chunks=ROWS),
)
TABLE = pd.DataFrame(X, columns=["one", "two", "three"]).assign(name="row", label=Y, copies=WEIGHT)
FRAME = dd.from_pandas(TABLE, npartitions=N // ROWS)
INPUTS = ["one", "two", "three"]


class Words:
    """A sum that shows the order of its parts, and how they were put together."""

    def __init__(self, text):
        self.text = text

    def __add__(self, other):
        return Words(f"({self.text}+{other.text})")


def sums(chunk):
    """Return sums that notice a row that is missing, doubled, or beside the wrong target, weight or place."""
    place = np.arange(chunk.offset, chunk.offset + len(chunk.y))
    weight = np.ones(len(chunk.y)) if chunk.weight is None else chunk.weight
    return chunk.X.T @ (np.sin(1.0 + chunk.y) * np.cos(place) * weight)


def where(chunk):
    return Words(str(chunk.offset))


def direct(weight=None, rows=slice(None)):
    weight = np.ones(N) if weight is None else weight
    return X[rows].T @ (np.sin(1.0 + Y) * np.cos(np.arange(N)) * weight)[rows]


def unknown(array):
    """Return the array as one whose chunks have sizes that dask does not know."""
    copy = array.copy()
    copy._chunks = ((np.nan,) * len(array.chunks[0]), *array.chunks[1:])
    return copy


CASES = {
    "arrays": lambda: DaskSource(*ARRAYS),
    "in memory beside": lambda: DaskSource(ARRAYS[0], Y, WEIGHT),
    "chunked along columns": lambda: DaskSource(ARRAYS[0].rechunk({1: 2}), *ARRAYS[1:]),
    "chunked otherwise": lambda: DaskSource(ARRAYS[0], ARRAYS[1].rechunk(70), ARRAYS[2].rechunk(600)),
    "unknown sizes": lambda: DaskSource(*(unknown(each) for each in ARRAYS)),
    "unknown beside known": lambda: DaskSource(unknown(ARRAYS[0]), ARRAYS[1].rechunk(70), WEIGHT),
    "names of columns": lambda: DaskSource(FRAME, "label", "copies"),
    "series in other partitions": lambda: DaskSource(
        FRAME[INPUTS], dd.from_pandas(TABLE["label"], npartitions=2), FRAME["copies"]
    ),
    "series": lambda: DaskSource(FRAME[INPUTS], FRAME["label"], FRAME["copies"]),
    "arrays of a frame": lambda: DaskSource(
        FRAME[INPUTS].to_dask_array(), FRAME["label"].to_dask_array(), FRAME["copies"].to_dask_array()
    ),
    "a frame and arrays": lambda: DaskSource(FRAME[INPUTS], *ARRAYS[1:]),
    "partitions without rows": lambda: DaskSource(
        dd.concat([FRAME[FRAME["copies"] > 9], FRAME, FRAME[FRAME["copies"] > 9]]), "label", "copies"
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_sum_is_that_of_the_rows_however_they_are_given(name):
    with dask.config.set(scheduler="synchronous"):
        source = CASES[name]()
        np.testing.assert_allclose(source.map_reduce(sums), direct(WEIGHT), rtol=1e-12)
        chunks = list(source.chunks())
    np.testing.assert_array_equal(np.concatenate([chunk.X for chunk in chunks]), X)
    np.testing.assert_array_equal(np.concatenate([chunk.y for chunk in chunks]), Y)
    assert [chunk.offset for chunk in chunks] == list(range(0, N, ROWS))
    assert source.n_features == 3


def test_weights_may_be_left_out():
    with dask.config.set(scheduler="synchronous"):
        np.testing.assert_allclose(DaskSource(*ARRAYS[:2]).map_reduce(sums), direct(), rtol=1e-12)


def test_inputs_are_the_columns_of_numbers():
    assert DaskSource(FRAME, "label").names == [*INPUTS, "copies"]
    assert DaskSource(FRAME, "label", "copies").names == INPUTS
    assert DaskSource(*ARRAYS).names is None


def test_holes_of_a_frame_are_nan():
    table = TABLE.assign(one=pd.array([None, *TABLE["one"][1:]], dtype="Float64"))
    chunk = next(iter(DaskSource(dd.from_pandas(table, npartitions=2), "label").chunks()))
    assert chunk.X.dtype == np.float64
    assert np.isnan(chunk.X[0, 0])
    np.testing.assert_array_equal(chunk.X[1:, :3], X[1:300])


def test_parts_are_added_in_order_in_a_tree_that_the_partitions_alone_decide():
    words = {}
    for scheduler in ("synchronous", "threads"):
        with dask.config.set(scheduler=scheduler):
            words[scheduler] = DaskSource(*ARRAYS).map_reduce(where).text
    assert words["threads"] == words["synchronous"]
    assert words["threads"].replace("(", "").replace(")", "").split("+") == [
        str(at) for at in range(0, N, ROWS)
    ]


def test_readings_are_counted_and_lengths_are_found_once():
    with dask.config.set(scheduler="synchronous"):
        known, hidden = DaskSource(*ARRAYS), CASES["unknown sizes"]()
        for source in (known, hidden):
            source.map_reduce(sums)
            source.map_reduce(sums)
    assert (known.reads, hidden.reads) == (2, 3)


def test_partitions_are_read_again_and_never_all_at_hand():
    """A chunk is made, worked on and forgotten before the next but one is made."""
    alive, most, made = set(), [], []

    def block(number):
        made.append(number)
        rows = np.array(X[number * ROWS : (number + 1) * ROWS]).view(Counted)
        alive.add(id(rows))
        rows.on_end = partial(alive.discard, id(rows))
        return rows

    def look(chunk):
        most.append(len(alive))
        return sums(chunk)

    parts = [dask.delayed(block, pure=True)(number) for number in range(N // ROWS)]
    inputs = da.concatenate([da.from_delayed(part, (ROWS, 3), float) for part in parts])
    with dask.config.set(scheduler="synchronous"):
        source = DaskSource(inputs, ARRAYS[1])
        for _ in range(2):
            np.testing.assert_allclose(source.map_reduce(look), direct(), rtol=1e-12)
    assert len(made) == 2 * N // ROWS
    assert max(most) <= 2


class Counted(np.ndarray):
    """An array that tells when it ends; views of it do not."""

    on_end = None

    def __del__(self):
        if self.on_end is not None:
            self.on_end()


def test_files_may_be_read_in_fewer_partitions_the_fewer_columns_are_wanted(tmp_path):
    """As dask does: rows and targets stay beside each other nevertheless."""
    for number, part in enumerate(np.array_split(np.arange(N), 12)):
        TABLE.iloc[part].to_parquet(tmp_path / f"{number:02}.parquet")
    frame = dd.read_parquet(tmp_path)
    with dask.config.set(scheduler="synchronous"):
        for arguments in (("label", "copies"), (frame["label"], frame["copies"]), (Y, WEIGHT)):
            inputs = frame if isinstance(arguments[0], str) else frame[INPUTS]
            found = DaskSource(inputs, *arguments).map_reduce(sums)
            np.testing.assert_allclose(found, direct(WEIGHT), rtol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((ARRAYS[0], "label"), "names a column"),
        ((FRAME, "labels"), "no column 'labels'"),
        ((ARRAYS[0], ARRAYS[1][:-1]), "600 rows where y has 599"),
        ((ARRAYS[0], Y, WEIGHT[1:]), "600 rows where sample_weight has 599"),
        ((unknown(ARRAYS[0]), unknown(ARRAYS[1].rechunk(70))), "12 partitions and y has 9"),
        ((ARRAYS[0], ARRAYS[0]), "y must have one axis"),
        ((FRAME[["name"]], ARRAYS[1]), "no numeric column"),
        ((ARRAYS[1], ARRAYS[1]), "two axes"),
    ],
)
def test_what_does_not_fit_together_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        DaskSource(*arguments)


# Fits


def problem_of(source):
    basis = Basis(Kernel("rbf", 0.4), X[:40])
    engine = StreamEngine(source, basis, X[:30], block_bytes=2**14)
    return Problem(engine, OneAgainstRest(1), Logistic(), Gamma(1.3), ARD())


def fitted(source, observe=None):
    return solve(problem_of(source), WorkingSet(tol=1e-4, entry=1e-2), 200, observe)


@pytest.fixture(scope="module")
def in_memory():
    return fitted(ArraySource(X, Y, WEIGHT, chunk_rows=ROWS, n_threads=1))


def assert_same(found, expected):
    np.testing.assert_array_equal(found.state.columns, expected.state.columns)
    assert len(found.trace) == len(expected.trace)
    for name in ("mean", "covariance"):
        pair = getattr(found.posterior, name), getattr(expected.posterior, name)
        np.testing.assert_allclose(*pair, rtol=1e-8, atol=1e-8, err_msg=name)
    np.testing.assert_allclose(found.expected_weight, expected.expected_weight, rtol=0, atol=1e-8)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_a_fit_is_that_of_rows_in_memory(scheduler, in_memory):
    with dask.config.set(scheduler=scheduler):
        assert_same(fitted(DaskSource(*ARRAYS)), in_memory)


def test_what_travels_is_small(in_memory):
    """Neither rows nor graph go with a function, nor the engine."""
    problem = problem_of(DaskSource(*ARRAYS))
    sent, state = [], in_memory.state
    problem.engine.source.map_reduce = lambda function: sent.append(function)
    function = RowPass(problem.coding, state.columns, block_statistics)
    problem.engine.map_reduce(function, state.columns, state)
    (sent,) = sent
    assert isinstance(sent, ChunkFunction)
    assert len(pickle.dumps(sent)) < 8 * (len(state.columns) ** 2 + 4 * 40 * 3) + 4000


def test_a_function_is_sent_once():
    """It is one key of the graph, not a part of every task."""
    tasks = DaskSource(*ARRAYS)._tasks(sums)
    graph = dict(tasks[0].__dask_graph__())
    whole = len(pickle.dumps(tasks[0].__dask_graph__().layers[tasks[0].key]))
    assert sum(str(key).endswith("-function") for key in graph) == 1
    assert whole < 2000


@pytest.mark.slow
def test_a_cluster_gives_the_result_of_rows_in_memory(client, in_memory):
    source = DaskSource(*client.persist(ARRAYS))
    assert_same(fitted(source), in_memory)
    assert source.map_reduce(where).text == DaskSource(*ARRAYS).map_reduce(where).text


@pytest.mark.slow
def test_a_worker_that_is_killed_between_two_readings_changes_nothing(client, in_memory):
    """The partitions that were there are made again elsewhere."""
    source = DaskSource(*client.persist(ARRAYS))
    victim, steps = min(pids(client)), []

    def kill(state, info):
        steps.append(info)
        if len(steps) == 2:
            os.kill(victim, signal.SIGKILL)
        return False

    found = fitted(source, kill)
    assert len(steps) > 3
    assert victim not in pids(client)
    assert_same(found, in_memory)


def deadly(chunk, marker):
    """As ``sums``, but the first process that comes to the middle of the rows is killed there."""
    if chunk.offset == N // 2 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return sums(chunk)


@pytest.mark.slow
def test_a_worker_that_is_killed_at_work_changes_nothing(client, tmp_path):
    expected = DaskSource(*ARRAYS).map_reduce(sums)
    before, marker = set(pids(client)), tmp_path / "killed"
    found = DaskSource(*client.persist(ARRAYS)).map_reduce(partial(deadly, marker=marker))
    assert marker.exists()
    assert len(before & set(pids(client))) == 1
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def pids(client):
    """Return the process of every worker, by what the workers say."""
    client.wait_for_workers(2)
    return list(client.run(os.getpid).values())
