"""Groups, times, names and strict checks from the command line."""

import json

import numpy as np


def test_strict_fails_on_a_leak_and_names_the_cure(rowtrust, csv, table):
    table.assign(alive=table["kind"].map({"yes": "alive", "no": "dead"})).to_csv(csv, index=False)
    result = rowtrust("fit", csv, "-t", "kind", "--strict")
    assert result.exit_code == 1
    assert "--strict: 1 severe finding" in result.output
    assert "--drop 'alive'" in result.output
    assert not (csv.parent / "rowtrust-results").exists()


def test_groups_are_kept_together_and_the_results_say_so(rowtrust, csv, table):
    table.assign(site=np.arange(len(table)) % 16, row_name=[f"case {k}" for k in range(len(table))]).to_csv(
        csv, index=False
    )
    asked = ("--group", "site", "--id", "row_name", "--strict", "--model", "plain", "--fast")
    result = rowtrust("fit", csv, "-t", "kind", *asked)
    assert result.exit_code == 0, result.output
    found = json.loads((csv.parent / "rowtrust-results" / "metrics.json").read_text())
    assert "test rows the model has not seen, no 'site' in both" in json.dumps(found)


def test_a_time_that_is_none_is_refused(rowtrust, csv):
    result = rowtrust("fit", csv, "-t", "kind", "--time", "colour")
    assert result.exit_code == 1
    assert "neither a date nor a number" in result.output
