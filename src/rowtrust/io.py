"""Model files that cannot run code: save and load on skops, with versions recorded and checked.

A model file is a skops archive with one more entry, ``rowtrust.json``, which holds the versions it was
written with and facts about the model. Versions are checked before anything is built, and nothing is
built unless every type in the file is one of rowtrust's own records and estimators, or one of the
scikit-learn, NumPy and SciPy types that skops knows to be harmless.
"""

from __future__ import annotations

import json
import os
import platform
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rowtrust.archives import (
    Archive,
    CleanArchive,
    DamagedError,
    UntrustedError,
    check_answer,
    check_model,
    clean_archive,
    is_around_models,
    is_ours,
    parsed_json,
    unpacked_budget,
)
from rowtrust.atomic import written_aside
from rowtrust.limits import LimitError, Limits

PathLike = str | os.PathLike[str]

FORMAT = 3
"""Raised when older files cannot be read any more: format 1 named the packages otherwise."""

ENTRY = "rowtrust.json"
"""Name of our entry in the archive; skops ignores entries that it does not know."""

HARMLESS = ["numpy.dtype", "scipy.sparse._csr.csr_matrix", "scipy.sparse._csr.csr_array"]
"""Types of data, not code, that skops asks about; found by saving estimators of dense and sparse rows."""

MAGIC = b"PK\x03\x04"
"""How an archive begins; from the definition of the zip format."""

NAMED_TYPES = 3
"""Untrusted types that an error message names; more would not fit its line."""


SHOWN_LETTERS = 20
"""Letters of a version or format from a file that a message shows; versions have ten."""


READ_AT_ONCE = 2**24
"""Bytes that are read at once: most models are one piece. A limit on memory, not studied."""


class ModelFileError(ValueError):
    """A file that is no model, or one that must not or cannot be loaded."""


class ModelLimitError(ModelFileError, LimitError):
    """A model file that takes more than the limits allow."""


class VersionWarning(UserWarning):
    """A model was written with other versions than those that read it."""


def save(
    model: Any,
    path: PathLike,
    *,
    facts: dict[str, Any] | None = None,
    limits: Limits = Limits(),  # noqa: B008
) -> None:
    """Write a fitted model to a file that loads without running code.

    Parameters
    ----------
    model : estimator
        A fitted rowtrust estimator, or a scikit-learn pipeline around one.
    path : str or path
        Where to write. The file appears only when it is complete.
    facts : dict, default=None
        Anything JSON can express, kept beside the model; see :func:`read_facts`.
    limits : Limits, default=Limits()
        What a file may take. A model that :func:`load` would refuse under the same limits is not written.

    Raises
    ------
    ModelFileError
        If the model was not fitted, holds what could run code, or takes more than the limits allow.

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
    with told_of("The model", limits, "Fix the model, or use joblib for files that only you will open"):
        archive = clean_archive(_skops().dumps(model), limits)
        untrusted = _untrusted(archive)
        if untrusted:
            raise UntrustedError(untrusted)
        check_model(model)
        about = {"format": FORMAT, "versions": installed_versions(), "facts": facts or {}}
        entry = json.dumps(about).encode()
        parsed_json(entry, ENTRY, limits)
        content = archive.smallest({ENTRY: entry})
    with written_aside(path) as aside:
        aside.write_bytes(content)


def load(path: PathLike, *, limits: Limits = Limits()) -> Any:  # noqa: B008
    """Read a model written by :func:`save`; refuse anything that could run code or take much.

    A file may unpack to 64 MiB, or to 50 times its own size if that is more, and to no more than
    ``limits.model_bytes``. Its parts must be of the kinds that models have, fit together, and predict a row.

    Parameters
    ----------
    path : str or path
        The file.
    limits : Limits, default=Limits()
        What it may take.

    Returns
    -------
    estimator
        The fitted model, or the pipeline around it.

    Raises
    ------
    ModelFileError
        If the file is no model file, holds a type that is not trusted, is damaged, is of another format, or
        takes more than the limits allow.

    Examples
    --------
    >>> import os, tempfile
    >>> from rowtrust import RVR
    >>> from rowtrust.io import load, save
    >>> path = os.path.join(tempfile.mkdtemp(), "model.skops")
    >>> save(RVR(gamma=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0]), path)
    >>> load(path)
    RVR(gamma=1.0)
    """
    return load_with_facts(path, limits=limits)[0]


def load_with_facts(path: PathLike, *, limits: Limits = Limits()) -> tuple[Any, dict[str, Any]]:  # noqa: B008
    """Read a model as :func:`load` does, with the facts beside it, by one reading of the file."""
    content = _content(path, limits)
    about = _about(path, content, limits)
    _check_versions(path, about)
    with told_of(path, limits):
        archive = clean_archive(content, limits)
        del content
        untrusted = _untrusted(archive)
        if untrusted:
            raise UntrustedError(untrusted)
        model = _construct(archive)
        check_model(model)
    return model, _facts(about)


def read_facts(path: PathLike, *, limits: Limits = Limits()) -> dict[str, Any]:  # noqa: B008
    """Return the facts kept beside a model, without loading it.

    Parameters
    ----------
    path : str or path
        The file.
    limits : Limits, default=Limits()
        What it may take.

    Returns
    -------
    dict
        What :func:`save` was given as ``facts``.

    Examples
    --------
    >>> import os, tempfile
    >>> from rowtrust import RVR
    >>> from rowtrust.io import read_facts, save
    >>> path = os.path.join(tempfile.mkdtemp(), "model.skops")
    >>> model = RVR(gamma=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0])
    >>> save(model, path, facts={"batch": "A7"})
    >>> read_facts(path)
    {'batch': 'A7'}
    """
    about = _about(path, _content(path, limits), limits)
    _check_format(path, about)
    return _facts(about)


def _facts(about: dict[str, Any]) -> dict[str, Any]:
    facts = about.get("facts", {})
    return facts if isinstance(facts, dict) else {}


def check_prediction(path: PathLike, model: Any, make_row: Callable[[], Any]) -> None:
    """Refuse a model that was read from a file and does not answer to a row.

    Parameters
    ----------
    path
        The file, for the message.
    model
        What :func:`load` returned.
    make_row
        Returns a row such as those of the fit; where it fails, the file is to blame too.
    """
    with told_of(path, Limits()):
        check_answer(model, make_row())


def installed_versions() -> dict[str, str]:
    """Return the versions that decide whether a model can be read."""
    packages = {name: version(name) for name in ("scikit-learn", "numpy", "scipy")}
    return {"rowtrust": version("rowtrust"), "python": platform.python_version(), **packages}


def _skops() -> Any:
    try:
        return import_module("skops.io")
    except ImportError as error:
        raise ImportError("Model files need skops: pip install 'rowtrust[cli]'") from error


@contextmanager
def told_of(path: PathLike, limits: Limits, cure: str = "Write it again") -> Iterator[None]:
    """Turn whatever goes wrong with a file into a ``ModelFileError`` of one line."""
    try:
        yield
    except (ModelFileError, OSError, ImportError):
        raise
    except LimitError as error:
        raise ModelLimitError(_limit_message(path, str(error), limits)) from None
    except UntrustedError as error:
        names = ", ".join(error.names[:NAMED_TYPES])
        raise ModelFileError(_untrusted_message(path, names, cure)) from None
    except DamagedError as error:
        raise ModelFileError(f"{path} cannot be used: {error}. {cure}.") from error
    except Exception as error:
        raise ModelFileError(f"{path} cannot be used: {_first_line(error)}. {cure}.") from error


def _limit_message(path: PathLike, name: str, limits: Limits) -> str:
    """Say which limit a file exceeds: one of the user's, or what a file of its size may unpack to."""
    is_file = os.path.isfile(path)  # what is saved is none yet
    budget = unpacked_budget(os.path.getsize(path) if is_file else 0, limits)
    if name == "references" or budget == limits.model_bytes or not is_file:
        return limits.message(name, str(path))
    return (
        f"{path} unpacks to more than {budget:,.0f} bytes, which no model file of its size does if "
        "rowtrust wrote it. Nothing was loaded. Ask where the file comes from."
    )


def _untrusted_message(path: PathLike, names: str, cure: str) -> str:
    if cure.startswith("Fix"):
        return (
            f"{path} holds {names}, which a rowtrust model file does not accept because it could run code or "
            "read memory at random. Use joblib for files that only you will open."
        )
    return (
        f"{path} holds {names}, which no rowtrust model needs and which could run code. Nothing was loaded. "
        "Ask where the file comes from."
    )


def _content(path: PathLike, limits: Limits) -> bytes:
    """Return the bytes of a file that begins as an archive does, and is not larger than a model may be."""
    with Path(path).open("rb") as stream:
        start = stream.read(len(MAGIC))
        if start != MAGIC:
            raise ModelFileError(f"{path} is no rowtrust model file{_guess(start, stream)}.")
        if limits.model_bytes == float("inf"):
            return start + stream.read()
        content, left = start, int(limits.model_bytes)
        # A buffer of all that is allowed would be gigabytes for any file.
        while left > 0 and (piece := stream.read(min(left, READ_AT_ONCE))):
            content, left = content + piece, left - len(piece)
    if len(content) > limits.model_bytes:
        raise ModelLimitError(limits.message("model_bytes", str(path)))
    return content


def _guess(start: bytes, stream: Any) -> str:
    """Say what a file that is no archive seems to be."""
    try:
        stream.seek(-1, os.SEEK_END)
        end = stream.read(1)
    except OSError:
        end = b""
    if start[:1] == b"\x80" or end == b".":
        return "; it looks like a pickle, which can run code when opened, so it was not opened"
    return "" if start else "; it is empty"


def _about(path: PathLike, content: bytes, limits: Limits) -> dict[str, Any]:
    try:
        archive = Archive(content, unpacked_budget(len(content), limits))
        about = parsed_json(archive.read(ENTRY), ENTRY, limits)
    except LimitError as error:
        raise ModelLimitError(_limit_message(path, str(error), limits)) from None
    except DamagedError as error:
        raise ModelFileError(
            f"{path} was not written by rowtrust, or is damaged: {error}. Write models with rowtrust.io.save "
            "or 'rowtrust fit'."
        ) from error
    if not isinstance(about, dict) or not isinstance(about.get("versions"), dict):
        raise ModelFileError(f"{path} was not written by rowtrust: its {ENTRY} records no versions.")
    return about


def _check_format(path: PathLike, about: dict[str, Any]) -> None:
    if about.get("format") != FORMAT:
        theirs = _short(about["versions"].get("rowtrust", "of another version"))
        raise ModelFileError(
            f"{path} has format {_short(about.get('format'))}, which is not format {FORMAT}. Fit the model "
            f"again. Install rowtrust {theirs} to read it as it is."
        )


def _check_versions(path: PathLike, about: dict[str, Any]) -> None:
    """Refuse another format; warn where a version differs in its first two numbers."""
    _check_format(path, about)
    here = installed_versions()
    differ = [
        f"{name} {_short(there)} (here {here[name]})"
        for name, there in about["versions"].items()
        if name in here and name != "python" and _minor(_short(there)) != _minor(here[name])
    ]
    if differ:
        warnings.warn(
            f"{path} was written with {', '.join(differ)}. If its predictions matter, fit it again or "
            "install those versions.",
            VersionWarning,
            stacklevel=4,
        )


def _short(value: Any) -> str:
    """Return a word from a file as it can be shown: one line, no control letters, not long."""
    shown = value if isinstance(value, str | int | float | None) else type(value).__name__
    text = str(shown) if not isinstance(shown, int) or abs(shown) < 10**SHOWN_LETTERS else "a large number"
    return "".join(letter if letter.isprintable() else "?" for letter in text[:SHOWN_LETTERS])


def _minor(number: str) -> tuple[str, ...]:
    return tuple(number.split(".")[:2])


def _untrusted(archive: CleanArchive) -> list[str]:
    """Return the types in a file that nobody vouches for."""
    return sorted(name for name in archive.types if not (is_ours(name) or is_around_models(name)))


def _construct(archive: CleanArchive) -> Any:
    """Let skops build a model whose types are all trusted."""
    trusted = [*HARMLESS, *sorted(archive.types)]
    try:
        with warnings.catch_warnings():
            # Our own warning has said it in one line.
            warnings.filterwarnings("ignore", message="Trying to unpickle estimator")
            return _skops().loads(archive.packed(), trusted=trusted)
    except ImportError as error:
        raise DamagedError(f"the installed versions lack a part of it ({_first_line(error)})") from error


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(".")[:200]
