"""Many rows on a device: the cost of a pass, of whole fits, and GPyTorch's sparse Gaussian process beside it.

Run by itself where there is a card: ``PYTHONPATH=src python -m benchmarks.device``. Each part prints what it
found, or what went wrong, and the next begins.
"""

from __future__ import annotations

import argparse
import os
import platform
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter
from typing import Any

import numpy as np
import sklearn
import torch

from benchmarks.report import print_table, print_title, seconds, verdict
from rowtrust import RobustRVC
from rowtrust.engines import DeviceSource, StreamEngine
from rowtrust.estimators import _machine
from rowtrust.fitting import Budget, road
from rowtrust.inference import OneAgainstRest, State
from rowtrust.inference.passes import RowPass, block_statistics
from rowtrust.inference.posterior import first_posterior
from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import Logistic
from rowtrust.numerics.array_api import to_numpy
from rowtrust.weights import Unit

COLUMNS, FLIPPED, TEST_ROWS = 10, 0.1, 20_000
LANDMARKS = 500
GAMMA = 0.05
"""The one width of the parts that search none: that of a kernel which the default search likes here."""

PARTS = ("pass", "fit", "numpy", "cupy", "svgp")


@dataclass(frozen=True)
class Options:
    """What the command line says."""

    rows: int
    large: int
    few: int
    device: str
    patience: float
    epochs: int
    batch: int
    parts: tuple[str, ...]


@dataclass(frozen=True)
class Rows:
    """Inputs, labels as given, and true labels."""

    X: Any
    given: Any
    true: Any


def make_rows(n: int, seed: int, device: str) -> Rows:
    """Draw rows on the device; a tenth of the labels as given are flipped."""
    generator = torch.Generator(device=device).manual_seed(seed)
    options = {"generator": generator, "device": device, "dtype": torch.float64}
    X = torch.randn(n, COLUMNS, **options)
    f = 2 * torch.sin(2 * X[:, 0]) + 1.5 * X[:, 1] * X[:, 2] + X[:, 3] - 0.5 * X[:, 4] ** 2 + 0.5
    true = torch.rand(n, **options) < torch.sigmoid(3 * f)
    given = true ^ (torch.rand(n, **options) < FLIPPED)
    return Rows(X, given.to(torch.int64), true.to(torch.int64))


def wait(device: str) -> None:
    if device.startswith("cuda"):
        torch.cuda.synchronize()


def timed(work: Callable[[], Any], device: str, repeats: int = 1) -> tuple[float, Any]:
    """Return the shortest time of some runs, and the last answer."""
    best, answer = float("inf"), None
    for _ in range(repeats):
        wait(device)
        start = perf_counter()
        answer = work()
        wait(device)
        best = min(best, perf_counter() - start)
    return best, answer


@contextmanager
def part(title: str) -> Iterator[None]:
    """Print a title, and whatever goes wrong below it."""
    print_title(title)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except Exception:
        traceback.print_exc()
        print(f"FAILED: {title}", flush=True)


@contextmanager
def phases() -> Iterator[dict[str, float]]:
    """Measure the parts of the road of many rows."""
    taken: dict[str, float] = {}
    places = {"draw_sample": _machine, "fit": _machine, "fit_sample": road, "refit_on_all": road}
    before = {name: getattr(module, name) for name, module in places.items()}

    def measured(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **named: Any) -> Any:
            start = perf_counter()
            answer = function(*given, **named)
            taken[name] = taken.get(name, 0.0) + perf_counter() - start
            return answer

        return run

    try:
        for name, function in before.items():
            setattr(places[name], name, measured(name, function))
        yield taken
    finally:
        for name, function in before.items():
            setattr(places[name], name, function)


def robust() -> RobustRVC:
    return RobustRVC(basis=LANDMARKS, random_state=0)


# (a) one pass


def one_pass(options: Options) -> None:
    """Print what one pass with all columns costs, bare and as the solver makes it."""
    rows = make_rows(options.rows, 0, options.device)
    centres = to_numpy(rows.X[:LANDMARKS])
    there = rows.X[:LANDMARKS]
    size = 2**30 // (8 * LANDMARKS)

    def bare() -> Any:
        total = torch.zeros(LANDMARKS, LANDMARKS, dtype=torch.float64, device=options.device)
        for block in rows.X.split(size):
            squares = (block**2).sum(1)[:, None] + (there**2).sum(1) - 2 * block @ there.T
            phi = torch.exp(-GAMMA * squares.clamp_min_(0))
            total += phi.T @ phi
        return total

    basis = Basis(Kernel("rbf", GAMMA), centres)
    columns = np.arange(basis.n_columns)
    state = State(
        columns, np.ones(len(columns)), first_posterior(len(columns), False), Logistic(), Unit(), 0.0
    )
    engine = StreamEngine(DeviceSource(rows.X, rows.given), basis, centres[:64])
    function = RowPass(OneAgainstRest(1), columns, block_statistics)

    def ours() -> Any:
        return engine.map_reduce(function, columns, state)

    table = []
    for name, work in (("kernel and Gram, bare PyTorch", bare), ("moments, sites, statistics", ours)):
        work()
        taken, _ = timed(work, options.device, 3)
        table.append([name, str(options.rows), f"{1e3 * taken:.1f}"])
    print_table(["one pass in float64", "rows", "ms"], table)


# (b) whole fits


def whole_fits(options: Options) -> tuple[float, float]:
    """Print time and accuracy of fits with the default search; return log score of given labels and time."""
    test = make_rows(TEST_ROWS, 1, options.device)
    robust().fit(*warm_up(options))
    table, scores, times = [], [], []
    for size, repeats, target in ((options.rows, 2, 3.0), (options.large, 1, 20.0)):
        rows = make_rows(size, 0, options.device)
        with phases() as taken:
            time, model = timed(lambda rows=rows: robust().fit(rows.X, rows.given), options.device, repeats)
        proba, given = to_numpy(model.predict_proba(test.X)), to_numpy(model.predict_given_proba(test.X))
        accuracy = np.mean(proba.argmax(axis=1) == to_numpy(test.true))
        scores.append(log_score(given, test.given))
        times.append(time)
        table.append(
            [
                str(size),
                seconds(time),
                str(model.n_reads_),
                str(len(model.relevance_)),
                f"{accuracy:.4f}",
                f"{-log_score(proba, test.true):.4f}",
                f"{-scores[-1]:.4f}",
            ]
        )
        print(*table[-1], flush=True)
        parts = (f"{name} {value / repeats:.2f} s" for name, value in taken.items())
        print("; ".join(parts), flush=True)
        verdict(
            time < target, f"{size} rows in {seconds(time)} s (target {target:g} s for the sizes by default)"
        )
    print_table(
        ["rows", "fit s", "readings", "vectors", "accuracy", "log loss", "log loss of given labels"], table
    )
    return scores[0], times[0]


def warm_up(options: Options) -> tuple[Any, Any]:
    rows = make_rows(min(options.rows, 3 * Budget().together_rows), 2, options.device)
    return rows.X, rows.given


def log_score(probability: Any, label: Any) -> float:
    """Return the mean log probability of labels."""
    label = to_numpy(label)
    return float(np.log(probability[np.arange(len(label)), label]).mean())


# (c) the same as NumPy's


def same_as_numpy(options: Options) -> None:
    """Print how far a fit with one width is from the same fit of arrays in memory."""
    rows = make_rows(options.few, 0, options.device)
    test = make_rows(2000, 1, options.device)
    model = robust().set_params(kernel="rbf", gamma=GAMMA)
    there_s, there = timed(lambda: sklearn.clone(model).fit(rows.X, rows.given), options.device)
    here_s, here = timed(
        lambda: sklearn.clone(model).fit(*map(to_numpy, (rows.X, rows.given))), options.device
    )
    same = np.array_equal(here.relevance_, there.relevance_)
    apart = np.abs(here.dual_coef_ - there.dual_coef_).max() if same else float("nan")
    relative = apart / np.abs(here.dual_coef_).max()
    proba = np.abs(here.predict_proba(to_numpy(test.X)) - to_numpy(there.predict_proba(test.X))).max()
    headers = [
        "rows",
        "device s",
        "NumPy s",
        "same vectors",
        "coefficients",
        "of the largest",
        "probabilities",
    ]
    cells = [str(options.few), seconds(there_s), seconds(here_s), str(same)]
    print_table(headers, [[*cells, f"{apart:.1e}", f"{relative:.1e}", f"{proba:.1e}"]])
    verdict(same and max(relative, proba) < 1e-6, "the same as NumPy's to 1e-6")


# (e) CuPy


def with_cupy(options: Options) -> None:
    """Print the time of the same fit of CuPy's arrays."""
    import cupy

    rows = make_rows(options.rows, 0, options.device)
    X, y = cupy.from_dlpack(rows.X), cupy.from_dlpack(rows.given)
    robust().fit(*(cupy.from_dlpack(each) for each in warm_up(options)))
    taken, model = timed(lambda: robust().fit(X, y), options.device)
    test = make_rows(TEST_ROWS, 1, options.device)
    proba = to_numpy(model.predict_proba(cupy.from_dlpack(test.X)))
    accuracy = np.mean(proba.argmax(axis=1) == to_numpy(test.true))
    print_table(["CuPy, rows", "fit s", "accuracy"], [[str(options.rows), seconds(taken), f"{accuracy:.4f}"]])


# (d) a sparse Gaussian process


def sparse_process(options: Options, goal: float, own_time: float) -> None:
    """Print the log score of given labels by epoch of GPyTorch's SVGP, until the goal or the patience."""
    from benchmarks.device_svgp import epochs

    rows, test = (make_rows(n, seed, options.device) for n, seed in ((options.rows, 0), (TEST_ROWS, 1)))
    table, reached, taken = [], None, 0.0
    print(f"goal: log loss of given labels of {-goal:.4f}", flush=True)
    for epoch, (taken, probability) in enumerate(epochs(rows, test, LANDMARKS, options.batch), start=1):
        score = log_score(np.column_stack([1.0 - probability, probability]), test.given)
        accuracy = np.mean((probability > 0.5) == to_numpy(test.true))
        table.append([str(epoch), seconds(taken), f"{-score:.4f}", f"{accuracy:.4f}"])
        print(*table[-1], flush=True)
        if score >= goal:
            reached = taken
            break
        if taken > options.patience or epoch == options.epochs:
            break
    print_table(["epoch", "s", "log loss of given labels", "accuracy"], table)
    told = f"reached after {seconds(reached)} s" if reached else f"not reached in {seconds(taken)} s"
    verdict(
        taken / own_time >= 20.0,
        f"20 times faster than SVGP: its goal was {told}, ours {seconds(own_time)} s",
    )


def environment(options: Options) -> str:
    """Return where the figures are from."""
    names = ("numpy", "scikit-learn", "torch", "cupy-cuda13x", "gpytorch")
    cuda = options.device.startswith("cuda")
    card = torch.cuda.get_device_name() if cuda else platform.processor() or platform.machine()
    return f"{card}; Python {platform.python_version()}; " + ", ".join(
        f"{name} {found}" for name in names if (found := installed(name))
    )


def installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def command_line() -> Options:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.device", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--large", type=int, default=10_000_000, help="rows of the largest fit")
    parser.add_argument("--few", type=int, default=100_000, help="rows of the comparison with NumPy")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--patience", type=float, default=120.0, help="seconds for the Gaussian process")
    parser.add_argument("--epochs", type=int, default=100, help="of the Gaussian process at most")
    parser.add_argument("--batch", type=int, default=4096, help="rows of its batches")
    parser.add_argument("--parts", nargs="*", default=list(PARTS), choices=PARTS)
    given = vars(parser.parse_args())
    return Options(**{**given, "parts": tuple(given["parts"])})


def main() -> None:
    """Run the parts in order."""
    os.environ["SCIPY_ARRAY_API"] = "1"  # scikit-learn asks for it
    options, goal, own_time = command_line(), float("inf"), float("nan")
    print(environment(options), flush=True)
    with sklearn.config_context(array_api_dispatch=True):
        if "pass" in options.parts:
            with part("One pass over all rows"):
                one_pass(options)
        if "fit" in options.parts:
            with part(f"RobustRVC(basis={LANDMARKS}), default search, {FLIPPED:.0%} of the labels flipped"):
                goal, own_time = whole_fits(options)
        if "numpy" in options.parts:
            with part("One width: the same as NumPy's"):
                same_as_numpy(options)
        if "cupy" in options.parts:
            with part("CuPy"):
                with_cupy(options)
        if "svgp" in options.parts:
            with part(f"GPyTorch's SVGP, {LANDMARKS} inducing points"):
                sparse_process(options, goal, own_time)


if __name__ == "__main__":
    main()
