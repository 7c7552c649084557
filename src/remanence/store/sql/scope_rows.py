"""All rows of a scope, table by table: read, written into another database, hashed and taken away.

Every number in a row is a number of its scope, so that rows mean the same wherever they lie. Knows tables; must not
know what a row says.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import islice
from typing import Any

import orjson

from remanence.core.box import BOX_COLUMNS, TRACE_COLUMNS
from remanence.core.errors import Conflict, format_value
from remanence.core.model import COLUMN, LINK_COLUMNS
from remanence.store.scope_transfer import (
    MOVED,
    Page,
    RowPipe,
    ScopeContent,
    is_arriving,
    mark_arriving,
)
from remanence.store.sql import audit, details, erasing, fulltext, rows
from remanence.store.sql.checksummed_columns import SUMMED
from remanence.store.sql.dialect import Statement, build_insert
from remanence.store.sql.names import SHAPE
from remanence.store.sql.scope import MOVED_TO, OpenScope, ScopeRow

HEAD = "scopes"  # the table of the first page
_PAGE_ROWS = 1_000
_DIGEST_BYTES = 16
_SUM_BYTES = 32
_MADE_OF_OTHERS = frozenset({"postings", "waiting", "mentions"})

# Of each table that has rows of a scope: its columns behind the scope, and how many of these are its key. A table comes
# behind those that its rows name.
TABLES: Mapping[str, tuple[tuple[str, ...], int]] = {
    "names": (("no", "space", "name"), 1),
    "memories": (("seq", *(column.name for column in rows.MEMORIES), "digest"), 1),
    "states": (SUMMED["states"].columns, 1),
    "vectors": (("seq", "vector", "digest"), 1),
    "embeddings": (("seq", "model", "vector", "digest"), 2),
    "tags": (SUMMED["tags"].columns, 2),
    "accessors": (SUMMED["accessors"].columns, 2),
    "sources": (SUMMED["sources"].columns, 2),
    "links": (("source", "target", "relation", *LINK_COLUMNS), 3),
    "forbidden": (SUMMED["forbidden"].columns, 1),
    "erased": (SUMMED["erased"].columns, 1),
    "boxes": (("box", *BOX_COLUMNS), 1),
    "traces": (("trace", *TRACE_COLUMNS), 1),
    "postings": (fulltext.COLUMNS[1:], 2),
    "waiting": (("seq", "stems", "terms"), 1),
    "runs": (audit.RUN, 1),
    "changes": (audit.CHANGE, 2),
    "blocks": (("position", "n", "kind", "shape", "rows", "least", "greatest", "keys", "image"), 2),
    "emptied": (("position", "by", "header", "rest"), 2),
    "purged": (SUMMED["purged"].columns, 1),
    "mentions": (("seq", "position"), 2),
    "fired": (("rule", "at"), 1),
    "settings": (("name", "value"), 1),
    "spans": (("began_at", "ended_at"), 1),
    "heard": (("minute", "turns"), 1),
    "counters": (("name", "count"), 1),
    "leases": (SUMMED["leases"].columns, 1),
}
# Where a row has numbers of names, which every database gives in its own order.
_NAMED = {
    "states": [
        place
        for place, name in enumerate(SUMMED["states"].columns)
        if name in COLUMN and COLUMN[name].kind == "name"
    ],
    **{
        table: [TABLES[table][0].index(name)]
        for table, name in (("tags", "tag"), ("accessors", "agent"), ("embeddings", "model"))
    },
}
_DETAIL_AT = audit.RUN.index("detail")
_NAMES_GONE_AT = ScopeRow._fields[1:].index("names_gone")
_SELECT = {
    table: Statement(
        f"SELECT {', '.join(columns)} FROM {table} WHERE scope = ?1 ORDER BY {', '.join(columns[:key])}"
    )
    for table, (columns, key) in TABLES.items()
}
_INSERT = {
    table: Statement(build_insert(table, ("scope", *columns))) for table, (columns, _) in TABLES.items()
}
_DELETE = {table: Statement(f"DELETE FROM {table} WHERE scope = ?1") for table in TABLES}
_DELETE_SUMS = Statement("DELETE FROM sums WHERE scope = ?1")
_NOTE_MOVED = Statement(build_insert("settings", ("scope", "name", "value")))


class _RowHash:
    """A hash of what pages say, in whatever order the rows come and whatever numbers names have.

    It is a sum of hashes of rows. What is made of other rows, as words are of texts, is left out.
    """

    def __init__(self) -> None:
        self._sum = 0
        self._names: dict[int, str] = {}
        self.rows = 0

    def add(self, page: Page) -> Page:
        """Add a page, and return it; names come before the rows that have their numbers."""
        table, rows = page
        if table not in _MADE_OF_OTHERS:
            for row in self._read_names(rows) if table == "names" else rows:
                # The notation of Python tells numbers, texts, bytes and NULL apart.
                said = repr((table, self._name_values(table, row))).encode("utf-8", "surrogatepass")
                self._sum += int.from_bytes(blake2b(said, digest_size=_SUM_BYTES).digest())
                self.rows += 1
        return page

    def tell(self, position: int) -> ScopeContent:
        """Return what was added."""
        total = (self._sum % (1 << 8 * _SUM_BYTES)).to_bytes(_SUM_BYTES)
        return ScopeContent(position, self.rows, blake2b(total, digest_size=_DIGEST_BYTES).hexdigest())

    def text(self, number: int) -> str:
        """Return the name behind a number."""
        return self._names[number]

    def _read_names(self, rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
        """Learn names, and return those whose numbers are in the digests of the audit."""
        self._names |= {number: name for number, _, name in rows}
        return [row for row in rows if row[1] == SHAPE]

    def _name_values(self, table: str, row: Sequence[Any]) -> list[Any]:
        values = [*row]
        for place in _NAMED.get(table, ()):
            values[place] = None if values[place] is None else self._names[values[place]]
        if table == "runs":
            values[_DETAIL_AT] = details.unpack(self, values[_DETAIL_AT])
        elif table == HEAD:
            del values[_NAMES_GONE_AT]
        return values


def send(scope: OpenScope, pipe: RowPipe) -> ScopeContent:
    """Send all rows of a scope, and return what they are."""
    digest = _RowHash()
    for page in _read_pages(scope):
        pipe.send(digest.add(page))
    pipe.send((erasing.SALTS, [erasing.list_salts(scope)]))
    pipe.send(None)
    return digest.tell(scope.row.position)


def read_content(scope: OpenScope) -> ScopeContent:
    """Return what a scope holds."""
    digest = _RowHash()
    for page in _read_pages(scope):
        digest.add(page)
    return digest.tell(scope.row.position)


def receive(scope: OpenScope, pipe: RowPipe, *, moves: bool) -> ScopeContent:
    """Write the rows that come; a scope that holds the same already is left as it is.

    One that `moves` here is read alone until it is settled, and is written over if it is sent again.
    """
    is_held = not is_arriving(scope.row.position) and (scope.row.position > 0 or scope.row.held > 0)
    there = read_content(scope) if is_held else None
    if there is None:
        delete_rows(scope)  # what an opening keeps of a scope that nobody wrote to, or an earlier try
    digest, row = _RowHash(), scope.row
    for page in pipe.iterate_pages():
        table, some = page
        if table == erasing.SALTS:
            (salts,) = some
            if there is None:
                erasing.keep_salts(scope, salts)
            continue
        digest.add(page)
        if table == HEAD:
            row = ScopeRow(scope.no, *some[0])
        elif there is None:
            insert(scope, table, some)
    content = digest.tell(row.position)
    if there is None:
        for table in SUMMED:
            scope.sums.count_table(scope.db, scope.no, table)
        scope.row = row._replace(position=mark_arriving(row.position)) if moves else row
        scope.names.forget()
    elif there != content:
        raise Conflict(
            (),
            f"scope {format_value(scope.name)} holds something else there",
            "copy to a store that has no scope of this name",
        )
    return content


def insert(scope: OpenScope, table: str, some: Iterable[Sequence[Any]]) -> None:
    """Write rows of a table, each without its scope; its sums are made later."""
    scope.db.run_many(_INSERT[table], [(scope.no, *one) for one in some])


def settle(scope: OpenScope) -> None:
    """Let a scope that was moved here be written to."""
    if is_arriving(scope.row.position):
        scope.row = scope.row._replace(position=mark_arriving(scope.row.position))


def remove(scope: OpenScope, was: ScopeContent, moved_to: str) -> None:
    """Take all rows of a scope away where it still holds what it was, and say where it moved to."""
    if read_content(scope) != was:
        raise Conflict(
            (),
            f"scope {format_value(scope.name)} was written to meanwhile",
            "begin again: nothing was removed",
        )
    delete_rows(scope)
    scope.db.run(_NOTE_MOVED, (scope.no, MOVED_TO, orjson.dumps(moved_to).decode()))
    scope.row = ScopeRow(scope.no, position=MOVED, names_gone=scope.row.names_gone + 1)
    scope.db.note_erased(scope.no, ())  # so that the space of the rows is written anew


def _read_pages(scope: OpenScope) -> Iterator[Page]:
    """Yield all rows but the sums over them, which follow, and the salts, which each database has in its own way."""
    yield HEAD, [scope.row[1:]]
    for table, statement in _SELECT.items():
        found = scope.db.stream(statement, (scope.no,))
        if table == "settings":
            found = (row for row in found if row[0] != erasing.SALTS)
        while some := list(islice(found, _PAGE_ROWS)):
            yield table, some


def delete_rows(scope: OpenScope) -> None:
    """Take all rows of a scope away, but for the one that names it."""
    for statement in (_DELETE_SUMS, *reversed(_DELETE.values())):
        scope.db.run(statement, (scope.no,))
