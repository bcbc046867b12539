"""The main job in one call: a table in; a model, its quality, its flagged rows and a report out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from rowtrust.workflow.bars import progress_bar
from rowtrust.workflow.choices import (
    MODELS,
    check_choice,
    check_task,
    in_python,
    layout_of,
    several,
    told_in_python,
)
from rowtrust.workflow.input_data import InputTable, Question, path_or_frame
from rowtrust.workflow.records import Settings
from rowtrust.workflow.results import study_input
from rowtrust.workflow.study import Study
from rowtrust.workflow.tables import InputError, Layout
from rowtrust.workflow.tables.layout import is_number


def study_table(
    data: Any,
    target: str,
    *,
    model: str = "auto",
    task: str | None = None,
    test: Any = 0.2,
    group: str | None = None,
    time: str | None = None,
    id: str | None = None,
    weight: str | None = None,
    drop: str | Iterable[str] = (),
    keep: str | Iterable[str] = (),
    refit: bool = True,
    fast: bool = False,
    seed: int = 0,
    strict: bool = False,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
    header: bool = True,
    missing: str | Iterable[str] = (),
    device: str | None = None,
    dask: str | None = None,
    progress: bool | None = None,
) -> Study:
    """Study a table: which model, how good, which rows are wrong, how sure.

    Parameters
    ----------
    data : DataFrame or path
        A frame of pandas or polars, anything with ``to_pandas`` or ``__dataframe__``, or the path of a CSV,
        TSV, Parquet or Excel file (``pip install 'rowtrust[excel]'``), compressed or not.
    target : str
        The column to predict.
    model : {"auto", "robust", "plain", "fuzzy", "svr"}, default="auto"
        The kind of model; "auto" takes the one that predicts held-out rows best.
    task : {"classification", "regression"}, optional
        Found from the target unless given.
    test : float, False, path or DataFrame, default=0.2
        Share of the rows to keep for judging, or a table of such rows; 0 or False to judge by cross-fitting.
    group : str, optional
        Column whose equal values stay on one side of every split: patients, batches, sites.
    time : str, optional
        Column that orders the rows: the latest ones judge the model.
    id : str, optional
        Column that names the rows in every output.
    weight : str, optional
        Column with the weight of each row; rows of weight 0 are not used.
    drop : str or list of str
        Columns to leave out.
    keep : str or list of str
        Columns that are inputs even if they look like names of the rows, prose or a constant.
    refit : bool, default=True
        Whether the model is fitted to all rows, those that judged it included, once its quality is measured.
    fast : bool, default=False
        Whether to take a random sample of a large table, and to fit on landmarks.
    seed : int, default=0
        Of every random choice.
    strict : bool, default=False
        Whether a severe finding about the data is an error.
    delimiter : str, optional
        Of the cells of a text file; found unless given.
    encoding : str, default="utf-8"
        Of a text file.
    decimal : str, default="."
        Decimal sign of a text file.
    header : bool, default=True
        Whether the first line of a text file has the names of the columns.
    missing : str or list of str
        Words that stand for missing cells, beside the usual ones.
    device : str, optional
        A device of PyTorch to fit on, such as "cuda".
    dask : str, optional
        Address of a Dask scheduler whose workers read the rows of a file.
    progress : bool, optional
        Whether to show a bar; where there is a terminal or a notebook unless given.

    Returns
    -------
    Study
        With ``model``, ``quality``, ``flagged``, ``report()``, ``save(folder)`` and pictures.

    Raises
    ------
    ValueError
        If the table cannot be used; the message is one line and names the cure.

    See Also
    --------
    find_wrong_rows : Only which rows are wrong, by any model.
    RobustRVC, RobustRVR : The models, for arrays.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from rowtrust import study_table
    >>> x = np.linspace(-1.0, 1.0, 60)
    >>> table = pd.DataFrame({"x": x, "kind": np.where(x > 0.1, "high", "low")})
    >>> study = study_table(table, "kind", model="plain", progress=False)
    >>> study.model.predict(pd.DataFrame({"x": [-0.9, 0.9]})).tolist()
    ['low', 'high']
    """
    with told_in_python():
        settings = Settings(
            data="",
            target=str(target),
            model=model,
            task=task,
            drop=several(drop),
            keep=several(keep),
            fast=fast,
            seed=int(seed),
            dask=dask,
            device=device,
            group=group,
            time=time,
            id=id,
            weight=weight,
            strict=strict,
            refit=refit,
        )
        layout = layout_of(delimiter, encoding, decimal, header, missing)
        asked = question(path_or_frame(data), settings, layout, test)
        with progress_bar(progress) as bar:
            study = study_input(asked, bar)
    study.notes[:] = [in_python(each) for each in study.notes]
    study.checks[:] = [
        replace(each, message=in_python(each.message), cure=in_python(each.cure)) for each in study.checks
    ]
    return study


def question(data: InputTable, settings: Settings, layout: Layout, test: Any) -> Question:
    """Return what is asked of a table; refuse what cannot be.

    Parameters
    ----------
    data
        The table.
    settings
        What the user asked for; the name of the data and the share to keep are filled in.
    layout
        How a text file is laid out.
    test
        A share as a number or in words, 0 or False for none, a path or a frame.
    """
    check_choice("--model", settings.model, MODELS)
    check_task(settings.task)
    check_place(data, settings)
    share, rows = chosen_test(test)
    return Question(data, replace(settings, data=data.name, test=share), layout, rows)


def check_place(data: InputTable, settings: Settings) -> None:
    """Refuse places of the fit that exclude each other."""
    if settings.dask is None:
        return
    others = {
        "--device": settings.device is not None,
        "--fast": settings.fast,
        "standard input": data.path == "-",
        "a DataFrame": data.frame is not None,
    }
    for other, is_there in others.items():
        if is_there:
            raise InputError(f"--dask cannot go with {other}. Leave one of them out.")


def chosen_test(test: Any) -> tuple[float, InputTable | None]:
    """Return the share to keep for judging, and the rows to judge by if some were given."""
    if test is None or test is False or (isinstance(test, int | float) and test == 0):
        return 0.0, None
    if isinstance(test, bool) or (isinstance(test, str | int | float) and is_number(str(test))):
        if test is True or not 0.0 < float(test) < 1.0:
            raise InputError(
                f"--test must be a share between 0 and 1 or a file, got {test}. Use --no-test to hold out "
                "none."
            )
        return float(test), None
    return 0.0, path_or_frame(test)
