"""Decides what becomes of texts that arrive: stored, confirmed as an exact repeat, or known by their key already.

Sees a whole batch, the role of each speaker settled, and what the store answered to it; a batch gives the same rows
as its drafts one by one.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from remanence.core.arrival import KnownMemory, Segment, Tail, WriteContext
from remanence.core.change import Change
from remanence.core.effects import VERBS
from remanence.core.model import (
    STANDING,
    Kind,
    PolicyClass,
    Reason,
    Relation,
    Role,
    Severity,
    Status,
    Trust,
    Turn,
    link_values,
    short_id,
)
from remanence.core.score import decay
from remanence.core.segment import TURN, goes_on, segment_of
from remanence.text.analysis import asks
from remanence.text.text_columns import lengths_of
from remanence.write.roles import compute_trust, told_by
from remanence.write.value import keep_value

KEPT_OUT = "in quarantine: it holds markup for a machine, and no user or agent said it"
ECHO = "it says again what is here already, and counts for nothing"
RETURNED = (
    "it says again what was returned a moment ago, and counts for nothing; rate it right, or say it with the role"
    " user if the user said it now"
)
PROGRAMS = frozenset({Role.ASSISTANT, Role.TOOL})
# What a repeat says of a memory: the greater value counts.
GREATER = ("confidence", "importance")


@dataclass(frozen=True, slots=True)
class MemoryDraft:
    """A checked text on its way in, with what is derived from it alone."""

    turn: Turn
    role: Role
    kind: Kind | None
    severity: Severity | None
    fingerprint: bytes
    said_at: int
    state: str | None = None  # said, or the one in which its category begins
    policy_class: PolicyClass = PolicyClass.DURABLE  # its category's
    door: Trust = Trust.USER  # the most that it is believed, whoever speaks
    has_machine_markup: bool = False  # in or beside its text; not looked for in what a user or an agent says
    replaced: Mapping[str, int] = field(default_factory=dict)  # by markers: kind → how often
    replacements: tuple[str, ...] = ()  # the same in words, with the lines, and how such are kept
    forbidden: str = ""  # why it may not come in
    is_of_a_model: bool = False  # what a model adds to what was said: nobody said it
    stands_beside: bool = False  # its key is an identity: what says the same is another memory
    is_vouched_for: bool = False  # its caller says that a user said it, and leaves it to no default
    echo_of: tuple[int, str] | None = None  # the memory, by number and id, that was returned and comes back
    settled: tuple[int, str, str] | None = (
        None  # the memory, by number and id, of which somebody decided already, and why
    )
    validity: tuple[int | None, int | None] = (
        None,
        None,
    )  # from when and until when its source says it is true
    said_offset: int = 0  # of the clocks where it was said, in seconds east of UTC

    @property
    def trust(self) -> Trust:
        """How far it is believed."""
        return compute_trust(self.door, self.role)

    @property
    def kept_out(self) -> bool:
        """Whether it goes into quarantine: markup for a machine from below an agent, or of a model."""
        return self.has_machine_markup and (self.trust < Trust.AGENT or self.is_of_a_model)


@dataclass(frozen=True, slots=True)
class DraftOutcome:
    """What became of one draft: the memory's key (negative for a new one), its id, the reason, and a role not said."""

    key: int
    id: str
    status: Literal["stored", "confirmed", "known", "gated"]
    reason: str = ""
    role: str | None = None
    told_by: str = ""


def in_segment(turn: Turn, agent: str | None) -> Segment:
    """Return the segment that a turn arrives in; `agent` takes it in where the turn names none."""
    return segment_of(turn.session, turn.thread, turn.agent or agent)


@dataclass
class DraftBatch:
    """The decision for a batch: one outcome per draft, and the changes that make it true."""

    now: int
    known: WriteContext
    new_id: Callable[[], str]
    agent: str | None = None
    outcomes: list[DraftOutcome] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(
        default_factory=list
    )  # new memories, in order; row k has the key -(k + 1)
    # How many memories hold each term of a new one as it arrives, itself included.
    df_of: list[Mapping[int, int]] = field(default_factory=list)
    extras: list[Change] = field(default_factory=list)
    repeats: dict[int, int] = field(default_factory=dict)  # stored memory → how often it was seen again
    df: dict[int, int] = field(init=False)  # how many memories hold each term, those of this batch included
    _keys: dict[str, DraftOutcome] = field(default_factory=dict)
    _twins: dict[tuple[bytes, bool], DraftOutcome] = field(
        default_factory=dict
    )  # with whether they are kept out
    _tails: dict[Segment, Tail] = field(default_factory=dict)
    _sourced: set[tuple[int, str]] = field(default_factory=set)
    _tags: dict[int, set[str]] = field(default_factory=dict)  # of each new row, by its key

    def __post_init__(self) -> None:
        """Start from what the store counted."""
        self.df = dict(self.known.df)

    def take(self, draft: MemoryDraft, terms: Collection[int]) -> DraftOutcome:
        """Decide one draft, given with the hashes of its stems, in the light of those before it."""
        if draft.forbidden:
            self.outcomes.append(DraftOutcome(0, "", "gated", draft.forbidden))
            return self.outcomes[-1]
        # A text that a memory returned comes back as known.
        outcome = (
            self._met_by_key(draft)
            or _met_as_settled(draft)
            or (None if draft.echo_of is None else DraftOutcome(*draft.echo_of, "known", RETURNED))
        )
        outcome = outcome or self._met_by_text(draft) or self._store_draft(draft, terms)
        if draft.turn.key is not None:
            self._keys.setdefault(draft.turn.key, outcome)
        self.outcomes.append(outcome)
        return outcome

    def forget_repeat(self, place: int, reason: str) -> None:
        """Count a draft as known instead of confirmed."""
        outcome = self.outcomes[place]
        self.outcomes[place] = replace(outcome, status="known", reason=reason)
        self.repeats[outcome.key] -= 1
        if not self.repeats[outcome.key]:
            del self.repeats[outcome.key]

    def measure(self) -> None:
        """Give new memories their lengths; together, since each alone takes ten times as long."""
        for row, lengths in zip(self.rows, lengths_of([row["text"] for row in self.rows]), strict=True):
            row.update(lengths)

    def changes(self) -> list[Change]:
        """Return everything to commit."""
        creations = [Change("memories", -(k + 1), None, row) for k, row in enumerate(self.rows)]
        confirmations = [
            VERBS["repeat"].build_count_change(seq, confirmations=n) for seq, n in self.repeats.items()
        ]
        return creations + self.extras + confirmations

    def _met_by_key(self, draft: MemoryDraft) -> DraftOutcome | None:
        key = draft.turn.key
        if key is None:
            return None
        twin = self.known.keys.get(key)
        if twin is not None:
            return DraftOutcome(twin.seq, twin.id, "known", f"the key {key!r} is here already")
        met = self._keys.get(key)
        return met and DraftOutcome(met.key, met.id, "known", f"the key {key!r} came twice")

    def _met_by_text(self, draft: MemoryDraft) -> DraftOutcome | None:
        """Confirm the standing memory that says the same; it makes no new row, but it adds its source."""
        if draft.stands_beside:
            return None
        met = self._twins.get((draft.fingerprint, draft.kept_out))
        twin = self.known.twins.get(draft.fingerprint)
        if draft.kept_out and (again := self._kept_out_again(met, twin)):
            return again
        if met is None and twin is not None and twin.status in STANDING:
            met = DraftOutcome(twin.seq, twin.id, "confirmed")
        if met is None:
            return None
        of_person = met.key < 0 and self.rows[-met.key - 1]["role"] not in PROGRAMS
        if draft.role in PROGRAMS and (TURN in draft.turn.tags or of_person):
            return DraftOutcome(met.key, met.id, "known", ECHO)
        if met.key < 0:
            self._add_to_row(met.key, draft)
        else:
            self.repeats[met.key] = self.repeats.get(met.key, 0) + 1
        self._add_source(met.key, draft)
        return DraftOutcome(met.key, met.id, "confirmed", "an exact repeat")

    def _kept_out_again(self, met: DraftOutcome | None, twin: KnownMemory | None) -> DraftOutcome | None:
        """Know a text that is in quarantine, or has just come there; such a one is never confirmed."""
        if met is not None:
            return DraftOutcome(met.key, met.id, "known", KEPT_OUT)
        if twin is not None and twin.status is Status.QUARANTINED:
            return DraftOutcome(twin.seq, twin.id, "known", KEPT_OUT)
        return None

    def _add_to_row(self, key: int, draft: MemoryDraft) -> None:
        """Let a repeat within the batch add to the new row what it would add to a stored memory."""
        row, turn = self.rows[-key - 1], draft.turn
        if draft.said_at > (row.get("said_again_at") or row["said_at"]):
            row["said_again_at"] = draft.said_at
        row["confirmations"] = row.get("confirmations", 0) + 1
        for name in GREATER:
            if (value := getattr(turn, name)) is not None:
                row[name] = max(round(value, 6), row.get(name, 0.0))
        row_tags = self._tags[key]
        self.extras += [Change("tags", (key, tag), None, {}) for tag in sorted(set(turn.tags) - row_tags)]
        row_tags.update(turn.tags)
        row["decay"] = decay(row_tags, row.get("category"))

    def _store_draft(self, draft: MemoryDraft, terms: Collection[int]) -> DraftOutcome:
        key = -(len(self.rows) + 1)
        segment = in_segment(draft.turn, self.agent)
        last = self._tails.get(segment) or self.known.tails.get(segment)
        tail = last if last is not None and goes_on(segment.kind, last.said_at, draft.said_at) else None
        row = self._make_row(draft, tail, terms)
        self.rows.append(row)
        self._add_source(key, draft)
        self._tags[key] = set(draft.turn.tags)
        self.extras += [Change("tags", (key, tag), None, {}) for tag in sorted(self._tags[key])]
        reason = self._beside_twin(key, draft)
        by = told_by(draft.turn, draft.role)
        outcome = DraftOutcome(key, row["id"], "stored", reason, draft.role.label if by else None, by)
        self._twins[draft.fingerprint, draft.kept_out] = outcome
        counts = {term: self.df.get(term, 0) + 1 for term in terms}
        self.df.update(counts)
        self.df_of.append(counts)
        self._tails[segment] = Tail(1 if tail is None else tail.length + 1, draft.said_at, draft.turn.text)
        return outcome

    def _beside_twin(self, key: int, draft: MemoryDraft) -> str:
        """Link a text to the memory that says it, or that said it and no longer stands."""
        met = self._twins.get((draft.fingerprint, draft.kept_out))
        twin = self.known.twins.get(draft.fingerprint)
        if draft.kept_out:
            return KEPT_OUT
        if met is not None:  # it comes in with this one, under another key
            same = (met.key, key, int(Relation.NEAR_DUPLICATE))
            self.extras.append(Change("links", same, None, link_values(self.now, 1.0, 1.0)))
        if twin is not None and twin.status in STANDING:
            same = (twin.seq, key, int(Relation.NEAR_DUPLICATE))
            self.extras.append(Change("links", same, None, link_values(self.now, 1.0, 1.0)))
            return f"{short_id(twin.seq)} says the same"
        if (
            twin is None or twin.status is Status.QUARANTINED
        ):  # what one says oneself rests on nothing of that
            return ""
        link = (key, twin.seq, int(Relation.LEARNED_FROM))
        self.extras.append(Change("links", link, None, link_values(self.now)))
        return f"learned anew: {short_id(twin.seq)} said it and is {twin.status.label}"

    def _make_row(self, draft: MemoryDraft, tail: Tail | None, terms: Collection[int]) -> dict[str, Any]:
        turn = draft.turn
        row: dict[str, Any] = {
            "id": self.new_id(),
            "text": turn.text,
            "fingerprint": draft.fingerprint,
            "said_at": draft.said_at,
            "learned_at": self.now,
            "status_at": self.now,
            "tier_at": self.now,
            "role": draft.role,
            "decay": decay(turn.tags, turn.category),
            "value": self._compute_value(draft, tail, terms),
        }
        optional = {
            "key": turn.key,
            "attributes": dict(turn.attributes) if turn.attributes else None,
            "category": turn.category,
            "kind": draft.kind,
            "state": draft.state,
            "state_at": self.now if draft.state is not None else None,
            "severity": draft.severity,
            "policy_class": None if draft.policy_class is PolicyClass.DURABLE else draft.policy_class,
            "trust": None if draft.trust is Trust.USER else draft.trust,
            "agent": turn.agent or self.agent,
            "speaker": turn.speaker,
            "thread": turn.thread,
            "session": turn.session,
            "said_offset": draft.said_offset or None,
            "valid_from": draft.validity[0],
            "valid_to": draft.validity[1],
            "confidence": None if turn.confidence is None else round(turn.confidence, 6),
            "importance": None if turn.importance is None else round(turn.importance, 6),
        }
        row.update({name: value for name, value in optional.items() if value is not None})
        if draft.kept_out:
            row.update(status=Status.QUARANTINED, reason=Reason.INSTRUCTIONS)
        return row

    def _compute_value(self, draft: MemoryDraft, tail: Tail | None, terms: Collection[int]) -> float:
        value = keep_value(
            draft.turn.text,
            terms=terms,
            memories=self.known.memories + len(self.rows),
            df=self.df,
            place=0 if tail is None else tail.length,
            after_question=tail is not None and asks(tail.text),
            assistant=draft.role is Role.ASSISTANT,
        )
        return round(value.total, 6)

    def _add_source(self, key: int, draft: MemoryDraft) -> None:
        source = draft.turn.source
        if source is not None and (key, source) not in self._sourced:
            self._sourced.add((key, source))
            self.extras.append(Change("sources", (key, source), None, {"span": None}))


def _met_as_settled(draft: MemoryDraft) -> DraftOutcome | None:
    """Know a text of which somebody decided before it came in again."""
    if draft.settled is None:
        return None
    seq, id_, why = draft.settled
    return DraftOutcome(seq, id_, "known", why)
