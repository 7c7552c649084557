"""What a file of the mirror is called: names that any system can keep, from what a memory is and when it came.

Knows names alone; whatever a category or an id holds, nothing of it leads out of its folder.
"""

import re
import unicodedata
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b

from remanence.core.clock import DAY, SECOND
from remanence.core.model import Memory, Status
from remanence.flows.consolidate.boxes import Box
from remanence.read.entity import name_of

FACTS, CORRECTIONS, ARTIFACTS, ARCHIVE = "facts", "corrections", "artifacts", "archive"
ENTITIES, BOXES = "entities", "boxes"
NO_GOAL = "box"
HASH_CHARS = 8  # of an id
SLUG_CHARS = 40
NO_SLUG = "other"  # where nothing of a name can stand in a file's
NO_CATEGORY = "memory"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ID = re.compile(r"[0-9a-f]{32}")
_APART = re.compile(r"[^a-z0-9]+")
_ENDING = ".md"
_MILLISECOND = 1_000


def path_of(memory: Memory, folder: str | None = None) -> str:
    """Return the path of a memory's file."""
    folder = _folder(memory) if folder is None else folder
    at = memory.status_at if folder == ARCHIVE else memory.learned_at
    slug = slug_of(memory.category or NO_CATEGORY)
    mark = _hex(memory.id)[-HASH_CHARS:]
    return f"{folder}/{_day(at // DAY)}/{slug}-{_stamp(memory.learned_at)}-{mark}{_ENDING}"


def entity_path(memory: Memory) -> str:
    """Return the path of an entity's page, which follows its name."""
    return f"{ENTITIES}/{slug_of(name_of(memory))}-{_hex(memory.id)[-HASH_CHARS:]}{_ENDING}"


def box_path(box: Box) -> str:
    """Return the path of a box's page, under the day of its first turn; its number stands there once in a scope."""
    slug = slug_of(box.goal or NO_GOAL)
    return f"{BOXES}/{_day(box.opened_at // DAY)}/{slug}-{_stamp(box.opened_at)}-{box.number}{_ENDING}"


def longer(path: str, id_: str) -> str:
    """Return a path with the whole id, for where the one with eight digits of it is another memory's."""
    return f"{path[: -len(_ENDING) - HASH_CHARS]}{_hex(id_)}{_ENDING}"


@lru_cache(maxsize=1_024)
def slug_of(name: str) -> str:
    """Return a name in small letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return _APART.sub("-", plain).strip("-")[:SLUG_CHARS].rstrip("-") or NO_SLUG


def _folder(memory: Memory) -> str:
    if memory.status is Status.ARCHIVED:
        return ARCHIVE
    return CORRECTIONS if memory.category == "correction" else FACTS


def _hex(id_: str) -> str:
    """Return an id, or its digest where it is not one that was made here."""
    return id_ if _ID.fullmatch(id_) else blake2b(id_.encode(), digest_size=16).hexdigest()


@lru_cache(maxsize=1_024)
def _day(day: int) -> str:
    return (_EPOCH + timedelta(days=day)).date().isoformat()


def _stamp(micros: int) -> str:
    """Write a time to the millisecond, UTC, in digits: 20260302T093015123Z."""
    second, micros = divmod(micros, SECOND)
    return f"{_seconds(second)}{micros // _MILLISECOND:03}Z"


@lru_cache(maxsize=4_096)  # what is read together came at about the same time
def _seconds(second: int) -> str:
    minute, second = divmod(second, 60)
    hour, minute = divmod(minute, 60)
    day, hour = divmod(hour, 24)
    return f"{_day(day).replace('-', '')}T{hour:02}{minute:02}{second:02}"
