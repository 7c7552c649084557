"""Columns out of a database without a Python object a row: one value a column holds the numbers of a range of rows.

Knows SQL expressions; knows nothing of memories. A million rows of twelve columns cost a third of what fetching rows
costs, because one row of the answer stands for all.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from remanence.store.sql.database import Database, Ints
from remanence.store.sql.dialect import Dialect, Statement

Source = Callable[[Dialect], str]
Numbers = TypeVar("Numbers", Sequence[int], Ints)


def build_query(expressions: Sequence[str], source: Source) -> Statement:
    """Return the statement that answers with one row of one value a column, which `gather` reads.

    Expressions are whole numbers and never NULL; `source` is FROM … WHERE … ORDER BY, and each column is in its order.
    """
    # Rows are put in order once, within: an order for each aggregate would sort them as often as there are columns.
    given = ", ".join(f"{expression} AS c{at}" for at, expression in enumerate(expressions))
    names = [f"c{at}" for at in range(len(expressions))]
    return Statement(
        lambda sql: f"SELECT {', '.join(map(sql.column, names))} FROM (SELECT {given} {source(sql)}) AS given"
    )


def gather(db: Database, query: Statement, values: Sequence[Any]) -> list[Ints]:
    """Return the columns of what `build_query` made, all of one length."""
    row = db.row(query, values)
    columns = [db.whole_numbers(kept) for kept in row or ()]
    if len(set(map(len, columns))) > 1:
        raise ValueError("columns of different lengths")
    return columns


def cut_list(numbers: Numbers, step: int) -> Iterator[Numbers]:
    """Yield numbers in order, so many at a time."""
    for begin in range(0, len(numbers), step):
        yield numbers[begin : begin + step]
