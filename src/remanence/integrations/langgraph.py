"""LangGraph's store over this memory: each item is one memory, its value whole beside the text that says it.

What is deleted leaves a tombstone, so `undo`, `restore` and `history` know it; only `erase` erases. Written for
langgraph-checkpoint 4.3.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, cast

from remanence import sync
from remanence.core.arguments import check_attributes
from remanence.core.clock import MINUTE, TIME_MAX, Clock, SystemClock, to_datetime
from remanence.core.errors import Conflict, InvalidInput, NotFound, format_value
from remanence.core.model import STANDING, LearnResult, Memory, Reason, Status
from remanence.engine import Engine
from remanence.integrations import store_items
from remanence.integrations.engine_calls import AnyEngine, EngineCalls
from remanence.integrations.framework_versions import require_framework
from remanence.integrations.own_items import is_believed, refuse_protected

require_framework("langgraph-checkpoint", "4.3", "langgraph")

from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    ensure_embeddings,
    get_text_at_path,
    tokenize_path,
    validate_op_namespace,
)

TAG = "store-item"
_NAMESPACE, _KEY, _VALUE, _VECTORS, _TTL = "namespace", "key", "value", "vectors", "ttl"
_THERE = (Status.INBOX, Status.ACTIVE, Status.SUPERSEDED, Status.ARCHIVED)
_PAGE = 1_000
_PREFIX_CHARS = 64  # that the engine compares; the rest is compared here
_RECALLED_MAX, _BUDGET = 1_000, 1_000_000
_DIGITS = 7  # of a number in a vector: what 32 bits hold
_WHOLE = "$"  # the path of a value as a whole
Vectors = Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class _StoredItem:
    """A memory that is an item, and when it expires; None for never."""

    memory: Memory
    namespace: tuple[str, ...]
    key: str
    value: dict[str, Any]
    vectors: Sequence[Sequence[float]]
    expires_at: int | None

    @property
    def times(self) -> dict[str, Any]:
        """When it was put first, and last."""
        last = max(self.memory.learned_at, self.memory.said_at)
        return {"created_at": to_datetime(self.memory.learned_at), "updated_at": to_datetime(last)}


@dataclass(frozen=True, slots=True)
class _Put:
    """What a PutOp stores: checked, said and embedded before the engine is asked."""

    op: PutOp
    name: str
    text: str = ""
    vectors: Vectors | None = None


@dataclass(frozen=True, slots=True)
class _Batch:
    """Operations as they will be done: what is put, the last of each key, and the vectors of what is asked."""

    ops: Sequence[Op]
    puts: Sequence[_Put]
    queries: Mapping[str, Sequence[float]]


class RemanenceStore(BaseStore):
    """A store of namespaces, keys and JSON over a memory that `remanence.sync.open` or `remanence.open` returned.

    A plain memory may be used from any thread and loop, by `batch` and `abatch` alike; an async one by `abatch`, in its
    own loop. `index` says which fields are said as text, and by which `embed` they are compared; without `embed` what
    is asked is ranked by recall. `ttl` is as in LangGraph, in minutes; what has expired is not returned, and forgotten
    by the next sweep.
    """

    supports_ttl = True
    __slots__ = (
        "_agent",
        "_calls",
        "_clock",
        "_is_ours",
        "_swept_at",
        "embeddings",
        "index_config",
        "memory",
        "ttl_config",
    )

    def __init__(
        self,
        memory: AnyEngine,
        *,
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
        agent: str = "langgraph",
        clock: Clock | None = None,
    ) -> None:
        self.memory = memory
        self.index_config = index
        embed = None if index is None else index.get("embed")
        self.embeddings = None if embed is None else ensure_embeddings(embed)
        self.ttl_config = ttl
        self._calls = EngineCalls(memory)
        self._agent = agent
        self._clock = clock or SystemClock()
        self._swept_at = self._clock.now()
        self._is_ours = False

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
        agent: str = "langgraph",
        **opening: Any,
    ) -> Self:
        """Open a memory of its own, at once; `opening` are the other arguments of `remanence.open`. Close it."""
        store = cls(sync.open(path, **opening), index=index, ttl=ttl, agent=agent, clock=opening.get("clock"))
        store._is_ours = True
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the memory that `open` opened; one that was passed in is left open."""
        if self._is_ours:
            self.memory.close()

    @staticmethod
    def name_of(namespace: tuple[str, ...], key: str) -> str:
        """Return the key by which `memory` has an item: for `get`, `history`, `restore`, `pin` and `erase`."""
        return store_items.name_item(namespace, key)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations: all that read first, as LangGraph's own stores do; each put is a commit."""
        asked = self._check(ops)
        texts, queries = self._list_texts(asked)
        vectors = self.embeddings.embed_documents(texts) if self.embeddings and texts else []
        questions = [self.embeddings.embed_query(one) for one in queries] if self.embeddings else []
        prepared = self._prepare(
            asked, dict(zip(texts, vectors, strict=True)), dict(zip(queries, questions, strict=False))
        )
        return self._calls.run_sync(lambda engine: self._run(engine, prepared))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations as `batch` does; cancelled, what was begun to be written is finished."""
        asked = self._check(ops)
        texts, queries = self._list_texts(asked)
        vectors = await self.embeddings.aembed_documents(texts) if self.embeddings and texts else []
        questions = [await self.embeddings.aembed_query(one) for one in queries] if self.embeddings else []
        prepared = self._prepare(
            asked, dict(zip(texts, vectors, strict=True)), dict(zip(queries, questions, strict=False))
        )
        return await self._calls.run(lambda engine: self._run(engine, prepared))

    def sweep_ttl(self) -> int:
        """Forget what has expired; return how much it was."""
        return self._calls.run_sync(self._sweep)

    async def asweep_ttl(self) -> int:
        """Forget what has expired; return how much it was."""
        return await self._calls.run(self._sweep)

    # Before the engine is asked

    def _check(self, ops: Iterable[Op]) -> list[Op]:
        asked = list(ops)
        for op in asked:
            if not isinstance(op, GetOp | PutOp | SearchOp | ListNamespacesOp):
                raise InvalidInput(
                    f"{type(op).__name__} is no operation", recovery="pass operations of langgraph.store.base"
                )
            validate_op_namespace(op)
            if isinstance(op, PutOp) and op.value is not None:
                if not isinstance(op.value, Mapping):
                    raise InvalidInput(
                        f"a value must be a mapping, not {type(op.value).__name__}", recovery="pass a dict"
                    )
                check_attributes({_VALUE: op.value})
            _refuse_odd(op, self._clock.now())
        return asked

    def _fields(self, op: PutOp) -> Sequence[str] | None:
        """Return the paths of what of a value is said and embedded; None where nothing names any."""
        if op.index is not None:
            return [] if op.index is False else list(op.index)
        config = cast("Mapping[str, Any]", self.index_config or {})
        return config.get("fields") or config.get("text_fields")

    def _texts(self, op: PutOp) -> dict[str, str]:
        """Return the texts of a value by the paths that they stand at."""
        found: dict[str, str] = {}
        fields = self._fields(op)
        for path in [_WHOLE] if fields is None else fields:
            texts = get_text_at_path(op.value, path if path == _WHOLE else tokenize_path(path))
            found |= {path if len(texts) == 1 else f"{path}.{place}": one for place, one in enumerate(texts)}
        return found

    def _list_texts(self, ops: Sequence[Op]) -> tuple[list[str], list[str]]:
        """Return what has to be embedded, each text once: of values, and what is asked."""
        if self.embeddings is None:
            return [], []
        texts = {
            one
            for op in ops
            if isinstance(op, PutOp) and op.value is not None
            for one in self._texts(op).values()
        }
        return sorted(texts), sorted({op.query for op in ops if isinstance(op, SearchOp) and op.query})

    def _prepare(
        self,
        ops: Sequence[Op],
        vectors: Mapping[str, Sequence[float]],
        queries: Mapping[str, Sequence[float]],
    ) -> _Batch:
        dims = cast("Mapping[str, Any]", self.index_config or {}).get("dims")
        odd = next((one for one in (*vectors.values(), *queries.values()) if dims and len(one) != dims), None)
        if odd is not None:
            raise InvalidInput(
                f"embed returned a vector of {len(odd)} numbers",
                recovery=f"the index says {dims}: say what it returns",
            )
        last = {(op.namespace, str(op.key)): op for op in ops if isinstance(op, PutOp)}
        return _Batch(ops, [self._prepare_put(op, vectors) for op in last.values()], queries)

    def _prepare_put(self, op: PutOp, vectors: Mapping[str, Sequence[float]]) -> _Put:
        name = store_items.name_item(op.namespace, str(op.key))
        if op.value is None:
            return _Put(op, name)
        texts = None if self._fields(op) in (None, [_WHOLE]) else list(self._texts(op).values())
        said = store_items.say_value(op.value, texts, name)
        if self.embeddings is None:
            return _Put(op, name, said)
        rows = {
            path: [round(float(one), _DIGITS) for one in vectors[text]]
            for path, text in self._texts(op).items()
        }
        return _Put(op, name, said, rows)

    # In the engine's loop

    async def _run(self, engine: Engine, batch: _Batch) -> list[Result]:
        await self._sweep_when_due(engine)
        gets = [store_items.name_item(op.namespace, str(op.key)) for op in batch.ops if isinstance(op, GetOp)]
        named = await self._find_named(engine, gets)
        results: list[Result] = []
        for op in batch.ops:
            if isinstance(op, GetOp):
                results.append(await self._get(engine, op, named))
            elif isinstance(op, SearchOp):
                results.append(await self._search(engine, op, batch.queries))
            else:
                results.append(
                    await self._namespaces(engine, op) if isinstance(op, ListNamespacesOp) else None
                )
        present = {
            one.memory.key: one for one in await self._list_named(engine, [put.name for put in batch.puts])
        }
        await self._refuse_taken(engine, batch.puts, present)
        writing = asyncio.ensure_future(self._write(engine, batch.puts, present))
        try:
            await asyncio.shield(writing)  # once begun it is finished, also where nobody waits any more
        finally:
            await asyncio.wait([writing])
        return results

    async def _get(self, engine: Engine, op: GetOp, named: Mapping[str, _StoredItem]) -> Item | None:
        found = named.get(store_items.name_item(op.namespace, str(op.key)))
        if found is None:
            return None
        if op.refresh_ttl:
            await self._refresh(engine, [found])
        return Item(value=found.value, key=str(op.key), namespace=op.namespace, **found.times)

    async def _search(
        self, engine: Engine, op: SearchOp, queries: Mapping[str, Sequence[float]]
    ) -> list[SearchItem]:
        """Find items under a prefix: by cosine, by recall, or those put last first."""
        if min(op.limit, op.offset) < 0:
            raise InvalidInput(
                f"limit {op.limit} and offset {op.offset} must not be negative", recovery="pass 0 or more"
            )
        vector = queries.get(op.query or "")
        end = op.offset + op.limit
        found = await self._find_under(engine, op.namespace_prefix, op.filter, None if op.query else end)
        scored: list[tuple[_StoredItem, float | None]] = [(one, None) for one in found]
        if vector is not None:
            cosines = [(one, store_items.best_cosine(vector, one.vectors)) for one in found]
            scored = sorted(cosines, key=lambda pair: -2.0 if pair[1] is None else pair[1], reverse=True)
        elif op.query:
            places = await self._rank(engine, op)
            scored = sorted(scored, key=lambda pair: places.get(pair[0].memory.seq, len(places)))
        page = scored[op.offset : end]
        if op.refresh_ttl:
            await self._refresh(engine, [one for one, _ in page])
        return [
            SearchItem(namespace=one.namespace, key=one.key, value=one.value, score=score, **one.times)
            for one, score in page
        ]

    async def _rank(self, engine: Engine, op: SearchOp) -> dict[int, int]:
        """Return at which place recall has an item, by its number; its scores are no cosines and are not shown."""
        answer = await engine.recall(
            op.query or "",
            limit=_RECALLED_MAX,
            budget=_BUDGET,
            filters=_criteria(op.namespace_prefix),
            agent=self._agent,
        )
        return {hit.memory.seq: place for place, hit in enumerate(answer)}

    async def _namespaces(self, engine: Engine, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        prefix = next(
            (one.path for one in conditions if one.match_type == "prefix" and "*" not in one.path), ()
        )
        found = {one.namespace for one in await self._find_under(engine, tuple(prefix), None, None)}
        for one in conditions:
            matches = store_items.lies_under if one.match_type == "prefix" else store_items.ends_in
            found = {namespace for namespace in found if matches(namespace, one.path)}
        depth = op.max_depth
        return sorted({one[:depth] for one in found})[op.offset : op.offset + op.limit]

    async def _refuse_taken(
        self, engine: Engine, puts: Sequence[_Put], present: Mapping[str | None, _StoredItem]
    ) -> None:
        """Refuse to put over a memory that is no item of the store, or that a guard protects."""
        for put in puts:
            if put.op.value is None:
                continue
            item = present.get(put.name)
            with suppress(NotFound):  # who was faster may have put it since
                memory = await engine.get(put.name) if item is None else item.memory
                if not _is_there(memory):
                    continue
                if TAG not in memory.tags or not _read_items(engine, [memory]):
                    raise InvalidInput(
                        f"the memory {put.name} is no item of this store",
                        recovery="put under another key, or forget that memory first",
                    )
                refuse_protected(engine, memory)

    async def _write(
        self, engine: Engine, puts: Sequence[_Put], present: Mapping[str | None, _StoredItem]
    ) -> None:
        """Put and forget; where one is refused, those before it are taken back."""
        runs: list[str] = []
        is_done = False
        try:
            for put in puts:
                await self._put(engine, put, present.get(put.name), runs)
            is_done = True
        finally:
            for run in () if is_done else reversed(runs):
                with suppress(Conflict):  # somebody else has changed it since
                    await engine.undo(run)

    async def _put(self, engine: Engine, put: _Put, present: _StoredItem | None, runs: list[str]) -> None:
        """Store an item, bring it up to date, or forget it; note each run."""
        if put.op.value is None:
            if present is not None:
                runs.append((await engine.forget([present.memory.id])).run)
            return
        answer = await self._store(engine, put)
        if answer.run is None and answer.reason.endswith(f"restore {answer.seq}"):
            # It was out of sight by somebody's verdict; who puts it says that it holds.
            runs.append((await engine.forget([answer.id])).run)
            answer = await self._store(engine, put)
        if answer.run is not None:
            runs.append(answer.run)
        if answer.status in ("gated", "quarantined"):
            raise InvalidInput(
                f"the memory does not take {put.name}: {answer.reason}", recovery="put another text"
            )
        ttl = put.op.ttl
        if ttl is not None or (present is not None and present.memory.valid_to is not None):
            end = None if ttl is None else self._clock.now() + _micros(ttl)
            runs.append((await engine.update(answer.id, valid_to=end)).run)

    async def _store(self, engine: Engine, put: _Put) -> LearnResult:
        more = {_VECTORS: put.vectors, _TTL: put.op.ttl}
        attributes = {
            _NAMESPACE: store_items.write_namespace(put.op.namespace),
            _KEY: store_items.encode(str(put.op.key)),
            _VALUE: put.op.value,
            **{name: value for name, value in more.items() if value is not None},
        }
        return await engine.put(
            put.name,
            put.text,
            agent=self._agent,
            role="assistant",
            source="langgraph store",
            tags=[TAG],
            attributes=attributes,
        )

    async def _find_named(self, engine: Engine, names: Sequence[str]) -> dict[str, _StoredItem]:
        now = self._clock.now()
        found = await self._list_named(engine, names)
        return {one.memory.key or "": one for one in found if not _is_over(one, now)}

    async def _list_named(self, engine: Engine, names: Sequence[str]) -> list[_StoredItem]:
        found: list[_StoredItem] = []
        for name in dict.fromkeys(names):
            with suppress(NotFound):  # one by one: a key is found by an index, a list of keys is not
                memory = await engine.get(name)
                if _is_there(memory) and TAG in memory.tags:
                    found += _read_items(engine, [memory])
        return found

    async def _find_under(
        self, engine: Engine, prefix: tuple[str, ...], wanted: Mapping[str, Any] | None, enough: int | None
    ) -> list[_StoredItem]:
        """List the items under a prefix that pass a filter, those changed last first; no more than are `enough`."""
        now = self._clock.now()
        found = [
            one
            for one in await self._list_corrected(engine)
            if _lies_in(one, prefix) and store_items.passes(one.value, wanted)
        ]
        after: Memory | None = None
        size = _PAGE if enough is None or wanted else max(1, min(_PAGE, enough))
        while enough is None or len(found) < enough:
            page = await engine.list(
                filters=_criteria(prefix), status=_THERE, order="updated_at", limit=size, after=after
            )
            found += [
                one
                for one in _read_items(engine, page)
                if not _is_over(one, now)
                and _is_there(one.memory)
                and _VALUE in (one.memory.attributes or {})
                and _lies_in(one, prefix)
                and store_items.passes(one.value, wanted)
            ]
            if len(page) < size:
                break
            after = page[-1]
        return found[:enough]

    async def _list_corrected(self, engine: Engine) -> list[_StoredItem]:
        """List what was corrected outside of the store; of a name that was cut nothing tells the namespace."""
        filters = {"tags": [TAG], f"attributes.{_NAMESPACE}": None}
        found = _read_items(engine, await engine.list(filters=filters, status=_THERE, limit=_PAGE))
        return [one for one in found if one.namespace and _is_there(one.memory)]

    async def _refresh(self, engine: Engine, found: Iterable[_StoredItem]) -> None:
        """Let what was read live as long again as it was given."""
        for one in found:
            if one.expires_at is not None:
                ttl = (one.memory.attributes or {})[_TTL]
                await engine.update(one.memory.id, valid_to=self._clock.now() + _micros(ttl))

    async def _sweep_when_due(self, engine: Engine) -> None:
        minutes = (self.ttl_config or {}).get("sweep_interval_minutes")
        if minutes and self._clock.now() >= self._swept_at + _micros(minutes):
            await self._sweep(engine)

    async def _sweep(self, engine: Engine) -> int:
        self._swept_at = now = self._clock.now()
        due = [one.memory.id for one in await self._list_mortal(engine) if _is_over(one, now)]
        for start in range(0, len(due), _PAGE):
            await engine.forget(due[start : start + _PAGE])
        return len(due)

    async def _list_mortal(self, engine: Engine) -> list[_StoredItem]:
        found: list[_StoredItem] = []
        after: Memory | None = None
        while True:
            filters = {"tags": [TAG], f"attributes.{_TTL}": {"not": None}}
            page = await engine.list(filters=filters, status=_THERE, limit=_PAGE, after=after)
            found += _read_items(engine, page)
            if len(page) < _PAGE:
                return found
            after = page[-1]


def _is_there(memory: Memory) -> bool:
    """Tell whether a memory is an item, also one that a policy archived, or merged with another of the same words.

    One whose name another memory has is none, nor is one that somebody said something else has the place of.
    """
    is_merged = memory.status is Status.SUPERSEDED and memory.reason is Reason.MERGED
    return memory.key is not None and (is_merged or memory.status in (*STANDING, Status.ARCHIVED))


def _refuse_odd(op: Any, now: int) -> None:
    """Refuse a life that is no number of minutes, and a way to match that is not known."""
    ttl = getattr(op, "ttl", None)
    ways = [one.match_type for one in getattr(op, "match_conditions", None) or ()]
    odd = next((one for one in ways if one not in ("prefix", "suffix")), None)
    is_odd = ttl is not None and not _is_life(ttl, now)
    odd = ttl if is_odd else odd
    if is_odd or odd is not None:
        raise InvalidInput(
            f"{format_value(odd)} is neither minutes to live nor a way to match",
            recovery="pass minutes that end before 2255 as ttl, none negative, and match by 'prefix' or 'suffix'",
        )


def _criteria(prefix: tuple[str, ...]) -> dict[str, Any]:
    """Return the engine's filters for the items under a prefix; of a long one the beginning."""
    written = store_items.write_namespace(prefix)[:_PREFIX_CHARS]
    return {"tags": [TAG], **({f"attributes.{_NAMESPACE}": {"prefix": written}} if written else {})}


def _read_items(engine: Engine, memories: Iterable[Memory]) -> list[_StoredItem]:
    """Read memories as items; what imitates one from outside, or is not whole, is none."""
    believed = (_read_item(one) for one in memories if is_believed(engine, one))
    return [one for one in believed if one is not None]


def _read_item(memory: Memory) -> _StoredItem | None:
    """Read a memory as an item; one that was corrected outside of the store has its words alone.

    None for what only has the tag: no namespace, key or mapping, or a life that is no number of minutes.
    """
    kept = memory.attributes or {}
    name, ttl = memory.key or "", kept.get(_TTL)
    if _VALUE not in kept:
        words = {"text": memory.text}
        return _StoredItem(memory, *store_items.read_name(name), words, (), None) if "/" in name else None
    written, key, value = kept.get(_NAMESPACE), kept.get(_KEY), kept[_VALUE]
    if not (isinstance(written, str) and isinstance(key, str) and isinstance(value, dict)):
        return None
    if not (ttl is None or _is_life(ttl, memory.learned_at)):
        return None
    last = max(memory.learned_at, memory.said_at)
    return _StoredItem(
        memory,
        store_items.read_namespace(written),
        store_items.decode(key),
        dict(value),
        _read_vectors(kept.get(_VECTORS)),
        # Killed between the item and its end, the item has none yet.
        None if ttl is None else max(memory.valid_to or 0, last + _micros(ttl)),
    )


def _read_vectors(kept: Any) -> list[list[float]]:
    """Return the vectors of an item; none where something among them is no list of numbers."""
    rows = list(kept.values()) if isinstance(kept, dict) else []
    is_whole = all(isinstance(row, list) and all(isinstance(one, int | float) for one in row) for row in rows)
    return rows if is_whole else []


def _is_life(ttl: Any, now: int) -> bool:
    """Tell whether something is a number of minutes, none negative, whose end is a time that a memory can have."""
    is_number = isinstance(ttl, int | float) and not isinstance(ttl, bool)
    return is_number and ttl >= 0 and now + ttl * MINUTE < TIME_MAX


def _lies_in(item: _StoredItem, prefix: tuple[str, ...]) -> bool:
    """Tell whether an item is under a prefix, label by label; in a search * is a label like any other."""
    return item.namespace[: len(prefix)] == tuple(prefix)


def _is_over(item: _StoredItem, now: int) -> bool:
    return item.expires_at is not None and item.expires_at <= now


def _micros(minutes: float) -> int:
    return round(minutes * MINUTE)
