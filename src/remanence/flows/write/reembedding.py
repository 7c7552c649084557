"""Another model in the place of the one that answers: its vectors are made beside those, then all change at once.

How far this has come is kept in the bookkeeping, so that whoever asks next goes on where somebody stopped.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from remanence.core.change import Fence
from remanence.core.clock import SECOND
from remanence.core.errors import InvalidInput, LeaseLost, StoreUnavailable, format_value
from remanence.core.keywords import Progress
from remanence.core.model import Memory
from remanence.core.results import Result, number, visible
from remanence.core.snapshot import SnapshotRequest
from remanence.flows.base import extra_vectors
from remanence.flows.base.async_embedder import Model, parts
from remanence.flows.base.context import LEASE_POLL_S, Core, hold_lease, ignore_progress
from remanence.flows.base.extra_vectors import (
    LEASE,
    LEASE_NAME,
    MODEL,
    WRITTEN_AT_ONCE,
    answers,
    encode_model,
    keep,
    read_answering_model,
)
from remanence.flows.base.spending import EMBEDDER, Spending, read_spent_today
from remanence.llm.base import Embedder, WaitingEmbedder
from remanence.store.base import Bookkeeping, Find
from remanence.store.capabilities import VECTORS, require

Ints = npt.NDArray[np.int64]
UNDER_WAY = "reembed"  # the bookkeeping's name for the model that is to answer next, and how far it has come
# Who was killed holds the lease for so long.
TRIES = int(3 * LEASE / SECOND / LEASE_POLL_S)
# Texts may be written while the last that are missing are embedded; what is left then waits for consolidation.
ROUNDS_MAX = 3


STOPPED = "time is up"
UNFINISHED = "another process holds the work, and has for a while"


@dataclass(frozen=True, slots=True, repr=False)
class ReembedResult(Result):
    """Result of a change of the model: whose vectors answer now, "" for none, and how many this call made.

    If a limit was reached, `waits` says which: the vectors from before still answer, and the next call continues.
    `taken_away` counts deleted vectors of models that no longer answer.
    """

    model: str
    memories: int = 0
    taken_away: int = 0
    waits: str = ""

    def __str__(self) -> str:
        answers = (
            f"{self.model} answers" if self.model else "no model answers, the vectors of memories alone do"
        )
        count = number(self.memories, "memory", "memories")
        removal = f", {number(self.taken_away, 'vector', 'vectors')} taken away" if self.taken_away else ""
        waits = f"; the rest waits: {self.waits}" if self.waits else ""
        return visible(f"{answers}; {count} embedded{removal}{waits}")


async def reembed(
    core: Core,
    embedder: str | Embedder | WaitingEmbedder | None,
    progress: Progress | None,
    stopped: Callable[[], bool] = lambda: False,
) -> ReembedResult:
    """Embed everything by another model, or go on where that was stopped; then its vectors answer.

    `stopped` is asked between steps.
    """
    require(core.store, VECTORS, "reembed")
    model = await _resolve_model(core, embedder)
    tell = progress if progress is not None else ignore_progress
    removals = await _begin_model(core, model)
    count = 0
    if model is not None and not answers(await read_answering_model(core), model):
        core.others.append(model)  # which answers as soon as its vectors do
        spending = Spending(core, EMBEDDER)
        making = _Making(core, model, spending, tell, stopped)
        waits = await making.embed_all()
        count = making.memories
        if waits:
            row = await read_answering_model(core)
            return ReembedResult("" if row is None else row["name"], count, removals, waits)
    await _switch_model(core, model)
    async with _hold_step(core) as fence:
        removals += await extra_vectors.take_away(core, fence)
    extra = await extra_vectors.fill(core)
    return ReembedResult("" if model is None else model.name, count + extra.memories, removals, extra.left)


async def under_way(core: Core) -> dict[str, Any] | None:
    """Return which model is to answer next, and after which memory it goes on; None where none is."""
    answer = await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), get=(UNDER_WAY,)))
    row = answer.values.get(UNDER_WAY)
    return row if isinstance(row, dict) else None


async def describe_models(core: Core) -> dict[str, str | int]:
    """Say which model answers, how far it is, and which is to answer next."""
    row, going = await read_answering_model(core), await under_way(core)
    fields: dict[str, str | int] = {} if row is None else {"model": row["name"]}
    if core.model is not None:
        fields |= {"to_embed": await extra_vectors.count_unembedded(core)}
        fields |= {"failure": core.model.failure} if core.model.failure else {}
        spent = (await read_spent_today(core, EMBEDDER))["tokens"]
        fields |= {"tokens": spent} if spent else {}
    return fields if going is None else fields | {"next": going["name"]}


async def _resolve_model(core: Core, embedder: str | Embedder | WaitingEmbedder | None) -> Model | None:
    """Return the model that is asked for, or the one that is under way; None for none."""
    if embedder is not None:
        _, model = parts(embedder)
        if model is None and embedder != "auto":
            raise InvalidInput(
                "this embedder waits for nothing: it makes the vectors that memories come with",
                recovery="name a model (local:FOLDER, multilingual, openai), or auto for none beside them",
            )
        return model
    going = await under_way(core)
    if going is None and core.model is None:
        raise InvalidInput("no change of the model is under way", recovery="name the model to change to")
    if going is None:
        return core.model
    if core.model is not None and core.model.name == going["name"]:
        return core.model
    if not going.get("given"):
        raise InvalidInput(
            f"{going['name']!r} is under way, and cannot be made from a name",
            recovery="pass it as the embedder",
        )
    return parts(going["given"])[1]


async def _begin_model(core: Core, model: Model | None) -> int:
    """Say which model is to answer next; what another one under way had made goes. Return how many vectors went."""
    async with _hold_step(core) as fence:
        removals = await extra_vectors.take_away(core, fence)
        going = await under_way(core)
        put: dict[str, Any] = {}
        if going is not None and (model is None or going["name"] != model.name):
            put = {extra_vectors.GONE + going["name"]: True, UNDER_WAY: None}
            going = None
        if going is None and model is not None and not answers(await read_answering_model(core), model):
            put[UNDER_WAY] = {**encode_model(model), "after": 0}
        if put:
            await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), put=put, fence=fence))
        return removals + await extra_vectors.take_away(core, fence)


@asynccontextmanager
async def _hold_step(core: Core) -> AsyncIterator[Fence]:
    """Hold the lease for one step, as soon as nobody else does."""
    async with hold_lease(core, LEASE_NAME, LEASE, tries=TRIES) as fence:
        if fence is None:
            raise StoreUnavailable(UNFINISHED, recovery="wait for it, or try again; nothing was changed")
        yield fence


@dataclass
class _Making:
    """The vectors of the next model, made step by step; `memories` counts those of this call."""

    core: Core
    model: Model
    spending: Spending
    tell: Progress
    stopped: Callable[[], bool]
    memories: int = 0

    async def embed_all(self) -> str:
        """Embed everything; return why the rest waits, "" where nothing is left."""
        eligible = await self._find_eligible()
        more = True
        while more:
            if self.stopped():
                return STOPPED
            if waits := await self.spending.waits():
                return waits
            try:
                async with _hold_step(self.core) as fence:
                    more, after = await self._embed_next(fence)
            except LeaseLost:
                continue
            self.tell(int(np.searchsorted(eligible, after, "right")), len(eligible))
        return await self._embed_late_rows()

    async def _find_eligible(self) -> Ints:
        """Return which memories are to be embedded."""
        request = SnapshotRequest(frozenset({"status"}))
        snapshot = await self.core.store.snapshot(self.core.scope, request, self.core.clock.now())
        seqs: Ints = snapshot.seq[np.isin(snapshot.columns["status"], extra_vectors.EMBEDDED)]
        return seqs

    async def _embed_next(self, fence: Fence) -> tuple[bool, int]:
        """Embed what follows and keep how far it came; return whether more may follow, and after which memory."""
        going = await under_way(self.core)
        if going is None or going["name"] != self.model.name:
            return False, 0  # another process has come to the end, or changes to another one
        query = Find(extra_vectors.EMBEDDED, after=going["after"], limit=WRITTEN_AT_ONCE, oldest_first=True)
        memories = await self.core.store.find(self.core.scope, query)
        if not memories:
            return False, going["after"]
        await self._embed_memories(memories, fence)
        after = {**going, **encode_model(self.model), "after": memories[-1].seq}
        request = Bookkeeping(self.core.clock.now(), put={UNDER_WAY: after}, fence=fence)
        await self.core.store.bookkeep(self.core.scope, request)
        return len(memories) == WRITTEN_AT_ONCE, memories[-1].seq

    async def _embed_memories(self, memories: Sequence[Memory], fence: Fence) -> None:
        """Embed those that have no vector of the model yet."""
        seqs = [memory.seq for memory in memories]
        vector_seqs, _ = await self.core.store.vectors(self.core.scope, only=seqs, model=self.model.name)
        have = set(vector_seqs.tolist())
        missing = [memory for memory in memories if memory.seq not in have]
        if missing:
            self.memories += await keep(self.core, self.model, missing, self.spending, fence)

    async def _embed_late_rows(self) -> str:
        """Embed what was written behind the cursor meanwhile; what comes later waits for consolidation."""
        for _ in range(ROUNDS_MAX):
            vector_seqs, _vectors = await self.core.store.vectors(self.core.scope, model=self.model.name)
            missing = np.setdiff1d(await self._find_eligible(), vector_seqs).tolist()
            for start in range(0, len(missing), WRITTEN_AT_ONCE):
                if waits := await self.spending.waits():
                    return waits
                await self._catch_up(missing[start : start + WRITTEN_AT_ONCE])
            if not missing:
                break
        return ""

    async def _catch_up(self, seqs: Sequence[int]) -> None:
        """Embed some memories, unless another process has come to the end."""
        async with _hold_step(self.core) as fence:
            going = await under_way(self.core)
            if going is not None and going["name"] == self.model.name:
                rows = await self.core.store.get(self.core.scope, seqs)
                await self._embed_memories([one for one in rows if one is not None], fence)


async def _switch_model(core: Core, model: Model | None) -> None:
    """Let another model answer from now on, in one step; a recall under way ends with the one that it began with."""
    async with _hold_step(core) as fence:
        row, going = await read_answering_model(core), await under_way(core)
        if model is not None and not answers(row, model) and (going is None or going["name"] != model.name):
            raise StoreUnavailable(
                f"another process changes the model too, to {format_value(None if going is None else going['name'])}",
                recovery="let it come to its end, then change the model again",
            )
        put: dict[str, Any] = {UNDER_WAY: None}
        if not answers(row, model):
            put[MODEL] = None if model is None else encode_model(model)
            if row is not None:
                put[extra_vectors.GONE + row["name"]] = True
        await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), put=put, fence=fence))
    if core.model is not model:
        core.others = [one for one in (*core.others, core.model) if one is not None and one is not model]
        core.model = model
