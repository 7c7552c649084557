"""The nouns: what is kept, what it is called, and what the verbs answer. Frozen data without behaviour or I/O."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from hashlib import blake2b
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from remanence.core.half_characters import of_texts
from remanence.core.later import import_later
from remanence.core.local_time import SaidTimes
from remanence.core.results import MaybeTime, Result, Time, number, visible
from remanence.core.signatures import checked_class

if TYPE_CHECKING:
    from remanence.core.recall_explanation import RecallExplanation

import_later(globals())
TEXT_CHARS_MAX = 100_000
SHORT_ID_CHARS = 8  # of an id, the last ones: of a million memories one in 4,000 shares them with another
NAME_CHARS_MAX = 200


class Label(IntEnum):
    """An enumeration kept as an integer and shown by its lower-case name."""

    @property
    def label(self) -> str:
        """Return the name as policies and JSON write it."""
        return self.name.lower()

    def __str__(self) -> str:
        return self.label

    def __format__(self, spec: str) -> str:
        return format(self.label, spec)


class Status(Label):
    """Status of a memory; recall searches inbox and active memories, and the archive where it is open."""

    INBOX = 0
    ACTIVE = 1
    SUPERSEDED = 2
    ARCHIVED = 3
    PRUNED = 4
    QUARANTINED = 5


class Tier(Label):
    """How near at hand a memory is kept; archive if and only if its status is archived."""

    HOT = 0
    WARM = 1
    COLD = 2
    ARCHIVE = 3


class Kind(Label):
    """Sort of knowledge that a memory holds."""

    SEMANTIC = 0
    EPISODIC = 1
    PROCEDURAL = 2


class Decay(Label):
    """How fast a memory's recency fades (elfmem's decay tiers)."""

    PERMANENT = 0
    DURABLE = 1
    STANDARD = 2
    EPHEMERAL = 3


class Lifecycle(Label):
    """How far a memory has been tried (engram's lifecycle states)."""

    CANDIDATE = 0
    VALIDATED = 1
    ACTIVE = 2
    STALE = 3
    ARCHIVED = 4


class Verification(Label):
    """State of verification of a memory: who confirmed or disputed that it is right (engram's verification states)."""

    UNVERIFIED = 0
    USER_CONFIRMED = 1
    SYSTEM_INFERRED = 2
    DISPUTED = 3


class PolicyClass(Label):
    """How careful policies are to be with a memory (engram's policy classes); ephemeral from arrival or never."""

    EPHEMERAL = 0
    DURABLE = 1
    PROTECTED = 2


class Reason(Label):
    """Why a memory is neither inbox nor active."""

    DECAYED = 0
    SUPERSEDED = 1
    FORGOTTEN = 2
    EXPIRED = 3
    MERGED = 4
    BUDGET = 5
    COMPACTED = 6
    INSTRUCTIONS = 7  # it holds markup for a machine, and nobody who may instruct one said it


class Form(Label):
    """What is shown of a memory where room is scarce; its text stays whole and is what recall searches and shows."""

    FULL = 0
    CONDENSED = 1
    SUMMARY = 2


class Severity(Label):
    """How grave what a memory reports is."""

    INFO = 0
    LOW = 1
    MEDIUM = 2
    HIGH = 3
    CRITICAL = 4


class Role(Label):
    """Role of the speaker."""

    USER = 0
    ASSISTANT = 1
    SYSTEM = 2
    TOOL = 3


class Trust(Label):
    """How far a memory's text is to be believed, by the door it came through and who spoke; no machine raises it."""

    OUTSIDE = 0
    TOOL = 1
    AGENT = 2
    USER = 3


class Relation(Label):
    """Meaning of a link; the relations in SYMMETRIC are stored once, lower sequence number first."""

    SIMILAR = 0
    NEAR_DUPLICATE = 1
    CO_OCCURS = 2
    CONTRADICTS = 3
    ELABORATES = 4
    SUPPORTS = 5
    CAUSES = 6
    REFERS = 7
    SUPERSEDES = 8
    LEARNED_FROM = 9
    MERGED_FROM = 10
    MENTIONS = 11
    FOLLOWS = 12
    NEWER = 13


SYMMETRIC = frozenset({Relation.SIMILAR, Relation.NEAR_DUPLICATE, Relation.CO_OCCURS, Relation.CONTRADICTS})
# Links that record history count in no degree, activation or weak-link pruning.
LINEAGE = frozenset({Relation.SUPERSEDES, Relation.LEARNED_FROM, Relation.MERGED_FROM})
# Nor do contradictions, what is newer than what, and links to what a text names.
UNCOUNTED = LINEAGE | {Relation.CONTRADICTS, Relation.NEWER, Relation.MENTIONS}
# From here on a link says so for certain: by a person's word, a writer's verdict (elfmem), or rules without a doubt.
CERTAIN_MIN = 0.80

# What recall may return.
STANDING = frozenset({Status.INBOX, Status.ACTIVE})

# A path that was tried and rejected; forgetting it means walking it again.
REJECTED_PATH = "rejected-path"
# What an agent is, whatever it does; it fades least of all and no rating moves it.
CONSTITUTIONAL = "self/constitutional"


def is_load_bearing(kind: Kind | None, tags: Iterable[str]) -> bool:
    """Tell whether later work rests on a memory: all but episodes do, and what nobody has classified (forge-loop)."""
    return kind is not Kind.EPISODIC or REJECTED_PATH in tags


# What a memory may become; backwards only by restore, undo or confirmation.
TRANSITIONS: Mapping[Status, frozenset[Status]] = {
    Status.QUARANTINED: frozenset({Status.INBOX, Status.PRUNED}),
    Status.INBOX: frozenset({Status.ACTIVE, Status.SUPERSEDED, Status.ARCHIVED, Status.PRUNED}),
    Status.ACTIVE: frozenset({Status.SUPERSEDED, Status.ARCHIVED, Status.PRUNED}),
    Status.SUPERSEDED: frozenset({Status.ARCHIVED, Status.PRUNED}),
    Status.ARCHIVED: frozenset({Status.SUPERSEDED, Status.PRUNED}),
    Status.PRUNED: frozenset(),
}
# What brings a memory back, or a whole scope, beside whatever stands by now.
COMING_BACK = frozenset({"undo", "restore", "copy"})
# By these a memory with a key stands beside what says the same.
KEYING = frozenset({"put", "import"})
RETURNING_VERBS = COMING_BACK | {"confirm", "import"}

ColumnKind = Literal[
    "int", "time", "fraction", "flag", "enum", "name", "text", "json", "blob", "accessors", "numbers"
]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a memory: its kind, its home table in SQL, and what it is when nobody says.

    int: an integer · time: microseconds UTC · fraction: a float from 0 to `limit` kept in millionths · flag: 0 or 1
    · enum: an integer whose names are `labels` · name: a string kept as a code of the scope · text, json, blob: as
    they are · accessors: by name how often it was used and when last, a row each · numbers: a list of integers.
    """

    name: str
    kind: ColumnKind
    home: Literal["states", "memories", "vectors", "accessors"] = "states"
    default: Any = None
    nullable: bool = True
    labels: type[Label] | None = None
    limit: float = 1.0  # the largest value of a fraction


def _enum(name: str, labels: type[Label], default: Label | None = None) -> Column:
    return Column(name, "enum", default=default, nullable=default is None, labels=labels)


# Every column of a memory, in the order the store keeps them. What lives in `states` is narrow and all integers:
# it is what curation reads and writes. `revision` rises with each change of content or state, `touched` with each
# use, link or neighbour's change; the store keeps both. `helped` and `failed` count thousandths of a rating. A
# memory whose `text_at` or `confidence_at` is None has its text, or its confidence, as it arrived.
COLUMNS: tuple[Column, ...] = (
    Column("id", "text", "memories", nullable=False),
    Column("key", "text", "memories"),
    Column("text", "text", "memories", nullable=False),
    Column("fingerprint", "blob", "memories", nullable=False),
    Column("attributes", "json", "memories"),
    Column("holds", "json", "memories"),
    _enum("status", Status, Status.INBOX),
    _enum("tier", Tier, Tier.HOT),
    _enum("reason", Reason),
    Column("category", "name"),
    _enum("kind", Kind),
    Column("state", "name"),
    _enum("severity", Severity),
    _enum("decay", Decay, Decay.STANDARD),
    _enum("lifecycle", Lifecycle, Lifecycle.CANDIDATE),
    _enum("verification", Verification, Verification.UNVERIFIED),
    _enum("policy_class", PolicyClass, PolicyClass.DURABLE),
    _enum("role", Role, Role.USER),
    Column("agent", "name"),
    Column("speaker", "name"),
    Column("thread", "name"),
    Column("session", "name"),
    Column("said_at", "time", nullable=False),
    Column("said_offset", "int", default=0, nullable=False),
    Column("said_again_at", "time"),
    Column("learned_at", "time", nullable=False),
    Column("valid_from", "time"),
    Column("valid_to", "time"),
    Column("used_at", "time"),
    Column("state_at", "time"),
    Column("status_at", "time", nullable=False),
    Column("tier_at", "time", nullable=False),
    Column("reinforced_at", "time"),
    Column("text_at", "time"),
    Column("confidence_at", "time"),
    Column("hold_until", "time"),
    Column("pinned", "flag", default=0, nullable=False),
    Column("confidence", "fraction"),
    Column("importance", "fraction"),
    Column("alignment", "fraction"),
    Column("value", "fraction", limit=1_000_000),
    Column("tokens", "int", default=0, nullable=False),
    Column("words", "int", default=0, nullable=False),
    Column("uses", "int", default=0, nullable=False),
    Column("use_days", "int", default=0, nullable=False),
    Column("use_day", "int", default=0, nullable=False),
    Column("confirmations", "int", default=0, nullable=False),
    Column("disputes", "int", default=0, nullable=False),
    Column("reinforced", "int", default=0, nullable=False),
    Column("helped", "int", default=0, nullable=False),
    Column("failed", "int", default=0, nullable=False),
    Column("accessors", "accessors", "accessors"),
    Column("vector", "blob", "vectors"),
    Column("revision", "int", default=1, nullable=False),
    Column("touched", "int", default=0, nullable=False),
    _enum("trust", Trust, Trust.USER),
    _enum("form", Form, Form.FULL),
    # Of its short form: the summary where that is its form, else the text without its small words.
    Column("short_tokens", "int", default=0, nullable=False),
    Column("short_words", "int", default=0, nullable=False),
    Column("summary", "text", "memories"),
)
COLUMN: Mapping[str, Column] = {column.name: column for column in COLUMNS}
TEXT_COLUMNS = ("fingerprint", "tokens", "words", "short_tokens", "short_words")  # that follow from a text
# Counters that change by increments: they never conflict and never raise the revision.
COUNTERS = frozenset({"uses", "confirmations", "disputes", "reinforced", "helped", "failed"})
INT_MAX = 2**31 - 1  # of a number; a counter that has come so far stays there
COUNT_MAX = 2**24 - 1  # how often a link can have been seen, likewise; what a packed snapshot has room for
REVISION_MAX = 2**63 - 1
_LINK_REVISION_BYTES = 6  # below 2^53: whole in every reader of JSON
LINK_COLUMNS = ("weight", "confidence", "count", "created_at", "last_at", "resolved_at")


@dataclass(frozen=True, slots=True, repr=False)
class Link(Result):
    """A typed edge between two memories; a missing confidence counts as 1, a contradiction is open until resolved."""

    source: int
    target: int
    relation: Relation
    weight: float = 0.5
    confidence: float | None = None
    count: int = 1
    created_at: int = 0
    last_at: int = 0
    resolved_at: int | None = None

    @property
    def key(self) -> tuple[int, int, int]:
        """How a change names it."""
        return (self.source, self.target, int(self.relation))

    @property
    def is_certain(self) -> bool:
        """Return True if it is as certain as a person's word or a model's verdict; a link made by hand is certain."""
        return self.confidence is None or self.confidence >= CERTAIN_MIN

    @property
    def revision(self) -> int:
        """Return a number that any change of the link changes, above 0; for `if_revision`."""
        numbers = [None if value is None else round(value * 1_000_000) for value in self.values.values()]
        return 1 + int.from_bytes(blake2b(repr(numbers).encode(), digest_size=_LINK_REVISION_BYTES).digest())

    @property
    def values(self) -> dict[str, Any]:
        """Its columns beside the key."""
        return {name: getattr(self, name) for name in LINK_COLUMNS}

    created_time = Time("created_at")
    last_time = Time("last_at")
    resolved_time = MaybeTime("resolved_at")

    def to_dict(self) -> dict[str, Any]:
        """Return it as data that `json.dumps` takes, with its revision."""
        return {**Result.to_dict(self), "revision": self.revision}

    def __str__(self) -> str:
        sure = "" if self.confidence is None else f", confidence {self.confidence:.2f}"
        ends = f"{short_id(self.source)} {self.relation.label} {short_id(self.target)}"
        return f"{ends}, weight {self.weight:.2f}{sure}, seen {self.count:,}×"


def link_values(now: int, weight: float = 1.0, confidence: float | None = None) -> dict[str, Any]:
    """Return the values of a link that is drawn now: a certain one, as those of lineage are, unless told otherwise."""
    return {"weight": weight, "confidence": confidence, "count": 1, "created_at": now, "last_at": now}


@dataclass(frozen=True, slots=True, repr=False)
class Memory(SaidTimes, Result):
    """One thing kept, with all its columns, tags and sources; times in microseconds UTC.

    `said_offset` is how many seconds east of UTC the clocks stood where it was said, 0 where nobody knows it.
    `accessors` maps each agent that used it to how often (`uses`) and when last (`last_at`), `tagged_at` each tag to
    when it was set, as far as that is known. `last_action` is told by `get` alone: what a policy's run last did to it.
    """

    seq: int
    id: str
    scope: str
    text: str
    status: Status
    tier: Tier
    said_at: int
    learned_at: int
    status_at: int
    tier_at: int
    fingerprint: bytes
    key: str | None = None
    attributes: Mapping[str, Any] | None = None
    holds: Mapping[str, int | None] | None = None
    reason: Reason | None = None
    category: str | None = None
    kind: Kind | None = None
    state: str | None = None
    severity: Severity | None = None
    decay: Decay = Decay.STANDARD
    lifecycle: Lifecycle = Lifecycle.CANDIDATE
    verification: Verification = Verification.UNVERIFIED
    policy_class: PolicyClass = PolicyClass.DURABLE
    role: Role = Role.USER
    agent: str | None = None
    speaker: str | None = None
    thread: str | None = None
    session: str | None = None
    said_offset: int = 0
    said_again_at: int | None = None
    valid_from: int | None = None
    valid_to: int | None = None
    used_at: int | None = None
    state_at: int | None = None
    reinforced_at: int | None = None
    text_at: int | None = None
    confidence_at: int | None = None
    hold_until: int | None = None
    pinned: int = 0
    confidence: float | None = None
    importance: float | None = None
    alignment: float | None = None
    value: float | None = None
    tokens: int = 0
    words: int = 0
    uses: int = 0
    use_days: int = 0
    use_day: int = 0
    confirmations: int = 0
    disputes: int = 0
    reinforced: int = 0
    helped: int = 0
    failed: int = 0
    accessors: Mapping[str, Mapping[str, int]] | None = None
    revision: int = 1
    touched: int = 0
    trust: Trust = Trust.USER
    form: Form = Form.FULL
    short_tokens: int = 0
    short_words: int = 0
    summary: str | None = None
    tags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    tagged_at: Mapping[str, int] = field(default_factory=dict)
    last_action: str | None = None

    HIDDEN = frozenset({"fingerprint", "use_days", "use_day"})
    said_time = Time("said_at", "said_offset")
    said_again_time = MaybeTime("said_again_at")
    learned_time = Time("learned_at")
    status_time = Time("status_at")
    tier_time = Time("tier_at")
    state_time = MaybeTime("state_at")
    used_time = MaybeTime("used_at")
    reinforced_time = MaybeTime("reinforced_at")
    text_time = MaybeTime("text_at")
    confidence_time = MaybeTime("confidence_at")
    valid_from_time = MaybeTime("valid_from")
    valid_to_time = MaybeTime("valid_to")
    hold_until_time = MaybeTime("hold_until")

    def to_dict(self) -> dict[str, Any]:
        """Return it as data that `json.dumps` takes, with when it was said as the clocks there showed it."""
        return {**Result.to_dict(self), "said_at": self.said_time.isoformat()}

    def __str__(self) -> str:
        mark = "" if self.status is Status.ACTIVE else f" [{self.status.label}]"
        who = f" {self.speaker}:" if self.speaker else ""
        mark += f" [{self.said_again}]" if self.said_again else ""
        mark += "" if self.trust is Trust.USER else f" [{self.trust.label}]"
        mark += "".join(f" [{end}]" for end in self.ended)
        text = f"{short_id(self.seq)} {self.said_day}{mark}{who} {self.text}"
        return visible(" ".join(text.split()))


@of_texts
@checked_class
@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation, or any text to learn.

    `key` is a stable name that the caller chooses: a turn whose key is known already is not stored again. Where `role`
    is None, the speaker's name decides: a program's name makes an assistant, every other name a user. `trust` can only
    lower how far the turn is believed; the way it comes in and its role set the maximum.
    """

    text: str
    category: str | None = None
    kind: str | Kind | None = None
    tags: Sequence[str] = ()
    role: str | Role | None = None
    speaker: str | None = None
    agent: str | None = None
    thread: str | None = None
    session: str | None = None
    said_at: datetime | int | None = None
    source: str | None = None
    key: str | None = None
    state: str | None = None
    severity: str | Severity | None = None
    confidence: float | None = None
    importance: float | None = None
    attributes: Mapping[str, Any] | None = None
    trust: str | Trust | None = None


@dataclass(frozen=True, slots=True, repr=False)
class LearnResult(Result):
    """Result of storing a text: `stored` (new), `confirmed` (an exact repeat) or `known` (its key exists already).

    `quarantined`: the text is stored but hidden until somebody accepts it, since it holds markup for a machine and
    comes from outside or a tool. `gated`: the text is forbidden, nothing was stored, and there is no id. `replaced`
    says which secrets and personal data were replaced by markers, kind → how often, `replacements` on which lines, and
    how to keep such data.

    `role` is the role that the text was taken to have, if nobody gave one and it is not the user's; `told_by` says what
    decided that. `run` is the id to give to `undo`, which undoes all that was stored in the same transaction; None
    where nothing was written.
    """

    id: str
    seq: int
    status: Literal["stored", "confirmed", "known", "quarantined", "gated"]
    reason: str = ""
    role: str | None = None
    told_by: str = ""
    run: str | None = None
    replaced: Mapping[str, int] = field(default_factory=dict, hash=False)
    replacements: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """The reason, the role and what was replaced, as far as there is anything to say."""
        role = f"role {self.role}, told by {self.told_by}" if self.role is not None else ""
        return "; ".join(filter(None, (self.reason, role, *self.replacements)))

    def __str__(self) -> str:
        if self.status == "gated":
            return visible(f"gated: {self.note}")
        return f"{self.status} {short_id(self.seq)} {self.id}{f' ({self.note})' if self.note else ''}"


@dataclass(frozen=True, slots=True, repr=False)
class Hit(Result):
    """One recalled memory with its score, the parts of the score, and the ids of returned memories that contradict it.

    The score is 0 where the memory is in the answer for another reason than a score. `cut` is True if the answer's text
    shows only a passage of the memory. `also` names memories that say the same and therefore have no place of their
    own: the turn that a fact was learned from, or the facts of a turn. An `archived` memory is not active; `restore`
    makes it active again. `stands_above` names a memory with a higher rank above which this one was put, and says why.
    """

    memory: Memory
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    contradicted_by: tuple[str, ...] = ()
    cut: bool = False
    also: tuple[str, ...] = ()
    archived: bool = False
    stands_above: str = ""

    @property
    def id(self) -> str:
        """Id of the memory."""
        return self.memory.id

    @property
    def seq(self) -> int:
        """Number of the memory."""
        return self.memory.seq

    @property
    def text(self) -> str:
        """Text of the memory."""
        return self.memory.text

    def __str__(self) -> str:
        by = ", ".join(one[-SHORT_ID_CHARS:] for one in self.contradicted_by)
        over = f" (contradicted by {by})" if by else ""
        score = f"{self.score:.3f} " if self.score else ""
        above = f" (stands above {self.stands_above})" if self.stands_above else ""
        return visible(f"{score}{self.memory}{over}{above}")


@dataclass(frozen=True, slots=True, repr=False)
class DroppedMemory(Result):
    """A memory that was left out, and the reason."""

    id: str
    reason: str
    tokens: int = 0
    seq: int = 0  # 0 where nothing has that name

    def __str__(self) -> str:
        return visible(f"{short_id(self.seq) if self.seq else self.id}: {self.reason}")


@dataclass(frozen=True, slots=True, repr=False)
class RecallResult(Result):
    """Answer to a recall: memories best first, within the budget, and what was left out; iteration yields the hits.

    `strength` is between 0 (nothing matches) and 1. Below the embedder's floor for the number of memories the answer
    `is_weak`: its `text` begins by saying so, and no use is counted. A little above that floor it `is_unsure`, and its
    text says so, too. `left_out` counts all memories that were left out, by reason; `dropped` names the first of them.
    `without_model` says why an embedding model had no part in the answer. `times` are the times that the question asks
    about, each with its words in the question. `explanation` says why, if that was asked. `next_score` is the score of
    the first memory beyond the limit, divided by the best score. `notes` has further remarks.
    """

    query: str
    memories: tuple[Hit, ...]
    strength: float
    tokens: int
    dropped: tuple[DroppedMemory, ...] = ()
    is_weak: bool = False
    text: str = ""
    left_out: Mapping[str, int] = field(default_factory=dict)
    without_model: str = ""
    is_unsure: bool = False
    explanation: "RecallExplanation | None" = None
    times: tuple[str, ...] = ()
    next_score: float = 0.0
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.memories)

    def __len__(self) -> int:
        return len(self.memories)

    def __str__(self) -> str:
        return self.text or "nothing found"

    def _line(self) -> str:
        """Say in one line what was asked and how much was found."""
        strength = f", strength {self.strength:.2f}" if self.query else ""
        return f"{self.query!r}: {number(len(self.memories), 'memory', 'memories')}{strength}, {self.tokens:,} tokens"


@dataclass(frozen=True, slots=True, repr=False)
class RateResult(Result):
    """Result of a rating: ids of the rated memories, and the skipped ones with the reason."""

    rated: tuple[str, ...]
    skipped: tuple[DroppedMemory, ...] = ()
    run: str | None = None

    def __str__(self) -> str:
        skips = "".join(f"; not {one}" for one in self.skipped)
        return f"{number(len(self.rated), 'memory', 'memories')} rated{skips}"


@dataclass(frozen=True, slots=True, repr=False)
class AffectedMemory(Result):
    """One memory that a plan or a run changes: its id, text and time are None where nobody knows them (any more)."""

    seq: int
    id: str | None = None
    text: str | None = None
    said_at: int | None = None
    said_offset: int = 0

    said_time = MaybeTime("said_at", "said_offset")

    def to_dict(self) -> dict[str, Any]:
        """Return it as data that `json.dumps` takes, with when it was said as the clocks there showed it."""
        said = self.said_time
        return {**Result.to_dict(self), "said_at": None if said is None else said.isoformat()}

    def __str__(self) -> str:
        date = "" if self.said_time is None else f" {self.said_time.date()}"
        return visible(
            " ".join(f"{short_id(self.seq)}{date} {self.text or self.id or 'not there any more'}".split())
        )


# What a verb takes for a memory, and where it takes several: public as `remanence.types.OneMemory` and `….Memories`.
OneMemory: TypeAlias = Annotated[
    int | str | Memory | Hit | LearnResult | DroppedMemory | AffectedMemory,
    "a memory: its number, id, short id or key, or what a verb returned of it",
]
Memories: TypeAlias = Annotated[
    OneMemory | RecallResult | Sequence[OneMemory],
    "a memory (its number, id, short id or key, or what a verb returned of it) or a list of them",
]


def short_id(seq: int) -> str:
    """Write how a memory can be named shortly: its number, as every verb reads it."""
    return f"#{seq}"


def new_id(now: int, random: Callable[[int], bytes]) -> str:
    """Build a UUID of version 7 (RFC 9562) as 32 hex digits from a time and a source of random bytes."""
    tail = bytearray(random(10))
    tail[0] = 0x70 | (tail[0] & 0x0F)
    tail[2] = 0x80 | (tail[2] & 0x3F)
    return (max(now, 0) // 1_000).to_bytes(6, "big").hex() + bytes(tail).hex()
