"""Where a page comes from: the command, the code, and the repeats it stands on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from papers.code import commit
from papers.context import RunContext
from papers.experiments import Experiment
from papers.software import software
from rowtrust import __version__


@dataclass(frozen=True)
class Origin:
    """Where results come from.

    Parameters
    ----------
    command
        What was asked for.
    seed
        The seed of the run.
    quick
        Whether it was a quick run.
    code
        The last commit that touched the library or this package.
    day
        When.
    """

    command: str
    seed: int
    quick: bool
    code: str
    day: str

    @classmethod
    def now(cls, command: str, seed: int, quick: bool) -> Origin:
        """Return the origin of what is made now."""
        return cls(command, seed, quick, commit(), f"{datetime.now(UTC):%Y-%m-%d}")

    def facts(self, seconds: float) -> dict[str, Any]:
        """Return what is kept beside a file."""
        return {
            "command": self.command,
            "seed": self.seed,
            "quick": self.quick,
            "code": self.code,
            "date": self.day,
            "wall_seconds": round(seconds, 2),
            "rowtrust": __version__,
            "software": software(),
        }

    def text(self) -> str:
        """Return a line for the top of a page."""
        note = " **A quick run: few repeats, small grids; its numbers prove nothing.**" if self.quick else ""
        number, *more = self.code.split(" ", 1)
        code = " ".join([f"`{number}`", *more])
        return (
            f"Made by `{self.command}` on {self.day}, seed {self.seed}, rowtrust {__version__}, "
            f"code: commit {code}.{note}"
        )


def repeats_text(context: RunContext, experiments: Iterable[Experiment]) -> str:
    """Say how many repeats a page stands on, what they cost, and with what they were made."""
    experiments = list(experiments)
    records = [record for experiment in experiments for record in context.store.records(experiment)]
    made = Counter(record["made with"] for record in records)
    wanted = sum(experiment.repeats for experiment in experiments)
    hours = sum(record["seconds"] for record in records) / 3600.0
    places = "; ".join(f"{count} with {where}" for where, count in made.most_common())
    return f"{len(records)} of {wanted} repeats are done, {hours:.1f} core hours: {places}."
