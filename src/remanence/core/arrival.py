"""What a store knows beside texts that arrive: equal ones, the end of their segment, and how often words are held."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from remanence.core.model import Status


@dataclass(frozen=True, slots=True)
class KnownMemory:
    """A memory met by its fingerprint or key."""

    seq: int
    id: str
    status: Status
    revision: int
    fingerprint: bytes


class Segment(NamedTuple):
    """What names a segment to whoever arrives: a session, a thread, or the agent whose run may go on."""

    kind: Literal["session", "thread", "run"]
    name: str | None


class Tail(NamedTuple):
    """The end of a segment: its number of memories, counted to three, and the last one's time and text."""

    length: int
    said_at: int
    text: str


@dataclass(frozen=True, slots=True)
class WriteContext:
    """What a write knows of its scope before it decides.

    `twins` maps a fingerprint to the best memory that has it (inbox or active before quarantined, that before
    superseded, archived and pruned; then the oldest). `tails` maps a segment to its end, where it has one.
    `memories` counts the scope's memories that hold words, `df` how many of them hold each term. `forbids` tells
    whether any text is forbidden. `position` is how far the scope has come; `values` and `counters` are those of the
    bookkeeping that were asked for, absent names left out.
    """

    twins: Mapping[bytes, KnownMemory] = field(default_factory=dict)
    keys: Mapping[str, KnownMemory] = field(default_factory=dict)
    tails: Mapping[Segment, Tail] = field(default_factory=dict)
    memories: int = 0
    df: Mapping[int, int] = field(default_factory=dict)
    forbids: bool = False
    position: int = 0
    values: Mapping[str, Any] = field(default_factory=dict)
    counters: Mapping[str, int] = field(default_factory=dict)
