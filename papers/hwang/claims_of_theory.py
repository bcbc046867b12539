"""Hwang & Jeong (2015): the claims of sections 1 to 3 and of the appendices."""

from __future__ import annotations

from papers.claims import Claim, Finding
from papers.context import RunContext
from papers.hwang import effort, formulas, loop_checks, practice, trials
from papers.hwang import figure_findings as figures
from papers.hwang.explanations import why_not_ahead
from papers.hwang.outcomes import CONTAMINATED, EVERYWHERE, fewer, loses_least, robust_beats
from papers.hwang.protocol import REAL, SYNTHETIC


def of_others(context: RunContext) -> Finding:
    """Sentences about other papers' methods."""
    return Finding(
        "not run",
        "three methods of other papers are described, and no number of theirs is printed",
        "The truncated hinge loss, the spatial rank and the truncated logistic loss are others' methods, "
        "and the paper does not compare with them.",
    )


FRONT = (
    Claim(
        "Abstract",
        "The RVM can be very sensitive to outliers far from the boundary.",
        figures.pulled,
        "figure 1",
    ),
    Claim(
        "Abstract",
        "The robust RVM is insensitive to outliers: it loses less to wrong labels than the others.",
        loses_least((*SYNTHETIC, *REAL)),
        "tables 1, 4 and 7",
    ),
    Claim(
        "Abstract; Sect. 1",
        "The robust RVM keeps the advantages of the RVM: it is sparse, beside the SVM.",
        fewer("RRVM", ("SVM",), EVERYWHERE, "Where few rows are support vectors there is little to save."),
        "tables 2, 5 and 7",
    ),
    Claim(
        "Abstract; Sect. 5",
        "Given their prior, the weights are found by probability, automatically during training.",
        practice.weights_find_flips,
    ),
    Claim(
        "Abstract; Sect. 5",
        "The influence of outliers is bounded through the weights, so that an outlier cannot influence the "
        "boundary further.",
        practice.influence,
        "figure 2",
    ),
    Claim(
        "Abstract; Sect. 5",
        "There is a guideline for the hyperparameters of the weights' prior: r = 2 - ln 2.",
        formulas.steepest_at_boundary,
        "figure 2",
    ),
    *(
        Claim(
            "Abstract",
            f"With contaminated training data RRVM is consistently better than RVM, on synthetic and real "
            f"data: {word}.",
            robust_beats((3,), CONTAMINATED, (measure,), reason=why_not_ahead(CONTAMINATED)),
            "tables 1, 4 and 7",
        )
        for measure, word in (("ERR", "error rate"), ("AUC", "AUC"), ("RMSE", "RMSE"))
    ),
    Claim(
        "Sect. 1",
        "The posteriors of many coefficients are sharply peaked around zero, so they can be left out.",
        practice.peaked_at_zero,
    ),
    Claim(
        "Sect. 1",
        "The RVM keeps far fewer vectors than the SVM.",
        fewer("RVM", ("SVM",), EVERYWHERE, "Where few rows are support vectors there is little to save."),
        "tables 2, 5 and 7",
    ),
    Claim(
        "Abstract; Sect. 1; Sect. 4.2.1",
        "RVM and RRVM give probabilities; the SVM does not.",
        practice.probabilities,
        "figures 4 and 5",
    ),
    Claim(
        "Sect. 1; Sect. 4.1",
        "No parameter for the regularisation is left to choose: RVM and RRVM have the kernel's width "
        "alone, the SVM also C.",
        practice.only_a_width,
    ),
    Claim(
        "Sect. 1",
        "If a data set has outliers, the boundary of the RVM may be seriously distorted.",
        figures.pulled,
        "figure 1",
    ),
    Claim(
        "Sect. 1, Fig. 1a",
        "Linear kernel: one outlier pulls the boundaries of SVM and RVM towards it, that of RRVM less.",
        figures.figure_1("linear"),
        "figure 1",
    ),
    Claim(
        "Sect. 1, Fig. 1b",
        "Gaussian kernel of width 2: one outlier pulls the boundaries of SVM and RVM towards it, that of "
        "RRVM less.",
        figures.figure_1("rbf"),
        "figure 1",
    ),
    Claim(
        "Sect. 1",
        "Others' robust machines give no class probabilities (Wu & Liu; Debruyne et al.) or are not sparse "
        "(Park & Liu).",
        of_others,
    ),
    Claim(
        "Sect. 1",
        "Incorrect weight estimates may lead to poor generalisation.",
        trials.wrong_weights,
    ),
    Claim(
        "Sect. 1; Sect. 5",
        "No grid search by cross-validation and no validation rows are needed: the bound chooses.",
        practice.chosen_by_bound,
    ),
    Claim(
        "Sect. 1",
        "Robustness needs no extra computational effort beside the variational RVM.",
        effort.same_effort,
    ),
)
"""Abstract and introduction."""

MODEL = (
    Claim(
        "Sect. 2",
        "The Gaussian kernel divides the squared distance by the width sigma; the constant is a column.",
        formulas.kernel_as_printed,
    ),
    Claim(
        "Sect. 2",
        "Nonlinear basis functions, as polynomials (1 + x'x_i)^d, make the boundary nonlinear.",
        trials.nonlinear_boundary,
    ),
    Claim(
        "Sect. 2, Eqs. (1) and (2)",
        "Least logistic loss is largest likelihood.",
        formulas.loss_is_likelihood,
    ),
    Claim(
        "Sect. 2",
        "A small weight on an outlier reduces its effect and gives a robust boundary.",
        practice.weight_reduces_effect,
    ),
    Claim(
        "Sect. 2, Eq. (3)",
        "Least weighted loss is largest likelihood with p(t) to the power w.",
        formulas.weighted_loss_is_likelihood,
    ),
    Claim(
        "Sect. 2",
        "Regularisation avoids that a complex model overfits.",
        trials.overfits_without_penalty,
    ),
    Claim(
        "Sect. 2",
        "Penalised logistic regression and RVM are both logistic regression with regularised coefficients.",
        trials.penalised,
    ),
    Claim(
        "Sect. 2",
        "A penalty on squares gives no sparse solution; the RVM's prior does.",
        practice.ridge_is_dense,
    ),
    Claim(
        "Sect. 3; Sect. 3.2",
        "The logistic likelihood and a Gaussian prior give no posterior in closed form.",
        formulas.no_closed_form,
    ),
    Claim(
        "Sect. 3.1, Eq. (4)",
        "ln sigma(u) is u/2 plus a function that is convex in the square of u.",
        formulas.decomposition,
    ),
    Claim(
        "Sect. 3.1, Eq. (5)",
        "The exponential of a quadratic lies below sigma(u) everywhere and touches it at xi; lambda has "
        "two forms.",
        formulas.logistic_bound,
    ),
    Claim(
        "Sect. 3.1",
        "h lies below p(t | beta), its product below the likelihood, its powers below the weighted "
        "likelihood.",
        formulas.likelihood_bound,
    ),
    Claim(
        "Sect. 3.1",
        "The modified likelihood p(t | beta, w), a power of p(t | beta), is a distribution of t.",
        formulas.powers_are_no_probabilities,
    ),
    Claim(
        "Sect. 3.2, Eq. (6)",
        "ln p(t) is L plus a divergence; so L lies below ln p(t), and the further bound by h below L.",
        loop_checks.bound_below_evidence,
    ),
    Claim(
        "Sect. 3.2, Eq. (7)",
        "The best Q of the coefficients is Gaussian.",
        loop_checks.gaussian_factor,
    ),
    Claim(
        "Sect. 3.2, Eqs. (8) and (9)",
        "The best Q of precisions and of weights are Gamma, like their priors.",
        loop_checks.gamma_factors,
    ),
    *(
        Claim(
            f"Sect. 3.2, Eq. {equation}",
            f"{what} by {equation} is where the bound (17) is highest, all else fixed.",
            loop_checks.is_maximiser(equation),
        )
        for equation, what in (
            ("(10)", "The covariance of the coefficients"),
            ("(11)", "The mean of the coefficients"),
            ("(12)", "The shape of the precisions"),
            ("(13)", "The rate of the precisions"),
            ("(14)", "The shape of the weights"),
            ("(15)", "The rate of the weights (first line)"),
            ("(16)", "The tangent point xi"),
        )
    ),
    Claim(
        "Sect. 3.2, Eq. (15)",
        "The rate of a weight is d - ln E h: the second line equals the first.",
        formulas.two_lines_of_15,
    ),
    Claim(
        "Sect. 1; Sect. 3.2, Proposition 1; Sect. 5",
        "The weights make the logistic loss bounded, by c.",
        formulas.proposition_1,
        "figure 2",
    ),
    Claim(
        "Appendix 1, proof of Proposition 1",
        "-ln p(t | beta) is at most -ln E h.",
        formulas.proof_of_proposition_1,
    ),
    Claim(
        "Sect. 3.2",
        "The factors (7) to (9) are coupled: each depends on expectations of the others.",
        trials.coupled,
    ),
    Claim(
        "Sect. 3.2",
        "Small a and b, as 1e-5, make the prior of the precisions non-informative.",
        loop_checks.vague_prior,
    ),
    Claim(
        "Sect. 3.2, Proposition 2",
        "Weights lie in [0, 1] if, and only if, c = d.",
        formulas.proposition_2,
    ),
    Claim(
        "Appendix 2, proof of Proposition 2",
        "E p(t | beta) is p at the mean coefficients; ln E h is never above zero.",
        formulas.proof_of_proposition_2,
    ),
    Claim(
        "Sect. 3.2",
        "ln E h is about the logistic loss at the mean, and the weight about r / (r + l).",
        formulas.approximate_weight,
    ),
    Claim(
        "Sect. 3.2",
        "r = 2 - ln 2 sets the first derivative of r l / (r + l) at 0 to zero.",
        formulas.printed_condition,
    ),
    Claim(
        "Sect. 3.2",
        "That r makes the loss change fastest at the boundary, where observations matter most.",
        formulas.steepest_at_boundary,
        "figure 2",
    ),
    Claim(
        "Sect. 3.2, Fig. 2",
        "Far from the boundary the weighted loss is about constant; its upper bound is r = 2 - ln 2.",
        formulas.figure_2,
        "figure 2",
    ),
)
"""Sections 2, 3.1 and 3.2, and the appendices."""

ALGORITHM = (
    Claim("Sect. 3.3, Eq. (17)", "The bound is this sum of seven expectations.", loop_checks.bound_by_draws),
    Claim("Sect. 3.3", "The bound rises at every iteration.", loop_checks.bound_rises),
    Claim(
        "Sect. 3.3",
        "Comparing bounds on the training data selects the best model, without cross-validation.",
        practice.chosen_by_bound,
    ),
    Claim(
        "Sect. 3.4, step 1",
        "Initial values, those of xi too, follow a guideline in Sect. 3.3.",
        loop_checks.start_matters,
    ),
    Claim(
        "Sect. 3.4, steps 2 to 5",
        "The loop ends when the bound rises by less than 1e-5, and has converged then.",
        loop_checks.loop_ends,
    ),
    Claim(
        "Sect. 3.4, Fig. 3",
        "From iteration to iteration the outlier gets a smaller weight; the boundary at the end is robust "
        "to it.",
        figures.figure_3,
        "figure 3",
    ),
)
"""Sections 3.3 and 3.4."""
