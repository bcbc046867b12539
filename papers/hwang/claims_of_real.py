"""Hwang & Jeong (2015): the claims of section 4.2.2 and of the conclusion."""

from __future__ import annotations

from papers.claims import Claim
from papers.hwang import effort, orders, trials
from papers.hwang import figure_findings as figures
from papers.hwang import spread_findings as spreads
from papers.hwang import table_findings as tables
from papers.hwang.claims_of_synthetic import OTHERS, QUICK_SVM, SLOW_FITS
from papers.hwang.explanations import why_not_ahead
from papers.hwang.outcomes import (
    CONTAMINATED,
    EVERYWHERE,
    cells_of,
    fewer,
    loses_least,
    robust_beats,
    times_order,
)
from papers.hwang.protocol import REAL

ON_REAL_DATA = (
    Claim(
        "Sect. 4.2.2",
        "Liver has 345 rows and 6 inputs, Ionosphere 351 and 34, BC Wisconsin 683 complete rows and 9.",
        tables.sizes_of_real_data,
    ),
    Claim(
        "Sect. 4.2.2",
        "BC Wisconsin has 699 observations, 16 of them with missing values, which are deleted.",
        trials.incomplete_rows,
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "All printed means.",
        tables.printed_numbers("7", cells_of(*REAL)),
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "The printed standard deviations of performance and coefficients.",
        spreads.printed_spreads("7"),
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "The bold cells: who is best in each column.",
        tables.bold(cells_of(*REAL)),
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "The order of the five classifiers in each column.",
        orders.printed_order(cells_of(*REAL)),
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "RVM against SVM: the SVM is ahead on clean labels, but for the AUC on BC Wisconsin, and on Liver; "
        "with 10 % wrong labels RVM is ahead on Ionosphere and BC Wisconsin.",
        orders.printed_order(cells_of(*REAL), names=("SVM", "RVM")),
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "On clean Liver data the SVM is best, in all three measures.",
        tables.best_is("SVM", ("liver", 0), ("ERR", "AUC", "RMSE")),
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "On clean BC Wisconsin data RVM has the best AUC.",
        tables.best_is("RVM", ("cancer", 0), ("AUC",)),
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "On clean Ionosphere data RRVM is best, in all three measures.",
        tables.best_is("RRVM", ("ionosphere", 0), ("ERR", "AUC", "RMSE")),
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "With 10 % wrong labels RRVM is better than the others on all three real data sets.",
        robust_beats(
            OTHERS,
            tuple((name, 10) for name in REAL),
            reason=why_not_ahead(tuple((name, 10) for name in REAL)),
        ),
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "RVM and RRVM keep far fewer coefficients than the SVM: RVM.",
        fewer("RVM", ("SVM",), cells_of(*REAL), "The bound keeps more columns than the SVM's margin does."),
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "RVM and RRVM keep far fewer coefficients than the SVM: RRVM.",
        fewer(
            "RRVM",
            ("SVM",),
            cells_of(*REAL),
            "The bound keeps more columns than the SVM's margin does.",
        ),
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "RRVM keeps fewer than RVM on Liver and Ionosphere (printed: 3.60 against 5.94 and so on).",
        fewer(
            "RRVM",
            ("RVM",),
            cells_of("liver", "ionosphere"),
            "The widths differ: one by the bound, one by folds.",
        ),
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "On BC Wisconsin RVM keeps fewer than RRVM (printed: 1.39 against 1.61, 2.00 against 2.02).",
        fewer("RVM", ("RRVM",), cells_of("cancer"), "The widths differ: one by the bound, one by folds."),
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "RRVM takes less time to choose its model than RVM on all three real data sets.",
        times_order("selection", "RRVM", ("RVM",), cells_of(*REAL), reason=SLOW_FITS),
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "The order of the times to choose a model: k-NN first; RVM before the SVM on Liver alone; RRVM "
        "before both, but on BC Wisconsin behind the SVM.",
        orders.printed_order(cells_of(*REAL), ("selection",)),
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "The order of the times to train: neighbours, SVM, RVM, RRVM, but on Ionosphere RVM takes longest.",
        orders.printed_order(cells_of(*REAL), ("training",)),
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "Because of large standard deviations no difference between the means seems significant.",
        spreads.large_spreads,
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2",
        "Unlucky flips make all classifiers worse at once, hence the large deviations.",
        spreads.degraded_together,
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "Friedman's test rejects equal performance, in all three measures, at 0 and at 10 %.",
        tables.friedman,
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2",
        "Where Friedman's test rejects, at least one pair of classifiers differs significantly.",
        orders.rejection_names_a_pair,
        "figure 6",
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "The test compares classifiers over data sets (Demsar 2006).",
        tables.friedman_by_data,
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2, Fig. 6",
        "At 10 % RRVM is significantly better than every other classifier by Nemenyi's test, in all three "
        "measures.",
        tables.nemenyi,
        "figure 6",
    ),
    Claim(
        "Sect. 4.2.2, Table 7",
        "RRVM takes longer than the SVM on BC Wisconsin, which has more rows, and not on the other two.",
        tables.slow_on_cancer,
        "table 7",
    ),
    Claim(
        "Sect. 4.2.2",
        "The sensitivity curve is the influence function of a finite sample.",
        trials.finite_influence,
    ),
    Claim(
        "Sect. 4.2.2, Fig. 7a",
        "Figure 1's data: RRVM's sensitivity curve is significantly more stable than those of SVM and RVM.",
        figures.figure_7("a"),
        "figure 7",
    ),
    Claim(
        "Sect. 4.2.2, Fig. 7b",
        "Ripley's data with outliers: RRVM's sensitivity curve is significantly more stable than those of "
        "SVM and RVM.",
        figures.figure_7("b"),
        "figure 7",
    ),
)
"""Section 4.2.2."""

CONCLUSION = (
    Claim(
        "Sect. 5",
        "Outliers far away from their own classes get small weights.",
        figures.small_weights,
        "figures 4 and 5",
    ),
    Claim(
        "Sect. 5",
        "With contaminated training data RRVM is consistently better than the other classification methods.",
        robust_beats(OTHERS, CONTAMINATED, reason=why_not_ahead(CONTAMINATED)),
        "tables 1, 4 and 7",
    ),
    Claim(
        "Sect. 5",
        "On data sets of moderate size choosing the model is efficient, since no grid is cross-validated.",
        times_order("selection", "RRVM", ("SVM", "RVM"), EVERYWHERE, reason=f"{SLOW_FITS} {QUICK_SVM}"),
        "tables 3, 6 and 7",
    ),
    Claim(
        "Sect. 1; Sect. 5",
        "Real data likely have outliers, and there the method gives robust models in practice.",
        loses_least(REAL),
        "table 7",
    ),
    Claim(
        "Sect. 5, future work",
        "Faster training is wanted, since every iteration inverts a matrix of the size of the data.",
        effort.faster_training,
    ),
)
"""Section 5."""
