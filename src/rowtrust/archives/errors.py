"""What can be wrong with an archive."""

from __future__ import annotations


class DamagedError(ValueError):
    """An archive that cannot be read, or that says what cannot be; the message is a part of a sentence."""


class UntrustedError(ValueError):
    """An archive that asks for a type or a function which nobody vouches for.

    Parameters
    ----------
    names
        Full names of what was asked for, without repetitions.
    """

    def __init__(self, names: list[str]) -> None:
        super().__init__(", ".join(names))
        self.names = names
