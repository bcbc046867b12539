"""Check a built site: every internal link, anchor and picture is there, nothing is fetched from elsewhere.

Run by ``make docs`` as ``python docs/check_links.py docs/_build/html``; makes no request.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LINKS = {"a": "href", "area": "href"}
"""What a reader follows: may lead elsewhere, and if it stays it must arrive."""

RESOURCES = {
    "img": "src",
    "script": "src",
    "link": "href",
    "source": "src",
    "iframe": "src",
    "object": "data",
}
"""What a browser loads with the page: must be in the site."""

NOT_LOADED = ("search", "index", "next", "prev", "canonical", "author", "copyright", "contents", "genindex")
"""Kinds of ``<link>`` that browsers do not load."""


class Page(HTMLParser):
    """The anchors of a page, what it links to and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.resources: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one element."""
        given = {name: value for name, value in attrs if value}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag in LINKS and LINKS[tag] in given:
            self.links.add(given[LINKS[tag]])
        loaded = tag in RESOURCES and given.get("rel") not in NOT_LOADED
        if loaded and RESOURCES[tag] in given:
            self.resources.add(given[RESOURCES[tag]])


def target(path: Path, link: str) -> tuple[Path, str]:
    """Return the file that a link on a page leads to, and the anchor in it."""
    parts = urlsplit(link)
    file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    return (file / "index.html" if file.is_dir() else file), unquote(parts.fragment)


def dead(path: Path, page: Page, pages: dict[Path, Page]) -> list[str]:
    """Return a line for every link of a page that does not arrive, and for all it loads from elsewhere."""
    found = []
    for link in sorted(page.links | page.resources):
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            if link in page.resources and parts.scheme != "data":
                found.append(f"loads from elsewhere: {link}")
            continue
        file, anchor = target(path, link)
        if not file.is_file():
            found.append(f"nothing is there: {link}")
        elif anchor and file in pages and anchor not in pages[file].anchors:
            found.append(f"no such anchor: {link}")
    return found


def main(folder: Path) -> int:
    """Print all that is wrong and return the exit status."""
    files = sorted(folder.resolve().rglob("*.html"))
    files = [path for path in files if "_static" not in path.parts]  # the theme's own parts are no pages
    pages = {path: Page(path.read_text("utf-8")) for path in files}
    lines = [
        f"{path.relative_to(folder.resolve())}: {line}"
        for path, page in pages.items()
        for line in dead(path, page, pages)
    ]
    n_links = sum(len(page.links | page.resources) for page in pages.values())
    print("\n".join([*lines, f"Links: {n_links} on {len(pages)} pages, {len(lines)} dead."]))
    return 1 if lines or not pages else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
