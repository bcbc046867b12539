"""Sites to statistics to posterior, and the solvers that iterate it."""

from rowtrust.inference.coding import AsGiven, Coding, EachClass, OneAgainstRest
from rowtrust.inference.passes import Stacked, row_outputs
from rowtrust.inference.posterior import lower_bound
from rowtrust.inference.records import Info, Problem, Solver, State
from rowtrust.inference.run import Observer, Solution, solve
from rowtrust.inference.variational import Variational
from rowtrust.inference.working_set import WorkingSet

__all__ = [
    "AsGiven",
    "Coding",
    "EachClass",
    "Info",
    "Observer",
    "OneAgainstRest",
    "Problem",
    "Solution",
    "Solver",
    "Stacked",
    "State",
    "Variational",
    "WorkingSet",
    "lower_bound",
    "row_outputs",
    "solve",
]
