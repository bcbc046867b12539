"""Robustness: outliers in regression, wrong labels in classification."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks import peers, scores
from benchmarks.problems import Problem, read_ripley, ripley_like, ripley_split, sinc
from benchmarks.race import Entrant, Record, Settings, race
from benchmarks.report import print_table, print_title, print_warnings, seconds, verdict
from rowtrust import RVC, RVR, RobustRVC, RobustRVR

SEEDS, QUICK_SEEDS = 20, 5
RIPLEY_GAMMA = 4.0
SINC_GAMMA = 0.05

Records = dict[str, Record]


def run(settings: Settings) -> None:
    """Print the tables on generated data, and on Ripley's own where its folder is known."""
    seeds = QUICK_SEEDS if settings.quick else SEEDS
    outliers(seeds)
    one_sided_flips(seeds)
    if settings.data is None:
        print(
            "\nRipley's own data: skipped; give the folder of ripley/synth.tr with --data or ROWTRUST_DATA."
        )
    else:
        ripley(settings.data, seeds)


def outliers(seeds: int) -> None:
    """Race on sinc without and with outliers."""
    entrants = [
        Entrant("RVR", lambda seed: RVR(gamma=SINC_GAMMA, random_state=seed)),
        Entrant("RobustRVR", lambda seed: RobustRVR(gamma=SINC_GAMMA, random_state=seed)),
        peers.fastrvm_regressor(SINC_GAMMA),
        peers.searched_regressor(),
        peers.gaussian_process_regressor(),
    ]
    clean = race(entrants, drawn(lambda seed: sinc(100, seed), seeds), scores.rmse)
    dirty = race(entrants, drawn(lambda seed: sinc(100, seed, 0.1), seeds), scores.rmse)
    print_title(f"Robust regression: sinc, n = 100, {seeds} seeds, 10 % outliers of +-3")
    print_both(clean, dirty, "RMSE")
    outlier_verdicts(clean, dirty)


def outlier_verdicts(clean: Records, dirty: Records) -> None:
    error = dirty["RobustRVR"].mean("RMSE")
    verdict(error <= 0.045, f"RobustRVR RMSE with outliers is {error:.4f} (target at most 0.045)")
    excess = clean["RobustRVR"].mean("RMSE") / clean["RVR"].mean("RMSE") - 1
    verdict(excess <= 0.1, f"RobustRVR RMSE on clean data is {excess:+.1%} from that of RVR (target +10 %)")
    times = [run.seconds for run in clean["RobustRVR"].runs + dirty["RobustRVR"].runs]
    verdict(
        max(times) < 0.1,
        f"a fit of RobustRVR takes {median(times):.3f} s in the median and {max(times):.3f} s at most "
        "(target for all: below 0.1)",
    )


def one_sided_flips(seeds: int) -> None:
    """Race on Ripley's mixture without and with wrong labels in one class."""
    entrants = [
        *ours(),
        peers.fastrvm_classifier(RIPLEY_GAMMA),
        peers.support_vector_classifier(RIPLEY_GAMMA),
    ]
    clean = race(entrants, drawn(lambda seed: ripley_like(200, seed), seeds), scores.accuracy)
    dirty = race(entrants, drawn(lambda seed: ripley_like(200, seed, 0.3), seeds), scores.accuracy)
    print_title(
        f"Robust classification: Ripley's mixture, n = 200, {seeds} seeds, 30 % of class 1 labelled 0"
    )
    print_both(clean, dirty, "accuracy")
    best = max((dirty[name] for name in ("fastrvm", "SVC")), key=lambda record: record.mean("accuracy"))
    lead = dirty["RobustRVC"].lead(best, "accuracy")
    print(
        f"no target: accuracy of RobustRVC with flips less that of {best.name}, the better peer: {lead:+.4f}"
    )


def print_both(clean: Records, dirty: Records, score: str) -> None:
    rows = [
        [
            name,
            seconds(dirty[name].seconds),
            f"{clean[name].mean(score):.4f}",
            f"{dirty[name].mean(score):.4f}",
        ]
        for name in clean
    ]
    print_table(["model", "fit s", f"{score} clean", f"{score} dirty"], rows)
    print_warnings([*clean.values(), *dirty.values()])


def ripley(folder: Path, seeds: int) -> None:
    """Compare the plain with the robust classifier on Ripley's own data, clean and with flips."""
    X, y = read_ripley(folder)
    shares = (0.0, 0.1)
    races = {
        share: race(
            ours(),
            [ripley_split(X, y, seed, share) for seed in range(seeds)],
            scores.probabilities,
        )
        for share in shares
    }
    print_title(f"Ripley's data: 60/40 splits, gamma = {RIPLEY_GAMMA:g}, {seeds} repeats")
    rows = [ripley_row(share, record) for share, records in races.items() for record in records.values()]
    print_table(
        ["flips", "model", "fit s", "error", "RMSE", "trust flipped", "trust others", "columns kept"], rows
    )
    print_warnings(record for records in races.values() for record in records.values())
    ripley_verdicts(*(races[share] for share in shares))


def ripley_row(share: float, record: Record) -> list[str]:
    trust = record.mean("trust flipped")
    return [
        f"{share:.0%}",
        record.name,
        seconds(record.seconds),
        f"{record.mean('error'):.2%}",
        f"{record.mean('RMSE'):.4f}",
        "-" if np.isnan(trust) else f"{trust:.3f}",
        f"{record.mean('trust others'):.3f}",
        f"{record.mean('columns'):.2%}",
    ]


def ripley_verdicts(clean: Records, dirty: Records) -> None:
    robust, plain = dirty["RobustRVC"], dirty["RVC"]
    error, rmse = robust.mean("error"), robust.mean("RMSE")
    gain = plain.mean("RMSE") - rmse
    cost = clean["RobustRVC"].mean("RMSE") - clean["RVC"].mean("RMSE")
    wrong, right = robust.mean("trust flipped"), robust.mean("trust others")
    columns = max(records["RobustRVC"].mean("columns") for records in (clean, dirty))
    verdict(error <= 0.103, f"RobustRVC error with flips is {error:.2%} (target at most 10.3 %)")
    verdict(rmse <= 0.272, f"RobustRVC RMSE with flips is {rmse:.4f} (target at most 0.272)")
    verdict(gain >= 0.01, f"that is {gain:.4f} below RVC (target at least 0.01)")
    verdict(cost <= 0.008, f"RobustRVC RMSE on clean labels is {cost:+.4f} from RVC (target at most +0.008)")
    verdict(wrong < 0.5, f"mean trust of flipped rows is {wrong:.3f} (target below 0.5)")
    verdict(right > 0.85, f"mean trust of the other rows is {right:.3f} (target above 0.85)")
    verdict(columns < 0.025, f"RobustRVC keeps {columns:.2%} of the columns (target below 2.5 %)")


def ours() -> list[Entrant]:
    return [
        Entrant("RVC", lambda seed: RVC(gamma=RIPLEY_GAMMA, random_state=seed)),
        Entrant("RobustRVC", lambda seed: RobustRVC(gamma=RIPLEY_GAMMA, random_state=seed)),
    ]


def drawn(draw: Callable[[int], Problem], seeds: int) -> list[Problem]:
    return [draw(seed) for seed in range(seeds)]
