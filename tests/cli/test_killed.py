"""Commands that are killed leave the earlier results whole or the new ones, and the next run sweeps up.

Real processes, ended by SIGKILL: before every call that changes files, and at random moments.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import rowtrust as package

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes of POSIX"),
]

SOURCE = Path(package.__file__).parents[1]
ROOT = Path(__file__).parents[2]
COMMANDS = ["fit", "predict", "clean", "export"]
SCENARIOS = [
    "fit: first",
    "fit: later",
    "fit: plain folder",
    "fit: empty folder",
    "fit: first, no links",
    "fit: later, no links",
    "fit: plain folder, no links",
    "fit: links, then none",
    "fit: no links, then some",
    "predict",
    "clean",
    "export",
]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What a script has seen that forks and kills: it runs for half a minute, once."""
    environment = {
        **os.environ,
        "PYTHONPATH": f"{SOURCE}{os.pathsep}{ROOT}",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "TMPDIR": str(tmp_path_factory.mktemp("killed")),
    }
    line = [sys.executable, str(Path(__file__).with_name("crash_points.py"))]
    result = subprocess.run(line, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_before_a_call_that_changes_files(found, scenario):
    outcome = found["points"][scenario]
    assert outcome["faults"] == []
    assert outcome["earlier"] >= 2
    assert outcome["points"] >= 4
    assert outcome["earlier"] + outcome["later"] == outcome["points"]
    if scenario in ("fit: later", "fit: plain folder", "predict", "clean", "export"):
        assert outcome["later"] >= 2  # all calls were tried, those after the one step too


def test_all_scenarios_are_looked_at(found):
    assert sorted(found["points"]) == sorted([*SCENARIOS, "fit: in pieces"])


def test_while_prepared_rows_are_kept_on_the_disk(found):
    outcome = found["points"]["fit: in pieces"]
    assert outcome["faults"] == []
    assert outcome["earlier"] == outcome["points"] == 1


@pytest.mark.parametrize("place", range(len(COMMANDS)), ids=COMMANDS)
def test_at_random_moments(found, place):
    outcome = found["moments"][place]
    assert outcome["name"] == COMMANDS[place]
    assert outcome["what"] == []
    assert outcome["kills"] == outcome["earlier"] + outcome["later"] >= 3


def test_two_fits_into_one_folder(found):
    """The one that lives waits or is refused; results are whole, and nothing is lost or left."""
    outcome = found["moments"][-1]
    assert outcome["name"] == "two fits"
    assert outcome["what"] == []
    assert outcome["leftovers"] == outcome["else_"] == 0
    assert outcome["kills"] == outcome["earlier"] + outcome["later"] == 20
