"""The entities of a scope by their names and keys: read once, then following the change sequence.

A cache that can be thrown away; knows nothing of what makes two names one.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from remanence.core.model import STANDING, Memory
from remanence.read.entity import CATEGORY, THREAD, folded_name, is_entity, names_of
from remanence.store.base import Find, Store

PAGE = 1_000
PATCH_MAX = 5_000  # beyond so many changed memories reading anew is the cheaper


@dataclass
class EntityIndex:
    """All entities, of every status; `position` is that of the change sequence."""

    store: Store
    scope: str
    position: int = -1
    memories: dict[int, Memory] = field(default_factory=dict)
    kept: dict[int, tuple[tuple[int, int], Any]] = field(
        default_factory=dict
    )  # derived at a position, on a day
    _names: dict[str, set[int]] = field(default_factory=dict)
    _keys: dict[str, int] = field(default_factory=dict)
    _firsts: frozenset[str] | None = None
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def refresh(self) -> None:
        """Catch up with the change sequence."""
        async with self._turn:
            if self.position < 0 or not await self._apply_changes():
                await self._read_entities()

    def find_by_name(self, name: str) -> list[Memory]:
        """Return the entities that stand and bear a folded name, the oldest first."""
        return self._filter_standing(self._names.get(name, ()))

    def list_standing(self) -> list[Memory]:
        """Return the entities that stand, the oldest first."""
        return self._filter_standing(self.memories)

    def find_by_key(self, key: str) -> Memory | None:
        """Return the entity of a key, whatever its status."""
        seq = self._keys.get(key)
        return None if seq is None else self.memories.get(seq)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    @property
    def first_words(self) -> frozenset[str]:
        """Return the words that names begin with."""
        if self._firsts is None:
            self._firsts = frozenset(name.split(" ")[0] for name in self._names)
        return self._firsts

    def _filter_standing(self, seqs: Iterable[int]) -> list[Memory]:
        return [one for seq in sorted(seqs) if (one := self.memories[seq]).status in STANDING]

    async def _read_entities(self) -> None:
        self.memories, self._names, self._keys, self._firsts = {}, {}, {}, None
        self.kept.clear()
        # What is written meanwhile is read again with the next look.
        self.position = (await self.store.search(self.scope, [])).position
        after = 0
        while True:
            query = Find(
                equal={"category": CATEGORY, "thread": THREAD}, after=after, limit=PAGE, oldest_first=True
            )
            page = await self.store.find(self.scope, query)
            self._take_entities(page)
            if len(page) < PAGE:
                return
            after = page[-1].seq

    async def _apply_changes(self) -> bool:
        """Take over what changed since; return False where reading anew is due."""
        changed_seqs: set[int] = set()
        position = self.position
        while page := await self.store.history(self.scope, after=position, limit=PAGE):
            if any(part.ended_at is not None for part in page):
                return False
            entries = [entry for part in page for entry in part.entries if entry.table == "memories"]
            changed_seqs.update(seq for entry in entries for seq in entry.row_keys())
            position = page[-1].position
            if len(changed_seqs) > PATCH_MAX:
                return False
        rows = await self.store.get(self.scope, sorted(changed_seqs)) if changed_seqs else []
        for seq in changed_seqs & self.memories.keys():
            memory = self.memories[seq]
            del self.memories[seq]
            for name in map(folded_name, names_of(memory)):
                self._names[name].discard(seq)
                if not self._names[name]:
                    del self._names[name]
            self._keys.pop(memory.key or "", None)
            self._firsts = None
        self._take_entities([one for one in rows if one is not None])
        self.position = position
        return True

    def _take_entities(self, memories: Sequence[Memory]) -> None:
        for memory in filter(is_entity, memories):
            self.memories[memory.seq] = memory
            for name in map(folded_name, names_of(memory)):
                self._names.setdefault(name, set()).add(memory.seq)
            if memory.key is not None:
                self._keys[memory.key] = memory.seq
            self._firsts = None
