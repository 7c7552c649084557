"""Near duplicates that were never compared: a whole scope is looked through for texts that share most of their words.

Consolidation compares a newcomer with what is most similar by vectors; this finds what was there before there were
vectors, came by another way or has many that are more similar. It draws links and merges nothing.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from remanence.core.change import Change
from remanence.core.clock import MINUTE
from remanence.core.errors import LeaseLost
from remanence.core.model import Link, Memory, Relation, Status, link_values
from remanence.core.receipt import LinkedDuplicates
from remanence.core.snapshot import Ints, SnapshotRequest
from remanence.flows.base.context import Core, hold_lease, retry_conflicts
from remanence.flows.base.steps import Settling
from remanence.read.entity import is_entity
from remanence.store.base import Bookkeeping
from remanence.text.twins import SURE, SimilarityThresholds, same_words, sureness, verdict
from remanence.write.engine_actions import Actions, of_memory
from remanence.write.minhash import (
    SHARED_MIN,
    Pairs,
    SignatureBatch,
    compute_signatures,
    find_similar_pairs,
    join_signatures,
    shared_words,
)

COMPARED_MAX = 250_000  # memories of a scope, the newest; each of the older ones was among them once
PAIRS_MAX = 20_000  # pairs whose texts are read, those that seem most alike
LINKS_MAX = 3  # that are drawn anew for one memory, as in a consolidation
PAGE = 1_000
LEASE = 10 * MINUTE
BUSY = "another process is at it"
STEP = "duplicates"
DONE = "duplicates/done"  # value: what was there when all was last looked through
_BY_WORDS = SimilarityThresholds(0, 0)  # no vector is asked
# Who is linked so is known to be two.
_APART = frozenset(
    {
        Relation.LEARNED_FROM,
        Relation.SUPERSEDES,
        Relation.CONTRADICTS,
        Relation.ELABORATES,
        Relation.MERGED_FROM,
    }
)

Ends = tuple[int, int]  # sequence numbers, the older first


@dataclass(eq=False)
class _LinkCounts:
    """What was drawn so far, and how much of it for each memory."""

    linked: int = 0
    surer: int = 0
    degrees: Counter[int] = field(default_factory=Counter)


async def link_duplicates(
    core: Core, *, every: int = 0, stopped: Callable[[], bool] = lambda: False
) -> LinkedDuplicates:
    """Link memories of one speaker that share most of their words where nothing keeps them apart.

    With `every` nothing is done within so many microseconds after all was looked through, nor where no text has come or
    changed since. Stopped, it compares what it has read, the newest, and links of that the most alike.
    """
    if every and not await _is_time(core, every):
        return LinkedDuplicates()
    active, mark = await _read_active(core)
    if every and mark == (await _read_last_pass(core)).get("mark"):
        return LinkedDuplicates()
    try:
        async with hold_lease(core, STEP, LEASE) as fence:
            if fence is None:
                return LinkedDuplicates(waits=BUSY)
            cause = core.cause("consolidate", detail={"step": STEP}, fence=fence)
            run = Settling(core, cause, stopped)
            outcome = await _looked_through(run, active)
            if not stopped():
                now = core.clock.now()
                put = Bookkeeping(now, put={DONE: {"at": now, "mark": mark}}, fence=fence)
                await core.store.bookkeep(core.scope, put)
            return outcome
    except LeaseLost:
        return LinkedDuplicates(waits=BUSY)


async def _read_last_pass(core: Core) -> Mapping[str, Any]:
    """Return when all was looked through, and what was there then."""
    request = Bookkeeping(core.clock.now(), get=(DONE,))
    last_pass: Mapping[str, Any] = (await core.store.bookkeep(core.scope, request)).values.get(DONE, {})
    return last_pass


async def _is_time(core: Core, every: int) -> bool:
    """Tell whether it was done that long ago, or never; a time that a clock set back left ahead is none."""
    at = (await _read_last_pass(core)).get("at")
    return at is None or not at <= core.clock.now() < at + every


async def _looked_through(run: Settling, active: Ints) -> LinkedDuplicates:
    (total, pairs), link_counts = await _find_candidates(run, active), _LinkCounts()
    for start in range(0, min(len(pairs), PAIRS_MAX), PAGE):
        if not start or not run.stopped():
            await _link_pairs(run, pairs[start : min(start + PAGE, PAIRS_MAX)], link_counts)
    return LinkedDuplicates(
        compared=total,
        candidates=len(pairs),
        linked=link_counts.linked,
        surer=link_counts.surer,
        left=max(0, len(pairs) - PAIRS_MAX),
        run=run.cause.run if run.cause.part else None,
    )


async def _read_active(core: Core) -> tuple[Ints, list[int]]:
    """Return who is active, in order of arrival, and what tells whether any of them has changed."""
    snapshot = await core.store.snapshot(core.scope, SnapshotRequest(frozenset({"status"})), core.clock.now())
    active = snapshot.columns["status"] == Status.ACTIVE
    seqs: Ints = snapshot.seq[active]
    revisions = int(snapshot.columns["revision"][active].sum())
    return seqs, [len(seqs), int(seqs[-1]) if len(seqs) else 0, revisions]


async def _find_candidates(run: Settling, active: Ints) -> tuple[int, list[Ends]]:
    """Return how many were compared, the newest first, and who seem to share most words, the most alike first."""
    core, blocks = run.core, list[SignatureBatch]()
    seqs: list[int] = []
    speakers: list[int] = []
    codes: dict[str | None, int] = {}
    newest = active[::-1][:COMPARED_MAX].tolist()
    for start in range(0, len(newest), PAGE):
        if run.stopped():
            break
        page = await core.store.get(core.scope, newest[start : start + PAGE])
        memories = [one for one in page if one is not None and not is_entity(one)]
        seqs += [one.seq for one in memories]
        speakers += [codes.setdefault(one.speaker, len(codes)) for one in memories]
        blocks.append(await asyncio.to_thread(compute_signatures, [one.text for one in memories]))
    if not seqs:
        return 0, []
    groups = np.array(speakers, np.int64)
    pairs = await asyncio.to_thread(lambda: find_similar_pairs(join_signatures(blocks), groups, SHARED_MIN))
    return len(seqs), _list_ends(np.array(seqs, np.int64), pairs)


def _list_ends(seqs: Ints, pairs: Pairs) -> list[Ends]:
    """Return the pairs by sequence number; of two rows the later one is the older memory."""
    return list(zip(seqs[pairs.second].tolist(), seqs[pairs.first].tolist(), strict=True))


@retry_conflicts
async def _link_pairs(run: Settling, pairs: Sequence[Ends], drawn: _LinkCounts) -> None:
    """Compare the texts of some pairs and link those that are near duplicates."""
    core = run.core
    seqs = sorted({seq for pair in pairs for seq in pair})
    rows = await core.store.get(core.scope, seqs)
    by_seq = {one.seq: one for one in rows if one is not None and one.status is Status.ACTIVE}
    links: dict[Ends, dict[Relation, Link]] = defaultdict(dict)
    for link in await core.store.neighbours(core.scope, seqs):
        links[min(link.source, link.target), max(link.source, link.target)][link.relation] = link
    part, actions = _LinkCounts(degrees=drawn.degrees.copy()), Actions()
    changes = await asyncio.to_thread(_decide_links, core, pairs, (by_seq, links), part, actions)
    if changes:
        await run.commit(changes, actions)
    drawn.linked, drawn.surer, drawn.degrees = (
        drawn.linked + part.linked,
        drawn.surer + part.surer,
        part.degrees,
    )


def _decide_links(
    core: Core,
    pairs: Sequence[Ends],
    known: tuple[Mapping[int, Memory], Mapping[Ends, Mapping[Relation, Link]]],
    drawn: _LinkCounts,
    actions: Actions,
) -> list[Change]:
    """Decide which pairs are linked, and which links are surer than they say."""
    by_seq, links = known
    now, changes = core.clock.now(), list[Change]()
    for ends in pairs:
        one, other = (by_seq.get(seq) for seq in ends)
        between = links.get(ends, {})
        if one is None or other is None or one.speaker != other.speaker or not _APART.isdisjoint(between):
            continue
        change = _decide_link(one, other, between.get(Relation.NEAR_DUPLICATE), drawn, now)
        if change is None or not actions.allows("link_graph", of_memory(other, "consolidation")):
            continue
        actions.record("link_graph", of_memory(other, "consolidation"), reason="shares most words")
        changes.append(change)
        if change.before is not None:
            drawn.surer += 1
        else:
            drawn.linked += 1
            drawn.degrees.update(ends)
    return changes


def _decide_link(
    one: Memory, other: Memory, link: Link | None, drawn: _LinkCounts, now: int
) -> Change | None:
    """Return what becomes of a pair: a link, or more confidence in the one that there is; None for nothing."""
    key = (one.seq, other.seq, int(Relation.NEAR_DUPLICATE))
    if link is not None:
        if link.confidence is None or link.confidence >= SURE or not same_words(one.text, other.text):
            return None
        sure = sureness(one.text, other.text, 1.0, _BY_WORDS)
        return Change("links", key, {"confidence": link.confidence}, {"confidence": sure})
    shared = shared_words(one.text, other.text)
    full = max(drawn.degrees[one.seq], drawn.degrees[other.seq]) >= LINKS_MAX
    if full or shared < SHARED_MIN or verdict(one.text, other.text, None, _BY_WORDS).kind == "distinct":
        return None
    sure = round(sureness(one.text, other.text, shared, _BY_WORDS), 6)
    return Change("links", key, None, link_values(now, round(shared, 6), sure))
