"""When a memory's columns were set: stamps beside them, and of what is edited the times of its last edits.

Knows columns and times; must not know what a verb does.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from remanence.core.model import STANDING, Memory

# Each of these columns is set to the time of the act if and only if the column before it changes.
STAMPS: Mapping[str, str] = {
    "status": "status_at",
    "tier": "tier_at",
    "state": "state_at",
    "reinforced": "reinforced_at",
    "text": "text_at",
    "confidence": "confidence_at",
}
# Of these columns a memory keeps in `edits` when each was edited, and under BACK when it was active again: of two
# versions of a memory that says which is newer, and whether it knew the other.
EDITED = ("text", "category", "kind", "severity", "attributes", "importance", "valid_from", "valid_to")
BACK = "back"
EDITS_MAX = 32  # of a column; of versions that many edits apart neither is known to follow from the other


def add_stamps(row: Memory | Mapping[str, Any], values: Mapping[str, Any], now: int) -> dict[str, Any]:
    """Return values of one memory's columns with the stamps of those that change."""
    changed = [name for name in values if values[name] != read_column(row, name)]
    stamps = {STAMPS[name]: now for name in changed if name in STAMPS}
    edited = [name for name in changed if name in EDITED]
    if "status" in changed and values["status"] in STANDING and read_column(row, "status") not in STANDING:
        edited.append(BACK)
    if not edited:
        return {**values, **stamps}
    edits = _add_edits(read_column(row, "edits"), edited, now, read_column(row, "status_at"))
    return {**values, **stamps, "edits": edits}


def read_column(row: Memory | Mapping[str, Any], name: str) -> Any:
    """Return a column of a memory, or of a row of it."""
    return row.get(name) if isinstance(row, Mapping) else getattr(row, name)


def _add_edits(
    edits: Mapping[str, Sequence[int]] | None, names: Iterable[str], now: int, gone_at: int
) -> dict[str, list[int]]:
    """Add an edit of some columns: later than all that are there, also where another device's clock is fast.

    Coming back is later than what it takes back, which was at `gone_at`.
    """
    new = {name: list(times) for name, times in (edits or {}).items()}
    for name in names:
        times = new.get(name, [])
        before = [*times, gone_at] if name == BACK else times
        new[name] = [*times, max([now, *(time + 1 for time in before)])][-EDITS_MAX:]
    return new
