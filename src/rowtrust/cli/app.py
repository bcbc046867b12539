"""The command ``rowtrust`` and its parts."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from rowtrust import __version__
from rowtrust.cli.audit import audit
from rowtrust.cli.clean import clean
from rowtrust.cli.demo import demo
from rowtrust.cli.export import export
from rowtrust.cli.failing import INTERRUPTED, TERMINATED, Terminated, end_politely
from rowtrust.cli.fit import fit
from rowtrust.cli.predict import predict

app = typer.Typer(
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def show_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        typer.echo(f"rowtrust {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Robust models from dirty tables: which model, how good, which rows are wrong, how sure.

    \b
    First steps:
      rowtrust demo                                see it work on built-in dirty data
      rowtrust fit data.csv --target label         fit a model, write a report
      rowtrust audit data.csv --target label       list the likely errors
      rowtrust clean data.csv --target label --review review.csv -o cleaned.csv
                                                   correct the rows that you confirmed
      rowtrust predict rowtrust-results new.csv       predict new rows

    Tables are CSV, TSV or Parquet, compressed or not. "rowtrust COMMAND --help" explains a command;
    "rowtrust --install-completion" teaches your shell to complete them.
    """  # noqa: D301  the backspace keeps the paragraph's lines apart


app.command()(fit)
app.command()(predict)
app.command()(audit)
app.command()(clean)
app.command()(export)
app.command()(demo)


def main() -> None:
    """Run the command line."""
    try:
        end_politely()
        app(prog_name="rowtrust")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Terminated:
        sys.exit(TERMINATED)
