"""The zone of a scope: how far its clocks stood from UTC at each instant, by the zones that IANA names.

Knows names of zones and the setting; must not know what was said when.
"""

from collections.abc import Mapping
from datetime import tzinfo
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from remanence.core.errors import InvalidInput, format_value, nearest

ZONE = "zone"


def find_zone(name: str) -> tzinfo:
    """Return a zone by its IANA name, or raise InvalidInput."""
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):  # no zone, no name of one, a folder of zones
        known = sorted(available_timezones())
        near = nearest(name, known)
        recovery = (
            "write a continent and a city, such as Europe/Oslo" if near is None else f"did you mean {near!r}?"
        )
        if not known:
            recovery = "install the package tzdata: this machine knows no zones"
        raise InvalidInput(
            f"{ZONE} is {format_value(name)}, which names no zone", recovery=recovery
        ) from None


def zone_of(row: Mapping[str, Any] | None) -> tzinfo | None:
    """Return the zone that the row of the setting names, None for none."""
    return None if row is None or not row["value"] else find_zone(row["value"])
