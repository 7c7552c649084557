"""One memory on two devices: files that were changed apart become one, whichever is imported into which."""

import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import permutations, zip_longest
from pathlib import Path
from subprocess import run
from typing import Any

import orjson
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.clock import ManualClock
from tests.command_line import typed
from tests.flows.conftest import Opener, list_contradictions

BEGIN = ("The boat is blue", "Ann keeps the key", "The ferry leaves at nine", "Tea at four")
# What a device may do to one of the memories that all began with.
ACTS = (
    "text",
    "category",
    "importance",
    "tag",
    "pin",
    "hold",
    "forget",
    "restore",
    "correct",
    "confirm",
    "link",
)
_acts = st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, len(BEGIN) - 1)), max_size=6)


async def lines_of(memory: remanence.Engine) -> list[bytes]:
    """Return the export of a memory."""
    return [line async for line in memory.export(to=None)]


async def merge(into: remanence.Engine, other: remanence.Engine) -> Any:
    """Import one memory into another, after a dry run that must count the same and write nothing."""
    lines, before = await lines_of(other), await lines_of(into)
    foreseen = await into.import_(lines, trust="user", dry_run=True)
    assert before == await lines_of(into)
    done = await into.import_(lines, trust="user")

    assert done.counts == foreseen.counts
    return done


def content_of(lines: Sequence[bytes]) -> list[Any]:
    """Return what an export holds, in an order that no file decides."""
    rows = [orjson.loads(line) for line in lines[1:-1]]
    for row in rows:
        row.pop("tagged_at", None)
    return sorted(rows, key=lambda row: orjson.dumps(row, option=orjson.OPT_SORT_KEYS))


def _content_among(ids: set[str], content: Sequence[Any]) -> list[Any]:
    return [
        row for row in content if {row[name] for name in ("id", "source", "target") if name in row} <= ids
    ]


async def act(memory: remanence.Engine, device: str, what: str, ids: Sequence[str], at: int, n: int) -> None:
    """Do one thing to one memory; what is refused, since it is gone or stands, is not done."""
    id_ = ids[at]
    try:
        match what:
            case "text":
                await memory.update(id_, text=f"{BEGIN[at]}, says {device} {n}")
            case "category":
                await memory.update(id_, category=f"of-{device}", attributes={"by": device, "n": n})
            case "importance":
                await memory.update(id_, importance=(1 + n) / 100)
            case "tag":
                await memory.tag(id_, device)
            case "pin":
                await memory.pin(id_)
            case "hold":
                await memory.hold(id_, f"for-{device}")
            case "forget":
                await memory.forget(id_)
            case "restore":
                await memory.restore(id_)
            case "correct":
                await memory.correct(id_, by=ids[(at + 1) % len(ids)])
            case "confirm":
                await memory.rate(id_, "right")
            case "link":
                await memory.link(id_, ids[(at + 1) % len(ids)], "supports", weight=n / 100)
    except remanence.RemanenceError:
        pass


async def live(devices: dict[str, remanence.Engine], clock: ManualClock, histories: Any) -> None:
    """Let all devices begin alike, then each go its own way, with a text of its own at the end."""
    first, *others = devices.values()
    ids = [(await first.learn(text, said_at=clock.now())).id for text in BEGIN]
    for other in others:
        await merge(other, first)
    for n, turn in enumerate(zip_longest(*histories)):
        for (device, memory), one in zip(devices.items(), turn, strict=True):
            clock.advance(minutes=1)
            if one is not None:
                await act(memory, device, one[0], ids, one[1], n)
    for device, memory in devices.items():
        clock.advance(minutes=1)
        await memory.learn(f"Only {device} knows that", key="k" if device != "c" else None)


def opened(clock: ManualClock) -> remanence.Engine:
    """Open a memory in this process."""
    return remanence.open(":memory:", clock=clock, embedder="hashed")


@settings(max_examples=15, deadline=None, phases=[Phase.generate])
@given(one=_acts, other=_acts)
async def test_two_files_end_alike(one: Any, other: Any) -> None:
    """Merged both ways they hold the same, and merging them again, or with themselves, changes nothing."""
    clock = ManualClock()
    async with opened(clock) as a, opened(clock) as b:
        await live({"a": a, "b": b}, clock, (one, other))
        await merge(a, b)
        await merge(b, a)
        ends = [content_of(await lines_of(memory)) for memory in (a, b)]
        again = [await merge(into, file) for into, file in ((a, b), (b, a), (a, a))]

        assert ends[0] == ends[1]
        assert [0, 0, 0] == [done.changes for done in again]
        assert {len(await a.list(status="any"))} == {done.counts["kept"] for done in again}


@settings(max_examples=10, deadline=None, phases=[Phase.generate])
@given(one=_acts, other=_acts, third=_acts)
async def test_a_circle_of_three_ends_alike_in_every_order(one: Any, other: Any, third: Any) -> None:
    """Merged round and round all three hold the same, and all orders of merging make the same of each memory.

    A text that two of them edited and the third deleted is kept beside it only where these two meet first.
    """
    clock = ManualClock()
    async with opened(clock) as a, opened(clock) as b, opened(clock) as c:
        await live({"a": a, "b": b, "c": c}, clock, (one, other, third))
        files = [await lines_of(memory) for memory in (a, b, c)]
        ends = []
        for order in permutations(files):
            async with opened(clock) as fresh:
                for lines in order:
                    await fresh.import_(lines, trust="user")
                ends.append(content_of(await lines_of(fresh)))
        for into, file in ((b, a), (c, b), (a, c), (b, a), (c, b)):
            await merge(into, file)
        circle = [content_of(await lines_of(memory)) for memory in (a, b, c)]

        ids = {row["id"] for lines in files for row in content_of(lines) if "id" in row}
        begun = [_content_among(ids, end) for end in (*ends, circle[0])]

        assert [circle[0]] * 3 == circle
        assert [begun[0]] * 7 == begun


async def test_a_text_edited_on_both_sides_waits_for_a_person(opener: Opener, clock: ManualClock) -> None:
    """The newer text keeps its place, the other stands beside it, and what settles it on one device does on both."""
    async with opener(scope="a") as a, opener(scope="b") as b:
        known = await a.learn("Ann lives in Rome", tags=["home"])
        await merge(b, a)
        for memory, text in ((a, "Ann lives in Oslo"), (b, "Ann lives in Bonn")):
            clock.advance(minutes=1)
            await memory.update(known.id, text=text)
        done = [await merge(a, b), await merge(b, a)]
        listed = [{one.text for one in await memory.list()} for memory in (a, b)]
        (link,) = await list_contradictions(a)
        clock.advance(minutes=1)
        await a.review.settle((link.source, link.target), known.id)
        await merge(b, a)
        kept = [[one.text for one in await memory.list()] for memory in (a, b)]

        assert [1, 0] == [one.counts.get("conflict", 0) for one in done]
        assert [{"Ann lives in Oslo", "Ann lives in Bonn"}] * 2 == listed
        assert [["Ann lives in Bonn"]] * 2 == kept
        assert [] == await list_contradictions(b)


async def test_an_edit_that_knew_the_other_is_no_conflict(opener: Opener, clock: ManualClock) -> None:
    """Edited in turn, each after a merge, a memory has the last text, and an older copy of a file brings nothing."""
    async with opener(scope="a") as a, opener(scope="b") as b:
        known = await a.learn("Tea at three")
        older = await lines_of(a)
        for memory, other, text in ((a, b, "Tea at four"), (b, a, "Tea at five"), (a, b, "Tea at six")):
            clock.advance(minutes=1)
            await memory.import_(await lines_of(other), trust="user")
            await memory.update(known.id, text=text)
            await merge(other, memory)
        stale = await a.import_(older, trust="user")

        assert [["Tea at six"]] * 2 == [[one.text for one in await m.list(status="any")] for m in (a, b)]
        assert (0, 1) == (stale.changes, stale.counts["kept"])


async def test_what_is_deleted_on_one_side_stays_so_until_it_is_restored(
    opener: Opener, clock: ManualClock
) -> None:
    """Also what both learned by themselves; nothing that a device does by itself brings it back, `restore` does."""
    async with opener(scope="a") as a, opener(scope="b") as b:
        known = await a.learn("The boat is blue")
        await merge(b, a)
        alone = [await memory.learn("Ann keeps the key") for memory in (a, b)]
        await merge(a, b)
        clock.advance(minutes=1)
        for one in (known, alone[0]):
            await a.forget(one.id)
        clock.advance(minutes=1)
        await b.consolidate()  # both are active there, later than they were deleted here
        await merge(b, a)
        await merge(a, b)
        gone = [len(await memory.list()) for memory in (a, b)]
        clock.advance(minutes=1)
        await b.restore(known.id)
        await merge(a, b)
        back = [[one.text for one in await memory.list()] for memory in (a, b)]

        assert [0, 0] == gone
        assert [["The boat is blue"]] * 2 == back


async def test_one_key_on_two_devices_names_the_newer_text(opener: Opener, clock: ManualClock) -> None:
    """The older one is superseded by it on both, and no longer has the key."""
    async with opener(scope="a") as a, opener(scope="b") as b:
        await a.learn("Ann lives in Rome", key="home")
        clock.advance(minutes=1)
        await b.learn("Ann lives in Bonn", key="home")
        refused = await a.import_(await lines_of(b))
        await merge(a, b)
        await merge(b, a)
        done = await merge(a, b)
        rows = [
            [(one.text, one.key, one.status.label) for one in sorted(await m.list(status="any"), key=str)]
            for m in (a, b)
        ]

        assert (1, 0) == (refused.counts["refused"], done.changes)
        assert sorted(rows[0]) == sorted(rows[1])
        assert {
            ("Ann lives in Bonn", "home", "inbox"),
            ("Ann lives in Rome", None, "superseded"),
        } == {*rows[0]}


async def test_a_file_that_no_user_brings_changes_nothing_that_is_here(
    opener: Opener, clock: ManualClock
) -> None:
    """Other versions are counted and said; the import that merges them is one run, which undo takes back."""
    async with opener(scope="a") as a, opener(scope="b") as b:
        known = await a.learn("The boat is blue")
        await merge(b, a)
        clock.advance(minutes=1)
        await b.update(known.id, text="The boat is red", importance=0.5)
        await b.tag(known.id, "paint")
        await b.hold(known.id, "legal")
        before = await lines_of(a)
        outside = await a.import_(await lines_of(b))
        untouched = await lines_of(a)
        merged = await merge(a, b)
        await a.undo(merged)
        undone = await lines_of(a)
        again = await merge(a, b)

        assert (0, 1) == (outside.changes, outside.counts["kept"])
        assert any("another version" in one for one in outside.skipped)
        assert before == untouched
        assert content_of(before) == content_of(undone)
        assert merged.counts == again.counts
        assert content_of(await lines_of(b)) == content_of(await lines_of(a))


_KILLED = """
import asyncio, os, sys
import remanence
from remanence.flows.exchange import transfer

async def main(target, file, parts):
    transfer.PAGE = 2
    write, done = transfer.Taking._commit, 0
    async def dying(self, *args, **more):
        nonlocal done
        if done == parts:
            os.kill(os.getpid(), 9)
        done += 1
        return await write(self, *args, **more)
    transfer.Taking._commit = dying
    async with remanence.open(target, embedder="hashed") as memory:
        await memory.import_(open(file, "rb").read().splitlines(), trust="user")

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


@pytest.mark.parametrize("parts", [0, 1, 2])
async def test_an_import_that_is_killed_ends_as_one_that_is_not(tmp_path: Path, parts: int) -> None:
    """The same import again takes in the rest: no text is lost, and none is there twice."""
    paths = [str(tmp_path / name) for name in ("a.db", "killed.db", "whole.db")]
    async with remanence.open(paths[0], embedder="hashed") as a:
        ids = [(await a.learn(text)).id for text in BEGIN]
        begun = await lines_of(a)
        for path in paths[1:]:
            async with remanence.open(path, embedder="hashed") as other:
                await other.import_(begun, trust="user")
                for id_, text in zip(ids[:3], BEGIN, strict=False):
                    await other.update(id_, text=f"{text}, says another")
        for id_, text in zip(ids, BEGIN, strict=True):
            await a.update(id_, text=f"{text}, says a")
        await a.forget(ids[3])
        await a.link(ids[0], ids[1], "supports")
        lines = await lines_of(a)
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"".join(lines))
    killed = run([sys.executable, "-c", _KILLED, paths[1], str(file), str(parts)], check=False)
    ends = []
    for path in paths[1:]:
        async with remanence.open(path, embedder="hashed") as other:
            await other.import_(lines, trust="user")
            ends.append(sorted((one.text, one.status.label) for one in await other.list(status="any")))

    assert -9 == killed.returncode
    assert ends[0] == ends[1]
    assert 7 == len(ends[0])


def test_a_database_is_imported_by_its_path(tmp_path: Path) -> None:
    """The scope of the same name is read, or the one that is named, and no byte of the other file is changed."""
    laptop, phone = tmp_path / "laptop.db", tmp_path / "phone.db"
    typed("learn", "The ferry leaves at nine.", "--db", str(laptop))
    typed("learn", "Only the team knows that.", "--db", str(laptop), "--scope", "team")
    before = laptop.read_bytes()
    words = ["import", str(laptop), "--db", str(phone), "--trust", "user"]
    dry = typed(*words, "--dry-run")
    assert not phone.exists()
    done, again, itself = typed(*words), typed(*words), typed("import", str(phone), "--db", str(phone))
    team = typed(*words, "--from-scope", "team", "--dry-run")

    assert "1 taken (0 changes)" in dry.stdout
    assert "1 taken (1 change)" in done.stdout
    assert ["import: 1 kept (0 changes)\n"] * 2 == [again.stdout, itself.stdout]
    assert "1 taken" in team.stdout
    assert before == laptop.read_bytes()
    assert [0] * 5 == [one.exit_code for one in (dry, done, again, itself, team)]


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda whole: whole[: len(whole) // 2], "damaged"),
        (lambda whole: b"\x93\x00" + bytes(range(256)) * 8, "neither an export nor a database"),
        (lambda _: b"just a text\n", "not JSON"),
        (lambda _: _another_program(), "belongs to another program"),
        (lambda whole: whole, "no scope 'nobody' here"),
    ],
)
def test_a_file_that_is_no_memory_is_refused(
    tmp_path: Path, make: Callable[[bytes], bytes], told: str
) -> None:
    """It is one clear error, which says what to do, and nothing is made or taken in."""
    other, mine = tmp_path / "other.db", tmp_path / "mine.db"
    typed("learn", "The ferry leaves at nine.", "--db", str(other))
    other.write_bytes(make(other.read_bytes()))
    words = ["--scope", "nobody"] if "nobody" in told else []
    refused = typed("import", str(other), "--db", str(mine), *words)

    assert 1 == refused.exit_code
    assert told in refused.stderr
    assert "\u2192" in refused.stderr
    assert not mine.exists()


def _another_program() -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (a)")
        return connection.serialize()
