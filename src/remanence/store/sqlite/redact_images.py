"""What an erasure takes out of the audit: images and quotations of what goes, while the digests that prove it stay.

Knows rows of `runs` and `changes`, words and bytes; must not know what becomes of the memories themselves.
"""

import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import orjson

from remanence.core.model import COLUMNS
from remanence.core.patterns import Pattern
from remanence.core.redaction import Names
from remanence.store.audit_parts import OF_PART, PLACE, digest_of
from remanence.store.sqlite import block_log, details, fulltext
from remanence.store.sqlite.audit import (
    CODE,
    HEADER,
    SELECT_CHANGES,
    Row,
    entries_digest,
    header_digest,
    json_text,
    mark,
    plain_header,
    shapes_of,
)
from remanence.store.sqlite.dialect import id_list
from remanence.store.sqlite.residue_scan import PIECE_BYTES, SHORTEST, PieceHashes, pieces_of
from remanence.store.sqlite.string_ids import Fresh, StringIds

_OF_MEMORY = frozenset(CODE[table] for table in ("memories", "tags", "sources"))
WITHOUT = "erased"  # stands in the detail of a run for what was said there
WHOLE_MIN = 4  # characters: what is shorter stands in many a sentence without being meant
_WHOLE_MAX = 500  # texts that are looked for whole, the shortest: of the others pieces are found all the same
_WORD = re.compile(r"[^\W_]+")
# What the engine itself says there, in words that it reads again.
_OWN = frozenset(
    {
        "action",
        "outcome",
        "eligibility",
        "step",
        "signal",
        "undoes",
        "plan",
        "policy",
        "emptied",
        "cycle",
        "by",
    }
)
_RULES = "rules"  # each an action, the name of the rule and what that says
Staying = Callable[[Sequence[str]], AbstractSet[str]]


class QuotedStrings:
    """What some texts and other strings said; `staying` tells which of some stems a memory that stays says."""

    def __init__(self, said: Iterable[str], staying: Staying) -> None:
        texts = {one for one in said if len(one) >= WHOLE_MIN}
        self._staying = staying
        self._whole = sorted(map(str.casefold, texts), key=len)[:_WHOLE_MAX][::-1]
        self._seen: dict[str, str] = {}  # many runs have the same reason
        self._stems = {stem for one in texts for stem in fulltext.words_of(one)}
        self._words = {word for one in texts for word in _WORD.findall(one.casefold()) if _is_long(word)}
        self._pieces = PieceHashes()
        self._pieces.add(
            piece
            for one in texts
            for piece in pieces_of(one.encode("utf-8", "surrogatepass"))
            if len(piece) == PIECE_BYTES
        )

    def taken_out_of(self, value: Any) -> Any:
        """Return the detail of a run without what was said; what the engine itself says there stays."""
        if isinstance(value, str):
            return self.without(value)
        if isinstance(value, Mapping):
            return {
                name: one if name in _OWN else self._redact_part(name, one) for name, one in value.items()
            }
        return [self.taken_out_of(one) for one in value] if isinstance(value, list) else value

    def without(self, text: str) -> str:
        """Return a text with a word in place of what it says of what goes."""
        if text not in self._seen:
            left = text
            for one in self._whole:
                if one in left.casefold():
                    before = r"(?<![^\W_])" if _WORD.match(one[0]) else ""
                    after = r"(?![^\W_])" if _WORD.match(one[-1]) else ""
                    left = Pattern(before + re.escape(one) + after, re.IGNORECASE).sub(
                        lambda _: WITHOUT, left
                    )
            left = _WORD.sub(lambda found: WITHOUT if self._is_said(found[0]) else found[0], left)
            self._seen[text] = (
                WITHOUT if self._pieces.find_pieces(left.encode("utf-8", "surrogatepass")) else left
            )
        return self._seen[text]

    def _redact_part(self, name: str, value: Any) -> Any:
        if name != _RULES or not isinstance(value, list):
            return self.taken_out_of(value)
        return [[act, *map(self.taken_out_of, said)] for act, *said in value]

    def _is_said(self, word: str) -> bool:
        """Tell whether a word is one of those that went, and of no memory that stays."""
        if not _is_long(word):
            return False
        stems = list(fulltext.words_of(word))
        known = word.casefold() in self._words or not self._stems.isdisjoint(stems)
        return known and not (stems and self._staying(stems) >= set(stems))


NAMED = frozenset(column.name for column in COLUMNS if column.kind == "name")
_MENTIONED = (
    "SELECT DISTINCT position FROM mentions WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY position"
)
_NAMED = (
    "SELECT DISTINCT position FROM changes JOIN runs USING (position)"
    " WHERE kind = ? AND subkey IN (SELECT value FROM json_each(?)) AND scope = ?"
)
_RUN = f"SELECT {', '.join(HEADER)}, asked FROM runs WHERE position = ?"
_DETAILS = "SELECT position, detail FROM runs WHERE scope = ? AND detail IS NOT NULL"
_WHO = "SELECT position, actor, detail FROM runs WHERE scope = ?"
_PUT_WHO = "UPDATE runs SET actor = ?, detail = ? WHERE position = ?"
_PUT = 'INSERT INTO emptied (position, "by", header, rest) VALUES (?, ?, ?, ?)'
_KEPT = 'SELECT header FROM emptied WHERE position = ? ORDER BY "by" LIMIT 1'
_HOLDS = f"SELECT 1 FROM changes WHERE {OF_PART} UNION ALL SELECT 1 FROM blocks WHERE {OF_PART} LIMIT 1"
DELETE_CHANGE = f"DELETE FROM changes WHERE place = {PLACE}"
_REWRITE = f'UPDATE changes SET "before" = ?3, "after" = ?4 WHERE place = {PLACE}'
_TELL_NOTHING = frozenset({"id", "fingerprint", "vector", *NAMED})


@dataclass(slots=True)
class RedactedContent:
    """What the images that go said: texts of memories by number, every string, and the ids of rows that had gone."""

    texts: dict[int, set[str]] = field(default_factory=dict)
    strings: set[str] = field(default_factory=set)
    ids: dict[int, str] = field(default_factory=dict)


@dataclass
class Emptying:
    """The parts of one scope, given by number and name, out of which changes are taken."""

    connection: sqlite3.Connection
    names: Fresh | StringIds
    scope: tuple[int, str]
    gone: Collection[int]
    found: RedactedContent = field(default_factory=RedactedContent)
    _parts: dict[int, list[Row]] = field(default_factory=dict)  # what is left of each
    _headers: dict[int, bytes] = field(default_factory=dict)
    _ended: dict[int, bytes] = field(default_factory=dict)  # what parts held whose images have ended

    def __post_init__(self) -> None:
        """Look up how far images have ended."""
        self._mark = mark(self.connection, self.scope[0])

    def take(self) -> None:
        """Take out every change of the memories that go, and remember what it said."""
        positions = self.connection.execute(_MENTIONED, (id_list(self.gone),)).fetchall()
        for (position,) in positions:
            self._take(position, lambda row: row[2] in _OF_MEMORY and row[3] in self.gone)

    def take_named(self, table: str, keys: Iterable[str]) -> None:
        """Take out every change of rows of a table that no memory is named by."""
        key_set = frozenset(keys)
        if not key_set:
            return
        key_list = orjson.dumps(sorted(key_set)).decode()
        for (position,) in self.connection.execute(_NAMED, (CODE[table], key_list, self.scope[0])).fetchall():
            self._take(position, lambda row: row[2] == CODE[table] and row[4] in key_set)

    def silence(self, quoted: QuotedStrings) -> None:
        """Take out of why parts were done what says something of what goes."""
        for position, detail in self.connection.execute(_DETAILS, (self.scope[0],)).fetchall():
            why = orjson.loads(details.unpack(self.connection, self.names, detail) or "")
            without = quoted.taken_out_of(why)
            if without == why:
                continue
            self._rows(position)
            self.connection.execute(
                "UPDATE runs SET detail = ? WHERE position = ?", (json_text(without), position)
            )

    def take_names(self, names: Names) -> None:
        """Take a person's names out of why parts were done, and by whom."""
        for position, actor, stored_detail in self.connection.execute(_WHO, (self.scope[0],)).fetchall():
            detail = details.unpack(self.connection, self.names, stored_detail)
            by = None if actor is None else names.without(actor)
            why = None if detail is None else orjson.loads(detail)
            is_named = why is not None and names.stand_in_json(why)
            if by == actor and not is_named:
                continue
            self._rows(position)
            new_detail = json_text(names.taken_out_of(why)) if is_named else stored_detail
            self.connection.execute(_PUT_WHO, (by, new_detail, position))

    def part_digests(self) -> list[tuple[int, bytes, bytes]]:
        """Return of each part that was emptied its position, the digest of why it was done, and that of the rest."""
        return [
            (position, self._headers[position], rest(self.connection, self.names, self.scope[1], position))
            for position in sorted(self._parts)
        ]

    def end_mark_detail(self) -> dict[str, Any]:
        """Return what the run has to say of images that were kept beyond their time, where it took some of them."""
        if not self._ended:
            return {}
        stays = [
            rest(self.connection, self.names, self.scope[1], position)
            for position in sorted(self._ended)
            if holds_any(self.connection, position)
        ]
        return self._mark.replace_parts(self._ended.values(), stays).values()

    def _take(self, position: int, goes: Callable[[Row], bool]) -> None:
        rows = self._rows(position)
        going = {row[1]: row for row in rows if goes(row)}
        if not going:
            return
        by_number = {row[1]: row for row in rows}
        for row in going.values():
            self._remember(row, by_number)
        stay_rows = _shared_again([row for row in rows if row[1] not in going], by_number)
        changed_rows = [row for row in stay_rows if row != by_number[row[1]]]
        self.connection.executemany(DELETE_CHANGE, [(position, n) for n in going])
        _rewrite_rows(self.connection, changed_rows)
        self._parts[position] = stay_rows

    def _rows(self, position: int) -> list[Row]:
        """Return what is left of a part; the digest of why it was done is taken before anything is."""
        if position not in self._parts:
            *row, asked_digest = self.connection.execute(_RUN, (position,)).fetchone()
            header = plain_header(self.connection, self.names, row)
            header_row = self.connection.execute(_KEPT, (position,)).fetchone()
            self._headers[position] = (
                header_row[0] if header_row else header_digest(header, self.scope[1], asked_digest)
            )
            self._parts[position] = self.connection.execute(
                f"{SELECT_CHANGES} ORDER BY place", (position,)
            ).fetchall()
            if position <= self._mark.through and holds_any(self.connection, position):
                self._ended[position] = rest(self.connection, self.names, self.scope[1], position)
        return self._parts[position]

    def _remember(self, row: Row, by_number: Mapping[int, Row]) -> None:
        shape = None if row[5] is None else self.names.text(self.connection, row[5]).split(",")
        if row[4] is not None:
            self.found.strings.add(row[4])
        for side in (6, 7):
            image = _read_image(row, side, by_number)
            if image is None:
                continue
            value = orjson.loads(image)
            self.found.strings.update(
                one for field_value in _list_image_values(value, shape) for one in strings_in(field_value)
            )
            text = _text_of(value, shape)
            if row[2] == CODE["memories"] and text is not None:
                self.found.texts.setdefault(row[3], set()).add(text)
            if row[2] == CODE["memories"] and shape is None and "id" in value:
                self.found.ids[row[3]] = value["id"]


def write(connection: sqlite3.Connection, by: int, left: Sequence[tuple[int, bytes, bytes]]) -> None:
    """Keep what was left of parts by the part `by`."""
    connection.executemany(_PUT, [(position, by, header, digest) for position, header, digest in left])


def emptied_digest(left: Iterable[tuple[int, bytes, bytes]]) -> str:
    """Return the digest of what was left of parts, by which the part that emptied them vouches for it."""
    return digest_of(sorted(left)).hex()


def rest(connection: sqlite3.Connection, names: Fresh | StringIds, scope: str, position: int) -> bytes:
    """Return the digest of a part as it stands: why it was done, and what it changed."""
    *row, asked_digest = connection.execute(_RUN, (position,)).fetchone()
    header = plain_header(connection, names, row)
    rows = connection.execute(f"{SELECT_CHANGES} ORDER BY place", (position,)).fetchall()
    blocks = block_log.read(connection, position)
    numbers = shapes_of(rows, blocks)
    shapes = {number: names.text(connection, number) for number in numbers}
    content = header_digest(header, scope, asked_digest) + entries_digest(shapes, rows, blocks)
    return blake2b(content, digest_size=32).digest()


def share_again(connection: sqlite3.Connection, rows: Sequence[Row], stay: Sequence[Row]) -> None:
    """Give images of one part that were kept with changes which go to those that refer to them."""
    by_number = {row[1]: row for row in rows}
    mine = [row for row in stay if row[0] == rows[0][0]]
    shared_rows = _shared_again(mine, by_number)
    _rewrite_rows(connection, [row for row in shared_rows if row != by_number[row[1]]])


def _rewrite_rows(connection: sqlite3.Connection, changed: Sequence[Row]) -> None:
    connection.executemany(_REWRITE, [(*row[:2], *row[6:]) for row in changed])


def holds_any(connection: sqlite3.Connection, position: int) -> bool:
    """Tell whether any image of a part is there."""
    return connection.execute(_HOLDS, (position,)).fetchone() is not None


def strings_in(value: Any) -> Iterator[str]:
    """Yield every string in a value of JSON, names of fields too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield name
            yield from strings_in(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings_in(one)


def _read_image(row: Row, side: int, by_number: Mapping[int, Row]) -> str | None:
    """Return an image, also one that is kept with another change."""
    image: Any = row[side]
    return image if image is None or image[0] in "[{" else _read_image(by_number[int(image)], side, by_number)


def _list_image_values(value: Any, shape: Sequence[str] | None) -> list[Any]:
    """Return what an image says: an id and a number tell nothing of what a memory said."""
    if isinstance(value, Mapping):
        return [one for name, one in value.items() if name not in _TELL_NOTHING]
    if shape is None:
        return list(value)
    return [one for name, one in zip(shape, value, strict=False) if name not in _TELL_NOTHING]


def _text_of(value: Any, shape: Sequence[str] | None) -> str | None:
    """Return the text that an image of a memory holds."""
    if isinstance(value, Mapping):
        text = value.get("text")
    else:
        text = value[shape.index("text")] if shape and "text" in shape else None
    return text if isinstance(text, str) else None


def _shared_again(kept: Sequence[Row], by_number: Mapping[int, Row]) -> list[Row]:
    """Give an image that was kept with a change that goes to the first that refers to it."""
    numbers = {row[1] for row in kept}
    heirs: dict[tuple[int, str], int] = {}
    shared_rows = []
    for row in kept:
        sides: list[str | None] = [row[6], row[7]]
        for at, image in enumerate(sides):
            if image is None or image[0] in "[{" or int(image) in numbers:
                continue
            heir = heirs.setdefault((at, image), row[1])
            sides[at] = _read_image(row, 6 + at, by_number) if heir == row[1] else str(heir)
        shared_rows.append((*row[:6], *sides))
    return shared_rows  # type: ignore[return-value]


def _is_long(word: str) -> bool:
    return len(word.encode("utf-8", "surrogatepass")) >= SHORTEST
