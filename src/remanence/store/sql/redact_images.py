"""What an erasure takes out of the audit: images and quotations of what goes, while the digests that prove it stay.

Knows rows of `runs` and `changes`, words and bytes; must not know what becomes of the memories themselves.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import orjson

from remanence.core.model import COLUMNS
from remanence.core.patterns import Pattern
from remanence.core.redaction import Names
from remanence.store.audit_parts import digest_of
from remanence.store.residue_scan import PIECE_BYTES, SHORTEST, PieceHashes, pieces_of
from remanence.store.sql import details, fulltext
from remanence.store.sql.audit import (
    CODE,
    HEADER,
    PartContent,
    Row,
    header_digest,
    json_text,
    mark,
    plain_header,
    read_contents,
)
from remanence.store.sql.dialect import Statement, build_insert
from remanence.store.sql.scope import OpenScope

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
_MENTIONED = Statement(
    lambda sql: (
        f"SELECT DISTINCT position FROM mentions WHERE scope = ?1 AND seq {sql.among(2)} ORDER BY position"
    )
)
_NAMED = Statement(
    lambda sql: (
        "SELECT DISTINCT position FROM changes"
        f" WHERE scope = ?1 AND kind = ?2 AND subkey {sql.among_texts(3)} ORDER BY position"
    )
)
_RUNS = Statement(
    lambda sql: (
        f"SELECT {', '.join(HEADER)}, asked FROM runs WHERE scope = ?1 AND position {sql.among(2)} ORDER BY position"
    )
)
_DETAILS = Statement("SELECT position, detail FROM runs WHERE scope = ?1 AND detail IS NOT NULL")
_WHO = Statement(
    "SELECT position, actor, detail FROM runs WHERE scope = ?1 AND (actor IS NOT NULL OR detail IS NOT NULL)"
)
_PUT_DETAIL = Statement("UPDATE runs SET detail = ?3 WHERE scope = ?1 AND position = ?2")
_PUT_WHO = Statement("UPDATE runs SET actor = ?3, detail = ?4 WHERE scope = ?1 AND position = ?2")
_PUT = Statement(build_insert("emptied", ("scope", "position", "by", "header", "rest")))
_KEPT = Statement(
    lambda sql: (
        f"SELECT position, header FROM emptied WHERE scope = ?1 AND position {sql.among(2)} ORDER BY position, by DESC"
    )
)
_DELETE_CHANGE = Statement("DELETE FROM changes WHERE scope = ?1 AND position = ?2 AND n = ?3")
_REWRITE = Statement(
    "UPDATE changes SET before = ?4, after = ?5 WHERE scope = ?1 AND position = ?2 AND n = ?3"
)
_AT_ONCE = 500
_TELL_NOTHING = frozenset({"id", "fingerprint", "vector", *NAMED})


@dataclass(slots=True)
class RedactedContent:
    """What the images that go said: texts of memories by number, every string, and the ids of rows that had gone."""

    texts: dict[int, set[str]] = field(default_factory=dict)
    strings: set[str] = field(default_factory=set)
    ids: dict[int, str] = field(default_factory=dict)


@dataclass
class Emptying:
    """The parts of one scope out of which changes of what is `meant` are taken."""

    scope: OpenScope
    meant: Collection[int]
    found: RedactedContent = field(default_factory=RedactedContent)
    _parts: dict[int, list[Row]] = field(default_factory=dict)  # what is left of each
    _headers: dict[int, bytes] = field(default_factory=dict)
    _ended: dict[int, bytes] = field(default_factory=dict)  # what parts held whose images have ended

    def __post_init__(self) -> None:
        """Look up how far images have ended."""
        self._mark = mark(self.scope)

    def take(self) -> None:
        """Take out every change of the memories that go, and remember what it said."""
        db = self.scope.db
        positions = db.rows(_MENTIONED, (self.scope.no, db.make_list(sorted(self.meant))))
        self._take(positions, lambda row: row[2] in _OF_MEMORY and row[3] in self.meant)

    def take_named(self, table: str, keys: Iterable[str]) -> None:
        """Take out every change of rows of a table that no memory is named by."""
        key_set, db = frozenset(keys), self.scope.db
        if key_set:
            positions = db.rows(_NAMED, (self.scope.no, CODE[table], db.make_list(sorted(key_set))))
            self._take(positions, lambda row: row[2] == CODE[table] and row[4] in key_set)

    def silence(self, quoted: QuotedStrings) -> None:
        """Take out of why parts were done what says something of what goes."""
        changed: list[tuple[int, int, str]] = []
        for position, detail in self.scope.db.rows(_DETAILS, (self.scope.no,)):
            why = orjson.loads(details.unpack(self.scope.names, detail) or "")
            without = quoted.taken_out_of(why)
            if without != why:
                changed.append((self.scope.no, position, json_text(without)))
        if changed:
            self._load([position for _, position, _ in changed])
            self.scope.db.run_many(_PUT_DETAIL, changed)

    def take_names(self, names: Names) -> None:
        """Take a person's names out of why parts were done, and by whom."""
        changed: list[tuple[int, int, str | None, str | None]] = []
        for position, actor, stored_detail in self.scope.db.rows(_WHO, (self.scope.no,)):
            detail = details.unpack(self.scope.names, stored_detail)
            by = None if actor is None else names.without(actor)
            why = None if detail is None else orjson.loads(detail)
            is_named = why is not None and names.stand_in_json(why)
            if by != actor or is_named:
                new_detail = json_text(names.taken_out_of(why)) if is_named else stored_detail
                changed.append((self.scope.no, position, by, new_detail))
        if changed:
            self._load([position for _, position, *_ in changed])
            self.scope.db.run_many(_PUT_WHO, changed)

    def part_digests(self) -> list[tuple[int, bytes, bytes]]:
        """Return of each part that was emptied its position, the digest of why it was done, and that of the rest."""
        left = rests(self.scope, sorted(self._parts))
        return [(position, self._headers[position], rest) for position, rest in left.items()]

    def end_mark_detail(self) -> dict[str, Any]:
        """Return what the run has to say of images that were kept beyond their time, where it took some of them."""
        if not self._ended:
            return {}
        left = rests(self.scope, sorted(self._ended), hold_any=True)
        return self._mark.replace_parts(self._ended.values(), left.values()).values()

    def _take(self, positions: Iterable[tuple[int, ...]], goes: Callable[[Row], bool]) -> None:
        """Take the changes that go out of parts."""
        listed = [position for (position,) in positions]
        self._load(listed)
        going_rows: list[Row] = []
        changed_rows: list[Row] = []
        for position in listed:
            rows = self._parts[position]
            going = {row[1]: row for row in rows if goes(row)}
            if not going:
                continue
            by_number = {row[1]: row for row in rows}
            for row in going.values():
                self._remember(row, by_number)
            stay_rows = _shared_again([row for row in rows if row[1] not in going], by_number)
            changed_rows += [row for row in stay_rows if row != by_number[row[1]]]
            going_rows += going.values()
            self._parts[position] = stay_rows
        delete_changes(self.scope, going_rows)
        rewrite_changes(self.scope, changed_rows)

    def _load(self, positions: Iterable[int]) -> None:
        """Read what is left of parts; the digest of why each was done is taken before anything is."""
        for some in _cut(sorted(set(positions) - self._parts.keys())):
            contents, whys = read_contents(self.scope, some), _read_whys(self.scope, some)
            kept = self.scope.db.rows(_KEPT, (self.scope.no, self.scope.db.make_list(some)))
            self._headers |= {**whys, **dict(kept)}  # of those that were emptied before, what was kept first
            self._parts |= {position: content.rows for position, content in contents.items()}
            ended = {
                position: content
                for position, content in contents.items()
                if content and position <= self._mark.through
            }
            self._ended |= _compute_rests(self.scope, ended, whys)

    def _remember(self, row: Row, by_number: Mapping[int, Row]) -> None:
        shape = None if row[5] is None else self.scope.names.text(row[5]).split(",")
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


def write(scope: OpenScope, by: int, left: Sequence[tuple[int, bytes, bytes]]) -> None:
    """Keep what was left of parts by the part `by`."""
    if left:
        scope.db.run_many(
            _PUT, [(scope.no, position, by, header, digest) for position, header, digest in left]
        )


def emptied_digest(left: Iterable[tuple[int, bytes, bytes]]) -> str:
    """Return the digest of what was left of parts, by which the part that emptied them vouches for it."""
    return digest_of(sorted(left)).hex()


def rests(scope: OpenScope, positions: Sequence[int], *, hold_any: bool = False) -> dict[int, bytes]:
    """Return the digests of parts, or of those that `hold_any`, as they stand: why each was done, what it changed."""
    digests: dict[int, bytes] = {}
    for some in _cut(positions):
        contents = read_contents(scope, some)
        if hold_any:
            contents = {position: content for position, content in contents.items() if content}
        digests |= _compute_rests(scope, contents, _read_whys(scope, some))
    return digests


def _compute_rests(
    scope: OpenScope, contents: Mapping[int, PartContent], whys: Mapping[int, bytes]
) -> dict[int, bytes]:
    scope.names.read_texts({number for content in contents.values() for number in content.shapes})
    return {
        position: rest_digest(whys[position], content.digest(scope.names))
        for position, content in contents.items()
    }


def _cut(positions: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield positions in lists of which what the parts hold is read at once."""
    for begin in range(0, len(positions), _AT_ONCE):
        yield positions[begin : begin + _AT_ONCE]


def rest_digest(why: bytes, entries: bytes) -> bytes:
    """Return the digest of a part as it stands from those of why it was done and of what it changed."""
    return blake2b(why + entries, digest_size=32).digest()


def _read_whys(scope: OpenScope, positions: Sequence[int]) -> dict[int, bytes]:
    """Return the digests of why parts were done, as they say it now."""
    rows = scope.db.rows(_RUNS, (scope.no, scope.db.make_list(positions)))
    return {
        row[0]: header_digest(plain_header(scope.names, row), scope.name, asked_digest)
        for *row, asked_digest in rows
    }


def share_again(rows: Sequence[Row], stay: Sequence[Row]) -> list[Row]:
    """Give images of one part that were kept with changes which go to those that refer to them; return what changed."""
    by_number = {row[1]: row for row in rows}
    return [row for row in _shared_again(stay, by_number) if row != by_number[row[1]]]


def delete_changes(scope: OpenScope, rows: Sequence[Row]) -> None:
    """Take changes away."""
    if rows:
        scope.db.run_many(_DELETE_CHANGE, [(scope.no, *row[:2]) for row in rows])


def rewrite_changes(scope: OpenScope, changed: Sequence[Row]) -> None:
    """Write the images of changes anew."""
    if changed:
        scope.db.run_many(_REWRITE, [(scope.no, *row[:2], *row[6:]) for row in changed])


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
