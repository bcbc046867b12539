"""All papers that can be reproduced."""

from __future__ import annotations

from papers import chu, chu_figures, hwang, hwang_figures, li, li_figures
from papers.context import Paper

PAPERS = {
    "hwang": Paper(
        "hwang",
        "S. Hwang and M. K. Jeong (2015). Robust relevance vector machine for classification with "
        "variational inference. Annals of Operations Research.",
        hwang.TABLES,
        hwang_figures.FIGURES,
        hwang.NOTES,
    ),
    "chu": Paper(
        "chu",
        "W. Chu, S. S. Keerthi and C. J. Ong (2001). A unified loss function in Bayesian framework for "
        "support vector regression. ICML.",
        chu.TABLES,
        chu_figures.FIGURES,
        chu.NOTES,
    ),
    "li": Paper(
        "li",
        "After D.-F. Li, W.-C. Hu, W. Xiong and J.-B. Yang (2008). Fuzzy relevance vector machine for "
        "learning from unbalanced data and noise. Pattern Recognition Letters 29. The study is ours.",
        li.TABLES,
        li_figures.FIGURES,
        li.NOTES,
    ),
}
"""By the name that the command line knows them by."""
