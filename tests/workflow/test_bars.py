"""The bar of a study in a notebook."""

import re
import sys
from functools import partial
from threading import Event
from types import SimpleNamespace

import pytest

pytest.importorskip("rich")
from rich.console import Console

from rowtrust.workflow import bars


class Handle:
    """What IPython would show, kept."""

    def __init__(self):
        self.shown = []

    def update(self, what):
        self.shown.append(what._repr_html_())


@pytest.fixture
def handle(monkeypatch):
    """A notebook, as far as a bar can tell."""
    made = Handle()
    display = SimpleNamespace(display=lambda shown, display_id: made)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(bars, "Console", partial(Console, force_jupyter=True))
    return made


def test_a_notebook_shows_a_bar_and_takes_it_away(handle):
    with bars.progress_bar() as bar:
        bar.start(4.0)
        bar.step("fitting", 2.0)
        bar.step("judging <b>", 2.0)
    values = [re.search(r'value="([\d.]+)" max="4"', each) for each in handle.shown[:-1]]
    assert [float(each.group(1)) for each in values] == [0.0, 0.0, 2.0]
    assert "judging &lt;b&gt;" in handle.shown[2]
    assert handle.shown[-1] == ""


def test_a_bar_is_taken_away_after_an_error(handle):
    with pytest.raises(RuntimeError), bars.progress_bar():
        raise RuntimeError
    assert handle.shown == [""]


def test_parts_of_a_step_are_not_shown_faster_than_read(handle, monkeypatch):
    clock = iter([0.0, 10.0, *(10.0 + 0.01 * step for step in range(200))])
    monkeypatch.setattr(bars, "monotonic", lambda: next(clock))
    with bars.progress_bar() as bar:
        bar.start(1.0)
        for share in range(100):
            bar.part(share / 100)
    assert len(handle.shown) < 10


def test_no_bar_is_shown_where_none_is_wanted(handle):
    with bars.progress_bar(False) as bar:
        bar.start(1.0)
        bar.step("fitting")
    assert handle.shown == []


def test_time_left_is_never_negative():
    assert bars.time_left(10.0, 5.0, 10.0) == "10 s"
    assert bars.time_left(10.0, 12.0, 10.0) == "0 s"
    assert bars.time_left(10.0, 0.0, 10.0) is None


def test_where_there_is_no_terminal_long_work_says_how_far_it_is(monkeypatch):
    said, came = [], Event()

    def say(self, text):
        said.append(text)
        came.set()

    def next_line():
        for _ in range(2):  # the first may have been begun before
            came.clear()
            assert came.wait(60)
        return said[-1]

    monkeypatch.setattr(bars, "SAID_EVERY", 0.02)
    monkeypatch.setattr(bars, "Console", partial(Console, force_jupyter=False))
    monkeypatch.setattr(bars.Lines, "say", say)
    with bars.progress_bar() as bar:
        bar.rows(50_000)
        bar.rows(50_000)
        assert re.fullmatch(r"reading, 100,000 rows read, \d+ s so far", next_line())
        bar.start(4.0)
        bar.step("comparing")
        bar.step("fitting: robust", 2.0)
        bar.part(0.5)
        assert re.fullmatch(r"fitting: robust, \d+ s so far, about \d+ s left", next_line())


def test_a_long_step_that_tells_no_share_has_no_time_left(monkeypatch):
    """A fit of a million rows had 35 minutes left, two minutes before its end."""
    now = [0.0]
    monkeypatch.setattr(bars, "monotonic", lambda: now[0])
    lines = bars.Lines()
    lines.start(10.0)
    lines.step("comparing")
    now[0] = 20.0
    lines.step("fitting", 8.0)
    assert lines.left(30.0) == "4 min"
    assert lines.left(41.0) is None
    lines.part(0.5)
    assert lines.left(50.0) == "50 s"


def test_a_line_stands_on_standard_error(capsys):
    bars.Lines().say("reading")
    assert capsys.readouterr().err == "rowtrust: note: reading\n"


def test_short_work_says_nothing(capsys, monkeypatch):
    monkeypatch.setattr(bars, "Console", partial(Console, force_jupyter=False))
    with bars.progress_bar() as bar:
        bar.start(1.0)
        bar.step("fitting")
    assert capsys.readouterr().err == ""
