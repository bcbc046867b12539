"""Model files that cannot run code: save and load on skops, with versions recorded and checked.

A model file is a skops archive with one more entry, ``rowtrust.json``, which holds the versions it was
written with and facts about the model. Versions are checked before anything is built, and nothing is
built unless every type in the file is one of rowtrust's own records and estimators, or one of the
scikit-learn, NumPy and SciPy types that skops knows to be harmless.
"""

from __future__ import annotations

import io
import json
import os
import platform
import warnings
from dataclasses import is_dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from sklearn.base import BaseEstimator
from sklearn.gaussian_process.kernels import Kernel

from rowtrust.atomic import written_aside

PathLike = str | os.PathLike[str]

FORMAT = 2
"""Raised when older files cannot be read any more: format 1 named the packages otherwise."""

ENTRY = "rowtrust.json"
"""Name of our entry in the archive; skops ignores entries that it does not know."""

PACKAGES = (
    "estimators",
    "svr",
    "search",
    "inference",
    "label_noise",
    "likelihoods",
    "weights",
    "priors",
    "kernels",
    "predictive",
    "contracts",
)
"""Packages whose records and estimators a model may be made of: those that a fit uses."""

KERNELS = Kernel.__module__
"""Where scikit-learn's kernel objects are, of which skops knows nothing. They are numbers and words."""

HARMLESS = ("numpy.dtype", "scipy.sparse._csr.csr_matrix", "scipy.sparse._csr.csr_array")
"""Types of data, not code, that skops asks about; found by saving estimators of dense and sparse rows."""

MOST_BYTES = 4 * 2**30
"""A file that unpacks to more than this is no model of ours. A guard, far above any model we have seen."""

NAMED_TYPES = 3
"""Untrusted types that an error message names; more would not fit its line."""


class ModelFileError(ValueError):
    """A file that is no model, or one that must not or cannot be loaded."""


class VersionWarning(UserWarning):
    """A model was written with other versions than those that read it."""


def save(model: Any, path: PathLike, *, facts: dict[str, Any] | None = None) -> None:
    """Write a fitted model to a file that loads without running code.

    Parameters
    ----------
    model : estimator
        A rowtrust estimator, or a scikit-learn pipeline around one.
    path
        Where to write. The file appears only when it is complete.
    facts
        Anything JSON can express, kept beside the model; see :func:`read_facts`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rowtrust import RVR
    >>> from rowtrust.io import load, save
    >>> model = RVR(gamma=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.skops"
    >>> save(model, path)
    >>> bool((load(path).predict([[0.5]]) == model.predict([[0.5]])).all())
    True
    """
    content = io.BytesIO(_skops().dumps(model, compression=ZIP_DEFLATED))
    untrusted = _untrusted_types(content.getvalue())
    if untrusted:
        raise ModelFileError(
            f"The model holds {', '.join(untrusted[:NAMED_TYPES])}, which a rowtrust model file does not "
            "accept because loading it could run code. Use joblib for files that only you will open."
        )
    about = {"format": FORMAT, "versions": installed_versions(), "facts": facts or {}}
    with ZipFile(content, "a", compression=ZIP_DEFLATED) as archive:
        archive.writestr(ENTRY, json.dumps(about))
    with written_aside(path) as aside:
        aside.write_bytes(content.getvalue())


def load(path: PathLike) -> Any:
    """Read a model written by :func:`save`; refuse anything that could run code.

    Raises
    ------
    ModelFileError
        If the file is no model file, holds a type that is not trusted, or is of another format.
    """
    return load_with_facts(path)[0]


def load_with_facts(path: PathLike) -> tuple[Any, dict[str, Any]]:
    """Read a model as :func:`load` does, with the facts beside it, by one reading of the file."""
    content = _content(path)
    about = _about(path, content)
    _check_versions(path, about)
    try:
        untrusted = _untrusted_types(content)
    except Exception as error:
        raise ModelFileError(f"{path} is damaged: {_first_line(error)}. Write it again.") from error
    if untrusted:
        raise ModelFileError(
            f"{path} holds {', '.join(untrusted[:NAMED_TYPES])}, which no rowtrust model needs and which "
            "could run code. Nothing was loaded. Ask where the file comes from."
        )
    return _construct(path, content), _facts(about)


def read_facts(path: PathLike) -> dict[str, Any]:
    """Return the facts kept beside a model, without loading it."""
    about = _about(path, _content(path))
    _check_format(path, about)
    return _facts(about)


def _facts(about: dict[str, Any]) -> dict[str, Any]:
    facts = about.get("facts", {})
    return facts if isinstance(facts, dict) else {}


def installed_versions() -> dict[str, str]:
    """Return the versions that decide whether a model can be read."""
    packages = {name: version(name) for name in ("scikit-learn", "numpy", "scipy")}
    return {"rowtrust": version("rowtrust"), "python": platform.python_version(), **packages}


def _skops() -> Any:
    try:
        return import_module("skops.io")
    except ImportError as error:
        raise ImportError("Model files need skops: pip install 'rowtrust[cli]'") from error


def _content(path: PathLike) -> bytes:
    """Return the bytes of a file that is at least an archive of sane size."""
    content = Path(path).read_bytes()
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    except (BadZipFile, ValueError, OSError) as error:
        raise ModelFileError(f"{path} is no rowtrust model file{_guess(content)}.") from error
    if size > MOST_BYTES:
        raise ModelFileError(f"{path} would unpack to {size / 2**30:.0f} GB; no rowtrust model is as large.")
    return content


def _guess(content: bytes) -> str:
    """Say what a file that is no archive seems to be."""
    if content[:1] == b"\x80" or content[-1:] == b".":
        return "; it looks like a pickle, which can run code when opened, so it was not opened"
    return "" if content else "; it is empty"


def _about(path: PathLike, content: bytes) -> dict[str, Any]:
    with ZipFile(io.BytesIO(content)) as archive:
        try:
            about = json.loads(archive.read(ENTRY))
        except (KeyError, ValueError, BadZipFile) as error:
            raise ModelFileError(
                f"{path} was not written by rowtrust: it has no readable {ENTRY}. Write models with "
                "rowtrust.io.save or 'rowtrust fit'."
            ) from error
    if not isinstance(about, dict) or not isinstance(about.get("versions"), dict):
        raise ModelFileError(f"{path} was not written by rowtrust: its {ENTRY} records no versions.")
    return about


def _check_format(path: PathLike, about: dict[str, Any]) -> None:
    if about.get("format") != FORMAT:
        raise ModelFileError(
            f"{path} has format {about.get('format')!r}, which is not format {FORMAT}. Fit the model again. "
            f"Install rowtrust {about['versions'].get('rowtrust', 'of another version')} to read it as it is."
        )


def _check_versions(path: PathLike, about: dict[str, Any]) -> None:
    """Refuse another format; warn where a version differs in its first two numbers."""
    _check_format(path, about)
    here = installed_versions()
    differ = [
        f"{name} {str(there)[:20]} (here {here[name]})"
        for name, there in about["versions"].items()
        if name in here and name != "python" and _minor(str(there)) != _minor(here[name])
    ]
    if differ:
        warnings.warn(
            f"{path} was written with {', '.join(differ)}. If its predictions matter, fit it again or "
            "install those versions.",
            VersionWarning,
            stacklevel=4,
        )


def _minor(number: str) -> tuple[str, ...]:
    return tuple(number.split(".")[:2])


def _untrusted_types(content: bytes) -> list[str]:
    """Return the types in a file that nobody vouches for."""
    return [name for name in _skops().get_untrusted_types(data=content) if not _is_ours(name)]


def _is_ours(name: str) -> bool:
    """Whether a name is that of a record, an estimator or a kernel, or of plain data: no side effects."""
    if name in HARMLESS:
        return True
    module_name, _, class_name = name.rpartition(".")
    root, *parts = module_name.split(".")
    in_our_packages = root == "rowtrust" and bool(parts) and parts[0] in PACKAGES
    if not in_our_packages and module_name != KERNELS:
        return False
    try:
        found = getattr(import_module(module_name), class_name, None)
    except ImportError:
        return False
    if not isinstance(found, type) or found.__module__ != module_name:
        return False
    return issubclass(found, Kernel) or (
        in_our_packages and (is_dataclass(found) or issubclass(found, BaseEstimator))
    )


def _construct(path: PathLike, content: bytes) -> Any:
    skops = _skops()
    trusted = [name for name in skops.get_untrusted_types(data=content) if _is_ours(name)]
    try:
        with warnings.catch_warnings():
            # Our own warning has said it in one line.
            warnings.filterwarnings("ignore", message="Trying to unpickle estimator")
            return skops.loads(content, trusted=trusted)
    except Exception as error:
        raise ModelFileError(
            f"{path} cannot be loaded with the installed versions: {_first_line(error)}. Fit it again."
        ) from error


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(".")[:200]
