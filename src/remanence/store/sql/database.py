"""What the statements of a store run on: one connection in an open transaction, to a file or to a server."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from remanence.store.sql.dialect import Statement

Ints = npt.NDArray[np.int64]
Row = tuple[Any, ...]


class Database(Protocol):
    """A connection in an open transaction; errors are those of the driver."""

    def rows(self, statement: Statement, values: Sequence[Any] = ()) -> list[Row]:
        """Return all rows of a query."""
        ...

    def row(self, statement: Statement, values: Sequence[Any] = ()) -> Row | None:
        """Return the first row of a query, None where there is none."""
        ...

    def stream(self, statement: Statement, values: Sequence[Any] = ()) -> Iterator[Row]:
        """Yield the rows of a query that may be long; meanwhile others may be asked, and nothing be written."""
        ...

    def run(self, statement: Statement, values: Sequence[Any] = ()) -> None:
        """Run a statement that answers nothing."""
        ...

    def run_many(self, statement: Statement, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement with each of some rows of values, in as few trips as the driver can."""
        ...

    def make_list(self, values: Iterable[int] | Iterable[str]) -> Any:
        """Return numbers or texts as the one parameter that a dialect's words for lists take."""
        ...

    def whole_numbers(self, kept: Any) -> Ints:
        """Return the numbers of what `Dialect.column` answered; none where it is NULL."""
        ...

    def note_erased(self, scope: int, pieces: Iterable[bytes], /) -> None:
        """Keep what an erasure of a scope took away, which must be nowhere in what is stored any more.

        A database that cannot prove that keeps nothing of it.
        """
        ...


def first(row: Row | None) -> Any:
    """Return the one value of a query that always answers."""
    assert row is not None
    return row[0]
