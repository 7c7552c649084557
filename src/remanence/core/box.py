"""What is kept of the stretches of a conversation: boxes of turns about one matter, and traces of boxes alike."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from remanence.core.model import Column, Label, Status

# A turn that is none of these is passed over: it was forgotten, or nobody let it in.
SHOWN = frozenset({Status.INBOX, Status.ACTIVE, Status.SUPERSEDED, Status.ARCHIVED})


class BoxOutcome(Label):
    """How the matter of a box ended, as the words of its last turns say."""

    UNKNOWN = 0
    SUCCESS = 1
    PARTIAL = 2
    FAILURE = 3


class SealReason(Label):
    """Why a box takes in no more turns."""

    FULL = 0
    TOPIC_SHIFT = 1
    TIME_GAP = 2
    FORCED = 3  # the session was ended


BOX_COLUMN: Mapping[str, Column] = {
    "session": Column("session", "text", nullable=False),
    "topics": Column("topics", "json", nullable=False),
    "members": Column("members", "numbers", nullable=False),
    "goal": Column("goal", "int"),
    "outcome": Column("outcome", "enum", labels=BoxOutcome),
    "opened_at": Column("opened_at", "time", nullable=False),
    "last_at": Column("last_at", "time", nullable=False),
    "sealed_at": Column("sealed_at", "time"),
    "reason": Column("reason", "enum", labels=SealReason),
    "trace": Column("trace", "int"),
}
TRACE_COLUMN: Mapping[str, Column] = {
    "topics": Column("topics", "json", nullable=False),
    "began_at": Column("began_at", "time", nullable=False),
    "last_at": Column("last_at", "time", nullable=False),
}
BOX_COLUMNS, TRACE_COLUMNS = tuple(BOX_COLUMN), tuple(TRACE_COLUMN)


@dataclass(frozen=True, slots=True)
class BoxRow:
    """A box as it is kept: its number is that of its first turn, `session` is "" for turns of none.

    `topics` maps hashes of stems to weights in millionths, so that no word of a turn outlives it; `members` and `goal`
    are the numbers of turns, whose rows may have gone since. One that is not sealed takes in further turns.
    """

    box: int
    session: str
    topics: Mapping[str, int]
    members: tuple[int, ...]
    goal: int | None
    outcome: BoxOutcome | None
    opened_at: int
    last_at: int
    sealed_at: int | None = None
    reason: SealReason | None = None
    trace: int | None = None

    @property
    def values(self) -> dict[str, Any]:
        """Its columns beside the key."""
        return {name: getattr(self, name) for name in BOX_COLUMNS}


@dataclass(frozen=True, slots=True)
class TraceRow:
    """A trace as it is kept: its number is that of its first box, its topics are those of its boxes, as hashes."""

    trace: int
    topics: Mapping[str, int]
    began_at: int
    last_at: int

    @property
    def values(self) -> dict[str, Any]:
        """Its columns beside the key."""
        return {name: getattr(self, name) for name in TRACE_COLUMNS}


@dataclass(frozen=True, slots=True)
class FindBoxes:
    """Which boxes to list, those of the latest turns first; None means any."""

    only: tuple[int, ...] | None = None
    session: str | None = None
    trace: int | None = None
    is_open: bool | None = None
    before: int | None = None  # numbers below this one only
    holding: tuple[int, ...] | None = None  # any of these turns
    limit: int = 1_000


@dataclass(frozen=True, slots=True)
class FindTraces:
    """Which traces to list, those of the latest turns first; None means any."""

    only: tuple[int, ...] | None = None
    since: int | None = None  # whose last turn is no older
    limit: int = 1_000


def box_of(box: int, values: Mapping[str, Any]) -> BoxRow:
    """Return a box from its plain values."""
    enums = {
        name: labels(values[name])
        for name, labels in (("outcome", BoxOutcome), ("reason", SealReason))
        if values[name] is not None
    }
    return BoxRow(box, **{**values, **enums, "members": tuple(values["members"])})


def trace_of(trace: int, values: Mapping[str, Any]) -> TraceRow:
    """Return a trace from its plain values."""
    return TraceRow(trace, **values)
