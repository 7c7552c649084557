"""Remanence by its public verbs, under its default policy.

Variants: `static` (its own vectors), `none` (words alone) and `given` (the vectors that the other systems get).
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import remanence.sync
from lifebench.adapter import HITS, Adapter, Unsupported, count_named
from remanence import ManualClock
from remanence.llm.base import SimilarityThresholds, Vectors, WordWeight

EMBEDDERS: dict[str, Any] = {"static": "auto", "none": "none"}
TRUST = {"user": "user", "model": "agent", "outside": "outside"}


class GivenEmbedder:
    """An embedder with the vectors of the adapter; the rarity of a word moves none of them."""

    name = "given"
    thresholds = SimilarityThresholds(similar=0.5, near=0.85)

    def __init__(self, adapter: Adapter) -> None:
        self._adapter, self.dimensions = adapter, adapter.dimensions

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:
        return np.array(self._adapter.embed(texts), np.float32).reshape(len(texts), -1)


class Memory(Adapter):
    """One file; a scope is a scope of its own."""

    _clock: ManualClock | None = None

    def open(self, folder: str) -> None:
        self._path = Path(folder) / "agent.db"
        self._engines: dict[str, Any] = {}
        self._last: tuple[str, Any] | None = None

    def close(self) -> None:
        for engine in self._engines.values():
            engine.close()
        self._engines.clear()

    def clock(self, now: float) -> None:
        moment = datetime.fromtimestamp(now, UTC)
        if self._clock is None:
            self._clock = ManualClock(moment)
        self._clock.set(moment)

    def _embedder(self) -> Any:
        return GivenEmbedder(self) if self.variant == "given" else EMBEDDERS[self.variant or "static"]

    def _engine(self, scope: str) -> Any:
        if scope not in self._engines:
            self._engines[scope] = remanence.sync.open(
                self._path,
                scope=scope,
                policy="default",
                clock=self._clock or "wall",
                embedder=self._embedder(),
            )
        return self._engines[scope]

    def write(self, text: str, scope: str, by: str, source: str) -> None:
        self._engine(scope).learn(text, trust=TRUST[by], source=source or None)

    def settle(self) -> None:
        for engine in self._engines.values():
            engine.consolidate()

    def rows(self, question: str, limit: int, scope: str) -> list[str]:
        return [hit.memory.text for hit in self._engine(scope).recall(question, limit=limit).memories]

    def prompt(self, question: str, tokens: int, scope: str) -> str:
        return str(self._engine(scope).recall(question, limit=200, budget=tokens).text)

    def _first(self, query: str, scope: str) -> list[Any]:
        return [hit.memory for hit in self._engine(scope).recall(query, limit=1).memories]

    def _named(self, query: str, scope: str) -> list[Any]:
        hits = self._engine(scope).recall(query, limit=HITS).memories
        return [hit.memory for hit in hits[: count_named([hit.score for hit in hits])]]

    def supersede(self, query: str, text: str, scope: str) -> None:
        for memory in self._first(query, scope):
            self._engine(scope).correct(memory, text)
            return
        self.write(text, scope, "user", "")

    def forget(self, query: str, scope: str) -> None:
        for memory in self._first(query, scope):
            self._last = scope, self._engine(scope).forget(memory)

    def erase(self, query: str, scope: str) -> None:
        self._erase(self._first(query, scope), scope)

    def _erase(self, memories: list[Any], scope: str) -> None:
        erase = self._engine(scope).erase
        if memories:
            erase.apply(erase.show(memories, scopes=list(self._engines)))

    def forget_all(self, query: str, scope: str) -> None:
        if memories := self._named(query, scope):
            self._last = scope, self._engine(scope).forget(memories)

    def erase_all(self, query: str, scope: str) -> None:
        self._erase(self._named(query, scope), scope)

    def reject(self, query: str, scope: str) -> None:
        for memory in self._first(query, scope):
            self._last = scope, self._engine(scope).forbid(memory)

    def undo(self) -> None:
        if self._last:
            self._engine(self._last[0]).undo(self._last[1])

    def run_jobs(self) -> None:
        for engine in self._engines.values():
            engine.run_jobs()

    def reindex(self) -> None:
        if self.variant == "none":
            raise Unsupported("without vectors it has no verb that builds its index anew")
        for engine in self._engines.values():
            engine.reembed(self._embedder())

    def export(self, path: str, scope: str) -> None:
        Path(path).write_bytes(b"".join(self._engine(scope).export()))

    def import_(self, path: str, scope: str) -> None:
        self._engine(scope).import_(Path(path).read_bytes().splitlines(), trust="user")

    def audit(self, scope: str) -> list[str]:
        return [f"{event.verb} {event.detail}" for event in self._engine(scope).history(limit=1000)]

    def origins(self, question: str, scope: str) -> list[str]:
        hits = self._engine(scope).recall(question, limit=1).memories
        return [str(source) for hit in hits for source in hit.memory.sources]
