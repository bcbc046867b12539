"""What a run of the fuzzer counts, and its table."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchmarks.fuzz_outcomes import FAULTS, Outcome
from benchmarks.fuzz_workers import Task


@dataclass
class KindCounts:
    """Cases of one kind."""

    seconds: float = 0.0
    by_status: dict[str, int] = field(default_factory=dict)

    @property
    def cases(self) -> int:
        """How many there were."""
        return sum(self.by_status.values())

    def faults(self) -> str:
        """Return the faults by type, in words."""
        found = [f"{self.by_status[name]} {name}" for name in FAULTS if name in self.by_status]
        return ", ".join(found) or "none"


@dataclass
class Failure:
    """A distinct failure: the first case that has shown it, and how many did."""

    task: Task
    outcome: Outcome
    times: int = 1

    def __str__(self) -> str:
        text = " ".join(self.outcome.text.split())
        where = f" in {self.outcome.place}" if self.outcome.place else ""
        return (
            f"python -m benchmarks fuzz --again {self.task}\n"
            f"    {self.outcome.status}{where} ({self.times} x): {text[:300]}"
        )


class Counts:
    """Everything that a run has counted."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.kinds = {name: KindCounts() for name in names}
        self._failures: dict[tuple[str, str, str], Failure] = {}

    @property
    def failures(self) -> list[Failure]:
        """Distinct failures, in the order in which they came."""
        return list(self._failures.values())

    def add(self, task: Task, outcome: Outcome, seconds: float) -> bool:
        """Count a case; return whether it failed as none has before."""
        kind = self.kinds[task.kind]
        kind.seconds += seconds
        kind.by_status[outcome.status] = kind.by_status.get(outcome.status, 0) + 1
        if not outcome.is_fault:
            return False
        key = (task.kind, outcome.status, outcome.place)
        if key in self._failures:
            self._failures[key].times += 1
            return False
        self._failures[key] = Failure(task, outcome)
        return True

    def progress(self) -> str:
        """Return a line on how far it has come."""
        parts = [f"{name} {kind.cases}" for name, kind in self.kinds.items()]
        return f"{', '.join(parts)}; {len(self._failures)} distinct failures"

    def report(self) -> str:
        """Return the table, and a line that reproduces each distinct failure."""
        lines = ["| kind | cases | passed | refused in words | failed | by type | seconds |"]
        lines.append("|---|---:|---:|---:|---:|---|---:|")
        for name, kind in self.kinds.items():
            passed, refused = (kind.by_status.get(status, 0) for status in ("passed", "refused"))
            failed = kind.cases - passed - refused
            lines.append(
                f"| {name} | {kind.cases} | {passed} | {refused} | {failed} | {kind.faults()} "
                f"| {kind.seconds:.0f} |"
            )
        if not self._failures:
            return "\n".join([*lines, "", "No failure."])
        return "\n".join([*lines, "", f"{len(self._failures)} distinct failures:", *map(str, self.failures)])
