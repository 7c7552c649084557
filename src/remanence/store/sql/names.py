"""Names kept once in their scope and meant by number: categories, threads, tags, and the shapes of logged changes.

A number is never given to another name, so what a process remembers stays true until a name is erased: then its scope
counts that, and what is remembered of the scope is forgotten. Knows nothing of what a name stands for.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from remanence.store.sql.database import Database, first
from remanence.store.sql.dialect import Statement, build_insert

TAG, SHAPE, MODEL = "tag", "shape", "model"
NAMES_GONE = "gone"  # the space of numbers whose names were erased
CACHED_MAX = 200_000
_NUMBER = Statement("SELECT no FROM names WHERE scope = ?1 AND space = ?2 AND name = ?3")
_NAME = Statement("SELECT space, name FROM names WHERE scope = ?1 AND no = ?2")
_NAMES = Statement(lambda sql: f"SELECT no, space, name FROM names WHERE scope = ?1 AND no {sql.among(2)}")
_LATEST = Statement("SELECT coalesce(max(no), 0) FROM names WHERE scope = ?1")
_INSERT = Statement(build_insert("names", ("scope", "no", "space", "name")))

NameRow = tuple[int, int, str, str]  # scope, no, space, name


@dataclass(slots=True)
class _NameTable:
    """What is known of the names of one scope, as of how often some of its names were erased."""

    times_gone: int = 0
    numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)

    def learn(self, space: str, name: str, number: int) -> None:
        self.numbers[space, name] = number
        self.texts[number] = name


class NameCache:
    """The committed names of all scopes that a process has seen, shared by its threads."""

    def __init__(self) -> None:
        self._by_scope: dict[int, _NameTable] = {}
        self._count = 0
        self.scope_numbers: dict[str, int] = {}

    def learn_scope(self, name: str, number: int) -> None:
        """Remember the number of a scope, which it keeps for ever; whoever uses it looks whether the name fits."""
        if len(self.scope_numbers) >= CACHED_MAX:
            self.scope_numbers = {}
        self.scope_numbers[name] = number

    def of_scope(self, scope: int, times_gone: int) -> _NameTable:
        """Return what is known of a scope whose names were erased so often."""
        known = self._by_scope.get(scope)
        if known is None or known.times_gone < times_gone:
            known = self._by_scope[scope] = _NameTable(times_gone)
        # A reader that began before an erasure learns what it reads for itself alone.
        return known if known.times_gone == times_gone else _NameTable(times_gone)

    def learn(self, known: _NameTable, space: str, name: str, number: int) -> None:
        """Remember a committed name."""
        self._count += 1
        if self._count >= CACHED_MAX:
            self._by_scope, self._count = {}, 0
        known.learn(space, name, number)


class ScopeNames:
    """The names of one scope in one transaction; `numbers` are what it made, which are shared once it is committed."""

    def __init__(
        self, db: Database, scope: int, times_gone: int, cache: NameCache, *, writes: bool = False
    ) -> None:
        self._db, self._scope, self._cache = db, scope, cache
        self._known = cache.of_scope(scope, times_gone)
        self._own: _NameTable | None = _NameTable(times_gone) if writes else None
        self._latest: int | None = None
        self._unwritten: list[NameRow] = []

    def number(self, space: str, name: str) -> int | None:
        """Return the number of a name, or None where nobody ever used it."""
        number = self._known.numbers.get((space, name))
        if number is None and self._own is not None:
            number = self._own.numbers.get((space, name))
        if number is None:
            row = self._db.row(_NUMBER, (self._scope, space, name))
            if row is not None:
                number = int(row[0])
                self._learn(space, name, number)
        return number

    def make(self, space: str, name: str) -> int:
        """Return the number of a name, giving it one where it has none; `write` must follow before rows that use it."""
        number = self.number(space, name)
        if number is None:
            assert self._own is not None
            if self._latest is None:
                self._latest = int(first(self._db.row(_LATEST, (self._scope,))))
            number = self._latest = self._latest + 1
            self._own.learn(space, name, number)
            self._unwritten.append((self._scope, number, space, name))
        return number

    def write(self) -> list[NameRow]:
        """Write the names that were made since, and return their rows."""
        rows, self._unwritten = self._unwritten, []
        if rows:
            self._db.run_many(_INSERT, rows)
        return rows

    def text(self, number: int) -> str:
        """Return the name behind a number; KeyError where there is none."""
        return self.read_texts((number,))[number]

    def read_texts(self, numbers: Iterable[int]) -> dict[int, str]:
        """Return the names behind many numbers."""
        texts: dict[int, str] = {}
        missing: list[int] = []
        own = self._own.texts if self._own is not None else {}
        for number in set(numbers):
            text = self._known.texts.get(number) or own.get(number)
            if text is None:
                missing.append(number)
            else:
                texts[number] = text
        if missing:
            for number, space, name in self._db.rows(_NAMES, (self._scope, self._db.make_list(missing))):
                texts[number] = name
                self._learn(space, name, number)
        return texts

    def forget(self) -> None:
        """Know nothing any more: this transaction took names away."""
        self._known = _NameTable()
        self._own = _NameTable()

    def share(self) -> None:
        """The transaction was committed: what it made is known to all."""
        if self._own is not None:
            for (space, name), number in self._own.numbers.items():
                self._cache.learn(self._known, space, name, number)

    def _learn(self, space: str, name: str, number: int) -> None:
        if self._own is not None:
            self._own.learn(space, name, number)
        else:
            self._cache.learn(self._known, space, name, number)
