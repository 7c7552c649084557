"""What importers of other memories share: times, names, keys and the rows of a database, read with care.

Knows single values; must not know which format they come from.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, NoReturn, TypeVar

from remanence.core.arguments import TAGS_MAX
from remanence.core.errors import IngestError, InvalidInput
from remanence.core.half_characters import mend_text
from remanence.core.model import NAME_CHARS_MAX
from remanence.write.transcripts import base, turn_fields
from remanence.write.transcripts.importer_source import SkipCounts, Source, SqliteTable
from remanence.write.transcripts.turn_fields import FlawError, Path

T = TypeVar("T")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_HASH_BYTES = 16
_VERSION_CHARS = 16  # of a hash, in the key of what a memory said before


def read_moment(what: str, given: Any, path: Path = (), *, is_utc: bool = False) -> datetime | None:
    """Return a time that a source gives in ISO 8601; None where it gives none.

    One without a zone is of the scope's zone, and of UTC if what wrote it `is_utc` always; else it is refused.
    """
    if given is None or given == "":
        return None
    try:
        moment = datetime.fromisoformat(given) if isinstance(given, str) else None
        if moment is None:
            raise FlawError(f"{what!r} {given!r} is not a time", turn_fields.TIME_RECOVERY, path)
        return turn_fields.place_moment(
            moment.replace(tzinfo=UTC) if is_utc and moment.utcoffset() is None else moment
        )
    except InvalidInput as error:
        raise FlawError(f"{what!r} {given!r}: {error}", turn_fields.TIME_RECOVERY, path) from None
    except ValueError:
        raise FlawError(f"{what!r} {given!r} is not a time", turn_fields.TIME_RECOVERY, path) from None


def keep_name(what: str, given: Any, skipped: SkipCounts) -> str | None:
    """Return a name as it is; one that is none (too long, of signs that do not print) is left out and counted."""
    if given is None or given == "":
        return None
    if isinstance(given, int) and not isinstance(given, bool):
        given = str(given)
    if is_name(given):
        return str(given)
    skipped.note(f"{what} that is no name", repr(given))
    return None


def keep_tags(given: Iterable[Any], skipped: SkipCounts) -> tuple[str, ...]:
    """Return tags, each once; what is no name, and what is beyond the most that a memory has, is counted."""
    tags = dict.fromkeys(tag for one in given if (tag := keep_name("tag", one, skipped)) is not None)
    kept = tuple(tags)[:TAGS_MAX]
    for tag in tuple(tags)[TAGS_MAX:]:
        skipped.note(f"tag beyond {TAGS_MAX}", tag)
    return kept


def is_name(given: Any) -> bool:
    """Tell whether something is a name."""
    return (
        isinstance(given, str)
        and bool(given.strip())
        and len(given) <= NAME_CHARS_MAX
        and mend_text(given)[0].isprintable()
    )


def make_key(given: Any, *more: str) -> str:
    """Return an id of a source as a key, with more that tells it from others of that id; hashed where it is no name."""
    key = "".join((str(given), *more))
    return key if is_name(key) else f"sha:{digest(key)}"


def make_id_key(id_: str, within: str) -> str:
    """Return an id as a key: a UUID is one of its own, any other counts within its conversation, agent or file."""
    return make_key(id_) if _UUID.search(id_) else make_key(f"{within}:{id_}")


class MessageKeys:
    """The keys of messages by their ids, each given once."""

    def __init__(self) -> None:
        self._texts: set[tuple[str, str]] = set()
        self._keys: set[str] = set()

    def take(self, id_: str, thread: str, text: str) -> str | None:
        """Return the key of a message; None where one of that id says the same, as where a conversation branched off.

        Ids of some programs count from the beginning in each conversation: where the texts differ both come in.
        """
        if (id_, text) in self._texts:
            return None
        self._texts.add((id_, text))
        key = make_id_key(id_, thread)
        key = make_key(f"{thread}:{id_}") if key in self._keys else key
        key = make_version_key(f"{thread}:{id_}", text) if key in self._keys else key
        self._keys.add(key)
        return key


def make_version_key(id_: object, text: str) -> str:
    """Return the key of what a memory of a source said before, whose id is the key of what it says now."""
    return make_key(id_, f"@{digest(text)[:_VERSION_CHARS]}")


def digest(text: str) -> str:
    """Return what stands for a text in a key."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).hexdigest()


def can_keep_text(text: Any, key: object, skipped: SkipCounts) -> bool:
    """Tell whether a text can be learnt; one that cannot is counted."""
    if text is not None and not isinstance(text, str):
        skipped.note(f"text that is no text but of type {type(text).__name__}", key)
        return False
    if not text or not text.strip():
        skipped.note("no text in it", key)
        return False
    problem = turn_fields.problem_of(text)
    if problem is not None:
        skipped.note(problem, key)
    return problem is None


def keep_attributes(given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what is said of an item beside its text; None where there is nothing."""
    return {
        name: value for name, value in given.items() if value is not None and value not in ("", [], {})
    } or None


def read_rows(
    path: str, table: SqliteTable, read_row: Callable[[Mapping[str, Any]], Iterable[T]]
) -> Iterator[T]:
    """Yield what a reader finds in each row of a table; a flaw in it gets its row."""
    for number, row in enumerate(table.records(), start=1):
        try:
            yield from read_row(row)
        except FlawError as flaw:
            raise IngestError(str(flaw), recovery=flaw.recovery, source=path, line=number) from None


def require_object(given: Any, what: str, path: Path) -> Mapping[str, Any]:
    """Return an object, or raise FlawError."""
    if not isinstance(given, dict):
        raise FlawError(f"{what} is not an object", "name the format that it has, or export it again", path)
    return given


def require_id(given: Mapping[str, Any], name: str, path: Path) -> str:
    """Return the id of an object, or raise FlawError where it has none."""
    value = given.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise FlawError(
            f"{name!r} is missing", "export it again: without ids it would come in anew each time", path
        )
    return str(value)


def find_files(source: Source, fits: Callable[[Mapping[str, Any]], bool]) -> list[str]:
    """Return the files whose first JSON object fits: the one file, or those of a folder that are in none below.

    One of a folder that is cut off is an IngestError: nobody can tell what it would have held.
    """
    names = (
        [name for name in source.list_files(".json") if "/" not in name] if source.is_folder else source.files
    )
    found = []
    for name in names:
        text = source.text(name)
        head = base.head(text)
        if head is None and source.is_folder:
            base.parse_json(text, name)
        elif head is not None and fits(head):
            found.append(name)
    return found


def require_files(source: Source, fits: Callable[[Mapping[str, Any]], bool], what: str) -> list[str]:
    """Return the files that fit, or the one that is no JSON, so that it says why; else raise IngestError."""
    names = find_files(source, fits)
    if not names and not source.is_folder:
        names = [name for name in source.files if base.head(source.text(name)) is None]
    return names or refuse_without(source, what)


def require_tables(source: Source, what: str, name: str, *columns: str) -> list[tuple[str, SqliteTable]]:
    """Return the tables of a name that have some columns, or raise IngestError where there are none."""
    return source.list_tables(name, *columns) or refuse_without(source, what)


def refuse_without(source: Source, what: str) -> NoReturn:
    """Raise the error that a source has nothing of a format."""
    raise IngestError(
        f"it holds no {what}", recovery="name the format that it has", source=source.name, line=1
    )
