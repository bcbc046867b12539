"""Several solvers, one reading: what they ask of the rows is answered by the same pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Condition, Thread
from typing import Any, TypeVar

from rowtrust.contracts import Array, Indices
from rowtrust.engines.base import Block, BlockFunction, Engine, State

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Several:
    """What several functions return; to add is to add each."""

    parts: tuple[Any, ...]

    def __add__(self, other: Several) -> Several:
        return Several(tuple(mine + theirs for mine, theirs in zip(self.parts, other.parts, strict=True)))


def all_of(block: Block, asked: tuple[tuple[BlockFunction[Any], Any], ...]) -> Several:
    """Reduce a block by several functions, each under its own state."""
    return Several(tuple(function(block, state) for function, state in asked))


class SharedReading(Engine):
    """An engine for several solvers, each in a thread: a pass begins when all of them wait for one.

    Parameters
    ----------
    engine
        Reads the rows.
    n_solvers
        How many there are; each says when it is done (``leave``).
    """

    def __init__(self, engine: Engine, n_solvers: int) -> None:
        super().__init__(engine.basis, engine.probes)
        self.engine = engine
        self._change = Condition()
        self._at_work = n_solvers
        self._asked: list[_Request] = []

    def blocks(self, width: int) -> Iterator[Block]:
        """Yield all rows once."""
        return self.engine.blocks(width)

    def map_reduce(self, function: BlockFunction[State], columns: Indices, state: State) -> Any:
        """Wait until every other solver asks too, or is done; return the sum."""
        request = _Request(function, columns, state)
        with self._change:
            self._asked.append(request)
            self._read_if_all_wait()
            self._change.wait_for(lambda: request.answered)
        if request.error is not None:
            raise request.error
        return request.answer

    def leave(self) -> None:
        """Ask for nothing more."""
        with self._change:
            self._at_work -= 1
            self._read_if_all_wait()

    def probe(self, columns: Indices) -> Array:
        """Return basis functions at a few distinct rows."""
        return self.engine.probe(columns)

    def _read_if_all_wait(self) -> None:
        if not self._asked or len(self._asked) < self._at_work:
            return
        asked, self._asked = self._asked, []
        widest = max((request.columns for request in asked), key=len)
        pairs = tuple((request.function, request.state) for request in asked)
        try:
            answers = self.engine.map_reduce(all_of, widest, pairs).parts
        except BaseException as error:
            answers = (None,) * len(asked)
            for request in asked:
                request.error = error
        for request, answer in zip(asked, answers, strict=True):
            request.answer, request.answered = answer, True
        self._change.notify_all()


@dataclass
class _Request:
    function: BlockFunction[Any]
    columns: Indices
    state: Any
    answer: Any = None
    answered: bool = False
    error: BaseException | None = None


def together(engine: Engine, solvers: Sequence[Callable[[Engine], Answer]]) -> list[Answer]:
    """Run solvers side by side on one engine; each pass over the rows serves all that still run."""
    if len(solvers) == 1:
        return [solvers[0](engine)]
    shared = SharedReading(engine, len(solvers))
    answers: list[Any] = [None] * len(solvers)
    errors: list[BaseException] = []

    def run(place: int) -> None:
        try:
            answers[place] = solvers[place](shared)
        except BaseException as error:
            errors.append(error)
        finally:
            shared.leave()

    threads = [Thread(target=run, args=(place,), daemon=True) for place in range(len(solvers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return answers
