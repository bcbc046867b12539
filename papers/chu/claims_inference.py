"""Claims of Chu, Keerthi & Ong (2001), section 3: prior, optimum, dual, evidence."""

from __future__ import annotations

from papers.chu import earlier_work as earlier
from papers.chu import inference_facts as facts
from papers.chu import inference_theory as theory
from papers.chu.claims_noise import BROKEN
from papers.chu.lookups import evidence_by_monte_carlo
from papers.chu.lookups_data import processes_are_good, useful_where_laplace_is_good
from papers.claims import Claim
from papers.judging import computed, mathematics

BAYES = (
    Claim(
        "Sect. 3.1",
        "A network with Gaussian output weights becomes a Gaussian process as hidden units are added (Neal).",
        computed(earlier.wide_networks, "The output is not Gaussian, or was so from the start."),
    ),
    Claim(
        "Sect. 3.1",
        "Gaussian processes have given good results where networks were used (Williams & Rasmussen).",
        processes_are_good,
        "table 5",
    ),
    Claim(
        "Sect. 3.1, eq. (33)",
        "The prior covariance is the Gaussian kernel of SVR with one relevance per input.",
        mathematics(theory.covariance_violation, 1e-9, "library against (33) and scikit-learn's kernel"),
    ),
    Claim(
        "Sect. 3.1",
        "w_l determines the relevance of an input to the prediction.",
        computed(facts.relevance_found, "The evidence did not find which input is irrelevant."),
    ),
    Claim(
        "Sect. 3.1.1, eq. (35)",
        "The prior of f at the rows is normal with covariance Sigma; Z_f.",
        mathematics(theory.prior_violation, 1e-6, "nats between (35) and SciPy's normal density"),
    ),
    Claim(
        "Sect. 2.1, eq. (2); Sect. 3.1, eqs. (34), (36)-(37); Sect. 3.3, eqs. (43)-(44)",
        "Bayes' theorem: prior times likelihood, over the evidence, by either formula.",
        mathematics(theory.bayes_violation, 1e-9, "(43) against (44), by integration over two rows"),
    ),
    Claim(
        "Sect. 3.1.3, eqs. (38)-(39)",
        "The most probable function minimises S(f).",
        mathematics(theory.optimum_violation, 1e-6, "general optimiser from six random starts against ours"),
    ),
)
"""Section 3.1."""

SUPPORT = (
    Claim(
        "Sect. 3.2; Sect. 5",
        "A global minimum is guaranteed: S(f) is convex.",
        mathematics(theory.convexity_violation, 1e-12, "S between two functions above the line, 500 pairs"),
    ),
    Claim(
        "Sect. 3.2, eq. (40)",
        "The primal problem with slack variables is equivalent to (39).",
        mathematics(theory.primal_violation, 1e-4, "optimum by a general method with constraints"),
    ),
    Claim(
        "Sect. 3.2, eq. (41)",
        "The dual problem; f_MP = Sigma (alpha - alpha*); one of each pair is zero.",
        mathematics(theory.dual_violation, 1e-8, "dual by a general method against minus the optimum"),
    ),
    Claim(
        "Sect. 3.2",
        "SVR's algorithms solve it: duality gap and optimality conditions at our solution of 100 rows.",
        mathematics(theory.optimality_violation, 1e-8, "gap, nu = C l'(y - f), f = Sigma nu"),
    ),
)
"""Section 3.2."""

EVIDENCE = (
    Claim(
        "Sect. 3.3, eq. (42)",
        "With a flat prior of the hyperparameters, the evidence is what prefers one value to another.",
        computed(facts.flat_prior, BROKEN),
    ),
    Claim(
        "Sect. 3.3, eq. (45)",
        "Expansion of S at its minimum: no slope, and second derivatives Sigma^-1 + C Lambda.",
        mathematics(theory.expansion_violation, 1e-6, "differences against (45), relative"),
    ),
    Claim(
        "Sect. 3.3, eq. (46), footnote 2",
        "The determinant of the evidence needs only the sub-matrix Sigma_M.",
        mathematics(theory.evidence_violation, 1e-8, "nats between three forms of it and the library's"),
    ),
    Claim(
        "Sect. 3.3",
        "Gradients of the evidence can be derived.",
        mathematics(theory.slopes_violation, 1e-6, "against differences, relative to the largest"),
    ),
    Claim(
        "Sect. 3.3; Sect. 5",
        "Gradient-based methods such as BFGS lead the hyperparameters to a minimum of -ln P.",
        facts.descends,
    ),
    Claim(
        "Sect. 3.3",
        "Whether Laplace's approximation is good depends on the problem; Monte Carlo can replace it.",
        evidence_by_monte_carlo,
        "table B, figure B",
    ),
    Claim(
        "Sect. 3.3",
        "Maximising the evidence is only useful where Laplace's approximation is good.",
        useful_where_laplace_is_good,
        "table B",
    ),
    Claim(
        "Sect. 3.3",
        "beta is the pivotal parameter for the size of Sigma_M.",
        computed(facts.zone_sizes, "Another hyperparameter changes the size more."),
        "table 2",
    ),
    Claim(
        "Sect. 3.3; Sect. 5",
        "Inverting Sigma_M takes the time; the sparse matrix accelerates training.",
        computed(facts.sparse_speed, "Other parts took as long: the machine was busy, or rows too few."),
    ),
    Claim(
        "Sect. 5",
        "The sparse matrix helps to tackle relatively huge data sets.",
        computed(facts.many_rows, "So many rows take longer, or a small Sigma_M saves nothing."),
    ),
)
"""Section 3.3."""

INFERENCE_CLAIMS = (*BAYES, *SUPPORT, *EVIDENCE)
"""All claims of section 3."""
