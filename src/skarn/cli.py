"""The command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

try:
    import typer
    from rich.console import Console
    from rich.table import Table
except ImportError:  # the command exists in every installation, its libraries in the extra
    sys.exit("The skarn command needs its extra: pip install 'skarn[cli]'")

from skarn import __version__
from skarn.demo import Outcome, compare, dirty_data, draw, suspects

app = typer.Typer(
    help="Robust sparse Bayesian kernel machines: models that withstand wrong labels and outliers.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
)
console = Console()


def show_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        console.print(f"skarn {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Robust sparse Bayesian kernel machines: models that withstand wrong labels and outliers."""


@app.command()
def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the picture.", file_okay=False)
    ] = Path("skarn-demo"),
    seed: Annotated[int, typer.Option(min=0, help="Seed of the data.")] = 0,
) -> None:
    """Train a plain and a robust classifier on data with 10 % wrong labels, and compare them."""
    data = dirty_data(seed)
    console.print(
        f"Ripley's mixture: {len(data.X)} training rows, {int(data.flipped.sum())} of them with a "
        f"wrong label; {len(data.X_test)} clean test rows.\n"
    )
    outcomes = compare(data, seed)
    console.print(outcome_table(outcomes))
    console.print(suspect_table(suspects(outcomes[-1], data)))
    picture = output / "boundaries.png"
    try:
        draw(outcomes, data, picture)
    except OSError as error:
        console.print(f"Could not write {picture}: {error.strerror}. Choose another folder with --output.")
        raise typer.Exit(1) from error
    console.print(f"Both boundaries are drawn in {picture}", soft_wrap=True)


def outcome_table(outcomes: list[Outcome]) -> Table:
    """Return the comparison of the models."""
    table = Table(title="On clean test rows", title_justify="left")
    table.add_column("model")
    for heading in ("error", "AUC", "RMSE", "relevance vectors", "fit time"):
        table.add_column(heading, justify="right")
    for outcome in outcomes:
        table.add_row(
            outcome.name,
            f"{outcome.error:.1%}",
            f"{outcome.auc:.3f}",
            f"{outcome.rmse:.3f}",
            str(outcome.n_relevance),
            f"{outcome.seconds:.3f} s",
        )
    return table


def suspect_table(rows: list[dict[str, object]]) -> Table:
    """Return the most suspicious rows."""
    table = Table(title="Which rows are wrong? RobustRVC's ten suspects", title_justify="left")
    for heading in ("row", "label", "suggested", "P(label)", "trust", "truly wrong?"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(
            str(row["row"]),
            str(row["label"]),
            str(row["suggested"]),
            f"{row['probability']:.3f}",
            f"{row['trust']:.2f}",
            "yes" if row["wrong"] else "no",
        )
    return table


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
