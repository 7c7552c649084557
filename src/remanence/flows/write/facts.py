"""What becomes of the facts that a writer found in turns: stored with their turn as a source, confirmed, or left out.

A fact is said by who said its turn, and believed as far as the texts that the writer was shown. Knows what a fact is
kept as; must not know when turns are listened to.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from remanence.core.change import Change
from remanence.core.clock import DAY
from remanence.core.keywords import ActionName, OutcomeName
from remanence.core.model import (
    STANDING,
    Kind,
    Lifecycle,
    Memory,
    PolicyClass,
    Relation,
    Role,
    Status,
    Trust,
    Turn,
    link_values,
)
from remanence.core.segment import TURN
from remanence.edit.one_memory import merge_changes, update
from remanence.flows.base.context import Core
from remanence.flows.write import gating
from remanence.flows.write.edited_turn_facts import pass_on_newer
from remanence.flows.write.learning import decide_batch, prepare
from remanence.read.extraction import AREA, EVENT_AT, EXTRACTED_BY, SUBJECT, Fact
from remanence.store.base import Arriving
from remanence.text.analysis import stems
from remanence.write.admission import PROGRAMS, DraftBatch, DraftOutcome, MemoryDraft
from remanence.write.engine_actions import UNSAID, Actions, Eligibility, decide
from remanence.write.supposed import expiry

BASE = 0.5
OF_CATEGORY = {
    "correction": 0.20, "principle": 0.20, "rule": 0.20, "decision": 0.20, "commitment": 0.20, "procedure": 0.15,
    "preference": 0.15, "reasoning_trace": 0.09, "relationship": 0.05, "skill": 0.05, "moment": 0.03, "entity": 0.02,
}  # fmt: skip
_EPISODES = frozenset({"event", "action", "observation", "issue", "bug", "incident", "moment"})


def importance_of(category: str) -> float:
    """Return from 0 to 1 how much would be lost with a fact of a category."""
    return BASE + OF_CATEGORY.get(category, 0.0)


def kind_of(category: str) -> Kind:
    """Tell a note from an episode and a procedure."""
    if category == "procedure":
        return Kind.PROCEDURAL
    return Kind.EPISODIC if category in _EPISODES else Kind.SEMANTIC


GONE = "forgotten or replaced since"
ECHO = "an echo"
GATED, QUARANTINED = "forbidden", "quarantined"
COMMITS = 1_000  # the newest of the scope, among which uses are looked for
USES = 100  # so many of them, the newest
SHOWN_MAX = 500
REPEATED_MIN = 0.7  # of the words of what is said, so many are in what was shown


@dataclass(frozen=True, slots=True)
class EchoDetector:
    """The words of each text that was shown, and when."""

    words: Sequence[tuple[int, frozenset[str]]]

    def echoes(self, turn: Memory, text: str) -> bool:
        """Tell whether an assistant or a tool says again what it was shown before."""
        if turn.role not in PROGRAMS:
            return False
        said = frozenset(stems(text))
        return bool(said) and any(
            at <= turn.learned_at and len(said & held) >= REPEATED_MIN * len(said) for at, held in self.words
        )


@dataclass(frozen=True, slots=True)
class FactChanges:
    """What the facts of a batch change, what became of them, and the actions that these were.

    `proposed` holds tags that only a person sets, by the memory's key.
    """

    changes: list[Change]
    stored: int = 0
    confirmed: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    actions: Actions = field(default_factory=Actions)
    proposed: Mapping[int, Sequence[str]] = field(default_factory=dict)


async def decide_facts(
    core: Core,
    turns: Sequence[Memory],
    facts: Sequence[Fact],
    writer: str,
    before: Sequence[Memory] = (),
) -> FactChanges:
    """Decide what becomes of the facts of some turns that a `writer` found; it was shown those `before`, too."""
    of = {turn.id: turn for turn in turns}
    drafts = [
        (_draft_fact(core, fact, of[fact.turn], writer), fact, of[fact.turn])
        for fact in facts
        if fact.turn in of
    ]
    fallen = await _find_fallen(core, [draft for draft, _, _ in drafts], turns)
    texts = await shown_in(core, turns)
    changes: list[Change] = []
    left_out: Counter[str] = Counter()
    new: list[tuple[MemoryDraft, Fact]] = []
    actions, whole = Actions(), 0
    proposals: dict[int, tuple[str, ...]] = {}
    for draft, fact, turn in drafts:
        is_fallen = fallen.get(draft.fingerprint, turn.learned_at - 1) >= turn.learned_at
        if reason := GONE if is_fallen else ECHO if texts.echoes(turn, draft.turn.text) else "":
            left_out[reason] += 1
            _record_drop(actions, draft, reason)
        elif draft.fingerprint == turn.fingerprint:
            changes += _is_fact(core, turn, draft)
            whole += 1
            proposals[turn.seq] = fact.proposed
            _record_decision(actions, draft, DraftOutcome(turn.seq, turn.id, "stored"))
        else:
            new.append((draft, fact))
    if not new:
        return FactChanges(merge_changes(changes), whole, 0, left_out, actions, _filter_proposed(proposals))
    batch, new_changes = await decide_batch(core, [draft for draft, _ in new], hears_echoes=True)
    told = [(fact, of[fact.turn]) for _, fact in new]
    new_changes = await _link_facts(core, batch, new_changes, told)
    new_changes += _link_lenders(batch, told, [*before, *turns])
    outcomes = Counter(
        QUARANTINED if draft.kept_out and outcome.status == "stored" else outcome.status
        for (draft, _), outcome in zip(new, batch.outcomes, strict=True)
    )
    left_out += Counter({GATED: outcomes["gated"], QUARANTINED: outcomes[QUARANTINED]})
    for (draft, fact), outcome in zip(new, batch.outcomes, strict=True):
        _record_decision(actions, draft, outcome)
        if outcome.status in {"stored", "confirmed"} and not draft.kept_out:
            proposals[outcome.key] = (*proposals.get(outcome.key, ()), *fact.proposed)
    return FactChanges(
        merge_changes([*changes, *new_changes]),
        outcomes["stored"] + whole,
        outcomes["confirmed"],
        left_out,
        actions,
        _filter_proposed(proposals),
    )


def _filter_proposed(proposed: Mapping[int, tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
    return {key: tuple(dict.fromkeys(tags)) for key, tags in proposed.items() if tags}


def _draft_fact(core: Core, fact: Fact, turn: Memory, writer: str) -> MemoryDraft:
    """Return a fact as it arrives: said by who said its turn, and believed as far as the texts that were shown.

    Those are all believed as far as the turn: texts of different trust never share a request.
    """
    draft = prepare(core, _turn_of(core, fact, turn, writer), turn.trust)
    beside = (*fact.tags, *fact.proposed, fact.subject, *gating.texts_in(fact.attributes))
    has_markup = gating.has_machine_markup(fact.content, *beside)
    return replace(
        draft,
        said_offset=turn.said_offset,
        is_vouched_for=False,
        is_of_a_model=True,
        has_machine_markup=has_markup,
    )


def select_before(turn: Memory, turns: Sequence[Memory]) -> list[Memory]:
    """Return the turns of a conversation that were said before one, the latest last."""
    if TURN not in turn.tags:
        return []
    before = [
        one
        for one in turns
        if one.thread == turn.thread and (one.said_at, one.seq) < (turn.said_at, turn.seq)
    ]
    return sorted(before, key=lambda one: (one.said_at, one.seq))


def _choose_action(draft: MemoryDraft) -> ActionName:
    return "store_episode" if draft.kind is Kind.EPISODIC else "store_note"


def _record_drop(actions: Actions, draft: MemoryDraft, reason: str) -> None:
    """Record a fact that is not kept; an echo of the engine's own words is thrown away where it weighs little."""
    eligibility = _read_eligibility(draft)
    is_junk = reason == ECHO and decide("discard", eligibility).verdict == "allow"
    action: ActionName = "discard" if is_junk else _choose_action(draft)
    actions.record(action, eligibility, "applied" if is_junk else "skipped", reason)


def _read_eligibility(draft: MemoryDraft) -> Eligibility:
    sure, weighs = draft.turn.confidence, draft.turn.importance
    return Eligibility(
        UNSAID if sure is None else sure,
        Lifecycle.CANDIDATE,
        UNSAID if weighs is None else weighs,
        "extraction",
    )


def _record_decision(actions: Actions, draft: MemoryDraft, outcome: DraftOutcome) -> None:
    """Record what became of a fact; what is too unsure to be kept for good is on trial, and expires by itself."""
    eligibility = _read_eligibility(draft)
    if outcome.status != "stored":
        decisions: dict[str, tuple[ActionName, OutcomeName, str]] = {
            "confirmed": ("update_note", "applied", "said again"),
            "known": (_choose_action(draft), "skipped", outcome.reason),
            "gated": (_choose_action(draft), "denied", GATED),
        }
        actions.record(decisions[outcome.status][0], eligibility, *decisions[outcome.status][1:])
    elif draft.kept_out:
        actions.record(_choose_action(draft), eligibility, reason=QUARANTINED)
    elif actions.allows(_choose_action(draft), eligibility):
        actions.record(_choose_action(draft), eligibility)


def _turn_of(core: Core, fact: Fact, turn: Memory, writer: str) -> Turn:
    """Return a fact as a text that arrives: said by whoever said the turn, then and there; a writer extracted it."""
    is_known = fact.category in core.policy.categories and not core.policy.is_system(fact.category)
    tags = fact.tags if is_known else (*fact.tags, fact.category)
    named = {SUBJECT: fact.subject, EVENT_AT: fact.event_at, AREA: fact.area, EXTRACTED_BY: writer}
    about = {**fact.attributes, **{name: value for name, value in named.items() if value}}
    return Turn(
        fact.content,
        category=fact.category if is_known else None,
        kind=kind_of(fact.category),
        tags=tuple(dict.fromkeys(tags)),
        role=turn.role,
        speaker=turn.speaker,
        agent=turn.agent,
        thread=turn.thread,
        session=turn.session,
        said_at=turn.said_at,
        source=turn.id,
        confidence=fact.confidence,
        importance=importance_of(fact.category),
        attributes=about,
    )


async def _find_fallen(
    core: Core, drafts: Sequence[MemoryDraft], turns: Sequence[Memory]
) -> dict[bytes, int]:
    """Return since when facts stand no more that were known, by fingerprint.

    What the turns took the place of is no such one: they say what of it holds.
    """
    prints = [draft.fingerprint for draft in drafts]
    twins = (await core.store.arriving(core.scope, Arriving(fingerprints=prints))).twins
    seqs = sorted({twin.seq for twin in twins.values() if twin.status not in STANDING})
    if not seqs:
        return {}
    taking = [turn.seq for turn in turns]
    places = await core.store.neighbours(core.scope, taking, Relation.SUPERSEDES)
    replaced = {link.target for link in places if link.source in taking}
    return {
        one.fingerprint: one.status_at
        for one in await core.store.get(core.scope, seqs)
        if one is not None and one.status is not Status.QUARANTINED and one.seq not in replaced
    }


def _is_fact(core: Core, turn: Memory, draft: MemoryDraft) -> list[Change]:
    """Let a turn that says nothing but one fact be that fact, unless a person protects it as it is."""
    if turn.category is not None or core.find_protections(turn, trust=Trust.AGENT):
        return []
    told = draft.turn.attributes or {}
    added = {name: told[name] for name in (EVENT_AT, AREA) if name in told}
    values = {
        "attributes": {**added, **(turn.attributes or {})} if added else None,
        "category": draft.turn.category,
        "kind": draft.kind,
        "policy_class": None if draft.policy_class is PolicyClass.EPHEMERAL else draft.policy_class,
        "confidence": turn.confidence if turn.confidence is not None else draft.turn.confidence,
        "importance": turn.importance if turn.importance is not None else draft.turn.importance,
        "valid_to": turn.valid_to
        if turn.valid_to is not None
        else expiry(draft.turn.confidence, turn.learned_at),
    }
    fields = {name: value for name, value in values.items() if value is not None}
    return update(turn, fields, tags={*turn.tags, *draft.turn.tags})


async def _link_facts(
    core: Core, batch: DraftBatch, changes: Sequence[Change], told_: Sequence[tuple[Fact, Memory]]
) -> list[Change]:
    """Name the turn of each fact, with the characters it was read from; no fact is believed more than its turn."""
    seqs = sorted({outcome.key for outcome in batch.outcomes if outcome.key > 0})
    met = {memory.seq: memory for memory in await core.store.get(core.scope, seqs) if memory is not None}
    links = await core.store.neighbours(core.scope, seqs, Relation.LEARNED_FROM) if seqs else []
    have = {link.key for link in links}
    spans: dict[tuple[int, str], str] = {}
    link_changes: list[Change] = []
    heard: dict[int, dict[int, str]] = defaultdict(dict)
    for outcome, (fact, turn) in zip(batch.outcomes, told_, strict=True):
        if outcome.status == "gated":
            continue
        spans.setdefault((outcome.key, turn.id), f"{fact.span[0]}-{fact.span[1]}")
        heard[turn.seq][outcome.key] = fact.content
        if outcome.key < 0:
            # A new fact is believed no more than its turn, and expires where it is only supposed.
            row = batch.rows[-outcome.key - 1]
            row["trust"] = min(row.get("trust", turn.trust), turn.trust)
            ends = expiry(row.get("confidence"), batch.now)
            if ends is not None:
                row.setdefault("valid_to", ends)
        key = (outcome.key, turn.seq, int(Relation.LEARNED_FROM))
        memory = met.get(outcome.key)
        if key not in have and outcome.key != turn.seq and (memory is None or TURN not in memory.tags):
            have.add(key)
            link_changes.append(Change("links", key, None, link_values(batch.now)))
    with_spans = [
        replace(change, after={"span": spans[change.key]})
        if change.table == "sources" and change.key in spans
        else change
        for change in changes
    ]
    return merge_changes([*with_spans, *link_changes, *await pass_on_newer(core, heard)])


def drop_worded_by(
    facts: Sequence[Fact], lost: Sequence[Memory], turns: Sequence[Memory]
) -> tuple[Fact, ...]:
    """Leave out the facts that have words of turns that were lost since, and of nothing else that was said."""
    of = {turn.id: turn for turn in turns}

    def is_spared(fact: Fact) -> bool:
        if (turn := of.get(fact.turn)) is None:
            return False
        missing = find_lent_words(fact.content, [turn, *select_before(turn, turns)])
        return missing.isdisjoint(frozenset().union(*(stems(one.text) for one in lost)))

    return tuple(filter(is_spared, facts))


def find_lent_words(text: str, said: Sequence[Memory]) -> frozenset[str]:
    """Return the stems of a text that stand in none of the turns from which it may have them."""
    return frozenset(stems(text)) - frozenset().union(*(stems(one.text) for one in said))


def _link_lenders(
    batch: DraftBatch, told_: Sequence[tuple[Fact, Memory]], turns: Sequence[Memory]
) -> list[Change]:
    """Link facts to the turns said before that have words which theirs lack, so that `erase` finds them by these."""
    changes = []
    for outcome, (fact, turn) in zip(batch.outcomes, told_, strict=True):
        before = select_before(turn, turns) if outcome.key < 0 else []
        missing = find_lent_words(fact.content, [turn]) if before else frozenset()
        for one in reversed(before):
            if not missing.isdisjoint(lent := frozenset(stems(one.text))):
                missing -= lent
                key = (outcome.key, one.seq, int(Relation.REFERS))
                changes.append(Change("links", key, None, link_values(batch.now)))
    return merge_changes(changes)


async def shown_in(core: Core, turns: Sequence[Memory]) -> EchoDetector:
    """Return what was shown before some turns, within a day; nothing where no program speaks in them."""
    if not any(turn.role in PROGRAMS for turn in turns):
        return EchoDetector(())
    await core.uses.settle()
    position = (await core.store.search(core.scope, ())).position
    since = min(turn.learned_at for turn in turns) - DAY
    recent = await core.store.history(core.scope, after=max(0, position - COMMITS), limit=COMMITS, rows=False)
    wanted = [part for part in recent if part.cause.verb == "use" and part.cause.at >= since][-USES:]
    positions = {part.position for part in wanted}
    used: dict[int, int] = {}
    for run in dict.fromkeys(part.cause.run for part in wanted):
        for part in await core.store.history(core.scope, run=run):
            if part.position in positions:
                used |= dict.fromkeys(part.used, part.cause.at)
    seqs = sorted(used, key=lambda seq: used[seq])[-SHOWN_MAX:]
    memories = [memory for memory in await core.store.get(core.scope, seqs) if memory is not None]
    by_use = [(used[memory.seq], frozenset(stems(memory.text))) for memory in memories]
    said = [(turn.learned_at, frozenset(stems(turn.text))) for turn in turns if turn.role is Role.USER]
    return EchoDetector([*by_use, *said])
