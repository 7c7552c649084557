"""Curation asks no model: every policy that ships works with an embedder and a writer that refuse to."""

import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.curate.policy.document import PRESETS
from remanence.llm.base import Vectors, WordWeight
from remanence.llm.offline import HashedEmbedder


class Refusing(HashedEmbedder):
    """An embedder that works until it is told to refuse."""

    refuses = False

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:
        """Embed, or fail."""
        assert not self.refuses, texts
        return super().embed(texts, weight)


class NeverAsked:
    """A writer that must not be asked."""

    name = "never"

    async def judge(self, text: str, identity: str, others: Any) -> Any:
        """Fail."""
        raise AssertionError(text, identity, others)


def _no_sockets(patch: pytest.MonkeyPatch) -> None:
    """Let no socket be made from here on; the loop that runs has its own already."""

    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a socket was asked for")

    for name in ("socket", "create_connection", "getaddrinfo"):
        patch.setattr(socket, name, refuse)


@pytest.mark.parametrize("policy", PRESETS)
async def test_no_policy_asks_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: str) -> None:
    """Planning, applying, explaining, undoing and the automatic run need words and vectors of nobody."""
    clock, embedder = ManualClock(), Refusing()
    async with remanence.open(tmp_path / "m.db", policy=policy, clock=clock, embedder=embedder) as memory:
        for number in range(60):
            await memory.learn(f"The lamp number {number} was lit.", kind="episodic", thread="t")
        await memory.consolidate()
    embedder.refuses = True
    _no_sockets(monkeypatch)
    async with remanence.open(
        tmp_path / "m.db", policy=policy, clock=clock, embedder=embedder, writer=NeverAsked()
    ) as memory:
        await memory.begin_session()
        clock.advance(hours=400)
        await memory.end_session()
        await memory.begin_session()
        last = (await memory.status()).automatic.get("curate")
        await memory.explain(1)
        done = await memory.curate()
        if done.changes:
            await memory.undo(done)
        pruned = (await memory.curate("episodic-cap", allow_destroyed=60)).pruned

    assert last is None or last.outcome == "done"
    assert 0 < done.changes + pruned + (0 if last is None else sum(last.counts.values()))
