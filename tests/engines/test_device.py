"""Rows on a device as a source: a solver ends where it ends with the same rows in memory."""

import numpy as np
import pytest

from rowtrust.engines import ArraySource, Chunk, DeviceSource, StreamEngine
from rowtrust.engines.device import DEVICE_BYTES
from rowtrust.engines.sources import BLOCK_BYTES
from rowtrust.inference import AsGiven, OneAgainstRest, Problem, WorkingSet, solve
from rowtrust.kernels import Basis, JointBasis, Kernel
from rowtrust.likelihoods import Gaussian, LabelChannel, Logistic
from rowtrust.numerics.array_api import is_elsewhere, to_numpy
from rowtrust.priors import ARD
from rowtrust.weights import Gamma, Unit

N = 300
RNG = np.random.default_rng(3)
X = RNG.normal(size=(N, 3))
F = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2]
LABEL = (F + RNG.logistic(scale=0.4, size=N) > 0.0).astype(int)
NUMBER = F + 0.2 * RNG.normal(size=N)
NUMBER[:20] += 5.0
WEIGHT = RNG.uniform(0.5, 2.0, N)
BASIS = JointBasis((Basis(Kernel("rbf", 0.5), X[:40]), Basis(Kernel("laplacian", 0.4), X[:40])))

MODELS = {
    "RVC": (LABEL, OneAgainstRest(1), Logistic(), Unit()),
    "channel": (LABEL, OneAgainstRest(1), LabelChannel(0.1, 0.05), Unit()),
    "power weights": (LABEL, OneAgainstRest(0), Logistic(), Gamma()),
    "RobustRVR": (NUMBER, AsGiven(), Gaussian(), Gamma(2.0, learns=True)),
}


def solved(source, coding, likelihood, weights):
    engine = StreamEngine(source, BASIS, X[:64])
    return solve(Problem(engine, coding, likelihood, weights, ARD()), WorkingSet(), 500)


@pytest.mark.parametrize("name", MODELS)
def test_a_solver_ends_where_it_ends_in_memory(name, elsewhere):
    y, *model = MODELS[name]
    here = solved(ArraySource(X, y, WEIGHT), *model)
    source = DeviceSource(elsewhere(X), elsewhere(y), elsewhere(WEIGHT), block_bytes=8 * 40 * 81)
    there = solved(source, *model)
    np.testing.assert_array_equal(there.state.columns, here.state.columns)
    assert there.state.bound == pytest.approx(here.state.bound, abs=1e-8)
    for name in ("latent_mean", "expected_weight"):
        np.testing.assert_allclose(getattr(there, name), getattr(here, name), atol=1e-8)
    np.testing.assert_allclose(there.posterior.mean, here.posterior.mean, atol=1e-8)
    np.testing.assert_allclose(there.posterior.covariance, here.posterior.covariance, atol=1e-8)
    assert all(type(each) is np.ndarray for each in (there.posterior.mean, there.posterior.root))


def test_chunks_are_all_rows_once_and_stay_where_they_are(elsewhere):
    source = DeviceSource(elsewhere(X), elsewhere(LABEL), block_bytes=8 * 3 * 50)
    chunks = list(source.chunks())
    assert [chunk.offset for chunk in chunks] == list(range(0, N, 50))
    assert all(is_elsewhere(chunk.X) and is_elsewhere(chunk.y) and chunk.weight is None for chunk in chunks)
    np.testing.assert_array_equal(np.concatenate([to_numpy(chunk.X) for chunk in chunks]), X)
    np.testing.assert_array_equal(np.concatenate([to_numpy(chunk.y) for chunk in chunks]), LABEL)
    assert next(DeviceSource(elsewhere(X), None).chunks()).y is None


def test_sums_come_back_to_memory_once(elsewhere):
    source = DeviceSource(elsewhere(X), elsewhere(LABEL), block_bytes=8 * 3 * 50)
    gram = source.map_reduce(lambda chunk: chunk.X.T @ chunk.X)
    assert type(gram) is np.ndarray
    np.testing.assert_allclose(gram, X.T @ X, rtol=1e-12)
    assert source.reads == 1


def test_inputs_in_single_precision_are_worked_on_in_double(elsewhere):
    source = DeviceSource(elsewhere(X.astype(np.float32)), None, elsewhere(WEIGHT.astype(np.float32)))
    chunk = next(source.chunks())
    assert to_numpy(chunk.X).dtype == to_numpy(chunk.weight).dtype == np.float64


def test_rows_are_prepared_where_they_are(elsewhere):
    source = DeviceSource(elsewhere(X), elsewhere(NUMBER))
    prepared = []

    def halved(chunk):
        prepared.append(chunk)
        return Chunk(0.5 * chunk.X, chunk.y - 1.0, chunk.weight, chunk.offset)

    engine = StreamEngine(source, BASIS, X[:64], halved)
    total = engine.map_reduce(lambda block, _: block.phi(np.arange(4)).T @ block.y, np.arange(4), None)
    np.testing.assert_allclose(total, BASIS.columns(0.5 * X, np.arange(4)).T @ (NUMBER - 1.0), rtol=1e-10)
    assert all(is_elsewhere(chunk.X) for chunk in prepared)


def test_blocks_are_as_large_as_the_place_wants(array_api_strict):
    strict, torch = array_api_strict, pytest.importorskip("torch")
    for there, size in ((strict.asarray(X), DEVICE_BYTES), (torch.asarray(X), BLOCK_BYTES)):
        assert DeviceSource(there, None).block_bytes == size
    basis = Basis(Kernel("rbf", 0.5), X[:40])
    engine = StreamEngine(DeviceSource(strict.asarray(X), strict.asarray(LABEL)), basis, X[:64])
    assert [block.X.shape[0] for block in engine.blocks(10**5)] == [N]


def test_few_rows_of_the_memory_come_beside_those_of_a_device(elsewhere):
    there = elsewhere(X.astype(np.float32))
    beside = DeviceSource(there, None).beside(X[:5], LABEL[:5], WEIGHT[:5])
    if "torch" in type(there).__module__:  # in the memory of this machine, where a cache serves better
        assert beside is None
        return
    chunk = next(beside.chunks())
    for mine, truth in ((chunk.X, X[:5]), (chunk.y, LABEL[:5]), (chunk.weight, WEIGHT[:5])):
        assert mine.device == there.device
        np.testing.assert_array_equal(to_numpy(mine), truth)
    assert DeviceSource(there, None).beside(X[:5] + 1j, LABEL[:5], WEIGHT[:5]) is None  # values are missing
    assert ArraySource(X, LABEL).beside(X[:5], LABEL[:5], WEIGHT[:5]) is None
