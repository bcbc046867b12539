"""Every claim of Chu, Keerthi & Ong (2001), and what was found of it."""

from __future__ import annotations

from papers.chu import lookups, lookups_data, lookups_real
from papers.chu.claims_inference import INFERENCE_CLAIMS
from papers.chu.claims_noise import NOISE_CLAIMS
from papers.claims import Claim
from papers.judging import not_run

QUOTED = "Quoted from other studies, whose networks and samplers are no part of this project."
"""Why rivals' numbers are not run again."""

RESULTS = (
    Claim(
        "Sect. 4.1, Table 1",
        "Sinc at four levels of noise: C, epsilon, w, -ln P and ASE.",
        lookups.table_1,
        "table 1",
    ),
    Claim(
        "Sect. 4.1, Table 1",
        "C and epsilon change greatly with the noise.",
        lookups.noise_parameters,
        "table 1",
    ),
    Claim("Sect. 4.1, Table 1", "w is mainly determined by the inputs.", lookups.relevance, "table 1"),
    Claim(
        "Sect. 4.1, Table 1",
        "With more noise the machine becomes less confident: -ln P rises.",
        lookups.confidence,
        "table 1",
    ),
    Claim("Sect. 4.1, Table 1", "ASE is about the noise variance.", lookups.squared_error, "table 1"),
    Claim(
        "Sect. 4.1, footnote 3",
        "The constant n ln 2 is left out of -ln P in the tables.",
        lookups.constant_left_out,
        "table 1",
    ),
    Claim(
        "Sect. 4.1, Figure 3",
        "Sinc is learnt from clean rows, and from rows with noise 0.3.",
        lookups.clean_error,
        "figure 3",
    ),
    Claim(
        "Sect. 4.1, Table 2",
        "Sinc at eight values of beta: C, epsilon, w, -ln P, rows in Sigma_M, AAE and ASE.",
        lookups.table_2,
        "table 2",
    ),
    Claim(
        "Sect. 4.1, Table 2",
        "beta has little influence on the results, except on the size of Sigma_M.",
        lookups.beta_influence,
        "table 2",
    ),
    Claim(
        "Sect. 4.1, Table 2",
        "beta controls the sparseness; results are insensitive to it where Sigma_M has not heavily shrunk.",
        lookups.beta_sparseness,
        "table 2",
    ),
    Claim(
        "Sect. 4.2, eq. (47), footnote 4",
        "The robot arm: 600 rows, two angles in these ranges, noise of 0.05.",
        lookups_real.arm_data,
    ),
    Claim(
        "Sect. 4.2, Table 3",
        "The arm's hyperparameters and -ln P.",
        lookups_real.table_3,
        "tables 3, A and D",
    ),
    Claim(
        "Sect. 4.2, Table 3",
        "Both targets get almost the same hyperparameters.",
        lookups_real.same_settings,
        "table 3",
    ),
    Claim(
        "Sect. 4.2",
        "One evaluation takes 11.19 s and the training 627.39 s, mainly by the number of evaluations.",
        lookups_real.arm_times,
    ),
    Claim(
        "Sect. 4.2, Table 4, footnote 5",
        "The arm's errors on two test sets, beside the noise.",
        lookups_real.table_4,
        "tables 4 and D",
    ),
    Claim(
        "Sect. 4.2, Tables 3 and 4",
        "These errors, and this -ln P, are those of the hyperparameters stated in table 3.",
        lookups_real.printed_settings,
        "table A",
    ),
    Claim(
        "Sect. 4.2",
        "With the truth known the expected error of the position is 0.005.",
        lookups_real.least_error,
        "table 4",
    ),
    Claim(
        "Sect. 4.2, Table 5",
        "The method has the lowest error of the position, 0.005379.",
        lookups_real.table_5,
        "table 5",
    ),
    Claim(
        "Sect. 4.2, Table 5",
        "Errors of MacKay's networks (0.00573, 0.00557) and of hybrid Monte Carlo (0.00554, 0.00557).",
        not_run("four printed numbers", QUOTED),
        "table 5",
    ),
    Claim(
        "Sect. 4.3, footnotes 6 and 7",
        "Boston: median prices in 506 census tracts, 13 attributes, 100 random splits into 481 and 25 rows.",
        lookups_data.boston_data,
    ),
    Claim(
        "Sect. 4.3, Table 6, footnote 6",
        "Boston over 100 random splits, means: ASE 8.03, NMSE 0.104, AAE 1.981.",
        lookups_real.table_6,
        "table 6",
    ),
    Claim(
        "Sect. 4.3, Table 6",
        "Boston over 100 random splits, standard deviations: ASE 4.11, NMSE 0.059, AAE 0.368.",
        lookups_real.table_6_spreads,
        "table 6",
    ),
    Claim(
        "Sect. 4.3, Table 6",
        "One evaluation takes 111.035 s and the training 2775.786 s.",
        lookups_real.boston_times,
        "table 6",
    ),
    Claim(
        "Sect. 4.3, Table 7, footnote 7",
        "Errors of ridge regressions and relevance vectors beside the method's.",
        lookups_real.table_7,
        "tables 7 and E",
    ),
    Claim(
        "Sect. 4.3, Table 7",
        "The method beats ridge regression with polynomials and splines, not with ANOVA splines, nor RVM.",
        lookups_real.table_7_order,
        "table 7",
    ),
    Claim(
        "Sect. 4.3",
        "The difference may be due to the random splits and the different kernel.",
        lookups_real.splits_and_kernel,
        "table 7",
    ),
)
"""Section 4."""

CONCLUSION = (
    Claim(
        "Abstract",
        "Results on simulated and real data indicate that the approach is feasible.",
        lookups_real.feasible,
        "tables 1, 2, 4 and 6",
    ),
    Claim(
        "Sect. 5",
        "With more hyperparameters training is more likely to be stuck at different local minima.",
        lookups_real.more_minima,
    ),
    Claim(
        "Sect. 4; Sect. 5",
        "One can start several times at random and keep the highest evidence.",
        lookups_real.best_by_evidence,
    ),
    Claim(
        "Sect. 5",
        "A mixture of the candidates can improve the performance.",
        lookups_real.mixture,
    ),
)
"""Abstract and section 5."""

CLAIMS: tuple[Claim, ...] = (*NOISE_CLAIMS, *INFERENCE_CLAIMS, *RESULTS, *CONCLUSION)
"""All claims, in the order of the paper."""
