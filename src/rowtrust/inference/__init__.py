"""Sites to statistics to posterior, and the solvers that iterate it."""

from rowtrust.inference.records import Info, Problem, State
from rowtrust.inference.run import Solution, solve
from rowtrust.inference.variational import Variational
from rowtrust.inference.working_set import WorkingSet

__all__ = ["Info", "Problem", "Solution", "State", "Variational", "WorkingSet", "solve"]
