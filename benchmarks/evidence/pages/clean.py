"""The page on tables as they are."""

from __future__ import annotations

import pandas as pd

from benchmarks.evidence.pages.dirty import FAIR, ranks_section, seconds
from benchmarks.evidence.pages.markdown import MEASURES, assembled, origin, section, wide
from benchmarks.evidence.pages.results import Results, means
from benchmarks.evidence.plan import CLEAN, OWN, PEERS

LEARNERS = {
    page: [*OWN[page], *(each for each in PEERS[page] if not each.startswith("oracle"))]
    for page in ("labels", "values")
}
"""Everyone but the oracles, who know nothing here that others do not."""

WORDS = (
    "Nothing was made wrong here. Trusted learners and cleanlab look for errors all the same: what they "
    "lose beside the learner alone is the price of doubt."
)


def page(results: Results) -> str:
    """Return the page."""
    parts = []
    for name, measures in (("labels", ("error", "log_loss")), ("values", ("rmse", "log_score"))):
        lines = results.complete(name)
        some = lines[lines["noise"] == CLEAN]
        if some.empty:
            continue
        parts.append(ranks_section(some, measures[0], LEARNERS[name]))
        parts += [section(MEASURES[each].title, by_table(some, each, name)) for each in measures]
        parts.append(section(f"CPU seconds of tables of {name}", seconds(some, LEARNERS[name])))
    head = origin(results, "labels", "values")
    return assembled("Tables as they are", WORDS, head, *parts, section("What makes it fair", FAIR))


def by_table(lines: pd.DataFrame, measure: str, page: str) -> str:
    """Return a measure of every table, and the means of the halves below."""
    each = means(lines.assign(**{"of table": lines["table"]}), measure, ["half", "of table"])
    over = means(lines, measure, ["half"])
    over.index = pd.MultiIndex.from_tuples(
        [(half, "**mean**") for half in over.index], names=each.index.names
    )
    return wide(pd.concat([each, over]), measure, LEARNERS[page])
