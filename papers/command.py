"""The command ``python -m papers``: run a paper's tables and figures again."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from papers.code import commit
from papers.context import RunContext
from papers.origin import Origin, repeats_text
from papers.pages import Chapter, misses
from papers.paper import Paper
from papers.results import Results
from papers.store import Store
from papers.tables import ResultTable
from rowtrust.datasets import DataNotFoundError

PROGRAM = "python -m papers"
"""What the command is called."""

console = Console()
app = typer.Typer(add_completion=False)

RATE_MEMORY = 600.0
"""Seconds over which the rate of repeats is averaged for the time left."""

Item = TypeVar("Item")

LABELS_WIDTH, MEASURE_WIDTH = 30, 46
"""Columns of text that a table's labels, and one measure beside the paper's, take."""


def main() -> None:
    """Run the command."""
    app(prog_name=PROGRAM)


@app.command()
def reproduce(
    paper: Annotated[str, typer.Argument(help="hwang, chu, li or all.")],
    table: Annotated[list[str] | None, typer.Option(help="Only this table; may be repeated.")] = None,
    figure: Annotated[list[str] | None, typer.Option(help="Only this figure; may be repeated.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few repeats, small grids: minutes.")] = False,
    data: Annotated[
        Path | None, typer.Option(help="Folder of the papers' data; without it ROWTRUST_DATA, then OpenML.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of repeats and tables.")] = Path(
        "rowtrust-results"
    ),
    pages: Annotated[
        Path | None, typer.Option(help="Folder of pages and figures; that of the results by default.")
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="Repeats per cell; the paper's by default.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Repeats side by side; all cores by default.")
    ] = None,
) -> None:
    """Run a paper's tables and figures again, and print its numbers beside ours.

    Finished repeats are kept in the results folder: a run that was interrupted goes on where it stopped.
    """
    from papers.catalogue import PAPERS

    chosen = chosen_papers(paper, PAPERS, table, figure)
    store = Store(output / "repeats", seed, str(data) if data else None, jobs or os.cpu_count() or 1)
    context = RunContext(store, quick, repeats, show_progress)
    results = Results(output, pages or output, Origin.now(command_line(), seed, quick))
    start = perf_counter()
    try:
        if table or figure:
            run_parts(chosen[0], context, results, table or [], figure or [])
        else:
            run_everything(chosen, context, results)
    except KeyboardInterrupt:
        console.print("\nStopped. Finished repeats are kept: run the same command again to go on.")
        raise typer.Exit(130) from None
    except (DataNotFoundError, ImportError) as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(1) from error
    if commit() != results.origin.code:
        console.print("The code changed while it ran: run the same command again.", style="red")
        raise typer.Exit(1)
    console.print(f"All pages are in {results.pages} ({perf_counter() - start:.0f} s).", soft_wrap=True)


def chosen_papers(
    name: str, papers: dict[str, Paper], tables: list[str] | None, figures: list[str] | None
) -> list[Paper]:
    """Return the papers that were asked for, or say which there are."""
    if name != "all" and name not in papers:
        raise typer.BadParameter(
            f"{name!r} is no paper; choose {', '.join(papers)} or all.", param_hint="PAPER"
        )
    if name == "all" and (tables or figures):
        raise typer.BadParameter("--table and --figure need one paper, not all.", param_hint="PAPER")
    chosen = list(papers.values()) if name == "all" else [papers[name]]
    for kind, numbers, known in (("table", tables, chosen[0].tables), ("figure", figures, chosen[0].figures)):
        for number in numbers or ():
            if number not in known:
                there = ", ".join(map(str, known))
                raise typer.BadParameter(
                    f"{name} has no {kind} {number}; it has {there}.", param_hint=f"--{kind}"
                )
    return chosen


def command_line() -> str:
    """Return what was typed."""
    return f"{PROGRAM} {shlex.join(sys.argv[1:])}"


def run_parts(
    paper: Paper, context: RunContext, results: Results, tables: list[str], figures: list[str]
) -> None:
    """Make the tables and figures that were asked for."""
    console.print(f"\n{paper.reference}\n", markup=False, style="bold")
    made = [run_table(paper, number, context, results) for number in dict.fromkeys(tables)]
    for number in dict.fromkeys(figures):
        run_figure(paper, number, context, results)
    if made:
        for note in paper.notes:
            console.print(f"- {note}", markup=False, style="dim")
        console.print(re.sub("<.*?>", "", misses(made)), markup=False)


def run_everything(papers: list[Paper], context: RunContext, results: Results) -> None:
    """Do all repeats of all papers under one bar, then write every page."""
    context.collect([experiment for paper in papers for experiment in paper.experiments(context)])
    chapters = [run_paper(paper, context, results) for paper in papers]
    if len(chapters) > 1:
        console.print(str(results.keep_overview(chapters)), markup=False, soft_wrap=True)


def run_paper(paper: Paper, context: RunContext, results: Results) -> Chapter:
    """Make all tables, figures and findings of a paper, and its page."""
    console.print(f"\n{paper.reference}\n", markup=False, style="bold")
    made = [run_table(paper, number, context, results) for number in paper.tables]
    for number in paper.figures:
        run_figure(paper, number, context, results)
    findings = [(claim, claim.find(context)) for claim in steps(paper.claims, f"claims of {paper.name}")]
    repeats = repeats_text(context, paper.experiments(context))
    chapter = Chapter(paper, made, findings, paper.conclusions(context), repeats)
    console.print(str(results.keep_chapter(chapter)), markup=False, soft_wrap=True)
    return chapter


def run_table(paper: Paper, number: str, context: RunContext, results: Results) -> ResultTable:
    """Make, print and keep one table."""
    start = perf_counter()
    made = paper.tables[number](context)
    file = results.keep_table(made, perf_counter() - start)
    print_table(made)
    console.print(f"{file}\n", markup=False, style="dim", soft_wrap=True)
    return made


def run_figure(paper: Paper, number: str, context: RunContext, results: Results) -> None:
    """Draw and keep one figure."""
    start = perf_counter()
    drawn = paper.figures[number].draw(context)
    file = results.keep_figure(paper.name, number, drawn, perf_counter() - start)
    console.print(f"figure {number}: {file}", markup=False, soft_wrap=True)


def print_table(made: ResultTable) -> None:
    """Print a table, as many measures side by side as the terminal is wide."""
    console.print(f"Table {made.number}. {made.title}", markup=False, style="bold")
    for measures in made.blocks(max(1, (console.width - LABELS_WIDTH) // MEASURE_WIDTH)):
        headings, rows = made.pivot(measures)
        shown = Table()
        for place, heading in enumerate(headings):
            is_label = place < len(made.labels)
            shown.add_column(heading, justify="left" if is_label else "right", no_wrap=not is_label)
        for row in rows:
            shown.add_row(*row)
        console.print(shown)
    for note in made.notes:
        console.print(note, markup=False)


def bar() -> Progress:
    """Return a bar that says what was done, how much, and how long the rest will take."""
    columns: list[Any] = [
        TextColumn("{task.description:<28}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    ]
    # Repeats of dear and of cheap experiments alternate, so that only a long memory knows the rate.
    return Progress(*columns, console=console, transient=True, speed_estimate_period=RATE_MEMORY)


def show_progress(finished: Iterator[str], total: int) -> Iterator[str]:
    """Show a bar with the name of the experiment that finished a repeat last."""
    with bar() as shown:
        task = shown.add_task("repeats", total=total)
        for name in finished:
            shown.update(task, advance=1, description=name)
            yield name


def steps(items: Sequence[Item], name: str) -> Iterator[Item]:
    """Pass items on under a bar."""
    with bar() as shown:
        task = shown.add_task(name, total=len(items))
        for item in items:
            yield item
            shown.update(task, advance=1)
