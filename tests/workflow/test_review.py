"""The review: a file that people and spreadsheets change, and what is read from it."""

import io

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rowtrust.workflow import Settings, cleaning
from rowtrust.workflow.cleaning import (
    UNKNOWN_TRUST,
    WEIGHTS,
    effects,
    new_targets,
    numbers_in,
    plan,
    target_of,
    weights,
    write,
)
from rowtrust.workflow.fitting import fit_model
from rowtrust.workflow.flagged import rank_rows
from rowtrust.workflow.review import Decision, check_fits, read_review, review_table, same
from rowtrust.workflow.splitting import usable
from rowtrust.workflow.tables import InputError, read_records
from rowtrust.workflow.tables.records import write_csv

HEAD = "row,given,likely,p_wrong,list,verdict,corrected,comment\n"


@pytest.fixture
def reviewed(tmp_path):
    """Write a review; return what is read from it."""

    def read(content, encoding="utf-8"):
        path = tmp_path / "review.csv"
        path.write_bytes(content.encode(encoding))
        return read_review(str(path))

    return read


@pytest.fixture
def data(tmp_path):
    """Write a table; return its records."""

    def read(content):
        (tmp_path / "data.csv").write_text(content)
        return read_records(str(tmp_path / "data.csv"))

    return read


def test_the_file_lists_the_doubted_rows_alone(number_model):
    _, table = rank_rows(number_model)
    review = review_table(table)
    assert set(review["row"]) >= {1, 2, 3, 4}
    assert len(review) < 20
    assert list(review) == HEAD.strip().split(",")
    assert (review[["verdict", "corrected", "comment"]] == "").all(axis=None)
    assert set(review["list"]) <= {"likely error", "worth a look"}


def test_numbers_of_the_file_are_plain(number_model):
    _, table = rank_rows(number_model)
    review = review_table(table.assign(given=2087122.02, likely=1 / 3))
    assert set(review["given"]) == {"2087122"}
    assert set(review["likely"]) == {"0.333333"}


def test_names_of_rows_are_in_the_file(number_model):
    _, table = rank_rows(number_model)
    table.insert(0, "id", [f"p{row}" for row in table.index])
    review = review_table(table)
    assert review.loc[review["row"] == 2, "id"].tolist() == ["p2"]


def test_what_was_written_is_read(number_model, tmp_path):
    _, table = rank_rows(number_model)
    review = review_table(table)
    write_csv(review, tmp_path / "r.csv", "%.6g")
    assert read_review(str(tmp_path / "r.csv")) == []
    review["verdict"] = "wrong"
    write_csv(review, tmp_path / "r.csv", "%.6g")
    found = read_review(str(tmp_path / "r.csv"))
    assert [each.row for each in found] == review["row"].tolist()
    cells = pd.Series(number_model.train.y)
    check_fits(found, cells)  # six digits are the same number
    with pytest.raises(InputError, match=r"row \d+ says '.*' in the review but '.*' in the data. Give"):
        check_fits(found, cells + 0.01)


@pytest.mark.parametrize(
    ("mark", "verdict"),
    [
        ("wrong", "wrong"),
        (" WRONG ", "wrong"),
        ("W", "wrong"),
        ("Right", "right"),
        ("ok", "right"),
        ("?", "unsure"),
        ("Unsure.", "unsure"),
    ],
)
def test_marks_are_read_as_people_write_them(reviewed, mark, verdict):
    (found,) = reviewed(f"{HEAD}7,a,b,0.9,likely wrong,{mark},,\n8,a,b,0.8,,,,\n")
    assert (found.row, found.verdict, found.p_wrong) == (7, verdict, 0.9)


@pytest.mark.parametrize("mark", ["yes", "x", "1", "true"])
def test_marks_that_can_mean_both_are_refused(reviewed, mark):
    with pytest.raises(InputError, match="is none of wrong, right, unsure"):
        reviewed(f"{HEAD}7,a,b,0.9,likely wrong,{mark},,\n8,a,b,0.8,,,,\n")


def test_what_a_spreadsheet_makes_of_it(reviewed):
    """Excel in Germany: semicolons, decimal commas, its own encoding, numbers of rows with a comma."""
    head = "Row;Given;Likely;P(wrong);Standing;Verdict;Corrected;Comment\r\n"
    found = reviewed(f"{head}7,0;3,5;4,25;0,9;;Wrong;4,5;ist grö\xdfer\r\n;;;;;;;\r\n", "cp1252")
    assert found == [Decision(7, "wrong", "3,5", "4,25", "4,5", 0.9)]
    assert reviewed("\ufeff" + HEAD + "7,a,b,,,w,c,\n")[0].corrected == "c"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("7,a,b,0.9,,true,,", "'true' is none of wrong, right, unsure"),
        ("7,a,b,0.9,,right,b,", "row 7 is marked right, but has the corrected value 'b'"),
        ("7,a,b,0.9,,wrong,a,", "its corrected value is the given one"),
        ("x,a,b,0.9,,wrong,,", "'x' as the number of a row"),
        ("7,a,b,0.9,,wrong,,\n7,a,b,0.9,,right,,", "two verdicts for row 7"),
    ],
)
def test_what_contradicts_itself_is_refused(reviewed, line, message):
    with pytest.raises(InputError, match=message):
        reviewed(f"{HEAD}{line}\n")


def test_another_table_is_no_review(reviewed):
    with pytest.raises(InputError, match="is no review: it lacks the column 'verdict'"):
        reviewed("row,given\n1,a\n")


def test_a_corrected_value_confirms(reviewed):
    found = reviewed(f"{HEAD}7,a,b,0.9,,,c,\n8,a,b,0.9,,,a,\n")
    assert [(each.verdict, each.corrected) for each in found] == [("wrong", "c"), ("right", "")]


def test_formulas_lose_their_apostrophe(reviewed):
    (found,) = reviewed(f"{HEAD}7,'=a+1,'-b,0.9,,wrong,'@c,\n")
    assert (found.given, found.likely, found.corrected) == ("=a+1", "-b", "@c")
    check_fits([found], pd.Series(["", "", "", "", "", "", "=a+1"]))


def test_same_values():
    assert same("Yes", " yes ")
    assert same("1.0", "1")
    assert same("3,5", "3.5")
    assert not same("3.5", "3.6")
    assert not same("a", "1")
    assert same("", "")


def test_rows_that_are_not_there(data):
    records = data("x,y\n1,a\n2,b\n")
    with pytest.raises(InputError, match=r"names row 3, but the data have 2 rows. Give the table"):
        plan(records, Settings("d", "y"), [Decision(3, "wrong", "a", "b")], "correct")
    with pytest.raises(InputError, match="row 2 says 'a' in the review but 'b' in the data"):
        plan(records, Settings("d", "y"), [Decision(2, "wrong", "a", "b")], "correct")


TABLE = 'code; side ;note\n007;left;" a ""b"" "\n008;right;\n009;left;x\n010;right;y\n'


def cleaned(records, decisions, how, target="side"):
    done = plan(records, Settings("d", target), decisions, how)
    output = io.StringIO()
    write(records, target, done, output)
    return done, output.getvalue()


def test_only_confirmed_cells_change(data):
    records = data(TABLE)
    decisions = [
        Decision(1, "wrong", "left", "right"),
        Decision(2, "right", "right", "left"),
        Decision(3, "wrong", "left", "right", corrected="middle"),
        Decision(4, "unsure", "right", "left", p_wrong=0.4),
    ]
    done, text = cleaned(records, decisions, "correct")
    assert text == TABLE.replace("007;left", "007;right").replace("009;left", "009;middle")
    assert done.summary == (
        "2 rows were corrected; 1 marked right and 1 unsure are unchanged. No row had the class 'middle' "
        "before."
    )
    done, text = cleaned(records, decisions, "remove")
    assert text == "code; side ;note\n008;right;\n010;right;y\n"
    assert "2 rows were removed" in done.summary
    done, text = cleaned(records, decisions, "weight")
    assert [line.rpartition(";")[2] for line in text.splitlines()] == [WEIGHTS, "0", "1", "0", "0.6"]
    assert [line.rpartition(";")[0] for line in text.splitlines()] == TABLE.splitlines()
    assert weights(4, plan(records, Settings("d", "side"), [Decision(4, "unsure", "right")], "weight"))[
        3
    ] == str(UNKNOWN_TRUST)


def test_a_class_that_nobody_knows_is_emptied(data):
    done, text = cleaned(data(TABLE), [Decision(1, "wrong", "left", "left")], "correct")
    assert text == TABLE.replace("007;left", "007;")
    assert "0 rows were corrected, 1 emptied" in done.summary


def test_numbers_are_not_made_up(data):
    rows = "".join(f"{n};{n},5\n" for n in range(12))
    records = data(f"x;y\n{rows}")
    records = type(records)(records.cells, type(records.layout)(";", decimal=","), records.header)
    decisions = [Decision(1, "wrong", "0.5", "3.1"), Decision(2, "wrong", "1,5", "3", corrected="7.25")]
    done, text = cleaned(records, decisions, "correct", "y")
    assert text == f"x;y\n{rows}".replace("0;0,5", "0;", 1).replace("1;1,5", "1;7,25", 1)
    assert "1 row was corrected, 1 emptied" in done.summary
    with pytest.raises(InputError, match="row 2: the corrected value 'many' is no number"):
        cleaned(records, [Decision(2, "wrong", "1.5", corrected="many")], "correct", "y")


READINGS = {
    "currency": ([f"$9,{n:03}.00" for n in range(100, 124)], "9100", 9500.5, "$9,500.50"),
    "percent": ([f"{n}.5 %" for n in range(24)], "0.5", 12.5, "12.5 %"),
    "decimal comma": ([f"1.{n:03},5" for n in range(100, 124)], "1100.5", 1.25, "1,25"),
    "limits": (["<5", *(f"{n}.25" for n in range(6, 29))], "2.5", 7.5, "7.5"),
}


@pytest.mark.parametrize("reading", READINGS)
def test_a_review_fits_the_cells_it_was_made_from(data, reading):
    """The review has numbers as they were read, the data as they were written; so do corrected cells."""
    cells, given, number, own = READINGS[reading]
    records = data("x;y\n" + "".join(f"{n % 7};{cell}\n" for n, cell in enumerate(cells)))
    assert reading in usable(records.table, Settings("d", "y"))[0].target_reading
    for corrected in (f"{number:.3f}", own):
        decisions = [Decision(1, "wrong", given, corrected=corrected), Decision(2, "right", cells[1])]
        done, text = cleaned(records, decisions, "correct", "y")
        again = usable(data(text).table, Settings("d", "y"))[1].y
        assert again[0] == number, text
        assert again[1:].tolist() == usable(records.table, Settings("d", "y"))[1].y[1:].tolist()
        layout, found = records.layout, target_of(records.table, Settings("d", "y")).reading
        stay, targets = new_targets(np.arange(1, 25), again, done, numbers_in(layout, found))
        assert (stay.tolist(), targets.tolist()) == ([0], [number])
    with pytest.raises(InputError, match="in the review but"):
        cleaned(records, [Decision(2, "wrong", given)], "correct", "y")


def test_a_comma_that_may_be_two_things_is_asked_about(data):
    records = data("x;y\n" + "".join(f"{n % 7};{n}.5\n" for n in range(24)))
    decision = Decision(1, "wrong", "0.5", corrected="1,250")
    with pytest.raises(
        InputError, match=r"row 1: the corrected value '1,250' may be 1250 or 1.250\. Write it without"
    ):
        cleaned(records, [decision], "correct", "y")
    _, text = cleaned(records, [Decision(1, "wrong", "0.5", corrected="1,25")], "correct", "y")
    assert text.startswith("x;y\n0;1.25\n")


def test_spellings_of_a_class_are_one(data):
    words = ["New York", "New York", "new  york", "NEW YORK", "Rome", "Rome", "rome", "Rome"]
    records = data("x,y\n" + "".join(f"{n},{word}\n" for n, word in enumerate(words)))
    decisions = [Decision(3, "right", "New York", "Rome"), Decision(7, "wrong", "Rome", "New York")]
    assert cleaned(records, decisions, "correct", "y")[1].splitlines()[7] == "6,New York"


def test_new_targets_are_of_the_kind_of_the_others(data):
    records = data("x,y\n" + "".join(f"{n},{n % 2}\n" for n in range(30)))
    done, _ = cleaned(
        records, [Decision(2, "wrong", "1", "0"), Decision(3, "wrong", "0", "0")], "correct", "y"
    )
    stay, targets = new_targets(np.arange(1, 31), np.arange(30) % 2, done, None)
    assert stay.tolist() == [1]
    assert targets.tolist() == [0]
    assert targets.dtype.kind == "i"


@pytest.mark.parametrize("corrected", ["2", "unknown"])
def test_a_new_class_leaves_the_others_what_they_are(data, corrected):
    """Words beside numbers made all predictions of the changed table wrong."""
    generator = np.random.default_rng(0)
    side = np.arange(60) % 2
    x = 4 * side + generator.normal(size=60)
    records = data("x,y\n" + "".join(f"{x:.4f},{kind}\n" for x, kind in zip(x, side, strict=True)))
    done, _ = cleaned(records, [Decision(1, "wrong", "0", "1", corrected)], "correct", "y")
    for effect in effects(records, Settings("d", "y"), done):
        assert abs(effect.after - effect.before) < 0.05, effect


def test_nothing_said_changes_nothing(data):
    with pytest.raises(InputError, match=r"the review says nothing yet.*Nothing was changed"):
        plan(data(TABLE), Settings("d", "side"), [], "correct")
    with pytest.raises(InputError, match="no column 'where'"):
        plan(data(TABLE), Settings("d", "where"), [Decision(1, "wrong", "left")], "correct")


def test_what_a_correction_gains_keeps_copies_and_groups_together(tmp_path, monkeypatch):
    x = np.random.default_rng(0).normal(size=30)
    table = pd.DataFrame({"x": x, "site": np.arange(30) // 2, "kind": np.where(x > 0, "a", "b")})
    table = pd.concat([table, table.iloc[:1].assign(site=14)], ignore_index=True)
    table.to_csv(tmp_path / "d.csv", index=False)
    seen = []
    monkeypatch.setattr(cleaning, "effects_of_change", lambda change: seen.append(change.groups) or [])
    for settings in (Settings("d", "kind", drop=("site",)), Settings("d", "kind", group="site")):
        cleaning.effects(
            read_records(str(tmp_path / "d.csv")), settings, cleaning.Cleaning("remove", [], {3: ""})
        )
    alone, grouped = seen
    assert alone[0] == alone[30] != alone[1]
    assert grouped[0] == grouped[1] == grouped[30] == grouped[28] != grouped[2]


def test_weights_say_how_much_a_row_counts(class_model):
    table = class_model.train.X.assign(kind=class_model.train.y, w=1.0)
    table.loc[table.index[:5], "w"] = 0.0
    table.loc[table.index[6:40], "w"] = 3.0
    schema, rows = usable(table, Settings("d", "kind", weight="w"))
    assert "w" not in schema.names
    assert rows.rows[0] == 6
    assert rows.weights[:2].tolist() == [1.0, 3.0]
    weighted = fit_model(schema, clone(class_model.estimator), rows, rows)
    again = np.repeat(np.arange(len(rows.y)), rows.weights.astype(int))
    repeated = clone(class_model.estimator).fit(weighted.prepared[again], rows.y[again])
    np.testing.assert_allclose(
        weighted.estimator.predict_proba(weighted.prepared),
        repeated.predict_proba(weighted.prepared),
        atol=0.05,
    )
    plain = clone(class_model.estimator).fit(weighted.prepared, rows.y)
    gap = weighted.estimator.predict_proba(weighted.prepared) - plain.predict_proba(weighted.prepared)
    assert np.abs(gap).max() > 1e-4


@pytest.mark.parametrize("bad", [np.inf, -1.0, np.nan, "inf", "heavy", ""])
def test_what_is_no_weight_is_refused(class_model, bad):
    """An infinite weight, and an empty cell, counted as 1."""
    table = class_model.train.X.assign(kind=class_model.train.y, w=1.0).astype({"w": object})
    table.loc[table.index[5], "w"] = bad
    with pytest.raises(InputError, match=r"'w' of --weight must have .* row 6 has none, .*Write 1 for rows"):
        usable(table, Settings("d", "kind", weight="w"))
    with pytest.raises(InputError, match=r"'w' of --weight is 0 in all rows. Give some a weight"):
        usable(table.assign(w=0), Settings("d", "kind", weight="w"))
