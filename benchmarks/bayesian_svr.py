"""Bayesian support vector regression: the paper's tables, a race with Gaussian processes, cost, robustness.

Each part prints its own table::

    python -m benchmarks.bayesian_svr boston --repeats 100 --data FOLDER
    python -m benchmarks.bayesian_svr arm sinc cost outliers --data FOLDER
    python -m benchmarks.bayesian_svr functions invariances coverage race many --data FOLDER

The papers' data are read from ``--data`` or the environment variable ROWTRUST_DATA. Pin the threads
(``OMP_NUM_THREADS=1``) for figures that can be compared.
"""

from __future__ import annotations

import argparse
import os
import resource
from pathlib import Path

import numpy as np
from scipy.linalg import lapack

from benchmarks import svr_honesty
from benchmarks.svr_honesty import timed
from rowtrust.estimators._bayesian_svr import BayesianSVR
from rowtrust.numerics.blocks import single_blas_thread
from rowtrust.svr.evidence import EvidenceObjective, StoppingRule, TrainingSet, climb, problem_of
from rowtrust.svr.hyperparameters import Choices, Units
from rowtrust.svr.search import same_noise_variance
from rowtrust.svr.space import SearchSpace


def sinc(X):
    return np.sinc(X[:, 0] / np.pi)


def boston_splits(folder, repeats):
    """Yield random 481/25 splits."""
    data = np.loadtxt(folder / "boston_housing" / "housing.data")
    for seed in range(repeats):
        rows = np.random.default_rng(seed).permutation(len(data))
        yield data[rows[:481], :-1], data[rows[:481], -1], data[rows[481:], :-1], data[rows[481:], -1]


def gaussian_process_race(X, y, X_test):
    """Fit scikit-learn's Gaussian process with the same kernel and predict."""
    return svr_honesty.gaussian_process(X, y)(X_test)


def boston(options):
    """ASE over splits (Chu et al. table 6: 8.03), and the race with a Gaussian process."""
    ours, theirs = [], []
    for split, (X, y, X_test, y_test) in enumerate(boston_splits(options.data, options.repeats)):
        machine, seconds = timed(BayesianSVR().fit, X, y)
        error = machine.predict(X_test) - y_test
        ours.append(
            (np.mean(error**2), np.mean(np.abs(error)), seconds, machine.n_iter_, len(machine.support_))
        )
        if split < options.rivals:
            prediction, seconds = timed(gaussian_process_race, X, y, X_test)
            theirs.append((np.mean((prediction - y_test) ** 2), seconds))
    mean, deviation = np.mean(ours, axis=0), np.std(ours, axis=0)
    print(f"Boston, {options.repeats} splits of 481/25 (paper: ASE 8.03 +- 4.11, AAE 1.981)")
    print(
        f"  BayesianSVR  ASE {mean[0]:.2f} +- {deviation[0]:.2f}  AAE {mean[1]:.3f}  {mean[2]:.2f} s", end=""
    )
    print(f"  {mean[3]:.0f} evaluations  {mean[4]:.0f} support vectors")
    if theirs:
        same = np.mean(ours[: len(theirs)], axis=0)
        error, seconds = np.mean(theirs, axis=0)
        print(
            f"  on the first {len(theirs)} splits: BayesianSVR ASE {same[0]:.2f} in {same[2]:.2f} s,", end=""
        )
        print(f" GaussianProcessRegressor ASE {error:.2f} in {seconds:.2f} s: {seconds / same[2]:.1f} times")


def arm(options):
    """Position ASE on MacKay's robot arm (Chu et al. table 5: 0.005379)."""
    folder = options.data / "robot_arm"
    X, Y = np.loadtxt(folder / "Mackay-inputs.data"), np.loadtxt(folder / "Mackay-outputs.data")
    print("Robot arm, position ASE (paper: 0.0057113, 0.0050467, mean 0.005379)")
    for name, arguments in {"default": {}, "beta=0.3": {"beta": 0.3}, "huber": {"loss": "huber"}}.items():
        machine, seconds = timed(BayesianSVR(**arguments).fit, X[:200], Y[:200])
        error = np.sum((machine.predict(X[200:]) - Y[200:]) ** 2, axis=1)
        one, two = error[:200].mean(), error[200:].mean()
        print(f"  {name:9s} set 1 {one:.6f}  set 2 {two:.6f}  mean {(one + two) / 2:.6f}  {seconds:.2f} s")


def sinc_data(seed, noise, n=100):
    generator = np.random.default_rng(seed)
    X, X_test = generator.uniform(-10, 10, (2, n, 1))
    draw = noise * generator.standard_normal((2, n))
    return X, sinc(X) + draw[0], X_test, sinc(X_test) + draw[1]


def sinc_row(arguments, noise, repeats):
    found = []
    for seed in range(repeats):
        X, y, X_test, y_test = sinc_data(seed, noise)
        machine = BayesianSVR(**arguments).fit(X, y)
        error = machine.predict(X_test) - y_test
        rows = len(machine.machines_[0].best.posterior.quadratic)
        relevance = machine.feature_relevance_[0] * X.var()
        # The paper leaves n ln 2 out of its evidence.
        value = -machine.evidence_ - len(y) * np.log(2)
        found.append((machine.C_, 100 * machine.epsilon_, relevance, value, rows, *errors(error)))
    return np.median(found, axis=0)


def errors(error):
    return np.mean(np.abs(error)), np.mean(error**2)


def sinc_tables(options):
    """The pattern of Chu et al.'s tables 1 and 2; medians over seeds."""
    repeats = min(options.repeats, 10)
    head = "       C  100 eps      w   -ln P  rows in zone     AAE       ASE"
    print(f"sinc, beta = 0.3, by noise (table 1), {repeats} seeds\nsigma{head}")
    for noise in (0.0, 0.1, 0.2, 0.3):
        print(f"{noise:5.1f}", sinc_line(sinc_row({"beta": 0.3}, noise, repeats)))
    print(f"sinc, sigma = 0.1, by beta (table 2), {repeats} seeds\n beta{head}")
    for beta in (0.005, 0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 1.0):
        print(f"{beta:5.3f}", sinc_line(sinc_row({"beta": beta}, 0.1, repeats)))


def sinc_line(values):
    C, epsilon, relevance, value, rows, absolute, squared = values
    return (
        f"{C:7.2f} {epsilon:8.3f} {relevance:6.2f} {value:7.1f} {rows:13.0f} {absolute:7.4f} {squared:9.2e}"
    )


class StopWatch(EvidenceObjective):
    """An objective that notes how long each evaluation takes."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.seconds = []

    def __call__(self, vector):
        """Return value and slopes."""
        result, seconds = timed(super().__call__, vector)
        self.seconds.append(seconds)
        return result


def cholesky_seconds(matrix, times=50):
    return np.median([timed(lapack.dpotrf, matrix.T, 1)[1] for _ in range(times)])


def cost(options):
    """Evidence and all slopes at n = 481, d = 13, in units of a dense Cholesky factorisation."""
    X, y, _, _ = next(boston_splits(options.data, 1))
    units = Units.of(X, y, np.ones(481))
    rows = TrainingSet(units.inputs(X), units.target(y), np.ones(481))
    print("Cost of an evidence-and-gradient evaluation at n = 481, d = 13, one thread")
    with single_blas_thread():
        space = SearchSpace(Choices(None, None, 0.3, None, None, None), 13)
        rule = StoppingRule(60, 0.1)
        widest = climb(EvidenceObjective(rows, space, 1.0), space.first_start(), rule)
        for beta in (0.3, 0.6, 1.0):
            start = same_noise_variance(space, widest, beta)
            watch = StopWatch(rows, space, beta)
            climb(watch, start, rule)
            problem = problem_of(rows, space.hyperparameters(start, beta))
            matrix = problem.matrix.correlation + 0.1 * np.eye(481)
            unit, typical = cholesky_seconds(matrix), np.median(watch.seconds)
            print(
                f"  beta {beta:.1f}: {1e3 * typical:.2f} ms (mean {1e3 * np.mean(watch.seconds):.2f}),",
                end="",
            )
            print(f" Cholesky {1e3 * unit:.2f} ms: {typical / unit:.2f} of them, {len(watch.seconds)} times")


def large(options):
    """Time and memory of an exact fit at n = 5000, d = 10."""
    generator = np.random.default_rng(0)
    X = generator.uniform(0, 1, (options.rows + 1000, 10))
    truth = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    y = truth + generator.standard_normal(len(X))
    machine, seconds = timed(BayesianSVR(basis=None).fit, X[: options.rows], y[: options.rows])
    error = np.sqrt(np.mean((machine.predict(X[options.rows :]) - truth[options.rows :]) ** 2))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"Friedman 1, n = {options.rows}, d = 10: {seconds:.0f} s, peak memory {peak:.2f} GiB,", end="")
    print(f" RMSE to the truth {error:.3f} (noise 1), beta {machine.beta_}, gap {machine.duality_gap_:.1e}")
    print("  relevances", np.array2string(machine.feature_relevance_, precision=3, suppress_small=True))


def outliers(options):
    """Sinc, sigma = 0.1, n = 100, ten gross outliers of size 1 to 3; and coverage of f on clean data."""
    grid = np.linspace(-10, 10, 200)[:, None]
    found = []
    for seed in range(min(options.repeats, 50)):
        X, y, _, _ = sinc_data(seed, 0.1)
        generator = np.random.default_rng(1000 + seed)
        spoilt, rows = y.copy(), generator.choice(100, 10, replace=False)
        spoilt[rows] += generator.choice([-1, 1], 10) * generator.uniform(1, 3, 10)
        found.append([*quality(X, y, grid), *quality(X, spoilt, grid)])
    clean, cover, dirty, dirty_cover = np.mean(found, axis=0)
    print(
        f"sinc, {len(found)} seeds: RMSE clean {clean**0.5:.4f}, with 10 % outliers {dirty**0.5:.4f},", end=""
    )
    print(f" ratio {(dirty / clean) ** 0.5:.3f}; coverage of f: {cover:.3f} clean, {dirty_cover:.3f} spoilt")


def quality(X, y, grid):
    mean, std = BayesianSVR().fit(X, y).predict(grid, return_std="function")
    return np.mean((mean - sinc(grid)) ** 2), np.mean(np.abs(mean - sinc(grid)) < 1.96 * std)


PARTS = {
    "boston": boston,
    "arm": arm,
    "sinc": sinc_tables,
    "cost": cost,
    "large": large,
    "outliers": outliers,
    **svr_honesty.PARTS,
}


NEED_DATA = {"boston", "arm", "cost", "invariances", "coverage", "race"}
"""Parts that read the data folder."""


def main():
    """Run the parts asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"any of {', '.join(PARTS)}; all without one"
    )
    parser.add_argument("--repeats", type=int, default=20, help="splits or seeds (default 20)")
    parser.add_argument("--rivals", type=int, default=3, help="Boston splits for the rival too (default 3)")
    parser.add_argument("--rows", type=int, default=5000, help="rows of the large part (default 5000)")
    parser.add_argument("--functions", type=int, default=60, help="random functions (default 60)")
    parser.add_argument("--splits", type=int, default=3, help="splits of each table (default 3)")
    parser.add_argument("--many-rows", type=int, default=50_000, help="rows of the part many")
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("ROWTRUST_DATA"), help="folder of the papers' data"
    )
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}; choose from {', '.join(PARTS)}")
    parts = options.parts or list(PARTS)
    if options.data is None and NEED_DATA & set(parts):
        parser.error("the papers' data are needed: give --data or set ROWTRUST_DATA")
    options.data = options.data and Path(options.data)
    for part in parts:
        PARTS[part](options)


if __name__ == "__main__":
    main()
