"""What a study finds out."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from rowtrust.renamed import Renamed
from rowtrust.trust import Findings
from rowtrust.workflow.auditing import Effect, effects_of_correction
from rowtrust.workflow.candidates import Candidate
from rowtrust.workflow.checks.records import Check, ordered
from rowtrust.workflow.fitting import FittedModel
from rowtrust.workflow.flagged import flagged_rows, neighbour_names
from rowtrust.workflow.inputs import InputEffects
from rowtrust.workflow.predictions import Prediction
from rowtrust.workflow.quality.records import Calibration, Curves, Figure, PerClass, Reference
from rowtrust.workflow.records import Part, Settings
from rowtrust.workflow.tables.describing import ColumnFacts


@dataclass(frozen=True)
class Judged:
    """Rows that the model has not seen, how that came, what was predicted of them, and how good that is.

    Attributes
    ----------
    rows, how, prediction
        The rows, why they are unseen in words, and what was predicted of them.
    estimator
        What predicted them: the study's model before it was fitted to these rows, too.
    figures
        How good that is on all of them. One that cannot be told is left out: look figures up by name.
    references
        Other models on the same rows.
    per_class, curves
        Of classes: each against the others; how well they are ranked.
    calibration
        Whether probabilities or intervals can be taken at face value.
    remarks
        What is not given, and why.
    """

    rows: Part
    how: str
    prediction: Prediction
    estimator: Any
    figures: list[Figure]
    references: list[Reference] = field(default_factory=list)
    per_class: list[PerClass] = field(default_factory=list)
    curves: list[Curves] = field(default_factory=list)
    calibration: Calibration | None = None
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True, repr=False, eq=False)
class Study:
    """The results of a study of a table, with its pictures and files.

    :func:`study_table` returns one.

    Parameters
    ----------
    settings : Settings
        The settings of the study.
    candidates : list of Candidate
        The models that were compared; empty where one was named.
    chosen : str
        Short name of the chosen model: "robust", "plain", "fuzzy" or "svr".
    fitted : FittedModel
        The model, with the rows it was fitted to and what it knows of the columns.
    judged : Judged
        Held-out rows, the predictions of them, and scores.
    inputs : InputEffects
        What each input does.
    findings : Findings
        P(wrong) of each row of ``fitted.train``.
    ranking : DataFrame
        The same as a table of all these rows, the likeliest errors first, as files and reports have it: its
        index counts the rows of the data from 1. Rows to compare with are named beside the first 200.
        ``flagged`` is the same table for Python.
    n_unusable : int
        Rows without a target.
    notes : list of str
        Remarks for the user, in words.
    checks : list of Check
        What is wrong or odd about the data; ``data_checks`` has them as a table.
    columns : list of ColumnFacts
        How each column was read.
    warnings : list of str
        Warnings of the libraries during the fit, word for word.
    provenance : dict
        Where the results come from: ``inputs``, the tables read, with hash and size, and ``seconds``, the
        run time.
    index : Index or None
        Of the frame that was studied, by which rows are called in Python; None to count them from 0.
    refitted : bool
        Whether the model was fitted to all rows after its quality was measured.

    See Also
    --------
    study_table : Studies a table.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from rowtrust import study_table
    >>> x = np.linspace(-1.0, 1.0, 100)
    >>> table = pd.DataFrame({"x": x, "kind": np.where(x > 0.1, "high", "low")})
    >>> table.loc[[10, 30, 90], "kind"] = ["high", "high", "low"]  # slips of the pen
    >>> study = study_table(table, "kind", model="plain", test=False, progress=False)
    >>> sorted(study.flagged_rows)  # by the index of the frame
    [10, 30, 90]
    >>> bool(study.quality["value"]["accuracy"] > 0.9)
    True
    """

    settings: Settings
    candidates: list[Candidate]
    chosen: str
    fitted: FittedModel
    judged: Judged
    inputs: InputEffects
    findings: Findings
    ranking: pd.DataFrame
    n_unusable: int
    notes: list[str] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    columns: list[ColumnFacts] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    provenance: dict[str, Any] = field(default_factory=dict)
    index: pd.Index[Any] | None = None
    refitted: bool = False

    suspects, suspect_rows = Renamed("flagged"), Renamed("flagged_rows")

    @property
    def model(self) -> Pipeline:
        """The fitted pipeline: it takes a table with the columns of the data."""
        return self.fitted.pipeline

    @cached_property
    def flagged(self) -> pd.DataFrame:
        """All rows that were judged, the likeliest errors first, as a table with the index of the data.

        The column ``list`` says which are likely errors or worth a look. Rows of a file, and of a frame whose
        index has duplicates, are counted from 0. Rows to compare with are named beside the first 200.
        """
        found = self.ranking.set_axis(
            pd.Index(self.called(self.ranking.index), name="row", tupleize_cols=False), axis=0
        )
        for name in neighbour_names(self.fitted.task):
            numbers = self.ranking[name]
            names = pd.Series(pd.NA, index=numbers.index, dtype=object)
            names[numbers.notna()] = self.called(numbers.dropna())
            found[name] = (names.astype("Int64") if self.index is None else names).array
        return found

    @property
    def flagged_rows(self) -> list[Any]:
        """The flagged rows by the index of the data, or counted from 0: for ``frame.loc``."""
        return self.called(flagged_rows(self.ranking))

    def called(self, numbers: Any) -> list[Any]:
        """Return what rows are called in Python.

        Parameters
        ----------
        numbers : array-like of int
            Rows of the data, counted from 1.

        Returns
        -------
        list
            Labels of the frame's index, or the rows counted from 0.
        """
        places = np.asarray(numbers, dtype=int) - 1
        return list((places if self.index is None else self.index[places]).tolist())

    @cached_property
    def gains(self) -> list[Effect]:
        """What correcting the flagged rows would do to the error on other rows; measured when first asked."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return effects_of_correction(self.fitted, self.findings, self.settings.seed)

    @property
    def quality(self) -> pd.DataFrame:
        """Measures of quality: value, interval and meaning, and the values of other models beside them."""
        table = pd.DataFrame(
            [(each.name, each.value, each.lower, each.upper) for each in self.judged.figures],
            columns=["measure", "value", "lower", "upper"],
        ).set_index("measure")
        for other in self.judged.references:
            table[other.name] = pd.Series({each.name: each.value for each in other.figures}, dtype=float)
        return table.assign(meaning=[each.explanation for each in self.judged.figures])

    @property
    def data_checks(self) -> pd.DataFrame:
        """What is wrong or odd about the data, the severe first."""
        names = ["severity", "code", "message", "cure", "columns", "rows"]
        found = [{**asdict(each), "rows": self.rows_of(each)} for each in ordered(self.checks)]
        return pd.DataFrame(found, columns=names)

    def rows_of(self, check: Check) -> list[Any]:
        """Return the rows of a finding as Python calls them; those of a test file are counted from 0.

        Parameters
        ----------
        check : Check
            The finding.

        Returns
        -------
        list
            Its rows.
        """
        return [row - 1 for row in check.rows] if check.where else self.called(check.rows)

    @property
    def data_columns(self) -> pd.DataFrame:
        """How each column was read, a line a column."""
        names = list(ColumnFacts.__dataclass_fields__)
        return pd.DataFrame([asdict(each) for each in self.columns], columns=names).set_index("name")

    @property
    def summary(self) -> str:
        """The study in a few lines."""
        from rowtrust.workflow.summaries import summary_lines  # which are about studies

        return "\n".join(summary_lines(self))

    def __repr__(self) -> str:
        return self.summary

    def _repr_html_(self) -> str:
        """Return a small card for notebooks."""
        from rowtrust.workflow.summaries import card

        return card(self)

    def report(self, path: str | Path | None = None, *, force: bool = False) -> Any:
        """Return the report as a page that a notebook shows, or write it as one HTML file.

        Parameters
        ----------
        path : str, path or None, default=None
            Where to write; None for a page.
        force : bool, default=False
            Whether a file that is there may be replaced.

        Returns
        -------
        pathlib.Path or Page
            The path if one was given; else the page, of which ``html`` is the text.
        """
        from rowtrust.workflow.summaries import Page, write_page

        page = Page.of(self)
        return page if path is None else write_page(page, Path(path), force=force)

    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """Write the files that the command writes: model, report, flagged rows, metrics, manifest.

        Parameters
        ----------
        folder : str or path
            Where to write. It need not exist.
        force : bool, default=False
            Whether results that are there may be replaced.

        Returns
        -------
        pathlib.Path
            The folder.
        """
        from rowtrust.workflow.choices import told_in_python
        from rowtrust.workflow.results import write_results

        with told_in_python():
            write_results(self, Path(folder), self.provenance.get("seconds", 0.0), force=force)
        return Path(folder)

    def plot_calibration(self, axes: Any = None) -> Any:
        """Draw how often predictions come true against how often they should.

        Parameters
        ----------
        axes : matplotlib Axes or None, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        matplotlib Figure
            The figure, which a notebook shows.
        """
        return pictures().plot(self, axes, "calibration")

    def plot_importance(self, axes: Any = None) -> Any:
        """Draw how much each input matters: what is lost when it is shuffled.

        Parameters
        ----------
        axes : matplotlib Axes or None, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        matplotlib Figure
            The figure, which a notebook shows.
        """
        return pictures().plot(self, axes, "importance")

    def plot_dependence(self, axes: Any = None, *, column: str | None = None) -> Any:
        """Draw how the prediction moves with the most important inputs, or with one.

        Parameters
        ----------
        axes : matplotlib Axes or None, default=None
            Where to draw one input: the named one, or the most important. None for a new figure.
        column : str or None, default=None
            Name of the input; None for all that have a curve.

        Returns
        -------
        matplotlib Figure
            The figure, which a notebook shows.
        """
        return pictures().plot_dependence(self, axes, column)

    def plot_trust(self, axes: Any = None) -> Any:
        """Draw how far rows are trusted, the likely errors apart.

        Parameters
        ----------
        axes : matplotlib Axes or None, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        matplotlib Figure
            The figure, which a notebook shows.
        """
        return pictures().plot(self, axes, "trust")

    def plot_residuals(self, axes: Any = None) -> Any:
        """Draw targets and residuals against predictions of numbers; into given axes the residuals alone.

        Parameters
        ----------
        axes : matplotlib Axes or None, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        matplotlib Figure
            The figure, which a notebook shows.
        """
        return pictures().plot(self, axes, "residuals", "targets")

    def plot_roc(self, axes: Any = None) -> Any:
        """Draw ROC and precision-recall curves of classes; into given axes the ROC curve alone.

        Parameters
        ----------
        axes : matplotlib Axes or None, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        matplotlib Figure
            The figure, which a notebook shows.
        """
        return pictures().plot(self, axes, "roc", "precision_recall")


def pictures() -> Any:
    """Return the module that draws: it takes a second to import, and studies come first."""
    return import_module("rowtrust.workflow.report.pictures")
