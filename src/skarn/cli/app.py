"""The command ``skarn`` and its parts."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from skarn import __version__
from skarn.cli.audit import audit
from skarn.cli.demo import demo
from skarn.cli.export import export
from skarn.cli.failing import INTERRUPTED, TERMINATED, Terminated, end_politely
from skarn.cli.fit import fit
from skarn.cli.predict import predict

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
        typer.echo(f"skarn {__version__}")
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
      skarn demo                                see it work on built-in dirty data
      skarn fit data.csv --target price         fit a model, write a report
      skarn audit data.csv --target price       list the rows that seem wrong
      skarn predict skarn-results new.csv       predict new rows

    Tables are CSV, TSV or Parquet, compressed or not. "skarn COMMAND --help" explains a command;
    "skarn --install-completion" teaches your shell to complete them.
    """  # noqa: D301  the backspace keeps the paragraph's lines apart


app.command()(fit)
app.command()(predict)
app.command()(audit)
app.command()(export)
app.command()(demo)

try:
    from skarn.papers.command import register
except ImportError:  # the papers' protocols come with their own part of the package
    pass
else:
    register(app)


def main() -> None:
    """Run the command line."""
    try:
        end_politely()
        app(prog_name="skarn")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Terminated:
        sys.exit(TERMINATED)
