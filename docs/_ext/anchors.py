"""Anchors that a Markdown page writes as HTML, ``<a id="table-1"></a>``: other pages may link to them.

The pages of measurements have them, as code hosts need them; MyST knows only headings and its own targets.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

ANCHOR = re.compile(r'<a id="([\w.-]+)">')
"""An anchor as the pages write it."""


def note_anchors(app: Sphinx, doctree: nodes.document) -> None:
    """Tell MyST of the anchors of a page, beside those of its headings."""
    known = app.env.metadata[app.env.docname].setdefault("myst_slugs", {})
    for node in doctree.findall(nodes.raw):
        for name in ANCHOR.findall(node.astext()):
            known.setdefault(name, (node.line, name, name))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the anchors."""
    app.connect("doctree-read", note_anchors)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
