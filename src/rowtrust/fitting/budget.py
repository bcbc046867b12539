"""How much a fit may look at: every limit on rows, columns, kernels, folds and passes, in one place.

None of these changes what a model is; each bounds the time or the memory of a fit. They were set with the
tables that ``make evidence`` measures, on two cores:

*Rows.* A few hundred rows tell kernels apart, ten thousand settle a model with some hundred vectors, and
all rows are worth a dozen passes with the columns that are left. Searching on 1000 or 2000 rows instead of
500 changes log losses of tables of 40 000 rows by 0.01 at most. Rows of a file or a cluster that fit into
``memory_bytes`` are read once and are an array from then on: the same rows give the same model, whatever
holds them.

*Folds.* Noise that is learnt needs left-out rows. Classes have three folds: five gain 0.3 points of error
under one-sided noise and lose 0.1 under uniform noise, for a quarter more time. Numbers have two: three take
nearly twice the time for the same errors.

*Comparisons.* The main job compares kinds of models by fits with few landmarks to some of the rows: more rows
change little and cost much. Bayesian support vector regression needs the kernel between all rows many times,
so it joins on fewer rows only. ``--fast`` is for a first look.

*Means to an end.* A fit outside a fold, or to a sample, may end ``aside_looseness`` times further from
converged than the one that is kept: a fifth of a nat by default. 25 times and not looser move no error by
more than 0.3 points and no log loss by more than 0.007, in 1.1 and 1.2 times the time of the whole fit
(RobustRVC, half A of the tables). Fits to all of many rows may end ``many_looseness`` times further: 6e-4
nats per row. With a third of it a million synthetic rows take two passes more, with a thirtieth some seven,
at the same log loss within 0.002.

*Kernel objects.* Hyperparameters are learnt in ``rounds`` at most: ten climbs on Friedman #1 and moons with
useless inputs ended by themselves after 2 to 11. A round takes ``round_steps`` quasi-Newton steps, as sites
are only right near where they were made. Half as many move the bound by 0.4 nats in the mean, twice as many
by +2.5 on Friedman #1 and -2.8 on moons, with errors 2 % lower and half as large again.

*Passes.* Where all rows are read again and again, the solver ends after ``passes`` of them. Fits to 40 000
rows of six synthetic tables took 9 to 16.
"""

from __future__ import annotations

from dataclasses import dataclass

from rowtrust.numerics.blocks import KEPT_BYTES


@dataclass(frozen=True)
class Budget:
    """Limits of a fit.

    Parameters
    ----------
    memory_bytes : int
        Size of the inputs, as doubles, up to which rows from a file, an iterable or a cluster are read into
        memory.
    together_rows : int
        Rows up to which all are searched and fitted together if they fit into ``memory_bytes``; beyond, a
        sample is searched first.
    sample_rows, sample_class_rows : int
        Rows of that sample, and of every class at least, if it has them.
    centre_rows, landmarks : int
        Distinct rows up to which each has a basis function, and basis functions beyond.
    search_rows, search_class_rows : int
        Distinct rows on which kernels are compared where there are more than twice as many, and of every
        class at least.
    held_out_rows, held_out_class_rows : int
        Rows whose labels tell the noise, and of every class at least.
    class_folds, number_folds : int
        Folds of a cross-fit.
    fewest_rows : int
        Distinct rows below which there are no folds: the evidence decides.
    fold_steps : int
        Steps of a fit to the rows outside a fold.
    narrower : int
        How often a kernel a step narrower than the best is tried.
    refits : int
        Kernels of numbers that are fitted to all rows where a sample has judged them.
    rounds, round_steps : int
        Rounds in which hyperparameters of kernel objects are learnt, and quasi-Newton steps of each.
    aside_looseness, many_looseness : float
        How many times further from converged fits may end that are means to an end, and fits to many rows.
    effect_rows : int
        Distinct rows over which the effects of inputs are averaged.
    sample_scorings, scorings : int
        Steps in which columns are scored on the sample, and on all rows.
    compared_rows, compared_landmarks : int
        Rows and basis functions with which kinds of models are compared before one is chosen.
    svr_rows : int
        Rows up to which Bayesian support vector regression is one of them.
    fast_landmarks : int
        Basis functions of a fast fit.
    pool, entering : int
        Columns that are scored on all rows, and how many may enter at a time.
    thinning : int
        Every how manyth of all rows tells the curvature that guides guesses.
    passes : int
        Passes over all rows after which the solver is ended.

    Examples
    --------
    >>> from rowtrust.fitting import Budget
    >>> Budget().together_rows
    20000
    """

    memory_bytes: int = KEPT_BYTES
    together_rows: int = 20_000
    sample_rows: int = 10_000
    sample_class_rows: int = 500
    centre_rows: int = 3000
    landmarks: int = 1000
    search_rows: int = 500
    search_class_rows: int = 50
    held_out_rows: int = 1500
    held_out_class_rows: int = 100
    class_folds: int = 3
    number_folds: int = 2
    fewest_rows: int = 12
    fold_steps: int = 60
    narrower: int = 3
    refits: int = 2
    rounds: int = 30
    round_steps: int = 8
    aside_looseness: float = 100.0
    many_looseness: float = 300.0
    effect_rows: int = 300
    sample_scorings: int = 8
    scorings: int = 5
    compared_rows: int = 2000
    compared_landmarks: int = 150
    svr_rows: int = 1000
    fast_landmarks: int = 500
    pool: int = 512
    entering: int = 128
    thinning: int = 4
    passes: int = 16

    @property
    def sample_sizes(self) -> tuple[int, int]:
        """Rows of the sample of many, and of every class at least."""
        return self.sample_rows, self.sample_class_rows
