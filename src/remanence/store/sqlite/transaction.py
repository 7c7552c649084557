"""What the parts of one commit share: connection, scope, cause, the images for the audit and the check sums."""

import sqlite3
from dataclasses import dataclass, field
from typing import Any

from remanence.core.change import Cause
from remanence.core.model import Column
from remanence.store.sqlite.audit import PartImages
from remanence.store.sqlite.rows import decode_value, encode_value
from remanence.store.sqlite.string_ids import Fresh
from remanence.store.sqlite.sums import Sums

Key = tuple[str, Any]  # (table, key), as Conflict names rows


@dataclass(slots=True)
class CommitContext:
    """One commit under way in an open transaction; `words` is by how much the scope's texts with words grew."""

    connection: sqlite3.Connection
    names: Fresh
    no: int  # the scope's number
    scope: str
    cause: Cause
    images: PartImages
    words: int = 0
    sums: Sums = field(default_factory=Sums)

    def number(self, space: str, name: str) -> int:
        """Return the number of a name, giving it one where it has none."""
        return self.names.make(self.connection, space, name)

    def encode_value(self, column: Column, value: Any) -> Any:
        """Turn a plain value into what SQLite keeps."""
        if column.kind == "name" and value is not None:
            return self.number(column.name, value)
        return encode_value(column, value)

    def decode_kept_value(self, column: Column, kept: Any) -> Any:
        """Turn what SQLite keeps into the plain value."""
        if column.kind == "name" and kept is not None:
            return self.names.text(self.connection, kept)
        return decode_value(column, kept)

    def encode_image(self, column: Column, kept: Any) -> Any:
        """Turn what SQLite keeps into what an image holds: the plain value, blobs as hex digits."""
        if column.kind == "blob":
            return None if kept is None else kept.hex()
        return self.decode_kept_value(column, kept)
