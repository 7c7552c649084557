"""Two versions of one memory, as two files have it, become one: the same whichever comes first, and however often.

Knows columns and when each was set; knows no store and no file. The columns are in groups, and each group is taken
whole from the version that has more of its order: the newer edit, the stronger status. Where the order says nothing
the values decide, so that all files choose alike.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import orjson

from remanence.core.model import COLUMNS, Status
from remanence.core.stamps import BACK, EDITED, EDITS_MAX
from remanence.edit.one_memory import hold_columns

Version = Mapping[str, Any]  # the columns of a memory that are not at their default
Order = tuple[Any, ...]
NEVER = -(2**63)
# What stands nowhere, and by that comes before what stands; and how far a memory is from where it began.
_GONE = frozenset({Status.SUPERSEDED, Status.PRUNED})
_STATUS_RANK = {
    status: rank
    for rank, status in enumerate(
        (
            Status.QUARANTINED,
            Status.INBOX,
            Status.ACTIVE,
            Status.ARCHIVED,
            Status.SUPERSEDED,
            Status.PRUNED,
        )
    )
}
_DEFAULTS: Mapping[str, Any] = {column.name: column.default for column in COLUMNS}
# What belongs to a file: who used a memory there, and how often the row was written.
ONE_FILE = frozenset({"id", "accessors", "revision", "touched", "vector"})


@dataclass(frozen=True, slots=True)
class MergedVersion:
    """What two versions of a memory become.

    `columns` has every column but those of ONE_FILE. `other` is the version whose text was edited on its side while
    another was on the other: neither follows from the other, and this one is the older. `conflicts` names the other
    columns of which that is so; the newer value is kept.
    """

    columns: dict[str, Any]
    other: Version | None
    conflicts: tuple[str, ...]


def merge_versions(mine: Version, theirs: Version) -> MergedVersion:
    """Merge two versions of a memory, column by column."""
    pair = {**_DEFAULTS, **mine}, {**_DEFAULTS, **theirs}
    merged: dict[str, Any] = {}
    for names, order in _GROUPS:
        chosen = max(pair, key=order)
        merged |= {name: chosen[name] for name in names}
    merged |= {name: _greatest(pair, name) for name in _GREATEST}
    merged["learned_at"] = min(one["learned_at"] for one in pair)
    merged["said_again_at"] = _last_said(pair)
    merged |= hold_columns(_unite_holds(*pair))
    merged["edits"] = _unite_edits(*pair)
    conflicts = [name for name in EDITED if _is_conflict(pair, name)]
    other = min(pair, key=_by_text) if "text" in conflicts else None
    return MergedVersion(merged, other, tuple(name for name in conflicts if name != "text"))


def as_repeat(mine: Version, theirs: Version) -> Version:
    """Return a memory that says the same as another as a version of that one.

    Where and by whom each was said, and what nobody edited, stays as it is in `mine`.
    """
    unedited = (name for name in EDITED if not list_edits(theirs, name))
    return {**theirs, **{name: mine.get(name) for name in (*_OWN, *unedited)}}


def name_other(id_: str, other: Version) -> str:
    """Return the id of the memory that keeps a text which lost to a newer one: the same in every file."""
    content = orjson.dumps([id_, list_edits(other, "text")[-1], other["text"]])
    return blake2b(content, digest_size=16).hexdigest()


def list_edits(version: Version, name: str) -> list[int]:
    """Return when a column was edited, as far as that is known; an older file knows of the text alone, and the last."""
    edits = list((version.get("edits") or {}).get(name, ()))
    if not edits and name == "text" and version.get("text_at") is not None:
        return [version["text_at"]]
    return edits


def _last_edit(version: Version, name: str) -> int:
    return max(list_edits(version, name), default=NEVER)


def rank_value(value: Any) -> Order:
    """Return what any two values of a column are ordered by; what is not there comes first."""
    if value is None:
        return (False,)
    if isinstance(value, Mapping):
        return (True, orjson.dumps(dict(value), option=orjson.OPT_SORT_KEYS))
    return (True, value)


def _by_text(version: Version) -> Order:
    return (_last_edit(version, "text"), version["text"])


def _by_words(*names: str) -> Callable[[Version], Order]:
    """Order by the text, and where both have one text by columns that say something of it."""
    return lambda version: (*_by_text(version), *(rank_value(version[name]) for name in names))


def _by_day(version: Version) -> Order:
    return (*_by_text(version), -version["said_at"], version["said_offset"] != 0, version["said_offset"])


def _by_status(version: Version) -> Order:
    """Order by when it went, or when it came back; what goes later is gone, and what only stands gives way."""
    is_gone = version["status"] in _GONE
    since = version["status_at"] if is_gone else _last_edit(version, BACK)
    rank = _STATUS_RANK[version["status"]]
    names = ("status_at", "reason", "tier_at", "tier", "lifecycle")
    return (since, is_gone, rank, *(rank_value(version[name]) for name in names))


def _by_key(version: Version) -> Order:
    """Order as by status: what gave its key to another has none; of what stands, a key is more than none."""
    is_gone = version["status"] in _GONE
    key = rank_value(version["key"])
    return (*_by_status(version), is_gone and version["key"] is None, *key)


def _by_edit(*names: str) -> Callable[[Version], Order]:
    """Order by the last edit of columns that are true together."""
    return lambda version: (
        max(_last_edit(version, name) for name in names),
        *(rank_value(version[name]) for name in names),
    )


def _by_stamp(*names: str) -> Callable[[Version], Order]:
    return lambda version: tuple(rank_value(version[name]) for name in names)


def _by_state(version: Version) -> Order:
    return (*_by_edit("category")(version), rank_value(version["state_at"]), rank_value(version["state"]))


# Columns that are true together, and what decides from which version they are.
_GROUPS: tuple[tuple[tuple[str, ...], Callable[[Version], Order]], ...] = (
    (("text", "fingerprint", "tokens", "words", "text_at", "speaker"), _by_words("speaker")),
    (("form", "summary", "short_tokens", "short_words"), _by_words("form", "summary")),
    (("verification",), _by_words("verification")),
    (("trust",), _by_words("trust")),
    (("alignment",), _by_words("alignment")),
    (("said_at", "said_offset"), _by_day),
    (("status", "reason", "tier", "status_at", "tier_at", "lifecycle"), _by_status),
    (("key",), _by_key),
    (("category",), _by_edit("category")),
    (("state", "state_at"), _by_state),
    (("kind",), _by_edit("kind")),
    (("severity",), _by_edit("severity")),
    (("attributes",), _by_edit("attributes")),
    (("importance",), _by_edit("importance")),
    (("valid_from", "valid_to"), _by_edit("valid_from", "valid_to")),
    (("confidence", "confidence_at"), _by_stamp("confidence_at", "confidence")),
    (("use_day", "use_days"), _by_stamp("use_day", "use_days")),
)
# Of which the greater value is kept: what was counted or seen last on one side is known on both.
_GREATEST = (
    *("policy_class", "role", "agent", "thread", "session", "pinned", "value"),
    *("used_at", "reinforced_at"),
    *("uses", "confirmations", "disputes", "reinforced", "helped", "failed"),
)
_OTHERS = ("learned_at", "said_again_at", "holds", "hold_until", "edits")
# What of two memories that say the same is each one's own.
_OWN = ("key", "text_at", "role", "agent", "thread", "session", "learned_at", "state", "state_at")
_FOLLOWS = frozenset({"decay"})  # from tags and category
# A column that no group has would be lost.
assert {*_DEFAULTS} - ONE_FILE - _FOLLOWS == {name for names, _ in _GROUPS for name in names} | {
    *_GREATEST,
    *_OTHERS,
}


def _greatest(pair: tuple[Version, Version], name: str) -> Any:
    return max((one[name] for one in pair), key=rank_value)


def _last_said(pair: tuple[Version, Version]) -> int | None:
    """Return when it was said again last: also the later of two days on which it was said first."""
    times = {one["said_again_at"] for one in pair} - {None}
    days = {one["said_at"] for one in pair}
    if len(days) > 1 and len({_by_text(one) for one in pair}) == 1:
        times.add(max(days))
    return max(times, default=None)


def _unite_holds(one: Version, other: Version) -> dict[str, int | None]:
    """Return the holds of both, of two of one name the longer one."""
    holds: dict[str, int | None] = dict(one["holds"] or {})
    for name, until in (other["holds"] or {}).items():
        own = holds.get(name, until)
        holds[name] = None if until is None or own is None else max(until, own)
    return holds


def _unite_edits(one: Version, other: Version) -> dict[str, list[int]] | None:
    edits = {
        name: sorted({*list_edits(one, name), *list_edits(other, name)})[-EDITS_MAX:]
        for name in (*EDITED, BACK)
    }
    return {name: times for name, times in edits.items() if times} or None


def _is_conflict(pair: tuple[Version, Version], name: str) -> bool:
    """Tell whether both versions edited a column, and neither had seen the other's last edit of it."""
    one, other = (list_edits(version, name) for version in pair)
    if not one or not other or pair[0][name] == pair[1][name]:
        return False
    return max(one) == max(other) or (max(one) not in other and max(other) not in one)
