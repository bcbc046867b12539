"""How much memory and time a file from others may take before it is refused."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

VARIABLE = "ROWTRUST_LIMITS"
"""The environment variable that the command reads its limits from; ``--limits`` takes precedence."""

EXCESS = {
    "model_bytes": "has more than {} bytes once unpacked",
    "references": "has more than {} parts",
    "table_bytes": "has more than {} bytes once unpacked",
    "rows": "has more than {} rows",
    "columns": "has more than {} columns",
    "seconds": "took more than {} seconds",
}
"""What the message says of each limit; one for every field of ``Limits``."""


class LimitError(ValueError):
    """A file or a run is larger than the limits allow."""


@dataclass(frozen=True)
class Limits:
    """What a model file or a table may take; ``math.inf`` takes a limit away.

    Parameters
    ----------
    model_bytes
        Bytes of a model file once unpacked, an array that is named twice counted twice. The default of
        4 GiB is a guard, far above the models of this project's tests. A small file may unpack to less,
        see :func:`rowtrust.io.load`.
    references
        Parts of a model file: the nodes of its schema. The default of 50,000 leaves room for encoders of
        columns with many categories, which have a part for each; most models have some hundreds.
    table_bytes
        Bytes of a table once unpacked. The default of 64 GiB is a guess: it stops a small compressed file
        that never ends, and is above what one machine fits to in an hour.
    rows
        Rows of a table. The default of a billion is where the page on scaling ends.
    columns
        Columns of a table. The default of 100,000 is a guess: it is above tables of genes, and stops a
        header that never ends.
    seconds
        Seconds that a command may run. There is no default: large fits take hours, and are asked for.

    Examples
    --------
    >>> from rowtrust.limits import Limits
    >>> Limits.parse("rows=1e6,seconds=60").rows
    1000000.0
    """

    model_bytes: float = 4 * 2**30
    references: float = 50_000
    table_bytes: float = 64 * 2**30
    rows: float = 1_000_000_000
    columns: float = 100_000
    seconds: float = math.inf

    def __post_init__(self) -> None:
        for name in KEYS:
            _checked(name, getattr(self, name))

    @classmethod
    def parse(cls, text: str, base: Limits | None = None) -> Limits:
        """Return limits from text such as ``rows=1e6,seconds=60``; what is not named stays as in ``base``.

        Parameters
        ----------
        text
            Pairs of a name and a number, with commas between them; ``inf`` takes a limit away.
        base
            Limits to start from; the defaults unless given.

        Raises
        ------
        ValueError
            If a name is not known, or what it is given is no positive number.
        """
        changes: dict[str, float] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, _, number = (piece.strip() for piece in part.partition("="))
            if name not in KEYS:
                raise ValueError(f"There is no limit {name[:40]!r}. The limits are {', '.join(KEYS)}.")
            if name in changes:
                raise ValueError(f"The limit {name} is given twice. Give it once.")
            changes[name] = _checked(name, number)
        return replace(base or cls(), **changes)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Limits:
        """Return the limits that the variable ``ROWTRUST_LIMITS`` sets, the defaults where it does not."""
        try:
            return cls.parse(environment.get(VARIABLE, ""))
        except ValueError as error:
            raise ValueError(f"{VARIABLE}: {error}") from None

    def check(self, name: str, found: float, what: str) -> None:
        """Raise :class:`LimitError` if more was found than the limit of that name allows.

        Parameters
        ----------
        name
            Name of the limit.
        found
            How much there is, or has been read so far.
        what
            What is too large, to start the message with: the path of a file.
        """
        if found > getattr(self, name):
            raise LimitError(self.message(name, what))

    def message(self, name: str, what: str) -> str:
        """Say that a limit is exceeded, and how to raise it."""
        excess = EXCESS[name].format(f"{getattr(self, name):,.15g}")
        return (
            f"{what} {excess}, the limit {name}. If you trust where it comes from, raise the limit with "
            f"--limits {name}=N, {VARIABLE}={name}=N or Limits({name}=N)."
        )


KEYS = tuple(field.name for field in fields(Limits))
"""Names of the limits: the fields of ``Limits``."""


def _checked(name: str, value: float | str) -> float:
    """Return a limit as a number, which must be above zero."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not number > 0:
        raise ValueError(f"The limit {name} must be a number above zero, or inf; got {str(value)[:40]!r}.")
    return number
