"""The page on scaling, made of what the part has stored: ``python -m benchmarks.scaling_report STORE``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from benchmarks.accuracy_lines import markdown, shown, verdict
from benchmarks.report import seconds
from benchmarks.scaling_paper import model, on_paper

PAGE = Path("docs/scaling.md")

SAMPLE_ROWS = 20_000
"""The first rows of every larger size: a fit to them alone is what a larger one must not fall behind."""

PEER_ROWS = 100_000
"""Rows that the peer is given."""

TARGET_ROWS = 1_000_000
MOST_SECONDS, MOST_MEBIBYTES, MOST_GROWTH, MOST_FULL_PASSES, MOST_READS, PEER_FACTOR = 120, 1536, 12, 8, 25, 3
"""What was asked for."""

INTRODUCTION = """# From a thousand rows to a billion

The output of `python -m benchmarks scaling --store STORE` and `python -m benchmarks.scaling_report STORE`.
Every fit is `RobustRVC(basis=500, random_state=0)` with all else at its defaults, so that kernels, widths and
label noise are searched, in a process of its own that may use all cores; BLAS is not pinned. Rows are those
of `rowtrust.datasets.make_many_rows`: ten standard normal inputs, two classes, a tenth of the labels flipped.
Errors and log losses are those on 20,000 further rows with clean labels, of which the best possible
classifier errs on 7.4 %."""

WAYS = """## What to do

| rows | what to give `fit` | what happens |
|---|---|---|
| up to 20,000 | arrays or data frames | kernels are searched on all rows |
| 10^5 | the same | ten thousand rows are drawn and searched; the model found goes on with all rows |
| 10^6 | the same; or a file, where rows do not fit into memory beside all else | the same |
| 10^7 | a path to Parquet or CSV, a memory-mapped array, or an iterable of blocks `(X, y)` that can be read \
again | the same; only a few chunks of rows are in memory |
| 10^9 | a dask array or dataframe on a cluster | the same; rows stay where they are, sums travel. On paper |

Where the trust in every row is not wanted, give blocks or a file: `sample_trust_` is the one thing of the
rows' size that a fit to arrays keeps. A model has 500 landmarks here, whatever the rows: look at the errors
below for what more rows are worth to it."""

FORMULA = """## The cost model

Seconds of a fit are those of the search on the sample, which do not depend on the rows, and those of the
passes over all rows. A pass over n rows with K columns in the model, E that enter it, S that are scored, and
g weighted Gram matrices takes

```
n (c_kernel (K + E + S) + c_multiply (K^2 + g (K + E)^2 / 2 + (K + E) S) + c_row) / threads + waiting
```

seconds: kernel entries; multiplications for the latent variances, for the Gram matrices (half of each is
enough) and for the scores; what a row costs besides, its reading among it; and the time that a round waits
for rows and for its threads. The constants are measured by passes that do only one of these things, over the
same rows and with the same threads; the fastest of three counts. The first three are CPU seconds of the
process, so that on a busy machine predictions are those of an idle one. What is besides the passes is taken,
in predictions, from the first fit of the table. Fits to 20,000 rows or fewer search kernels on all rows and
are not in it: they are measured, not predicted."""

LIMITS = """## Limits

- One problem, made up, with smooth boundaries and ten inputs; one seed; every fit was timed once.
- Passes are counted after the fit: the model says what they cost, not how many there will be.
- Constants are those of one machine, of the kernels and about the columns that one fit has. Small Gram
  matrices run at a lower rate than large ones, the multiplications of scores and variances are taken to run
  at that of Gram matrices, and cores that share memory share its speed.
- More classes are more outputs: they share a reading, and each adds its arithmetic.
- The peer's seconds are those of scikit-learn's grid search in two processes. It says how labels were given,
  flips included, and its log loss on clean labels pays for that: it has no model of flips. Ours learns how
  many there are from the same rows.
- The billion rows are arithmetic, not a measurement: no failures, no stragglers, no other users."""


def report(store: Path) -> str:
    """Return the page."""
    lines = pd.read_csv(store).drop_duplicates(["kind", "model", "rows", "form", "number"], keep="last")
    fits = lines[lines["kind"] == "fit"].sort_values(["rows", "form"])
    passes, peers = lines[lines["kind"] == "pass"], lines[lines["kind"] == "peer"]
    used = "; ".join(dict.fromkeys(lines["machine"]))
    sections = [
        f"{INTRODUCTION} Measured on {used}.",
        WAYS,
        "## Measured\n\n" + fit_table(fits),
        *peer_section(fits, peers),
        *number_section(lines[lines["kind"] == "numbers"]),
        "## Verdicts\n\n" + "\n".join(verdicts(fits, peers)),
        FORMULA,
        *model(fits, passes),
        "## A billion rows, on paper",
        *on_paper(fits, passes),
        LIMITS,
    ]
    return "\n\n".join(sections) + "\n"


def fit_table(fits: pd.DataFrame) -> str:
    rows = [
        [
            *(f"{fit['rows']:,}", fit["form"], seconds(fit["seconds"]), seconds(fit["cpu"])),
            *(shown(fit["reads"], 0), shown(fit["peak"], 0), shown(fit["peak"] - fit["imported"], 0)),
            *(shown(100 * fit["error"]), shown(fit["log_loss"], 4), shown(fit["vectors"], 0)),
            *(seconds(fit["full_pass"]), shown(fit["seconds"] / fit["full_pass"], 1)),
            *(shown(fit["cpu"] / fit["full_pass_cpu"], 1), shown(fit["warned"], 0)),
        ]
        for _, fit in fits.iterrows()
    ]
    headers = ["rows", "as", "s", "CPU s", "readings", "peak MiB", "above imports", "error, %", "log loss"]
    headers += ["vectors", "full pass, s", "fit / full pass", "the same, CPU", "warnings"]
    text = (
        "A full pass computes 500 rbf columns at all rows and their weighted Gram matrix, with the same "
        "threads, in the same process; the fastest of three counts. Peak memory has the rows in it, where "
        "they are arrays. Fits to 20,000 rows or fewer are made in memory: readings are not counted."
    )
    return f"{text}\n\n{markdown(headers, rows)}"


def peer_section(fits: pd.DataFrame, peers: pd.DataFrame) -> Iterator[str]:
    """Yield the table of the peer, if it was run."""
    if not len(peers):
        return
    peer = peers.iloc[-1]
    both = pd.concat([fits[(fits["rows"] == peer["rows"]) & (fits["form"] == "array")], peers.tail(1)])
    rows = [
        [line["model"], seconds(line["seconds"]), shown(100 * line["error"]), shown(line["log_loss"], 4)]
        for _, line in both.iterrows()
    ]
    yield (
        f"### Beside Nystroem(500) and LogisticRegression, {peer['rows']:,} rows\n\nScaled inputs, five "
        f"folds, four gammas and three C in two processes; chosen: C and gamma {peer['chosen']}.\n\n"
        + markdown(["model", "s", "error, %", "log loss"], rows)
    )


def number_section(fits: pd.DataFrame) -> Iterator[str]:
    """Yield the table of the regressors, if they were run."""
    if not len(fits):
        return
    rows = [
        [
            *(f"{fit['rows']:,}", fit["model"], seconds(fit["seconds"]), seconds(fit["cpu"])),
            *(shown(fit["reads"], 0), shown(fit["peak"], 0), shown(fit["rmse"], 3)),
            *(shown(fit["log_score"], 3), shown(fit["vectors"], 0)),
        ]
        for _, fit in fits.sort_values(["rows", "model"]).iterrows()
    ]
    headers = ["rows", "model", "s", "CPU s", "readings", "peak MiB", "RMSE", "log score", "vectors"]
    yield (
        "### Numbers\n\nThe same inputs; targets are the latent function, whose standard deviation is 2.4, "
        "with noise of 0.5, and in a tenth of the rows of 10. Test targets have the small noise only; log "
        "scores are negative log densities.\n\n" + markdown(headers, rows)
    )


# verdicts -------------------------------------------------------------------------------------------


def verdicts(fits: pd.DataFrame, peers: pd.DataFrame) -> Iterator[str]:
    """Yield how every figure that was asked for compares."""
    yield from target_verdicts(fits)
    yield from reading_verdict(fits)
    yield from peer_verdicts(fits, peers)


def found(fits: pd.DataFrame, n_rows: int, form: str = "array") -> pd.Series | None:
    """Return the fit of a size, if there is one."""
    some = fits[(fits["rows"] == n_rows) & (fits["form"] == form)]
    return some.iloc[-1] if len(some) else None


def target_verdicts(fits: pd.DataFrame) -> Iterator[str]:
    """Yield what is asked of a million rows, as arrays and as blocks."""
    few, sample = found(fits, PEER_ROWS), found(fits, SAMPLE_ROWS)
    for form in ("array", "blocks"):
        fit, name = found(fits, TARGET_ROWS, form), f"{TARGET_ROWS:,} rows ({form})"
        if fit is None:
            yield f"- not measured: {name}"
            continue
        taken, peak = fit["seconds"], fit["peak"]
        yield verdict(taken < MOST_SECONDS, f"{name}: {taken:.1f} s (below {MOST_SECONDS})")
        yield verdict(peak < MOST_MEBIBYTES, f"{name}: {peak:.0f} MiB at most (below {MOST_MEBIBYTES})")
        ratio = taken / fit["full_pass"]
        yield verdict(
            ratio <= MOST_FULL_PASSES, f"{name}: {ratio:.1f} full passes (at most {MOST_FULL_PASSES})"
        )
        if few is not None and form == "array":
            growth = taken / few["seconds"]
            yield verdict(
                growth <= MOST_GROWTH, f"{growth:.1f} times the time of {PEER_ROWS:,} (at most {MOST_GROWTH})"
            )
        if sample is not None:
            accuracy = (100 * (1 - fit["error"]), 100 * (1 - sample["error"]))
            yield verdict(
                accuracy[0] >= accuracy[1],
                f"{name}: accuracy {accuracy[0]:.2f} %, that of a fit to the first {SAMPLE_ROWS:,} alone "
                f"{accuracy[1]:.2f} % (at or above)",
            )


def reading_verdict(fits: pd.DataFrame) -> Iterator[str]:
    many = fits[fits["rows"] > SAMPLE_ROWS]
    if len(many):
        yield verdict(
            bool(many["reads"].max() <= MOST_READS),
            f"above {SAMPLE_ROWS:,} rows all rows are read {many['reads'].max():.0f} times at most, over "
            f"{len(many)} fits (at most {MOST_READS})",
        )


def peer_verdicts(fits: pd.DataFrame, peers: pd.DataFrame) -> Iterator[str]:
    fit = found(fits, PEER_ROWS)
    some = peers[peers["rows"] == PEER_ROWS]
    if fit is None or not len(some):
        yield f"- not measured: Nystroem + LogisticRegression at {PEER_ROWS:,} rows"
        return
    peer = some.iloc[-1]
    ratio = peer["seconds"] / fit["seconds"]
    yield verdict(
        ratio >= PEER_FACTOR,
        f"{PEER_ROWS:,} rows: {ratio:.1f} times faster than Nystroem + grid (at least {PEER_FACTOR})",
    )
    accuracy = (100 * (1 - fit["error"]), 100 * (1 - peer["error"]))
    yield verdict(
        accuracy[0] >= accuracy[1], f"accuracy {accuracy[0]:.2f} % against {accuracy[1]:.2f} % (no lower)"
    )
    yield verdict(
        bool(fit["log_loss"] < peer["log_loss"]),
        f"log loss {fit['log_loss']:.4f} against {peer['log_loss']:.4f} (better)",
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling_report", description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("--page", type=Path, default=PAGE, help=f"file to write (default: {PAGE})")
    given = parser.parse_args()
    given.page.write_text(report(given.store), encoding="utf-8")


if __name__ == "__main__":
    main()
