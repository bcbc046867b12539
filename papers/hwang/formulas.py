"""Hwang & Jeong (2015): equations (1) to (6) and the propositions, computed and judged."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from papers.claims import Finding
from papers.context import RunContext
from papers.hwang import theory
from papers.hwang.judging import identity, judged_parts
from rowtrust.contracts import Array
from rowtrust.kernels import Kernel
from rowtrust.weights import HWANG_TRUST_PRIOR

DRAWS = 20_000
"""Random points at which an inequality is tried."""

NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(100)
"""Gauss-Hermite quadrature for expectations over a Gaussian latent value."""


def drawn(context: RunContext, scale: float = 8.0) -> tuple[Array, Array, Array, Array]:
    """Return means, variances, labels and tangent points, the last by equation (16)."""
    generator = np.random.default_rng(context.store.seed)
    mean = scale * generator.standard_normal(DRAWS)
    variance = np.exp(generator.standard_normal(DRAWS))
    label = (generator.random(DRAWS) < 0.5).astype(float)
    return mean, variance, label, np.sqrt(mean**2 + variance)


def expected(mean: Array, variance: Array, label: Array) -> Array:
    """Return E p(t | beta) by quadrature."""
    latent = mean[:, None] + np.sqrt(variance)[:, None] * NODES
    margin = (2.0 * label - 1.0)[:, None] * latent
    return np.asarray(expit(margin) @ NODE_WEIGHTS / NODE_WEIGHTS.sum())


def loss_is_likelihood(context: RunContext) -> Finding:
    """Equations (1) and (2)."""
    mean, _, label, _ = drawn(context, 3.0)
    worst = np.abs(theory.logistic_loss((2.0 * label - 1.0) * mean) + theory.log_label(mean, label)).max()
    return identity(float(worst), f"l((2t - 1) f) + ln p(t) is at most {worst:.1e} over {DRAWS} draws")


def weighted_loss_is_likelihood(context: RunContext) -> Finding:
    """Equation (3)."""
    mean, variance, label, _ = drawn(context, 3.0)
    weight = np.minimum(variance, 1.0)
    loss = weight * theory.logistic_loss((2.0 * label - 1.0) * mean)
    worst = np.abs(loss + np.log(np.exp(theory.log_label(mean, label)) ** weight)).max()
    return identity(float(worst), f"w l + ln p^w is at most {worst:.1e} over {DRAWS} draws")


def powers_are_no_probabilities(context: RunContext) -> Finding:
    """Whether the modified likelihood of section 3.1 adds up to one over the labels."""
    latent, weight = np.meshgrid(np.linspace(-8, 8, 81), np.linspace(0.05, 1.0, 20))
    total = expit(latent) ** weight + expit(-latent) ** weight
    excess = float(np.abs(total - 1.0).max())
    found = judged_parts([excess < 1e-8])
    return Finding(
        found,
        f"p(0)^w + p(1)^w reaches {total.max():.2f} for weights between 0.05 and 1; it is 1 only at w = 1",
        ""
        if found == "reproduced"
        else "A power of a likelihood is no likelihood: its sum over the labels "
        "depends on the coefficients. The bound and the updates stand, but (6) is not a posterior over "
        "rows that could have been drawn, and small weights cost the model nothing for the other label. "
        "The package's own channel of wrong labels is a likelihood.",
    )


def kernel_as_printed(context: RunContext) -> Finding:
    """The Gaussian kernel of section 2 beside the package's."""
    X = np.random.default_rng(context.store.seed).standard_normal((30, 3))
    ours = Kernel("rbf", 0.5)(X, X)
    worst = float(np.abs(theory.gaussian_basis(X, X, 2.0)[:, 1:] - ours).max())
    return identity(worst, f"width 2 is gamma = 1/2: the kernels differ by at most {worst:.1e}")


def no_closed_form(context: RunContext) -> Finding:
    """Section 3: with a Gaussian prior the logistic likelihood has no Gaussian posterior."""
    beta = np.linspace(-6.0, 6.0, 1201)
    log_posterior = -(beta**2) / 2.0 - theory.logistic_loss(3.0 * beta)
    posterior = np.exp(log_posterior - log_posterior.max())
    posterior /= posterior.sum()
    mean = float(posterior @ beta)
    spread = float(np.sqrt(posterior @ (beta - mean) ** 2))
    skewness = float(posterior @ ((beta - mean) / spread) ** 3)
    return identity(
        -abs(skewness),
        f"one coefficient, one row at x = 3: the posterior has skewness {skewness:.2f}, a Gaussian 0",
        tolerance=-0.1,
    )


def decomposition(context: RunContext) -> Finding:
    """Equation (4), and that the second part is convex in the square."""
    latent = np.linspace(-30, 30, 2001)
    worst = float(
        np.abs(-theory.logistic_loss(latent) - (latent / 2 - np.logaddexp(latent / 2, -latent / 2))).max()
    )
    square = np.linspace(1e-3, 900.0, 4001)
    bend = np.diff(-np.logaddexp(np.sqrt(square) / 2, -np.sqrt(square) / 2), 2)
    found = judged_parts([worst < 1e-10, bool(bend.min() >= -1e-12)])
    return Finding(
        found,
        f"(4) is met to {worst:.1e}; second differences in the square are at least {bend.min():.1e}",
        "" if found == "reproduced" else "One of the two does not come out.",
    )


def logistic_bound(context: RunContext) -> Finding:
    """Equation (5): below everywhere, touching at the tangent point."""
    latent, tangent = np.meshgrid(np.linspace(-40, 40, 801), np.linspace(0.01, 40, 200))
    above = theory.log_lower(latent, tangent) + theory.logistic_loss(latent)
    touch = np.abs(theory.log_lower(tangent, tangent) + theory.logistic_loss(tangent)).max()
    xi = tangent[:, 0]
    forms = np.abs(theory.curvature(xi) - (expit(xi) - 0.5) / (2.0 * xi)).max()
    worst = float(max(above.max(), touch, forms))
    return identity(
        worst,
        f"{above.size} pairs: above ln sigma by at most {above.max():.1e}; at the tangent point "
        f"{touch:.1e}; the two forms of lambda differ by {forms:.1e}",
    )


def likelihood_bound(context: RunContext) -> Finding:
    """The bound h of section 3.1 on p(t | beta), and its powers."""
    latent, variance, label, _ = drawn(context)
    tangent = np.sqrt(variance) * 3.0
    log_p = -theory.logistic_loss((2.0 * label - 1.0) * latent)
    printed = np.abs(log_p - (latent * label - theory.logistic_loss(-latent))).max()
    above = theory.log_h(latent, label, tangent) - log_p
    weight = np.minimum(variance, 1.0)
    worst = float(max(above.max(), (weight * above).max(), printed))
    return identity(
        worst,
        f"ln h exceeds ln p by at most {above.max():.1e} in {DRAWS} draws, with weights by "
        f"{(weight * above).max():.1e}; p = e^(ft) sigma(-f) is met to {printed:.1e}",
    )


def two_lines_of_15(context: RunContext) -> Finding:
    """Equation (15): E ln h is what the derivation gives; the second line prints ln E h."""
    mean, variance, label, tangent = drawn(context, 3.0)
    first = theory.expected_log_h(mean, variance, label, tangent)
    latent = mean[:, None] + np.sqrt(variance)[:, None] * NODES
    inside = theory.log_h(latent, label[:, None], tangent[:, None])
    direct = inside @ NODE_WEIGHTS / NODE_WEIGHTS.sum()
    gap = theory.log_expected_h(mean, variance, label, tangent) - first
    parts = [bool(np.abs(first - direct).max() < 1e-6), bool(np.abs(gap).max() < 1e-6)]
    r = theory.SUGGESTED_R
    weight = np.abs(r / (r - first) - r / (r - (first + gap))).max()
    return Finding(
        judged_parts(parts),
        f"the first line is E ln h to {np.abs(first - direct).max():.1e}; ln E h is larger by up to "
        f"{gap.max():.2f} nats (at a latent variance of {variance[gap.argmax()]:.1f}), a weight by up to "
        f"{weight:.2f}",
        ""
        if all(parts)
        else "Jensen's inequality: the logarithm of a mean is not the mean of the logarithm. "
        "The first line is the maximiser; the second is a slip in notation, and the package computes the "
        "first.",
    )


def proposition_1(context: RunContext) -> Finding:
    """Proposition 1: E(w) l is at most c."""
    mean, variance, label, tangent = drawn(context, 30.0)
    worst, largest = -np.inf, 0.0
    for c in (0.1, 0.5, 1.0, theory.SUGGESTED_R, 5.0):
        weight = c / (c - theory.expected_log_h(mean, variance, label, tangent))
        loss = weight * theory.logistic_loss((2.0 * label - 1.0) * mean)
        worst, largest = max(worst, float((loss - c).max())), max(largest, float((loss / c).max()))
    return identity(
        worst, f"5 values of c = d, {DRAWS} draws each: the weighted loss reaches {largest:.4f} of c, never c"
    )


def proof_of_proposition_1(context: RunContext) -> Finding:
    """Appendix 1: whether -ln p(t | beta) is at most -ln E h, as the proof says."""
    mean, variance, label, tangent = drawn(context)
    loss = theory.logistic_loss((2.0 * label - 1.0) * mean)
    printed = loss + theory.log_expected_h(mean, variance, label, tangent)
    mended = loss + theory.expected_log_h(mean, variance, label, tangent)
    parts = [bool(mended.max() <= 1e-8), bool(printed.max() <= 1e-8)]
    return Finding(
        judged_parts(parts),
        f"-ln p exceeds -ln E h in {100 * np.mean(printed > 1e-8):.0f} % of {DRAWS} draws, by up to "
        f"{printed.max():.2f}; with E ln h in its place it never does ({mended.max():.1e})",
        ""
        if all(parts)
        else "The step needs E ln h, which (15) means and does not print in its second line: then "
        "it is Jensen's inequality, and the proposition stands. The coefficients must be at their mean.",
    )


def proposition_2(context: RunContext) -> Finding:
    """Proposition 2: weights in [0, 1] if, and only if, c = d."""
    mean, variance, label, tangent = drawn(context)
    loss = -theory.expected_log_h(mean, variance, label, tangent)
    grid = (0.1, 0.5, 1.0, theory.SUGGESTED_R, 4.0)
    inside = {(c, d): bool((c / (d + loss)).max() <= 1.0) for c in grid for d in grid}
    equal = all(inside[c, c] for c in grid)
    others = sum(inside[c, d] for c in grid for d in grid if c < d)
    pairs = len(grid) * (len(grid) - 1) // 2
    top = max(1.0 / (2.0 + loss))
    found = judged_parts([equal, others == 0])
    return Finding(
        found,
        f"c = d: weights in [0, 1] for all {len(grid)} values; c < d: also in [0, 1], for {others} of "
        f"{pairs} pairs (c = 1, d = 2: weights up to {top:.2f})",
        ""
        if found == "reproduced"
        else "Half of it is false: any c below d serves as well. c = d is the only choice "
        "by which a row without loss has the weight 1, which the proof assumes and the proposition does "
        "not say.",
    )


def proof_of_proposition_2(context: RunContext) -> Finding:
    """Appendix 2: whether E p(t | beta) is p at the mean, and E h at most one."""
    mean, variance, label, tangent = drawn(context, 3.0)
    gap = expected(mean, variance, label) - expit((2.0 * label - 1.0) * mean)
    highest = float(theory.log_expected_h(mean, variance, label, tangent).max())
    parts = [bool(np.abs(gap).max() < 1e-6), highest <= 1e-8]
    return Finding(
        judged_parts(parts),
        f"E p and p at the mean differ by up to {np.abs(gap).max():.2f}; ln E h is at most {highest:.1e}",
        ""
        if all(parts)
        else "The logistic function is not linear, so E p(t | beta) is not p at the mean. The conclusion "
        "needs no such step: h is below p, p below one, hence ln E h below zero.",
    )


def approximate_weight(context: RunContext) -> Finding:
    """Section 3.2: -ln E h is about the loss, so E(w) is about r / (r + l)."""
    mean, _, label, _ = drawn(context, 3.0)
    loss, r = theory.logistic_loss((2.0 * label - 1.0) * mean), theory.SUGGESTED_R
    gaps = []
    for spread in (0.01, 1.0, 10.0):
        variance = np.full(DRAWS, spread)
        exact = r / (r - theory.expected_log_h(mean, variance, label, np.sqrt(mean**2 + variance)))
        gaps.append(float(np.abs(exact - r / (r + loss)).max()))
    sign = bool(np.all(loss >= 0.0))
    found = judged_parts([gaps[0] < 0.01, gaps[1] < 0.1, gaps[2] < 0.1, sign])
    return Finding(
        found,
        f"the two weights differ by at most {gaps[0]:.3f}, {gaps[1]:.2f} and {gaps[2]:.2f} where the latent "
        "variance is 0.01, 1 and 10",
        ""
        if found == "reproduced"
        else "The approximation leaves the variance of the latent value out: uncertain "
        "rows weigh less than it says. The paper also prints ln E h for what is its negative.",
    )


def slope(r: float, at: Array) -> Array:
    """Return the derivative of the weighted loss, by central differences."""
    return np.asarray((theory.weighted_loss(at + 1e-4, r) - theory.weighted_loss(at - 1e-4, r)) / 2e-4)


def printed_condition(context: RunContext) -> Finding:
    """Section 3.2: r = 2 - ln 2 solves the printed equation."""
    zero = np.zeros(1)
    first = [float(slope(r, zero)[0]) for r in (0.01, 0.1, 1.0, theory.SUGGESTED_R, 10.0, 1000.0)]
    second = float(
        (slope(theory.SUGGESTED_R, zero + 1e-3) - slope(theory.SUGGESTED_R, zero - 1e-3))[0] / 2e-3
    )
    parts = [abs(first[3]) < 1e-5, abs(second) < 1e-5, abs(theory.SUGGESTED_R - HWANG_TRUST_PRIOR) < 1e-12]
    return Finding(
        judged_parts(parts),
        f"at r = {theory.SUGGESTED_R:.4f} the first derivative at 0 is {first[3]:.3f}, the second "
        f"{second:.1e}; for r from 0.01 to 1000 the first lies between {min(first):.3f} and {max(first):.5f}",
        ""
        if all(parts)
        else "The printed equation sets the first derivative to zero, which no r does. The second "
        "derivative gives r + ln 2 = 2, the paper's value: a missing exponent.",
    )


def steepest_at_boundary(context: RunContext) -> Finding:
    """Section 3.2: with that r the loss changes fastest at the boundary."""
    margin = np.linspace(-10, 10, 4001)
    places = [float(margin[np.abs(slope(r, margin)).argmax()]) for r in (0.5, theory.SUGGESTED_R, 4.0)]
    return identity(
        abs(places[1]),
        f"the steepest point lies at u = {places[1]:.2f}; at {places[0]:.2f} for r = 0.5, {places[2]:.2f} "
        "for r = 4",
        tolerance=0.006,
    )


def figure_2(context: RunContext) -> Finding:
    """Figure 2: the weighted loss is nearly constant far away, and bounded by r."""
    r = theory.SUGGESTED_R
    far = np.array([-6.0, -12.0, -100.0])
    value, change = theory.weighted_loss(far, r), np.abs(slope(r, far))
    above = float(theory.weighted_loss(np.linspace(-500, 50, 5001), r).max()) - r
    found = judged_parts([above <= 0.0, bool(change[0] < 0.1), bool(change[2] < 0.001)])
    return Finding(
        found,
        f"at u = -6, -12 and -100 the loss is {value[0]:.2f}, {value[1]:.2f} and {value[2]:.2f} (r = "
        f"{r:.2f}), its slope {change[0]:.3f}, {change[1]:.3f} and {change[2]:.4f}; the logistic loss has "
        "slope 1",
        "" if found == "reproduced" else "The loss or its slope leaves the bounds that the figure shows.",
    )
