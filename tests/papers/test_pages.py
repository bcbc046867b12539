"""Pages: what was claimed, what was found, and on which code."""

from papers.claims import Claim, Finding
from papers.command import run_everything
from papers.context import RunContext
from papers.experiments import Experiment
from papers.origin import Origin
from papers.pages import anchor, claim_row, counts
from papers.paper import Paper, Picture
from papers.pictures import canvas
from papers.results import Results
from papers.store import Store
from papers.tables import Cell, Number, ResultTable


def measured(seed, data, *, level):
    return {"error": level + (seed % 10) / 10.0}


def experiments(context):
    return [Experiment("toy", measured, {"level": 1.0}, context.count(5, 2))]


def table(context):
    records = context.collect(experiments(context))["toy"]
    ours = Number.of(record["error"] for record in records)
    return ResultTable("toy", "1", "Errors", ("row",), (Cell(("all",), "error", ours, Number(9.0, 0.1, 5)),))


def found(context):
    number = len(context.collect(experiments(context))["toy"])
    return Finding("reproduced" if number else "not run", f"{number} records | a bar")


def drawing(context):
    figure = canvas(2, 2)
    figure.subplots().plot([0, 1])
    return figure


TOY = Paper(
    "toy",
    "A. Nobody (1999). Toys.",
    {"1": table},
    {"1": Picture("A line", drawing, ("It rises.",))},
    experiments,
    claims=(Claim("Sect. 1", "P(a | b) is small", found, "table 1"),),
    notes=("A note.",),
    conclusions=lambda context: ["Toys work."],
)


def made(tmp_path, quick=False):
    context = RunContext(Store(tmp_path / "repeats"), quick)
    origin = Origin("make papers", 0, quick, "0123abc", "2026-01-01")
    run_everything([TOY, TOY], context, Results(tmp_path / "out", tmp_path / "pages", origin))
    return tmp_path / "pages"


def test_a_paper_gets_its_page(tmp_path):
    text = (made(tmp_path) / "toy.md").read_text()
    assert "code: commit `0123abc`" in text
    assert "5 of 5 repeats are done" in text
    assert "- Toys work." in text
    assert "![Figure 1: A line](toy/figure-1.png)" in text
    assert "It rises." in text
    assert "quick" not in text
    assert (tmp_path / "pages" / "toy" / "figure-1.png").exists()
    assert (tmp_path / "out" / "toy" / "table-1.csv").exists()


def test_claims_are_found_not_written(tmp_path):
    pages = made(tmp_path, quick=True)
    text = (pages / "claims.md").read_text()
    assert (
        r"| Sect. 1 | P(a \| b) is small | **reproduced** | 2 records \| a bar ([table 1](toy.md#table-1)) |"
        in text
    )
    assert "quick run" in text
    assert "| toy | 1 | 1 | 0 | 0 | 0 | 0 |" in (pages / "README.md").read_text()


def test_a_reason_stands_beside_its_figure():
    row = claim_row(TOY, TOY.claims[0], Finding("not reproduced", "3 of 9", "Other\ndata."))
    assert "3 of 9 *Other data.*" in row
    assert "\n" not in row


def test_counts_of_nothing():
    assert counts([]).count("\n") == 1


def test_pages_are_the_same_when_run_again(tmp_path):
    first = (made(tmp_path) / "toy.md").read_text()
    assert (made(tmp_path) / "toy.md").read_text() == first


def test_links_lead_to_what_shows_a_claim():
    assert anchor("table 1") == "#table-1"
    assert anchor("figures 4A and 5") == "#figure-4A"
    assert anchor("our notes") == ""
