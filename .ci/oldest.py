"""Print the oldest versions that pyproject.toml allows of all that users install, as pip's constraints."""

import re
import tomllib
from pathlib import Path

LOWER_BOUND = re.compile(r"(?P<name>[\w.-]+)(\[[^]]*\])?\s*>=\s*(?P<version>[\w.]+)")
"""A requirement with extras or without, from its name to the version it starts at."""

FRAMES = ("polars",)
"""Frames of the test group: an old scikit-learn does not find the column names of the newest ones."""


def oldest(requirement: str) -> str:
    """Return the requirement pinned to its lower bound."""
    found = LOWER_BOUND.match(requirement)
    if found is None:
        raise SystemExit(f"{requirement!r} has no lower bound: write 'name>=version' in pyproject.toml.")
    return f"{found['name']}=={found['version']}"


def main() -> None:
    """Print a line for every dependency of the library and of its extras, and for the frames of the tests."""
    settings = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
    project, tests = settings["project"], settings["dependency-groups"]["test"]
    frames = [name for name in tests if isinstance(name, str) and name.startswith(FRAMES)]
    groups = [project["dependencies"], *project["optional-dependencies"].values(), frames]
    print("\n".join(sorted({oldest(requirement) for group in groups for requirement in group})))


if __name__ == "__main__":
    main()
