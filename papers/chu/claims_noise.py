"""Claims of Chu, Keerthi & Ong (2001), introduction and section 2: losses and their noise."""

from __future__ import annotations

from papers.chu import earlier_work as earlier
from papers.chu import inference_facts as facts
from papers.chu import mean_theory as means
from papers.chu import noise_theory as noise
from papers.chu.noise_theory import worst
from papers.claims import Claim
from papers.judging import computed, mathematics, not_run

BROKEN = "A formula of the library, or of the paper, must be wrong."
"""What a failure of a computation here would mean."""

NOT_AT_HAND = (
    "The report of Pontil et al. is not at hand: what is checked is what this paper says of it, and that the "
    "limits of (30) agree with it."
)
"""What a reader must know of the comparison with Pontil et al."""

INTRODUCTION = (
    Claim(
        "Sect. 1",
        "The quadratic loss belongs to Gaussian noise of zero mean and one deviation, and has nice "
        "analytical properties.",
        mathematics(
            earlier.quadratic_violation, 1e-6, "-ln of the density from the loss; optimum from closed form"
        ),
    ),
    Claim(
        "Sect. 1; Sect. 2.1",
        "A few outliers dominate the solution of a quadratic loss; non-quadratic losses are less sensitive.",
        computed(means.outlier_influence, BROKEN),
    ),
    Claim(
        "Sect. 1",
        "The advantages of SVR, a convex quadratic programme: global minimum, fast training, sparseness.",
        computed(earlier.svr_advantages, "One of the three does not hold; a busy machine slows training."),
    ),
    Claim(
        "Sect. 1",
        "The performance of SVR depends crucially on the kernel and the hyperparameters.",
        computed(facts.kernel_matters, "The kernels tried were too much alike."),
    ),
    Claim(
        "Sect. 1",
        "Bayesian methods are difficult with the insensitive loss, because it is not smooth.",
        computed(facts.insensitive_evidence, "The evidence has a limit as beta goes to 0."),
    ),
    Claim(
        "Sect. 1",
        "Support vector classifiers have Bayesian interpretations (Platt, Kwok, Sollich), and the relevance "
        "vector machine is another treatment (Tipping).",
        not_run(
            "four papers are named, and no number of theirs is printed here",
            "They are about classes, and this paper compares with none of them but Tipping's regression "
            "(table 7).",
        ),
    ),
    Claim(
        "Abstract; Sect. 1; Sect. 3; Sect. 5",
        "SILF makes it possible to apply Bayesian techniques to support vector methods, and keeps the "
        "advantages of both.",
        computed(
            facts.bayes_for_support_vectors,
            "No maximum of the evidence was reached, or too few rows are spared.",
        ),
    ),
    Claim(
        "Abstract; Sect. 1; Sect. 5",
        "SILF has the virtues of the other losses: insensitive to outliers, differentiable, sparse.",
        facts.virtues,
        "figure 2",
    ),
)
"""Abstract and introduction."""

LOSSES = (
    Claim(
        "Sect. 2.1, eqs. (1)-(4)",
        "The likelihood is a product over rows, each proportional to exp(-C l(y - f)).",
        mathematics(worst(noise.likelihood_violation), 1e-9, "product of densities against (17), nats a row"),
    ),
    Claim(
        "Sect. 2.1, eqs. (5)-(7), Figure 1",
        "The Laplacian, Huber's and the insensitive loss, as defined and drawn.",
        mathematics(means.figure_1_violation, 1e-12, "difference on [-3, 3]"),
        "figure 1",
    ),
    Claim(
        "Sect. 2.1, eqs. (5)-(7); Sect. 2.2",
        "Huber's, the insensitive and the soft insensitive loss become Laplacian as epsilon goes to 0.",
        mathematics(noise.laplacian_limit, 2e-8, "difference at epsilon 1e-8"),
    ),
    Claim(
        "Sect. 2.1",
        "Huber's loss is a mixture of the Gaussian loss (inside) and the Laplacian (outside).",
        mathematics(means.huber_is_a_mixture, 1e-12, "difference from a parabola and from a shifted line"),
    ),
    Claim(
        "Sect. 2.1",
        "The Laplacian and the insensitive loss are not smooth; SILF is differentiable.",
        computed(means.smoothness, BROKEN),
    ),
    Claim(
        "Sect. 2.2, eq. (8)",
        "Definition of the soft insensitive loss, wholly controlled by beta and epsilon.",
        mathematics(worst(noise.loss_violation), 1e-12, "library against the five printed zones"),
    ),
    Claim(
        "Sect. 2.2; Sect. 2.4; Sect. 5",
        "SILF approaches the insensitive loss as beta goes to 0.",
        mathematics(noise.insensitive_limit, 1e-8, "difference at beta 1e-8"),
    ),
    Claim(
        "Sect. 2.2; Sect. 2.4; Sect. 5",
        "SILF approaches Huber's loss as beta goes to 1.",
        mathematics(noise.huber_limit, 1e-8, "difference at 1 - beta = 1e-8 and at 1"),
    ),
    Claim(
        "Sect. 2.2, Figure 2",
        "Graph of SILF and its density at beta = 0.5, epsilon = 0.5, C = 2.",
        computed(means.figure_2_facts, BROKEN),
        "figure 2",
    ),
    Claim(
        "Sect. 2.2.1, eq. (9)",
        "First derivative of SILF.",
        mathematics(worst(noise.slope_violation), 1e-7, "printed and library against differences of (8)"),
    ),
    Claim(
        "Sect. 2.2.1",
        "The first derivative is continuous: it has no jump at the edges of the zones.",
        mathematics(worst(noise.slope_jump), 1e-8, "jump across an edge"),
    ),
    Claim(
        "Sect. 2.2.1, eq. (10)",
        "Second derivative, which exists almost everywhere.",
        mathematics(worst(noise.curvature_violation), 1e-8, "printed and library against differences of (9)"),
    ),
    Claim(
        "Sect. 2.2.1",
        "SILF is not twice differentiable: the second derivative jumps at the edges of the zones.",
        computed(earlier.curvature_jumps, BROKEN),
    ),
    Claim(
        "Sect. 2.2.2, eq. (11)",
        "The noise density integrates to one.",
        mathematics(worst(noise.density_violation), 1e-10, "integral minus one"),
    ),
    Claim(
        "Sect. 2.2.2, eq. (12)",
        "Z_D in closed form.",
        mathematics(worst(noise.normaliser_violation), 1e-10, "relative to the integral"),
    ),
)
"""Sections 2.1 and 2.2."""

NOISE_MODEL = (
    Claim(
        "Sect. 2.3, eqs. (13)-(20)",
        "SILF noise is Gaussian with random mean and deviation: both integrals give (11), (17) and (18).",
        mathematics(worst(noise.general_model_violation), 1e-9, "relative to the density; nats of the loss"),
    ),
    Claim(
        "Sect. 2.3.1, eqs. (21)-(22), (24)",
        "Rayleigh deviations around zero make Laplacian noise.",
        mathematics(noise.rayleigh_violation, 1e-10, "difference from exp(-C |delta|)"),
    ),
    Claim(
        "Sect. 2.3.1, footnote 1",
        "The losses of (18) extend Girosi's model, Gaussian noise around zero with a random deviation.",
        computed(
            earlier.beyond_girosi, "A random deviation alone could make SILF, or not even the Laplacian."
        ),
    ),
    Claim(
        "Sect. 2.3.1, eq. (23)",
        "2 sqrt(pi) exp(-sqrt x) as an integral, for any x.",
        mathematics(
            noise.exponential_identity_violation,
            1e-7,
            "relative difference of the sides",
            "For x of zero and more; below zero the integral diverges.",
        ),
    ),
    Claim(
        "Sect. 2.3.1, eq. (25)",
        "The density of the deviation is Rayleigh's.",
        mathematics(noise.rayleigh_density_violation, 1e-10, "library against (25), and integral minus one"),
    ),
    Claim(
        "Sect. 2.3.2, eqs. (26)-(27)",
        "The Fourier transform of the mean's distribution.",
        mathematics(worst(noise.fourier_violation), 1e-10, "transforms by integration, relative to Z_D"),
    ),
    Claim(
        "Sect. 2.3.2, eqs. (28)-(30)",
        "The weight of a mean: by second derivative, by (29), and in explicit form.",
        mathematics(worst(noise.mean_weight_violation), 1e-6, "relative to the largest weight"),
    ),
    Claim(
        "Sect. 2.3.2, eq. (30)",
        "The weight is a density: nowhere negative, and with integral one once normalised.",
        mathematics(worst(noise.mean_density_violation), 1e-10, "library against (30), and integral minus 1"),
    ),
    Claim(
        "Sect. 2.3.2, eqs. (29), (31)",
        "The noise is the mean's distribution convolved with a Laplacian.",
        mathematics(
            worst(lambda case: max(noise.convolution_violation(case), noise.mean_weight_total(case))),
            1e-10,
            "difference from exp(-C l), and from a total weight of C Z_D / 2",
            "Up to a constant: with (29) as it stands (31) is Z_D times the density, and with a normalised "
            "mean it lacks the factor C / 2 of the Laplacian.",
        ),
    ),
    Claim(
        "Sect. 2.4, eqs. (25), (31)",
        "C alone determines the distribution of the deviation; all three losses share it.",
        mathematics(means.shared_deviation_violation, 1e-10, "densities of ILF, SILF and Huber from one"),
    ),
    Claim(
        "Sect. 2.4; Sect. 5",
        "Epsilon controls the main properties of the mean's distribution.",
        computed(means.mean_is_governed_by_epsilon, "C or beta change its spread more."),
    ),
    Claim(
        "Sect. 2.4",
        "For the insensitive loss the mean is uniform, with two atoms at +-epsilon.",
        mathematics(means.insensitive_mean_violation, 1e-7, "masses at beta 1e-8 against atoms and uniform"),
    ),
    Claim(
        "Sect. 2.4, eq. (32)",
        "The mean's distribution for Huber's loss.",
        mathematics(means.huber_mean_violation, 1e-10, "printed against (30) and the library"),
    ),
    Claim(
        "Sect. 2.3; Sect. 2.4",
        "The conclusions are consistent with Pontil et al., whose noise model this one extends: the "
        "insensitive loss is Gaussian noise with random mean and variance.",
        mathematics(
            earlier.pontil_violation,
            1e-7,
            "density of the insensitive loss, limits at beta 0 and 1",
            NOT_AT_HAND,
        ),
    ),
)
"""Sections 2.3 and 2.4."""

NOISE_CLAIMS = (*INTRODUCTION, *LOSSES, *NOISE_MODEL)
"""All claims up to section 2."""
