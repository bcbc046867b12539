"""The role ``code-line``: a link to the line of source that computes something, which cannot go stale.

``{code-line}`rowtrust.weights.gamma:Gamma.learn` `` names a module and something defined in it: a function, a
class, a method, an attribute of a class or a constant. The source is parsed, never imported. A name that is
not there is a warning, so that a build with ``-W`` fails; the number of the line is looked up in every build.
The link leads to a highlighted copy of the module, which this extension adds to the site for every module
that is linked to, documented or not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

LOGGER = logging.getLogger(__name__)
"""Sphinx's own logger: a warning of it is an error under ``-W``."""

PAGES = "source"
"""Folder of the site for the copies of modules."""

SPANS = "line"
"""What the names of lines begin with: the link to line 7 ends in ``#line-7``."""

HIGHLIGHT = (
    "<style>.rowtrust-source span:target{display:inline-block;min-width:100%;"
    "background:color-mix(in srgb,#e69f00 30%,transparent)}</style>"
)
"""The line that was asked for has a background, in light and in dark mode."""


class CodeLine(nodes.Inline, nodes.Element):
    """A place in the source, until the builder is known."""


class MissingError(LookupError):
    """A module or a name that is not there."""


def source_of(module: str, roots: tuple[Path, ...]) -> Path:
    """Return the file of a module under one of the folders."""
    parts = module.split(".")
    for root in roots:
        for path in (root.joinpath(*parts).with_suffix(".py"), root.joinpath(*parts, "__init__.py")):
            if path.is_file():
                return path
    raise MissingError(f"there is no module {module}")


def line_of(module: str, name: str, roots: tuple[Path, ...]) -> tuple[Path, int]:
    """Return file and line at which ``name``, with dots between class and member, is defined in a module."""
    path = source_of(module, roots)
    body: Iterable[ast.stmt] = parsed(path, path.stat().st_mtime_ns).body
    line = 1
    for part in name.split("."):
        found = next((node for node in body if part in names_defined(node)), None)
        if found is None:
            raise MissingError(f"{module} does not define {name}")
        line, body = found.lineno, getattr(found, "body", [])
    return path, line


@lru_cache(maxsize=256)
def parsed(path: Path, changed: int) -> ast.Module:
    """Return the syntax tree of a file as it was when it last changed."""
    return ast.parse(path.read_text(encoding="utf-8"))


def names_defined(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement defines."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    for target in targets:
        for part in target.elts if isinstance(target, ast.Tuple) else [target]:
            if isinstance(part, ast.Name):
                yield part.id


def code_line(
    name: str, rawtext: str, text: str, lineno: int, inliner: Inliner, *_: Any, **__: Any
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Read the role; look the name up at once, so that the warning tells where it was written."""
    env = inliner.document.settings.env
    module, _, member = text.partition(":")
    try:
        if not member:
            raise MissingError(f"write module:name, not {text}")
        path, line = line_of(module.strip(), member.strip(), roots_of(env.app))
    except MissingError as error:
        LOGGER.warning("code-line: %s", error, location=(env.docname, lineno), type="code-line")
        return [nodes.literal(text, text)], []
    env.note_dependency(path)
    sources(env).setdefault(env.docname, {})[module.strip()] = path
    return [CodeLine(module=module.strip(), member=member.strip(), line=line)], []


def roots_of(app: Sphinx) -> tuple[Path, ...]:
    """Return the folders in which modules are looked for."""
    return tuple((Path(app.confdir) / folder).resolve() for folder in app.config.code_line_roots)


def sources(env: BuildEnvironment) -> dict[str, dict[str, Path]]:
    """Return, by document, the modules that it links to and their files."""
    if not hasattr(env, "code_line_sources"):
        env.code_line_sources = {}  # type: ignore[attr-defined]
    return env.code_line_sources  # type: ignore[attr-defined,no-any-return]


class Resolve(SphinxPostTransform):
    """Turn places into links where there are pages to link to, into plain text elsewhere."""

    default_priority = 200

    def run(self, **kwargs: Any) -> None:
        """Replace all places of one document."""
        for node in list(self.document.findall(CodeLine)):
            module, member, line = node["module"], node["member"], node["line"]
            path = f"{module.replace('.', '/')}.py"
            if self.app.builder.format != "html":
                node.replace_self([nodes.literal(member, member), nodes.Text(f" ({path}, line {line})")])
                continue
            page = self.app.builder.get_relative_uri(self.env.docname, page_of(module))
            link = (
                f'<a class="reference internal" href="{page}#{SPANS}-{line}" title="{path}, line {line}">'
                f'<code class="docutils literal notranslate">{breakable(member)}</code></a>, line {line}'
            )
            node.replace_self(nodes.raw("", link, format="html"))


def breakable(name: str) -> str:
    """Return a name that may be broken over lines at dots and underscores: cells of tables are narrow."""
    return escape(name).replace(".", ".<wbr>").replace("_", "_<wbr>")


def page_of(module: str) -> str:
    """Return the name of the page with the copy of a module."""
    return f"{PAGES}/{module.replace('.', '/')}"


def copies(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield a page for every module that some document links to."""
    if app.builder.format != "html":
        return
    modules = {module: path for used in sources(app.env).values() for module, path in used.items()}
    for module, path in sorted(modules.items()):
        text = path.read_text(encoding="utf-8")
        code = app.builder.highlighter.highlight_block(text, "python", linespans=SPANS)  # type: ignore[attr-defined]
        body = f'{HIGHLIGHT}<h1>{module}</h1><div class="rowtrust-source">{code}</div>'
        yield page_of(module), {"title": module, "body": body, "parents": []}, "page.html"


def forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Forget what a document linked to, before it is read again."""
    sources(env).pop(docname, None)


def merge(app: Sphinx, env: BuildEnvironment, docnames: Iterable[str], other: BuildEnvironment) -> None:
    """Take over what another process has read."""
    found = sources(other)
    sources(env).update({name: found[name] for name in docnames if name in found})


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register role, transform and pages."""
    app.add_config_value("code_line_roots", ["../src", ".."], "env")
    app.add_node(CodeLine)
    app.add_role("code-line", code_line)
    app.add_post_transform(Resolve)
    app.connect("html-collect-pages", copies)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
