"""Formulas as MathML: every browser of today shows it, and no script has to be fetched from elsewhere."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)

OTHER_NAMES = {"{aligned}": "{align*}", "{split}": "{align*}"}
"""Environments that the converter knows by another name."""

FUNCTION = re.compile(r"(<mi>[a-z]{2,}</mi>)(?=<m(?!o))")
"""A function's name before its argument without brackets: browsers leave no space between them."""

UNREAD = re.compile(r"\\|<mi>&</mi>")
"""What the converter leaves of macros and environments that it does not know."""


def mathml(latex: str, display: str, node: nodes.Element) -> str:
    """Return a formula as MathML; a warning names a formula that could not be read."""
    for theirs, ours in OTHER_NAMES.items():
        latex = latex.replace(theirs, ours)
    try:
        written = convert(latex.strip(), display=display)
    except Exception as error:  # a dozen types without a common parent
        LOGGER.warning("this formula cannot be read (%s): %s", type(error).__name__, latex, location=node)
        return ""
    if UNREAD.search(written):
        LOGGER.warning("this formula has a macro that is not known: %s", latex, location=node)
    return FUNCTION.sub(r'\1<mspace width="0.167em"/>', written)


def visit_inline(translator: Any, node: nodes.math) -> None:
    """Write a formula of a line."""
    translator.body.append(f'<span class="math">{mathml(node.astext(), "inline", node)}</span>')
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.math_block) -> None:
    """Write a formula that stands alone, with its number if it has a label."""
    translator.body.append(translator.starttag(node, "div", CLASS="math-block"))
    translator.body.append(mathml(node.astext(), "block", node))
    if node["number"]:
        translator.body.append(f'<span class="eqno">({node["number"]})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer; ``html_math_renderer = "mathml"`` chooses it."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
