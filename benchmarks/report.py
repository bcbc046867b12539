"""Tables and verdicts in plain text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.race import Record


def print_title(title: str) -> None:
    print(f"\n{title}\n{'=' * len(title)}", flush=True)


def print_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print aligned columns: words to the left, numbers to the right."""
    cells = [list(headers), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    words = [not is_number(column[-1]) for column in zip(*cells, strict=True)]
    rule = ["-" * width for width in widths]
    for line in [cells[0], rule, *cells[1:]]:
        padded = [
            cell.ljust(width) if word else cell.rjust(width)
            for cell, width, word in zip(line, widths, words, strict=True)
        ]
        print("  ".join(padded).rstrip(), flush=True)


def is_number(text: str) -> bool:
    return text[:1].isdigit() or text in ("", "-")


def verdict(reached: bool, text: str) -> None:
    """Print how a figure of this run compares with its target."""
    print(f"{'reached' if reached else 'MISSED'}: {text}", flush=True)


def print_races(title: str, races: dict[int, dict[str, Record]], baseline: str, score: str) -> None:
    """Print races by number of rows: time, time over that of the baseline, score and vectors."""
    print_title(title)
    rows = [
        [
            f"{n_rows}",
            record.name,
            f"{len(record.runs)}",
            seconds(record.seconds),
            f"{record.seconds / records[baseline].seconds:.2f}",
            f"{record.mean(score):.4f}",
            f"{record.vectors:.0f}",
        ]
        for n_rows, records in races.items()
        for record in records.values()
    ]
    print_table(["n", "model", "runs", "fit s", f"x {baseline}", score, "vectors"], rows)
    print_warnings(record for records in races.values() for record in records.values())


def print_warnings(records: Iterable[Record]) -> None:
    """Print which models warned during fits (of no convergence, say), and how often."""
    counts: dict[str, int] = {}
    for record in records:
        warned = sum(run.warned for run in record.runs)
        counts[record.name] = counts.get(record.name, 0) + warned
    spoken = [f"{name} {count}" for name, count in counts.items() if count]
    if spoken:
        print(f"fits with a warning: {', '.join(spoken)}", flush=True)


def seconds(value: float) -> str:
    """Return a time with about three digits."""
    return f"{value:.4f}" if value < 0.1 else f"{value:.3f}" if value < 10 else f"{value:.1f}"


def faster_verdict(records: dict[str, Record], model: str, peer: str, target: float, n_rows: int) -> None:
    """Say how many times faster than the peer a model is."""
    ratio = records[peer].seconds / records[model].seconds
    verdict(
        ratio >= target,
        f"{model} is {ratio:.1f} x faster than {peer} at n = {n_rows} (target {target:g})",
    )
