"""What every store refuses and how every store counts, so that two stores cannot disagree about it.

Knows changes and the columns of `model`; knows nothing of how rows are kept.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from remanence.core.box import BOX_COLUMN, TRACE_COLUMN
from remanence.core.change import GUARDS, Change, Increment
from remanence.core.clock import DAY, TIME_MAX
from remanence.core.errors import InvalidInput, NameUnknown, format_value
from remanence.core.local_time import OFFSET_MAX
from remanence.core.model import (
    COLUMN,
    COLUMNS,
    COMING_BACK,
    COUNT_MAX,
    COUNTERS,
    INT_MAX,
    KEYING,
    RETURNING_VERBS,
    STANDING,
    SYMMETRIC,
    TRANSITIONS,
    Column,
    PolicyClass,
    Relation,
    Status,
    Tier,
)
from remanence.core.snapshot import LINK_COLUMNS, TAG, SnapshotRequest
from remanence.core.use_days import BUCKET_BITS, BUCKET_MAX, BUCKETS
from remanence.text.forbidden_keys import ban_keys, fold_keys

LINK_DEFAULTS: Mapping[str, Any] = {
    "weight": 0.5,
    "confidence": None,
    "count": 1,
    "created_at": 0,
    "last_at": 0,
    "resolved_at": None,
}
LINK_COLUMN: Mapping[str, Column] = {
    "weight": Column("weight", "fraction", nullable=False),
    "confidence": Column("confidence", "fraction"),
    "count": Column("count", "int", nullable=False),
    "created_at": Column("created_at", "time", nullable=False),
    "last_at": Column("last_at", "time", nullable=False),
    "resolved_at": Column("resolved_at", "time"),
}
TAG_COLUMN: Mapping[str, Column] = {"at": Column("at", "time")}
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    table: dict.fromkeys(name for name, column in columns.items() if column.nullable)
    for table, columns in (("boxes", BOX_COLUMN), ("traces", TRACE_COLUMN))
}
TABLE_COLUMNS: Mapping[str, Mapping[str, Column]] = {
    "memories": COLUMN,
    "tags": TAG_COLUMN,
    "links": LINK_COLUMN,
    "sources": {"span": Column("span", "text")},
    "forbidden": {"at": Column("at", "time", nullable=False), "seq": Column("seq", "int")},
    "boxes": BOX_COLUMN,
    "traces": TRACE_COLUMN,
}
# What a new row must say.
_REQUIRED: Mapping[str, frozenset[str]] = {
    "memories": frozenset(
        column.name for column in COLUMNS if not column.nullable and column.default is None
    ),
    **{
        table: frozenset(name for name, column in columns.items() if not column.nullable)
        for table, columns in (("boxes", BOX_COLUMN), ("traces", TRACE_COLUMN))
    },
}
_TYPES: Mapping[str, tuple[type, ...]] = {
    "int": (int,),
    "time": (int,),
    "flag": (int,),
    "enum": (int,),
    "fraction": (float, int),
    "name": (str,),
    "text": (str,),
    "json": (Mapping,),
    "accessors": (Mapping,),
    "blob": (bytes,),
    "numbers": (list, tuple),
}
_KEYS: Mapping[str, tuple[type, ...]] = {
    "memories": (int,),
    "tags": (int, str),
    "links": (int, int, int),
    "sources": (int, str),
    "forbidden": (str,),
    "boxes": (int,),
    "traces": (int,),
}
# What is written there says something else of a memory, so that whoever read it before must read it again.
REVISING = ("tags",)
# What hangs on memories, and so goes with them.
HANGING = ("tags", "links", "sources")
# What belongs to the scope: it names memories at most, and stays when they go.
APART = ("forbidden", "boxes", "traces")
_ONE_NUMBER = (int,)
TIME_BOUND = 2**53 - 1  # microseconds from 1970 that float64 holds exactly; until 2255
# Up to these every column of the kind has room: such a number needs no second look.
_ROOM: Mapping[str, int] = {"int": COUNT_MAX, "time": TIME_BOUND}
_CODES = {
    column.labels: frozenset(map(int, column.labels))
    for column in (*COLUMNS, *BOX_COLUMN.values())
    if column.labels
}
_CLOCKS = frozenset({"active", "turns"})
_LABELLED = frozenset(column.name for column in COLUMNS if column.kind in {"enum", "name"})
_RELATIONS = frozenset(map(int, Relation))


def refuse_malformed(changes: Sequence[Change]) -> None:
    """Raise InvalidInput for what is wrong in itself: tables, keys, columns, values, one key twice."""
    seen: dict[str, set[Any]] = {table: set() for table in TABLE_COLUMNS}
    # A large commit says the same few things of many rows: what was looked at a moment ago needs no second look.
    fitting: dict[tuple[str, str], Any] = {}
    for change in changes:
        keys = seen.get(change.table)
        if keys is None:
            raise NameUnknown("table", change.table, seen)
        if change.key in keys:
            raise _change_error(change, "is named twice in one commit", "say each row's change once")
        keys.add(change.key)
        _refuse_key(change)
        if change.before is None and change.after is None:
            raise _change_error(change, "says nothing", "give `before`, `after` or both")
        for values in (change.before, change.after):
            if values and not values.keys() <= TABLE_COLUMNS[change.table].keys():
                refuse_unknown_columns(values, change.table)
        if change.after:
            _refuse_values(change, fitting)
        if change.before is None:
            required = _REQUIRED.get(change.table)
            missing = sorted(required - set(change.after or {})) if required else None
            if missing:
                raise _change_error(
                    change, f"lacks {', '.join(missing)}", "give every column that has no default"
                )


def defaults(table: str, at: int) -> Mapping[str, Any]:
    """Return what a new row of a table other than memories holds where nobody says; some are set at the commit."""
    match table:
        case "links":
            return LINK_DEFAULTS
        case "boxes" | "traces":
            return _DEFAULTS[table]
        case "tags":
            return {"at": at}
        case "forbidden":
            return {"at": at, "seq": None}
    return {}


def refuse_unknown_columns(names: Iterable[str], table: str = "memories") -> None:
    """Raise NameUnknown for a name that is no column of the table."""
    table_columns = TABLE_COLUMNS[table]
    for name in names:
        if name not in table_columns:
            raise NameUnknown("column", name, table_columns)


def refuse_unfit(name: str, value: Any) -> None:
    """Raise InvalidInput for a value that a memory's column can never have."""
    if not fits(COLUMN[name], value):
        raise InvalidInput(
            f"{name} cannot be {format_value(value)}", recovery=f"pass {_describe_allowed(COLUMN[name])}"
        )


def fits(column: Column, value: Any) -> bool:
    """Tell whether a column, of a memory or of a link, can have a value."""
    if value is None:
        return column.nullable
    any_value = value  # stays Any where isinstance would make it an object
    if not isinstance(value, _TYPES[column.kind]):
        return False
    if column.kind == "fraction":
        return bool(0 <= any_value <= column.limit)  # what is no number is between nothing
    if column.kind == "flag":
        return value in {0, 1}
    if column.kind == "numbers":
        return all(type(one) is int for one in any_value)
    if column.kind == "accessors":
        return bool(any_value) and all(map(is_access, any_value.items()))
    if column.kind in _ROOM:
        least, most = bounds(column)
        return bool(least <= any_value <= most)
    return column.labels is None or value in _CODES[column.labels]


def is_access(item: tuple[Any, Any]) -> bool:
    """Tell whether a name comes with how often and when last."""
    name, access = item
    return (
        isinstance(name, str)
        and isinstance(access, Mapping)
        and access.keys() == {"uses", "last_at"}
        and all(type(value) is int for value in access.values())
        and 0 < access["uses"] <= INT_MAX
        and abs(access["last_at"]) <= TIME_BOUND
    )


def _describe_allowed(column: Column) -> str:
    """Say in words what a column can have."""
    least, most = bounds(column)
    words = {
        "int": f"a whole number from {least:,} to {most:,}",
        "time": f"a time in microseconds, from {least:,} to {most:,}",
        "fraction": f"a number from 0 to {column.limit:g}",
        "flag": "0 or 1",
        "name": "a name",
        "text": "a text",
        "json": "a mapping that JSON can hold",
        "accessors": "a mapping from names to their `uses` and `last_at`",
        "blob": "bytes",
        "numbers": "a list of whole numbers",
    }
    labels = "" if column.labels is None else " or ".join(item.label for item in column.labels)
    return (labels or words[column.kind]) + (", or None" if column.nullable else "")


def refuse_wanted(wanted: SnapshotRequest) -> None:
    """Raise NameUnknown for a column or clock that no snapshot knows."""
    refuse_unknown_columns(wanted.columns)
    for name in (wanted.links or frozenset()) - LINK_COLUMNS:
        raise NameUnknown("column", name, LINK_COLUMNS)
    for name in frozenset().union(*(wanted.among or ())) - _LABELLED - {TAG}:
        raise NameUnknown("column", name, _LABELLED)
    if wanted.attributes and (wanted.among is not None or wanted.only is not None):
        raise InvalidInput(
            "attributes are of all memories", recovery="ask for them without `among` and `only`"
        )
    if wanted.among is not None and wanted.only is not None and wanted.links is not None:
        raise InvalidInput(
            "links are those of memories that meet a condition, or of some by number",
            recovery="ask for them with `among` or with `only`",
        )
    if wanted.since is not None and (wanted.attributes or wanted.asks or wanted.only is not None):
        raise InvalidInput(
            "what has changed is known of columns, tags, links and agents alone",
            recovery="ask for attributes, texts that ask and sequence numbers without `since`",
        )
    refuse_unknown_clocks(wanted.clocks)


def refuse_unknown_clocks(names: frozenset[str]) -> None:
    """Raise NameUnknown for a name that is no clock of the store; the wall's is none."""
    for name in names - _CLOCKS:
        raise NameUnknown("clock", name, _CLOCKS)


def refuse_interval(began: int, ended: int) -> None:
    """Raise InvalidInput for an interval that ends before it began, or of times that cannot be kept."""
    if not -TIME_MAX < began <= ended < TIME_MAX:
        raise InvalidInput(
            f"no interval from {began} to {ended}",
            recovery="give its beginning, then its end, in microseconds",
        )


def resolve(changes: Sequence[Change], latest_seq: int) -> tuple[list[Change], tuple[int, ...]]:
    """Replace the placeholders -1 … -n by the sequence numbers above `latest_seq`; return both."""
    new_keys = {change.key for change in changes if change.table == "memories" and change.before is None}
    placeholders = sorted(-key for key in new_keys if isinstance(key, int) and key < 0)
    new_seqs = tuple(range(latest_seq + 1, latest_seq + len(placeholders) + 1))
    if placeholders != list(range(1, len(placeholders) + 1)):
        raise InvalidInput(
            "placeholders are not -1, -2, …", recovery="number new memories -1, -2, … without gaps"
        )
    seqs = dict(zip((-number for number in placeholders), new_seqs, strict=True))
    rows = [
        change
        if change.key.__class__ is int and change.key > 0
        else Change(change.table, _resolved_key(change, seqs), change.before, change.after)
        for change in changes
    ]
    for change in rows:
        if change.table == "links":
            _refuse_link(change)
    return rows, new_seqs


def memories_of(table: str, key: Any) -> tuple[int, ...]:
    """Return the sequence numbers that a row's key names."""
    if table == "memories":
        return (key,)
    if table in APART:
        return ()
    return tuple(key[:2] if table == "links" else key[:1])


def encode_values(table: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Turn a change's values into what is kept: enums as int, fractions in millionths, guards left out."""
    columns = TABLE_COLUMNS[table]
    return {
        name: value if isinstance(value, Increment) else _encode_value(columns[name], value)
        for name, value in values.items()
        if name not in GUARDS
    }


def refuse_state(seq: int, row: Mapping[str, Any]) -> None:
    """Raise InvalidInput unless tier and status agree on the archive and a memory out of sight has a reason."""
    if (row["status"] == Status.ARCHIVED) != (row["tier"] == Tier.ARCHIVE):
        raise InvalidInput(
            f"memory {seq}: status {Status(row['status']).label} with tier {Tier(row['tier']).label}",
            recovery="set status archived and tier archive together",
        )
    if row["status"] not in {Status.INBOX, Status.ACTIVE} and row["reason"] is None:
        raise InvalidInput(
            f"memory {seq} is no longer active or in the inbox, and has no reason",
            recovery="set `reason` with `status`",
        )


def claims_text(verb: str, row: Mapping[str, Any]) -> bool:
    """Tell whether a new memory must be the only one in sight that says its text.

    What comes back need not be, nor what has a key by a verb to which a key is an identity.
    """
    has_key = verb in KEYING and row.get("key") is not None
    return row.get("status", Status.INBOX) in STANDING and verb not in COMING_BACK and not has_key


def find_freed_keys(changes: Iterable[Change]) -> set[str]:
    """Return the keys that memories lose in a commit: another one may take them in the same."""
    keys = [
        (change.before or {}).get("key")
        for change in changes
        if change.table == "memories" and "key" in (change.after or {})
    ]
    return {key for key in keys if key is not None}


def texts_coming_in(changes: Iterable[Change], verb: str) -> list[str]:
    """Return the texts that memories did not have before, of which none may be forbidden; what comes back may."""
    return [
        change.after[name]
        for change in changes
        if change.table == "memories" and change.after is not None and verb not in COMING_BACK
        for name in ("text", "summary")
        if change.after.get(name) is not None and change.after[name] != (change.before or {}).get(name)
    ]


def folds_of(texts: Iterable[str]) -> set[str]:
    """Return all keys by which it is asked whether any of some texts is forbidden."""
    return {fold for text in texts for fold in fold_keys(text)}


def bans_of(texts: Iterable[str]) -> set[str]:
    """Return all keys under which some texts are forbidden, or known once they are erased."""
    return {key for text in texts for key in ban_keys(text)}


def refuse_transition(seq: int, old: int, new: int, verb: str) -> None:
    """Raise InvalidInput for a status that this one may not become, unless the verb brings things back."""
    if old != new and verb not in RETURNING_VERBS and Status(new) not in TRANSITIONS[Status(old)]:
        raise InvalidInput(
            f"memory {seq}: {Status(old).label} cannot become {Status(new).label} by {verb!r}",
            recovery="restore it, or undo the run that changed it",
        )


def refuse_class(seq: int, old: int, new: int, verb: str) -> None:
    """Raise InvalidInput where a memory would become ephemeral that was not so from arrival, but by an undo."""
    if new == PolicyClass.EPHEMERAL and old != new and verb != "undo":
        raise InvalidInput(
            f"memory {seq}: its policy class {PolicyClass(old).label} cannot become ephemeral by {verb!r}",
            recovery="what is ephemeral is so from its arrival: learn it anew in a category of that class",
        )


def count_use(row: Mapping[str, Any], at: int, by: int) -> dict[str, int]:
    """Return the columns that a use sets: when, and seven counts per UTC day packed in bytes, the newest lowest.

    `use_day` is the day of the lowest byte, in days since 1970; a day's count stops at 255. A use from before the
    newest day counts in its own day's byte, or nowhere once that has gone.
    """
    day = at // DAY
    days = day - row["use_day"]
    buckets = row["use_days"] << (BUCKET_BITS * min(max(days, 0), BUCKETS))
    buckets &= (1 << (BUCKET_BITS * BUCKETS)) - 1
    shift = BUCKET_BITS * max(-days, 0)
    if shift < BUCKET_BITS * BUCKETS:
        count = (buckets >> shift) & BUCKET_MAX
        buckets += (min(count + by, BUCKET_MAX) - count) << shift
    return {
        "used_at": max(at, row["used_at"] or at),
        "use_days": buckets,
        "use_day": max(day, row["use_day"]),
    }


def _change_error(change: Change, what: str, recovery: str) -> InvalidInput:
    return InvalidInput(f"{change.table} {change.key}: {what}", recovery=recovery)


def _refuse_key(change: Change) -> None:
    shape = _KEYS[change.table]
    if type(change.key) is int and shape == _ONE_NUMBER:
        if change.table in APART and change.key <= 0:
            raise _change_error(change, "is keyed by no memory that is there", "create the memory first")
        return
    key = change.key if isinstance(change.key, tuple) else (change.key,)
    if tuple(map(type, key)) == shape:
        return
    if len(key) != len(shape) or not all(map(isinstance, key, shape)):
        raise _change_error(
            change, "has a key of another shape", f"{change.table} are keyed by {len(shape)} values"
        )


def _refuse_values(change: Change, fitting: dict[tuple[str, str], Any]) -> None:
    columns = TABLE_COLUMNS[change.table]
    for name, value in (change.after or {}).items():
        if type(value) is int and 0 <= value <= _ROOM.get(columns[name].kind, -1) and name != "said_offset":
            continue
        if fitting.get((change.table, name), change) is value:
            continue
        if isinstance(value, Increment):
            if change.table != "memories" or name not in COUNTERS or change.before is None:
                raise _change_error(
                    change, f"{name} is no counter", "increment only " + ", ".join(sorted(COUNTERS))
                )
            continue
        if name == "accessors" and change.before is not None:
            raise _change_error(
                change, "accessors are counted, not set", "commit uses whose cause has an actor"
            )
        if not fits(columns[name], value):
            raise _change_error(
                change, f"{name} cannot be {format_value(value)}", f"pass {_describe_allowed(columns[name])}"
            )
        fitting[change.table, name] = value


def bounds(column: Column) -> tuple[int, int]:
    """Return between which numbers the values of a column of numbers or times are."""
    if column.kind == "time":
        return -TIME_BOUND, TIME_BOUND
    if column.name == "use_days":
        return 0, (1 << (BUCKET_BITS * BUCKETS)) - 1
    if column.name == "said_offset":
        return -OFFSET_MAX, OFFSET_MAX
    return (0, COUNT_MAX) if column.name == "count" else (-INT_MAX, INT_MAX)


def as_far_as(value: int, by: int) -> int:
    """Return by how much of an increment a counter changes: it stops at its bounds, and what counted goes on."""
    return min(max(value + by, -INT_MAX), INT_MAX) - value


def _encode_value(column: Column, value: Any) -> Any:
    if value is None:
        return None
    match column.kind:
        case "enum" | "int" | "flag" | "time":
            return int(value)
        case "fraction":
            return round(float(value), 6)
        case "json":
            return dict(value)
        case "numbers":
            return list(value)
        case "accessors":
            return {name: dict(access) for name, access in sorted(value.items())}
        case _:
            return value


def _resolved_key(change: Change, seqs: Mapping[int, int]) -> Any:
    ends = memories_of(change.table, change.key)
    unknown = [end for end in ends if end <= 0 and end not in seqs]
    if unknown:
        raise _change_error(
            change, f"names {unknown[0]}, which is not created here", "create it in the same commit"
        )
    numbers = tuple(seqs.get(end, end) for end in ends)
    if isinstance(change.key, int):
        return numbers[0]
    if isinstance(change.key, str):
        return change.key
    last = change.key[-1]
    return (*numbers, last if isinstance(last, str) else int(last))


def _refuse_link(change: Change) -> None:
    source, target, relation = cast("tuple[int, int, int]", change.key)
    if relation not in _RELATIONS:
        raise _change_error(change, f"has no relation {relation}", "use a code of model.Relation")
    if source == target:
        raise _change_error(change, "links a memory to itself", "leave it out")
    if relation in SYMMETRIC and source > target:
        raise _change_error(
            change, "is symmetric and the wrong way round", "name the lower sequence number first"
        )
