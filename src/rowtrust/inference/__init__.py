"""Sites to statistics to posterior, and the solvers that iterate it."""

from rowtrust.inference.coding import AsGiven, Coding, OneAgainstRest
from rowtrust.inference.records import Info, Problem, Solver, State
from rowtrust.inference.run import Solution, solve
from rowtrust.inference.variational import Variational
from rowtrust.inference.working_set import WorkingSet

__all__ = [
    "AsGiven",
    "Coding",
    "Info",
    "OneAgainstRest",
    "Problem",
    "Solution",
    "Solver",
    "State",
    "Variational",
    "WorkingSet",
    "solve",
]
