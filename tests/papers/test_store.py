"""Repeats: a killed run goes on where it stopped, and loses nothing that was done."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from joblib import parallel_config

from papers.experiments import Experiment
from papers.store import Store, write_text

ROOT = Path(__file__).parents[2]

SLOW = """
import sys, time
from pathlib import Path
from papers.experiments import Experiment
from papers.store import Store

def slow(seed, data, **settings):
    with (Path(data) / "calls.txt").open("a") as file:
        file.write(f"{seed}\\n")
    time.sleep(settings["pause"])
    return {"seed": seed}

experiment = Experiment("slow", slow, {"pause": 0.3}, repeats=6)
"""
RUN = """
store = Store(Path(sys.argv[1]), seed=5, data=sys.argv[2], jobs=int(sys.argv[3]))
print(len(store.collect([experiment])["slow"]))
"""


def constant(seed, data, *, value=1.0):
    return {"seed": seed, "value": value}


def start(script, tmp_path, jobs):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    command = [sys.executable, str(script), str(tmp_path / "repeats"), str(tmp_path), str(jobs)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def finished(tmp_path):
    return sorted((tmp_path / "repeats").rglob("*.json"))


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs a signal that cannot be caught")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_run_loses_no_finished_repeat(tmp_path, jobs):
    script = tmp_path / "run.py"
    script.write_text(SLOW + RUN)
    process = start(script, tmp_path, jobs)
    deadline = time.monotonic() + 30
    while len(finished(tmp_path)) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    before = {path: (path.stat().st_mtime_ns, path.read_text()) for path in finished(tmp_path)}
    assert 2 <= len(before) < 6

    process = start(script, tmp_path, jobs)
    printed, _ = process.communicate(timeout=60)
    assert printed.strip() == "6"
    assert len(finished(tmp_path)) == 6
    for path, state in before.items():
        assert (path.stat().st_mtime_ns, path.read_text()) == state
    # Only what was under way when the run was killed may have begun twice.
    assert len((tmp_path / "calls.txt").read_text().split()) <= 6 + jobs


def test_finished_repeats_are_not_run_again(tmp_path):
    store = Store(tmp_path)
    experiment = Experiment("constant", constant, {"value": 2.0}, repeats=3)
    first = store.collect([experiment])["constant"]
    assert store.missing([experiment]) == []
    assert store.collect([experiment])["constant"] == first
    assert [record["value"] for record in first] == [2.0, 2.0, 2.0]


def test_more_repeats_keep_the_first_ones(tmp_path):
    store = Store(tmp_path)
    few = store.collect([Experiment("constant", constant, repeats=2)])["constant"]
    many = store.collect([Experiment("constant", constant, repeats=4)])["constant"]
    assert many[:2] == few
    assert len({record["seed"] for record in many}) == 4


def test_other_settings_or_seeds_are_other_records(tmp_path):
    experiment = Experiment("constant", constant, {"value": 1.0})
    Store(tmp_path).collect([experiment])
    assert Store(tmp_path, seed=1).missing([experiment])
    assert Store(tmp_path).missing([Experiment("constant", constant, {"value": 2.0})])
    assert Store(tmp_path, data="elsewhere").missing([experiment]) == []


def test_a_stream_pairs_its_studies():
    first = Experiment("a", constant, stream="shared")
    second = Experiment("b", constant, stream="shared")
    assert first.seed(0, 7) == second.seed(0, 7) != first.seed(0, 8)


def test_parallel_repeats_are_those_of_one_process(tmp_path):
    experiment = Experiment("constant", constant, {"value": 3.0}, repeats=4)
    one = Store(tmp_path / "one", jobs=1).collect([experiment])["constant"]
    two = Store(tmp_path / "two", jobs=2).collect([experiment])["constant"]
    assert [record["seed"] for record in one] == [record["seed"] for record in two]


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    file = tmp_path / "result.json"
    write_text(file, "old")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        write_text(file, "new")
    assert file.read_text() == "old"


def test_progress_sees_every_repeat(tmp_path):
    seen = []

    def progress(names, total):
        assert total == 3
        for name in names:
            seen.append(name)
            yield name

    Store(tmp_path).collect([Experiment("constant", constant, repeats=3)], progress)
    assert seen == ["constant"] * 3


def test_repeats_run_on_a_cluster(client, tmp_path):
    experiment = Experiment("constant", constant, {"value": 2.0}, repeats=3)
    alone = Store(tmp_path / "alone", seed=1, data=None, jobs=1).collect([experiment])
    with parallel_config(backend="dask"):
        there = Store(tmp_path / "there", seed=1, data=None, jobs=2).collect([experiment])
    seeds = [[record["seed"] for record in found["constant"]] for found in (alone, there)]
    assert len(seeds[0]) == 3
    assert seeds[0] == seeds[1]


def sometimes(seed, data, *, bad):
    if seed == bad:
        raise ValueError("no fit")
    return {"seed": seed}


def test_a_failed_repeat_leaves_the_others(tmp_path):
    bad = Experiment("sometimes", sometimes, {"bad": 0}).seed(0, 1)
    experiment = Experiment("sometimes", sometimes, {"bad": bad}, repeats=4)
    with pytest.raises(ValueError, match="no fit") as caught:
        Store(tmp_path).collect([experiment])
    assert "in repeat 1 of sometimes" in caught.value.__notes__
    assert "1 of 4 repeats failed; the others are kept" in caught.value.__notes__
    assert Store(tmp_path).missing([experiment]) == [(experiment, 1)]


def test_a_record_of_other_code_is_not_filed(tmp_path):
    store, experiment = Store(tmp_path), Experiment("constant", constant)
    with pytest.raises(RuntimeError, match="changed while it ran"):
        store.perform(experiment, 0, tmp_path / "of-older-code" / "0000.json")
    assert not list(tmp_path.rglob("*.json"))
