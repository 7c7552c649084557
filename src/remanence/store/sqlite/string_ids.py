"""Interned kept once and meant by number: scopes, categories, threads, tags, and the shapes of logged changes.

Numbers never change and are never given up, so a cache needs no news of other processes, but for the one that a name
was erased. Knows nothing of what a name stands for.
"""

import sqlite3
from collections.abc import Iterable

from remanence.store.sqlite.dialect import id_list
from remanence.store.sqlite.sums import record

SCOPE, TAG, SHAPE, MODEL = "scope", "tag", "shape", "model"
NAMES_GONE = "gone"  # the space of numbers whose names were erased; in `meta` how often names were
CACHED_MAX = 200_000
_TIMES_GONE = "SELECT value FROM meta WHERE name = ?"
_GONE = "SELECT no FROM names WHERE space = ?"


class StringIds:
    """What is committed, shared by all threads of a process."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[str, str], int] = {}
        self.texts: dict[int, str] = {}
        self.gone: frozenset[int] = frozenset()  # numbers whose names were erased
        self._times_gone: str | None = None

    def follow(self, connection: sqlite3.Connection) -> None:
        """Hear whether names were erased since, here or in another process."""
        row = connection.execute(_TIMES_GONE, (NAMES_GONE,)).fetchone()
        if row is None or not self.is_behind(row[0]):
            return
        self.forget(number for (number,) in connection.execute(_GONE, (NAMES_GONE,)).fetchall())
        self._times_gone = row[0]

    def forget(self, erased: Iterable[int]) -> None:
        """Know the names of these numbers no more, nor learn them again from a reader that began before."""
        self.gone |= frozenset(erased)
        self.numbers, self.texts = {}, {}

    def is_behind(self, times_gone: str | None) -> bool:
        """Tell whether names were erased since, by how often they were."""
        return times_gone is not None and times_gone != self._times_gone

    def number(self, connection: sqlite3.Connection, space: str, name: str) -> int | None:
        """Return the number of a name, or None where nobody ever used it."""
        number = self.numbers.get((space, name))
        if number is None:
            number = _select_number(connection, space, name)
            if number is not None:
                self.learn(space, name, number)
        return number

    def text(self, connection: sqlite3.Connection, number: int) -> str:
        """Return the name behind a number."""
        text = self.texts.get(number)
        return text if text is not None else self.read_texts(connection, [number])[number]

    def read_texts(self, connection: sqlite3.Connection, numbers: Iterable[int]) -> dict[int, str]:
        """Return the names behind many numbers."""
        number_set = set(numbers)
        texts = {number: self.texts[number] for number in number_set if number in self.texts}
        missing = number_set - texts.keys()
        if not missing:
            return texts
        rows = connection.execute(
            "SELECT no, space, name FROM json_each(?) CROSS JOIN names ON no = value", (id_list(missing),)
        )
        for number, space, name in rows.fetchall():
            texts[number] = name
            self.learn(space, name, number)
        return texts

    def learn(self, space: str, name: str, number: int) -> None:
        """Remember a committed name."""
        if number in self.gone:  # read before it went
            return
        if len(self.numbers) >= CACHED_MAX:
            self.numbers, self.texts = {}, {}
        self.numbers[space, name] = number
        self.texts[number] = name


class Fresh:
    """The writer's view: what its open transaction has made or seen is shared only once committed."""

    def __init__(self, names: StringIds) -> None:
        self._names = names
        self._numbers: dict[tuple[str, str], int] = {}
        self._texts: dict[int, str] = {}
        self._erased: set[int] = set()

    def follow(self, connection: sqlite3.Connection) -> None:
        """Hear whether names were erased since; what the open transaction made so far stays."""
        self._names.follow(connection)

    def number(self, connection: sqlite3.Connection, space: str, name: str) -> int | None:
        """Return the number of a name, or None where nobody ever used it."""
        number = self._names.numbers.get((space, name)) or self._numbers.get((space, name))
        if number is None:
            number = _select_number(connection, space, name)
            if number is not None:
                self._note_number(space, name, number)
        return number

    def make(self, connection: sqlite3.Connection, space: str, name: str) -> int:
        """Return the number of a name, giving it one where it has none."""
        number = self.number(connection, space, name)
        if number is None:
            connection.execute("INSERT INTO names (space, name) VALUES (?, ?)", (space, name))
            (number,) = connection.execute("SELECT last_insert_rowid()").fetchone()
            assert number is not None
            self._note_number(space, name, number)
            record(connection, "names", added=[(number, space, name)])
        return number

    def text(self, connection: sqlite3.Connection, number: int) -> str:
        """Return the name behind a number."""
        text = self._names.texts.get(number) or self._texts.get(number)
        if text is None:
            space, text = connection.execute(
                "SELECT space, name FROM names WHERE no = ?", (number,)
            ).fetchone()
            self._note_number(space, text, number)
        return text

    def erase(self, numbers: Iterable[int]) -> None:
        """Note that the open transaction takes the names of these numbers away."""
        self._erased.update(numbers)

    def keep(self) -> None:
        """The transaction was committed: share what it made, and forget what it erased."""
        if self._erased:
            self._names.forget(self._erased)
        for (space, name), number in self._numbers.items():
            self._names.learn(space, name, number)
        self.drop()

    def drop(self) -> None:
        """Forget what a transaction that was rolled back made."""
        if self._numbers or self._erased:
            self._numbers, self._texts, self._erased = {}, {}, set()

    def _note_number(self, space: str, name: str, number: int) -> None:
        self._numbers[space, name] = number
        self._texts[number] = name


def _select_number(connection: sqlite3.Connection, space: str, name: str) -> int | None:
    row = connection.execute("SELECT no FROM names WHERE space = ? AND name = ?", (space, name)).fetchone()
    return None if row is None else int(row[0])
