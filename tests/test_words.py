"""Phrases that stopped readers, and what to write instead: none of them in what users meet.

Users meet the README, the pages of the site, docstrings and messages. The papers' pages and the measured
pages are records of runs and have other rules.
"""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MEASURED = {"uncertainty.md"}
"""Pages that are read as records."""

EVERYWHERE = {
    r"\brows left out\b": "held-out rows",
    r"\bmade[- ]up\b": "synthetic, invented",
    r"\bhangs? on\b": "depends on",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\bwild (value|kernel|cell)s?\b": "outlier",
    r"\brivals?\b": "alternative, baseline",
    r"\b(is|are|was|were) told\b(?! apart)": "is shown, is reported",
    r"\bnine tenths of the belief\b": "a 90 % credible interval",
    r"\b(coefficients?|nats?|relevance|targets?|weight) an? (input|row)\b": "one target per row",
    r"\bthe figures flatter\b|\bflatter the model\b": "inflate the scores",
    r"\bits own say\b|\brow's own say\b": "its own contribution",
    r"\blog-odds honest\b|\bhonest slope\b|\brows left out honest\b": "calibration, calibrated",
    r"\blikelier right than wrong\b|\brather wrong than right\b": "P(wrong) below 0.5",
    r"\bsuspect(s|ed)?\b|\baccused\b|\bdoubted rows?\b": "flagged row, likely error",
}
"""What not to write, as a pattern, and what to write."""

ON_PAGES = {
    r"\bhal(f|ves) (?-i:[AB])\b": "development tables, held-back tables",
    r"\bdefaults? of before\b": "earlier defaults",
    r"\bbears? wrong labels\b": "robustness to label noise",
    r"\breadings?\b(?= of (all|the) rows)": "pass",
}
"""The same for pages: in the code, the reason of a constant may name the tables by which it was chosen."""


def pages():
    """Return README, SECURITY and the pages of the site that are written by hand."""
    found = [ROOT / "README.md", ROOT / "SECURITY.md", ROOT / "paper.md"]
    for path in sorted(DOCS.rglob("*.md")):
        parts = path.relative_to(DOCS).parts
        if parts[0] not in {
            "evidence",
            "papers",
            "papers_and_code",
            "_build",
            "gallery",
            "api",
        } and path.name not in (MEASURED if len(parts) == 1 else ()):
            found.append(path)
    return found


def words_of(path):
    """Return the text of a page or an example, or the docstrings and messages of a module."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py" or "examples" in path.parts:
        return [" ".join(re.sub(r"^# ", "", text, flags=re.MULTILINE).split())]
    strings = [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)]
    return [" ".join(each.split()) for each in strings if isinstance(each, str) and " " in each]


def complaints(path, phrases):
    """Return a line for each phrase that is found."""
    return [
        f"{path.name}: '{found[0]}' in '...{text[max(0, found.start() - 40) : found.end() + 20]}...':"
        f" write '{instead}'"
        for text in words_of(path)
        for phrase, instead in phrases.items()
        for found in re.finditer(phrase, text, flags=re.IGNORECASE)
    ]


def test_pages_are_in_plain_words():
    examples = sorted((ROOT / "examples").rglob("*.py"))
    found = [line for path in [*pages(), *examples] for line in complaints(path, EVERYWHERE | ON_PAGES)]
    assert not found, "\n".join(found)


def test_docstrings_and_messages_are_in_plain_words():
    modules = sorted((ROOT / "src").rglob("*.py"))
    found = [line for path in modules for line in complaints(path, EVERYWHERE)]
    assert not found, "\n".join(found)


def test_the_readme_is_a_screen_and_a_half():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 900


def test_the_user_pages_together_are_short():
    assert sum(len(path.read_text(encoding="utf-8").split()) for path in pages()) <= 30_000


def test_a_phrase_is_found_over_the_end_of_a_line(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("Mend it: the rows\nleft out hang on a made-up value, and marks are told apart.")
    assert sorted(line.split("'")[1] for line in complaints(page, EVERYWHERE)) == [
        "Mend",
        "hang on",
        "made-up",
        "rows left out",
    ]
