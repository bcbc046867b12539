"""Links between the site and the repository it is built from.

A page may link to a file at the root of the repository as on a code host, ``[how](../SECURITY.md)``:
the link leads to the page of the site that shows the file. Links to other files outside of ``docs`` become
downloads, which MyST does by itself. Every signature of the API reference links to its source.
"""

from __future__ import annotations

import inspect
import os
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from equations import SPANS, MissingError, line_of, page_of, roots_of, sources
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
"""Sphinx's own logger: a warning of it is an error under ``-W``."""

PAGES = {
    "CHANGELOG.md": "project/changelog.md",
    "CODE_OF_CONDUCT.md": "project/code_of_conduct.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "README.md": "index.md",
    "SECURITY.md": "project/security.md",
}
"""Files of the repository that are pages of the site."""

LINK = re.compile(r"\]\((?P<path>(?:\.\./)+[\w./-]+)(?P<anchor>#[\w.-]+)?\)")
"""A Markdown link that leaves its folder upwards."""


def rewrite_links(app: Sphinx, docname: str, source: list[str]) -> None:
    """Lead links to files of the repository to their pages."""
    docs = Path(app.srcdir).resolve()

    def led(found: re.Match[str]) -> str:
        path = Path(os.path.normpath((docs / docname).parent / found["path"]))
        if path.is_relative_to(docs):
            return found[0]
        if not path.exists():
            LOGGER.warning("link to a file that is not there: %s", found["path"], location=docname)
        page = PAGES.get(os.path.relpath(path, docs.parent))
        return f"](/{page}{found['anchor'] or ''})" if page else found[0]

    source[0] = LINK.sub(led, source[0])


def definition(module: str, name: str) -> tuple[str, str] | None:
    """Return the module and the name under which an object of the API is written, if it is ours."""
    item: Any = import_module(module)
    for part in name.split("."):
        item = (
            inspect.getattr_static(item, part, None) if inspect.isclass(item) else getattr(item, part, None)
        )
    item = (
        getattr(item, "__func__", None) or getattr(item, "fget", None) or getattr(item, "func", None) or item
    )
    item = inspect.unwrap(item) if callable(item) else item
    written = getattr(item, "__module__", None) or ""
    return (written, item.__qualname__) if written.startswith("rowtrust") else None


def link_signatures(app: Sphinx, doctree: nodes.document) -> None:
    """Put a link to its source at the end of every signature of the API reference."""
    env = app.env
    for signature in doctree.findall(addnodes.desc_signature):
        found = definition(signature["module"], signature["fullname"]) if signature.get("module") else None
        if found is None or app.builder.format != "html":
            continue
        try:
            path, line = line_of(*found, roots_of(app))
        except MissingError:  # written by a decorator: there is no line to show
            continue
        sources(env).setdefault(env.docname, {})[found[0]] = path
        page = app.builder.get_relative_uri(env.docname, page_of(found[0]))
        label = nodes.inline("", "[source]", classes=["source-link"])
        signature += nodes.reference("", "", label, internal=True, refuri=f"{page}#{SPANS}-{line}")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register both kinds of links; the extension ``equations`` makes the pages of sources."""
    app.setup_extension("equations")
    app.connect("source-read", rewrite_links)
    app.connect("doctree-read", link_signatures)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
