"""The inbox becomes active: each memory is embedded where it was not, and linked to what is near or similar.

A writer, where one is given, is asked about each before anything is decided, beside the older ones that it may change:
without one nothing is compared for change.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from remanence.core.change import Cause, Change, Fence
from remanence.core.clock import MINUTE, SECOND
from remanence.core.effects import VERBS
from remanence.core.errors import Conflict, LeaseLost
from remanence.core.keywords import Progress
from remanence.core.model import STANDING, SYMMETRIC, Kind, Memory, Relation, Status, link_values
from remanence.core.receipt import ConsolidateResult
from remanence.core.segment import TURN
from remanence.core.snapshot import SnapshotRequest
from remanence.edit.one_memory import act, merge_changes, update
from remanence.flows.base.context import RACES_MAX, Core, hold_lease, ignore_progress
from remanence.flows.base.spending import Spending
from remanence.flows.consolidate import guidelines
from remanence.flows.consolidate.connecting import KnownLinks, LinkNeighbours, beginnings
from remanence.flows.consolidate.judging import CheckedJudgement, Verdicts, judge, limit_newer
from remanence.flows.write import proposals
from remanence.flows.write.candidates import candidates
from remanence.flows.write.embedding import wait_until_embedded
from remanence.flows.write.learning import vector_of
from remanence.llm.base import Extractor, Writer
from remanence.read.extraction import ExtractRequest
from remanence.recall.nearest import nearest, whole_tiles
from remanence.store.base import Find
from remanence.text.twins import same_words, sureness, verdict
from remanence.write.engine_actions import Actions, of_memory
from remanence.write.supposed import Repeat, said_again

CHUNK = 200
COMPARED = 5 * CHUNK  # the vectors of the scope are read once for so many
COMPARED_AT_ONCE = (
    2  # threads: products are most of the time in a large scope, and others want processors, too
)
JUDGED_CHUNK = 4  # a judgement may cost a second and money: few are redone after a kill
SIMILAR_MAX = 5  # links a new memory draws (elfmem: top 5 per new block)
NEAR_MAX = 3
PARTNERS = SIMILAR_MAX + NEAR_MAX  # how many of the most similar memories are looked at
LOOKED_AHEAD = (
    100  # where few are judged at a time, candidates are found for so many: reading all vectors costs most
)
LEASE = MINUTE  # longer than a chunk can be judged; so long a killed process keeps the others from the writer
TRIES_MAX = 600  # who has waited for so long goes on all the same: the lease has run out
# Where no writer is asked a chunk takes a second, and who goes on beside another loses only time.
UNASKED_LEASE, UNASKED_TRIES = 10 * SECOND, 20

Pairs = Mapping[
    int, Sequence["_SimilarPair"]
]  # by the sequence number of a memory, the most similar others, best first


@dataclass
class _SimilarPair:
    seq: int
    cosine: float


@dataclass
class _Chunk:
    memories: list[Memory]
    changes: list[Change] = field(default_factory=list)
    embedded: int = 0
    near: int = 0
    similar: int = 0
    judged: Sequence[CheckedJudgement] = ()
    newer: int = 0
    contradictions: int = 0
    held: Collection[int] = ()  # those that have a vector
    actions: Actions = field(default_factory=Actions)
    connected: Counter[str] = field(default_factory=Counter)  # links by relation, beside those of likeness
    mentioned: set[int] = field(default_factory=set)  # entities whose lists changed

    def collect_proposed_tags(self) -> dict[str, list[str]]:
        """Return the tags that were only proposed, by memory."""
        pairs = zip(self.memories, self.judged, strict=True)
        return {memory.id: [*answer.proposed] for memory, answer in pairs if answer.proposed}

    def find_replacing(self) -> set[int]:
        """Return the memories of which a writer says that they take the place of others."""
        pairs = zip(self.memories, self.judged, strict=True)
        return {memory.seq for memory, answer in pairs if answer.replaces}

    def added_to(self, total: ConsolidateResult, run: str) -> ConsolidateResult:
        """Return the sum of what was done before and in this chunk."""
        return ConsolidateResult(
            activated=total.activated + len(self.memories),
            embedded=total.embedded + self.embedded,
            near_duplicates=total.near_duplicates + self.near,
            similar=total.similar + self.similar,
            run=run if self.memories else total.run,
            judged=total.judged + sum(answer.alignment is not None for answer in self.judged),
            contradictions=total.contradictions + self.contradictions,
            newer=total.newer + self.newer,
            unjudged=total.unjudged + tuple(answer.reason for answer in self.judged if answer.reason),
            tokens_used=total.tokens_used + sum(answer.tokens_used for answer in self.judged),
            proposed=total.proposed
            + tuple(f"{name}: {tag}" for name, tags in self.collect_proposed_tags().items() for tag in tags),
            steps=Counter(total.steps) + self.connected,
        )


@dataclass
class _InboxComparison:
    """What memories of the inbox are compared with; `older` has by number what a writer is shown beside each."""

    pairs: Pairs
    older: Mapping[int, Sequence[int]]
    beside: LinkNeighbours

    def find_partners(self, memories: Sequence[Memory]) -> dict[Relation, set[int]]:
        """Return whom some memories may be linked to, by the relations of which each takes only so many."""
        siblings = {seq for memory in memories for seq in self.beside.siblings(memory.seq)}
        return {Relation.SIMILAR: _list_ends(memories, self.pairs), Relation.CO_OCCURS: siblings}


async def consolidate(
    core: Core,
    progress: Progress | None,
    most: int = sys.maxsize,
    stopped: Callable[[], bool] = lambda: False,
    tries: int = TRIES_MAX,
) -> ConsolidateResult:
    """Work through the inbox, oldest first, until it is empty, `most` of it are active or a writer costs too much.

    Who tries only once to be alone at it leaves it to another process that is.
    """
    await wait_until_embedded(core)
    by = {} if core.writer is None else {"writer": core.writer.name, **await _make_guideline_detail(core)}
    cause = core.cause("consolidate", detail=by)
    total, part, links, spending = ConsolidateResult(), 0, KnownLinks(), Spending(core)
    older: Mapping[int, Sequence[int]] = {}
    verdicts = Verdicts(core)
    size, compare_max = (CHUNK, COMPARED) if core.writer is None else (JUDGED_CHUNK, JUDGED_CHUNK)
    tell, waiting = (ignore_progress, 0) if progress is None else (progress, await _count_inbox(core))
    tell(0, waiting)
    while (
        (limit := min(compare_max, most - total.activated)) and not stopped() and await _read_inbox(core, 1)
    ):
        waiting_for = "" if core.writer is None else await spending.waits()
        if waiting_for:
            total = replace(total, waits=waiting_for)
            break
        async with _own_turn(core, links, tries) as fence:
            if fence is None and tries == 1:
                break
            inbox = await _read_inbox(core, limit)
            # A writer is shown older memories, in one look also those beside the memories that come next.
            if core.writer is not None and not all(memory.seq in older for memory in inbox):
                older = await candidates(core, await _read_inbox(core, LOOKED_AHEAD))
            compared_with = _InboxComparison(
                await _find_similar(core, inbox), older, await beginnings(core, inbox)
            )
            for start in range(0, len(inbox), size):
                part_cause = replace(cause, part=part, fence=fence)
                few = inbox[start : start + size]
                chunk = await _commit_chunk(core, few, compared_with, part_cause, links, spending)
                part += 1
                total = chunk.added_to(total, cause.run)
                await verdicts.carry_out(chunk.find_replacing(), part_cause)
                tell(total.activated, max(total.activated, waiting))
    return replace(verdicts.added_to(total), runs=(cause.run,) if part else ())


async def _make_guideline_detail(core: Core) -> dict[str, str]:
    """Say in the audit which guidelines a writer was shown, where there are any, by a hash of them."""
    active = await guidelines.lines(core)
    return {"guidelines": ExtractRequest(guidelines=active).hash} if active else {}


async def _count_inbox(core: Core) -> int:
    """Count the inbox."""
    snapshot = await core.store.snapshot(core.scope, SnapshotRequest(frozenset({"status"})), core.clock.now())
    return int(np.count_nonzero(snapshot.columns["status"] == Status.INBOX))


async def _read_inbox(core: Core, limit: int) -> list[Memory]:
    return await core.store.find(core.scope, Find((Status.INBOX,), limit=limit, oldest_first=True))


@asynccontextmanager
async def _own_turn(core: Core, drawn: KnownLinks, tries: int) -> AsyncIterator[Fence | None]:
    """Keep other processes from the inbox meanwhile; who loses the lease leaves the chunk to its next holder."""
    lasting, most = (UNASKED_LEASE, UNASKED_TRIES) if core.writer is None else (LEASE, TRIES_MAX)
    try:
        async with hold_lease(core, "consolidate", lasting, tries=min(tries, most)) as fence:
            yield fence
    except LeaseLost:
        drawn.forget()


async def _find_similar(core: Core, memories: Sequence[Memory]) -> Pairs:
    """Return for each memory its most similar standing memories."""
    if not core.embedder.dimensions:
        return {}
    seqs = [memory.seq for memory in memories]
    async with core.index.hold_rows(core.clock.now(), vectors=True):
        tiles = await asyncio.gather(
            *(asyncio.to_thread(_find_candidates, core, part) for part in whole_tiles(seqs, COMPARED_AT_ONCE))
        )
    return {seq: pairs for part in tiles for seq, pairs in part.items()}


async def _commit_chunk(
    core: Core,
    inbox: list[Memory],
    compared: _InboxComparison,
    cause: Cause,
    drawn: KnownLinks,
    spending: Spending,
) -> _Chunk:
    """Decide and commit one chunk, reading again what lost a race; every part stands for itself."""
    answers: dict[int, CheckedJudgement] = {}
    for attempt in range(RACES_MAX):
        chunk = _Chunk([memory for memory in inbox if memory.status is Status.INBOX])
        compared = replace(compared, pairs=await _filter_standing_pairs(core, chunk, compared.pairs))
        # Only pairs in the band of near duplicates have their words compared.
        near = core.embedder.thresholds.near
        seqs = sorted({pair.seq for mine in compared.pairs.values() for pair in mine if pair.cosine >= near})
        partners = {
            memory.seq: memory for memory in await core.store.get(core.scope, seqs) if memory is not None
        }
        if core.writer is not None and not answers:
            asked = chunk.memories
            if isinstance(core.writer, Extractor):  # it is asked about no turn beside the facts of it
                asked = [one for one in asked if TURN not in one.tags or one.category is not None]
            answers = await _judge_chunk(core, core.writer, asked, compared.older)
            await spending.book(len(answers), sum(answer.tokens_used for answer in answers.values()))
        chunk.judged, counts = await limit_newer(
            core, [answers.get(memory.seq, CheckedJudgement()) for memory in chunk.memories]
        )
        await drawn.look(
            core, {memory.seq for memory in chunk.memories}, compared.find_partners(chunk.memories)
        )
        # Comparing texts word by word takes long where many are alike.
        await asyncio.to_thread(_decide_chunk, core, chunk, compared, partners, drawn)
        try:
            if chunk.changes:
                # So that they are not forgotten with the result of a run that nobody watches.
                extra_detail = {"proposed": new_tags} if (new_tags := chunk.collect_proposed_tags()) else {}
                detail = {**cause.detail, **extra_detail, **chunk.actions.detail()}
                part_cause = replace(cause, at=core.clock.now(), detail=detail)
                values = await _for_review(core, chunk) | compared.beside.encode_mentions(chunk.mentioned)
                await core.commit(chunk.changes, replace(part_cause, values=values, counts=counts))
        except Conflict:
            if attempt + 1 == RACES_MAX:
                raise
            drawn.forget()
            again = await core.store.get(core.scope, [memory.seq for memory in inbox])
            inbox = [memory for memory in again if memory is not None]
            again_beside = await beginnings(core, inbox)
            compared = replace(compared, pairs=await _find_similar(core, inbox), beside=again_beside)
            continue
        return chunk
    raise AssertionError("unreachable")


async def _for_review(core: Core, chunk: _Chunk) -> dict[str, Any]:
    """Return what is kept for a person of what was only proposed, as far as there is room."""
    pairs = zip(chunk.memories, chunk.judged, strict=True)
    pending = [
        (memory, answer) for memory, answer in pairs if answer.proposed or answer.replaces or answer.repeats
    ]
    if not pending or core.writer is None:
        return {}
    now, by = core.clock.now(), core.writer.name
    values: dict[str, Any] = {}
    for memory, answer in pending[: await proposals.room(core)]:
        values |= proposals.encode_proposal(
            memory.seq, now, by, answer.proposed, answer.replaces, answer.repeats
        )
    return await proposals.beside_others(core, values)


async def _filter_standing_pairs(core: Core, chunk: _Chunk, pairs: Pairs) -> Pairs:
    """Leave out who fell since a chunk was compared; note which of the chunk have a vector."""
    if not core.embedder.dimensions:
        return {memory.seq: () for memory in chunk.memories}
    async with core.index.hold_rows(core.clock.now(), vectors=True):
        chunk.held = core.index.filter_embedded(memory.seq for memory in chunk.memories)
        standing = core.index.filter_standing(_list_ends(chunk.memories, pairs))
    return {
        memory.seq: [pair for pair in pairs[memory.seq] if pair.seq in standing] for memory in chunk.memories
    }


def _list_ends(memories: Sequence[Memory], pairs: Pairs) -> set[int]:
    """Return a chunk's memories and all that they may be linked to."""
    seqs = {memory.seq for memory in memories}
    return seqs | {pair.seq for seq in seqs for pair in pairs[seq]}


async def _judge_chunk(
    core: Core, writer: Writer, memories: Sequence[Memory], older: Mapping[int, Sequence[int]]
) -> dict[int, CheckedJudgement]:
    """Ask the writer about a chunk, each memory beside the older ones that it may change."""
    seqs = sorted({seq for memory in memories for seq in older.get(memory.seq, ())})
    rows = await core.store.get(core.scope, seqs)
    others = {one.seq: one for one in rows if one is not None and one.status in STANDING}
    beside = [[others[seq] for seq in older.get(memory.seq, ()) if seq in others] for memory in memories]
    answers = await judge(core, writer, memories, beside)
    return {memory.seq: answer for memory, answer in zip(memories, answers, strict=True)}


def _find_candidates(core: Core, seqs: Sequence[int]) -> Pairs:
    index, least = core.index, core.embedder.thresholds.similar
    matches = nearest(index.bare_vectors, index.rows_of(seqs), index.stands, least=least, most=PARTNERS)
    return {
        seq: [_SimilarPair(*pair) for pair in zip(index.seq[rows].tolist(), cosines.tolist(), strict=True)]
        for seq, (rows, cosines) in zip(seqs, matches, strict=True)
    }


def _decide_chunk(
    core: Core,
    chunk: _Chunk,
    compared: _InboxComparison,
    partners: dict[int, Memory],
    drawn: KnownLinks,
) -> None:
    """Turn a chunk active and draw its links, each pair once."""
    now = core.clock.now()
    for memory, answer in zip(chunk.memories, chunk.judged, strict=True):
        eligibility = of_memory(memory, "consolidation")
        # Of a judgement only what may be written into the memory stays.
        judgement = answer
        if answer.alignment is not None or answer.tags:
            if chunk.actions.allows("update_note", eligibility):
                chunk.actions.record("update_note", eligibility, reason="judged by a writer")
            else:
                judgement = replace(answer, alignment=None, tags=())
        chunk.changes += _activate_memory(core, chunk, memory, now, judgement)
        chunk.changes += [Change("tags", (memory.seq, tag), None, {}) for tag in judgement.tags]
        pairs, wishes = compared.pairs[memory.seq], compared.beside.count_links(memory)
        is_linked = pairs or wishes or judgement.contradicts or judgement.newer
        if is_linked and not chunk.actions.allows("link_graph", eligibility):
            continue
        links = _link_memory(core, chunk, memory, (pairs, partners), drawn)
        contradicting = _link_others(memory.seq, judgement.contradicts, Relation.CONTRADICTS, drawn, now)
        newer = _link_others(memory.seq, judgement.newer, Relation.NEWER, drawn, now)
        connections, counts = drawn.make_link_changes(wishes, now)
        chunk.contradictions += len(contradicting)
        chunk.newer += len(newer)
        drawn_links = [*links, *contradicting, *newer, *connections]
        chunk.connected += counts
        chunk.changes += drawn_links
        chunk.mentioned |= compared.beside.mention(memory.seq)
        chunk.actions.record("link_graph", eligibility, times=len(drawn_links))
    chunk.changes = merge_changes(chunk.changes)


def _link_memory(
    core: Core,
    chunk: _Chunk,
    memory: Memory,
    beside: tuple[Sequence["_SimilarPair"], Mapping[int, Memory]],
    drawn: KnownLinks,
) -> list[Change]:
    """Link a memory to what is near or similar; a note that is said again confirms the older one."""
    now, changes = core.clock.now(), []
    pairs, partners = beside
    room = {Relation.NEAR_DUPLICATE: NEAR_MAX, Relation.SIMILAR: SIMILAR_MAX}
    for pair in pairs:
        other = partners.get(pair.seq)
        # A pair is near duplicates only where the words say so too: numbers, names and negation must agree.
        relation = Relation.SIMILAR
        if other is not None and other.speaker == memory.speaker:
            twin = verdict(other.text, memory.text, pair.cosine, core.embedder.thresholds)
            if twin.kind != "distinct":
                relation = Relation.NEAR_DUPLICATE
        key = (min(memory.seq, pair.seq), max(memory.seq, pair.seq), int(relation))
        if room[relation] and key not in drawn.keys and drawn.room(relation, *key[:2]):
            room[relation] -= 1
            drawn.add(key)
            sure = pair.cosine
            if relation is Relation.NEAR_DUPLICATE and other is not None:
                sure = sureness(other.text, memory.text, pair.cosine, core.embedder.thresholds)
            changes.append(Change("links", key, None, _make_link_values(pair.cosine, now, sure)))
            chunk.near += relation is Relation.NEAR_DUPLICATE
            chunk.similar += relation is Relation.SIMILAR
            if relation is Relation.NEAR_DUPLICATE and other is not None:
                chunk.changes += _said_again(chunk.actions, memory, other, now)
    return changes


def _said_again(actions: Actions, memory: Memory, other: Memory, now: int) -> list[Change]:
    """Let a note confirm an older one with the same words, unless one turn said both; episodes stay as they are."""
    notes = memory.kind is Kind.SEMANTIC and other.kind is Kind.SEMANTIC
    eligibility = of_memory(memory, "consolidation")
    if (
        not notes
        or other.seq > memory.seq
        or memory.trust < other.trust
        or not {*memory.sources}.isdisjoint(other.sources)
        or not same_words(other.text, memory.text, moved=True)
        or not actions.allows("update_note", eligibility)
    ):
        return []
    actions.record("update_note", eligibility, reason="said again")
    again = said_again(other, [Repeat(memory.role, memory.trust, memory.session, memory.last_said_at)], now)
    return [*update(other, again), VERBS["repeat"].build_count_change(other.seq, confirmations=1)]


def _activate_memory(
    core: Core, chunk: _Chunk, memory: Memory, now: int, judged: CheckedJudgement
) -> list[Change]:
    fields: dict[str, Any] = {}
    if judged.alignment is not None:
        # elfmem: how well it fits who the agent is, is how sure the agent is of it, unless somebody said better.
        confidence = judged.alignment if memory.confidence is None else memory.confidence
        fields = {"alignment": judged.alignment, "confidence": confidence}
    (change,) = act(memory, VERBS["consolidate"], now, **fields)
    if core.embedder.dimensions and memory.seq not in chunk.held:
        assert change.before is not None and change.after is not None
        vector = vector_of(core, memory.text)
        change = Change(
            "memories", memory.seq, {**change.before, "vector": None}, {**change.after, "vector": vector}
        )
        chunk.embedded += 1
    return [change]


def _link_others(
    one: int, others: Sequence[tuple[int, float]], relation: Relation, drawn: KnownLinks, now: int
) -> list[Change]:
    """Link a memory to those that it is newer than or contradicts, each once."""
    changes = []
    for other, sure in others:
        ends = sorted((one, other)) if relation in SYMMETRIC else (one, other)
        key = (ends[0], ends[1], int(relation))
        if key not in drawn.keys:
            drawn.add(key)
            changes.append(Change("links", key, None, _make_link_values(sure, now)))
    return changes


def _make_link_values(cosine: float, now: int, sure: float | None = None) -> dict[str, Any]:
    weight, confidence = (
        round(min(1.0, max(0.0, much)), 6) for much in (cosine, cosine if sure is None else sure)
    )
    return link_values(now, weight, confidence)
