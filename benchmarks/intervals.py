"""Error bars: intervals, log scores and probabilities, where there are data and where there are none.

``python -m benchmarks intervals``; parts by ``--only coverage,gaps,targets,noise,classes``, tables by
``--tables``, estimators too by ``--only``. Constants were chosen on half A of the manifest.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from benchmarks.race import Options
from benchmarks.report import print_table, print_title, verdict
from benchmarks.tables import read_tables
from rowtrust import RVC, RVR, BayesianSVR, FuzzyRVR, RobustRVC, RobustRVR

Array = NDArray[Any]

REGRESSORS: dict[str, Callable[[], Any]] = {
    "RVR": RVR,
    "RobustRVR": RobustRVR,
    "FuzzyRVR": FuzzyRVR,
    "BayesianSVR": lambda: BayesianSVR(random_state=0),
}
WITH_OUTLIERS = ("RobustRVR", "BayesianSVR")
CLASSIFIERS: dict[str, Callable[[], Any]] = {"RVC": RVC, "RobustRVC": RobustRVC}
LEVELS = (0.5, 0.8, 0.95)
KINDS = ("ties", "counts", "two values", "rounding", "heavy tails")
WIDTHS = (5.0, 10.0)


def run(settings: Options) -> None:
    """Print the tables of the parts asked for, all of them unless named."""
    parts = {"coverage": coverage, "gaps": gaps, "targets": targets, "noise": pure_noise, "classes": classes}
    wanted = [name for name in parts if name in settings.only] or list(parts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in wanted:
            parts[name](settings)


def estimators(settings: Options, all_of_them: dict[str, Callable[[], Any]]) -> dict[str, Callable[[], Any]]:
    """Return the estimators asked for, all of them unless named."""
    named = {name: make for name, make in all_of_them.items() if name in settings.only}
    return named or all_of_them


def inside(model: Any, X: Array, y: Array, level: float) -> float:
    """Return the share of targets within intervals."""
    low, high = model.predict_interval(X, level)
    return float(np.mean((low <= y) & (y <= high)))


def against_constant(model: Any, X: Array, y: Array, y_fit: Array) -> float:
    """Return by how many nats a row the log score is better than that of the constant Gaussian."""
    spread = y_fit.std()
    constant = -0.5 * ((y - y_fit.mean()) / spread) ** 2 - np.log(spread * np.sqrt(2 * np.pi))
    return float(model.log_score(X, y) - constant.mean())


# tables ---------------------------------------------------------------------------------------------


def spoilt(y: Array, seed: int) -> Array:
    """Move a tenth of the targets by 3 to 9 standard deviations, to both sides."""
    generator = np.random.default_rng(1000 + seed)
    y, rows = y.copy(), generator.choice(len(y), len(y) // 10, replace=False)
    y[rows] += generator.choice([-1, 1], len(rows)) * generator.uniform(3, 9, len(rows)) * y.std()
    return y


def smooth_table(generator: np.random.Generator) -> tuple[Array, Array]:
    """Return 1500 rows of 16 inputs that move together, and next to no noise."""
    factors = generator.normal(size=(1500, 4))
    X = factors @ generator.normal(size=(4, 16)) + 0.1 * generator.normal(size=(1500, 16))
    y = np.sin(factors[:, 0]) + 0.5 * factors[:, 1] * factors[:, 2] + 0.3 * factors[:, 3]
    return X, y + 1e-3 * generator.normal(size=1500)


def number_tables(settings: Options) -> dict[str, Callable[[int], tuple[Array, Array, Array, Array]]]:
    """Return the tables of numbers, and one that is nearly without noise: what a split of each is."""
    found = {}
    for table in read_tables(settings.data) if settings.data is not None else ():
        if not table.is_classes:
            found[f"{table.name} ({table.half})"] = lambda seed, table=table: table.split(400, seed)

    def smooth(seed: int) -> tuple[Array, Array, Array, Array]:
        X, y = smooth_table(np.random.default_rng(seed))
        return X[:1000], y[:1000], X[1000:], y[1000:]

    found["smooth 1000 x 16"] = smooth
    wanted = settings.tables
    return {name: split for name, split in found.items() if not wanted or name.split()[0] in wanted}


def coverage(settings: Options) -> None:
    """Clean test rows within intervals, with clean training rows and with a tenth of outliers."""
    print_title("Coverage of clean test rows, 400 rows to fit, two splits")
    rows, found = [], {True: [], False: []}
    for name, split in number_tables(settings).items():
        for label, make in estimators(settings, REGRESSORS).items():
            for dirty in (False, True)[: 1 + (label in WITH_OUTLIERS)]:
                cells = []
                for seed in range(2):
                    X, y, new, truth = split(seed)
                    given = spoilt(y, seed) if dirty else y
                    model = make().fit(X, given)
                    new, truth = new[:1000], truth[:1000]
                    mean = model.predict(new)
                    covered = [inside(model, new, truth, level) for level in LEVELS]
                    score = against_constant(model, new, truth, y)
                    cells.append([*covered, score, np.sqrt(np.mean((mean - truth) ** 2)) / y.std()])
                means = np.mean(cells, axis=0)
                found[dirty].append(means[2])
                rows.append([name, label, "10 %" if dirty else "0", *(f"{value:.3f}" for value in means)])
                print("  ", *rows[-1], flush=True)
    print_table(["table", "model", "outliers", "50 %", "80 %", "95 %", "gain", "RMSE"], rows)
    for dirty, shares in found.items():
        if shares:
            share = np.array(shares)
            most, all_of = np.mean((share >= 0.92) & (share <= 0.97)), (share >= 0.89) & (share <= 0.985)
            verdict(most >= 0.8, f"outliers {dirty}: 92 to 97 % in {most:.2f} of the cells (target 0.8)")
            verdict(all_of.all(), f"outliers {dirty}: 89 to 98.5 % in {all_of.mean():.2f} (target all)")


# gaps -----------------------------------------------------------------------------------------------


def function_with_gap(seed: int) -> tuple[Array, Array, Array, Array]:
    """Return noisy rows of a smooth function, a tenth to a third of the range left out, and rows there."""
    generator = np.random.default_rng(seed)
    d, n = seed % 3 + 1, 150
    speed = np.exp(generator.uniform(np.log(0.7), np.log(4.0)))
    directions = speed * generator.normal(size=(4, d)) / np.sqrt(d)
    phase, size = generator.uniform(0, 2 * np.pi, 4), generator.normal(size=4)
    width = generator.uniform(0.1, 1.0 / 3.0) * 4.0
    start = generator.uniform(-2.0 + 0.4, 2.0 - 0.4 - width)

    def rows(count: int, in_gap: bool) -> Array:
        X = generator.uniform(-2, 2, (20 * count, d))
        return X[((X[:, 0] > start) & (X[:, 0] < start + width)) == in_gap][:count]

    X, new = rows(n, False), rows(200, True)
    level = np.sin(X @ directions.T + phase) @ size
    noise = 0.05 * level.std()
    truth = np.sin(new @ directions.T + phase) @ size
    return X, level + noise * generator.normal(size=n), new, truth + noise * generator.normal(size=len(new))


def gaps(settings: Options) -> None:
    """Rows in gaps of the data within 95 % intervals."""
    print_title("Gaps inside the data: twenty functions of one to three inputs, 95 % intervals")
    names = dict.fromkeys(["BayesianSVR", *estimators(settings, REGRESSORS)])
    found = {name: np.zeros((20, 2)) for name in names}
    for seed in range(20):
        X, y, new, target = function_with_gap(seed)
        for name in names:
            model = REGRESSORS[name]().fit(X, y)
            low, high = model.predict_interval(new, 0.95)
            found[name][seed] = inside(model, new, target, 0.95), np.mean(high - low) / y.std()
        print(
            "  ", seed, *(f"{each[seed, 0]:.2f} {each[seed, 1]:.2f}  " for each in found.values()), flush=True
        )
    for name, each in found.items():
        share, ratio = each[:, 0].mean(), np.median(each[:, 1] / found["BayesianSVR"][:, 1])
        whole = each[:, 1].mean() / found["BayesianSVR"][:, 1].mean()
        verdict(share >= 0.88, f"{name}: {share:.3f} of the rows in gaps within the interval (target 0.88)")
        verdict(max(ratio, whole) <= 2.0, f"{name}: {ratio:.2f} (median), {whole:.2f} (mean) times as wide")


# targets --------------------------------------------------------------------------------------------


def odd_target(kind: str, seed: int) -> tuple[Array, Array, Array, Array]:
    """Return rows with a target of few values, ties or heavy tails, and 2000 new ones."""
    generator = np.random.default_rng(seed)
    n, d = int(generator.integers(40, 301)), int(generator.integers(1, 6))
    X = generator.normal(size=(n + 2000, d))
    level = np.sin(X[:, 0]) + 0.5 * X[:, -1]
    noise = generator.choice([0.05, 0.3, 1.0])
    y = level + noise * generator.normal(size=len(X))
    if kind == "ties":
        y = np.where(generator.uniform(size=len(X)) < 0.4, 0.0, y)
    elif kind == "counts":
        y = generator.poisson(np.exp(0.7 * level)).astype(float)
    elif kind == "two values":
        y = (y > 0).astype(float)
    elif kind == "rounding":
        y = np.round(y, int(generator.integers(0, 2)))
    else:
        y = level + noise * generator.standard_t(2, size=len(X))
    return X[:n], y[:n], X[n:], y[n:]


def targets(settings: Options) -> None:
    """Log scores of new rows beside those of a constant Gaussian."""
    count = 10 if settings.quick else 40
    print_title(f"Odd targets: nats a row over the constant Gaussian, {count} draws of each kind")
    rows = []
    for name, make in estimators(settings, REGRESSORS).items():
        every = []
        for kind in KINDS:
            gains = []
            for seed in range(count):
                X, y, new, truth = odd_target(kind, seed)
                gains.append(against_constant(make().fit(X, y), new, truth, y))
            every += gains
            below = np.mean(np.array(gains) < -0.1)
            cells = f"{np.min(gains):.2f}", f"{np.median(gains):.2f}", f"{below:.3f}"
            rows.append([name, kind, *cells, str(np.argmin(gains))])
            print("  ", *rows[-1], flush=True)
        verdict(min(every) >= -0.5, f"{name}: worst {min(every):.2f} (target -0.5)")
        few = float(np.mean(np.array(every) < -0.1))
        verdict(few <= 0.02, f"{name}: {few:.3f} of the fits worse by more than 0.1 (target 0.02)")
    print_table(["model", "target", "worst", "median", "below -0.1", "worst draw"], rows)


def pure_noise(settings: Options) -> None:
    """R2 of fits to nothing but noise."""
    print_title("Pure noise: R2 on new rows, 20 draws")
    for name, make in estimators(settings, REGRESSORS).items():
        found = []
        for seed in range(20):
            generator = np.random.default_rng(seed)
            n, d = int(generator.integers(40, 201)), int(generator.integers(1, 6))
            X, y = generator.normal(size=(n + 1000, d)), generator.normal(size=n + 1000)
            found.append(make().fit(X[:n], y[:n]).score(X[n:], y[n:]))
        kept = int(np.sum(np.array(found) > -0.1))
        verdict(kept >= 19, f"{name}: above -0.1 in {kept} of 20 draws (target 19), worst {min(found):.3f}")


# classes --------------------------------------------------------------------------------------------


def largest_width(model: Any) -> tuple[float, Array]:
    """Return the largest width of the kernels that were averaged, in scaled inputs, and their scale."""
    scale = model.fitted_.input_scale
    widths = []
    for kernel, _ in model.fitted_.kernels:
        gamma = float(np.min(kernel.gamma))
        own = 1.0 if kernel.scales is None else float(np.min(kernel.scales[kernel.scales > 0]))
        widths.append(1.0 / (gamma * own) if kernel.function == "laplacian" else (2 * gamma) ** -0.5 / own)
    return max(widths), scale


def at_distance(X: Array, distance: float, generator: np.random.Generator) -> Array:
    """Return 100 points whose nearest rows are so far away, in random directions from the mean."""
    toward = generator.normal(size=(100, X.shape[1]))
    toward /= np.linalg.norm(toward, axis=1)[:, None]
    low, high = np.zeros(100), np.full(100, distance + 2.0 * np.abs(X).max() * np.sqrt(X.shape[1]))
    for _ in range(50):
        middle = 0.5 * (low + high)
        near = cdist(X.mean(axis=0) + middle[:, None] * toward, X).min(axis=1) < distance
        low, high = np.where(near, middle, low), np.where(near, high, middle)
    return np.asarray(X.mean(axis=0) + high[:, None] * toward)


def classes(settings: Options) -> None:
    """Probabilities of the called class five and ten widths from the data."""
    count = 20 if settings.quick else 100
    print_title(f"Classes off the data, {count} draws of one to ten inputs")
    for name, make in estimators(settings, CLASSIFIERS).items():
        off, highest = [], []
        for seed in range(count):
            generator = np.random.default_rng(seed)
            d, n = seed % 10 + 1, int(generator.integers(40, 200))
            X = generator.normal(size=(n, d))
            label = (np.sin(1.5 * X[:, 0]) + X[:, -1] + generator.uniform(0, 1) * generator.normal(size=n)
                     > generator.normal()).astype(int)  # fmt: skip
            if np.bincount(label, minlength=2).min() < 5:
                continue
            kernel = ("auto", "rbf", "laplacian")[seed % 3]
            model = make().set_params(kernel=kernel).fit(X, label)
            width, scale = largest_width(model)
            away = [at_distance(X / scale, many * width, generator) * scale for many in WIDTHS]
            near, far = map(model.predict_proba, away)
            base = np.bincount(label) / n
            off.append(abs(far.max(axis=1).mean() - np.mean(base[far.argmax(axis=1)])))
            highest.append(near.max() - max(0.9, base.max() + 0.05))
        verdict(
            max(off) <= 0.1, f"{name}: ten widths away within {max(off):.3f} of the base rate (target 0.1)"
        )
        verdict(max(highest) <= 0, f"{name}: five widths away {max(highest):+.3f} over 0.9 or base + 0.05")
