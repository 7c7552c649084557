"""What an erasure does beside taking rows away: it empties the audit, keeps a ledger, and takes names away.

Knows salted hashes, images and names; must not know how what is stored is rewritten afterwards.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from remanence.core.change import Change
from remanence.store import erasure
from remanence.store.constraints import bans_of
from remanence.store.erasure import MarkKind
from remanence.store.residue_scan import PIECE_BYTES, SHORTEST
from remanence.store.sql import details, fulltext, purged, redact_images, uses_by_agent
from remanence.store.sql.dialect import Statement, build_insert
from remanence.store.sql.meta import SALT, read_salt
from remanence.store.sql.names import NAMES_GONE, TAG
from remanence.store.sql.redact_images import Emptying, QuotedStrings
from remanence.store.sql.scope import OpenScope
from remanence.store.sql.transaction import CommitContext, Key

_ERASED = ("scope", "mark", "at", "kind")
SALTS = "erased/salts"  # the row of `settings` with the salts of databases that the scope came from
# The salt of this database, and those, where anything was erased.
_SALTS_OF_ERASED = Statement(
    "SELECT value, 0 AS further FROM meta WHERE name = ?2 AND EXISTS (SELECT 1 FROM erased WHERE scope = ?1)"
    " UNION ALL SELECT value, 1 FROM settings WHERE scope = ?1 AND name = ?3 ORDER BY further"
)
_KEPT_SALTS = Statement("SELECT value FROM settings WHERE scope = ?1 AND name = ?2")
_KEEP_SALTS = Statement(build_insert("settings", ("scope", "name", "value"), ("scope", "name")))
_HELD = Statement(
    lambda sql: f"SELECT {', '.join(_ERASED)} FROM erased WHERE scope = ?1 AND mark {sql.among_texts(2)}"
)
_KEEP = Statement(build_insert("erased", _ERASED, ("scope", "mark")))
_IDS = Statement(f"SELECT mark FROM erased WHERE scope = ?1 AND kind = {int(MarkKind.ID)} ORDER BY at, mark")
_STANDS = Statement(
    lambda sql: f"SELECT DISTINCT text FROM memories WHERE scope = ?1 AND text {sql.among_texts(2)}"
)
_NUMBERS = Statement(
    lambda sql: (
        f"SELECT no, space, name FROM names{sql.by_index('names_name')}"
        f" WHERE scope = ?1 AND space {sql.among_texts(2)} AND name {sql.among_texts(3)} ORDER BY no"
    )
)
_ALL_NAMES = Statement(
    lambda sql: f"SELECT no, space, name FROM names WHERE scope = ?1 AND space {sql.among_texts(2)}"
)
# Which of some numbers of names are borne, by space.
_BORNE = {
    space: Statement(
        lambda sql, space=space: (  # type: ignore[misc]
            f"SELECT DISTINCT {space} FROM {'tags' if space == TAG else 'states'}"
            f" WHERE scope = ?1 AND {space} {sql.among(2)}"
        )
    )
    for space in sorted({*redact_images.NAMED, TAG})
}
_USED_BY = Statement(
    lambda sql: f"SELECT DISTINCT agent FROM accessors WHERE scope = ?1 AND agent {sql.among(2)}"
)
_DETAILS = Statement("SELECT detail FROM runs WHERE scope = ?1 AND detail IS NOT NULL")
_FORGET = Statement("UPDATE names SET space = ?3, name = ?4 WHERE scope = ?1 AND no = ?2")
_KNOWN_GONE = frozenset({MarkKind.ERASED, MarkKind.ID})
_VECTOR_STEP = 64  # bytes from one piece of a vector to the next that is looked for
PLAIN_ID = re.compile("[0-9a-f]{32}")

NameRow = tuple[int, str, str]  # no, space, name


def find_marked_names(scope: OpenScope, names: Iterable[str]) -> dict[str, int]:
    """Return which of these names were erased in a scope, and when."""
    salts = _read_salts(scope)
    return _find_marked(scope, salts, [*names]) if salts else {}


def list_salts(scope: OpenScope) -> list[str]:
    """Return the salts of the marks of a scope: this database's own, and those of databases that it came from."""
    row = scope.db.row(_KEPT_SALTS, (scope.no, SALTS))
    own = [salt.hex()] if (salt := read_salt(scope.db)) else []  # a scratch scope has none
    return [*own, *(orjson.loads(row[0]) if row is not None else ())]


def keep_salts(scope: OpenScope, salts: Sequence[str]) -> None:
    """Keep with what the marks of a scope that came from another database are salted; its sums are made afterwards."""
    own = read_salt(scope.db).hex()
    further = [one for one in dict.fromkeys(salts) if one != own]
    scope.db.run(_KEEP_SALTS, (scope.no, SALTS, orjson.dumps(further).decode()))


def _read_salts(scope: OpenScope) -> list[bytes]:
    """Return the salts of marks; none where nothing was erased."""
    rows = scope.db.rows(_SALTS_OF_ERASED, (scope.no, SALT, SALTS))
    if not rows or rows[0][1]:
        return []
    return [
        bytes.fromhex(rows[0][0]),
        *(bytes.fromhex(one) for text, _ in rows[1:] for one in orjson.loads(text)),
    ]


def _find_marked(scope: OpenScope, salts: Iterable[bytes], names: Sequence[str]) -> dict[str, int]:
    marks = {erasure.mark(salt, name): name for salt in salts for name in names}
    return {marks[mark]: at for _, mark, at, kind in _read_marks(scope, marks) if kind != MarkKind.KEPT}


def _read_marks(scope: OpenScope, marks: Iterable[str]) -> list[tuple[Any, ...]]:
    """Return the rows of those marks that are there."""
    listed = sorted(marks)
    return scope.db.rows(_HELD, (scope.no, scope.db.make_list(listed))) if listed else []


def erased_ids(scope: OpenScope) -> list[str]:
    """Return the ids of the memories of a scope that were erased, the earliest first."""
    return [mark for (mark,) in scope.db.rows(_IDS, (scope.no,))]


def put_marks(scope: OpenScope, rows: Sequence[tuple[str, int, int]]) -> None:
    """Write marks, each with its time and kind, in the place of what stood for the same."""
    if not rows:
        return
    new = [(scope.no, *row) for row in rows]
    scope.sums.replace_rows("erased", _read_marks(scope, (mark for mark, *_ in rows)), new)
    scope.db.run_many(_KEEP, new)


def coming_back(work: CommitContext, changes: Sequence[Change]) -> list[Key]:
    """Return what comes in that was erased: texts, and memories by their ids."""
    if not any(change.table == "memories" and change.after is not None for change in changes):
        return []
    salts = _read_salts(work.scope)
    if not salts:  # where nothing was erased, no text is folded
        return []
    names = erasure.names_coming_in(changes)
    return [names[name] for name in _find_marked(work.scope, salts, [*names])]


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
        audit = Emptying(work.scope, self._meant)
        audit.take()
        self._ids = {
            seq: name
            for seq, name in [*audit.found.ids.items(), *purged.ids(work, self._purged)]
            if seq in self._purged
        }
        for seq, texts in audit.found.texts.items():
            self._texts_of.setdefault(seq, set()).update(texts)
        self._strings = audit.found.strings | set(iterate_strings(self._former))
        audit.take_named("forbidden", bans_of(self._texts()))
        for table in ("boxes", "traces"):
            audit.take_named(table, {str(change.key) for change in self._changes if change.table == table})
        strings = (one for one in (*self._texts(), *self._strings) if not PLAIN_ID.fullmatch(one))
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
        redact_images.write(work.scope, work.images.position, self._left)
        purged.drop(work, self._meant)
        self._keep_ledger()
        names = self._drop_names()
        # The id of a turn stands as a source of what was learned from it, and in runs: it says nothing.
        strings = [one for one in (*self._texts(), *self._strings, *names) if not PLAIN_ID.fullmatch(one)]
        work.db.note_erased(work.scope.no, _bytes_of(strings, self._vectors))

    def _find_kept_stems(self, stems: Sequence[str]) -> set[str]:
        """Return which of some stems a memory that stays says."""
        by_stem = fulltext.postings(self._work.scope, stems)
        return {stem for stem, seqs in by_stem.items() if not self._gone.keys() >= set(seqs.tolist())}

    def _texts(self, seqs: Iterable[int] | None = None) -> set[str]:
        """Return every text that was said by what goes and what is redacted, or by some of these."""
        return {
            text for seq in (self._texts_of if seqs is None else seqs) for text in self._texts_of.get(seq, ())
        }

    def _keep_ledger(self) -> None:
        """Keep marks of what goes, and of the former texts of what is redacted; what went whole stays so."""
        work = self._work
        salt = read_salt(work.db)
        ids = {**{seq: row["id"] for seq, row in self._gone.items()}, **self._ids}
        whole_seqs = self._texts_of.keys() - self._redacted
        unsaid = self._texts() - self._find_standing_texts()
        kinds = {
            **self._compute_marks(
                salt, erasure.names_of([], self._texts(self._redacted) & unsaid), MarkKind.REDACTED
            ),
            **self._compute_marks(
                salt, erasure.names_of(ids.items(), self._texts(whole_seqs) & unsaid), MarkKind.ERASED
            ),
            **self._compute_marks(salt, map(erasure.of_id, ids.values()), MarkKind.ID),
        }
        former = _read_marks(work.scope, kinds)
        old_marks = {mark for _, mark, _, kind in former if kind in _KNOWN_GONE}
        put_marks(
            work.scope,
            [(one, work.cause.at, int(kinds[one])) for one in sorted(kinds.keys() - old_marks)],
        )

    def _find_standing_texts(self) -> set[str]:
        """Return which of the texts a memory that stands says."""
        work = self._work
        texts = work.db.make_list(sorted(self._texts()))
        return {text for (text,) in work.db.rows(_STANDS, (work.no, texts))}

    @staticmethod
    def _compute_marks(salt: bytes, names: Iterable[str], kind: MarkKind) -> dict[str, MarkKind]:
        return {erasure.mark(salt, name): kind for name in names}

    def _drop_names(self) -> list[str]:
        """Take away tags, speakers, sessions and their like that only what went has borne; return tags and speakers."""
        borne = {
            (space, row[space])
            for space in redact_images.NAMED
            for row in self._former
            if row[space] is not None
        }
        borne |= {(TAG, change.key[1]) for change in self._changes if change.table == "tags"}  # type: ignore[index]
        borne |= {*self._collect_person_names()}
        going = self._find_unborne(borne)
        self._forget_names([*going, *self._find_unneeded_forms()])
        return [name for _, space, name in going if space in {TAG, "speaker"}]

    def _find_unborne(self, names: Iterable[tuple[str, str]]) -> list[NameRow]:
        """Return which names, each given with its space, nothing bears any more."""
        db, no, wanted = self._work.db, self._work.no, set(names)
        if not wanted:
            return []
        spaces, texts = (db.make_list(sorted(set(part))) for part in zip(*wanted, strict=True))
        by_space: dict[str, dict[int, NameRow]] = {}
        for number, space, name in db.rows(_NUMBERS, (no, spaces, texts)):
            if (space, name) in wanted:
                by_space.setdefault(space, {})[number] = (number, space, name)
        going: list[NameRow] = []
        for space, rows in sorted(by_space.items()):
            numbers = db.make_list(sorted(rows))
            standing = db.rows(_BORNE[space], (no, numbers))
            if space == uses_by_agent.SPACE:
                standing += db.rows(_USED_BY, (no, numbers))
            going += [rows[number] for number in sorted(rows.keys() - {one for (one,) in standing})]
        return going

    def _find_unneeded_forms(self) -> list[NameRow]:
        """Return the forms of details that none needs any more: those that quoted what goes are kept whole."""
        work = self._work
        rows = work.db.rows(_ALL_NAMES, (work.no, work.db.make_list([details.FORM])))
        forms = {number: (number, space, name) for number, space, name in rows}
        if not forms:
            return []
        work.names.read_texts(forms)
        needed: set[int] = set()
        for (detail,) in work.db.rows(_DETAILS, (work.no,)):
            needed |= details.forms_of(work.names, detail)
        return [forms[number] for number in sorted(forms.keys() - needed)]

    def _collect_person_names(self) -> Iterable[tuple[str, str]]:
        """Yield the names of a person among all that are kept; the person is no longer told to have used a memory."""
        work, names = self._work, self._work.cause.unnamed
        if names is None:
            return
        spaces = work.db.make_list(sorted({*redact_images.NAMED, TAG}))
        for number, space, name in work.db.rows(_ALL_NAMES, (work.no, spaces)):
            if names.stand_in(name):
                if space == uses_by_agent.SPACE:
                    uses_by_agent.drop_agent(work, number)
                yield space, name

    def _forget_names(self, going: Sequence[NameRow]) -> None:
        """Leave numbers without their names: a process that still knows the one by the other must learn it anew."""
        if not going:
            return
        work, scope = self._work, self._work.scope
        scope.write_names()  # those that are made are not to be forgotten before they are written
        new = [(work.no, number, NAMES_GONE, str(number)) for number, *_ in going]
        work.db.run_many(_FORGET, new)
        work.sums.replace_rows("names", [(work.no, *row) for row in going], new)
        scope.row = scope.row._replace(names_gone=scope.row.names_gone + 1)
        scope.names.forget()


def iterate_strings(rows: Iterable[Mapping[str, Any]]) -> Iterable[str]:
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
