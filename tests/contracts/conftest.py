"""What the contracts share: which parts a package holds, and whether each has a case."""

import importlib
import inspect
import pkgutil

import pytest


def parts_of(package, base):
    """Return the concrete subclasses of ``base`` that the modules of a package define."""
    names = [module.name for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    modules = [importlib.import_module(name) for name in names]
    return {
        part
        for module in modules
        for _, part in inspect.getmembers(module, inspect.isclass)
        if issubclass(part, base) and part.__module__ == module.__name__ and not inspect.isabstract(part)
    }


@pytest.fixture
def check_cases():
    """Return a function that fails where a part of a package has no case, or is not exported."""

    def check(package, base, cases):
        parts = parts_of(package, base)
        covered = {type(case) if isinstance(case, base) else case for case in cases}
        missing = sorted(part.__name__ for part in parts - covered)
        assert not missing, (
            f"{package.__name__} has {base.__name__} classes without a contract test: {missing}. "
            "Write a case for each into the table of this file."
        )
        hidden = sorted(part.__name__ for part in parts if part.__name__ not in package.__all__)
        assert not hidden, f"{hidden} are missing from {package.__name__}.__all__."

    return check
