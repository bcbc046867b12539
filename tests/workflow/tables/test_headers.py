"""Whether the first line of a file names the columns."""

import numpy as np
import pytest

from rowtrust.workflow.tables import InputError, Layout, read_chunks, read_for_study, read_records, read_table
from rowtrust.workflow.tables.text import NO_HEADER, is_row

ROWS = {
    "numbers": (["1", "2.5", "-3e4"], [["4", "5", "6"]]),
    "numbers and a class that comes again": (["5.1", "setosa"], [["4.9", "setosa"], ["4.7", "setosa"]] * 2),
    "gaps among numbers": (
        ["?", "1", "a"],
        [["4", "", "a"], ["5", "2", "b"], ["5", "2", "b"], ["", "3", "a"]],
    ),
    "decorated numbers": (["12 %", "$1,200"], [["13 %", "$5"]]),
    "one cell twice": (["5", "note one", "5"], [["6", "note two", "7"], ["8", "note three", "9"]]),
}
HEADERS = {
    "names": (["a", "b"], [["1", "2"]]),
    "words in all rows": (["kind", "colour"], [["cat", "red"], ["dog", "blue"]] * 3),
    "words whose name is a word of theirs": (["red", "blue"], [["red", "blue"], ["blue", "red"]] * 3),
    "years": (["name", "2019", "2020"], [["ann", "1", "2"], ["bob", "3", "4"]]),
    "years and classes": (["kind", "2019"], [["a", "1"], ["b", "2"], ["a", "3"], ["b", "4"]]),
    "one name": (["5"], [["6"]]),
    "no rows": (["a", "1"], []),
    "one column of names": (["5.1", "kind"], [["4.9", "a"], ["4.7", "a"]] * 2),
}


@pytest.mark.parametrize("case", ROWS)
def test_a_first_line_of_data(case):
    assert is_row(*ROWS[case])


@pytest.mark.parametrize("case", HEADERS)
def test_a_first_line_of_names(case):
    assert not is_row(*HEADERS[case])


def test_a_file_without_a_header_is_read_whole_and_it_is_said(tmp_path):
    lines = [f"{n},{n % 7},{'ab'[n % 2]}" for n in range(100)]
    path = tmp_path / "d.csv"
    path.write_text("\n".join(lines) + "\n")
    table = read_table(str(path))
    assert (list(table), len(table), table["1"][0]) == (["1", "2", "3"], 100, "0")
    assert read_for_study(str(path), Layout(), False, 0).notes == [NO_HEADER]
    chunks = list(read_chunks(str(path), Layout(), rows=60))
    assert np.concatenate([each["1"] for each in chunks]).tolist() == table["1"].tolist()
    with path.open() as written, (tmp_path / "copy.csv").open("w") as output:
        read_records(str(path)).write_without([1], output)
        assert written.read().splitlines()[1:] != []
    assert (tmp_path / "copy.csv").read_text().splitlines() == lines[1:]
    path.write_text("a,b,c\n" + "\n".join(lines) + "\n")
    assert list(read_table(str(path))) == ["a", "b", "c"]
    assert read_for_study(str(path), Layout(), False, 0).notes == []


def test_only_a_line_of_numbers_is_a_row(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("1,2\n")
    assert len(read_table(str(path))) == 1
    path.write_text("a,b\n")
    with pytest.raises(InputError, match="no rows below its header"):
        read_table(str(path))
