"""What the parts of one commit share: the scope, the cause and the images for the audit."""

from dataclasses import dataclass
from typing import Any

from remanence.core.change import Cause
from remanence.core.model import Column
from remanence.store.sql.audit import PartImages
from remanence.store.sql.database import Database
from remanence.store.sql.names import ScopeNames
from remanence.store.sql.rows import decode_value, encode_value
from remanence.store.sql.scope import OpenScope
from remanence.store.sql.sums import Sums

Key = tuple[str, Any]  # (table, key), as Conflict names rows


@dataclass(slots=True)
class CommitContext:
    """One commit under way in an open transaction; `words` is by how much the scope's texts with words grew."""

    scope: OpenScope
    cause: Cause
    images: PartImages
    words: int = 0

    @property
    def db(self) -> Database:
        """The database."""
        return self.scope.db

    @property
    def no(self) -> int:
        """The number of the scope."""
        return self.scope.no

    @property
    def names(self) -> ScopeNames:
        """The names of the scope."""
        return self.scope.names

    @property
    def sums(self) -> Sums:
        """By how much the check sums change."""
        return self.scope.sums

    def encode_value(self, column: Column, value: Any) -> Any:
        """Turn a plain value into what a database keeps."""
        if column.kind == "name" and value is not None:
            return self.names.make(column.name, value)
        return encode_value(column, value)

    def decode_kept_value(self, column: Column, kept: Any) -> Any:
        """Turn what a database keeps into the plain value."""
        if column.kind == "name" and kept is not None:
            return self.names.text(kept)
        return decode_value(column, kept)

    def encode_image(self, column: Column, kept: Any) -> Any:
        """Turn what a database keeps into what an image holds: the plain value, blobs as hex digits."""
        if column.kind == "blob":
            return None if kept is None else kept.hex()
        return self.decode_kept_value(column, kept)
