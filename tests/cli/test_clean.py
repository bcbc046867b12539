"""``rowtrust clean``: nothing is changed that nobody has confirmed."""

import json

import numpy as np
import pandas as pd
import pytest


def flipped_table(n_rows=240, n_flipped=16):
    """Two clear classes, some labels of which are wrong; and their rows."""
    generator = np.random.default_rng(0)
    first, second = generator.normal(size=(2, n_rows))
    kind = np.where(first > 0, "yes", "no")
    first = first + np.sign(first)
    wrong = np.sort(generator.choice(n_rows, n_flipped, replace=False))
    truth = kind.copy()
    kind[wrong] = np.where(kind[wrong] == "yes", "no", "yes")
    table = pd.DataFrame({"first": first.round(4), "second": second.round(4), "kind": kind})
    return table, truth, wrong


@pytest.fixture
def place(rowtrust, tmp_path):
    table, truth, wrong = flipped_table()
    table.to_csv(tmp_path / "d.csv", index=False)
    result = rowtrust("audit", "d.csv", "-t", "kind", "--review", "r.csv", "--no-effect", "-q")
    assert result.exit_code == 0, result.output
    return tmp_path, truth, wrong


CLEAN = ("clean", "d.csv", "-t", "kind", "--review", "r.csv", "-o", "c.csv")


def test_from_audit_to_a_corrected_copy(rowtrust, place):
    folder, truth, wrong = place
    assert rowtrust(*CLEAN).exit_code == 1
    assert not (folder / "c.csv").exists()
    review = pd.read_csv(folder / "r.csv", dtype=str, keep_default_na=False)
    rows = review["row"].astype(int).to_numpy() - 1
    assert set(wrong) <= set(rows)
    review["verdict"] = np.where(np.isin(rows, wrong), "Wrong", "right")
    review.to_csv(folder / "r.csv", index=False, sep=";")
    result = rowtrust(*CLEAN)
    assert result.exit_code == 0, result.output
    assert "16 rows were corrected" in result.output
    assert "With the change the error of RVC on 224 other rows goes from" in result.output
    before, after = (pd.read_csv(folder / name, dtype=str) for name in ("d.csv", "c.csv"))
    assert after["kind"].tolist() == truth.tolist()
    pd.testing.assert_frame_equal(before.drop(columns="kind"), after.drop(columns="kind"))
    found = json.loads(rowtrust(*CLEAN, "--how", "remove", "--json", "--no-effect", "--force").stdout)
    assert sorted(found["wrong"]) == (wrong + 1).tolist()
    assert len(pd.read_csv(folder / "c.csv")) == 224


def test_weights_are_a_column(rowtrust, place):
    folder, _, wrong = place
    review = pd.read_csv(folder / "r.csv", dtype=str, keep_default_na=False)
    review.assign(verdict="W").to_csv(folder / "r.csv", index=False)
    result = rowtrust(*CLEAN, "--how", "weight", "--no-effect")
    assert result.exit_code == 0, result.output
    assert (pd.read_csv(folder / "c.csv")["rowtrust_weight"].iloc[wrong] == 0).all()
    assert "next: rowtrust fit c.csv --target kind --weight rowtrust_weight -o c" in result.stdout
    line = (
        "fit",
        "c.csv",
        "-t",
        "kind",
        "--model",
        "robust",
        "--no-test",
        "--weight",
        "rowtrust_weight",
        "--json",
    )
    metrics = json.loads(rowtrust(*line).stdout)
    n_doubted = len(review)
    assert metrics["rows"]["train"] == 240 - n_doubted
    assert "rowtrust_weight" not in metrics["importance"]
    assert any("or the weight 0, and were not used" in each for each in metrics["notes"])


def refuses(result, *words):
    assert result.exit_code == 1
    for word in words:
        assert word in result.output.replace("\n", " "), result.output


def test_without_a_review_nothing_is_done(rowtrust, csv, tmp_path):
    refuses(rowtrust("clean", csv, "-t", "kind", "-o", "c.csv"), "not confirmed", "--review", "rowtrust fit")
    assert not (tmp_path / "c.csv").exists()
    assert "--clean" not in rowtrust("audit", "--help").output


def test_options_are_checked(rowtrust, place):
    folder, _, _ = place
    refuses(rowtrust(*CLEAN, "--how", "delete"), "--how must be one of correct, weight, remove")
    refuses(rowtrust(*CLEAN[:-2]), "-o cleaned.csv")
    review = pd.read_csv(folder / "r.csv", dtype=str, keep_default_na=False).assign(verdict="wrong")
    review.assign(given="perhaps").to_csv(folder / "r.csv", index=False)
    refuses(rowtrust(*CLEAN), "says 'perhaps' in the review but", "Give the table that was reviewed.")
    review.assign(row="500").head(1).to_csv(folder / "r.csv", index=False)
    refuses(rowtrust(*CLEAN), "row 500, but the data have 240 rows")


def test_nothing_doubted_is_no_fault(rowtrust, tmp_path):
    (tmp_path / "d.csv").write_text("x,kind\n1,a\n2,b\n")
    (tmp_path / "r.csv").write_text("row,given,likely,p_wrong,list,verdict,corrected,comment\n")
    result = rowtrust(*CLEAN)
    assert result.exit_code == 0, result.output
    assert "nothing was flagged" in result.output.replace("\n", " ")
    found = json.loads(rowtrust(*CLEAN, "--json").stdout)
    assert (found["output"], found["wrong"]) == (None, [])
    assert not (tmp_path / "c.csv").exists()
    (tmp_path / "r.csv").write_text("")
    assert rowtrust(*CLEAN).exit_code == 1


def test_a_copy_stands_where_no_gain_can_be_measured(rowtrust, tmp_path):
    lines = [f"{n % 2},{'yes' if n % 2 else 'no'}" for n in range(6)]
    (tmp_path / "d.csv").write_text("x,kind\n" + "\n".join(lines) + "\n")
    (tmp_path / "r.csv").write_text("row,given,likely,verdict\n1,no,yes,wrong\n")
    result = rowtrust(*CLEAN)
    assert result.exit_code == 0, result.output
    assert "was not measured: only 6 rows have a target" in result.stderr
    assert (tmp_path / "c.csv").read_text().splitlines()[1] == "0,yes"


def test_an_audit_checks_the_data_first(rowtrust, tmp_path):
    table = flipped_table()[0]
    table = table.assign(site=np.arange(len(table)) // 3, again=table["kind"] + "!")
    table.to_csv(tmp_path / "d.csv", index=False)
    line = ("audit", "d.csv", "-t", "kind", "--group", "site", "--no-effect")
    result = rowtrust(*line)
    assert result.exit_code == 0, result.output
    assert "rowtrust: severe: " in result.stderr
    assert "--drop 'again'" in result.stderr.replace("\n", " ")
    checks = json.loads(rowtrust(*line, "--json").stdout)["checks"]
    assert ("leak", "severe", ["again"]) in [
        (each["code"], each["severity"], each["columns"]) for each in checks
    ]
    refuses(rowtrust(*line[:4], "--group", "nothing"), "nothing")


def test_an_audit_separates_likely_errors_from_what_is_worth_a_look(rowtrust, place, tmp_path):
    result = rowtrust("audit", "d.csv", "-t", "kind", "--no-effect")
    assert "of 240 rows are likely errors" in result.output
    assert "seem" not in result.output
    assert "first " in result.output  # the telling column, with the values of the row and its neighbours
    generator = np.random.default_rng(1)
    x = generator.normal(size=80)
    pd.DataFrame({"x": x, "y": x > 0}).to_csv(tmp_path / "clean.csv", index=False)
    result = rowtrust("audit", "clean.csv", "-t", "y", "--no-effect")
    assert "None of 80 rows is a likely error." in result.output
    if "worth a look" not in result.output:
        assert "p_wrong" not in result.output
    assert "seem wrong" not in rowtrust("--help").output


def test_rows_have_the_names_that_a_column_gives_them(rowtrust, place, tmp_path):
    table, _, _ = flipped_table()
    names = [f"p{number}" for number in range(1, 241)]
    table.assign(patient=names).to_csv(tmp_path / "named.csv", index=False)
    line = (
        "audit",
        "named.csv",
        "-t",
        "kind",
        "--id",
        "patient",
        "--review",
        "n.csv",
        "-o",
        "k.csv",
        "--no-effect",
    )
    result = rowtrust(*line)
    assert result.exit_code == 0, result.output
    for name in ("n.csv", "k.csv"):
        found = pd.read_csv(tmp_path / name)
        assert found["id"].tolist() == [f"p{row}" for row in found["row"]]
    assert f"{found['row'][0]} (p{found['row'][0]})" in result.output
    said = pd.read_csv(tmp_path / "n.csv", dtype=str, keep_default_na=False).assign(verdict="wrong")
    said.to_csv(tmp_path / "n.csv", index=False)
    result = rowtrust("clean", "named.csv", "-t", "kind", "--review", "n.csv", "-o", "c.csv", "-q")
    assert result.exit_code == 0, result.output
    assert pd.read_csv(tmp_path / "c.csv")["patient"].tolist() == names
