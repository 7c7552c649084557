"""LangGraph's store over this memory: each item is one memory, its value whole beside the text that says it.

What is deleted leaves a tombstone, so `undo`, `restore` and `history` know it; only `erase` erases. Written for
langgraph-checkpoint 4.3.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self, cast

from remanence import sync
from remanence.core.arguments import check_attributes
from remanence.core.attributes import LONG_CHARS
from remanence.core.clock import MINUTE, TIME_MAX, to_datetime
from remanence.core.errors import InvalidInput, format_value
from remanence.core.keywords import ATTRIBUTE
from remanence.core.model import Memory, Reason, Status, Trust
from remanence.engine import Engine
from remanence.flows.base.context import LISTED_MAX
from remanence.flows.recall.counting import CUT
from remanence.integrations import store_items
from remanence.integrations.engine_calls import AnyEngine, EngineCalls, Work
from remanence.integrations.framework_versions import require_framework
from remanence.integrations.own_items import (
    LOG,
    find_trust,
    forget_own,
    is_own,
    is_protected,
    list_own,
    prolong_own,
    put_own,
    read_named,
    refuse_protected,
)
from remanence.write.imported import ImportedTurn

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
_NAMESPACE, _KEY, _VECTORS, _TTL = "namespace", "key", "vectors", "ttl"
_VALUE = "value."  # what the attribute of a field of the value begins with
_STANDING = (Status.INBOX, Status.ACTIVE, Status.ARCHIVED)
_THERE = (*_STANDING, Status.SUPERSEDED)  # what was merged among it
_RECALLED_MAX, _BUDGET = 1_000, 1_000_000
_NARROWED_MAX = 32  # fields of a filter that the engine is asked for; the rest is compared here
_DIGITS = 7  # of a number in a vector: what 32 bits hold
_WHOLE = "$"  # the path of a value as a whole
_ALL = SearchOp(())
Vectors = Mapping[str, Sequence[float]]  # by the text that they are of
_Embedded = tuple[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class _StoredItem:
    """A memory that is an item, and how many minutes it lives; None for ever. What it holds until says when it ends."""

    memory: Memory
    namespace: tuple[str, ...]
    key: str
    value: dict[str, Any]
    vectors: Sequence[store_items.Vector]
    ttl: float | None

    @property
    def times(self) -> dict[str, Any]:
        """When it was put first, and last."""
        last = max(self.memory.learned_at, self.memory.said_at)
        return {"created_at": to_datetime(self.memory.learned_at), "updated_at": to_datetime(last)}

    def is_over(self, now: int) -> bool:
        """Tell whether its life has ended."""
        return self.ttl is not None and self.memory.valid_to is not None and self.memory.valid_to <= now


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
    ) -> None:
        self.memory = memory
        self.index_config = index
        embed = None if index is None else index.get("embed")
        self.embeddings = None if embed is None else ensure_embeddings(embed)
        self.ttl_config = ttl
        self._calls = EngineCalls(memory)
        self._agent = agent
        self._swept_at = self._calls.now
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
        store = cls(sync.open(path, **opening), index=index, ttl=ttl, agent=agent)
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
        """Do operations: all that read first, as LangGraph's own stores do, then all puts in one commit."""
        asked = self._check_ops(ops)
        texts, queries = self._list_texts(asked)
        rows = self.embeddings.embed_documents(texts) if self.embeddings and texts else []
        questions = [self.embeddings.embed_query(one) for one in queries] if self.embeddings else []
        return self._calls.run_sync(
            self._prepare_work(asked, zip(texts, rows, strict=True), zip(queries, questions, strict=False))
        )

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations as `batch` does; cancelled, all puts are done or none."""
        asked = self._check_ops(ops)
        texts, queries = self._list_texts(asked)
        rows = await self.embeddings.aembed_documents(texts) if self.embeddings and texts else []
        questions = [await self.embeddings.aembed_query(one) for one in queries] if self.embeddings else []
        return await self._calls.run(
            self._prepare_work(asked, zip(texts, rows, strict=True), zip(queries, questions, strict=False))
        )

    def sweep_ttl(self) -> int:
        """Forget what has expired; return how much it was."""
        return self._calls.run_sync(self._sweep_expired)

    async def asweep_ttl(self) -> int:
        """Forget what has expired; return how much it was."""
        return await self._calls.run(self._sweep_expired)

    # Before the engine is asked

    def _check_ops(self, ops: Iterable[Op]) -> list[Op]:
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
                check_attributes(op.value)
            _refuse_odd(op, self._calls.now)
        return asked

    def _find_said_fields(self, op: PutOp) -> Sequence[str] | None:
        """Return the paths of what of a value is said and embedded; None where nothing names any."""
        if op.index is not None:
            return [] if op.index is False else list(op.index)
        config = cast("Mapping[str, Any]", self.index_config or {})
        return config.get("fields") or config.get("text_fields")

    def _texts(self, op: PutOp) -> dict[str, str]:
        """Return the texts of a value by the paths that they stand at."""
        found: dict[str, str] = {}
        fields = self._find_said_fields(op)
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

    def _prepare_work(
        self, ops: Sequence[Op], rows: Iterable[_Embedded], questions: Iterable[_Embedded]
    ) -> Work[list[Result]]:
        """Return operations as work on an engine: what is put as turns, the last of each name, None for what goes."""
        vectors, queries = dict(rows), dict(questions)
        dims = cast("Mapping[str, Any]", self.index_config or {}).get("dims")
        odd = next((one for one in (*vectors.values(), *queries.values()) if dims and len(one) != dims), None)
        if odd is not None:
            raise InvalidInput(
                f"embed returned a vector of {len(odd)} numbers",
                recovery=f"the index says {dims}: say what it returns",
            )
        puts = {
            _name(op): None if op.value is None else self._say(op, vectors)
            for op in ops
            if isinstance(op, PutOp)
        }
        return partial(self._run, ops, puts, queries)

    def _say(self, op: PutOp, vectors: Vectors) -> ImportedTurn:
        """Return an item as a text to put: its fields beside it, with their vectors, and until when it lives."""
        value, name = op.value or {}, _name(op)
        texts = self._texts(op)
        rows = {
            path: [round(float(one), _DIGITS) for one in vectors[text]]
            for path, text in texts.items()
            if vectors
        }
        more = {_VECTORS: rows if self.embeddings else None, _TTL: op.ttl}
        ends = None if op.ttl is None else to_datetime(self._calls.now + _to_micros(op.ttl))
        is_whole = self._find_said_fields(op) in (None, [_WHOLE])
        return ImportedTurn(
            store_items.say_value(value, None if is_whole else list(texts.values()), name),
            key=name,
            agent=self._agent,
            role="assistant",
            source="langgraph store",
            tags=[TAG],
            attributes={
                _NAMESPACE: store_items.write_namespace(op.namespace),
                _KEY: store_items.encode(str(op.key)),
                **{_VALUE + field: one for field, one in value.items()},
                **{field: one for field, one in more.items() if one is not None},
            },
            valid_until=ends,
        )

    # In the engine's loop

    async def _run(
        self,
        ops: Sequence[Op],
        puts: Mapping[str, ImportedTurn | None],
        queries: Vectors,
        engine: Engine,
    ) -> list[Result]:
        minutes = (self.ttl_config or {}).get("sweep_interval_minutes")
        if minutes and self._calls.now >= self._swept_at + _to_micros(minutes):
            await self._sweep_expired(engine)
        read = self._build_reader(engine)
        named = await read_named(engine, [_name(op) for op in ops if isinstance(op, GetOp)])
        results: list[Result] = []
        for op in ops:
            if isinstance(op, GetOp):
                memory = named.get(_name(op))
                results.append(await self._get_item(engine, op, None if memory is None else read(memory)))
            elif isinstance(op, SearchOp):
                results.append(await self._search_items(engine, op, queries.get(op.query or "")))
            elif isinstance(op, ListNamespacesOp):
                results.append(await self._list_namespaces(engine, op))
            else:
                results.append(None)
        if puts:
            await self._put(engine, puts)
        return results

    async def _get_item(self, engine: Engine, op: GetOp, found: _StoredItem | None) -> Item | None:
        if found is None:
            return None
        if op.refresh_ttl:
            await self._refresh_items(engine, [found])
        return Item(value=found.value, key=str(op.key), namespace=op.namespace, **found.times)

    def _build_reader(self, engine: Engine, op: SearchOp = _ALL) -> Callable[[Memory], _StoredItem | None]:
        """Return what reads a memory as an item whose life goes on, where it is under a prefix and passes a filter."""
        now, prefix = self._calls.now, tuple(op.namespace_prefix)

        def read(memory: Memory) -> _StoredItem | None:
            one = _read_item(engine, memory)
            if one is None or one.is_over(now) or one.namespace[: len(prefix)] != prefix:  # * is a label here
                return None
            return one if store_items.passes(one.value, op.filter) else None

        return read

    async def _search_items(
        self, engine: Engine, op: SearchOp, vector: Sequence[float] | None
    ) -> list[SearchItem]:
        """Find items under a prefix: by cosine, by recall, or those put last first."""
        if min(op.limit, op.offset) < 0:
            raise InvalidInput(
                f"limit {op.limit} and offset {op.offset} must not be negative", recovery="pass 0 or more"
            )
        end = op.offset + op.limit
        scored: list[tuple[_StoredItem, float | None]]
        if vector is not None:
            scored = await self._compare(engine, op, vector)
        else:
            found = await (self._rank_items(engine, op, end) if op.query else self._list(engine, op, end))
            scored = [(one, None) for one in found]
        page = scored[op.offset : end]
        if op.refresh_ttl:
            await self._refresh_items(engine, [one for one, _ in page])
        return [
            SearchItem(namespace=one.namespace, key=one.key, value=one.value, score=score, **one.times)
            for one, score in page
        ]

    async def _compare(
        self, engine: Engine, op: SearchOp, vector: Sequence[float]
    ) -> list[tuple[_StoredItem, float | None]]:
        """Order the items under a prefix by cosine, those behind that have no vector to compare with."""
        found = await self._list(engine, op)
        scored = [(one, store_items.best_cosine(vector, one.vectors)) for one in found]
        odd = sum(score is None and len(one.vectors) > 0 for one, score in scored)
        if odd:
            LOG.warning(
                "%d of %d items have vectors of another length than %d, which `embed` returns now: put them again",
                *(odd, len(scored), len(vector)),
            )
        return sorted(scored, key=lambda pair: -2.0 if pair[1] is None else pair[1], reverse=True)

    async def _rank_items(self, engine: Engine, op: SearchOp, enough: int) -> list[_StoredItem]:
        """List items under a prefix in the order of recall, whose scores are no cosines, then the rest."""
        filters = {"tags": [TAG], **await self._build_criteria(engine, op)}
        answer = await engine.recall(
            op.query or "",
            # What is not returned is not used; what a filter leaves of more nobody knows before.
            limit=_RECALLED_MAX if op.filter else max(1, min(enough, _RECALLED_MAX)),
            count_use=not op.filter,
            budget=_BUDGET,
            filters=filters,
            agent=self._agent,
        )
        read = self._build_reader(engine, op)
        found = {hit.memory.seq: one for hit in answer if (one := read(hit.memory)) is not None}
        if len(found) < enough:
            found |= {
                one.memory.seq: one for one in await self._list(engine, op) if one.memory.seq not in found
            }
        return list(found.values())[:enough]

    async def _list(self, engine: Engine, op: SearchOp, enough: int | None = None) -> list[_StoredItem]:
        """List the items under a prefix that pass a filter, those changed last first."""
        read = self._build_reader(engine, op)
        found = [one for one in await self._list_corrected(engine) if read(one.memory) is not None]
        asked = {"order": "updated_at", "filters": await self._build_criteria(engine, op)}
        return (found + await list_own(engine, TAG, _THERE, read, enough=enough, **asked))[:enough]

    async def _build_criteria(self, engine: Engine, op: SearchOp) -> dict[str, Any]:
        """Return the engine's filters for the items under a prefix, and for what of a filter it can compare."""
        written = store_items.write_namespace(op.namespace_prefix)[:LONG_CHARS]
        under: dict[str, Any] = {
            _name_attribute(_NAMESPACE): {"prefix": written} if written else {"not": None}
        }
        for key, one in list(store_items.narrow(op.filter).items())[:_NARROWED_MAX]:
            field = _name_attribute(_VALUE + key)
            is_number = isinstance(one, dict) and not isinstance(next(iter(one.values())), str)
            if is_number and await _count_met(engine, field, [True, False]):
                continue  # to Python True is more than 0, to the engine it is no number
            # Where no value can be compared none passes: only what has no such field is read.
            under[field] = one if await _count_met(engine, field, one) is not None else None
        return under

    async def _list_namespaces(self, engine: Engine, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        plain = (one.path for one in conditions if one.match_type == "prefix" and "*" not in one.path)
        under = await self._build_criteria(engine, SearchOp(tuple(next(plain, ()))))
        found = {one.namespace for one in await self._list_corrected(engine)}
        for written in await self._count_namespaces(engine, under):
            namespace = store_items.read_namespace(written.removesuffix(CUT))
            if written.endswith(CUT):
                found |= {one.namespace for one in await self._list(engine, SearchOp(namespace))}
            elif written.endswith("."):
                found.add(namespace)
        for one in conditions:
            matches = store_items.lies_under if one.match_type == "prefix" else store_items.ends_in
            found = {namespace for namespace in found if matches(namespace, one.path)}
        depth = op.max_depth
        return sorted({one[:depth] for one in found})[op.offset : op.offset + op.limit]

    async def _count_namespaces(self, engine: Engine, under: Mapping[str, Any]) -> set[str]:
        """Return which namespaces have an item whose life goes on, as they are written; of a long one the beginning."""
        trust = [one for one in Trust if one >= find_trust(engine)]
        is_over = {
            _name_attribute(_TTL): {"not": None},
            "valid_to": {"lte": to_datetime(self._calls.now)},
        }
        found: set[str] = set()
        for status in ({"status": [*_STANDING]}, {"status": "superseded", "reason": "merged"}):
            filters = {"tags": [TAG], "trust": trust, **status, **under}
            every, over = [
                {
                    str(one.value): one.memories
                    for one in (
                        await engine.count(_name_attribute(_NAMESPACE), filters=some, limit=LISTED_MAX)
                    ).values
                }
                for some in (filters, {**filters, **is_over})
            ]
            found |= {written for written, count in every.items() if count > over.get(written, 0)}
        return found

    async def _list_corrected(self, engine: Engine) -> list[_StoredItem]:
        """List what was corrected outside of the store; of a name that was cut nothing tells the namespace."""
        filters = {_name_attribute(_NAMESPACE): None}
        if not (await engine.count(filters={"tags": [TAG], "status": [*_THERE], **filters})).total:
            return []
        found = await list_own(engine, TAG, _THERE, partial(_read_item, engine), filters=filters)
        return [one for one in found if one.namespace]

    async def _put(self, engine: Engine, puts: Mapping[str, ImportedTurn | None]) -> None:
        """Store and forget items in one run; refuse to put over what is none, or is protected."""

        def look(here: Mapping[str, Memory]) -> list[str]:
            there = {name: memory for name, memory in here.items() if _is_there(memory)}
            items = {name for name, memory in there.items() if _read_item(engine, memory) is not None}
            for name, memory in there.items():
                if puts[name] is not None and name not in items:
                    raise InvalidInput(
                        f"the memory {name} is no item of this store",
                        recovery="put under another key, or forget that memory first",
                    )
                if name in items:
                    refuse_protected(engine, memory)
            return [name for name in items if puts[name] is None]

        turns = [turn for turn in puts.values() if turn is not None]
        await put_own(engine, turns, [name for name, turn in puts.items() if turn is None], look)

    async def _refresh_items(self, engine: Engine, found: Iterable[_StoredItem]) -> None:
        """Let what was read live as long again as it was given."""
        now = self._calls.now
        ends = {one.memory.id: now + _to_micros(one.ttl) for one in found if one.ttl is not None}
        await prolong_own(engine, ends)

    async def _sweep_expired(self, engine: Engine) -> int:
        """Forget what is over, but for what a person pinned or holds."""
        self._swept_at = now = self._calls.now
        filters = {_name_attribute(_TTL): {"not": None}, "valid_to": {"lte": to_datetime(now)}}
        found = await list_own(engine, TAG, _THERE, partial(_read_item, engine), filters=filters)
        over = [one.memory for one in found if one.is_over(now) and not is_protected(engine, one.memory)]
        return await forget_own(engine, over)


def _is_there(memory: Memory) -> bool:
    """Tell whether a memory is an item, also one that a policy archived, or merged with another of the same words.

    One whose name another memory has is none, nor is one that somebody said something else has the place of.
    """
    is_merged = memory.status is Status.SUPERSEDED and memory.reason is Reason.MERGED
    return memory.key is not None and (is_merged or memory.status in _STANDING)


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


def _name(op: GetOp | PutOp) -> str:
    return store_items.name_item(op.namespace, str(op.key))


def _name_attribute(name: str) -> str:
    return f"{ATTRIBUTE}{name}"


async def _count_met(engine: Engine, attribute: str, wanted: Any) -> int | None:
    """Count the memories whose attribute will do; None where it has values, but none that can be compared."""
    try:
        return (await engine.count(filters={attribute: wanted, "status": "any"})).total
    except InvalidInput:
        return None


def _read_item(engine: Engine, memory: Memory) -> _StoredItem | None:
    """Read a memory as an item; one that was corrected outside of the store has its words alone.

    None for what imitates one from outside, and for what only has the tag: no namespace and key, or a life that is no
    number of minutes.
    """
    if not _is_there(memory) or not is_own(engine, TAG, memory):
        return None
    kept, name = memory.attributes or {}, memory.key or ""
    if _NAMESPACE not in kept:
        words = {"text": memory.text}
        return _StoredItem(memory, *store_items.read_name(name), words, (), None) if "/" in name else None
    written, key, ttl = kept[_NAMESPACE], kept.get(_KEY), kept.get(_TTL)
    if not (isinstance(written, str) and isinstance(key, str)):
        return None
    if not (ttl is None or _is_life(ttl, memory.learned_at)):
        return None
    return _StoredItem(
        memory,
        store_items.read_namespace(written),
        store_items.decode(key),
        {one.removeprefix(_VALUE): value for one, value in kept.items() if one.startswith(_VALUE)},
        store_items.read_vectors(kept.get(_VECTORS)),
        ttl,
    )


def _is_life(ttl: Any, now: int) -> bool:
    """Tell whether something is a number of minutes, none negative, whose end is a time that a memory can have."""
    is_number = isinstance(ttl, int | float) and not isinstance(ttl, bool)
    return is_number and ttl >= 0 and now + ttl * MINUTE < TIME_MAX


def _to_micros(minutes: float) -> int:
    return round(minutes * MINUTE)
