"""The words in which SQLite and PostgreSQL differ, and statements that are written once for both.

Parameters are numbered `?1`, `?2` and so on; the first is the number of the scope in every statement but those of a
survey. A list of numbers or texts is one parameter (`Database.listed`). What another expression needs is a method here.
"""

import re
from collections.abc import Callable
from functools import cached_property
from typing import Protocol

_PARAMETER = re.compile(r"\?(\d+)")
POSTGRES_NOW = "CAST(extract(epoch FROM now()) * 1000000 AS bigint)"  # when the transaction began


class Dialect(Protocol):
    """The words of one database. Arguments are SQL expressions, or for a parameter its number."""

    name: str
    same: str  # compares values of which both may be NULL
    different: str
    locked: str  # ends a SELECT whose row nobody else may change until this transaction ends
    listened: str  # a further column of it: does a server wait to be told of what is written to scope ?1

    def among(self, parameter: int) -> str:
        """Return the condition behind a column of numbers: it is one of a list."""
        ...

    def among_texts(self, parameter: int) -> str:
        """Return the condition behind a column of texts: it is one of a list."""
        ...

    def from_texts(self, parameter: int) -> str:
        """Return what stands behind FROM for a list of texts, as one column `given.value`."""
        ...

    def from_numbers(self, parameter: int) -> str:
        """Return what stands behind FROM for a list of numbers, as one column `given.value`."""
        ...

    def list_holds(self, expression: str, parameter: int) -> str:
        """Return the condition that a list of numbers, which is kept as JSON, holds one of a list."""
        ...

    def concatenate(self, first: str, second: str) -> str:
        """Return two blobs, one behind the other."""
        ...

    def column(self, expression: str) -> str:
        """Return the aggregate that `Database.whole_numbers` reads; the expression is a whole number, never NULL."""
        ...

    def blobs(self, expression: str) -> str:
        """Return the aggregate that puts blobs one behind the other, as one blob."""
        ...

    def object(self, name: str, values: str) -> str:
        """Return the aggregate of a JSON object, as text: lists of values by name."""
        ...

    def by_index(self, index: str) -> str:
        """Return what makes SQLite take this index, to stand behind the table; PostgreSQL decides for itself."""
        ...

    def greatest(self, *expressions: str) -> str:
        """Return the greatest of some values."""
        ...

    def bytes_of(self, expression: str) -> str:
        """Return how many bytes a text or a blob has."""
        ...

    def holds(self, expression: str, part: str) -> str:
        """Return the condition that a text has another in it."""
        ...


class _Sqlite:
    name = "sqlite"
    same, different = "IS", "IS NOT"
    locked = listened = ""

    def among(self, parameter: int) -> str:
        return f"IN (SELECT value FROM json_each(?{parameter}))"

    def among_texts(self, parameter: int) -> str:
        return f"IN (SELECT value FROM json_each(?{parameter}))"

    def from_texts(self, parameter: int) -> str:
        return f"json_each(?{parameter}) AS given"

    def from_numbers(self, parameter: int) -> str:
        return f"json_each(?{parameter}) AS given"

    def list_holds(self, expression: str, parameter: int) -> str:
        return (
            f"EXISTS (SELECT 1 FROM json_each({expression}) AS one WHERE one.value {self.among(parameter)})"
        )

    def concatenate(self, first: str, second: str) -> str:
        return f"CAST({first} || {second} AS BLOB)"

    def column(self, expression: str) -> str:
        return f"group_concat({expression})"

    def blobs(self, expression: str) -> str:
        return f"CAST(group_concat({expression}, '') AS BLOB)"

    def object(self, name: str, values: str) -> str:
        return f"json_group_object({name}, json_array({values}))"

    def by_index(self, index: str) -> str:
        return f" INDEXED BY {index}"

    def greatest(self, *expressions: str) -> str:
        return f"max({', '.join(expressions)})"

    def bytes_of(self, expression: str) -> str:
        return f"length(CAST({expression} AS BLOB))"

    def holds(self, expression: str, part: str) -> str:
        return f"instr({expression}, {part}) > 0"


class _Postgres:
    name = "postgres"
    same, different = "IS NOT DISTINCT FROM", "IS DISTINCT FROM"
    locked = " FOR UPDATE"
    listened = (
        ", EXISTS (SELECT 1 FROM server_state l WHERE l.scope = ?1 AND l.kind = 'listening'"
        f" AND l.expires_at > {POSTGRES_NOW})"
    )

    def among(self, parameter: int) -> str:
        return f"= ANY(?{parameter}::bigint[])"

    def among_texts(self, parameter: int) -> str:
        return f"= ANY(?{parameter}::text[])"

    def from_texts(self, parameter: int) -> str:
        return f"unnest(?{parameter}::text[]) AS given(value)"

    def from_numbers(self, parameter: int) -> str:
        return f"unnest(?{parameter}::bigint[]) AS given(value)"

    def list_holds(self, expression: str, parameter: int) -> str:
        rows = f"json_array_elements_text({expression}::json) AS one(value)"
        return f"EXISTS (SELECT 1 FROM {rows} WHERE one.value::bigint {self.among(parameter)})"

    def concatenate(self, first: str, second: str) -> str:
        return f"{first} || {second}"

    def column(self, expression: str) -> str:
        return f"string_agg(int8send(({expression})::bigint), ''::bytea)"

    def blobs(self, expression: str) -> str:
        return f"string_agg({expression}, ''::bytea)"

    def object(self, name: str, values: str) -> str:
        return f"coalesce(json_object_agg({name}, json_build_array({values}))::text, '{{}}')"

    def by_index(self, _: str) -> str:
        return ""

    def greatest(self, *expressions: str) -> str:
        return f"greatest({', '.join(expressions)})"

    def bytes_of(self, expression: str) -> str:
        return f"octet_length({expression})"

    def holds(self, expression: str, part: str) -> str:
        return f"strpos({expression}, {part}) > 0"


SQLITE: Dialect = _Sqlite()
POSTGRES: Dialect = _Postgres()


class Statement:
    """A statement in both dialects, each rendered when it is first asked for."""

    def __init__(self, text: str | Callable[[Dialect], str]) -> None:
        self._text = text

    @cached_property
    def sqlite(self) -> str:
        """The text for SQLite."""
        return self._render(SQLITE)

    @cached_property
    def postgres(self) -> str:
        """The text for PostgreSQL."""
        return _PARAMETER.sub(r"$\1", self._render(POSTGRES))

    def _render(self, dialect: Dialect) -> str:
        return self._text if isinstance(self._text, str) else self._text(dialect)


def list_parameters(count: int, first: int = 1) -> str:
    """Return so many parameters with commas between them."""
    return ", ".join(f"?{number}" for number in range(first, first + count))


def build_insert(table: str, columns: tuple[str, ...], key: tuple[str, ...] = ()) -> str:
    """Return what inserts a row; with a key, what is there under the same key is replaced."""
    statement = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({list_parameters(len(columns))})"
    if not key:
        return statement
    sets = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in key)
    return f"{statement} ON CONFLICT ({', '.join(key)}) DO UPDATE SET {sets}"
