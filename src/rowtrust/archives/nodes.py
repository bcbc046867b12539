"""The schema of an archive, looked through part by part and written anew.

skops builds what the parts ("nodes") of ``schema.json`` say. Each kind of part has a rule here, and a kind
without a rule is refused. References by number are dropped: they could make circles, or a tree of a
billion branches in a few lines. Only stored arrays get new numbers, so that an array that is named a hundred
times is made once.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from rowtrust.archives.arrays import check_array, rewritten_sparse
from rowtrust.archives.names import CLASSES, KEY_TYPES, SCALARS, is_harmless_function
from rowtrust.archives.reading import Archive, DamagedError, UntrustedError, parsed_json, unpacked_budget
from rowtrust.limits import LimitError, Limits

Node = dict[str, Any]

SCHEMA = "schema.json"
"""The entry in which skops keeps the schema."""

MOST_DEPTH = 60
"""Parts within parts. Models of the tests go 16 deep; skops needs five calls of Python's thousand each."""

FIRST_PROTOCOL = 2
"""The protocol of the oldest skops that is supported. Older ones had kinds of parts with laxer rules."""

LONGEST_NAME = 200
"""Letters of the name of a type or module; the longest of the tests has 60."""

TWISTER_NUMBERS = 624
"""Numbers in the state of NumPy's RandomState: by definition of the Mersenne Twister."""


class CleanArchive:
    """An archive of which every part was looked at.

    Parameters
    ----------
    content
        The archive as it was found.
    limits
        What it may take.

    Attributes
    ----------
    types : set of str
        Full names of the classes whose objects the archive asks for, beside plain data.
    entries : dict
        Names and contents of its parts, checked: ``schema.json``, and arrays.
    """

    def __init__(self, content: bytes, limits: Limits) -> None:
        self.limits = limits
        self.types: set[str] = set()
        self.entries: dict[str, bytes] = {}
        self._archive = Archive(content, unpacked_budget(len(content), limits))
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._numbers: dict[tuple[str, str, str], int] = {}
        self._untrusted: list[str] = []
        self._count = 0
        found = parsed_json(self._archive.read(SCHEMA), SCHEMA, limits)
        protocol = found.get("protocol") if isinstance(found, dict) else None
        if type(protocol) is not int or protocol < FIRST_PROTOCOL:
            raise DamagedError(f"its schema has no protocol of {FIRST_PROTOCOL} or above")
        schema = {**self._node(found, 0), "protocol": protocol, "_skops_version": "0.13"}
        if self._untrusted:
            raise UntrustedError(list(dict.fromkeys(self._untrusted)))
        self.entries[SCHEMA] = json.dumps(schema).encode()

    def packed(self, compression: int = ZIP_STORED, more: Mapping[str, bytes] = {}) -> bytes:
        """Return the archive as bytes, with more parts if they are given."""
        stream = io.BytesIO()
        with ZipFile(stream, "w", compression) as archive:
            for name, data in {**self.entries, **more}.items():
                archive.writestr(name, data)
        return stream.getvalue()

    def smallest(self, more: Mapping[str, bytes]) -> bytes:
        """Return the archive compressed, unless it would then look like one that unpacks to too much."""
        packed = self.packed(ZIP_DEFLATED, more)
        size = sum(map(len, [*self.entries.values(), *more.values()]))
        return packed if size <= unpacked_budget(len(packed), Limits()) else self.packed(more=more)

    def _node(self, state: Any, depth: int) -> Node:
        """Return a part of the schema, with what its kind needs and nothing else."""
        self._count += 1
        if self._count > self.limits.references:
            raise LimitError("references")
        if depth > MOST_DEPTH:
            raise DamagedError(f"its schema has parts within parts, more than {MOST_DEPTH} deep")
        if not isinstance(state, dict):
            raise DamagedError("its schema has a part that is none")
        kind, module, name = (_name(state.get(key)) for key in ("__loader__", "__module__", "__class__"))
        rule = RULES.get(kind)
        if rule is None or f"{module}.{name}" not in CLASSES.get(kind, {f"{module}.{name}"}):
            self._untrusted.append(f"{module}.{name}")
            return {}
        return {"__loader__": kind, "__module__": module, "__class__": name, **rule(self, state, depth)}

    def _object(self, state: Node, depth: int) -> Node:
        self.types.add(f"{state['__module__']}.{state['__class__']}")
        content = state.get("content")
        if content is None or _is_null(content):
            return {}
        if not isinstance(content, dict) or content.get("__loader__") != "DictNode":
            raise DamagedError(f"the attributes of {state['__class__']} are no attributes")
        return {"content": self._node(content, depth + 1)}

    def _dict(self, state: Node, depth: int) -> Node:
        content, key_types = state.get("content"), state.get("key_types")
        kinds = key_types.get("content") if isinstance(key_types, dict) else None
        if not isinstance(content, dict) or not isinstance(kinds, list) or len(kinds) != len(content):
            raise DamagedError("its schema has a dictionary whose keys are not those that it says")
        return {
            "key_types": self._node(key_types, depth + 1),
            "content": {key: self._node(value, depth + 1) for key, value in content.items()},
        }

    def _sequence(self, state: Node, depth: int) -> Node:
        content = state.get("content")
        if not isinstance(content, list):
            raise DamagedError("its schema has a list that is none")
        return {"content": [self._node(value, depth + 1) for value in content]}

    def _json(self, state: Node, depth: int) -> Node:
        value = _scalar(state)
        return {"content": json.dumps(value), "is_json": True}

    def _type(self, state: Node, depth: int) -> Node:
        name = f"{state['__module__']}.{state['__class__']}"
        if name not in KEY_TYPES:
            self._untrusted.append(name)
        return {}

    def _function(self, state: Node, depth: int) -> Node:
        if not is_harmless_function(state["__module__"], state["__class__"]):
            self._untrusted.append(f"{state['__module__']}.{state['__class__']}")
        return {}

    def _slice(self, state: Node, depth: int) -> Node:
        content = state.get("content")
        ends = [
            content.get(key, "") if isinstance(content, dict) else "" for key in ("start", "stop", "step")
        ]
        if not all(end is None or type(end) is int or (isinstance(end, str) and end) for end in ends):
            raise DamagedError("its schema has a slice without ends")
        return {"content": dict(zip(("start", "stop", "step"), ends, strict=True))}

    def _dtype(self, state: Node, depth: int) -> Node:
        content = state.get("content")
        if not isinstance(content, dict) or content.get("__loader__") != "NdArrayNode":
            raise DamagedError("its schema has a type of numbers that is none")
        return {"content": self._node(content, depth + 1)}

    def _array(self, state: Node, depth: int) -> Node:
        if state.get("type") == "json":
            return self._objects(state, depth)
        if state.get("type") != "numpy":
            raise DamagedError("its schema has an array that is none")
        name = _file(state)
        if name not in self._shapes:
            data = self._archive.read(name)
            self._shapes[name] = check_array(data, name, self._archive.budget)
            self.entries[name] = data
        if f"{state['__module__']}.{state['__class__']}" in SCALARS and self._shapes[name] != ():
            raise DamagedError("its schema has a number that is an array")
        return {"type": "numpy", "file": name, "__id__": self._number(state, name)}

    def _objects(self, state: Node, depth: int) -> Node:
        """Look at an array of objects: a list, and its shape."""
        shape, content = state.get("shape"), state.get("content")
        sides = shape.get("content") if isinstance(shape, dict) else None
        if state["__class__"] != "ndarray" or not isinstance(sides, list) or not isinstance(content, list):
            raise DamagedError("its schema has an array of objects without a shape")
        lengths = [_scalar(side) for side in sides]
        if not all(type(side) is int for side in lengths) or lengths[:1] != [len(content)]:
            raise DamagedError("its schema has an array of objects that has not the size that it says")
        return {
            "type": "json",
            "shape": self._node(shape, depth + 1),
            "content": [self._node(value, depth + 1) for value in content],
        }

    def _sparse(self, state: Node, depth: int) -> Node:
        name = _file(state)
        if name not in self.entries:
            self.entries[name] = rewritten_sparse(self._archive.read(name), name, self._archive)
        return {"type": "scipy", "file": name, "__id__": self._number(state, name)}

    def _masked(self, state: Node, depth: int) -> Node:
        content = state.get("content")
        parts = {key: content.get(key) if isinstance(content, dict) else None for key in ("data", "mask")}
        return {"content": {key: self._node(part, depth + 1) for key, part in parts.items()}}

    def _random_state(self, state: Node, depth: int) -> Node:
        try:
            position = _scalar(state["content"]["content"]["state"]["content"]["pos"])
        except (KeyError, TypeError) as error:
            raise DamagedError("its schema has a state of random numbers that is none") from error
        if type(position) is not int or not 0 <= position <= TWISTER_NUMBERS:
            raise DamagedError("its schema has a state of random numbers beyond its end")
        return {"content": self._node(state["content"], depth + 1)}

    def _number(self, state: Node, name: str) -> int:
        """Return the number that all references to an array share."""
        key = (state["__module__"], state["__class__"], name)
        return self._numbers.setdefault(key, len(self._numbers) + 1)


RULES: dict[str, Callable[[CleanArchive, Node, int], Node]] = {
    "ObjectNode": CleanArchive._object,
    "DictNode": CleanArchive._dict,
    "ListNode": CleanArchive._sequence,
    "TupleNode": CleanArchive._sequence,
    "SetNode": CleanArchive._sequence,
    "JsonNode": CleanArchive._json,
    "TypeNode": CleanArchive._type,
    "FunctionNode": CleanArchive._function,
    "SliceNode": CleanArchive._slice,
    "DTypeNode": CleanArchive._dtype,
    "NdArrayNode": CleanArchive._array,
    "SparseMatrixNode": CleanArchive._sparse,
    "MaskedArrayNode": CleanArchive._masked,
    "RandomStateNode": CleanArchive._random_state,
}
"""What is done with each kind of part. These are the kinds in all estimators and pipelines of the tests, and
in pipelines with forty of scikit-learn's transformers."""


def clean_archive(content: bytes, limits: Limits) -> CleanArchive:
    """Look through an archive; return it as it may be built.

    Raises
    ------
    LimitError
        If it takes more than the limits allow; the message is the limit's name alone.
    UntrustedError
        If it asks for what could run code.
    DamagedError
        If anything else is wrong with it.
    """
    try:
        return CleanArchive(content, limits)
    except (LimitError, UntrustedError, DamagedError):
        raise
    except Exception as error:
        raise DamagedError("its schema is not that of a model") from error


def _name(value: Any) -> str:
    """Return a name of a type, module or kind, if it can be one."""
    if not isinstance(value, str) or len(value) > LONGEST_NAME or not re.fullmatch(r"\w+(\.\w+)*", value):
        raise DamagedError("its schema has a part without a name")
    return value


def _file(state: Node) -> str:
    name = state.get("file")
    if not isinstance(name, str) or name == SCHEMA:
        raise DamagedError("its schema has an array that is nowhere")
    return name


def _scalar(state: Any) -> Any:
    """Return the number, word, truth value or nothing that a part keeps as JSON."""
    content = state.get("content") if isinstance(state, dict) else None
    try:
        value = json.loads(content) if isinstance(content, str) else []
    except Exception as error:
        raise DamagedError("its schema has a value that cannot be read") from error
    if isinstance(value, list | dict):
        raise DamagedError("its schema has a value that is none")
    return value


def _is_null(state: Any) -> bool:
    """Whether a part stands for nothing, as the attributes of an object that has none do."""
    return isinstance(state, dict) and state.get("__loader__") == "JsonNode" and _scalar(state) is None
