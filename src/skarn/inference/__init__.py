"""Sites to statistics to posterior, and the solvers that iterate it."""

from skarn.inference.records import Info, Problem, State
from skarn.inference.run import Solution, solve
from skarn.inference.variational import Variational
from skarn.inference.working_set import WorkingSet

__all__ = ["Info", "Problem", "Solution", "State", "Variational", "WorkingSet", "solve"]
