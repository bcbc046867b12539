"""Hwang & Jeong (2015): the claims of sections 4.1 and 4.2.1, sentence by sentence."""

from __future__ import annotations

from papers.claims import Claim
from papers.hwang import effort, orders, practice
from papers.hwang import figure_findings as figures
from papers.hwang import spread_findings as spreads
from papers.hwang import table_findings as tables
from papers.hwang.explanations import why_not_ahead
from papers.hwang.outcomes import (
    EVERYWHERE,
    cells_of,
    fewer,
    loses_least,
    robust_beats,
    times_order,
    worse_with_flips,
)

RIPLEY, BANANA = cells_of("ripley"), cells_of("banana")
"""The cells of each data set."""

OTHERS = (0, 1, 2, 3)
"""Places of the four rivals of RRVM."""

QUICK_SVM = (
    "scikit-learn's SVM is a compiled library on small tables, and the paper's was called from MATLAB; what "
    "is compared is code as much as method."
)
"""Why times may be in another order."""

SLOW_FITS = "A robust fit takes more iterations than a plain one, which can cost more than the folds save."
"""Why RRVM may take longer to choose than RVM."""

SELECTION = (
    Claim(
        "Sect. 4.1",
        "Choosing by the bound costs RRVM less time than cross-validation costs the SVM.",
        times_order("selection", "RRVM", ("SVM",), EVERYWHERE, reason=QUICK_SVM),
        "tables 3, 6 and 7",
    ),
    Claim(
        "Sect. 4.1",
        "ERR looks at the threshold alone, AUC at the order alone, RMSE at the probabilities.",
        practice.kinds_of_measures,
    ),
)
"""Section 4.1."""

PICTURES = (
    Claim(
        "Sect. 4.2.1, Fig. 4",
        "Ripley's data: a few outliers distort the boundaries of SVM and RVM; RRVM's is less sensitive.",
        figures.contaminated("4"),
        "figure 4",
    ),
    Claim(
        "Sect. 4.2.1, Fig. 5",
        "Banana data: a few outliers distort the boundaries of SVM and RVM; RRVM's is less sensitive.",
        figures.contaminated("5"),
        "figure 5",
    ),
    Claim(
        "Sect. 4.2.1, Figs. 4 and 5",
        "RRVM reduces the effect of outliers by giving them a small weight.",
        figures.small_weights,
        "figures 4 and 5",
    ),
    Claim(
        "Sect. 4.2.1, Figs. 4 and 5",
        "RRVM stays sparse although the training data have outliers.",
        figures.still_sparse,
        "figures 4 and 5",
    ),
    Claim(
        "Sect. 4.2.1, Fig. 4c",
        "On Ripley's data with outliers only 6 observations are relevance vectors of RRVM.",
        figures.six_vectors,
        "figure 4",
    ),
    Claim(
        "Sect. 4.2.1, Figs. 4 and 5",
        "The outliers are among the support vectors of the SVM.",
        figures.support_has_outliers,
        "figures 4 and 5",
    ),
)
"""Section 4.2.1, the figures."""

ON_RIPLEY = (
    Claim("Sect. 4.2.1, Table 1", "All 45 printed means.", tables.printed_numbers("1", RIPLEY), "table 1"),
    Claim(
        "Sect. 4.2.1, Table 1",
        "All 45 printed standard deviations.",
        spreads.printed_spreads("1"),
        "table 1",
    ),
    Claim("Sect. 4.2.1, Table 1", "RRVM is bold in every column.", tables.bold(RIPLEY), "table 1"),
    Claim(
        "Sect. 4.2.1, Table 1",
        "The order of the five classifiers in each column.",
        orders.printed_order(RIPLEY),
        "table 1",
    ),
    Claim(
        "Sect. 4.2.1, Table 1",
        "RRVM is consistently better than the other methods, contaminated or not.",
        robust_beats(OTHERS, RIPLEY, reason=why_not_ahead(RIPLEY)),
        "table 1",
    ),
    Claim(
        "Sect. 4.2.1, Table 1",
        "RRVM is better than RVM at 5 and 10 % wrong labels.",
        robust_beats((3,), RIPLEY[1:], reason=why_not_ahead(RIPLEY[1:])),
        "table 1",
    ),
    Claim("Sect. 4.2.1, Table 2", "All 9 printed means.", tables.printed_numbers("2", RIPLEY), "table 2"),
    Claim(
        "Sect. 4.2.1, Table 2",
        "All 9 printed standard deviations.",
        spreads.printed_spreads("2"),
        "table 2",
    ),
    Claim(
        "Sect. 4.2.1, Table 2",
        "RVM and RRVM have far fewer non-zero coefficients than the SVM: RVM.",
        fewer("RVM", ("SVM",), RIPLEY, "The bound keeps more columns than the SVM's margin does."),
        "table 2",
    ),
    Claim(
        "Sect. 4.2.1, Table 2",
        "RVM and RRVM have far fewer non-zero coefficients than the SVM: RRVM.",
        fewer("RRVM", ("SVM",), RIPLEY, "The bound keeps more columns than the SVM's margin does."),
        "table 2",
    ),
    Claim(
        "Sect. 4.2.1, Table 2",
        "RRVM keeps fewer than RVM (printed: 1.88 against 2.84 and more).",
        fewer(
            "RRVM",
            ("RVM",),
            RIPLEY,
            "Rows of small weight add nothing to explain, but the widths differ: one by the bound, one by "
            "folds.",
        ),
        "table 2",
    ),
    Claim(
        "Sect. 4.2.1, Table 3",
        "All 9 printed times, in the mean.",
        tables.printed_numbers("3", RIPLEY),
        "table 3",
    ),
    Claim(
        "Sect. 4.2.1, Table 3",
        "RRVM takes less time to choose its model than SVM and RVM.",
        times_order("selection", "RRVM", ("SVM", "RVM"), RIPLEY, reason=f"{SLOW_FITS} {QUICK_SVM}"),
        "table 3",
    ),
    Claim(
        "Sect. 4.2.1, Table 3",
        "RRVM takes longer than the others to train.",
        times_order(
            "training", "RRVM", ("1-NN", "k-NN", "SVM", "RVM"), RIPLEY, longer=True, reason=QUICK_SVM
        ),
        "table 3",
    ),
    Claim(
        "Sect. 4.2.1, Table 3",
        "The order of the times to choose a model: k-NN, RRVM, RVM, SVM.",
        orders.printed_order(RIPLEY, ("selection",)),
        "table 3",
    ),
    Claim(
        "Sect. 4.2.1, Table 3",
        "The order of the times to train: k-NN, 1-NN, SVM, RVM, RRVM.",
        orders.printed_order(RIPLEY, ("training",)),
        "table 3",
    ),
    Claim(
        "Sect. 4.2.1, Table 3; Sect. 5",
        "An iteration inverts a matrix, in a time that is cubic in the observations.",
        effort.cubic,
    ),
)
"""Section 4.2.1, Ripley's data."""

ON_BANANA = (
    Claim("Sect. 4.2.1, Table 4", "All 45 printed means.", tables.printed_numbers("4", BANANA), "table 4"),
    Claim(
        "Sect. 4.2.1, Table 4",
        "All 45 printed standard deviations.",
        spreads.printed_spreads("4"),
        "table 4",
    ),
    Claim(
        "Sect. 4.2.1, Table 4",
        "The bold cells: RRVM, but for AUC and RMSE on clean labels, where RVM is best.",
        tables.bold(BANANA),
        "table 4",
    ),
    Claim(
        "Sect. 4.2.1, Table 4",
        "The order of the five classifiers in each column.",
        orders.printed_order(BANANA),
        "table 4",
    ),
    Claim(
        "Sect. 4.2.1, Table 4",
        "The banana data show what Ripley's do: RRVM is better than the others with wrong labels.",
        robust_beats(OTHERS, BANANA[1:], reason=why_not_ahead(BANANA[1:])),
        "table 4",
    ),
    Claim(
        "Sect. 4.2.1, Table 4",
        "The more wrong labels, the worse the classifiers get.",
        worse_with_flips("banana"),
        "table 4",
    ),
    Claim(
        "Sect. 4.2.1, Table 4",
        "RRVM clearly shows its robustness: it loses less than the others.",
        loses_least(("banana",), ("ERR", "AUC", "RMSE")),
        "table 4",
    ),
    Claim("Sect. 4.2.1, Table 5", "All 9 printed means.", tables.printed_numbers("5", BANANA), "table 5"),
    Claim(
        "Sect. 4.2.1, Table 5",
        "All 9 printed standard deviations.",
        spreads.printed_spreads("5"),
        "table 5",
    ),
    Claim(
        "Sect. 4.2.1, Table 5",
        "RRVM gives a sparse solution: far fewer coefficients than the SVM.",
        fewer("RRVM", ("SVM",), BANANA, "The bound keeps more columns than the SVM's margin does."),
        "table 5",
    ),
    Claim(
        "Sect. 4.2.1, Table 5",
        "RVM too keeps far fewer coefficients than the SVM (printed: 2.63 against 29.08 and so on).",
        fewer("RVM", ("SVM",), BANANA, "The bound keeps more columns than the SVM's margin does."),
        "table 5",
    ),
    Claim(
        "Sect. 4.2.1, Table 5",
        "Here RVM keeps fewer than RRVM (printed: 2.63 against 3.15 and more).",
        fewer("RVM", ("RRVM",), BANANA, "The widths differ: one by the bound, one by folds."),
        "table 5",
    ),
    Claim(
        "Sect. 4.2.1, Table 6",
        "All 9 printed times, in the mean.",
        tables.printed_numbers("6", BANANA),
        "table 6",
    ),
    Claim(
        "Sect. 4.2.1, Table 6",
        "RRVM takes less time to choose its model than SVM and RVM.",
        times_order("selection", "RRVM", ("SVM", "RVM"), BANANA, reason=f"{SLOW_FITS} {QUICK_SVM}"),
        "table 6",
    ),
    Claim(
        "Sect. 4.2.1, Table 6",
        "RRVM takes longer than the others to train (printed: 2.44 s against 1.17 s and less).",
        times_order(
            "training", "RRVM", ("1-NN", "k-NN", "SVM", "RVM"), BANANA, longer=True, reason=QUICK_SVM
        ),
        "table 6",
    ),
    Claim(
        "Sect. 4.2.1, Table 6",
        "RRVM is competitive with SVM and RVM in all of the computation time.",
        orders.in_all(BANANA, ("SVM", "RVM"), f"{SLOW_FITS} {QUICK_SVM}"),
        "table 6",
    ),
    Claim(
        "Sect. 4.2.1, Table 6",
        "The order of the times to choose a model: k-NN, RRVM, SVM, RVM.",
        orders.printed_order(BANANA, ("selection",)),
        "table 6",
    ),
    Claim(
        "Sect. 4.2.1, Table 6",
        "The order of the times to train: k-NN, 1-NN, SVM, RVM, RRVM.",
        orders.printed_order(BANANA, ("training",)),
        "table 6",
    ),
)
"""Section 4.2.1, the banana data."""
