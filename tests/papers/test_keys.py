"""Records are told apart by the code and the data that made them."""

import ast
import shutil

import numpy as np
import pytest

from papers import code, datasets
from papers.code import PAPERS, digest_of, imported
from papers.experiments import Experiment
from papers.hwang.protocol import split_once
from papers.store import Store


@pytest.fixture
def fresh():
    """Forget digests, before and after: files are changed under them."""

    def forget():
        for function in (digest_of, code.statements):
            function.cache_clear()

    forget()
    yield forget
    forget()


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A copy of this package and of the library, whose files a test may change."""
    for name, place in (("PAPERS", code.PAPERS), ("LIBRARY", code.LIBRARY)):
        there = tmp_path / place.name
        shutil.copytree(place, there, ignore=shutil.ignore_patterns("__pycache__"))
        monkeypatch.setattr(code, name, there)
    return tmp_path


def test_what_is_imported_on_the_way_is_part_of_the_code():
    names = {code.place(path) for path in imported(PAPERS / "hwang" / "protocol.py")}
    assert {"papers/hwang/protocol.py", "papers/hwang/models.py", "papers/datasets.py"} <= names
    assert {"rowtrust/estimators/_machine.py", "rowtrust/inference/working_set.py"} <= names


@pytest.mark.parametrize("paper", ["hwang", "chu", "li"])
def test_how_results_are_shown_is_no_part_of_the_code(paper):
    names = {code.place(path) for path in imported(PAPERS / paper / "protocol.py")}
    shows = {"tables.py", "pages.py", "results.py", "command.py", "pictures.py", "store.py"}
    assert not names & {f"papers/{each}" for each in shows}
    assert not any(name.startswith(("rowtrust/cli/", "rowtrust/workflow/")) for name in names)


def test_a_change_of_code_is_another_key_but_of_what_is_said_or_shown_is_none(copied, fresh):
    module = copied / "papers" / "hwang" / "protocol.py"
    before = digest_of(module)
    for changed, text in (
        ("papers/pages.py", "CHANGED = True"),
        ("rowtrust/displays/looks.py", "CHANGED = True"),
        ("rowtrust/cli/fit.py", "CHANGED = True"),
        ("rowtrust/__init__.py", "CHANGED = True"),
        ("papers/hwang/models.py", "# changed"),
        ("rowtrust/likelihoods/logistic.py", '"""Changed."""'),
    ):
        with (copied / changed).open("a") as file:
            file.write(f"\n{text}\n")
    fresh()
    assert digest_of(module) == before
    for changed in ("papers/hwang/models.py", "rowtrust/numerics/__init__.py"):
        with (copied / changed).open("a") as file:
            file.write("\nCHANGED = True\n")
        fresh()
        last, before = before, digest_of(module)
        assert before != last


def test_nobody_hides_what_it_runs_behind_the_public_names():
    packages = {each.stem for each in code.LIBRARY.iterdir()}
    for folder in (PAPERS, code.LIBRARY):
        for file in folder.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module == "rowtrust":
                    assert {alias.name for alias in node.names} <= packages | {"__version__"}, file


@pytest.mark.parametrize("paper", ["hwang", "chu", "li"])
def test_nothing_that_experiments_run_is_imported_by_a_name_made_up_on_the_way(paper):
    for file in imported(PAPERS / paper / "protocol.py"):
        text = file.read_text(encoding="utf-8")
        assert "import_module" not in text, file
        assert file == PAPERS / "code.py" or "\nimport rowtrust\n" not in text, file


def test_imports_by_dots_are_refused(copied, fresh):
    module = copied / "papers" / "hwang" / "protocol.py"
    with module.open("a") as file:
        file.write("\nfrom . import models\n")
    with pytest.raises(ValueError, match="imports by dots"):
        digest_of(module)


@pytest.fixture
def unread():
    """Forget data, before and after: what is fetched is changed."""

    def forget():
        for function in (datasets.load, datasets.digest):
            function.cache_clear()

    forget()
    yield forget
    forget()


def test_a_change_of_data_is_another_key(monkeypatch, unread):
    X, y = np.arange(6.0).reshape(3, 2), np.array([0, 1, 0])
    experiment = Experiment("cell", split_once, datasets=("toy",))
    keys = []
    for rows in (X, X + 1.0, X):
        unread()
        monkeypatch.setitem(datasets.FETCHERS, "toy", lambda data, return_X_y, rows=rows: (rows, y))
        keys.append(experiment.fingerprint(0, None))
    assert keys[0] == keys[2] != keys[1]


def test_the_place_of_the_data_is_none(monkeypatch, tmp_path, unread):
    monkeypatch.setitem(datasets.FETCHERS, "toy", lambda data, return_X_y: (np.eye(2), np.array([0, 1])))
    experiment = Experiment("cell", split_once, datasets=("toy",))
    assert experiment.fingerprint(0, "here") == experiment.fingerprint(0, "there")
    assert Store(tmp_path, data="here").path(experiment, 0) == Store(tmp_path, data="there").path(
        experiment, 0
    )
