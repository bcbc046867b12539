"""The numbers of Chu, Keerthi & Ong (2001), tables 1 to 7."""

from __future__ import annotations

SINC_BY_NOISE = {
    0.0: {"C": 364.7, "epsilon": 0.0335, "w": 6.81, "-ln P": -442.72, "ASE": 2.9e-8},
    0.1: {"C": 6.052, "epsilon": 5.3361, "w": 5.65, "-ln P": -48.59, "ASE": 0.010983},
    0.2: {"C": 3.698, "epsilon": 6.8955, "w": 6.57, "-ln P": 18.34, "ASE": 0.049409},
    0.3: {"C": 1.926, "epsilon": 6.3703, "w": 5.52, "-ln P": 36.78, "ASE": 0.106605},
}
"""Table 1, by the noise's standard deviation; epsilon in hundredths."""

BETA_COLUMNS = ("C", "epsilon", "w", "-ln P", "in M", "AAE", "ASE x 100")
"""The columns of table 2."""

SINC_BY_BETA = {
    0.005: (9.01, 11.2, 3.01, -31.5, 7, 0.0830, 1.071),
    0.01: (5.57, 8.58, 3.86, -40.0, 8, 0.0816, 1.048),
    0.05: (8.50, 15.1, 6.70, -46.1, 11, 0.0819, 1.101),
    0.1: (6.63, 16.6, 5.09, -50.6, 10, 0.0820, 1.102),
    0.3: (6.05, 5.34, 5.65, -48.6, 18, 0.0834, 1.098),
    0.5: (5.98, 3.89, 5.32, -47.3, 25, 0.0835, 1.099),
    0.7: (5.63, 2.60, 5.46, -48.3, 22, 0.0839, 1.113),
    1.0: (5.78, 3.89, 4.97, -48.4, 37, 0.0832, 1.094),
}
"""Table 2, by beta, noise of standard deviation 0.1."""


def sinc_settings(noise: float, beta: float) -> tuple[float, float, float]:
    """Return the printed C, epsilon (in hundredths) and w of a level of noise and a beta."""
    if noise in SINC_BY_NOISE and beta == 0.3:
        row = SINC_BY_NOISE[noise]
        return row["C"], row["epsilon"], row["w"]
    C, epsilon, w, *_ = SINC_BY_BETA[beta]
    return C, epsilon, w


ARM_SETTINGS = {
    "y1": {"C": 28.326, "epsilon": 0.2116, "w1": 0.8079, "w2": 0.2388, "-ln P": -399.70},
    "y2": {"C": 29.423, "epsilon": 0.1912, "w1": 0.7764, "w2": 0.2040, "-ln P": -471.24},
}
"""Table 3; epsilon in hundredths."""

ARM_TIMES = {"unit time s": 11.19, "total time s": 627.39}
"""Section 4.2: seconds of one evaluation of the evidence and its gradients, and of the whole training."""

ARM_DIGITS = {"ASN x 1000": 0.001, "AAN": 0.0001}
"""A unit of the last printed digit of what chance has no part in: the noise of MacKay's own rows."""

ARM_COLUMNS = ("ASN x 1000", "ASE x 1000", "AAN", "AAE")
"""The columns of table 4: squared and absolute noise (N) and error (E)."""

ARM_ERRORS = {
    "set 1, y1": (2.255, 2.5092, 0.0383, 0.03929),
    "set 1, y2": (2.787, 3.2021, 0.0427, 0.04602),
    "set 2, y1": (2.207, 2.7751, 0.0384, 0.04334),
    "set 2, y2": (2.173, 2.2717, 0.0383, 0.03859),
    "set 1, position": (5.042, 5.7113, 0.0641, 0.06711),
    "set 2, position": (4.380, 5.0467, 0.0597, 0.06401),
}
"""Table 4, by test set and coordinate."""

ARM_METHODS = {
    "MacKay's Gaussian approximation, highest evidence": 0.00573,
    "MacKay's Gaussian approximation, lowest test error": 0.00557,
    "hybrid Monte Carlo, individual runs": 0.00554,
    "hybrid Monte Carlo, three runs": 0.00557,
    "Gaussian processes of Williams": 0.00563,
    "Bayesian SVR": 0.005379,
}
"""Table 5: squared error of the position."""

ARM_RUN = ("Gaussian processes of Williams", "Bayesian SVR")
"""Methods of table 5 that are run again; the others are quoted, from MacKay (1992) and Neal (1996)."""

BOSTON = {
    "ASE": (8.03, 4.11),
    "NMSE": (0.104, 0.059),
    "AAE": (1.981, 0.368),
    "unit time s": (111.035, 17.906),
    "total time s": (2775.786, 611.043),
}
"""Table 6: mean and standard deviation over 100 splits."""

BOSTON_METHODS = {
    "ridge regression, polynomials": 10.44,
    "ridge regression, splines": 8.51,
    "ridge regression, ANOVA splines": 7.69,
    "relevance vectors, linear splines": 7.46,
    "Bayesian SVR, Gaussian": 8.03,
}
"""Table 7: squared error."""

SPLITS = 100
"""Random splits of the housing data in tables 6 and 7."""
