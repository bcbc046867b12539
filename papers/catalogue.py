"""All papers that can be reproduced."""

from __future__ import annotations

from papers.chu import claims as chu_claims
from papers.chu import conclusions as chu_conclusions
from papers.chu import figures as chu_figures
from papers.chu import plan as chu_plan
from papers.chu import tables as chu
from papers.hwang import claims as hwang_claims
from papers.hwang import conclusions as hwang_conclusions
from papers.hwang import figures as hwang_figures
from papers.hwang import plan as hwang_plan
from papers.hwang import tables as hwang
from papers.li import claims as li_claims
from papers.li import conclusions as li_conclusions
from papers.li import figures as li_figures
from papers.li import plan as li_plan
from papers.li import tables as li
from papers.paper import Paper

PAPERS = {
    "hwang": Paper(
        "hwang",
        "S. Hwang and M. K. Jeong (2015). Robust relevance vector machine for classification with "
        "variational inference. Annals of Operations Research.",
        hwang.TABLES,
        hwang_figures.FIGURES,
        hwang_plan.all_experiments,
        claims=hwang_claims.CLAIMS,
        notes=hwang.NOTES,
        conclusions=hwang_conclusions.conclusions,
    ),
    "chu": Paper(
        "chu",
        "W. Chu, S. S. Keerthi and C. J. Ong (2001). A unified loss function in Bayesian framework for "
        "support vector regression. ICML.",
        chu.TABLES,
        chu_figures.FIGURES,
        chu_plan.all_experiments,
        claims=chu_claims.CLAIMS,
        notes=chu.NOTES,
        conclusions=chu_conclusions.conclusions,
    ),
    "li": Paper(
        "li",
        "After D.-F. Li, W.-C. Hu, W. Xiong and J.-B. Yang (2008). Fuzzy relevance vector machine for "
        "learning from unbalanced data and noise. Pattern Recognition Letters 29. The study is ours.",
        li.TABLES,
        li_figures.FIGURES,
        li_plan.all_experiments,
        claims=li_claims.CLAIMS,
        notes=li.NOTES,
        conclusions=li_conclusions.conclusions,
    ),
}
"""By the name that the command line knows them by."""
