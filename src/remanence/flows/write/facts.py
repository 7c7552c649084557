"""What becomes of the facts that were found in turns: stored with their turn as a source, confirmed, or left out.

What a turn covers is its speaker's; what a writer adds is the writer's own, however sure it is. Knows what a fact is
kept as; must not know when turns are listened to.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

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
from remanence.flows.base.context import Core, run_off_loop
from remanence.flows.write import gating
from remanence.flows.write.claiming import ABOUT_MAX
from remanence.flows.write.learning import decide_batch, prepare
from remanence.flows.write.turn_facts import pass_on_newer
from remanence.read.coverage import NO_CONTEXT, Context, find_lenders, find_uncovered, speaks_of
from remanence.read.extraction import Fact
from remanence.read.importance import importance, kind_of
from remanence.read.statements import spans
from remanence.read.supposed import expiry
from remanence.store.base import Arriving
from remanence.text.analysis import asks, stems
from remanence.write.admission import PROGRAMS, DraftBatch, DraftOutcome, MemoryDraft
from remanence.write.engine_actions import UNSAID, Actions, Eligibility, decide

GONE = "forgotten or replaced since"
ECHO = "an echo"
GATED, QUARANTINED = "forbidden", "quarantined"
COMMITS = 1_000  # the newest of the scope, among which uses are looked for
USES = 100  # so many of them, the newest
SHOWN_MAX = 500
LENT_CHARS = 2_000  # of each turn that was said before
QUESTION_CHARS = 300
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
        return any(at <= turn.learned_at and _repeats(said, held) for at, held in self.words)


@dataclass(frozen=True, slots=True)
class FactChanges:
    """What the facts of a batch change, what became of them, and the actions that these were.

    `of_writer` counts those of the stored that are the writer's own, `proposed` holds tags by the memory's key.
    """

    changes: list[Change]
    stored: int = 0
    confirmed: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    actions: Actions = field(default_factory=Actions)
    of_writer: int = 0
    proposed: Mapping[int, Sequence[str]] = field(default_factory=dict)


async def decide_facts(
    core: Core,
    turns: Sequence[Memory],
    facts: Sequence[Fact],
    writer: str = "",
    before: Sequence[Memory] = (),
) -> FactChanges:
    """Decide what becomes of the facts of some turns, that a `writer` found, or rules; it was shown those `before`."""
    of = {turn.id: turn for turn in turns}
    shown = [*before, *turns]
    drafts = await _draft_facts(core, facts, of, writer, shown)
    fallen = await _find_fallen_facts(core, [draft for draft, _ in drafts], turns)
    texts = await shown_in(core, turns)
    changes: list[Change] = []
    left_out: Counter[str] = Counter()
    new: list[tuple[MemoryDraft, Fact]] = []
    actions, whole = Actions(), 0
    proposals: dict[int, tuple[str, ...]] = {}
    for draft, fact in drafts:
        turn = of[fact.turn]
        reason = fallen.holds(draft, turn) or (ECHO if texts.echoes(turn, draft.turn.text) else "")
        if reason:
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
        return FactChanges(
            merge_changes(changes), whole, 0, left_out, actions, proposed=_filter_proposed(proposals)
        )
    batch, new_changes = await decide_batch(core, [draft for draft, _ in new], hears_echoes=True)
    new_changes = await _link_facts(core, batch, new_changes, [(fact, of[fact.turn]) for _, fact in new])
    new_changes += await _link_lenders(
        batch, [(fact, of[fact.turn]) for _, fact in new], shown if writer else ()
    )
    outcomes = Counter(
        QUARANTINED if draft.kept_out and outcome.status == "stored" else outcome.status
        for (draft, _), outcome in zip(new, batch.outcomes, strict=True)
    )
    left_out += Counter({GATED: outcomes["gated"], QUARANTINED: outcomes[QUARANTINED]})
    of_writer = 0
    for (draft, fact), outcome in zip(new, batch.outcomes, strict=True):
        _record_decision(actions, draft, outcome)
        if outcome.status in {"stored", "confirmed"} and not draft.kept_out:
            proposals[outcome.key] = (*proposals.get(outcome.key, ()), *fact.proposed)
            of_writer += draft.is_of_a_model and outcome.status == "stored"
    changes = merge_changes([*changes, *new_changes])
    return FactChanges(
        changes,
        outcomes["stored"] + whole,
        outcomes["confirmed"],
        left_out,
        actions,
        of_writer,
        _filter_proposed(proposals),
    )


def _filter_proposed(proposed: Mapping[int, tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
    return {key: tuple(dict.fromkeys(tags)) for key, tags in proposed.items() if tags}


async def _draft_facts(
    core: Core, facts: Sequence[Fact], of: Mapping[str, Memory], writer: str, shown: Sequence[Memory]
) -> list[tuple[MemoryDraft, Fact]]:
    """Return facts as they arrive, each read with what was said before its turn."""
    drafts = []
    for fact in facts:
        if (turn := of.get(fact.turn)) is not None:
            context = build_context(turn, select_before(turn, shown))
            drafts.append((await _draft_fact(core, fact, turn, writer, context), fact))
    return drafts


async def _draft_fact(core: Core, fact: Fact, turn: Memory, writer: str, context: Context) -> MemoryDraft:
    """Return a fact as it arrives: its speaker's where a writer says no more than was said, else the writer's own."""
    fact_turn = _turn_of(core, fact, turn)
    chars = len(turn.text) + sum(map(len, context.before))
    if not writer or await run_off_loop(chars, _stands, turn, fact, context):
        return replace(prepare(core, fact_turn, turn.trust), is_vouched_for=False)
    # Who said the turn did not say this: neither the name nor the trust is theirs.
    own = replace(fact_turn, role=Role.ASSISTANT, speaker=writer)
    draft = prepare(core, own, min(turn.trust, Trust.AGENT))
    reads = await run_off_loop(chars, _reads_like_orders, turn, fact, context)
    return replace(draft, is_of_a_model=True, instructs=reads)


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


def build_context(turn: Memory, before: Sequence[Memory]) -> Context:
    """Return what lends a turn its words: who is believed as much, and the question right before it, whoever asks."""
    trusted = tuple(one.text[:LENT_CHARS] for one in before if one.trust >= turn.trust)
    last = [begin for begin, _ in spans(before[-1].text)][-1:] if before else []
    question = before[-1].text[last[0] :].strip() if last else ""
    is_short = len(question) <= QUESTION_CHARS and "://" not in question and "@" not in question
    return Context(trusted, question if is_short and asks(question) else "")


def _stands(turn: Memory, fact: Fact, context: Context) -> bool:
    """Tell whether a fact says nothing that was not said, and gives no orders beside it."""
    more = find_added_words(turn.text, fact.content, turn.speaker or "", turn.said_time.date(), context)
    return not more and not any(map(gating.orders, _iterate_side_texts(fact)))


def find_added_words(text: str, fact: str, speaker: str, said_on: date, context: Context = NO_CONTEXT) -> str:
    """Say what a fact adds to the text that it was made of, "" where it adds nothing; orders it may only repeat."""
    if _adds_orders(text, fact, speaker, context) and not gating.instructing_by_a_model(text):
        return "orders"
    return find_uncovered(text, fact, speaker, said_on, context)


def _reads_like_orders(turn: Memory, fact: Fact, context: Context) -> bool:
    """Tell whether what a model adds, or what stands beside it, reads like orders."""
    is_order = _adds_orders(turn.text, fact.content, turn.speaker or "", context)
    return is_order or any(map(gating.orders, _iterate_side_texts(fact)))


def _adds_orders(text: str, fact: str, speaker: str, context: Context) -> bool:
    """Tell whether a fact of a model reads like orders; a statement about what was spoken of does so less soon."""
    if not gating.instructing_by_a_model(fact):
        return False
    states = speaks_of(text, fact, speaker, context)
    return not states or gating.instructing_by_a_model(fact, states=True)


def _iterate_side_texts(fact: Fact) -> Iterator[str]:
    yield from (*fact.tags, *fact.proposed, fact.subject)
    yield from gating.texts_in(fact.attributes)


def _action(draft: MemoryDraft) -> ActionName:
    return "store_episode" if draft.kind is Kind.EPISODIC else "store_note"


def _record_drop(actions: Actions, draft: MemoryDraft, reason: str) -> None:
    """Record a fact that is not kept; an echo of the engine's own words is thrown away where it weighs little."""
    eligibility = _eligibility(draft)
    is_junk = reason == ECHO and decide("discard", eligibility).verdict == "allow"
    actions.record(
        "discard" if is_junk else _action(draft), eligibility, "applied" if is_junk else "skipped", reason
    )


def _eligibility(draft: MemoryDraft) -> Eligibility:
    sure, weighs = draft.turn.confidence, draft.turn.importance
    return Eligibility(
        UNSAID if sure is None else sure,
        Lifecycle.CANDIDATE,
        UNSAID if weighs is None else weighs,
        "extraction",
    )


def _record_decision(actions: Actions, draft: MemoryDraft, outcome: DraftOutcome) -> None:
    """Record what became of a fact; what is too unsure to be kept for good is on trial, and expires by itself."""
    eligibility = _eligibility(draft)
    if outcome.status != "stored":
        decisions: dict[str, tuple[ActionName, OutcomeName, str]] = {
            "confirmed": ("update_note", "applied", "said again"),
            "known": (_action(draft), "skipped", outcome.reason),
            "gated": (_action(draft), "denied", GATED),
        }
        actions.record(decisions[outcome.status][0], eligibility, *decisions[outcome.status][1:])
    elif draft.kept_out:
        actions.record(_action(draft), eligibility, reason=QUARANTINED)
    elif actions.allows(_action(draft), eligibility):
        actions.record(_action(draft), eligibility)
    actions.record_claims(eligibility, outcome.newer, outcome.contradicts)


def _turn_of(core: Core, fact: Fact, turn: Memory) -> Turn:
    """Return a fact as a text that arrives: said by whoever said the turn, then and there."""
    is_known = fact.category in core.policy.categories and not core.policy.is_system(fact.category)
    tags = fact.tags if is_known else (*fact.tags, fact.category)
    about = {**fact.attributes, **({"subject": fact.subject} if fact.subject else {})}
    return Turn(
        fact.content,
        category=fact.category if is_known else None,
        kind=kind_of(fact.content, fact.category),
        tags=tuple(dict.fromkeys(tags)),
        role=turn.role,
        speaker=turn.speaker,
        agent=turn.agent,
        thread=turn.thread,
        session=turn.session,
        said_at=turn.said_at,
        source=turn.id,
        confidence=fact.confidence,
        importance=importance(fact.content, fact.category),
        attributes=about or None,
    )


_Claimed = tuple[str, str, str]  # the subject, the attribute, and the value whatever its case


@dataclass(frozen=True, slots=True)
class _Fallen:
    """What stands no more, and since when: by fingerprint, and by claim."""

    texts: Mapping[bytes, int]
    claims: Mapping[_Claimed, int]

    def holds(self, draft: MemoryDraft, turn: Memory) -> str:
        """Say why a fact is not kept of which somebody who knew the turn says that it holds no more."""
        never = turn.learned_at - 1
        keys = [(one.subject, one.attribute, one.value.casefold()) for one in draft.claims]
        is_gone = self.texts.get(draft.fingerprint, never) >= turn.learned_at or any(
            self.claims.get(key, never) >= turn.learned_at for key in keys
        )
        return GONE if is_gone else ""


async def _find_fallen_facts(core: Core, drafts: Sequence[MemoryDraft], turns: Sequence[Memory]) -> _Fallen:
    """Look which facts were known and stand no more: those of the same text, and those that claim the same.

    What the turns took the place of is no such one: they say what of it holds.
    """
    prints = [draft.fingerprint for draft in drafts]
    twins = (await core.store.arriving(core.scope, Arriving(fingerprints=prints))).twins
    about = list(dict.fromkeys((one.subject, one.attribute) for draft in drafts for one in draft.claims))
    claims = await core.store.find_latest_claims(core.scope, about, ABOUT_MAX) if about else []
    seqs = {twin.seq for twin in twins.values() if twin.status not in STANDING}
    seqs |= {seq for claim in claims for seq in (claim.seq, claim.replaced_by) if seq is not None}
    memories = await core.store.get(core.scope, sorted(seqs)) if seqs else []
    by_seq = {one.seq: one for one in memories if one is not None}
    taking = [turn.seq for turn in turns] if by_seq else []
    places = await core.store.neighbours(core.scope, taking, Relation.SUPERSEDES) if taking else []
    replaced = {link.target for link in places if link.source in taking}
    fell = {
        one.seq: one.status_at
        for one in by_seq.values()
        if one.status not in {*STANDING, Status.QUARANTINED} and one.seq not in replaced
    }
    since: dict[_Claimed, int] = {}
    for claim in claims:
        at = fell.get(claim.seq)
        if at is None and claim.replaced_by in by_seq:
            at = by_seq[claim.replaced_by].learned_at
        if at is not None:
            key = (claim.subject, claim.attribute, claim.value.casefold())
            since[key] = max(at, since.get(key, at))
    return _Fallen({by_seq[seq].fingerprint: at for seq, at in fell.items()}, since)


def _is_fact(core: Core, turn: Memory, draft: MemoryDraft) -> list[Change]:
    """Let a turn that says nothing but one fact be that fact, unless a person protects it as it is."""
    if turn.category is not None or core.find_protections(turn, trust=Trust.AGENT):
        return []
    values = {
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
            _limit_trust(batch.rows[-outcome.key - 1], turn, batch.now)
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


async def drop_worded_by(
    facts: Sequence[Fact], lost: Sequence[Memory], turns: Sequence[Memory]
) -> tuple[Fact, ...]:
    """Leave out the facts that have words of turns that were lost since, and of nothing else that was said."""
    of = {turn.id: turn for turn in turns}
    texts = [one.text[:LENT_CHARS] for one in lost]

    def is_spared(fact: Fact) -> bool:
        if (turn := of.get(fact.turn)) is None:
            return False
        before = [one.text[:LENT_CHARS] for one in select_before(turn, turns)]
        # The lost ones stand first: they are found only for what nobody said later.
        lenders = find_lenders(turn.text, fact.content, turn.speaker or "", [*texts, *before])
        return not any(at < len(texts) for at in lenders)

    chars = sum(len(one.text) for one in (*lost, *turns)) * len(facts)
    return await run_off_loop(chars, lambda: tuple(filter(is_spared, facts)))


async def _link_lenders(
    batch: DraftBatch, told_: Sequence[tuple[Fact, Memory]], turns: Sequence[Memory]
) -> list[Change]:
    """Link facts to the turns said before that have words which theirs lack, so that `erase` finds them by these."""
    chars = sum(len(one.text) for one in turns) * len(told_)
    return await run_off_loop(chars, _find_lender_links, batch, told_, turns)


def _find_lender_links(
    batch: DraftBatch, told_: Sequence[tuple[Fact, Memory]], turns: Sequence[Memory]
) -> list[Change]:
    changes = {}
    for outcome, (fact, turn) in zip(batch.outcomes, told_, strict=True):
        before = select_before(turn, turns) if outcome.key < 0 else []
        texts = [one.text[:LENT_CHARS] for one in before]
        for at in find_lenders(turn.text, fact.content, turn.speaker or "", texts):
            key = (outcome.key, before[at].seq, int(Relation.REFERS))
            changes[key] = Change("links", key, None, link_values(batch.now))
    return list(changes.values())


def _limit_trust(row: dict[str, Any], turn: Memory, now: int) -> None:
    """Let a new fact be believed no more than its turn, and expire where it is only supposed."""
    row["trust"] = min(row.get("trust", turn.trust), turn.trust)
    ends = expiry(row.get("confidence"), now)
    if ends is not None:
        row.setdefault("valid_to", ends)


def _repeats(said: AbstractSet[str], held: AbstractSet[str]) -> bool:
    return bool(said) and len(said & held) >= REPEATED_MIN * len(said)


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
