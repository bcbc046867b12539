"""A study in a notebook: its card, and its report as a page inside the page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from markupsafe import escape

from rowtrust.atomic import written_aside
from rowtrust.workflow.choices import told_in_python
from rowtrust.workflow.output_paths import check_apart
from rowtrust.workflow.study import Study
from rowtrust.workflow.summaries import NAMES, summary_lines

PAGE_HEIGHT = 700
"""Pixels of the report inside a notebook; most of a screen."""


@dataclass(frozen=True, repr=False)
class Page:
    """The report of a study; a notebook shows it.

    Attributes
    ----------
    html
        The whole page as text.
    """

    html: str

    @classmethod
    def of(cls, study: Study) -> Page:
        """Return the report of a study."""
        from rowtrust.workflow.report import render  # matplotlib takes a second

        return cls(render(study))

    def __repr__(self) -> str:
        return f"<report of {len(self.html) // 1024} KB; show it in a notebook, or give report() a path>"

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, so that its style and the notebook's stay apart."""
        looks = f"width:100%;height:{PAGE_HEIGHT}px;border:1px solid #8884;border-radius:6px"
        may = "allow-scripts allow-downloads"
        return f'<iframe sandbox="{may}" style="{looks}" srcdoc="{escape(self.html)}"></iframe>'


def write_page(page: Page, path: Path, *, force: bool) -> Path:
    """Write a report as one file; return its path."""
    with told_in_python():
        check_apart({"path": path}, {}, force=force)
    with written_aside(path) as aside:
        aside.write_text(page.html, encoding="utf-8")
    return path


def card(study: Study) -> str:
    """Return the summary of a study as a small table of HTML, every word of the data escaped."""
    looks = 'style="text-align:left;vertical-align:top;padding:2px 10px 2px 0"'
    rows = "".join(
        f"<tr><th {looks}>{escape(line[:NAMES].strip())}</th><td {looks}>{escape(line[NAMES:])}</td></tr>"
        for line in summary_lines(study)
    )
    hint = " ".join(f"<code>.{name}</code>" for name in ("quality", "flagged", "model", "report()"))
    return f'<div><table style="border-collapse:collapse">{rows}</table><small>{hint}</small></div>'
