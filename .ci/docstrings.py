"""Check the docstrings of all that users call: numpydoc's rules, an example that runs, a line in the API.

Every finding is printed with its file and line; the exit status is 1 if there is one. Names of objects as
arguments (``rowtrust.RVC``) check only those whose names begin with them.
"""

import doctest
import inspect
import sys
from collections.abc import Iterator
from dataclasses import is_dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from numpydoc.validate import validate

MODULES = (
    "rowtrust",
    "rowtrust.displays",
    "rowtrust.likelihoods",
    "rowtrust.weights",
    "rowtrust.kernels",
    "rowtrust.memberships",
    "rowtrust.fitting",
    "rowtrust.datasets",
    "rowtrust.io",
    "rowtrust.export",
)
"""Where users import from; the names in their ``__all__`` are public."""

CHOSEN = {
    "rowtrust.fitting": ("Budget",),
    "rowtrust.io": ("ModelFileError", "ModelLimitError", "VersionWarning", "load", "read_facts", "save"),
    "rowtrust.export": ("c.estimator_to_c", "onnx.estimator_to_onnx", "portable.ExportError"),
}
"""What is public of the modules that have no ``__all__``, or whose ``__all__`` is for other packages."""

NOT_FOR_USERS = {
    "rowtrust.kernels": ("function_spread", "is_stationary", "mean_spread", "numbered", "times"),
    "rowtrust.memberships": ("missing_noise",),
}
"""Names that only other packages of the library import."""

WITH_METHODS = ("rowtrust", "rowtrust.displays")
"""Modules whose classes users hold in their hands: the methods of the others are called by the solvers."""

API_PAGE = Path(__file__).parents[1] / "docs" / "api" / "index.rst"
"""The page of the site that lists every public object, one a line."""

RULES = {
    "GL03": "no double blank lines",
    "GL06": "sections have numpydoc's names",
    "GL07": "and its order",
    "GL08": "there is a docstring",
    "GL10": "directives have two colons",
    "SS01": "there is a summary",
    "SS02": "that begins with a capital letter",
    "SS03": "and ends with a full stop",
    "SS06": "on one line",
    "PR01": "every parameter is documented",
    "PR02": "and every documented one exists",
    "PR03": "in the order of the signature",
    "PR04": "with a type",
    "PR05": "that has no full stop",
    "PR06": "and is named as Python names it",
    "PR07": "and a description",
    "PR10": "and a space before its colon",
    "RT01": "what is returned is said",
    "YD01": "and what is yielded",
}
"""Numpydoc's checks that find mistakes a reader would stumble over; the others are matters of taste: a
longer summary (ES01) and a list of neighbours (SA01) for everything, verbs (SS05), where quotes stand. Of
examples (EX01) we ask more: one that runs."""

NOT_FOR_RECORDS = ("PR04",)
"""Rules that classes with annotated fields need not keep: the annotations are the types."""

NOT_FOR_RESULTS = ("PR01",)
"""Rules that records with a section of attributes need not keep: users read their fields, we fill them."""

NOT_FOR_ERRORS = ("PR01",)
"""Rules that exceptions and warnings need not keep: nobody makes them but the library."""

TOLD_ABOVE = {"fetch_banana": ("PR01",)}
"""Functions whose summary tells of a parameter: the section of parameters is one for all fetchers."""


def public_names(module: str) -> tuple[str, ...]:
    """Return the names in a module that users may rely on."""
    names = CHOSEN.get(module) or import_module(module).__all__
    return tuple(name for name in names if name not in NOT_FOR_USERS.get(module, ()))


def found(module: str, name: str) -> Any:
    """Return the object of a name, which may have its submodule before it."""
    *parents, last = f"{module}.{name}".split(".")
    return getattr(import_module(".".join(parents)), last)


def methods(of: type) -> Iterator[str]:
    """Yield the names of the public methods and properties that are written in rowtrust."""
    for name in dir(of):
        owner = next((parent for parent in of.__mro__ if name in vars(parent)), object)
        written = callable(getattr(of, name)) or isinstance(vars(owner)[name], property)
        routed = name.startswith("set_") and name.endswith("_request")  # scikit-learn writes these
        if written and not routed and not name.startswith("_") and owner.__module__.startswith("rowtrust"):
            yield name


def spared(item: Any) -> tuple[str, ...]:
    """Return the rules that a class or function need not keep."""
    if not inspect.isclass(item):
        return TOLD_ABOVE.get(getattr(item, "__name__", ""), ())
    if issubclass(item, Exception):
        return NOT_FOR_ERRORS
    if not is_dataclass(item):
        return ()
    return NOT_FOR_RECORDS + (NOT_FOR_RESULTS if "\nAttributes\n---" in (inspect.getdoc(item) or "") else ())


def broken(name: str, item: Any) -> list[str]:
    """Return a line for every rule that a docstring breaks, the same for all heirs of a method."""
    seen, unasked = validate(name), spared(item)
    place = f"{seen['file']}:{seen['file_line']}: {getattr(item, '__qualname__', name)}"
    return [
        f"{place}: {code} {said}" for code, said in seen["errors"] if code in RULES and code not in unasked
    ]


def without_example(name: str, item: Any) -> list[str]:
    """Return a line if a docstring has no example that doctest would find."""
    is_error = inspect.isclass(item) and issubclass(item, Exception)
    written = doctest.DocTestParser().get_examples(inspect.getdoc(item) or "")
    return [] if written or is_error else [f"{name}: no example that runs (>>>)"]


def not_listed(name: str, short: str) -> list[str]:
    """Return a line if an object is missing in the API reference."""
    listed = {line.strip() for line in API_PAGE.read_text("utf-8").splitlines()}
    return [] if short in listed else [f"{name}: not in {API_PAGE.name} of the API reference"]


def is_inherited(method: Any) -> bool:
    """Return whether a method has no words of its own: those of the class above are shown."""
    return not method.__doc__ and bool(inspect.getdoc(method))


def findings(module: str, name: str) -> Iterator[str]:
    """Yield what is wrong with the docstring of a public object and of its methods."""
    item, full = found(module, name), f"{module}.{name}"
    if not (inspect.isclass(item) or inspect.isroutine(item)):
        return  # a constant: the line below it is checked by the tests
    yield from broken(full, item) + without_example(full, item) + not_listed(full, name)
    if inspect.isclass(item) and module in WITH_METHODS:
        for method in methods(item):
            if not is_inherited(getattr(item, method)):
                yield from broken(f"{full}.{method}", getattr(item, method))


def main(chosen: list[str]) -> int:
    """Print all findings and how many objects were checked; return the exit status."""
    names = [(module, name) for module in MODULES if find_spec(module) for name in public_names(module)]
    names = [pair for pair in names if not chosen or ".".join(pair).startswith(tuple(chosen))]
    lines = list(dict.fromkeys(line for module, name in names for line in findings(module, name)))
    print("\n".join([*lines, f"Docstrings: {len(names)} public objects, {len(lines)} findings."]))
    return 1 if lines or not names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
