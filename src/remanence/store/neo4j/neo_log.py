"""Lines of the audit of one scope in tables, so that the code of `store.sql` proves them, or takes something out.

Knows nodes of parts and the tables of the audit; knows nothing of memories.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from remanence.store.audit_parts import pack_run_id
from remanence.store.neo4j.neo_parts import AuditLine, decode_line, encode_content
from remanence.store.neo4j.neo_transactions import Transaction
from remanence.store.sql import audit, details, scope_rows
from remanence.store.sql.audit import HEADER
from remanence.store.sql.dialect import Statement
from remanence.store.sql.image_expiry import find_row_memories
from remanence.store.sql.names import SHAPE
from remanence.store.sql.scope import OpenScope
from remanence.store.sqlite.scratch import open_scratch
from remanence.store.undo_data_pruning import EXPIRE

_RUN_AT, _DETAIL_AT, _VERB_AT = (HEADER.index(name) for name in ("run", "detail", "verb"))
_LINES = Statement(f"SELECT {', '.join(audit.RUN)} FROM runs WHERE scope = ?1 ORDER BY position")
_EMPTIED = Statement("SELECT position, by, header, rest FROM emptied WHERE scope = ?1 ORDER BY position, by")
_SHAPES = Statement("SELECT no, name FROM names WHERE scope = ?1 AND space = ?2")


class LogTables:
    """Lines in the tables of a scope that is nowhere else, and what they were when they came."""

    def __init__(self, scope: OpenScope, nodes: Iterable[Mapping[str, Any]]) -> None:
        self.scope = scope
        first = [node for node in nodes if node.get("line") is None]
        lines = [decode_line(node) for node in first]
        put_lines(
            scope, [line for line, _ in lines], {no: text for _, some in lines for no, text in some.items()}
        )
        self._were = {line.position: line for line, _ in lines}

    def save(self, db: Transaction, ends: audit.Ends | None = None) -> None:
        """Write the lines that are otherwise by now, and where that is given when their images ended.

        The nodes of lines that are gone go too.
        """
        shapes, rows, gone = read_shapes(self.scope), [], dict(self._were)
        for line in read_lines(self.scope):
            if line == gone.pop(line.position):
                continue
            rows.append({"position": line.position, **encode_content(line, shapes)})
            if ends is not None:
                ended: dict[str, Any] = {"ended_at": ends.find_end_time(line.position), "used": []}
                rows[-1] |= ended
                rows += [{"position": one.position, **ended} for one in line.list_parts()[1:]]
        if rows:
            db.run("write_parts", rows=rows)
        if gone:
            parts = [part.position for line in gone.values() for part in line.list_parts()]
            db.run("delete_parts", positions=parts)


@contextmanager
def open_log(db: Transaction, nodes: Iterable[Mapping[str, Any]]) -> Iterator[LogTables]:
    """Yield lines in tables."""
    with open_scratch(db.scope, b"") as scope:
        yield LogTables(scope, nodes)


def put_lines(scope: OpenScope, lines: Sequence[AuditLine], shapes: Mapping[int, str]) -> None:
    """Write lines into the tables of a scope, which are empty, and the shapes that they name."""
    rows = [(number, SHAPE, text) for number, text in sorted(shapes.items())]
    scope_rows.insert(scope, "names", rows)
    runs = [_pack_header(scope, line) for line in lines]
    scope.write_names()
    scope_rows.insert(scope, "runs", runs)
    scope_rows.insert(scope, "changes", [row for line in lines for row in line.content.rows])
    scope_rows.insert(scope, "blocks", [row for line in lines for row in line.content.blocks])
    scope_rows.insert(scope, "emptied", [(line.position, *one) for line in lines for one in line.emptied])
    mentions = {
        (seq, row[0]) for line in lines for row in line.content.rows for seq in find_row_memories(row)
    }
    scope_rows.insert(scope, "mentions", sorted(mentions))


def _pack_header(scope: OpenScope, line: AuditLine) -> tuple[Any, ...]:
    """Return what the table keeps of a line."""
    header = [*line.header]
    header[_RUN_AT] = pack_run_id(header[_RUN_AT])
    if header[_VERB_AT] != EXPIRE:  # of these a statement reads the detail
        header[_DETAIL_AT] = details.pack(scope.names, header[_DETAIL_AT])
    return (*header, line.own, line.entries, line.asked)


def read_lines(scope: OpenScope) -> list[AuditLine]:
    """Return all lines of a scope."""
    emptied: dict[int, list[tuple[int, bytes, bytes]]] = {}
    for position, *one in scope.db.rows(_EMPTIED, (scope.no,)):
        emptied.setdefault(position, []).append((one[0], one[1], one[2]))
    rows = scope.db.rows(_LINES, (scope.no,))
    contents = audit.read_contents(scope, [row[0] for row in rows])
    return [
        AuditLine(
            audit.plain_header(scope.names, header),
            own,
            entries,
            asked,
            contents[header[0]],
            tuple(emptied.get(header[0], ())),
        )
        for *header, own, entries, asked in rows
    ]


def read_shapes(scope: OpenScope) -> dict[int, str]:
    """Return the shapes that the lines of a scope name."""
    return dict(scope.db.rows(_SHAPES, (scope.no, SHAPE)))
