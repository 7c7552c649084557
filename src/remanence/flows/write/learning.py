"""Texts come in: check each, ask the store once for the whole batch, decide, commit with vectors in one transaction."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from remanence.core.arguments import check_attributes, check_fraction, check_name, check_tags
from remanence.core.arrival import WriteContext
from remanence.core.change import Change
from remanence.core.effects import VERBS
from remanence.core.errors import InvalidInput, NameUnknown, Protected, RemanenceError
from remanence.core.half_characters import HALF, describe_mended, mend
from remanence.core.keywords import Progress
from remanence.core.local_time import place_time
from remanence.core.model import (
    STANDING,
    Kind,
    LearnResult,
    Memory,
    PolicyClass,
    Relation,
    Role,
    Severity,
    Trust,
    Turn,
    link_values,
)
from remanence.core.segment import LOOK_BACK, TURN
from remanence.core.signatures import validate_arguments
from remanence.edit.one_memory import GUARD as IDENTITY
from remanence.edit.one_memory import merge_changes, says_who, update
from remanence.flows.base.context import Core, label, retry_conflicts, run_off_loop
from remanence.flows.write import gating
from remanence.flows.write.echoes import list_own_fingerprints, mark_echoes
from remanence.llm.base import Vectors, WordWeight, embeds_together
from remanence.recall.semantic import ArrivalWeights
from remanence.store.base import Arriving, Find
from remanence.text.analysis import check_text, fingerprint, terms_of
from remanence.write.admission import ECHO, GREATER, PROGRAMS, DraftBatch, MemoryDraft, in_segment
from remanence.write.imported import find_validity
from remanence.write.roles import TEXTS_MAX, compute_trust, in_doubt, lower_trust, role_of_name, told_by_texts
from remanence.write.supposed import Repeat, said_again
from remanence.write.turns import waits

CHUNK = 1_000  # texts a transaction: 0.1 s of the write lock


class DecidedTexts(NamedTuple):
    """What becomes of some texts: the changes to commit, what the run says of them, and its id where it is chosen."""

    drafts: Sequence[MemoryDraft]
    batch: DraftBatch
    changes: Sequence[Change]
    detail: Mapping[str, Any] = {}
    run: str | None = None


T = TypeVar("T")
TextDecision: TypeAlias = Callable[[Core, Sequence[T]], Awaitable[DecidedTexts]]


@dataclass(eq=False)
class _QueuedTurn:
    turn: Turn
    answer: LearnResult | None = None
    refusal: RemanenceError | None = None

    @property
    def is_done(self) -> bool:
        return self.answer is not None or self.refusal is not None


class GroupCommit:
    """Lets single texts in: those that wait while a commit runs share the next one, so many callers cost few fsyncs.

    They wait from the moment they arrive, so what arrived first is decided first.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._waiting: list[_QueuedTurn] = []
        self._turn = asyncio.Lock()

    async def learn(self, turn: Turn) -> LearnResult:
        """Take one text in; whoever gets the lock first takes all that wait with it."""
        self._core.process.refuse_child()  # who waits for a lock that was held at the fork waits for ever
        mine = _QueuedTurn(turn)
        self._waiting.append(mine)
        try:
            async with self._turn:
                while not mine.is_done:
                    await self._take_queue(mine)
        finally:
            if mine in self._waiting:
                self._waiting.remove(mine)
        if mine.answer is None:
            assert mine.refusal is not None
            raise mine.refusal
        return mine.answer

    async def _take_queue(self, mine: _QueuedTurn) -> None:
        core = self._core.usable_core
        batch, self._waiting = self._waiting[:CHUNK], self._waiting[CHUNK:]
        try:
            answers = await take(core, batch, _decide_queue)
            accepted = [item for item in batch if item.refusal is None]
            for item, answer in zip(accepted, answers, strict=True):
                item.answer = answer
        finally:  # a failure is this caller's; the others try again with a batch of their own
            self._waiting[:0] = [item for item in batch if item is not mine and not item.is_done]


async def _decide_queue(core: Core, batch: Sequence[_QueuedTurn]) -> DecidedTexts:
    """Decide single texts; what the scope says of personal data comes with what else is read, and may be new."""
    chars = sum(len(str(item.turn.text)) for item in batch)
    while True:
        drafts = await resolve_roles(core, await run_off_loop(chars, _prepare_queue, core, batch))
        if not drafts:  # nothing but the settings is asked of the store for what is refused
            if await gating.refresh_settings(core):
                continue
            return DecidedTexts((), DraftBatch(core.clock.now(), WriteContext(), core.new_id, core.agent), ())
        known = await _read_known(core, drafts)
        if not gating.hear_settings(core, known.context.values):
            break
    decided, changes = await _decide_known(core, drafts, known, hears_echoes=True)
    return DecidedTexts(drafts, decided, changes)


def _prepare_queue(core: Core, batch: Sequence[_QueuedTurn]) -> list[MemoryDraft]:
    """Prepare what can be kept; note with what else is refused which error its own caller gets."""
    drafts: list[MemoryDraft] = []
    for item in batch:
        item.refusal = None
        try:
            drafts.append(prepare(core, item.turn))
        except RemanenceError as refusal:
            item.refusal = refusal
    return drafts


async def learn_many(
    core: Core, turns: Sequence[Turn], progress: Progress | None = None, *, about: int | None = None
) -> list[LearnResult]:
    """Check all texts, then take them in by chunks of up to 1,000, each all or nothing; `progress` hears how far it is.

    All mention the entity that they are `about`.
    """
    return await take_all(core, await prepare_all(core, turns), progress, partial(decide_texts, about=about))


async def prepare_all(
    core: Core, turns: Sequence[Turn], door: Trust | None = None, *, hashes_ids: bool = False
) -> list[MemoryDraft]:
    """Check texts that were handed over as one, each as `prepare` does; who spoke is told of all texts of a name."""

    def prepare_each() -> list[MemoryDraft]:
        return [prepare(core, turn, door, hashes_ids=hashes_ids) for turn in turns]

    await gating.refresh_settings(core)
    return await resolve_roles(core, await asyncio.to_thread(prepare_each), together=True)


async def take_all(
    core: Core, items: Sequence[T], progress: Progress | None, decide: TextDecision[T]
) -> list[LearnResult]:
    """Take checked texts in, drafts or whatever stands for one, by chunks; `decide` says what becomes of a chunk."""
    if progress is not None:
        progress(0, len(items))
    answers: list[LearnResult] = []
    while len(answers) < len(items):
        answers += await take(core, items[len(answers) : len(answers) + CHUNK], decide)
        if progress is not None:
            progress(len(answers), len(items))
    return answers


async def prepare_draft(core: Core, turn: Turn) -> MemoryDraft:
    """Check one text and derive what follows from it alone."""
    await gating.refresh_settings(core)
    return await run_off_loop(len(str(turn.text)), prepare, core, turn)


def prepare(core: Core, turn: Turn, door: Trust | None = None, *, hashes_ids: bool = False) -> MemoryDraft:
    """Check one text and derive what follows from it alone; raise InvalidInput for what cannot be kept.

    It is believed no more than its `door`, which is that of the opening where none is named. An id that looks like a
    secret cannot be kept, unless such are hashed.
    """
    turn, halves = mend(turn)  # of what came by no verb
    check_text(turn.text)
    check_attributes(turn.attributes)
    text = turn.text
    for what in ("category", "state", "speaker", "agent", "thread", "session", "source", "key"):
        if (name := getattr(turn, what)) is not None:
            check_name(what, name)
    check_tags(turn.tags)
    by_name = role_of_name(turn.speaker) or Role.USER
    role = by_name if turn.role is None else label(Role, turn.role, "role")
    own_trust = None if turn.trust is None else label(Trust, turn.trust, "trust")
    door = lower_trust(core.trust if door is None else door, role, own_trust)
    trust = compute_trust(door, role)
    said = place_time(core.clock.now() if turn.said_at is None else turn.said_at, core.zone)
    turn, replaced = gating.screen_turn(core, turn, trust)
    turn, name_counts = gating.screened_names(core, turn, hashes_ids=hashes_ids)
    check_state(core, turn.category, turn.state)
    if "release" in core.denials and says_who(turn.tags, system=core.policy.is_system(turn.category)):
        raise Protected(
            "tags under self/ and categories of the system are a person's to give",
            recovery="leave them out; ask the user, who types: remanence tag ID TAG, or update ID --category NAME",
            guards=(IDENTITY,),
        )
    for name in GREATER:
        if (fraction := getattr(turn, name)) is not None:
            check_fraction(name, fraction)
    session = turn.session or core.session
    if session != turn.session:
        turn = replace(turn, session=session)
    return MemoryDraft(
        turn=turn,
        role=role,
        door=door,
        replaced=_add_counts(replaced.counts, name_counts, {HALF: halves} if halves else {}),
        replacements=(
            *replaced.notes,
            *gating.describe_names(name_counts),
            *[describe_mended(halves)] * bool(halves),
        ),
        has_machine_markup=gating.is_held_back(text, trust, gating.iterate_side_texts(turn)),
        kind=None if turn.kind is None else label(Kind, turn.kind, "kind"),
        severity=None if turn.severity is None else label(Severity, turn.severity, "severity"),
        fingerprint=fingerprint(turn.text, turn.speaker or ""),
        said_at=said.at,
        said_offset=said.offset,
        state=initial_state(core, turn.category) if turn.state is None else turn.state,
        policy_class=class_of(core, turn.category),
        is_vouched_for=turn.role is not None and role is Role.USER and trust is Trust.USER,
        validity=find_validity(turn),
    )


def _add_counts(*several: Mapping[str, int]) -> Mapping[str, int]:
    """Return counts together; mostly there are none."""
    together: dict[str, int] = {}
    for counts in several:
        for kind, count in counts.items():
            together[kind] = together.get(kind, 0) + count
    return together


def initial_state(core: Core, category: str | None) -> str | None:
    """Return the state in which a memory of a category begins, if it has one."""
    return None if category is None else core.policy.categories[category].initial


def class_of(core: Core, category: str | None) -> PolicyClass:
    """Return the policy class of what arrives in a category."""
    return PolicyClass.DURABLE if category is None else core.policy.categories[category].policy_class


def check_state(core: Core, category: str | None, state: str | None) -> None:
    """Refuse a category that no policy declares, and a state that its category does not have."""
    categories = core.policy.categories
    if category is not None and category not in categories:
        raise NameUnknown("category", category, categories)
    if state is None:
        return
    if category is None:
        raise InvalidInput(
            f"state {state!r} needs a category", recovery="pass the category whose state it is"
        )
    if state not in categories[category].states:
        raise NameUnknown(f"state of {category!r}", state, categories[category].states)


async def decide_texts(
    core: Core, drafts: Sequence[MemoryDraft], *, about: int | None = None
) -> DecidedTexts:
    """Decide what becomes of texts that arrive; all mention the entity that they are `about`."""
    batch, changes = await decide_batch(core, drafts, hears_echoes=True)
    if about is not None:
        changes += await _mention_entity(core, drafts, batch, about)
    return DecidedTexts(drafts, batch, changes)


@retry_conflicts
async def take(core: Core, items: Sequence[T], decide: TextDecision[T]) -> list[LearnResult]:
    """Gather, decide and commit one batch, again from the start after a lost race."""
    drafts, batch, changes, detail, run = await decide(core, items)
    gate = gating.counts(drafts, batch.outcomes)
    if not changes:
        await gating.count(core, gate)
        return answers(batch, drafts)
    counts = gate | waits(drafts, batch.outcomes)
    cause = core.cause("learn", run=run, turns=count_accepted(batch), counts=counts, detail=detail)
    commit = await core.commit(changes, cause)
    return answers(batch, drafts, commit.assigned, cause.run)


async def _mention_entity(
    core: Core, drafts: Sequence[MemoryDraft], batch: DraftBatch, entity: int
) -> list[Change]:
    """Let what came in, or was known, mention an entity; what is out of sight mentions none."""
    links = await core.store.neighbours(core.scope, [entity], Relation.MENTIONS)
    have = {link.source for link in links}
    keys = {
        outcome.key
        for draft, outcome in zip(drafts, batch.outcomes, strict=True)
        if outcome.status != "gated" and not draft.kept_out
    }
    return [
        Change("links", (key, entity, int(Relation.MENTIONS)), None, link_values(core.clock.now()))
        for key in sorted(keys - have)
    ]


async def decide_batch(
    core: Core,
    drafts: Sequence[MemoryDraft],
    freed: Collection[str | None] = (),
    *,
    hears_echoes: bool = False,
) -> tuple[DraftBatch, list[Change]]:
    """Gather what a batch must know and decide it: what becomes of each text, and the changes that make it true.

    `freed` are keys that the caller takes from the memories that have them, in the same commit. With `hears_echoes`
    what was returned and comes back is known, and counts for nothing.
    """
    return await _decide_known(
        core, drafts, await _read_known(core, drafts, freed), hears_echoes=hears_echoes
    )


class _KnownBatch(NamedTuple):
    """The terms of each text of a batch, and what the scope knows of them."""

    terms: Sequence[frozenset[int]]
    context: WriteContext


async def _read_known(
    core: Core, drafts: Sequence[MemoryDraft], freed: Collection[str | None] = ()
) -> _KnownBatch:
    chars = sum(len(draft.turn.text) for draft in drafts)
    terms, request = await run_off_loop(chars, _make_batch_request, core, drafts, freed)
    return _KnownBatch(terms, await core.store.arriving(core.scope, request))


async def _decide_known(
    core: Core, drafts: Sequence[MemoryDraft], known: _KnownBatch, *, hears_echoes: bool
) -> tuple[DraftBatch, list[Change]]:
    terms, context = known
    if context.forbids:
        drafts = await gating.mark_forbidden(core, drafts)
    if hears_echoes:
        drafts = await mark_echoes(core, drafts, context)
    chars = sum(len(draft.turn.text) for draft in drafts)
    batch = await run_off_loop(chars, _decide_batch, core, list(zip(drafts, terms, strict=True)), context)
    return batch, await _without_known(core, drafts, batch)


def _make_batch_request(
    core: Core, drafts: Sequence[MemoryDraft], freed: Collection[str | None]
) -> tuple[list[frozenset[int]], Arriving]:
    """Return the terms of each text, and what must be known of the batch.

    Not sooner: what was read of the texts is at hand then until the batch is written.
    """
    terms = [terms_of(draft.turn.text) for draft in drafts]
    request = Arriving(
        fingerprints=list(
            {draft.fingerprint for draft in drafts}.union(*(list_own_fingerprints(draft) for draft in drafts))
        ),
        keys=[key for key in {draft.turn.key for draft in drafts} if key is not None and key not in freed],
        segments=list({in_segment(draft.turn, core.agent) for draft in drafts}),
        terms=list(frozenset().union(*terms)),
        get=gating.SETTINGS,
    )
    return terms, request


def _decide_batch(
    core: Core, drafts: Sequence[tuple[MemoryDraft, Collection[int]]], known: WriteContext
) -> DraftBatch:
    """Decide a batch in its order; each new row gets its vector, weighted by how rare its words are on arrival."""
    batch = DraftBatch(core.clock.now(), known, core.new_id, core.agent)
    for draft, terms in drafts:
        batch.take(draft, terms)
    batch.measure()
    if core.embedder.dimensions and batch.rows:
        for row, vector in zip(batch.rows, _embed_batch(core, batch), strict=True):
            row["vector"] = vector
    return batch


def _embed_batch(core: Core, batch: DraftBatch) -> list[bytes]:
    """Embed the new texts of a batch as they arrive, in one pass where the embedder can."""
    texts = [row["text"] for row in batch.rows]
    weights = ArrivalWeights(batch.known.memories, batch.df_of)
    if embeds_together(core.embedder):
        return _encode_vectors(core, core.embedder.embed_together(texts, weights), len(texts))
    return [vector_of(core, text, weights.build_stem_weight(number)) for number, text in enumerate(texts)]


def vector_of(core: Core, text: str, weight: WordWeight | None = None) -> bytes:
    """Embed one text; without `weight` all its words weigh alike."""
    return _encode_vectors(core, core.embedder.embed([text], weight), 1)[0]


def _encode_vectors(core: Core, vectors: Vectors, texts: int) -> list[bytes]:
    """Return vectors as they are stored; such as cannot be kept are refused."""
    if vectors.shape != (texts, core.embedder.dimensions) or not np.isfinite(vectors).all():
        raise InvalidInput(
            f"the embedder {core.embedder.name!r} gave shape {vectors.shape}, or numbers that are not finite",
            recovery=f"it must give one finite row of {core.embedder.dimensions} per text; nothing was stored",
        )
    return [row.tobytes() for row in vectors.astype("<f2")]


async def _without_known(core: Core, drafts: Sequence[MemoryDraft], batch: DraftBatch) -> list[Change]:
    """Leave out what a confirmed memory knows already: its sources, and repeats of a named turn that came from them.

    What a repeat says besides is kept: its tags, and how sure and how important it is where that is more; of an echo
    its tags. Nothing is kept of an agent's repeat of what says who it is.
    """
    seqs = {outcome.key for outcome in batch.outcomes if outcome.status == "confirmed" and outcome.key > 0}
    seqs |= {draft.echo_of[0] for draft in drafts if draft.echo_of is not None and draft.turn.tags}
    memories = (
        [one for one in await core.store.get(core.scope, sorted(seqs)) if one is not None] if seqs else []
    )
    identity = {one.seq for one in memories if IDENTITY in core.find_protections(one)}
    memories = [one for one in memories if one.seq not in identity]
    have = {(memory.seq, source) for memory in memories for source in memory.sources}
    persons = {one.seq for one in memories if one.role not in PROGRAMS}
    have |= _forget_echoes(drafts, batch, persons)
    for place, draft in enumerate(drafts):
        outcome = batch.outcomes[place]
        # A repeat keeps no row and so no key of its own; its source tells that the same turn came in before.
        if (
            draft.turn.key is not None
            and (outcome.key, draft.turn.source) in have
            and outcome.status == "confirmed"
        ):
            batch.forget_repeat(place, "it came in before, from the same source")
        elif outcome.key in identity and outcome.status == "confirmed":
            batch.forget_repeat(place, "it says who the agent is, which only a person confirms")
            have.add((outcome.key, str(draft.turn.source)))
    changes = [change for change in batch.changes() if change.table != "sources" or change.key not in have]
    updates = [_merge_repeats(memory, batch, drafts) for memory in memories]
    facts = await _facts_again(core, memories, drafts, batch)
    return merge_changes([*changes, *chain.from_iterable(updates), *facts])


def _forget_echoes(
    drafts: Sequence[MemoryDraft], batch: DraftBatch, of_persons: Collection[int]
) -> set[tuple[int, str]]:
    """Count what a program says again of a person's memories as known; return the sources that nobody else brings."""
    echoes: set[tuple[int, str]] = set()
    brought: set[tuple[int, str]] = set()
    for place, draft in enumerate(drafts):
        outcome = batch.outcomes[place]
        if outcome.status != "confirmed" or outcome.key not in of_persons:
            continue
        mine = brought
        if draft.role in PROGRAMS:
            batch.forget_repeat(place, ECHO)
            mine = echoes
        if draft.turn.source is not None:
            mine.add((outcome.key, draft.turn.source))
    return echoes - brought


async def _facts_again(
    core: Core, memories: Sequence[Memory], drafts: Sequence[MemoryDraft], batch: DraftBatch
) -> list[Change]:
    """Let a turn that is said again say its facts again; they are not extracted twice."""
    turns = {memory.seq for memory in memories if TURN in memory.tags}
    if not turns:
        return []
    links = await core.store.neighbours(core.scope, sorted(turns), Relation.LEARNED_FROM)
    of = {link.source: link.target for link in links if link.target in turns and link.source not in turns}
    changes: list[Change] = []
    for fact in await core.store.get(core.scope, sorted(of)):
        repeats = [] if fact is None else _find_repeats(batch, drafts, of[fact.seq], fact.trust)
        if fact is not None and fact.status in STANDING and repeats:
            changes += update(fact, said_again(fact, list(map(_repeat_of, repeats)), batch.now))
            changes.append(VERBS["repeat"].build_count_change(fact.seq, confirmations=len(repeats)))
    return changes


def _find_repeats(
    batch: DraftBatch, drafts: Sequence[MemoryDraft], key: int, trust: Trust
) -> list[MemoryDraft]:
    """Return the texts of a batch that confirm a memory and are believed as far as it: others add nothing to it."""
    return [
        draft
        for met, draft in zip(batch.outcomes, drafts, strict=True)
        if met.key == key and met.status == "confirmed" and draft.trust >= trust
    ]


def _repeat_of(draft: MemoryDraft) -> Repeat:
    return Repeat(draft.role, draft.trust, draft.turn.session, draft.said_at)


def _merge_repeats(memory: Memory, batch: DraftBatch, drafts: Sequence[MemoryDraft]) -> list[Change]:
    """Decide what the repeats of a batch add to the memory that they confirm, and echoes, which confirm nothing."""
    repeats = _find_repeats(batch, drafts, memory.seq, memory.trust)
    echoes = [
        draft
        for draft in drafts
        if draft.echo_of is not None and draft.echo_of[0] == memory.seq and draft.trust >= memory.trust
    ]
    tags = {*memory.tags, *(tag for draft in (*repeats, *echoes) for tag in draft.turn.tags)}
    if echoes and not repeats:
        return update(memory, {}, tags=tags)
    turns = [draft.turn for draft in repeats]
    values: dict[str, Any] = {}
    for name in GREATER:
        numbers = [one for turn in turns if (one := getattr(turn, name)) is not None]
        if numbers and round(max(numbers), 6) >= (getattr(memory, name) or 0.0):
            values[name] = round(max(numbers), 6)
    values |= said_again(memory, list(map(_repeat_of, repeats)), batch.now)
    values |= VERBS["repeat"].build_repeat_stamps(values, batch.now)
    return update(memory, values, tags=tags)


def count_accepted(batch: DraftBatch) -> int:
    """Count the texts that were taken in; what came in before is not heard again."""
    return sum(outcome.status not in ("known", "gated") for outcome in batch.outcomes)


def answers(
    batch: DraftBatch, drafts: Sequence[MemoryDraft], assigned: Sequence[int] = (), run: str | None = None
) -> list[LearnResult]:
    """Say what became of each text, with the numbers that the store gave to new ones, and the run that wrote it."""
    return [
        LearnResult(
            outcome.id,
            outcome.key if outcome.key >= 0 else assigned[-outcome.key - 1],
            gating.answer_status(draft, outcome),
            outcome.reason,
            told_by=outcome.told_by,
            role=outcome.role,
            run=None if outcome.status in ("known", "gated") else run,
            replaced=draft.replaced,
            replacements=draft.replacements,
        )
        for outcome, draft in zip(batch.outcomes, drafts, strict=True)
    ]


async def resolve_roles(
    core: Core, drafts: Sequence[MemoryDraft], *, together: bool = False
) -> list[MemoryDraft]:
    """Give the assistant's role to doubtful names whose latest texts, these among them, read as an assistant's.

    As if they came one by one, since who else arrives at the same moment must not decide; or all of a name `together`,
    which tells an assistant from its first word, where they were handed over as one.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for place, draft in enumerate(drafts):
        if draft.turn.speaker is not None and in_doubt(draft.turn):
            places[draft.turn.speaker].append(place)
    new_drafts = list(drafts)
    for speaker, own in places.items():
        texts = await latest_texts(core, speaker, LOOK_BACK)
        arriving = [drafts[place].turn.text for place in own]
        tell = partial(told_by_texts, texts[::-1], arriving, together=together)
        for place, assistant in zip(own, await asyncio.to_thread(tell), strict=True):
            new_drafts[place] = replace(drafts[place], role=Role.ASSISTANT) if assistant else drafts[place]
    return new_drafts


async def latest_texts(core: Core, speaker: str, among: int | None = None) -> list[str]:
    """Return the latest texts of a name, newest first; of the last arrivals only, where `among` says how many."""
    query = Find(equal={"speaker": speaker}, limit=TEXTS_MAX, among=among)
    return [memory.text for memory in await core.store.find(core.scope, query)]


@validate_arguments
def turn_of(item: Turn | str | Mapping[str, Any], more: Mapping[str, Any] = MappingProxyType({})) -> Turn:
    """Return what is to be learned as a turn: a turn, a text alone or fields by name, with `more` fields set."""
    if isinstance(item, Turn):
        return replace(item, **more) if more else item
    return Turn(**item, **more) if isinstance(item, Mapping) else Turn(item, **more)
