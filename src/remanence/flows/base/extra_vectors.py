"""The model whose vectors stand beside those that memories come with: which it is, what it has embedded yet.

Its vectors follow from texts: no audit holds them, and recall does without them wherever they are missing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from remanence.core.arrival import WriteContext
from remanence.core.change import Fence
from remanence.core.clock import SECOND
from remanence.core.errors import EmbedderError, LeaseLost, StoreDamaged, StoreIncompatible, format_value
from remanence.core.model import Memory, Status
from remanence.flows.base.async_embedder import Model
from remanence.flows.base.context import Core, hold_lease
from remanence.flows.base.spending import EMBEDDER, Spending
from remanence.flows.base.steps import Settling
from remanence.store.base import Arriving, Bookkeeping, EmbeddingRow

MODEL = "model"  # the bookkeeping's name for which model's vectors answer
WRITTEN = (
    "embedded/"  # what the counters of vectors begin with that were ever written; the model's name follows
)
GONE = (
    "model_gone/"  # what the names of models begin with that answer no more and whose vectors are still here
)
STEP = "vectors"
BY_MODEL = "embedded by the model"
LEASE_NAME = "model"
LEASE = 10 * SECOND  # longer than most batches take; who is slower writes all the same, unless another began
WRITTEN_AT_ONCE = 256  # so many memories are read and their vectors written together; a kill loses no more
# What recall may return and nobody may still change the status of by consolidating.
EMBEDDED = (Status.ACTIVE, Status.SUPERSEDED, Status.ARCHIVED)

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class QuestionVector:
    """A question as a model has it: whose vector it is, and how many vectors were ever written of that model.

    Without a `vector`, `without` says why where a model was to answer.
    """

    model: str | None = None
    written: int = 0
    vector: Vector | None = None
    without: str = ""

    @property
    def arm(self) -> tuple[str, int] | None:
        """What the index is to keep for it."""
        return None if self.model is None or self.vector is None else (self.model, self.written)


@dataclass(frozen=True, slots=True)
class EmbedMissingResult:
    """How many memories got vectors of the model, and why not all that were to."""

    memories: int = 0
    left: str = ""


async def settle(core: Core) -> None:
    """Refuse a model other than the one whose vectors are here; the first one that is named stays."""
    if core.model is None:
        return
    record = await read_answering_model(core)
    if record is None:
        await core.store.bookkeep(
            core.scope, Bookkeeping(core.clock.now(), swap={MODEL: (None, encode_model(core.model))})
        )
        record = await read_answering_model(core)
    refuse_other(record, core.model)


def encode_model(model: Model) -> dict[str, Any]:
    """Return what is kept of a model."""
    return {"name": model.name, "dimensions": model.dimensions, "given": model.asked_for}


async def read_answering_model(core: Core) -> dict[str, Any] | None:
    """Return which model's vectors answer; None where none do."""
    return (await _read_model_record(core))[0]


async def _read_model_record(
    core: Core, known: WriteContext | None = None
) -> tuple[dict[str, Any] | None, int]:
    """Return which model's vectors answer, and how many were ever written: as `known` says, where that is given."""
    if known is None:
        known = await core.store.arriving(core.scope, Arriving(get=(MODEL,), counters=(WRITTEN,)))
    record = known.values.get(MODEL)
    if record is not None and not (isinstance(record, dict) and isinstance(record.get("name"), str)):
        raise StoreDamaged(
            f"which model's vectors answer is not to be read: {format_value(record)}",
            recovery="run `doctor`, then go back to the latest backup",
        )
    return record, 0 if record is None else known.counters.get(WRITTEN + record["name"], 0)


def refuse_other(known: dict[str, Any] | None, model: Model) -> None:
    """Refuse to mix the vectors of two models."""
    if known is None:
        return
    lengths = {known["dimensions"], model.dimensions} - {None}
    if known["name"] != model.name or len(lengths) > 1:
        here, mine = (
            f"{format_value(name)} ({'?' if length is None else length} numbers)"
            for name, length in ((known["name"], known["dimensions"]), (model.name, model.dimensions))
        )
        raise StoreIncompatible(
            f"this memory is embedded by the model {here}, not by {mine}: vectors of two are never mixed",
            recovery=f"open it with that one{_render_embedder_option(known)}, or change to the new one: open it without"
            f" a model, then `remanence reembed {model.asked_for or 'EMBEDDER'}` or `memory.reembed(…)`",
        )


def answers(known: dict[str, Any] | None, model: Model | None) -> bool:
    """Tell whether a model's vectors answer; None for those of memories alone."""
    return (None if known is None else known["name"]) == (None if model is None else model.name)


def _render_embedder_option(known: dict[str, Any]) -> str:
    option = known.get("given")
    return f" (`--embedder {option}`)" if option else ""


async def embed_question(core: Core, question: str, known: WriteContext | None = None) -> QuestionVector:
    """Put a question to the model, if there is one that answers here.

    `known` is of the scope, with its value `MODEL` and its counters under `WRITTEN`, for who has just read them.
    """
    if core.model is None:
        return QuestionVector()
    record, count = await _read_model_record(core, known)
    name = None if record is None else record["name"]
    model = next((one for one in (core.model, *core.others) if one.name == name), None)
    if model is None:
        now = "by no model" if name is None else f"by {format_value(name)}"
        mine = format_value(core.model.name)
        return QuestionVector(without=f"this memory is embedded {now} by now, not by {mine}: open it anew")
    if not count:
        return QuestionVector(without=f"nothing is embedded yet by {format_value(model.name)}: consolidate")
    embeddings = await model.question(question)
    if embeddings is None:
        return QuestionVector(without=model.failure)
    if embeddings.tokens_used:
        await Spending(core, EMBEDDER).book(1, embeddings.tokens_used)
    return QuestionVector(model.name, count, embeddings.vectors)


async def embed_missing(settled: Settling) -> Mapping[str, int]:
    """Have the model embed what it has not yet, as a step of a consolidation."""
    outcome = await fill(settled.core, settled.stopped)
    if outcome.left:
        settled.failed.append(f"{STEP}: {outcome.left}")
    return {BY_MODEL: outcome.memories}


async def fill(core: Core, stopped: Callable[[], bool] = lambda: False) -> EmbedMissingResult:
    """Embed by the model what has no vector of it yet; what fails is told, and tried again the next time."""
    model = core.model
    if model is None:
        return EmbedMissingResult()
    record, count = await _read_model_record(core)
    if record is None or record["name"] != model.name:
        return EmbedMissingResult(left=(await embed_question(core, "")).without)
    missing = await _find_missing_seqs(core, (model.name, count))
    spending, total = Spending(core, EMBEDDER), 0
    for start in range(0, len(missing), WRITTEN_AT_ONCE):
        if stopped():
            break
        if waits := await spending.waits():
            return EmbedMissingResult(total, waits)
        try:
            batch_count = await _embed_memories(
                core, model, missing[start : start + WRITTEN_AT_ONCE], spending
            )
        except EmbedderError as error:
            return EmbedMissingResult(total, str(error))
        if batch_count is None:
            return EmbedMissingResult(total, "another process embeds")
        total += batch_count
    return EmbedMissingResult(total)


async def _embed_memories(core: Core, model: Model, seqs: Sequence[int], spending: Spending) -> int | None:
    """Embed some memories and return how many; None where another process embeds."""
    try:
        async with hold_lease(core, LEASE_NAME, LEASE) as fence:
            if fence is None or not answers(await read_answering_model(core), model):
                return None
            await take_away(core, fence)
            memories = [one for one in await core.store.get(core.scope, seqs) if one is not None]
            return await keep(core, model, memories, spending, fence)
    except LeaseLost:
        return None


async def count_unembedded(core: Core) -> int:
    """Count the memories that the model has not embedded yet; 0 where it does not answer here."""
    record, count = await _read_model_record(core)
    if core.model is None or record is None or record["name"] != core.model.name:
        return 0
    return len(await _find_missing_seqs(core, (core.model.name, count)))


async def _find_missing_seqs(core: Core, arm: tuple[str, int]) -> list[int]:
    """Return, ascending, the memories that have no vector of a model yet."""
    async with core.index.hold_rows(core.clock.now(), model=arm):
        seqs: list[int] = core.index.without_model(EMBEDDED).tolist()
    return seqs


async def take_away(core: Core, fence: Fence) -> int:
    """Take away the vectors of models that answer no more; return how many."""
    books = await core.store.bookkeep(
        core.scope, Bookkeeping(core.clock.now(), under=(GONE,), get=(MODEL,), counters=(WRITTEN,))
    )
    answers, total = books.values.get(MODEL), 0
    for mark in [name for name in books.values if name.startswith(GONE)]:
        name = mark.removeprefix(GONE)
        counts: dict[str, int] = {}
        if answers is None or answers["name"] != name:
            while batch_count := await core.store.embed(core.scope, name, None, fence=fence):
                total += batch_count
            counts = {WRITTEN + name: -books.counters.get(WRITTEN + name, 0)}
        request = Bookkeeping(core.clock.now(), put={mark: None}, count=counts, fence=fence)
        await core.store.bookkeep(core.scope, request)
    return total


async def keep(core: Core, model: Model, memories: Sequence[Memory], spending: Spending, fence: Fence) -> int:
    """Embed memories and keep their vectors, all or none; return how many."""
    rows: list[EmbeddingRow] = []
    for start in range(0, len(memories), model.batch_max):
        some = memories[start : start + model.batch_max]
        try:
            embeddings = await model.embed([memory.text for memory in some])
        except EmbedderError as error:
            if error.tokens_used:
                await spending.book(1, error.tokens_used)
            raise
        if embeddings.tokens_used:
            await spending.book(1, embeddings.tokens_used)
        vectors = embeddings.vectors.astype("<f2")
        rows += [
            EmbeddingRow(memory.seq, memory.fingerprint, vector.tobytes())
            for memory, vector in zip(some, vectors, strict=True)
        ]
    # Together, since others tell by the count that there are new ones, whatever becomes of this process.
    count = {WRITTEN + model.name: len(rows)}
    return await core.store.embed(core.scope, model.name, rows, fence=fence, count=count)
