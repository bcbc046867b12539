"""Columns that know the target: alone they predict it as no honest column should."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype
from scipy.stats import spearmanr
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import f_classif, f_regression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from rowtrust.contracts import Array, Indices
from rowtrust.workflow.checks.records import Check
from rowtrust.workflow.folds import row_folds
from rowtrust.workflow.records import Part
from rowtrust.workflow.splitting import sample

LOOKED_AT = 2000
"""Rows on which columns are tried, drawn at random where there are more: a leak shows on fewer."""

FEWEST_ROWS = 30
"""Rows below which nothing is called a leak: among few rows a column fits by chance. A guard."""

MOST_COLUMNS = 300
"""Columns that are tried one by one, those that go with the target most where there are more: for time."""

FOLDS = 3
"""Folds in which a column predicts; a habit, not studied."""

PERFECT = 0.999
"""Share of right classes, or of the variance, from which on a column alone says the target. On half A of the
tables the best honest column says 0.923 of the classes, and 0.993 of the numbers."""

EXACT_STEP, EXACT_SHARE = 0.01, 0.9
"""Numbers are also known if this share of them is met to within this part of their standard deviation: a
transform of the target shows even if some targets are wrong. The best honest column of half A meets 0.30."""

STRONG = 0.9
"""Part of the errors of guessing that a column alone must save to be named as strong. Of half A of the tables
only the yacht's speed does, which saves 0.92."""

BEHIND = 0.5
"""All weaker columns together are behind if they make more errors than the column by this part of them. By
reason alone."""

CLOSE = 0.05
"""Errors of all other columns together, as part of those of guessing, below which the target is easy and no
column that says it is remarkable. By reason alone; no table of half A comes near."""

MOST_STRONG = 3
"""Strong columns that are looked at, the strongest: each costs a forest, and where many are strong the target
is easy."""

NORMAL_QUARTILES = 1.349
"""Standard deviations between the quartiles of a normal distribution."""

TREES = 50
"""Trees of the forest that says what all other columns know together; for time."""


@dataclass(frozen=True)
class Alone:
    """What a column says of the target alone, in rows that were not used to learn it.

    Attributes
    ----------
    name
        Of the column.
    score
        Share of the classes it meets, or of the variance it explains, of the ranks or of the numbers.
    skill
        Part of the errors of guessing that it saves: 1 for none left.
    exact
        Share of numbers that it meets to within a hundredth of their deviation; nothing for classes.
    """

    name: str
    score: float
    skill: float
    exact: float

    @property
    def says_all(self) -> bool:
        """Whether it says the target."""
        return self.score >= PERFECT or self.is_transform

    @property
    def is_transform(self) -> bool:
        """Whether it says most numbers so exactly that it is made from them, though some may be wrong."""
        return self.exact >= EXACT_SHARE


def find_leaks(part: Part, is_classes: bool, seed: int = 0) -> list[Check]:
    """Find columns that alone predict the target too well.

    Parameters
    ----------
    part
        The rows that have a target.
    is_classes
        Whether it holds classes.
    seed
        Of the rows that are tried and of the folds.
    """
    part = sample(part, LOOKED_AT, seed, is_classes)
    if len(part.y) < FEWEST_ROWS:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes that some fold lacks
        tried = [column_alone(part, name, is_classes, seed) for name in promising(part, is_classes)]
        sure = [each for each in tried if each.says_all]
        strong = sorted((each for each in tried if each.skill >= STRONG), key=lambda each: -each.skill)
        strong = [each for each in strong if each not in sure][:MOST_STRONG]
        others = skill_of_others(part, sure, is_classes, seed) if sure else None
        found = [finding(each, others, is_classes) for each in sure]
        found += [
            finding(each, skill_of_others(part, [*sure, each], is_classes, seed), is_classes)
            for each in strong
        ]
    return [check for check in found if check is not None]


def skill_of_others(part: Part, without: list[Alone], is_classes: bool, seed: int) -> float | None:
    """Return what all columns but some save together of the errors of guessing; None if there are none."""
    left_out = {each.name for each in without}
    rest = [name for name in part.X.columns if name not in left_out]
    return skill_together(part, rest, is_classes, seed) if rest else None


def finding(each: Alone, others: float | None, is_classes: bool) -> Check | None:
    """Return the finding about a strong column, given the errors that the others avoid together, if any."""
    if others is not None and not each.is_transform:
        behind = 1.0 - others >= (1.0 + BEHIND) * (1.0 - each.skill)
        if not behind or 1.0 - others <= CLOSE:
            return None
    does, what = ("predicts", "classes") if is_classes else ("explains", "variation of the target")
    figure = f"{does} {percent(each.score)} of the {what}"
    if each.is_transform:
        figure = f"predicts {percent(each.exact)} of the targets almost exactly"
    rest = "there is no weaker column"
    if others is not None:
        rest = f"all weaker columns together avoid {max(0.0, others):.0%} of the errors of guessing"
    if each.says_all and others is not None:
        message = (
            f"'{each.name}' alone {figure}; {rest}. It may have been made from the target, or be known only "
            "after it: the scores of this study would then mean nothing."
        )
        cure = f"If it is not known when you predict, leave it out: --drop '{each.name}'"
        return Check("leak", "severe", message, cure, (each.name,))
    message = f"'{each.name}' alone {figure}; {rest}."
    cure = f"Make sure that it is known when you predict; otherwise --drop '{each.name}'"
    return Check("strong column", "warning", message, cure, (each.name,))


def percent(share: float) -> str:
    """Return a share in percent that is 100 only if nothing is missing."""
    return "100 %" if share > 1.0 - 1e-9 else f"{min(99.9, 100 * share):.3g} %"


def promising(part: Part, is_classes: bool) -> list[str]:
    """Return the columns to try: all, or of very many those that go with the target most."""
    names = list(part.X.columns)
    if len(names) <= MOST_COLUMNS:
        return names
    X = np.column_stack([as_ranks(part.X[name]) for name in names])
    if is_classes:
        strength = f_classif(X, part.y)[0]
    else:
        strength = f_regression(X, pd.Series(part.y).rank().to_numpy())[0]
    best = np.argsort(-np.nan_to_num(strength, nan=-1.0, posinf=np.inf), kind="stable")[:MOST_COLUMNS]
    return [names[place] for place in np.sort(best)]


def as_ranks(values: pd.Series[Any]) -> Array:
    """Return a column as ranks, gaps below all others; of categories the commonest first."""
    if is_numeric_dtype(values.dtype):
        return np.asarray(values.rank(na_option="top"), dtype=float)
    return np.asarray((-values.map(values.value_counts())).rank(na_option="top"), dtype=float)


def column_alone(part: Part, name: str, is_classes: bool, seed: int) -> Alone:
    """Let one column predict the target of rows that were not used to learn how."""
    x, is_number = coded(part.X[name]), bool(is_numeric_dtype(part.X[name].dtype))
    return (classes_by if is_classes else numbers_by)(name, x, part.y, is_number, seed)


def classes_by(name: str, x: Array, target: NDArray[Any], is_number: bool, seed: int) -> Alone:
    """Let one column predict classes."""
    learn = met_by_tree if is_number else met_by_category
    y = np.unique(target, return_inverse=True)[1]
    hit = in_folds(learn, x, y, True, seed) == y
    score = 1.0 if renames(x, y) else float(hit.mean())
    guessed = np.bincount(y).max() / len(y)
    return Alone(name, score, float(1.0 - (1.0 - score) / (1.0 - guessed)), 0.0)


def numbers_by(name: str, x: Array, target: NDArray[Any], is_number: bool, seed: int) -> Alone:
    """Let one column predict numbers, in the way that suits it best."""
    y = target.astype(float)
    ways = [met_by_tree_of_numbers, met_by_lines, met_by_median_line] if is_number else [met_by_mean]
    tiny = np.finfo(float).tiny
    middle = float(np.subtract(*np.quantile(y, [0.75, 0.25]))) / NORMAL_QUARTILES
    spread = max(min(middle, float(y.std())), tiny)
    ranked = abs(spearmanr(x, y, nan_policy="omit").statistic) if is_number and varies(y) else 0.0
    score, exact = float(np.nan_to_num(ranked)) ** 2 * float(np.mean(~np.isnan(x))), 0.0
    for learn in ways:
        error = np.abs(in_folds(learn, x, y, False, seed) - y)
        score = max(score, 1.0 - float((error**2).mean()) / max(float(y.var()), tiny))
        exact = max(exact, float((error <= EXACT_STEP * spread).mean()))
    return Alone(name, score, float(1.0 - np.sqrt(max(0.0, 1.0 - score))), exact if varies(y) else 0.0)


def renames(x: Array, y: Indices) -> bool:
    """Whether every value of a column stands for one class, and every class for one value."""
    pairs = pd.DataFrame({"x": x, "y": y}).drop_duplicates()
    return bool(len(pairs) == pairs["y"].nunique() == pairs["x"].nunique(dropna=False))


def varies(y: Array) -> bool:
    """Whether no number fills most of the rows, so that to meet it exactly means something."""
    return bool(np.unique(y, return_counts=True)[1].max() <= len(y) / 2)


def in_folds(learn: Any, x: Array, y: NDArray[Any], is_classes: bool, seed: int) -> NDArray[Any]:
    """Return what is predicted of every row by the rows of the other folds."""
    found = np.zeros(len(y), dtype=y.dtype)
    for train, test in row_folds(y, is_classes, FOLDS, seed):
        found[test] = learn(x[train], y[train], x[test])
    return found


def met_by_tree(x: Array, y: Indices, asked: Array) -> Indices:
    """Predict classes by a small tree on one number."""
    tree = DecisionTreeClassifier(min_samples_leaf=2, max_leaf_nodes=64, random_state=0)
    return np.asarray(tree.fit(x[:, None], y).predict(asked[:, None]))


def met_by_category(x: Array, y: Indices, asked: Array) -> Indices:
    """Predict the commonest class of a category; of one that was not there, the commonest of all."""
    table = pd.crosstab(x, y)
    commonest = np.bincount(y).argmax()
    return np.asarray(pd.Series(asked).map(table.idxmax(axis=1)).fillna(commonest).to_numpy(), dtype=y.dtype)


def met_by_tree_of_numbers(x: Array, y: Array, asked: Array) -> Array:
    """Predict numbers by a tree on one number."""
    tree = DecisionTreeRegressor(min_samples_leaf=2, random_state=0)
    return np.asarray(tree.fit(x[:, None], y).predict(asked[:, None]))


def met_by_lines(x: Array, y: Array, asked: Array) -> Array:
    """Predict numbers by lines from point to point, and by the line through all outside of them.

    A smooth transform of the target is met almost exactly so, however few the rows are.
    """
    present = ~np.isnan(x)
    places, which = np.unique(x[present], return_inverse=True)
    if len(places) < 2:
        return np.full(len(asked), y.mean())
    heights = np.bincount(which, y[present]) / np.bincount(which)
    slope, start = np.polyfit(places, heights, 1)
    inside = (asked >= places[0]) & (asked <= places[-1])
    found = np.where(inside, np.interp(asked, places, heights), start + slope * asked)
    return np.where(np.isnan(asked), y[~present].mean() if not present.all() else y.mean(), found)


def met_by_median_line(x: Array, y: Array, asked: Array) -> Array:
    """Predict numbers by one line, its slope and height being medians: wrong targets do not matter."""
    order = np.argsort(x)[: np.count_nonzero(~np.isnan(x))]
    half = len(order) // 2
    low, high = order[:half], order[len(order) - half :]
    apart = x[high] > x[low]
    if not apart.any():
        return np.full(len(asked), y.mean())
    slope = np.median((y[high] - y[low])[apart] / (x[high] - x[low])[apart])
    start = np.median(y[order] - slope * x[order])
    return np.where(np.isnan(asked), y.mean(), start + slope * asked)


def met_by_mean(x: Array, y: Array, asked: Array) -> Array:
    """Predict the mean of a category."""
    means = pd.Series(y).groupby(x).mean()
    return np.asarray(pd.Series(asked).map(means).fillna(y.mean()), dtype=float)


def skill_together(part: Part, names: list[str], is_classes: bool, seed: int) -> float:
    """Return the part of the errors of guessing that a forest on some columns saves."""
    if not names:
        return 0.0
    X = np.column_stack([coded(part.X[name]) for name in names])

    def grow(x: Array, y: NDArray[Any], asked: Array) -> Any:
        kind = RandomForestClassifier if is_classes else RandomForestRegressor
        return kind(TREES, min_samples_leaf=2, max_features=0.5, random_state=seed).fit(x, y).predict(asked)

    if is_classes:
        y = np.unique(part.y, return_inverse=True)[1]
        wrong = float((in_folds(grow, X, y, True, seed) != y).mean())
        return float(1.0 - wrong / (1.0 - np.bincount(y).max() / len(y)))
    target = part.y.astype(float)
    error = in_folds(grow, X, target, False, seed) - target
    left = (error**2).mean() / max(target.var(), np.finfo(float).tiny)
    return 1.0 - float(np.sqrt(left))


def coded(values: pd.Series[Any]) -> Array:
    """Return a column as numbers: as they are, with gaps; categories by a code."""
    if is_numeric_dtype(values.dtype):
        return np.asarray(values.to_numpy(dtype=float, na_value=np.nan))
    return np.asarray(pd.factorize(values)[0], dtype=float)
