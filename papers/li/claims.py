"""Every claim of the two pages at hand of Li et al. (2008), and what was found of it."""

from __future__ import annotations

from papers.claims import Claim
from papers.judging import computed, mathematics, not_run
from papers.li import lookups, theory, trials

ABSENT = "Only the first two pages of the paper are at hand; this part is not among them."
"""Why the later sections cannot be judged."""

RECONSTRUCTED = (
    "The framework itself stands in section 3, which is not at hand; ours raises each row's likelihood to "
    "the power of its membership."
)
"""What a reader must know of the fuzzy machine."""

FUZZY_CLAIMS = (
    Claim(
        "Abstract",
        "The fuzzy machine weights the punishment terms of error in the Bayesian inference.",
        mathematics(theory.weighted_violation, 1e-9, "posterior against (5) with weights", RECONSTRUCTED),
    ),
    Claim(
        "Abstract",
        "FRVM is effective in dealing with unbalanced data.",
        lookups.unbalanced_data,
        "tables 1, 3 and 6, figure 2",
    ),
    Claim(
        "Abstract",
        "FRVM reduces the effects of noise (wrong labels).",
        lookups.wrong_labels,
        "tables 2, 4 and 7, figure 2",
    ),
    Claim("Abstract", "FRVM reduces the effects of outliers.", lookups.outliers, "tables 9 and 11, figure 4"),
    Claim(
        "Abstract; Sect. 1",
        "Both problems can be learnt with different kinds of membership functions.",
        lookups.memberships,
        "tables 5 and 7, figure 3",
    ),
    Claim(
        "Sect. 1",
        "RVM treats all training rows alike; with memberships rows have different influence.",
        computed(theory.uniform_trust, "The weights are not as the estimators promise."),
    ),
    Claim(
        "Sect. 1",
        "Most machine learning algorithms may not be robust enough: unbalanced data can affect them "
        "severely.",
        computed(trials.many_learners_suffer, "Fewer than half of the learners tried lose severely."),
    ),
    Claim(
        "Sect. 1",
        "Unbalanced data affect the performance severely, by the overwhelming number of one class.",
        lookups.imbalance_harms,
        "table 1, figure 2",
    ),
    Claim(
        "Sect. 1",
        "The problem is more serious with a high level of noise.",
        lookups.noise_makes_it_worse,
        "tables 1 and 2",
    ),
    Claim(
        "Sect. 1",
        "The fuzzy SVM of Lin and Wang is made to eliminate the influence of unbalanced data and noise.",
        lookups.fuzzy_svm_eliminates,
        "tables 1 and 2",
    ),
    Claim(
        "Sect. 1",
        "RVM is reformulated into FRVM: with memberships of one it is the RVM.",
        mathematics(
            trials.weights_of_one_violation, 1e-9, "predictions of one from the other", RECONSTRUCTED
        ),
    ),
    Claim(
        "Sect. 1",
        "Memberships are a natural way to make learning robust against unbalanced data and noise.",
        lookups.beside_rivals,
        "tables 1 to 4",
    ),
    Claim(
        "Sect. 1",
        "FRVM rests on a probabilistic framework, the fuzzy SVM on optimisation.",
        lookups.beside_fuzzy_svm,
        "tables 1 to 4",
    ),
    Claim(
        "Sect. 1",
        "99 % of visitors of shops on the net buy nothing.",
        not_run("an example of unbalanced data", "No data are given."),
    ),
)
"""Abstract and section 1."""

MACHINE_CLAIMS = (
    Claim(
        "Sect. 2",
        "RVM does as well as SVM with far fewer vectors, and no regularisation parameter to tune.",
        computed(theory.beside_support_vectors, "On other data sets, see Hwang's tables."),
    ),
    Claim(
        "Sect. 2",
        "The kernel need not satisfy Mercer's condition.",
        computed(theory.any_kernel, "The fit failed with a kernel that is not positive definite."),
    ),
    Claim(
        "Sect. 2, eq. (1)",
        "The prediction is a weighted sum of kernels and a constant.",
        mathematics(theory.model_violation, 1e-9, "predictions against the sum"),
    ),
    Claim(
        "Sect. 2, eq. (2)",
        "The key to sparsity is a hyperparameter for each weight.",
        computed(trials.one_precision_is_dense, "One precision for all weights is sparse too, or none is."),
    ),
    Claim(
        "Sect. 2, eqs. (2)-(4)",
        "Prior, likelihood and Bayes' rule.",
        mathematics(theory.bayes_violation, 1e-6, "nats between prior x likelihood / posterior and (7)"),
    ),
    Claim(
        "Sect. 2, eqs. (5)-(6)",
        "Covariance and mean of the posterior.",
        mathematics(theory.posterior_violation, 1e-9, "library against the formulas, relative"),
    ),
    Claim(
        "Sect. 2, eq. (7)",
        "The marginal likelihood is normal with covariance sigma^2 I + Phi A^-1 Phi'.",
        mathematics(theory.marginal_violation, 1e-6, "nats between it and the library's evidence"),
    ),
    Claim(
        "Sect. 2",
        "The mean of the posterior is also the most probable value of the weights.",
        mathematics(trials.map_violation, 1e-6, "slope of prior x likelihood at the mean, relative"),
    ),
    Claim(
        "Sect. 2, eq. (7)",
        "Hyperparameters and noise are estimated by maximising (7).",
        computed(trials.hyperparameters_at_maximum, "Other values have a higher marginal likelihood."),
    ),
    Claim(
        "Sect. 2, eqs. (8)-(10)",
        "The predictive distribution is normal, with this mean and variance.",
        mathematics(theory.predictive_violation, 1e-9, "library and printed against conditioning (7)"),
    ),
    Claim(
        "Sect. 2",
        "Most hyperparameters go to infinity: the solution is sparse.",
        computed(theory.sparse_optimum, "Too many rows are left, or one more would help."),
    ),
    Claim(
        "Sect. 2, Algorithm 1",
        "The algorithm returns relevance vectors among the rows, and a function.",
        computed(theory.algorithm, "The solver did not reach sinc."),
    ),
    Claim(
        "Sect. 2",
        "Classification follows an essentially identical framework; predictions are probabilistic.",
        computed(theory.class_probabilities, "The probabilities are too sure, or not sure enough."),
    ),
)
"""Section 2."""

ABSENT_CLAIMS = (
    Claim("Sect. 3", "The fuzzy relevance vector machine in detail.", not_run("not at hand", ABSENT)),
    Claim("Sect. 4", "Kinds of membership functions.", not_run("not at hand", ABSENT)),
    Claim("Sect. 5", "Results beside the plain RVM, in tables and figures.", not_run("not at hand", ABSENT)),
    Claim("Sect. 6", "Conclusions.", not_run("not at hand", ABSENT)),
)
"""Sections 3 to 6."""

CLAIMS: tuple[Claim, ...] = (*FUZZY_CLAIMS, *MACHINE_CLAIMS, *ABSENT_CLAIMS)
"""All claims, in the order of the paper."""
