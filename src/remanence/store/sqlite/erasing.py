"""What an erasure does beside taking rows away: it empties the audit, keeps a ledger, and takes names away.

Knows salted hashes, images and names; must not know how the file itself is rewritten afterwards.
"""

import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from remanence.core.change import Change
from remanence.store import erasure
from remanence.store.constraints import bans_of
from remanence.store.erasure import MarkKind
from remanence.store.sqlite import details, fulltext, purged, redact_images, uses_by_agent
from remanence.store.sqlite.driver import IN_MEMORY
from remanence.store.sqlite.home import salt_of
from remanence.store.sqlite.redact_images import Emptying, QuotedStrings
from remanence.store.sqlite.residue_scan import PIECE_BYTES, SHORTEST, PieceHashes
from remanence.store.sqlite.string_ids import NAMES_GONE, TAG
from remanence.store.sqlite.sums import Sums
from remanence.store.sqlite.transaction import CommitContext, Key

UNPROVEN = "erased_unproven"  # the row of `meta` with the pieces that must be nowhere in the file
_ANY = "SELECT 1 FROM erased WHERE scope = ? LIMIT 1"
_AT = (
    "SELECT mark, at FROM json_each(?2) AS given CROSS JOIN erased ON scope = ?1 AND mark = given.value"
    f" WHERE kind <> {int(MarkKind.KEPT)}"
)
_GONE = (
    "SELECT mark FROM json_each(?2) AS given CROSS JOIN erased ON scope = ?1 AND mark = given.value"
    f" WHERE kind IN ({int(MarkKind.ERASED)}, {int(MarkKind.ID)})"
)
_KEEP = (
    "INSERT INTO erased (scope, mark, at, kind) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (scope, mark) DO UPDATE SET at = excluded.at, kind = excluded.kind"
)
_BEFORE = "SELECT scope, mark, at, kind FROM erased WHERE scope = ? AND mark = ?"
_IDS = f"SELECT mark FROM erased WHERE scope = ? AND kind = {int(MarkKind.ID)} ORDER BY at, mark"
_STANDS = "SELECT DISTINCT text FROM memories WHERE scope = ?1 AND text IN (SELECT value FROM json_each(?2))"
_NAMES = "SELECT no, space, name FROM names"
_FORMS = "SELECT no, name FROM names WHERE space = ?"
_DETAILS = "SELECT detail FROM runs WHERE scope = ? AND detail IS NOT NULL"
_COUNT_UP = (
    "INSERT INTO meta (name, value) VALUES (?, '1') ON CONFLICT (name) DO UPDATE SET value = value + 1"
)
_PUT = "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
_VECTOR_STEP = 64  # bytes from one piece of a vector to the next that is looked for
_ID = re.compile("[0-9a-f]{32}")


def find_marked_names(
    connection: sqlite3.Connection, scope: int | None, names: Iterable[str]
) -> dict[str, int]:
    """Return which of these names were erased in a scope, and when."""
    if scope is None or connection.execute(_ANY, (scope,)).fetchone() is None:
        return {}
    salt = salt_of(connection)
    marks = {erasure.mark(salt, name): name for name in names}
    rows = connection.execute(_AT, (scope, orjson.dumps(sorted(marks)).decode()))
    return {marks[mark]: at for mark, at in rows.fetchall()}


def erased_ids(connection: sqlite3.Connection, scope: int | None) -> list[str]:
    """Return the ids of the memories of a scope that were erased, the earliest first."""
    return [] if scope is None else [mark for (mark,) in connection.execute(_IDS, (scope,))]


def put_marks(connection: sqlite3.Connection, sums: Sums, rows: Sequence[tuple[int, str, int, int]]) -> None:
    """Write marks, each with its scope, time and kind, in the place of what stood for the same."""
    sums.remove_rows(
        "erased", [mark for row in rows if (mark := connection.execute(_BEFORE, row[:2]).fetchone())]
    )
    connection.executemany(_KEEP, rows)
    sums.add_rows("erased", rows)


def coming_back(work: CommitContext, changes: Sequence[Change]) -> list[Key]:
    """Return what comes in that was erased: texts, and memories by their ids."""
    if work.connection.execute(_ANY, (work.no,)).fetchone() is None:
        return []
    names = erasure.names_coming_in(changes)
    return [names[name] for name in find_marked_names(work.connection, work.no, names)]


class SqlErasure:
    """One erasure under way: `changes` are all that the commit changes.

    `gone` are the rows that go, by number, and `rewritten` those that are redacted, as they were until now.
    """

    def __init__(
        self,
        work: CommitContext,
        gone: Mapping[int, Mapping[str, Any]],
        rewritten: Mapping[int, Mapping[str, Any]],
        changes: Sequence[Change],
    ) -> None:
        self._work = work
        self._gone = gone
        self._changes = changes
        # A memory that was purged has no row, and is meant all the same.
        self._meant = {one.key for one in changes if one.table == "memories" and isinstance(one.key, int)}
        self._purged = self._meant - gone.keys() - rewritten.keys()
        self._former = [*gone.values(), *rewritten.values()]
        self._ids: dict[int, str] = {}
        self._left: list[tuple[int, bytes, bytes]] = []
        self._texts_of = {seq: {row["text"]} for seq, row in (*gone.items(), *rewritten.items())}
        self._redacted = rewritten.keys()
        self._strings: set[str] = set()
        self._vectors = [row["vector"] for row in self._former if row["vector"] is not None]

    def empty(self) -> None:
        """Take the images of what goes out of the audit, and let the run say by a digest what it left there."""
        work = self._work
        audit = Emptying(work.connection, work.names, (work.no, work.scope), self._meant)
        audit.take()
        self._ids = {
            seq: name
            for seq, name in [*audit.found.ids.items(), *purged.ids(work, self._purged)]
            if seq in self._purged
        }
        for seq, texts in audit.found.texts.items():
            self._texts_of.setdefault(seq, set()).update(texts)
        self._strings = audit.found.strings | set(_iterate_strings(self._former))
        audit.take_named("forbidden", bans_of(self._texts()))
        for table in ("boxes", "traces"):
            audit.take_named(table, {str(change.key) for change in self._changes if change.table == table})
        strings = (one for one in (*self._texts(), *self._strings) if not _ID.fullmatch(one))
        audit.silence(QuotedStrings(strings, self._find_kept_stems))
        if work.cause.unnamed is not None:
            audit.take_names(work.cause.unnamed)
            self._strings |= {*work.cause.unnamed.names}
        self._left = audit.part_digests()
        detail = {erasure.EMPTIED: redact_images.emptied_digest(self._left), **audit.end_mark_detail()}
        work.cause = replace(work.cause, detail={**work.cause.detail, **detail})

    def finish(self) -> None:
        """Keep the ledger, take names away that nothing bears any more, and what is to be proven gone."""
        work = self._work
        redact_images.write(work.connection, work.images.position, self._left)
        purged.drop(work, self._meant)
        self._keep_ledger()
        names = self._drop_names()
        # The id of a turn stands as a source of what was learned from it, and in runs: it says nothing.
        strings = [one for one in (*self._texts(), *self._strings, *names) if not _ID.fullmatch(one)]
        pieces = PieceHashes()
        pieces.add(_bytes_of(strings, self._vectors))
        add_unproven(work.connection, pieces)

    def _find_kept_stems(self, stems: Sequence[str]) -> set[str]:
        """Return which of some stems a memory that stays says."""
        by_stem = fulltext.postings(self._work.connection, self._work.no, stems)
        return {stem for stem, seqs in by_stem.items() if not self._gone.keys() >= set(seqs.tolist())}

    def _texts(self, seqs: Iterable[int] | None = None) -> set[str]:
        """Return every text that was said by what goes and what is redacted, or by some of these."""
        return {
            text for seq in (self._texts_of if seqs is None else seqs) for text in self._texts_of.get(seq, ())
        }

    def _keep_ledger(self) -> None:
        """Keep marks of what goes, and of the former texts of what is redacted; what went whole stays so."""
        work = self._work
        salt = salt_of(work.connection)
        ids = {**{seq: row["id"] for seq, row in self._gone.items()}, **self._ids}
        whole_seqs = self._texts_of.keys() - self._redacted
        kinds = {
            **self._compute_marks(
                salt, erasure.names_of([], self._find_unsaid_texts(self._redacted)), MarkKind.REDACTED
            ),
            **self._compute_marks(
                salt, erasure.names_of(ids.items(), self._find_unsaid_texts(whole_seqs)), MarkKind.ERASED
            ),
            **self._compute_marks(salt, map(erasure.of_id, ids.values()), MarkKind.ID),
        }
        marks = orjson.dumps(sorted(kinds)).decode()
        old_marks = {one for (one,) in work.connection.execute(_GONE, (work.no, marks))}
        put_marks(
            work.connection,
            work.sums,
            [(work.no, one, work.cause.at, int(kinds[one])) for one in sorted(kinds.keys() - old_marks)],
        )

    def _find_unsaid_texts(self, seqs: Iterable[int]) -> set[str]:
        """Return what some of these said and no memory that stands says."""
        texts = self._texts(seqs)
        text_list = orjson.dumps(sorted(texts)).decode()
        return texts - {
            text for (text,) in self._work.connection.execute(_STANDS, (self._work.no, text_list))
        }

    @staticmethod
    def _compute_marks(salt: bytes, names: Iterable[str], kind: MarkKind) -> dict[str, MarkKind]:
        return {erasure.mark(salt, name): kind for name in names}

    def _drop_names(self) -> list[str]:
        """Take away tags, speakers, sessions and their like that only what went has borne; return tags and speakers."""
        work = self._work
        borne: dict[str, set[str]] = {
            space: {row[space] for row in self._former if row[space] is not None}
            for space in sorted(redact_images.NAMED)
        }
        borne[TAG] = {change.key[1] for change in self._changes if change.table == "tags"}  # type: ignore[index,misc]
        for space, name in self._collect_person_names():
            borne[space].add(name)
        dropped_names: list[str] = []
        for space, names in borne.items():
            table = "tags" if space == TAG else "states"
            numbers = {work.number(space, name): name for name in names}
            if not numbers:
                continue
            rows = work.connection.execute(f"SELECT DISTINCT {space} FROM {table}").fetchall()
            if space == "agent":
                rows += work.connection.execute("SELECT DISTINCT agent FROM accessors").fetchall()
            going = {number: numbers[number] for number in sorted(numbers.keys() - {one for (one,) in rows})}
            self._forget_names(space, going)
            dropped_names += going.values() if space in {TAG, "speaker"} else ()
        self._drop_forms()
        return dropped_names

    def _drop_forms(self) -> None:
        """Take away the forms of details that none needs any more: those that quoted what goes are kept whole."""
        work, space = self._work, details.space_of(self._work.no)
        forms = dict(work.connection.execute(_FORMS, (space,)).fetchall())
        if forms:
            rows = work.connection.execute(_DETAILS, (work.no,)).fetchall()
            needed_forms = (details.forms_of(work.connection, work.names, detail) for (detail,) in rows)
            going = forms.keys() - set().union(*needed_forms)
            self._forget_names(space, {number: forms[number] for number in sorted(going)})

    def _collect_person_names(self) -> Iterable[tuple[str, str]]:
        """Yield the names of a person among all that are kept; the person is no longer told to have used a memory."""
        work, names = self._work, self._work.cause.unnamed
        if names is None:
            return
        for number, space, name in work.connection.execute(_NAMES).fetchall():
            if space not in redact_images.NAMED | {TAG} or not names.stand_in(name):
                continue
            if space == "agent":
                uses_by_agent.drop_agent(work, number)
            yield space, name

    def _forget_names(self, space: str, going: Mapping[int, str]) -> None:
        """Leave a number without its name: a process that still knows the one by the other must learn it anew."""
        if not going:
            return
        work = self._work
        for number, name in going.items():
            work.connection.execute(
                "UPDATE names SET space = ?, name = ? WHERE no = ?", (NAMES_GONE, str(number), number)
            )
            work.sums.remove_rows("names", [(number, space, name)])
            work.sums.add_rows("names", [(number, NAMES_GONE, str(number))])
        work.connection.execute(_COUNT_UP, (NAMES_GONE,))
        work.names.erase(going)


def add_unproven(connection: sqlite3.Connection, pieces: PieceHashes) -> None:
    """Keep what must be nowhere in the file, beside what was kept so before; a store without a file keeps nothing."""
    (_, _, file) = connection.execute("PRAGMA database_list").fetchone()
    if not file or file == IN_MEMORY:
        return
    pieces.drop_excess()
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (UNPROVEN,)).fetchone()
    entries = orjson.loads(row[0]) if row else []
    connection.execute(_PUT, (UNPROVEN, orjson.dumps([*entries, pieces.encode_hex()]).decode()))


def _iterate_strings(rows: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """Yield what rows say beside their texts."""
    for row in rows:
        for name in ("key", "summary", "attributes"):
            yield from redact_images.strings_in(row[name])


def _bytes_of(texts: Iterable[str], vectors: Iterable[bytes]) -> Iterable[bytes]:
    """Yield how texts and vectors would lie in a file: as they are, in JSON, and as words of full text."""
    for text in texts:
        plain = text.encode("utf-8", "surrogatepass")
        yield plain
        if (json_bytes := orjson.dumps(text)[1:-1]) != plain:
            yield json_bytes
        yield from (stem.encode() for stem in fulltext.words_of(text))
    for vector in vectors:
        for at in range(0, len(vector), _VECTOR_STEP):
            yield vector[at : at + PIECE_BYTES]
            yield vector[at : at + SHORTEST].hex().encode()
