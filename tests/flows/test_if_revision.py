"""Who names the revision that was read writes over nobody: a write in between is Conflict, whatever the verb."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.errors import Conflict, InvalidInput
from remanence.core.keywords import VerdictName
from remanence.core.model import Memory
from tests.command_line import Typed, typed
from tests.flows.conftest import Opener

ROOT = Path(__file__).parents[2]
Verb = Callable[[remanence.Engine, str, int], Awaitable[Any]]

# Every verb that sets something, on a memory that stands and can be changed by it.
SETTING: dict[str, Verb] = {
    "update": lambda memory, name, n: memory.update(name, confidence=0.5, if_revision=n),
    "put": lambda memory, name, n: memory.learn(
        "another text", key="k", agent="a", source="s", if_revision=n
    ),
    "tag": lambda memory, name, n: memory.tag(name, "b", if_revision=n),
    "untag": lambda memory, name, n: memory.tag(name, "a", if_revision=n, off=True),
    "pin": lambda memory, name, n: memory.pin(name, if_revision=n),
    "unpin": lambda memory, name, n: memory.pin(name, if_revision=n, off=True),
    "hold": lambda memory, name, n: memory.hold(name, "audit", if_revision=n),
    "release": lambda memory, name, n: memory.hold(name, "legal", if_revision=n, off=True),
    "confirm": lambda memory, name, n: memory.rate(name, "right", if_revision=n),
    "correct": lambda memory, name, n: memory.correct(name, "a corrected text", if_revision=n),
    "supersede": lambda memory, name, n: memory.correct(name, by="other", if_revision=n),
    "resolve": lambda memory, name, n: memory.review.settle((name, "other"), "other", if_revision=n),
    "merge": lambda memory, name, n: memory.merge("other", name, if_revision=n),
    "forget": lambda memory, name, n: memory.forget(name, if_revision=n),
    "restore": lambda memory, name, n: memory.restore(name, if_revision=n),
}
NOT_FORGOTTEN = SETTING.keys() - {"forget", "restore"}


async def _subject(memory: remanence.Engine, verb: str) -> Memory:
    """Learn a memory that the verb can change: held for `release`, pinned for `unpin`, fallen for `restore`."""
    subject = await memory.learn("the text", tags=["a"], key="k")
    await memory.learn("the other", key="other")
    if verb == "resolve":
        await memory.link(subject.id, "other", "contradicts")
    if verb == "release":
        await memory.hold(subject.id, "legal")
    if verb == "unpin":
        await memory.pin(subject.id)
    if verb == "restore":
        await memory.forget(subject.id)
    return await memory.get(subject.id)


@pytest.mark.parametrize("verb", SETTING)
async def test_the_revision_read_is_the_one_changed(memory: remanence.Engine, verb: str) -> None:
    """With the revision that stands the verb does what it does; with an older one it changes nothing and says both."""
    read = await _subject(memory, verb)
    await memory.update(read.id, attributes={"by": "somebody else"})
    now = await memory.get(read.id)

    with pytest.raises(Conflict) as caught:
        await SETTING[verb](memory, read.id, read.revision)

    assert (read.revision, now.revision) == (caught.value.expected, caught.value.current)
    assert f"revision {now.revision}, not {read.revision}" in str(caught.value)
    assert "read it again" in caught.value.recovery
    assert now == await memory.get(read.id)

    await SETTING[verb](memory, read.id, now.revision)

    assert now != await memory.get(read.id)


@pytest.mark.parametrize("between", ["tag", "untag", "pin", "hold", "correct", "curate"])
async def test_whatever_was_set_in_between_is_a_change(memory: remanence.Engine, between: str) -> None:
    """Tags too: who read them and adds one, or takes one away, has not seen the new ones."""
    read = await _subject(memory, between)
    if between == "curate":
        await memory.consolidate()
        read = await memory.get(read.id)
        rule = '[[rule]]\nname = "r"\nphase = "lifecycle"\ndo = "flag"\nto = "seen"\nwhere = "True"\nevery = "deep"\n'
        await memory.curate(f"version = 1\n{rule}")
    else:
        await SETTING[between](memory, read.id, read.revision)

    with pytest.raises(Conflict):
        await memory.tag(read.id, "late", if_revision=read.revision)
    with pytest.raises(Conflict):
        await memory.update(read.id, confidence=0.25, if_revision=read.revision)


@pytest.mark.parametrize("verdict", ["right", "wrong"])
async def test_counting_is_no_change(memory: remanence.Engine, verdict: VerdictName) -> None:
    """Uses, ratings, links, sources and a confirmation or dispute after the first leave the revision that was read."""
    subject = await _subject(memory, "update")
    await memory.rate(subject.id, verdict)
    read = await memory.get(subject.id)
    await memory.recall("the text")
    await memory.rate(read.id, 1)
    await memory.rate(read.id, verdict)
    await memory.link(read.id, "other", "supports")
    await memory.learn("the text", source="elsewhere")
    await memory.update(read.id, confidence=0.5, if_revision=read.revision)

    assert 0.5 == (await memory.get(read.id)).confidence


@pytest.mark.parametrize("verdict", ["right", "wrong"])
async def test_a_new_verification_is_a_change(memory: remanence.Engine, verdict: VerdictName) -> None:
    """The first confirmation or dispute says something new of the memory, which its reader has not read."""
    read = await _subject(memory, "update")
    await memory.rate(read.id, verdict)

    with pytest.raises(Conflict):
        await memory.update(read.id, confidence=0.5, if_revision=read.revision)


async def test_nothing_in_between_is_written_over(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write between the reading of a verb and its commit is Conflict too; without `if_revision` it is read again."""
    for verb in NOT_FORGOTTEN - {"put", "correct", "release"}:
        async with opener(scope=verb) as memory:
            read = await _subject(memory, verb)
            core, commit = memory._core, memory._core.commit
            left = [True]

            async def late(
                *given: Any, left: Any = left, core: Any = core, commit: Any = commit, read: Any = read
            ) -> Any:
                if left and left.pop():
                    monkeypatch.setattr(core, "commit", commit)
                    await memory.tag(read.id, "in between")
                return await commit(*given)

            monkeypatch.setattr(core, "commit", late)
            with pytest.raises(Conflict) as caught:
                await SETTING[verb](memory, read.id, read.revision)

            assert (verb, read.revision, read.revision + 1) == (
                verb,
                caught.value.expected,
                caught.value.current,
            )


async def test_put_with_zero_only_stores(memory: remanence.Engine) -> None:
    """0 stands where no memory has the key, as in: store it unless somebody was faster."""
    more: Any = {"agent": "a", "source": "s"}
    await memory.learn("the first", key="fresh", **more, if_revision=0)

    with pytest.raises(Conflict) as second:
        await memory.learn("the second", key="fresh", **more, if_revision=0)
    with pytest.raises(Conflict) as nobody:
        await memory.learn("the third", key="nobody", **more, if_revision=7)

    assert ((0, 1), (7, 0)) == tuple((one.value.expected, one.value.current) for one in (second, nobody))
    assert "the first" == (await memory.get("fresh")).text

    await memory.forget("fresh")
    (fallen,) = await memory.list(status="pruned")
    with pytest.raises(Conflict):
        await memory.learn("the fourth", key="fresh", **more, if_revision=0)
    await memory.learn("the fourth", key="fresh", **more, if_revision=fallen.revision)

    assert "the fourth" == (await memory.get("fresh")).text


async def test_of_many_that_put_with_zero_one_stores(opener: Opener) -> None:
    """All find the key free; one is first, the others are told so."""
    async with opener() as memory:
        puts = [memory.learn(f"text {n}", key="k", agent="a", source="s", if_revision=0) for n in range(8)]
        done = await asyncio.gather(*puts, return_exceptions=True)

    assert 1 == sum(not isinstance(one, BaseException) for one in done)
    assert 7 == sum(isinstance(one, Conflict) for one in done)


async def test_a_link_has_a_revision_of_its_own(memory: remanence.Engine) -> None:
    """A link read, strengthened by somebody else and then set is Conflict; 0 draws only where there is none."""
    a, b = await memory.learn("a"), await memory.learn("b")
    read = await memory.link(a.id, b.id, "supports", weight=0.5, if_revision=0)
    (held,) = await memory.links(a.id)
    await memory.link(a.id, b.id, "supports")

    for stale in (0, read.revision):
        with pytest.raises(Conflict):
            await memory.link(a.id, b.id, "supports", weight=0.1, if_exists="update", if_revision=stale)
        with pytest.raises(Conflict):
            await memory.link(a.id, b.id, "supports", if_revision=stale, off=True)

    (now,) = await memory.links(a.id)
    again = await memory.link(
        a.id, b.id, "supports", weight=0.1, if_exists="update", if_revision=now.revision
    )
    await memory.link(a.id, b.id, "supports", if_revision=again.revision, off=True)

    assert held.revision == read.revision
    assert (0.6, 0.1) == (now.weight, again.weight)
    assert [] == await memory.links(a.id)


@pytest.mark.parametrize("wrong", [-1, 1.5, "1", True, 2**64])
async def test_a_revision_is_a_whole_number(memory: remanence.Engine, wrong: Any) -> None:
    """Anything else is refused before anything happens."""
    learned = await memory.learn("x")

    with pytest.raises(InvalidInput):
        await memory.pin(learned.id, if_revision=wrong)

    assert 0 == (await memory.get(learned.id)).pinned


# Processes

ENGINE = """
import asyncio, sys, remanence
async def main(path, times):
    async with remanence.open(path) as memory:
        for _ in range(int(times)):
            while True:
                seen = await memory.get("c")
                count = (seen.attributes or {}).get("n", 0) + 1
                try:
                    await memory.update("c", attributes={"n": count}, if_revision=seen.revision)
                    break
                except remanence.Conflict:
                    pass
asyncio.run(main(*sys.argv[1:]))
"""
SYNC = """
import sys, remanence
path, times = sys.argv[1:]
with remanence.sync.open(path) as memory:
    for _ in range(int(times)):
        while True:
            seen = memory.get("c")
            try:
                memory.update("c", attributes={"n": (seen.attributes or {}).get("n", 0) + 1}, if_revision=seen.revision)
                break
            except remanence.Conflict:
                pass
"""


def count_by_commands(path: str, times: int) -> None:
    """Add one so many times, each reading and each writing by a command in a process of its own."""

    def call(*words: str) -> tuple[int, Any]:
        script = str(Path(sys.executable).with_name("remanence"))
        done = subprocess.run(
            [script, *words, "--json", "--db", path], capture_output=True, text=True, check=False
        )
        return done.returncode, json.loads(done.stdout)

    for _ in range(times):
        while True:
            seen = call("get", "c")[1]
            count = int((seen["attributes"] or {}).get("n", 0)) + 1
            revision = str(seen["revision"])
            code, told = call("update", "c", "--attribute", f"n={count}", "--if-revision", revision)
            if not code:
                break
            assert ("Conflict", seen["revision"]) == (told["error"], told["expected"]), told


def count_by(program: str, path: str, times: int) -> None:
    """Add one so many times in a process that goes on in silence."""
    done = subprocess.run(
        [sys.executable, "-c", program, path, str(times)],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert "" == done.stdout


async def _counted(path: str, count: Callable[[str, int], None], processes: int, times: int) -> int:
    """Let processes add one by reading and writing, so many times each; return what was counted."""
    async with remanence.open(path) as memory:
        await memory.learn("a counter", key="c")
    await asyncio.gather(*(asyncio.to_thread(count, path, times) for _ in range(processes)))
    async with remanence.open(path) as memory:
        return int(((await memory.get("c")).attributes or {})["n"])


@pytest.mark.parametrize(
    ("count", "processes", "times"),
    [
        pytest.param(partial(count_by, ENGINE), 3, 10, id="engine"),
        pytest.param(partial(count_by, SYNC), 2, 10, id="sync"),
        pytest.param(count_by_commands, 2, 2, id="command"),
        pytest.param(partial(count_by, ENGINE), 8, 500, id="engine-deep", marks=pytest.mark.deep),
        pytest.param(partial(count_by, SYNC), 8, 500, id="sync-deep", marks=pytest.mark.deep),
        pytest.param(count_by_commands, 4, 25, id="command-deep", marks=pytest.mark.deep),
    ],
)
async def test_no_update_between_processes_is_lost(
    tmp_path: Path, count: Callable[[str, int], None], processes: int, times: int
) -> None:
    """Processes read, add one and write with the revision they read, again after a Conflict: every addition counts."""
    counted = await _counted(str(tmp_path / "memory.db"), count, processes, times)

    assert processes * times == counted


def test_the_command_line_names_both_revisions(tmp_path: Path) -> None:
    """`get` shows the revision, a stale one is refused with exit code 1 and both numbers."""
    path = str(tmp_path / "memory.db")
    with remanence.sync.open(path) as memory:
        memory.learn("the text", key="k")
        memory.pin("k")

    def call(*words: str) -> Typed:
        return typed(*words, "--db", path)

    shown, refused = call("get", "k"), call("pin", "k", "--if-revision", "1", "--off")
    told = json.loads(call("pin", "k", "--if-revision", "1", "--json", "--off").stdout)
    done = call("pin", "k", "--if-revision", "2", "--off")

    assert ["revision", "2"] == next(line.split() for line in shown.stdout.splitlines() if "revision" in line)
    assert (1, 0) == (refused.exit_code, done.exit_code)
    assert "revision 2, not 1" in refused.stderr
    assert (1, 2) == (told["expected"], told["current"])


async def test_a_contradiction_of_which_both_hold_has_the_revision_of_its_link(
    memory: remanence.Engine,
) -> None:
    """Where neither takes the other's place, what is resolved is the link, as `unlink` has it."""
    one, other = await memory.learn("The gate shuts at six."), await memory.learn("The gate shuts at eight.")
    link = await memory.link(one, other, "contradicts")
    with pytest.raises(Conflict) as caught:
        await memory.review.settle((one, other), "both", if_revision=link.revision + 1)

    assert (link.revision + 1, link.revision) == (caught.value.expected, caught.value.current)
    assert 1 == len((await memory.review.list("contradiction")).items)
    await memory.review.settle((one, other), "both", if_revision=link.revision)
    assert () == (await memory.review.list("contradiction")).items
