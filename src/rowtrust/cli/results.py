"""The folder of a study: written aside, then renamed, so that it is never half there."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import rowtrust
from rowtrust import io
from rowtrust.workflow import Study
from rowtrust.workflow.report import render
from rowtrust.workflow.tables import InputError

FILES = ("model.skops", "report.html", "suspects.csv", "metrics.json")


def write_results(study: Study, folder: Path, seconds: float) -> None:
    """Write model, report, suspects and metrics into a folder."""
    check_folder(folder)
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        metrics = summary_of(study, seconds)
        facts = {"schema": study.schema.as_json(), "classes": study.classes.tolist()}
        io.save(study.model, aside / "model.skops", facts=facts)
        (aside / "report.html").write_text(render(study), encoding="utf-8")
        study.suspects.to_csv(aside / "suspects.csv", index=False, float_format="%.6g", lineterminator="\n")
        (aside / "metrics.json").write_text(json.dumps(metrics, indent=2) + "\n", encoding="utf-8")
        move(aside, folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def check_folder(folder: Path) -> None:
    """Refuse a folder that cannot be written, before any work is done."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file. Choose another --output.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    place = folder if folder.exists() else folder.parent
    if not os.access(place, os.W_OK):
        raise InputError(f"{place} may not be written. Choose another --output.")


def move(aside: Path, folder: Path) -> None:
    """Rename the folder, or its files one by one where the folder exists."""
    aside.chmod(0o755)
    if not folder.exists():
        os.rename(aside, folder)
        return
    for name in FILES:
        os.replace(aside / name, folder / name)


def summary_of(study: Study, seconds: float) -> dict[str, Any]:
    """Return the figures of a study as JSON can hold them."""
    suspects = study.suspects[study.suspects["suspect"]]
    return {
        "rowtrust": rowtrust.__version__,
        "data": study.settings.data,
        "target": study.settings.target,
        "task": study.schema.task,
        "model": study.chosen,
        "estimator": type(study.estimator).__name__,
        "relevance_vectors": len(study.vectors),
        "rows": {
            "train": len(study.train.y),
            "judged": len(study.judged.y),
            "without_target": study.n_unusable,
        },
        "judged_on": study.judged_on,
        "metrics": {
            each.name: {"value": each.value, "interval": [each.lower, each.upper]} for each in study.figures
        },
        "candidates": [
            {
                "model": each.name,
                "estimator": each.estimator,
                "evidence_per_row": each.evidence_per_row,
                "share_of_wrong_rows": each.mixture.share,
                "own_lower_bound": each.bound,
            }
            for each in study.candidates
        ],
        "wrong_rows": {
            "estimated_share": study.findings.mixture.share,
            "suspects": [int(row) for row in suspects["row"]],
        },
        "relevance": {each.name: each.mean for each in study.relevance},
        "notes": study.notes,
        "settings": asdict(study.settings),
        "seconds": round(seconds, 3),
    }


def summary_lines(study: Study, folder: Path, seconds: float) -> list[str]:
    """Return the short summary for the terminal."""
    task = study.schema.task
    kinds = f", {len(study.classes)} classes" if task == "classification" else ""
    compared = sorted(study.candidates, key=lambda each: -each.evidence_per_row)
    why = f"; evidence per row: {', '.join(f'{c.estimator} {c.evidence_per_row:.3f}' for c in compared)}"
    shown = study.figures[:1] + study.figures[-1:] if task == "classification" else study.figures[:4:2]
    figures = ", ".join(f"{f.name} {f.value:.3g} ({f.lower:.3g} to {f.upper:.3g})" for f in shown)
    suspects = study.suspects[study.suspects["suspect"]]["row"].to_numpy()
    first = f"; most suspicious: rows {', '.join(map(str, suspects[:8]))}" if len(suspects) else ""
    share = study.findings.mixture.share
    size = f"{len(study.train.y)} training rows, {len(study.schema.inputs)} inputs"
    name = f"{type(study.estimator).__name__} with {len(study.vectors)} vectors"
    return [
        f"data      {study.settings.data}: {size}; {task} of '{study.schema.target}'{kinds}",
        f"model     {name}{why if len(compared) > 1 else ''}",
        f"quality   {figures}; {study.judged_on}",
        f"suspects  {len(suspects)} rows; about {share:.0%} of all rows seem wrong{first}",
        f"written   {folder}/ with {', '.join(FILES)} ({seconds:.1f} s)",
    ]
