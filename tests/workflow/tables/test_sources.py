"""Streams of which the beginning can be seen."""

import io

import pytest

from rowtrust.workflow.tables.sources import LookAhead, TooLongError, open_source


def test_what_was_seen_is_still_read():
    stream = LookAhead(io.BytesIO(b"0123456789"))
    assert stream.peek(4) == b"0123"
    assert stream.peek(2) == b"01"
    assert stream.read(3) == b"012"
    assert stream.read(3) == b"3"
    assert stream.peek(100) == b"456789"
    assert stream.read() == b"456789"
    assert stream.read(5) == b""


class Trickle(io.BytesIO):
    """Gives a byte at a time, as a pipe may."""

    def read(self, size=-1):
        return super().read(1)


def test_a_look_ahead_waits_for_a_slow_stream():
    stream = LookAhead(Trickle(b"a,b\n1,2\n"))
    assert stream.peek(4) == b"a,b\n"
    assert stream.readall() == b"a,b\n1,2\n"


def test_a_stream_ends_at_its_limit():
    stream = LookAhead(io.BytesIO(b"0123456789"))
    stream.limit = 10
    assert stream.read() == b"0123456789"
    stream = LookAhead(io.BytesIO(b"0123456789"))
    stream.limit = 9
    with pytest.raises(TooLongError):
        stream.read()


def test_standard_input_has_a_name_and_no_size(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a\n1\n")))
    with open_source("-") as source:
        assert (source.name, source.size, source.is_parquet) == ("standard input", 0, False)
        assert source.stream.read() == b"a\n1\n"
