"""What somebody else forbids between a look and a commit is refused, at every door."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

import remanence
from remanence import Engine, InvalidInput, RemanenceError
from remanence.core.change import Cause, CommitResult, Entry
from remanence.core.clock import ManualClock
from remanence.store.sqlite.sqlite_store import SqliteStore

TEXT = "Tom quit the office today."
AGAIN = "tom  quit the OFFICE today"


class _Overtaken(SqliteStore):
    """A store on a file that another process writes to just before a commit, once."""

    meanwhile: Callable[[], Awaitable[object]] | None = None

    async def commit(self, scope: str, changes: Sequence[Entry], cause: Cause) -> CommitResult:
        """Let the other one through first."""
        if self.meanwhile is not None:
            meanwhile, self.meanwhile = self.meanwhile, None
            await meanwhile()
        return await super().commit(scope, changes, cause)


async def _exported(text: str) -> list[bytes]:
    async with remanence.open(embedder="hashed") as memory:
        await memory.learn(text)
        return [line async for line in memory.export()]


async def _learn(memory: Engine) -> str:
    return (await memory.learn(AGAIN)).status


async def _learn_many(memory: Engine) -> str:
    return (await memory.learn(["Another text.", AGAIN]))[1].status


async def _put(memory: Engine) -> str:
    return (await memory.learn(AGAIN, key="office", source="log")).status


async def _put_again(memory: Engine) -> str:
    await memory.learn(AGAIN, key="tom", source="log")
    return "let in"


async def _update(memory: Engine) -> str:
    await memory.update("tom", text=AGAIN)
    return "let in"


async def _correct(memory: Engine) -> str:
    return (await memory.correct("tom", AGAIN)).status


async def _import(memory: Engine) -> str:
    done = await memory.import_(await _exported(AGAIN))
    return "gated" if (done.counts["taken"], done.counts["refused"]) == (0, 1) else "let in"


@pytest.mark.parametrize("door", [_learn, _learn_many, _put, _put_again, _update, _correct, _import])
async def test_what_is_forbidden_meanwhile_is_refused(
    tmp_path: Path, door: Callable[[Engine], Awaitable[str]]
) -> None:
    """The text does not come in, in another spelling either, and the answer is that of a text forbidden before."""
    path, clock = tmp_path / "memory.db", ManualClock()
    store = _Overtaken(str(path))
    async with (
        remanence.open(store=store, clock=clock, embedder="hashed", agent="desk") as memory,
        remanence.open(path, clock=clock, embedder="hashed") as other,
    ):
        first = await other.learn(TEXT, speaker="Ann")
        await memory.learn("Tom sells maps.", key="tom", source="log")
        store.meanwhile = lambda: other.forbid(first)
        try:
            answer = await door(memory)
        except InvalidInput as refused:
            answer = "gated" if "forbidden" in str(refused) else str(refused)
        texts = [one.text for one in await memory.list()]

        assert "gated" == answer
        assert {"Tom sells maps."} == {*texts} - {"Another text."}


async def test_lifted_meanwhile_it_comes_in(tmp_path: Path) -> None:
    """Whoever looks again after a lift finds nothing that forbids the text."""
    path, clock = tmp_path / "memory.db", ManualClock()
    store = _Overtaken(str(path))
    async with (
        remanence.open(store=store, clock=clock, embedder="hashed") as memory,
        remanence.open(path, clock=clock, embedder="hashed") as other,
    ):
        first = await other.learn(TEXT)

        async def forbid_and_lift() -> None:
            await other.forbid(first)
            await other.forbid(first, off=True)

        store.meanwhile = forbid_and_lift

        assert "stored" == (await memory.learn(AGAIN, speaker="Ann")).status
        with pytest.raises(RemanenceError):
            await memory.forbid(first, off=True)
