"""The file of a LangGraph `SqliteStore`: items by namespace and key, each a JSON object.

Knows that format; must not know other formats.
"""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Literal

from remanence.core.model import Turn
from remanence.write.imported import ImportedTurn
from remanence.write.transcripts import base, item_fields
from remanence.write.transcripts.content_types import LEFT_OUT, ContentTypes
from remanence.write.transcripts.importer_source import SkipCounts, Source
from remanence.write.transcripts.turn_fields import FlawError

_COLUMNS = ("prefix", "key", "value", "created_at", "updated_at")
CONTENT = ContentTypes({"text": ("text",), "thinking": LEFT_OUT, "tool_use": LEFT_OUT, "image_url": LEFT_OUT})
# Fields that hold what an item says, the first that is there.
TEXT_FIELDS = ("text", "content", "memory", "data", "fact", "value")


class LangGraphStore:
    """The items of a store."""

    reads_sources: Literal[True] = True
    summary = "the SQLite file of a LangGraph SqliteStore"

    def recognises(self, source: Source) -> bool:
        """Tell whether there is a table `store` of that shape."""
        return bool(source.list_tables("store", *_COLUMNS))

    def turns(self, source: Source, skipped: SkipCounts) -> Iterator[Turn]:
        """Yield an item a turn."""
        for path, table in item_fields.require_tables(source, "store of LangGraph", "store", *_COLUMNS):
            yield from item_fields.read_rows(path, table, partial(_read_item, skipped))


def _read_item(skipped: SkipCounts, row: Mapping[str, Any]) -> Iterator[Turn]:
    prefix, name = (str(row[column]) for column in ("prefix", "key"))
    try:
        raw = row["value"]
        value = base.loads(raw.decode() if isinstance(raw, bytes) else str(raw))
    except (ValueError, UnicodeDecodeError) as error:
        raise FlawError(
            f"the value of {name!r} is not JSON: {error}", "the file is damaged; copy it again"
        ) from None
    if not isinstance(value, dict):
        raise FlawError(f"the value of {name!r} is not an object", "the file is damaged; copy it again")
    created, updated, expires = (
        item_fields.read_moment(column, row.get(column), is_utc=True)
        for column in ("created_at", "updated_at", "expires_at")
    )
    said, rest = find_text(value, skipped)
    key = item_fields.make_key(f"{prefix}/{name}")
    if said is not None and item_fields.can_keep_text(said, key, skipped):
        yield ImportedTurn(
            text=said,
            thread=item_fields.keep_name("namespace", prefix, skipped),
            said_at=created if updated is None else updated,
            source="langgraph",
            key=key,
            attributes=item_fields.keep_attributes({**rest, "namespace": prefix.split(".")}),
            valid_until=expires,
        )


def find_text(value: Mapping[str, Any], skipped: SkipCounts) -> tuple[str | None, dict[str, Any]]:
    """Return what the object of an item says, and the rest of it; all its fields as lines where none is its text.

    What it says may be a text, the parts of a message, or an object with such a content. It is None where all parts
    are left out.
    """
    for name in TEXT_FIELDS:
        held = value.get(name)
        rest = {other: one for other, one in value.items() if other != name}
        if isinstance(held, dict) and isinstance(held.get("content"), str | list):
            rest |= {other: one for other, one in held.items() if other != "content"}
            held = held["content"]
        if isinstance(held, list) and any(isinstance(one, dict) and "type" in one for one in held):
            held = CONTENT.read_text(held, skipped)
            if held is None:
                return None, rest
        if isinstance(held, str) and held.strip():
            return held, rest
    plain = {name: one for name, one in value.items() if isinstance(one, str | int | float) and one != ""}
    if plain:
        return "\n".join(f"{name}: {one}" for name, one in plain.items()), {
            name: one for name, one in value.items() if name not in plain
        }
    return "\n".join(
        f"{name}: {json.dumps(one, ensure_ascii=False)}" for name, one in value.items() if one
    ), {}
