"""The files of a run appear in a folder in one step."""

import os
import shutil
import stat
import threading

import pytest

from rowtrust.atomic import folder_written_aside, folders, locks

POSIX = pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
NAMES = ("one", "two")


@pytest.fixture(params=["links", "no links"])
def links(request, monkeypatch):
    """Run a test with links, and on a system that has none."""
    if request.param == "no links":
        without_links(monkeypatch)
    elif os.name != "posix":
        pytest.skip("links of POSIX")
    return request.param == "links"


def without_links(monkeypatch):
    def refuse(*args, **kwargs):
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "symlink", refuse)
    monkeypatch.setattr(os, "link", refuse)


def names(folder):
    return sorted(each.name for each in folder.iterdir())


def rights(path):
    return stat.S_IMODE(path.stat().st_mode)


def write(folder, text):
    with folder_written_aside(folder) as run:
        for name in NAMES:
            (run / name).write_text(text)


def fail_half_way(folder):
    with folder_written_aside(folder) as run:
        (run / "one").write_text("new")
        raise OSError("the disk is full")


def shown(folder):
    return {name: (folder / name).read_text() for name in NAMES if (folder / name).exists()}


def all_of(text):
    return dict.fromkeys(NAMES, text)


def runs(folder):
    return [each for each in names(folder) if each.startswith("run-")]


def test_a_folder_appears_at_the_end(tmp_path, links):
    folder = tmp_path / "folder"
    with folder_written_aside(folder) as run:
        (run / "one").write_text("1")
        assert not folder.exists()
    assert (folder / "one").read_text() == "1"
    assert names(tmp_path) == ["folder"]
    assert names(folder) == ["current", "one", *runs(folder)]
    assert len(runs(folder)) == 1
    assert names(folder / runs(folder)[0]) == ["one"]
    assert (folder / "one").is_symlink() == links


@POSIX
def test_links_are_relative_so_that_the_folder_can_be_moved(tmp_path):
    write(tmp_path / "folder", "new")
    (tmp_path / "folder").rename(tmp_path / "moved")
    assert os.readlink(tmp_path / "moved" / "one") == "current/one"
    assert shown(tmp_path / "moved") == all_of("new")


def test_a_later_run_replaces_all_files_and_others_stay(tmp_path, links):
    folder = tmp_path / "folder"
    write(folder, "old")
    (folder / "mine").write_text("mine")
    (folder / "run-7").mkdir()
    (folder / "run-7" / "mine").write_text("mine")
    with folder_written_aside(folder) as run:
        for name in NAMES:
            (run / name).write_text("new")
        assert shown(folder) == all_of("old")
    assert shown(folder) == all_of("new")
    assert (folder / "mine").read_text() == (folder / "run-7" / "mine").read_text() == "mine"
    assert len(runs(folder)) == 2
    assert folders.current_run(folder) in runs(folder)
    assert names(tmp_path) == ["folder"]


def test_a_plain_folder_of_an_earlier_version_is_taken_over(tmp_path, links):
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in (*NAMES, "mine"):
        (folder / name).write_text("old")
    write(folder, "new")
    assert shown(folder) == all_of("new")
    assert (folder / "mine").read_text() == "old"
    assert len(runs(folder)) == 1
    assert (folder / "one").is_symlink() == links


def test_a_failure_keeps_what_was_there(tmp_path, links):
    for folder in (tmp_path / "new", tmp_path / "old"):
        if folder.name == "old":
            write(folder, "old")
        before = [names(each) for each in (tmp_path, folder) if each.exists()]
        with pytest.raises(OSError, match="full"):
            fail_half_way(folder)
        assert [names(each) for each in (tmp_path, folder) if each.exists()] == before
    assert shown(tmp_path / "old") == all_of("old")


@POSIX
@pytest.mark.parametrize("is_first", [True, False])
def test_what_killed_runs_left_is_swept_and_what_living_ones_write_is_not(tmp_path, links, is_first):
    folder = tmp_path / "folder"
    if not is_first:
        write(folder, "old")
    left = folders.new_folder(tmp_path, ".folder.rowtrust-", ".part")
    (left / "block.npy").write_text("half")
    if not is_first:
        dead = folders.new_folder(folder, folders.RUN)
        (dead / "one").write_text("half")
    with folder_written_aside(folder) as living:
        (living / "one").write_text("living")
        (living / "two").write_text("living")
        write(folder, "second")
        assert shown(folder) == all_of("second")
        assert (living / "one").read_text() == "living"
    assert shown(folder) == all_of("living")
    assert names(tmp_path) == ["folder"]
    assert len(runs(folder)) == 1


@POSIX
def test_a_file_that_the_user_has_put_there_is_shown_until_the_new_ones_are(tmp_path, monkeypatch):
    folder = tmp_path / "folder"
    write(folder, "old")
    (folder / "one").unlink()
    (folder / "one").write_text("by hand")
    seen = []
    replace = os.replace

    def watched(*paths):
        replace(*paths)
        seen.append(shown(folder))

    monkeypatch.setattr(os, "replace", watched)
    write(folder, "new")
    assert {tuple(each.items()) for each in seen} == {
        (("one", "by hand"), ("two", "old")),
        (("one", "new"), ("two", "new")),
    }


@POSIX
def test_a_link_to_a_folder_stays(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there/folder")
    for text in ("old", "new"):  # it leads nowhere at first
        write(tmp_path / "link", text)
        assert os.readlink(tmp_path / "link") == "there/folder"
        assert shown(tmp_path / "there" / "folder") == all_of(text)


@POSIX
def test_rights_are_those_of_the_umask_or_of_earlier_files(tmp_path):
    before = os.umask(0o027)
    try:
        write(tmp_path / "folder", "old")
        assert rights(tmp_path / "folder") == rights(tmp_path / "folder" / "current") == 0o750
        assert rights(tmp_path / "folder" / "one") == 0o640
        (tmp_path / "folder").chmod(0o700)
        (tmp_path / "folder" / "one").chmod(0o600)
        write(tmp_path / "folder", "new")
    finally:
        os.umask(before)
    assert rights(tmp_path / "folder") == 0o700
    assert rights(tmp_path / "folder" / "one") == 0o600
    assert rights(tmp_path / "folder" / "two") == 0o640


@pytest.mark.parametrize("kind", ["folder", "text"])
def test_something_else_of_the_name_of_the_link_is_refused(tmp_path, kind):
    (tmp_path / "current").mkdir() if kind == "folder" else (tmp_path / "current").write_text("mine")
    with pytest.raises(ValueError, match="was not made by rowtrust"):
        write(tmp_path, "new")
    assert names(tmp_path) == ["current"]


@POSIX
def test_two_first_runs_at_once_leave_the_files_of_one(tmp_path):
    folder = tmp_path / "folder"
    ready = threading.Barrier(4)

    def run(number):
        with folder_written_aside(folder) as aside:
            for name in NAMES:
                (aside / name).write_text(str(number))
            ready.wait()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shown(folder) in [all_of(str(number)) for number in range(4)]
    assert names(tmp_path) == ["folder"]
    assert len(runs(folder)) == 1


@POSIX
def test_a_run_that_became_the_current_one_is_not_swept(tmp_path, monkeypatch):
    """One process lists the runs, another one ends: its run is current now, and nobody has it locked."""
    folder = tmp_path / "folder"
    write(folder, "old")
    listed = os.listdir

    def late(place):
        found = listed(place)
        if place == folder and not late.done:
            late.done = True
            write(folder, "new")
        return [*found, *listed(place)]

    late.done = False
    monkeypatch.setattr(locks.os, "listdir", late)
    folders.sweep_runs(folder)
    assert shown(folder) == all_of("new")


def test_a_folder_that_somebody_removes_is_not_waited_for(tmp_path, monkeypatch):
    """Its lock was tried again and again for ever."""
    folder = tmp_path / "results"
    folder.mkdir()
    monkeypatch.setattr(folders, "finish", lambda run, folder: shutil.rmtree(folder))
    with pytest.raises(FileNotFoundError), folder_written_aside(folder) as run:
        (run / "report.html").write_text("new")
