"""What callers may pass by name, as types: the names of every enumeration, and the fields that a verb takes.

Knows annotations alone; the verbs check what is passed against them.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypedDict

StatusName = Literal["inbox", "active", "superseded", "archived", "pruned"]
TierName = Literal["hot", "warm", "cold", "archive"]
KindName = Literal["semantic", "episodic", "procedural"]
DecayName = Literal["permanent", "durable", "standard", "ephemeral"]
LifecycleName = Literal["candidate", "validated", "active", "stale", "archived"]
ReasonName = Literal["decayed", "superseded", "forgotten", "expired", "merged", "budget", "compacted"]
SeverityName = Literal["info", "low", "medium", "high", "critical"]
RoleName = Literal["user", "assistant", "system", "tool"]
RelationName = Literal[
    "similar",
    "near_duplicate",
    "co_occurs",
    "contradicts",
    "elaborates",
    "supports",
    "causes",
    "refers",
    "supersedes",
    "learned_from",
    "merged_from",
]
IfExists = Literal["reinforce", "update", "skip", "error"]
Moment = datetime | int


class About(TypedDict, total=False):
    """What a text is about, who said it, and where it comes from: what `put` takes besides key and text."""

    category: str | None
    kind: KindName | None
    tags: Sequence[str]
    role: RoleName | None
    speaker: str | None
    agent: str | None
    thread: str | None
    session: str | None
    said_at: Moment | None
    source: str | None
    state: str | None
    severity: SeverityName | None
    confidence: float | None
    attributes: Mapping[str, Any] | None
    spares_identity: bool


class AboutNamed(About, total=False):
    """What `learn` takes besides the text: the same, and a stable name of the caller's."""

    key: str | None


class Editable(TypedDict, total=False):
    """What of a memory can be changed by name."""

    text: str
    category: str | None
    kind: KindName | None
    state: str | None
    severity: SeverityName | None
    lifecycle: LifecycleName
    attributes: Mapping[str, Any] | None
    confidence: float | None
    valid_from: Moment | None
    valid_to: Moment | None


class Columns(TypedDict, total=False):
    """What a column of the memories to list must be; None lists those that have nothing there."""

    id: str
    key: str | None
    text: str
    tier: TierName
    reason: ReasonName | None
    category: str | None
    state: str | None
    severity: SeverityName | None
    decay: DecayName
    lifecycle: LifecycleName
    role: RoleName
    agent: str | None
    speaker: str | None
    thread: str | None
    session: str | None
    said_at: int
    learned_at: int
    valid_from: int | None
    valid_to: int | None
    used_at: int | None
    state_at: int | None
    status_at: int
    tier_at: int
    reinforced_at: int | None
    hold_until: int | None
    pinned: bool | int
    confidence: float | None
    alignment: float | None
    value: float | None
    tokens: int
    words: int
    uses: int
    use_days: int
    use_day: int
    confirmations: int
    disputes: int
    reinforced: int
    helped: int
    failed: int
    revision: int
    touched: int
