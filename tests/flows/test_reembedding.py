"""Another model takes the place of the one that answers: beside everything else, in one step, through kills."""

import asyncio
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import remanence
from remanence.core.clock import MINUTE, Clock, SystemClock
from remanence.core.errors import EmbedderError, InvalidInput, StoreIncompatible, StoreUnavailable
from remanence.flows.base import extra_vectors
from remanence.flows.write import reembedding
from remanence.store.base import Bookkeeping
from tests.flows.conftest import Opener
from tests.meaning import QUESTION, TEXTS, Meaning, Rows, by_model, learned

OLD, NEW = "meaning-1", "meaning-2"
MORE = tuple(f"The {animal} of {name} is old." for animal in ("hound", "cat") for name in ("Ada", "Bo", "Cy"))
KILLED = 7


def cosines(found: remanence.RecallResult) -> dict[int, float]:
    """Return how like the question each hit is by the model."""
    return {
        hit.memory.seq: round(hit.parts["contextual_cosine"], 4)
        for hit in found
        if "contextual_cosine" in hit.parts
    }


async def asked(memory: remanence.Engine) -> remanence.RecallResult:
    """Ask what every model here has an answer to."""
    return await memory.recall(QUESTION, limit=20, count_use=False)


async def rows_of(memory: remanence.Engine, name: str) -> int:
    """Count the vectors of a model."""
    return len((await memory._core.store.vectors(memory.scope, model=name))[0])


async def test_the_model_changes_in_one_step(opener: Opener) -> None:
    """The new one has every vector before it answers; those of the old one go."""
    heard: list[tuple[int, int]] = []
    async with opener(embedder=Meaning(OLD)) as memory:
        await learned(memory, TEXTS + MORE)
        await memory.consolidate()
        before = cosines(await asked(memory))
        done = await memory.reembed(Meaning(NEW, 32), lambda count, of: heard.append((count, of)))
        after = cosines(await asked(memory))
        again = await memory.reembed()
        left = [await rows_of(memory, name) for name in (OLD, NEW)]
        stated = await memory.status()
    with pytest.raises(StoreIncompatible):
        await opener(embedder=Meaning(OLD))

    assert (NEW, 10, 10, "") == (done.model, done.memories, done.taken_away, done.waits)
    assert (NEW, 0, 0) == (again.model, again.memories, again.taken_away)
    assert (10, 10) == heard[-1]
    assert 0 < len(before.keys() & after.keys())
    assert not set(before.values()) & set(after.values())
    assert [0, 10] == left
    assert {"model": NEW, "to_embed": 0} == stated.contextual


async def test_without_a_name_the_one_under_way_is_meant(opener: Opener) -> None:
    """Where none is, nothing is taken away."""
    async with opener(embedder=Meaning(OLD)) as memory:
        await learned(memory)
        await memory.consolidate()
    async with opener(embedder="auto") as memory:
        with pytest.raises(InvalidInput, match="no change of the model is under way"):
            await memory.reembed()
        left = await rows_of(memory, OLD)

    assert 4 == left


async def test_two_that_change_the_model_do_not_mix(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """The later one goes on, the earlier one is told; what it had made goes."""
    monkeypatch.setattr(reembedding, "WRITTEN_AT_ONCE", 2)
    monkeypatch.setattr(reembedding, "LEASE", -1)
    async with opener(embedder=Meaning(OLD)) as memory, opener(embedder=Meaning(OLD)) as other:
        await learned(memory)
        await memory.consolidate()
        model = Meaning(NEW)
        plain = model.embed

        async def overtaken(texts: Sequence[str]) -> Rows:
            if len(model.asked) == 1:
                await other.reembed(Meaning("meaning-3"))
            return plain(texts)

        model.embed = overtaken  # type: ignore[assignment,method-assign]
        with pytest.raises(StoreUnavailable, match="another process changes the model too"):
            await memory.reembed(model)
        found = cosines(await asked(other))
        left = [await rows_of(other, name) for name in (OLD, NEW, "meaning-3")]

    assert ([0, 0, 4], 4) == (left, len(found))


async def test_auto_is_for_no_model(opener: Opener) -> None:
    """Its vectors go, and any may be the first again."""
    async with opener(embedder=Meaning(OLD)) as memory:
        await learned(memory)
        await memory.consolidate()
        done = await memory.reembed("auto")
        found = await asked(memory)
        left = await rows_of(memory, OLD)
        with pytest.raises(InvalidInput, match="waits for nothing"):
            await memory.reembed("hashed")
    async with opener(embedder=Meaning(NEW)) as memory:
        embedded = by_model(await memory.consolidate())[0]

    assert ("", 0, 4) == (done.model, done.memories, done.taken_away)
    assert ({}, "", 0, 4) == (cosines(found), found.without_model, left, embedded)


async def test_a_recall_under_way_sees_one_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the old one or the new one; in another opening that holds the old one, that one or none, and why."""
    monkeypatch.setattr(reembedding, "WRITTEN_AT_ONCE", 2)
    path = tmp_path / "agent.db"
    texts = TEXTS + MORE
    async with remanence.open(path, embedder=Meaning(OLD)) as memory:
        await learned(memory, texts)
        await memory.consolidate()
        async with remanence.open(path, embedder=Meaning(OLD)) as other:
            old = cosines(await asked(memory))
            task = asyncio.create_task(memory.reembed(Meaning(NEW)))
            seen, elsewhere = [], []
            while not task.done():
                here, there = await asyncio.gather(asked(memory), asked(other))
                seen.append(cosines(here))
                elsewhere.append((cosines(there), there.without_model))
            await task
            new = cosines(await asked(memory))
            last = await asked(other)

    assert 2 < len(seen)
    assert all(one in (old, new) for one in seen)
    assert all(one in (old, {}) for one, _ in elsewhere)
    assert {} == cosines(last)
    assert f"embedded by '{NEW}' by now" in last.without_model


async def test_what_is_written_meanwhile_is_embedded_too(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text that changed behind the cursor, and one that came."""
    monkeypatch.setattr(reembedding, "WRITTEN_AT_ONCE", 2)
    async with opener(embedder=Meaning(OLD)) as memory:
        await learned(memory, TEXTS + MORE)
        await memory.consolidate()
        (first,) = await memory.list(limit=1, oldest_first=True)
        model = Meaning(NEW)
        made = model.embed
        changed: list[remanence.Receipt] = []

        async def embed(texts: Sequence[str]) -> Rows:
            if len(model.asked) == 2 and not changed:
                changed.append(await memory.update(first, text="The ship sank in autumn."))
                await learned(memory, ["Nobody rows the boat."])
                await memory.consolidate()
            return made(texts)

        model.embed = embed  # type: ignore[assignment,method-assign]
        done = await memory.reembed(model)
        left = [await rows_of(memory, name) for name in (OLD, NEW)]

    assert 1 == len(changed)
    assert [0, 11] == left
    assert 12 == done.memories  # the first one twice


@pytest.mark.parametrize(
    ("gives", "says"),
    [
        (lambda rows: rows[:, :63], "63 numbers instead of 64"),
        (lambda rows: rows[:1], r"shape \(1, 64\) for 2 texts"),
        (lambda rows: rows * np.inf, "not finite"),
        (lambda _: (_ for _ in ()).throw(OSError("died")), "failed: OSError: died"),
    ],
)
async def test_what_goes_wrong_changes_nothing(
    opener: Opener, monkeypatch: pytest.MonkeyPatch, gives: Callable[[Rows], Any], says: str
) -> None:
    """A model that changes its length, answers less, no numbers, or dies: one error; the old one answers on."""
    monkeypatch.setattr(reembedding, "WRITTEN_AT_ONCE", 2)
    async with opener(embedder=Meaning(OLD)) as memory:
        await learned(memory, TEXTS + MORE)
        await memory.consolidate()
        before = cosines(await asked(memory))
        model = Meaning(NEW)
        made = model.embed
        model.embed = lambda texts: gives(made(texts)) if len(model.asked) > 2 else made(texts)  # type: ignore[method-assign]
        with pytest.raises(EmbedderError, match=says) as caught:
            await memory.reembed(model)
        between = cosines(await asked(memory))
        half = await rows_of(memory, NEW)
        stated = await memory.status()
        model.embed = made  # type: ignore[method-assign]
        done = await memory.reembed(model)

    assert "goes on where it stopped" in caught.value.recovery
    assert (before, 6) == (between, half)
    assert (OLD, NEW) == (stated.contextual["model"], stated.contextual["next"])
    assert (NEW, 4) == (done.model, done.memories)


async def test_a_third_model_takes_the_place_of_one_under_way(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What that one had made goes."""
    monkeypatch.setattr(reembedding, "WRITTEN_AT_ONCE", 2)
    async with opener(embedder=Meaning(OLD)) as memory:
        await learned(memory)
        await memory.consolidate()
        model = Meaning(NEW)
        made = model.embed
        model.embed = lambda texts: made(texts)[:, : 3 * len(model.asked) - 3 or None]  # type: ignore[method-assign]
        with pytest.raises(EmbedderError):
            await memory.reembed(model)
        with pytest.raises(InvalidInput, match="cannot be made from a name"):
            await memory.reembed()
        done = await memory.reembed(Meaning("meaning-3"))
        left = [await rows_of(memory, name) for name in (OLD, NEW, "meaning-3")]

    assert ([0, 0, 4], 6) == (left, done.taken_away)


class Later:
    """The wall clock, so many minutes ahead: leases of the killed have run out."""

    def __init__(self, minutes: int) -> None:
        self._minutes = minutes
        self._wall: Clock = SystemClock()

    def now(self) -> int:
        """Return the time."""
        return self._wall.now() + self._minutes * MINUTE


def test_a_kill_at_any_step_is_gone_on_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before each write, and so after the one before: one model answers, whole; the next call goes on."""
    monkeypatch.setattr(reembedding, "WRITTEN_AT_ONCE", 4)
    start, path = tmp_path / "start.db", tmp_path / "agent.db"
    old, new = asyncio.run(_made(start, tmp_path / "whole.db"))
    step, went_on = 0, []
    while True:
        shutil.copy(start, path)
        ended = _killed(path, step)
        if ended != KILLED:
            break
        found, name, embedded = asyncio.run(_gone_on(path))

        assert found == (old if name == OLD else new)

        went_on.append((name, embedded))
        for file in tmp_path.glob("agent.db*"):
            file.unlink()
        step += 1

    assert 0 == ended
    assert {OLD, NEW} == {name for name, _ in went_on}
    assert {0, 2, 6, 10} <= {embedded for _, embedded in went_on}


async def _made(start: Path, whole: Path) -> tuple[dict[int, float], dict[int, float]]:
    """Make the file that is worked on; return what the old model answers on it, and what the new one does."""
    async with remanence.open(start, embedder=Meaning(OLD)) as memory:
        await learned(memory, TEXTS + MORE)
        await memory.consolidate()
        old = cosines(await asked(memory))
        await memory.backup(whole)
    async with remanence.open(whole, embedder=Meaning(OLD)) as memory:
        await memory.reembed(Meaning(NEW))
        return old, cosines(await asked(memory))


def _killed(path: Path, step: int) -> int:
    """Let a process embed anew until it is killed before its so-manieth write; return how it ended."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            asyncio.run(_work(path, step))
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


async def _work(path: Path, step: int) -> None:
    async with remanence.open(path, embedder=Meaning(OLD)) as memory:
        store, left = memory._core.store, [step]

        def counted(write: Callable[..., Any]) -> Callable[..., Any]:
            async def written(*given: Any, **more: Any) -> Any:
                asked_for = given[-1]
                if not isinstance(asked_for, Bookkeeping) or asked_for.put or asked_for.count:
                    left[0] -= 1
                if left[0] < 0:
                    os._exit(KILLED)
                return await write(*given, **more)

            return written

        store.embed, store.bookkeep = counted(store.embed), counted(store.bookkeep)  # type: ignore[method-assign]
        await memory.reembed(Meaning(NEW))


async def _gone_on(path: Path) -> tuple[dict[int, float], str, int]:
    """Return what answers after the kill, by which model, and how many the next call embedded; look the file over."""
    async with remanence.open(path, clock=Later(1)) as memory:
        name = str((await memory.status()).contextual["model"])
    async with remanence.open(path, embedder=Meaning(name), clock=Later(1)) as memory:
        found = cosines(await asked(memory))
        done = await memory.reembed(Meaning(NEW))
        left = [await rows_of(memory, one) for one in (OLD, NEW)]
        going = await memory._core.store.bookkeep(
            memory.scope,
            Bookkeeping(0, get=(reembedding.UNDER_WAY,), under=(extra_vectors.GONE,)),
        )
        checks = await memory.doctor()

    assert ([0, 10], {}) == (left, going.values)
    assert [] == [check for check in checks if not check.ok]
    return found, name, done.memories
