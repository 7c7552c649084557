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
    """What `learn` takes besides the text: what it is about, who said it, where it comes from, your key for it."""

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


class Linked(TypedDict, total=False):
    """What else `link` takes: weight and confidence from 0 to 1, and what to do where the link exists."""

    weight: float | None
    confidence: float | None
    if_exists: IfExists


class FrameAsking(TypedDict, total=False):
    """Who asks in `frame`, `agent` whose use is counted unless `count_use` is False, and whether to say why.

    With `explain` the answer's `explanation` says how each came to its score and what took the others. `why_not` names
    a memory, or a text that perhaps never came in: the explanation says what kept it out, and what would let it in.
    `as_of` is an instant: the answer is made of what stood then, as it was, no use is counted and nothing says why.
    """

    agent: str | None
    count_use: bool
    explain: bool
    why_not: OneMemory | None
    as_of: Moment | None


class Asking(FrameAsking, total=False):
    """Who asks in `recall`, what about, and whether to say why, as in `frame`; `asker` is who asks where it says I.

    `thread` is the conversation to look in. `archived` says whether the archive is "open" to this question or "closed";
    without it the setting `recall_leaves_out` does. With `newer_first` False no later word on the same matter stands
    above the best answer. `around` is the time that is asked about: what was said then counts more; without it the
    words of the question tell ("last Tuesday", "in May").
    """

    asker: str | None
    thread: str | None
    archived: ArchiveName | None
    newer_first: bool
    around: tuple[Moment, Moment] | None


Overrides = Mapping[str, Mapping[str, Any]]  # of rules and guards by name: keys and their new values


class Foretelling(TypedDict, total=False):
    """What else `forecast` is asked for.

    `every` is how many seconds lie between two rounds, where `run_jobs` is called by something else; `limit` how many
    runs and how many memories are listed, from `offset` on.
    """

    overrides: Overrides | None
    every: float | None
    limit: int
    offset: int


class Editable(TypedDict, total=False):
    """What of a memory can be changed by name."""

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
    """What a column of the memories to list must be, or a list for any of several; None is nothing there."""

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
    """What a column of the memories to list must be; `between` which times they were said, `after` the last one had.

    `as_of` is the instant at which they stood so. In the `order` of "created_at" or "updated_at" they come by when they
    came in, or when their text was changed last, the newest first; else by their numbers.
    """

    as_of: Moment | None
    order: OrderName | None
    between: tuple[Moment, Moment] | None
    after: OneMemory | None
