"""A memory that is read from SQLite has all its fields."""

from dataclasses import fields

from remanence.core.model import Memory
from remanence.store.sql import rows


def test_every_field_of_a_memory_is_set_when_it_is_read() -> None:
    """Each is a column or stands beside the row, so that none is left without a value."""
    assert {one.name for one in fields(Memory)} == {*rows.WHOLE_NAMES, *rows.BESIDE}
