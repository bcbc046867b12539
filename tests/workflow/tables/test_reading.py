"""Reading tables, whole, sampled and in pieces."""

import bz2
import gzip
import io
import lzma
import os
import zipfile
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow.tables import (
    InputError,
    Layout,
    Schema,
    read_chunks,
    read_for_study,
    read_table,
    reading,
)
from rowtrust.workflow.tables.cells import as_numbers
from rowtrust.workflow.tables.reading import read_names, sampled_records


@pytest.fixture
def table():
    generator = np.random.default_rng(0)
    first, second = generator.normal(size=(2, 80))
    colour = generator.choice(["red", "green", "blue"], 80)
    found = pd.DataFrame({"first": first, "second": second, "colour": colour})
    found["kind"] = np.where(first > 0, "yes", "no")
    found.loc[::11, "second"] = np.nan
    found.loc[5::13, "colour"] = None
    return found


@pytest.fixture
def counted(tmp_path):
    """A file of 95 numbered rows."""
    path = tmp_path / "counted.csv"
    path.write_text("n,word\n" + "".join(f"{n},{n % 10}\n" for n in range(95)))
    return str(path)


def pack(name: str, content: bytes) -> bytes:
    if name == "zip":
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            archive.writestr("data.csv", content)
        return stream.getvalue()
    return {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}[name](content)


@pytest.mark.parametrize(
    "kind", ["gz", "bz2", "xz", "zip", "zst", "tsv", "semicolon", "bom", "utf-16", "parquet"]
)
def test_every_format_reads_the_same(tmp_path, table, kind):
    path = tmp_path / "data"
    text = table.to_csv(index=False).encode()
    layout = Layout(encoding="utf-16") if kind == "utf-16" else Layout()
    if kind == "parquet":
        table.to_parquet(path)
    elif kind == "zst":
        import pyarrow

        with pyarrow.CompressedOutputStream(str(path), "zstd") as stream:
            stream.write(text)
    elif kind in ("tsv", "semicolon"):
        table.to_csv(path, index=False, sep="\t" if kind == "tsv" else ";")
    elif kind == "bom":
        path.write_bytes(b"\xef\xbb\xbf" + text)
    elif kind == "utf-16":
        path.write_bytes(text.decode().encode("utf-16"))
    else:
        path.write_bytes(pack(kind, text))
    read = read_table(str(path), layout)
    schema, target = Schema.find(read, "kind")
    assert schema.of_kind("number") == ["first", "second"]
    assert schema.of_kind("category") == ["colour"]
    np.testing.assert_array_equal(as_numbers(read["first"]), table["first"])
    assert target.values.tolist() == table["kind"].tolist()


def test_chunks_are_the_file_in_order(counted):
    chunks = list(read_chunks(counted, Layout(), rows=20))
    assert [len(each) for each in chunks] == [20, 20, 20, 20, 15]
    whole = pd.concat(chunks)
    assert whole["n"].tolist() == [str(n) for n in range(95)]
    assert whole.index.tolist() == list(range(95))


def test_chunks_of_nothing_are_refused(tmp_path):
    (tmp_path / "d.csv").write_text("a,b\n")
    with pytest.raises(InputError, match="no rows below its header"):
        list(read_chunks(str(tmp_path / "d.csv"), Layout()))


def test_a_sample_is_a_random_part_in_the_order_of_the_file(counted, monkeypatch):
    monkeypatch.setattr(reading, "CHUNK_ROWS", 30)
    records, total = sampled_records(counted, Layout(), 40, np.random.default_rng(0))
    sample = records.table
    assert (len(sample), total) == (40, 95)
    assert (np.diff(sample.index) > 0).all()
    np.testing.assert_array_equal(sample.index, as_numbers(sample["n"]))
    other, _ = sampled_records(counted, Layout(), 40, np.random.default_rng(1))
    assert other.table["n"].tolist() != sample["n"].tolist()


def test_rows_of_a_sample_are_drawn_evenly(counted, monkeypatch):
    monkeypatch.setattr(reading, "CHUNK_ROWS", 10)
    drawn = [
        sampled_records(counted, Layout(), 20, np.random.default_rng(seed))[0].table.index
        for seed in range(60)
    ]
    counts = np.bincount(np.concatenate(drawn) // 19, minlength=5)
    assert counts.sum() == 1200
    assert (np.abs(counts - 240) < 60).all()


def test_a_fast_study_says_that_it_read_a_sample(counted, monkeypatch):
    monkeypatch.setattr(reading, "FAST_ROWS", 50)
    found = read_for_study(counted, Layout(), fast=True, seed=0)
    assert (len(found.table), found.n_rows, found.is_whole) == (50, 95, False)
    assert found.notes == ["a random sample of 50 of the 95 rows was used (--fast)"]
    monkeypatch.setattr(reading, "FAST_ROWS", 95)
    assert read_for_study(counted, Layout(), fast=True, seed=0).notes == []
    assert read_for_study(counted, Layout(), fast=False, seed=0).is_whole


def test_a_study_of_a_large_file_has_a_sample_of_it_in_memory(counted, monkeypatch):
    monkeypatch.setattr(reading, "IN_MEMORY_ROWS", 40)
    found = read_for_study(counted, Layout(), fast=False, seed=0)
    assert (len(found.table), found.n_rows, found.notes) == (40, 95, [])
    np.testing.assert_array_equal(found.table.index, as_numbers(found.table["n"]))
    monkeypatch.setattr(reading, "IN_MEMORY_ROWS", 1000)
    monkeypatch.setattr(reading, "IN_MEMORY_CELLS", 90)
    assert len(read_for_study(counted, Layout(), fast=False, seed=0).table) == 90 // found.table.shape[1]


def test_standard_input_cannot_be_read_again(counted, monkeypatch):
    monkeypatch.setattr(reading, "IN_MEMORY_ROWS", 40)
    with open(counted, "rb") as stream:
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=stream))
        found = read_for_study("-", Layout(), fast=False, seed=0)
    assert "standard input can be read only once" in found.notes[0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"a,b\n", "no rows"),
        (b"a,b\n1,2\n1,2,3\n", "line 3 has 3 fields, the header has 2"),
        (b"a,b\n1,\xfc\n", "not utf-8 text .byte 0xfc.*latin-1"),
        (b"\x1f\x8b\x08\x00", "ends too early"),
        (b"PK\x03\x04 but no more", "damaged zip"),
        (b"PAR1 but no more", "damaged Parquet"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, content, words):
    (tmp_path / "d").write_bytes(content)
    with pytest.raises(InputError, match=words):
        read_table(str(tmp_path / "d"))


def test_a_file_that_is_too_large_is_not_read(counted, tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "LARGEST", 300)
    with pytest.raises(InputError, match=r"too much to read whole\. Add --fast"):
        read_table(counted)
    packed = tmp_path / "d.gz"
    packed.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 1000))
    assert packed.stat().st_size < 300
    with pytest.raises(InputError, match="too much to read whole"):
        read_table(str(packed))


def test_archives_of_several_files_and_workbooks_are_refused(tmp_path):
    for names, words in (
        (["a.csv", "b.csv"], "archive of 2 files"),
        (["xl/book.xml"], "damaged Excel workbook"),
    ):
        with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
            for name in names:
                archive.writestr(name, "a\n1\n")
        with pytest.raises(InputError, match=words):
            read_table(str(tmp_path / "d.zip"))


def test_names_are_read_from_the_beginning_alone(tmp_path, monkeypatch):
    path = tmp_path / "data.csv"
    path.write_text("a;b\n" + "1;x\n" * 60_000 + "1;x;too many\n")
    assert read_names(str(path)) == ["a", "b"]
    path.write_bytes(gzip.compress(b"a,b\n1,x\n2,y\n"))
    assert read_names(str(path)) == ["a", "b"]
    path.write_text("1.5,x\n2.5,x\n2.5,x\n")
    assert read_names(str(path)) == ["1", "2"]
    pd.DataFrame({"a": [1], "b": ["x"]}).to_parquet(path)
    monkeypatch.setattr(reading, "parquet_records", None)
    assert read_names(str(path)) == ["a", "b"]
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(InputError, match="damaged Parquet file"):
        read_names(str(path))


def test_names_are_not_read_where_it_would_take_long_or_use_the_rows_up(tmp_path):
    assert read_names("-") is None
    path = tmp_path / "data.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "")
        archive.writestr("xl/styles.xml", "")
    assert read_names(str(path)) is None
    for absent, why in ((tmp_path / "none.csv", "no such file"), (tmp_path, "is a folder")):
        with pytest.raises(InputError, match=why):
            read_names(str(absent))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_names_of_a_pipe_are_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert read_names(str(tmp_path / "pipe")) is None
