"""Files appear whole or not at all."""

import os
import re
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import rowtrust
from rowtrust.atomic import files, locks, written_aside

POSIX = pytest.mark.skipif(os.name != "posix", reason="files of POSIX")
SOURCE = Path(rowtrust.__file__).parents[1]


def names(folder):
    return sorted(each.name for each in folder.iterdir())


def rights(path):
    return stat.S_IMODE(path.stat().st_mode)


def fail_half_way(writing, error):
    """Write something, then fail."""
    with writing as aside:
        aside.write_text("new")
        raise error


def test_a_file_appears_at_the_end(tmp_path):
    path = tmp_path / "file"
    with written_aside(path) as aside:
        aside.write_text("new")
        assert not path.exists()
        assert aside.parent == tmp_path
    assert path.read_text() == "new"
    assert names(tmp_path) == ["file"]


def test_a_failure_keeps_the_older_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        fail_half_way(written_aside(path), KeyboardInterrupt())
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file"]


def test_a_name_without_a_folder_is_written_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with written_aside("file") as aside:
        aside.write_text("new")
    assert names(tmp_path) == ["file"]


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_rights_are_those_of_the_umask(tmp_path, mask):
    before = os.umask(mask)
    try:
        with written_aside(tmp_path / "file") as aside:
            aside.write_text("new")
    finally:
        os.umask(before)
    assert rights(tmp_path / "file") == 0o666 & ~mask


@POSIX
def test_rights_of_an_earlier_file_are_kept(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o640)
    write(path)
    assert rights(path) == 0o640


def write(path, text="new"):
    with written_aside(path) as aside:
        aside.write_text(text)


@POSIX
@pytest.mark.parametrize("dangling", [False, True])
def test_a_link_stays_and_its_target_is_replaced(tmp_path, dangling):
    (tmp_path / "there").mkdir()
    target = tmp_path / "there" / "target"
    if not dangling:
        target.write_text("old")
    (tmp_path / "first").symlink_to("second")
    (tmp_path / "second").symlink_to("there/target")
    with written_aside(tmp_path / "first") as aside:
        aside.write_text("new")
        assert aside.parent == tmp_path / "there"
    assert os.readlink(tmp_path / "first") == "second"
    assert os.readlink(tmp_path / "second") == "there/target"
    assert target.read_text() == "new"
    assert names(tmp_path / "there") == ["target"]


@POSIX
def test_a_link_that_leads_to_itself_is_an_error(tmp_path):
    (tmp_path / "file").symlink_to("file")
    with pytest.raises(OSError, match="links"):
        write(tmp_path / "file")
    assert names(tmp_path) == ["file"]


@POSIX
def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_text()), daemon=True)
    reader.start()
    write(tmp_path / "pipe", "new" * 100_000)
    reader.join(timeout=10)
    assert read == ["new" * 100_000]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert names(tmp_path) == ["pipe"]


@POSIX
def test_a_failure_writes_nothing_into_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(KeyboardInterrupt):  # without waiting for a reader
        fail_half_way(written_aside(tmp_path / "pipe"), KeyboardInterrupt())


@POSIX
def test_a_device_is_written_to(tmp_path):
    write("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    (tmp_path / "nothing").symlink_to("/dev/null")
    write(tmp_path / "nothing")
    assert (tmp_path / "nothing").is_symlink()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="needs /dev/stdout")
def test_standard_output_is_written_to_after_what_stands_there(tmp_path):
    code = """
from rowtrust.atomic import written_aside
print("first")
with written_aside("/dev/stdout") as aside:
    aside.write_text("second\\n")
print("third")
"""
    (tmp_path / "log").write_text("zeroth\n")
    with open(tmp_path / "log", "a") as log:
        subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(SOURCE)}, stdout=log, check=True)
    assert (tmp_path / "log").read_text() == "zeroth\nfirst\nsecond\nthird\n"
    assert names(tmp_path) == ["log"]
    piped = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(SOURCE)}, capture_output=True, check=True
    )
    assert piped.stdout == b"first\nsecond\nthird\n"


def test_a_folder_is_an_error(tmp_path):
    with pytest.raises(IsADirectoryError):
        write(tmp_path)
    assert names(tmp_path) == []


@POSIX
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anything
    with pytest.raises(PermissionError):
        write(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "old"


def test_a_long_name_can_be_written(tmp_path):
    path = tmp_path / ("n" * 255)
    write(path)
    assert path.read_text() == "new"
    assert names(tmp_path) == [path.name]


def left_behind(path, text="half"):
    """Make what a killed process leaves behind, with the writer's own names."""
    left = files.new_file(path.parent, files.aside_start(path.name))
    left.write_text(text)
    return left


@POSIX
def test_what_killed_runs_left_is_swept_and_nothing_else(tmp_path):
    path = tmp_path / "out.csv"
    left = left_behind(path)
    others = [tmp_path / ".out.csv.download.part", tmp_path / "out.csv.part", left_behind(tmp_path / "out")]
    for other in others:
        other.write_text("mine")
    assert re.fullmatch(r"\.out\.csv\.rowtrust-\w+\.part", left.name)
    write(path)
    assert not left.exists()
    assert names(tmp_path) == sorted(["out.csv", *(other.name for other in others)])


@POSIX
def test_what_a_living_run_writes_is_not_swept(tmp_path):
    path = tmp_path / "file"
    with written_aside(path) as first:
        first.write_text("first")
        write(path, "second")
        assert first.read_text() == "first"
        assert path.read_text() == "second"
    assert path.read_text() == "first"
    assert names(tmp_path) == ["file"]


@POSIX
def test_a_file_that_is_swept_before_it_is_locked_is_made_again(tmp_path):
    made = []

    def make():
        path = tmp_path / f"file-{len(made)}"
        path.write_text("")
        made.append(path)
        if len(made) < 3:
            path.unlink()
        return path

    with locks.claimed(make) as path:
        assert path == tmp_path / "file-2"


@pytest.mark.parametrize("none", ["no module", "no locks here"])
def test_without_locks_age_tells_the_dead(tmp_path, monkeypatch, none):
    if none == "no module":
        monkeypatch.setattr(locks, "fcntl", None)
    else:
        fcntl = pytest.importorskip("fcntl")

        def refuse(*args):
            raise OSError(95, "Operation not supported")

        monkeypatch.setattr(fcntl, "flock", refuse)
    path = tmp_path / "file"
    old, young = left_behind(path), left_behind(path)
    past = time.time() - locks.DEAD_AFTER - 1.0
    os.utime(old, (past, past))
    write(path)
    assert path.read_text() == "new"
    assert names(tmp_path) == sorted([young.name, "file"])


def test_files_are_on_the_disk_before_they_replace_others(tmp_path, monkeypatch):
    steps = []
    monkeypatch.setattr(files, "on_disk", lambda path: steps.append(("on disk", path.name)))
    replace = os.replace
    monkeypatch.setattr(os, "replace", lambda *paths: (steps.append("replace"), replace(*paths)))
    write(tmp_path / "file")
    assert steps[0][1].startswith(".file")
    assert steps[1:] == ["replace", ("on disk", tmp_path.name)]
