"""Pages of the docs from records alone: ``write`` makes all of them, and README's table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.evidence.pages import choice, clean, command, constants, dirty, real, scaling, sure
from benchmarks.evidence.pages.readme import put_into
from benchmarks.evidence.pages.results import Results
from benchmarks.evidence.records import Records
from rowtrust.atomic import written_aside

PAGES: dict[str, Callable[[Results], str]] = {
    "index": choice.index,
    "choice": choice.page,
    "labels": dirty.labels,
    "values": dirty.values,
    "real": real.page,
    "sure": sure.page,
    "clean": clean.page,
    "command": command.page,
    "scaling": scaling.page,
    "constants": constants.page,
}
"""What writes a page, by the name of its file."""


def write(folder: Path, readme: Path | None = None) -> Iterator[Path]:
    """Write all pages of the results in a folder, and README's table; yield the files."""
    results = Results(Records(folder / "results"))
    for name, text in texts(results).items():
        save(folder / f"{name}.md", text)
        yield folder / f"{name}.md"
    if readme is not None:
        save(readme, put_into(readme.read_text(encoding="utf-8"), results))
        yield readme


def texts(results: Results) -> dict[str, str]:
    """Return the texts of all pages."""
    return {name: make(results) for name, make in PAGES.items()}


def save(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with written_aside(file) as aside:
        aside.write_text(text, encoding="utf-8")
