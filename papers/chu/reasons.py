"""Chu, Keerthi & Ong (2001): why our numbers differ from the printed ones, as far as the records tell."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from papers.chu import published as paper
from papers.experiments import Record
from papers.tables import Cell, Number

LOST = "nats lost by the printed settings"
"""The column of what (46) loses at the printed settings, on our draws."""


LEAST_EXPLAINED = 0.1
"""Share of the test targets' variance below which a fit is no better than a constant. Good fits of sinc
explain about half of it at the largest noise."""


def on_failures(cells: Iterable[Cell]) -> str:
    """Say which rows had failed repeats."""
    failed = [cell for cell in cells if cell.measure == "failed repeats" and cell.ours.mean > 0]
    if not failed:
        return "No repeat failed."
    told = "; ".join(f"{', '.join(cell.row)}: {cell.ours.mean:g}" for cell in failed)
    return (
        "Failed repeats, a fit worse than the median by ten robust deviations or no better than a "
        f"constant: {told}."
    )


def on_clean_rows(records: dict[str, list[Record]]) -> str:
    """Say why C is so large on clean rows, and what that does to the error."""
    own = records[""]
    at_bound = sum(bool(record["C at bound"]) for record in own)
    error = Number.of(record["ASE"] for record in own)
    lost = np.median([record["nats lost by print"] for record in own])
    printed = paper.SINC_BY_NOISE[0.0]["ASE"]
    return (
        f"Noise 0, C: in {at_bound} of {len(own)} draws the search ended at the largest C that it allows. "
        "Rows without noise have nothing that would stop C from growing, nor epsilon from shrinking; "
        f"where a search stops is the search's own. The printed settings lose {lost:.0f} nats on our "
        f"draws. The median ASE is {error.median:.1e}, the worst {error.worst('lower'):.1e}; the paper's "
        f"run has {printed:.1e}."
    )


def on_collapses(records: dict[tuple[float, str], list[Record]], names: dict[str, str]) -> str:
    """Say what failed fits are, and whether another start mends them: all starts share their draws."""
    told, behind = [], 0
    for (noise, start), repeats in records.items():
        for place in failed_places(repeats):
            found, usual = repeats[place], records[noise, "restarts"][place]
            behind += found["-ln P"] > usual["-ln P"] + 1.0
            told.append(
                f"noise {noise:g}, {names[start]}, draw {place}: w = {found['w']:.2g}, ASE "
                f"{found['ASE']:.2g}, -ln P {found['-ln P']:.0f} (best of five: {usual['ASE']:.2g}, "
                f"{usual['-ln P']:.0f})"
            )
    if not told:
        return "No start of the search led any draw astray."
    return (
        f"What failed: {'; '.join(told)}. Such a search ends in a local optimum that leaves everything to "
        f"the noise. In {behind} of {len(told)} the best of five starts has more evidence, by more than a "
        "nat: there restarts, as the paper advises, mend it."
    )


def failed_places(records: list[Record]) -> list[int]:
    """Return which repeats failed: by their ASE among the others', or no better than a constant."""
    ours = Number.of(record["ASE"] for record in records)
    worst = sorted(range(len(records)), key=lambda place: -ours.values[place])
    useless = [place for place, record in enumerate(records) if record["explained"] < LEAST_EXPLAINED]
    return sorted({*worst[: ours.failed("lower")], *useless})


def on_settings(cells: Iterable[Cell]) -> str:
    """Say what the printed settings are worth on our draws, and what that says of C, epsilon and w."""
    found = [cell.ours for cell in cells if cell.measure == LOST]
    medians = [ours.median for ours in found]
    ahead = sum(value < 0 for ours in found for value in ours.values)
    told = (
        "C, epsilon and w: put into (46) on our own draws, the printed settings lose between "
        f"{min(medians):.1f} and {max(medians):.1f} nats (medians of the rows) against the end of our "
        f"search, and are better than it in {ahead} of {sum(ours.count for ours in found)} draws."
    )
    if min(medians) <= 0:
        return told
    printed = [row["epsilon"] for row in paper.SINC_BY_NOISE.values()]
    printed += [row[1] for row in paper.SINC_BY_BETA.values()]
    inside = sum(5.0 <= epsilon <= 20.0 for epsilon in printed)
    return (
        f"{told} The criterion is the same (table A), so where C, epsilon or w differ from the print the "
        f"likeliest reason is that the paper's search stopped short: {inside} of the {len(printed)} "
        "epsilons of tables 1 and 2 are still inside the interval in which the paper's searches began. "
        "Where -ln P itself differs, it is the draw: the paper shows one, and one draw varies as our "
        "spread says."
    )


def on_starts(records: dict[float, list[Record]]) -> str:
    """Say how often a random start ends lower than the best of five."""
    told = []
    for noise, repeats in records.items():
        lost = np.concatenate([np.array(record["ends"][1:]) - record["ends"][0] for record in repeats])
        told.append(f"noise {noise:g}: {np.mean(lost > 1.0):.0%}")
    return (
        "Of the starts that were not the best of their five, these ended more than one nat behind: "
        f"{'; '.join(told)}."
    )


def on_rows_in_the_zone(records: dict[float, list[Record]]) -> str:
    """Say where more rows lie in the quadratic zones than the paper prints, and whether epsilon tells why."""
    told = "; ".join(
        f"{beta:g}: {np.median([record['in M'] for record in repeats]):.0f} ({paper.SINC_BY_BETA[beta][4]})"
        for beta, repeats in records.items()
    )
    wider = [
        np.median([record["epsilon"] for record in repeats]) > paper.SINC_BY_BETA[beta][1]
        for beta, repeats in records.items()
    ]
    more = [
        np.median([record["in M"] for record in repeats]) > paper.SINC_BY_BETA[beta][4]
        for beta, repeats in records.items()
    ]
    both = sum(a and b for a, b in zip(wider, more, strict=True))
    words = (
        f"Rows in M by beta, our median and the print: {told}. The zone's width is 2 beta epsilon; our "
        f"median epsilon is the larger one at {sum(wider)} of {len(wider)} betas, and more rows lie in the "
        f"zone at {sum(more)}"
    )
    if not any(more):
        return f"{words}."
    if both == sum(more):
        return f"{words}, all of them such betas: the wider zone is the likeliest reason."
    return f"{words}, of which {both} have the larger epsilon: it is not the zone's width alone."


def on_arm_settings(starts: list[Record]) -> str:
    """Say how much evidence the paper's end gives away."""
    told, ahead = [], True
    for output, row in paper.ARM_SETTINGS.items():
        values = Number.of(record["settings"][output]["-ln P"] for record in starts)
        worst = values.worst("lower")
        ahead &= worst < row["-ln P"]
        told.append(f"{output}: median {values.median:.2f}, worst {worst:.2f}, print {row['-ln P']:.2f}")
    words = f"-ln P over {len(starts)} random starts: {'; '.join(told)}."
    if not ahead:
        return f"{words} Some starts end where the paper's did, or worse."
    return (
        f"{words} Even our worst start ends lower than the paper's. It is the same criterion on the same "
        "rows (table A puts the printed settings into it), so the paper's search ended before the "
        "optimum: likeliest at one of the jumps of (46), which a gradient does not see. Its C and "
        "epsilon are those of that end."
    )


def on_arm_errors(cells: Iterable[Cell], same_errors: bool) -> str:
    """Say how far the errors are from the printed ones, and whether the printed settings give those."""
    compared = [cell for cell in cells if cell.paper is not None and cell.digit is None]
    verdicts = {word: sum(cell.verdict == word for cell in compared) for word in ("same", "better", "worse")}
    apart = [cell.ours.median / cell.paper.mean - 1.0 for cell in compared if cell.paper is not None]
    words = (
        f"Of {len(compared)} errors {verdicts['same']} are the same within the spread over starts, "
        f"{verdicts['better']} better and {verdicts['worse']} worse; the medians lie between "
        f"{min(apart):+.1%} and {max(apart):+.1%} of the print."
    )
    if same_errors:
        return (
            f"{words} Other settings fit other functions: the printed ones give the printed errors (table A)."
        )
    return f"{words} In table A the printed settings do not give the printed errors either."


def on_arm_methods(cells: Iterable[Cell]) -> str:
    """Say how the methods that were run compare."""
    told = [
        f"{cell.row[0]} {cell.ours.median:.6f} (print {cell.paper.mean:g})"
        for cell in cells
        if cell.measure == "ASE" and cell.paper is not None and cell.ours.count
    ]
    return f"Median ASE over starts: {'; '.join(told)}."


def on_boston(records: list[Record]) -> str:
    """Say what departs from the paper's protocol on Boston."""
    ours = Number.of(record["ASE"] for record in records)
    printed, _ = paper.BOSTON["ASE"]
    middle = "below" if ours.median < printed else "above"
    return (
        f"Half of our splits have an ASE of {ours.median:.2f} or less, {middle} the printed mean; the "
        f"worst has {ours.worst('lower'):.1f}. Scale and level of the prior are learnt here, which the "
        "paper's prior lacks, and the search begins at a designed start."
    )


def on_variants(method: str, records: list[Record], printed: dict[str, float]) -> str:
    """Say what of a rival's settings was done otherwise, and what came of it."""
    names = [name for name in records[0] if name.startswith(method)]
    means = {name.split(": ")[1]: float(np.mean([record[name] for record in records])) for name in names}
    told = "; ".join(f"{name} {mean:.2f}" for name, mean in means.items())
    best, usual = min(means, key=lambda name: means[name]), means["as in table 7"]
    reach, gap = max(means.values()) - means[best], usual - printed[method]
    words = (
        f"{method[0].upper()}{method[1:]}: tried on {len(records)} of the splits, mean ASE: {told}. The "
        f"print is {printed[method]:g}, of other splits."
    )
    if gap <= 0:
        return f"{words} On these splits table 7's own is no higher than the print."
    if reach > gap:
        return (
            f"{words} How inputs and kernel are scaled moves the error by {reach:.2f}, more than the "
            f"{gap:.2f} between table 7's own and the print; the paper prints neither, which is the "
            "likeliest reason."
        )
    return (
        f"{words} What was tried moves the error by {reach:.2f}, less than the {gap:.2f} between table "
        "7's own and the print: it explains the difference in part at most."
    )
