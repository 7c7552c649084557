"""Memories whose vectors another embedder made are embedded again, some at a time, beside everything else.

Until the last is done no vectors are compared: recall goes by words alone, and what must compare waits. Which embedder
made the vectors, and how far this has come, is kept in the bookkeeping, so that any process goes on where one stopped.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from remanence.core.change import Change, Entry, Fence, edit_rows, rows_of
from remanence.core.clock import SECOND
from remanence.core.errors import Conflict, RemanenceError, StoreDamaged, StoreIncompatible, format_value
from remanence.core.later import import_later
from remanence.core.model import INT_MAX, Memory, Status
from remanence.flows.base.context import Core, hold_lease
from remanence.llm.local import BUILT_IN, REPLACED
from remanence.read.entity import is_entity
from remanence.recall.semantic import word_weight
from remanence.store.base import Arriving, Bookkeeping, Find, WriteContext
from remanence.text.analysis import stems, term_hash

if TYPE_CHECKING:
    from remanence.flows.write import learning

import_later(globals())

EMBEDDER = "embedder"  # the bookkeeping's name for which model made the vectors
AFTER = "after"  # the last memory that was embedded again, while others are left
SINCE = "since"  # the position up to which the audit holds vectors of the embedder before
CHUNK = 500
LEASE = 5 * SECOND  # longer than a chunk takes; so long a killed process keeps the others waiting
POLL_S = 0.2
PAUSE_S = 1.0
FAILURES_MAX = 600  # one after another, before the rest is left to the next opening
LOG = logging.getLogger("remanence")


async def settle(core: Core) -> None:
    """Refuse vectors of another model, but for one that the present one takes the place of."""
    now = core.clock.now()
    mine = {"name": core.embedder.name, "dimensions": core.embedder.dimensions}
    row = await _read_embedder_row(core)
    if row is None:
        await core.store.bookkeep(core.scope, Bookkeeping(now, put={EMBEDDER: mine}))
        return
    if REPLACED.get(row["name"]) == core.embedder.name:
        await core.store.bookkeep(core.scope, Bookkeeping(now, swap={EMBEDDER: (row, {**mine, AFTER: 0})}))
        row = await _read_embedder_row(core) or row
    if row | mine != row:
        raise StoreIncompatible(
            f"this memory was embedded by {row['name']!r}, not by {mine['name']!r}",
            recovery=_way_back(row["name"]),
        )
    core.vectors_since = row.get(SINCE, 0)
    if AFTER in row:
        core.vectors_since = INT_MAX
        core.index.dimensions = 0
        core.embedding = Embedding(core)


def _way_back(name: str) -> str:
    """Say how a memory is opened that another embedder's vectors are in."""
    if name in REPLACED:
        return "open it without naming an embedder, and it is embedded again"
    short = next((short for short, embedder in BUILT_IN.items() if embedder.name == name), None)
    hint = "" if short is None else f", `--embedder {short}` or embedder={short!r}"
    return f"open it with the embedder it was made with{hint}"


async def _read_embedder_row(core: Core) -> dict[str, Any] | None:
    answer = await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), get=(EMBEDDER,)))
    row = answer.values.get(EMBEDDER)
    if row is not None and not (isinstance(row, dict) and isinstance(row.get("name"), str)):
        raise StoreDamaged(
            f"which model made the vectors is not to be read: {format_value(row)}",
            recovery="run `doctor`, then go back to the latest backup",
        )
    return row


async def read_reembed_position(core: Core) -> int | None:
    """Return after which memory those begin that are still to be embedded again; None where none is."""
    row = None if core.embedding is None else await _read_embedder_row(core)
    return None if row is None else row.get(AFTER)


async def wait_until_embedded(core: Core) -> None:
    """Wait until every vector is the present embedder's."""
    if core.embedding is not None:
        await core.embedding.wait_until_done()


class Embedding:
    """The work under way in this process, or in another one that this one waits for."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._run = core.new_id()
        self._part = 0
        self._stopped = False
        self._task = asyncio.create_task(self._embed_until_done())

    async def wait_until_done(self) -> None:
        """Wait for the end; raise what ended it too early."""
        await asyncio.shield(self._task)

    async def stop(self) -> None:
        """End with the present chunk; the next opening goes on."""
        self._stopped = True
        await asyncio.wait([self._task])
        if not self._task.cancelled() and (error := self._task.exception()) is not None:
            LOG.warning("not every memory was embedded again: %s; the next opening goes on", error)

    async def _embed_until_done(self) -> None:
        failures = 0
        while True:
            try:
                pause, is_done = await self._step()
                failures = 0
            except RemanenceError:
                failures += 1
                if failures == FAILURES_MAX or self._stopped:
                    raise
                pause, is_done = PAUSE_S, False
            if is_done or self._stopped:
                return
            await asyncio.sleep(pause)

    async def _step(self) -> tuple[float, bool]:
        """Embed one chunk, unless another process does; return how long to wait, and whether all is done."""
        core = self._core
        async with hold_lease(core, "embedding", LEASE) as fence:
            row = await _read_embedder_row(core) or {}
            if AFTER not in row:
                await core.index.take_vectors(core.embedder.dimensions)
                core.vectors_since = row.get(SINCE, 0)
                return 0, True
            if fence is not None:
                await self._commit_chunk(row, fence)
        return POLL_S if fence is None else 0, False

    async def _commit_chunk(self, stored: dict[str, Any], fence: Fence) -> None:
        """Embed what follows, and say so; where somebody changed any of it meanwhile, it is read again."""
        core = self._core
        memories = await core.store.find(
            core.scope, Find(after=stored[AFTER], limit=CHUNK, oldest_first=True)
        )
        # What has a vector is embedded, or should have one since it is consolidated.
        vector_seqs, _ = await core.store.vectors(core.scope, only=[memory.seq for memory in memories])
        wanted_seqs = set(vector_seqs.tolist())
        to_embed = [
            memory
            for memory in memories
            if memory.seq in wanted_seqs or (memory.status is Status.ACTIVE and not is_entity(memory))
        ]
        changes = await asyncio.to_thread(
            _make_vector_changes,
            core,
            to_embed,
            await _read_term_counts(core, [one.text for one in to_embed]),
        )
        cause = core.cause("embed", run=self._run, part=self._part, planned=True, fence=fence)
        self._part += 1
        try:
            if changes:
                await core.commit(changes, cause)
        except Conflict:
            return
        if len(memories) == CHUNK:
            now = {**stored, AFTER: memories[-1].seq}
        else:
            # All vectors are the new ones by now, and with them whatever the audit is told from here on.
            position = (await core.store.search(core.scope, [])).position
            now = {name: value for name, value in stored.items() if name != AFTER} | {SINCE: position}
        await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), swap={EMBEDDER: (stored, now)}))


async def _read_term_counts(core: Core, texts: Sequence[str]) -> WriteContext:
    terms = await asyncio.to_thread(lambda: list({term_hash(stem) for text in texts for stem in stems(text)}))
    return await core.store.arriving(core.scope, Arriving(terms=terms))


def _make_vector_changes(core: Core, memories: Sequence[Memory], known: WriteContext) -> list[Change]:
    weight = word_weight(known.memories, known.df)
    return [
        Change(
            "memories",
            memory.seq,
            {"revision": memory.revision},
            {"vector": learning.vector_of(core, memory.text, weight)},
        )
        for memory in memories
    ]


def _drop_old_vector(change: Change) -> Change:
    """Let a change start from whatever vector there is: the one that the audit told of has been replaced."""
    if change.before is None or change.after is None:
        return change
    return replace(change, before={name: old for name, old in change.before.items() if name != "vector"})


async def update_vectors(core: Core, told: Sequence[Entry], position: int) -> list[Entry]:
    """Give changes that the audit told at a position vectors of the present embedder, where it made others before."""
    if position > core.vectors_since:
        return list(told)
    vector = frozenset({"vector"})
    entries = edit_rows(told, vector, _drop_old_vector)
    rows = rows_of(one for one in entries if "vector" in one.columns)
    afters = {change.key: change.after or {} for change in rows}
    texts = {key: after.get("text") for key, after in afters.items() if after.get("vector") is not None}
    unsaid = [key for key, text in texts.items() if text is None]
    for memory in await core.store.get(core.scope, unsaid):  # type: ignore[arg-type]
        if memory is not None:
            texts[memory.seq] = memory.text
    term_counts = await _read_term_counts(core, [text for text in texts.values() if text is not None])
    weight = word_weight(term_counts.memories, term_counts.df)
    fresh = {key: learning.vector_of(core, text, weight) for key, text in texts.items() if text is not None}

    def renew(change: Change) -> Change:
        if change.after is None or change.key not in fresh:
            return change
        return replace(change, after={**change.after, "vector": fresh[change.key]})

    return edit_rows(entries, vector, renew)
