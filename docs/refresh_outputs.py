"""Run the code of pages, and write what it prints into the text blocks that follow it.

Run as ``python docs/refresh_outputs.py docs/start/*.md docs/faq.md`` before a release: the figures in these
blocks are what the library prints today. Prints the pages that changed. Sentences beside the blocks may quote
figures of them: read the pages that changed.
"""

import contextlib
import io
import os
import re
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

BLOCK = re.compile(
    r"^(?P<not_run><!-- not run: [^\n]*-->\n+)?```python\n(?P<code>.*?)^```\n"
    r"(?P<shown>\n(?P<between>(?:(?!```|#)[^\n]*\n)*?)```text\n(?P<output>.*?)^```\n)?",
    flags=re.DOTALL | re.MULTILINE,
)
"""A block of Python, and the block of text that shows what it prints; a sentence may stand between them."""

WIDTH = 108
"""Characters after which a line is folded: those of the command's own summary."""


def folded(line: str) -> str:
    """Return a line of output, folded as the command folds its own."""
    indent = " " * 10 if re.match(r"\w+ {2,}", line) else ""
    return (
        "\n".join(textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False))
        if len(line) > WIDTH
        else line
    )


def refreshed(page: str) -> str:
    """Return a page with what its code prints now."""
    known: dict[str, Any] = {"__name__": "page"}

    def run(found: re.Match[str]) -> str:
        if found["not_run"]:
            return found[0]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(found["code"], "page", "exec"), known)
        if not found["shown"]:
            return found[0]
        lines = "".join(f"{folded(line)}\n" for line in printed.getvalue().splitlines())
        start = found.start("output") - found.start()
        return found[0][:start] + lines + found[0][start + len(found["output"]) :]

    return BLOCK.sub(run, page)


def main(paths: list[str]) -> None:
    """Refresh pages, each in an empty folder."""
    import matplotlib as mpl

    mpl.use("agg")
    for path in [Path(each).resolve() for each in paths]:
        before = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            after = refreshed(before)
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(os.path.relpath(path))


if __name__ == "__main__":
    main(sys.argv[1:])
