"""The settings of a recall: what it leaves out, and how much links of the best answers add.

Knows names and values; must not know how memories are looked for.
"""

from typing import NamedTuple

from remanence.core.arrival import WriteContext
from remanence.core.errors import InvalidInput, format_value
from remanence.store.base import setting_row

LEAVES_OUT, LINKS = "recall_leaves_out", "recall_links"
LINKS_BUILT_IN = 0  # in percent
ARCHIVED, STALE = "archived", "stale"  # what may be left out
SETTING_ROWS = (setting_row(LEAVES_OUT), setting_row(LINKS))


class RecallSettings(NamedTuple):
    """Whether a recall looks into the archive unasked, what links add, and whether what is stale is left out."""

    is_open: bool
    links: int
    leaves_stale: bool


def read_recall_settings(known: WriteContext) -> RecallSettings:
    """Return the settings of a scope, of which the values of `SETTING_ROWS` are known."""
    leaves_out, links = map(known.values.get, SETTING_ROWS)
    left_out = parse_left_out("" if leaves_out is None else leaves_out["value"])
    return RecallSettings(
        ARCHIVED not in left_out,
        LINKS_BUILT_IN if links is None else int(links["value"]),
        STALE in left_out,
    )


def parse_left_out(words: str) -> frozenset[str]:
    """Read what recall leaves out: `archived`, `stale`, or both with a comma between."""
    left_out = frozenset(word.strip() for word in words.split(",") if word.strip())
    if not left_out <= {ARCHIVED, STALE}:
        raise InvalidInput(
            f"{LEAVES_OUT} is {format_value(words)}",
            recovery=f"use {ARCHIVED}, {STALE}, or both with a comma between",
        )
    return left_out
