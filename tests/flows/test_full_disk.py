"""The disk is full: what was answered is kept, each call says what it could not write, and with room all goes on."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

import remanence
import remanence.sync
from remanence import Engine, StoreUnavailable
from remanence.core.clock import DAY, ManualClock
from remanence.flows.indexes import scope_index
from remanence_store_kit.builders import expect_error
from tests.small_disk import SmallDisk, mount_small_disk

ROOT = Path(__file__).parents[2]
HANGS_AFTER_S = 300
# The disk is full for this process: no file of it may grow. Uses that were counted while it still had room are written.
PROGRAM = """
import asyncio, resource, signal, sys
import remanence

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

async def main(session):
    memory = await remanence.open(sys.argv[1], embedder="none").__aenter__()
    if session:
        await memory.begin_session()
    await memory.learn("The ferry leaves at nine.", key="a")
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
    for _ in range(3):
        await memory.recall("ferry")
    try:
        await memory.close()
    except remanence.StoreUnavailable as error:
        print(error)
        print(error.recovery)
    await memory.close()
    try:
        await memory.get("a")
    except remanence.StoreUnavailable:
        print("closed")

asyncio.run(main(sys.argv[2] == "session"))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no file size limit there")
@pytest.mark.parametrize("session", ["session", "none"])
async def test_what_a_full_disk_takes_at_the_end_is_said(session: str, tmp_path: Path) -> None:
    """Uses alone are lost; the error counts them, comes once, and the memory is closed and whole."""
    path = str(tmp_path / "a.db")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, path, session],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=HANGS_AFTER_S,
        check=False,
    )
    message, recovery, last = done.stdout.splitlines()
    async with remanence.open(path, embedder="none") as memory:
        kept = await memory.get("a")
        faults = [check.name for check in await memory.doctor() if not check.ok]

    assert "the memory is closed; at its end 3 uses are not counted" in message
    assert "all that a verb has answered is kept; make room" in recovery
    assert ("closed", "") == (last, done.stderr)
    assert ("The ferry leaves at nine.", 0, []) == (kept.text, kept.uses, faults)


HOUSES = 600
NOW = 20_000 * DAY
LONG = " ".join(f"stone{n}" for n in range(500))
POLICY = """
version = 1
name = "small"

[[rule]]
name = "old"
every = "hourly"
phase = "value"
where = "age(learned_at) > days(2)"
do = "archive"
"""


@pytest.fixture
def disk() -> Iterator[SmallDisk]:
    """A disk of a few megabytes."""
    with mount_small_disk("16m") as small:
        yield small


@asynccontextmanager
async def opened(disk: SmallDisk, scope: str = "default") -> AsyncIterator[Engine]:
    """Open the memory on the disk three days after its texts were learned."""
    clock = ManualClock(NOW + 3 * DAY)
    async with remanence.open(disk.path / "a.db", scope=scope, embedder="hashed", clock=clock) as memory:
        await memory.review.settle("clock", "accept")
        yield memory


async def build(disk: SmallDisk) -> None:
    """Make a memory of some texts, with a policy that archives them all."""
    path = disk.path / "a.db"
    async with remanence.open(path, embedder="hashed", clock=ManualClock(NOW)) as memory:
        texts = [{"text": f"House {n} has {n * 7} windows.", "key": f"k{n}"} for n in range(HOUSES)]
        await memory.learn(texts)
        await memory.policy.use(POLICY)


async def find_faults(memory: Engine) -> list[str]:
    """Return which checks are not sound, and which of the texts are not there."""
    there = {one.key for one in await memory.list(limit=1_000, status="any")}
    lost = [f"k{n}" for n in range(HOUSES) if f"k{n}" not in there]
    return lost + [check.detail for check in await memory.doctor() if not check.ok]


async def test_each_write_is_refused_and_each_read_answered(disk: SmallDisk) -> None:
    """One error of each verb, with a way out; what was answered before is there when there is room again."""
    await build(disk)
    async with opened(disk) as memory:
        pinned, shown = await memory.pin("k3"), await memory.erase.show("k4")
        disk.fill()
        learned: list[str] = []
        with pytest.raises(
            StoreUnavailable, match="the disk is full"
        ):  # once the log has no room left of before
            while True:
                key = f"late {len(learned)}"
                await memory.learn(f"{key} {LONG}", key=key)
                learned.append(key)
        disk.fill()
        writes: Mapping[str, Callable[[], Awaitable[object]]] = {
            "learn": lambda: memory.learn(f"One more. {LONG}"),
            "note": lambda: memory.note(f"The bridge is open. {LONG}"),
            "tag": lambda: memory.tag([f"k{n}" for n in range(500)], "old"),
            "update": lambda: memory.update("k5", text=f"House 5 is gone. {LONG}"),
            "undo": lambda: memory.undo(pinned),
            "curate": lambda: memory.curate(),
            "erase": lambda: memory.erase.apply(shown),
            "backup": lambda: memory.backup(disk.path / "copy.db"),
            "mirror": lambda: memory.mirror.sync(disk.path / "mirror"),
        }
        refused = {name: await expect_error(StoreUnavailable, write()) for name, write in writes.items()}
        assert "House 7 has 49 windows." in str(await memory.recall("How many windows has House 7?"))
        assert "House 9 has 63 windows." == (await memory.get("k9")).text
        assert await memory.history(limit=1)
        assert 600 <= (await memory.status()).memories
        assert [] == await find_faults(memory)
        disk.make_room()
    async with opened(disk) as memory:
        assert [] == await find_faults(memory)
        assert learned == [(await memory.get(key)).key for key in learned]
        assert (await memory.undo(pinned)).undoes == pinned.run

    assert all("full" in str(error) or "No space" in str(error) for error in refused.values()), refused
    assert all("make room" in error.recovery for error in refused.values())
    assert not (disk.path / "copy.db").exists()


LITTLE, ROOM = 100 * 1_024, 12 << 20  # bytes that are free when a verb begins, and what is more than it needs


async def curate(memory: Engine, disk: SmallDisk, free: int) -> None:
    """Archive all texts."""
    disk.fill(free)
    await memory.curate()


async def back_up(memory: Engine, disk: SmallDisk, free: int) -> None:
    """Copy the file."""
    disk.fill(free)
    await memory.backup(disk.path / "copy.db")


async def mirror(memory: Engine, disk: SmallDisk, free: int) -> None:
    """Write all texts to files."""
    disk.fill(free)
    await memory.mirror.sync(disk.path / "mirror")


async def take_in(memory: Engine, disk: SmallDisk, free: int) -> None:
    """Import the memory into another scope."""
    lines = [line async for line in memory.export()]
    async with opened(disk, "other") as other:
        disk.fill(free)
        await other.import_(lines)


HALFWAY: Mapping[str, Callable[[Engine, SmallDisk, int], Awaitable[None]]] = {
    "curate": curate,
    "backup": back_up,
    "import": take_in,
    "mirror": mirror,
}


@pytest.mark.parametrize("verb", HALFWAY)
async def test_a_verb_that_runs_out_of_room_halfway_leaves_all_as_it_was(verb: str, disk: SmallDisk) -> None:
    """It says so once, leaves no half of a file, and goes well with room."""
    await build(disk)
    async with opened(disk) as memory:
        error = await expect_error(StoreUnavailable, HALFWAY[verb](memory, disk, LITTLE))
        disk.make_room()
        assert [] == await find_faults(memory)
        left = [one.name for one in disk.path.iterdir() if ".partial" in one.name or one.name == "copy.db"]
        await HALFWAY[verb](memory, disk, ROOM)

    async with opened(disk) as memory:
        assert [] == await find_faults(memory)
    assert "make room" in error.recovery
    assert [] == left


async def test_an_erasure_that_cannot_rewrite_the_file_is_pending(disk: SmallDisk) -> None:
    """The memory is gone from what is told; the bytes go with the next round of jobs that has room."""
    await build(disk)
    async with opened(disk) as memory:
        shown = await memory.erase.show("k4")
        disk.fill(700 * 1_024)
        told = await memory.erase.apply(shown)
        disk.make_room()
        later = await memory.erase.apply()

    assert "pending: the disk is full" in str(told)
    assert "pending" not in str(later)
    assert b"House 4 has" not in (disk.path / "a.db").read_bytes()


async def test_an_index_that_finds_no_room_at_the_end_is_not_there(
    disk: SmallDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closing goes well without it, and it is made when there is room."""
    monkeypatch.setattr(scope_index, "ROUGH_FROM", 1)
    await build(disk)
    indexes = []
    for has_room in (False, True):
        async with opened(disk) as memory:
            await memory.recall("How many windows has House 7?")
            await memory._core.uses.settle()
            if not has_room:
                disk.fill(100 * 1_024)
        disk.make_room()
        indexes.append([one.name for one in disk.path.iterdir() if "db-index" in one.name])
        async with opened(disk) as memory:
            assert [] == await find_faults(memory)

    assert [[], 1] == [indexes[0], len(indexes[1])]


def test_a_server_refuses_writes_and_goes_on(disk: SmallDisk) -> None:
    """It answers 503 with a way out and still recalls; it ends when it is told to, and begins on the full disk."""
    path = disk.path / "a.db"
    with remanence.sync.open(path, embedder="none") as memory:
        secret = memory.token.add("all", scopes=["default"], role="erase").secret
    kept: list[str] = []
    server = Served(path, secret)
    disk.fill(1 << 20)
    while (answer := server.ask("learn", text=f"Text {len(kept)}. {LONG}", key=str(len(kept))))[0] == 200:
        kept.append(str(len(kept)))
    disk.fill()
    refused = [answer, server.ask("learn", text=LONG), server.ask("learn", text=f"And {LONG}")]
    found = server.ask("recall", query="What is text 1?", limit=1)
    ends = [server.end()]
    server = Served(path, secret)
    again = server.ask("recall", query="What is text 1?", limit=1)
    disk.make_room()
    last = server.ask("learn", text=f"Room. {LONG}", key="room")
    ends.append(server.end())
    with remanence.sync.open(path, embedder="none") as memory:
        assert [] == [check.detail for check in memory.doctor() if not check.ok]
        assert [*kept, "room"] == [memory.get(key).key for key in (*kept, "room")]

    assert kept
    assert {503} == {code for code, _ in refused}
    assert all("full" in said["detail"] and "make room" in said["recovery"] for _, said in refused), refused
    assert [200, 200, 200] == [found[0], again[0], last[0]]
    assert [0, 0] == ends


class Served:
    """A process that serves a file."""

    def __init__(self, path: Path, secret: str) -> None:
        self.secret = secret
        script = "from remanence.faces.cli import main; main()"
        command = [
            sys.executable,
            "-c",
            script,
            "serve",
            "--db",
            str(path),
            "--embedder",
            "none",
            "--port",
            "0",
        ]
        self.process = subprocess.Popen(
            command,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline().rpartition(":")[2])

    def ask(self, verb: str, **given: Any) -> tuple[int, Any]:
        """Call a verb; return the status and what was answered."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=HANGS_AFTER_S)
        headers = {"authorization": f"Bearer {self.secret}", "content-type": "application/json"}
        connection.request("POST", f"/v1/{verb}", json.dumps(given), headers)
        answer = connection.getresponse()
        said = json.loads(answer.read())
        connection.close()
        return answer.status, said

    def end(self) -> int:
        """End it as a service manager does; return its exit code."""
        with self.process:
            self.process.send_signal(signal.SIGTERM)
        return self.process.returncode
