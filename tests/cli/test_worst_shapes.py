"""The worst shapes of tables below 1 MB: whatever a command makes of them, it takes little memory.

Times are printed, not asserted: ``make test-slow`` with ``-rP`` shows them.
"""

import os
import re
import subprocess
import sys
import time

import numpy as np
import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="memory as Linux tells it"),
]

MOST_BYTES = 10**6
MOST_MEGABYTES = 1024
MOST_SECONDS = 600  # an alarm against hanging on busy machines; the promise is 120 s on one that is not

RNG = np.random.default_rng(0)


def lines(header, rows):
    return "\n".join([",".join(header), *(",".join(row) for row in rows)]) + "\n"


def numbers(n_rows, n_columns):
    return [[f"{each:.3g}" for each in row] for row in RNG.normal(size=(n_rows, n_columns))]


def labels(n_rows):
    return RNG.choice(["yes", "no"], n_rows).tolist()


def long_labels():
    rows = [[*row, label] for row, label in zip(numbers(300, 2), labels(300), strict=True)]
    rows[3][-1] = "x" * 900_000
    return lines(["a", "b", "y"], rows)


def many_columns():
    names = [f"c{place}" for place in range(3000)]
    return lines(
        [*names, "y"], [[*row, label] for row, label in zip(numbers(50, 3000), labels(50), strict=True)]
    )


def many_classes():
    return lines(["a", "b", "y"], [[*row, f"k{place % 100}"] for place, row in enumerate(numbers(3000, 2))])


def many_categories():
    words = [[f"w{place}", f"v{place % 3000}"] for place in range(6000)]
    return lines(["a", "b", "y"], [[*pair, label] for pair, label in zip(words, labels(6000), strict=True)])


def long_cells():
    rows = [["z" * 20_000, *row, label] for row, label in zip(numbers(40, 2), labels(40), strict=True)]
    return lines(["text", "a", "b", "y"], rows)


def ragged():
    rows = [[*row, label] for row, label in zip(numbers(20_000, 4), labels(20_000), strict=True)]
    return lines(["a", "b", "c", "d", "y"], [row[: 1 + place % 5] for place, row in enumerate(rows)])


def all_text():
    words = RNG.choice(["lorem", "ipsum", "dolor", "sit", "amet"], (20_000, 6)).tolist()
    return lines([*"abcdef", "y"], [[*row, label] for row, label in zip(words, labels(20_000), strict=True)])


def all_missing():
    return lines([*"abcdefgh", "y"], [[""] * 8 + [label] for label in labels(70_000)])


SHAPES = [long_labels, many_columns, many_classes, many_categories, long_cells, ragged, all_text, all_missing]

COMMAND = """
import sys
from time import process_time
from benchmarks.memory import resident_peak
from rowtrust.cli import app
sys.argv[0] = "rowtrust"
try:
    app()
finally:
    print(f"PEAK {resident_peak():.0f} {process_time():.0f}", file=sys.stderr)
"""


@pytest.mark.parametrize("command", ["fit", "audit"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_a_small_file_takes_little_memory(shape, command, tmp_path):
    text = shape()
    assert len(text) <= MOST_BYTES
    (tmp_path / "data.csv").write_text(text)
    options = ["-o", "results"] if command == "fit" else ["--no-effect", "-o", "all.csv"]
    line = [sys.executable, "-c", COMMAND, command, "data.csv", "-t", "y", *options]
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
    start = time.perf_counter()
    result = subprocess.run(
        line, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=MOST_SECONDS, check=False
    )
    seconds = time.perf_counter() - start
    megabytes, work = map(float, re.search(r"PEAK (\d+) (\d+)", result.stderr).groups())
    said = [each for each in result.stderr.splitlines() if not each.startswith("PEAK")]
    how = "done" if result.returncode == 0 else said[-1]
    took = f"{megabytes:.0f} MiB, {work:.0f} s of work in {seconds:.0f}"
    print(f"{command}, {shape.__name__}, {len(text)} bytes: {took}, {how}")
    assert megabytes < MOST_MEGABYTES
    assert result.returncode == 0 or said[-1].startswith("rowtrust: ")
    assert "Traceback" not in result.stderr
