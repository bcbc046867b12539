"""Files and folders appear whole or not at all."""

import os
import stat

import pytest

from rowtrust.atomic import folder_written_aside, written_aside


def names(folder):
    return sorted(each.name for each in folder.iterdir())


def rights(path):
    return stat.S_IMODE(path.stat().st_mode)


def fail_half_way(writing, error):
    """Write something, then fail."""
    with writing as aside:
        (aside / "one" if aside.is_dir() else aside).write_text("new")
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


def test_a_folder_appears_at_the_end(tmp_path):
    folder = tmp_path / "folder"
    with folder_written_aside(folder) as aside:
        (aside / "one").write_text("1")
        assert not folder.exists()
    assert names(folder) == ["one"]
    assert names(tmp_path) == ["folder"]


def test_files_of_an_older_folder_are_replaced_and_others_stay(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "one").write_text("old")
    (folder / "mine").write_text("mine")
    with folder_written_aside(folder) as aside:
        (aside / "one").write_text("new")
        assert (folder / "one").read_text() == "old"
    assert {each.name: each.read_text() for each in folder.iterdir()} == {"one": "new", "mine": "mine"}
    assert names(tmp_path) == ["folder"]


def test_a_failure_leaves_no_folder(tmp_path):
    with pytest.raises(OSError, match="full"):
        fail_half_way(folder_written_aside(tmp_path / "folder"), OSError("the disk is full"))
    assert names(tmp_path) == []


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_rights_are_those_of_the_umask(tmp_path, mask):
    before = os.umask(mask)
    try:
        with written_aside(tmp_path / "file") as aside:
            aside.write_text("new")
        with folder_written_aside(tmp_path / "folder"):
            pass
    finally:
        os.umask(before)
    assert rights(tmp_path / "file") == 0o666 & ~mask
    assert rights(tmp_path / "folder") == 0o777 & ~mask
