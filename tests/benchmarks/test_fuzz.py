"""The fuzzer passes what is sound, finds what is planted, and goes on after a crash."""

import os
import re
import signal
import time
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from benchmarks import fuzz, fuzz_exports, fuzz_models, fuzz_relations, fuzz_tables, fuzz_workers
from benchmarks.fuzz_outcomes import Fault, Refused, asked, check_words, only_known_warnings, outcome_of
from benchmarks.fuzz_workers import Limits, Task, alarmed
from rowtrust import RVC
from rowtrust.predictive import PredictiveModel
from rowtrust.workflow.tables.reading import Records


def run(kind, seed=0, tell=lambda line: None):
    return alarmed(fuzz.CASES[kind], Task(kind, seed), tell, 60.0)


def statuses(cases, limits=Limits(), jobs=1):  # noqa: B008
    tasks = iter([Task(kind, seed) for seed, kind in enumerate(cases)])
    found = fuzz_workers.outcomes(tasks, cases, limits, jobs)
    return {task.kind: outcome for task, outcome, _ in found}


@pytest.mark.parametrize("kind", list(fuzz.CASES))
def test_some_cases_of_every_kind_pass(kind):
    counts = fuzz.fuzz((kind,), seed=3, seconds=120.0, cases=3)
    assert counts.kinds[kind].cases == 3
    assert counts.failures == [], counts.report()


@pytest.mark.parametrize("kind", list(fuzz.CASES))
def test_a_case_follows_from_its_kind_and_seed(kind):
    told = []
    for _ in range(2):
        lines = []
        outcome = run(kind, 11, lines.append)
        text = re.sub(r"rowtrust-fuzz-\w+", "", f"{lines} {outcome.text}")
        told.append((outcome.status, text))
    assert told[0] == told[1]
    assert run(kind, 12, lines.append) != told


# planted faults ----------------------------------------------------------------------------------------


def test_numbers_that_are_not_finite_are_found(monkeypatch):
    monkeypatch.setattr(PredictiveModel, "probabilities", lambda self, X: np.full((X.shape[0], 2), np.nan))
    monkeypatch.setattr(fuzz_workers, "CASES_OF_A_WORKER", 5)
    counts = fuzz.fuzz(("fits",), seed=0, seconds=120.0, cases=20)
    assert "not finite" in counts.kinds["fits"].by_status
    assert counts.kinds["fits"].cases == 20


def planted_case(action):
    def case(generator, tell):
        action()

    return case


def loop_for_ever():
    while True:
        pass


def block_the_alarm():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM, signal.SIGPROF])
    time.sleep(60)


def test_hangs_crashes_and_lack_of_memory_are_counted_and_the_run_goes_on(monkeypatch):
    monkeypatch.setattr(fuzz_workers, "GRACE", 0.5)
    cases = {
        "sleep": planted_case(lambda: time.sleep(60)),
        "loop": planted_case(loop_for_ever),
        "deaf": planted_case(block_the_alarm),
        "crash": planted_case(os.abort),
        "end": planted_case(lambda: os._exit(3)),
        "memory": planted_case(lambda: np.ones(2**28)),
        "sound": planted_case(lambda: None),
    }
    found = statuses(cases, Limits(seconds=0.5, memory=2**29), jobs=2)
    assert {kind: outcome.status for kind, outcome in found.items()} == {
        "sleep": "hang",
        "loop": "hang",
        "deaf": "hang",
        "crash": "crash",
        "end": "crash",
        "memory": "memory",
        "sound": "passed",
    }
    assert found["crash"].text == "killed by signal 6"
    assert found["end"].text == "exit code 3"


def test_a_crash_is_told_by_its_place(monkeypatch):
    monkeypatch.setattr(RVC, "_validate_rows", lambda *arguments: os.abort())
    case = planted_case(lambda: RVC().fit([[0.0], [1.0]], [0, 1]))
    assert statuses({"fits": case})["fits"].place == "estimators._machine.fit"


@pytest.mark.parametrize("folder", ["rowtrust", "rowtrust/x/rowtrust", "x+y"])
def test_a_place_does_not_depend_on_the_folders_above_the_package(monkeypatch, folder):
    monkeypatch.setattr(fuzz_workers, "PACKAGE", f"{folder}/src/rowtrust")
    words = (
        f'  File "{folder}/rowtrust/benchmarks/fuzz.py", line 3 in run\n'
        f'  File "{folder}/src/rowtrust/io.py", line 7 in load\n'
        f'  File "{folder}/src/rowtrust/cli/fit.py", line 9 in fit\n'
    )
    assert fuzz_workers.last_place(words) == "io.load"


def test_a_relation_that_does_not_hold_is_found(monkeypatch):
    def spoilt(generator, rows):
        return fuzz_relations.replace(rows, X=generator.permutation(rows.X))

    relation = fuzz_relations.Relation(spoilt, fuzz_relations.LOOSE)
    monkeypatch.setattr(fuzz_relations, "RELATIONS", {"again": relation})
    assert any(run("relations", seed).status == "relation" for seed in range(30))


@pytest.mark.slow
def test_a_copy_that_lost_a_row_is_found(monkeypatch):
    honest = Records.write_without

    def lossy(self, left_out, output):
        return honest(self, {*left_out, 1}, output)

    monkeypatch.setattr(Records, "write_without", lossy)
    assert any(run("tables", seed).status == "output" for seed in range(30))


def test_another_error_than_that_of_model_files_is_found(monkeypatch):
    def careless(path):
        raise KeyError("content")

    monkeypatch.setattr(fuzz_models, "load", careless)
    assert run("models").status == "exception"


def test_an_export_of_other_numbers_is_found(monkeypatch):
    honest = fuzz_exports.in_c
    shifted = {"C": lambda *arguments: 1.001 * honest(*arguments)}
    monkeypatch.setattr(fuzz_exports, "EXPORTS", shifted)
    monkeypatch.setattr(fuzz_exports, "AVAILABLE", {"C": lambda: True})
    if fuzz_exports.compiler() is None:
        pytest.skip("no C compiler on this machine")
    assert any(run("exports", seed).status == "relation" for seed in range(30))


# words and warnings -------------------------------------------------------------------------------------


def raised_here():
    raise ValueError("a message that nobody in the package has raised")


@pytest.mark.parametrize(
    "careless",
    [
        raised_here,
        lambda: np.zeros(3).reshape(2, 2),
        lambda: {}["key"],
    ],
)
def test_errors_that_nobody_raised_are_no_refusals(careless):
    assert outcome_of(lambda: asked(careless)).status in ("words", "exception")


def test_refusals_of_the_package_and_of_scikit_learn_are():
    for model, X in ((RVC(gamma=-1.0), [[0.0], [1.0]]), (RVC(), [[0.0], [np.inf]]), (RVC(), [[0.0]])):
        with pytest.raises(Refused):
            asked(model.fit, X, [0, 1][: len(X)])


@pytest.mark.parametrize("text", ["", "0", "class np.int64(3) is none of them", "<Kernel object at 0x7f>"])
def test_messages_must_be_words(text):
    try:
        raise ValueError(text)
    except ValueError as error:
        with pytest.raises(Fault):
            check_words(error)


def test_only_known_warnings_pass():
    with only_known_warnings():
        warnings.warn("not converged", ConvergenceWarning, stacklevel=1)
    with pytest.raises(Fault, match="RuntimeWarning"), only_known_warnings():
        np.float64(1.0) / np.float64(0.0)


# the command --------------------------------------------------------------------------------------------


def test_the_report_has_one_line_to_reproduce_each_distinct_failure(monkeypatch, capsys):
    def case(generator, tell):
        tell("told")
        raise KeyError(int(generator.integers(10**9)))

    monkeypatch.setitem(fuzz.CASES, "fits", case)
    assert fuzz.main(["--only", "fits", "--cases", "4", "--seed", "0"]) == 1
    report = capsys.readouterr().out
    assert "| fits | 4 | 0 | 0 | 4 | 4 exception |" in report
    lines = re.findall(r"--again (fits:\d+)\n    exception \((\d) x\)", report)
    assert len(lines) == 2  # once when it was found, once at the end
    assert lines[-1][1] == "4"
    assert fuzz.main(["--again", lines[-1][0]]) == 1
    again = capsys.readouterr().out
    assert "told" in again
    assert "KeyError" in again


def test_a_run_without_a_failure_ends_with_zero(monkeypatch, capsys):
    monkeypatch.setitem(fuzz.CASES, "fits", planted_case(lambda: None))
    assert fuzz.main(["--only", "fits", "--cases", "2", "--jobs", "2"]) == 0
    assert "No failure." in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--only", "nonsense"], ["--again", "fits"], ["--again", "no:1"]])
def test_unknown_kinds_are_refused(arguments):
    with pytest.raises(SystemExit) as end:
        fuzz.main(arguments)
    assert end.value.code == 2


def test_a_warning_about_the_data_is_no_fault_of_the_command():
    """A run that succeeds may speak of its data on standard error, however severe that is."""
    for severity in ("note", "warning", "severe"):
        assert f"rowtrust: {severity}: class of few rows".startswith(fuzz_tables.REMARKS)
    assert not "rowtrust: cannot be read".startswith(fuzz_tables.REMARKS)
