"""The judge of labels on kept held-out probabilities: every criterion at once, both halves side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, f1_score

from benchmarks.dirty_peers import PEERS, by_cleanlab
from benchmarks.judge_labels import CLEAN, EASY, ENOUGH
from benchmarks.report import print_table, print_title
from rowtrust import find_wrong_rows
from rowtrust.trust import Findings, LabelNoise, chosen_noise, learn_label_judge, learn_label_noise
from rowtrust.trust.finding import of_classes

Array = NDArray[Any]
Held = dict[str, Array]

OWN = "RobustRVC"
"""The name of what is found by our own machine."""


def by_own(held: Held) -> Findings:
    """Judge by what ``RobustRVC`` says, on the road of its fit; its fits behind a noise are those kept."""
    noise = learn_label_noise(held["plain"], held["plain label"], held["plain weight"])
    if "said" in held:
        tried = [noise, *map(LabelNoise.known, held["tried"][1:])]
        noise = chosen_noise(tried, list(held["said"]), held["plain label"], held["plain weight"])
    judge = learn_label_judge(held["behind"], held["behind label"], held["behind weight"], noise)
    classes, label = np.unique(held["given"], return_inverse=True)
    return of_classes(judge.verdict(held["audit"], label), held["given"], label, classes)


def by_peer(name: str) -> Callable[[Held], Findings]:
    """Judge by held-out probabilities of a peer."""
    return lambda held: find_wrong_rows(y=held["given"], probabilities=held[name])


WAYS: dict[str, Callable[[Held], Findings]] = {OWN: by_own, **{name: by_peer(name) for name in PEERS}}
"""What judges, by name."""


def read(folder: Path) -> Iterator[tuple[dict[str, Any], Held]]:
    """Yield what names each cell, and what is kept of it."""
    for file in sorted(folder.glob("*.npz")):
        half, *table, noise, rate, draw = file.stem.split(" ")
        with np.load(file) as data:
            held = {name: data[name] for name in data.files}
        yield (
            {"half": half, "table": " ".join(table), "noise": noise, "rate": float(rate), "draw": int(draw)},
            held,
        )


def measured(key: dict[str, Any], held: Held, way: str) -> dict[str, Any]:
    """Return the figures of one cell by one way."""
    findings, given, true = WAYS[way](held), held["given"], held["true"]
    wrong, rows = given != true, np.arange(len(given))
    flagged, look = (np.isin(rows, each) for each in (findings.flagged, findings.worth_a_look))
    low, high = findings.expected_errors_interval
    line = {**key, "way": way, "rows": len(given), "wrong": int(wrong.sum()), "flagged": int(flagged.sum())}
    line |= {"right": int((flagged & wrong).sum()), "expected": findings.expected_errors}
    line["inside"] = low <= wrong.sum() <= high
    if wrong.any():
        classes = np.unique(given)
        true_rate = np.array(
            [wrong[true == each].mean() if (true == each).any() else 0.0 for each in classes]
        )
        line["rate off"] = float(np.abs(1.0 - np.diag(np.asarray(findings.noise)) - true_rate).mean())
        line["AP"] = average_precision_score(wrong, findings.p_wrong)
        line["F1"] = f1_score(wrong, look, zero_division=0.0)
    return line


def theirs(key: dict[str, Any], held: Held) -> dict[str, Any]:
    """Return the figures of cleanlab over each peer, and the error of a peer on true labels."""
    line, wrong = dict(key), held["given"] != held["true"]
    codes = np.unique(held["given"], return_inverse=True)[1]
    for name in (name for name in PEERS if name in held and wrong.any()):
        score, named = by_cleanlab(held[name], codes)
        line[f"{name} AP"] = average_precision_score(wrong, score)
        line[f"{name} F1"] = f1_score(wrong, named, zero_division=0.0)
    names = np.unique(held["given"])
    seen = "SVC" if "SVC" in held else "forest"
    line["error"] = float(np.mean(names[held[seen].argmax(axis=1)] != held["true"]))
    return line


def show(folder: Path) -> None:
    """Print what every way reaches of each criterion."""
    cells = list(read(folder))
    peers = pd.DataFrame([theirs(key, held) for key, held in cells])
    clean = peers[peers.noise == CLEAN].groupby("table").error.mean()
    keys = ["half", "table", "noise", "rate", "draw"]
    ways = [way for way in WAYS if way == OWN or any(way in held for _, held in cells)]
    lines = [measured(key, held, way) for key, held in cells for way in ways if way == OWN or way in held]
    frame = pd.DataFrame(lines).merge(peers, on=keys)
    frame["easy"] = frame.table.map(clean) < EASY
    for half in ("A", "B"):
        show_half(frame[frame.half == half], half, ways)
    show_right(frame[frame.half == "right"])
    show_real(frame[frame.half == "real"])


def show_half(frame: pd.DataFrame, half: str, ways: list[str]) -> None:
    """Print what is found in the tables of one half."""
    dirty = frame[frame.noise != CLEAN]
    if dirty.empty:
        return
    print_title(f"Half {half}: {dirty.table.nunique()} tables, {len(dirty) // dirty.way.nunique()} cells")
    rows = list[list[str]]()
    for way in ways:
        some = dirty[dirty.way == way]
        for noise, part in [*some.groupby("noise"), ("all", some)]:
            rows.append([way, str(noise), *figures(part, way), *counting(part[part.easy])])
        as_is = frame[(frame.noise == CLEAN) & (frame.way == way)]
        flagged = f"{(as_is.flagged / as_is.rows).mean():.2%}"
        rows.append([way, "none: flagged", *[""] * 7, flagged, *[""] * 4])
    heads = ["by", "noise", "AP", "best cleanlab", "best in", "F1", "cleanlab F1", "likely right", "mean"]
    print_table([*heads, "found", "rates off", "ratio", "within 1.5", "inside"], rows)


def figures(part: pd.DataFrame, way: str) -> list[str]:
    """Return average precision and F1 beside cleanlab's, and the share of likely errors that are right."""
    own = way == OWN
    peers = [name for name in PEERS if f"{name} AP" in part and (own or name == way)]
    precision, f1 = part[[f"{name} AP" for name in peers]], part[[f"{name} F1" for name in peers]]
    pooled = part.right.sum() / max(part.flagged.sum(), 1)
    each = (part.right / part.flagged)[part.flagged >= ENOUGH].mean()
    best = (precision.max(axis=1) <= part.AP).mean()
    return [
        *(f"{part.AP.mean():.3f}", f"{precision.mean().max():.3f}", f"{best:.2f}"),
        *(f"{part.F1.mean():.3f}", f"{f1.mean().max():.3f}", f"{pooled:.2f}", f"{each:.2f}"),
        f"{part.right.sum() / part.wrong.sum():.2f}",
    ]


def counting(part: pd.DataFrame) -> list[str]:
    """Return how far rates and numbers are off where classes can be told apart."""
    ratio = part.expected / part.wrong
    within = ((ratio < 1.5) & (ratio > 1.0 / 1.5)).mean()
    off = f"{part['rate off'].mean():.3f}"
    return [off, f"{ratio.median():.2f}", f"{within:.2f}", f"{part.inside.mean():.2f}"]


def show_right(frame: pd.DataFrame) -> None:
    """Print what is flagged where no label is wrong."""
    if frame.empty:
        return
    print_title("Labels of which none is wrong")
    rows = []
    for way, some in frame.groupby("way"):
        for name, part in [*some.groupby(["table", "rate"]), ("all", some)]:
            share, none = (part.flagged / part.rows).mean(), (part.flagged == 0).mean()
            rows.append([str(way), str(name), f"{share:.2%}", f"{none:.2f}", f"{part.expected.mean():.1f}"])
    print_table(["by", "classes, error", "flagged", "draws without any", "errors expected"], rows)


def show_real(frame: pd.DataFrame) -> None:
    """Print what is found of real errors."""
    if frame.empty:
        return
    print_title("Real errors: average precision and F1 of worth a look, ours and cleanlab over a forest")
    rows = []
    for _, line in frame.sort_values(["way", "noise", "table"]).iterrows():
        shown = [f"{line[name]:.3f}" for name in ("AP", "forest AP", "F1", "forest F1")]
        count = f"{line.right} of {line.flagged}"
        rows.append(
            [line.way, line.noise, line.table, str(line.wrong), *shown, f"{line.expected:.0f}", count]
        )
    heads = ["by", "half", "table", "wrong", "AP", "cleanlab's", "F1", "cleanlab's", "expected"]
    print_table([*heads, "likely errors"], rows)
    for way, part in frame.groupby("way"):
        above = (part["forest AP"] <= part.AP).sum()
        print(f"{way}: average precision at or above cleanlab's on {above} of {len(part)}")
