"""What callers may pass by name, as types: the names of every enumeration, and the fields that a verb takes.

Knows annotations alone; the verbs check what is passed against them.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar

from remanence.core.model import (
    Decay,
    Form,
    Kind,
    Lifecycle,
    OneMemory,
    PolicyClass,
    Reason,
    Role,
    Severity,
    Tier,
    Trust,
    Verification,
)

ATTRIBUTE = "attributes."  # before the name of one, in a filter
StatusName = Literal["inbox", "active", "superseded", "archived", "pruned", "quarantined"]
TierName = Literal["hot", "warm", "cold", "archive"]
AgentFormat = Literal["claude", "agents"]
KindName = Literal["semantic", "episodic", "procedural"]
DecayName = Literal["permanent", "durable", "standard", "ephemeral"]
LifecycleName = Literal["candidate", "validated", "active", "stale", "archived"]
VerificationName = Literal["unverified", "user_confirmed", "system_inferred", "disputed"]
PolicyClassName = Literal["ephemeral", "durable", "protected"]
ReasonName = Literal[
    "decayed", "superseded", "forgotten", "expired", "merged", "budget", "compacted", "instructions"
]
CadenceName = Literal["rapid", "standard", "hourly", "deep"]
SeverityName = Literal["info", "low", "medium", "high", "critical"]
FormName = Literal["full", "condensed", "summary"]
TrustName = Literal["outside", "tool", "agent", "user"]
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
    "mentions",
    "follows",
    "newer",
]
# What the engine does by itself, by whose wish, and what becomes of it (engram).
ActionName = Literal[
    "store_episode", "store_note", "update_note", "create_artifact", "summarize_node", "discard", "link_graph"
]
SourceName = Literal["extraction", "consolidation", "replay", "manual", "unknown"]
OutcomeName = Literal["applied", "skipped", "failed", "denied", "deferred"]
ArchiveName = Literal["open", "closed"]
IfExists = Literal["reinforce", "update", "skip", "error"]
VerdictName = Literal["right", "wrong", "helped", "misled"]
Moment = datetime | int
T = TypeVar("T")
Some: TypeAlias = T | Sequence[T]  # one value, or any of several
Progress = Callable[[int, int], None]  # hears how much of how much is done


class AboutNamed(TypedDict, total=False):
    """Arguments of `learn` besides the text: its subject, its speaker, its source and your key for it."""

    category: str | None
    kind: KindName | Kind | None
    tags: Sequence[str]
    role: RoleName | Role | None
    speaker: str | None
    agent: str | None
    thread: str | None
    session: str | None
    said_at: Moment | None
    source: str | None
    state: str | None
    severity: SeverityName | Severity | None
    confidence: float | None
    importance: float | None
    attributes: Mapping[str, Any] | None
    trust: TrustName | Trust | None
    key: str | None


class LinkOptions(TypedDict, total=False):
    """Further arguments of `link`: weight and confidence from 0 to 1, and what to do if the link exists."""

    weight: float | None
    confidence: float | None
    if_exists: IfExists


class FrameAsking(TypedDict, total=False):
    """Arguments of `frame`: the agent who asks, whether use is counted, and whether to explain the answer.

    The use of the memories is counted for `agent`, unless `count_use` is False. With `explain` the answer has an
    `explanation`: how each memory came to its score, and what excluded the others. `why_not` names a memory, or a text
    that was perhaps never stored: the explanation says what kept it out, and what would let it in. `as_of` is an
    instant: the answer is made of the memories that were active then, as they were. It counts no use and has no
    explanation.
    """

    agent: str | None
    count_use: bool
    explain: bool
    why_not: OneMemory | None
    as_of: Moment | None


class Asking(FrameAsking, total=False):
    """Arguments of `recall`: those of `frame`, and who asks, in which conversation, and about which time.

    `asker` is the person whom "I" in the question means. `thread` is the conversation to look in. `archived` says
    whether this question searches the archive ("open") or not ("closed"); without it the setting `recall_leaves_out`
    decides. With `newer_first` False a later statement on the same matter is not put above the best answer. `around` is
    the time that the question is about: statements of that time count more. Without `around` the words of the question
    tell the time ("last Tuesday", "in May"). `max_age`, in days, leaves out what nobody said or confirmed for so long,
    `verified` what no user confirmed; `left_out` of the answer counts both. `scopes` are the scopes to search, ranked
    as one; without them only the own scope is searched.
    """

    asker: str | None
    thread: str | None
    archived: ArchiveName | None
    newer_first: bool
    around: tuple[Moment, Moment] | None
    max_age: float | None
    verified: bool
    scopes: Sequence[str] | None


Overrides = Mapping[str, Mapping[str, Any]]  # of rules and guards by name: keys and their new values


class Foretelling(TypedDict, total=False):
    """Further arguments of `forecast`.

    `every` is the number of seconds between two rounds, if something else calls `run_jobs`. `limit` is how many runs
    and how many memories are listed, from `offset` on.
    """

    overrides: Overrides | None
    every: float | None
    limit: int
    offset: int


class Editable(TypedDict, total=False):
    """Fields of a memory that can be changed by name."""

    text: str
    category: str | None
    kind: KindName | Kind | None
    state: str | None
    severity: SeverityName | Severity | None
    lifecycle: LifecycleName | Lifecycle
    verification: VerificationName | Verification
    policy_class: PolicyClassName | PolicyClass
    attributes: Mapping[str, Any] | None
    confidence: float | None
    importance: float | None
    valid_from: Moment | None
    valid_to: Moment | None


OrderName: TypeAlias = Literal["created_at", "updated_at"]  # of a list


class Columns(TypedDict, total=False):
    """Filters of a list of memories: a value for each column, or several of which any will do; None means empty."""

    id: Some[str]
    key: Some[str | None]
    text: Some[str]
    tier: Some[TierName | Tier]
    reason: Some[ReasonName | Reason | None]
    category: Some[str | None]
    state: Some[str | None]
    severity: Some[SeverityName | Severity | None]
    decay: Some[DecayName | Decay]
    lifecycle: Some[LifecycleName | Lifecycle]
    verification: Some[VerificationName | Verification]
    policy_class: Some[PolicyClassName | PolicyClass]
    role: Some[RoleName | Role]
    agent: Some[str | None]
    speaker: Some[str | None]
    thread: Some[str | None]
    session: Some[str | None]
    said_at: Some[int]
    said_offset: Some[int]
    said_again_at: Some[int | None]
    learned_at: Some[int]
    valid_from: Some[int | None]
    valid_to: Some[int | None]
    used_at: Some[int | None]
    state_at: Some[int | None]
    status_at: Some[int]
    tier_at: Some[int]
    reinforced_at: Some[int | None]
    text_at: Some[int | None]
    confidence_at: Some[int | None]
    hold_until: Some[int | None]
    pinned: Some[bool | int]
    confidence: Some[float | None]
    importance: Some[float | None]
    alignment: Some[float | None]
    value: Some[float | None]
    tokens: Some[int]
    words: Some[int]
    uses: Some[int]
    use_days: Some[int]
    use_day: Some[int]
    confirmations: Some[int]
    disputes: Some[int]
    reinforced: Some[int]
    helped: Some[int]
    failed: Some[int]
    revision: Some[int]
    touched: Some[int]
    trust: Some[TrustName | Trust]
    form: Some[FormName | Form]
    short_tokens: Some[int]
    short_words: Some[int]
    summary: Some[str | None]


class ListOptions(Columns, total=False):
    """Filters, order and start of a list of memories.

    `between` limits when the memories were said. `after` is the last memory of the list before. `as_of` is the instant
    at which the memories matched the filters. With the `order` "created_at" or "updated_at" the memories are sorted by
    when they were stored, or by when their text was last changed, the newest first; otherwise by their numbers.
    """

    as_of: Moment | None
    order: OrderName | None
    between: tuple[Moment, Moment] | None
    after: OneMemory | None
