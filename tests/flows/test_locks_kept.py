"""A process keeps its locks on a database as long as it has it open, so that no other one takes the log away."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

import remanence

# Opens the database, does something, lets another process open and close it, learns a text, and dies at once.
USES = """
import asyncio, os, subprocess, sys
import remanence

path, what, other = sys.argv[1:]

def opened(**more):
    return remanence.open(path, embedder="none", **more)

async def main():
    async with opened() as memory:
        said = await memory.learn("The boathouse is green.")
        await memory.learn("Wilhelmina hides the Quirkleton key.")
        if what == "a second scope":
            async with opened(scope="other") as beside:
                await beside.learn("The pier is long.")
                subprocess.run([sys.executable, "-c", other, path], check=True)
        elif what == "a second opening that ended":
            async with opened(scope="other") as beside:
                await beside.learn("The pier is long.")
        elif what == "an erasure":
            await memory.erase.apply(await memory.erase.show(2))
        elif what == "a backup":
            await memory.backup(path + ".copy")
        subprocess.run([sys.executable, "-c", other, path], check=True)
        print((await memory.learn("This was acknowledged.")).status, flush=True)
        os._exit(9)

asyncio.run(main())
"""
OTHER = """
import asyncio, sys
import remanence

async def main():
    async with remanence.open(sys.argv[1], embedder="none") as memory:
        await memory.learn("Another process was here.")

asyncio.run(main())
"""


@pytest.mark.parametrize(
    "what", ["nothing", "a second scope", "a second opening that ended", "an erasure", "a backup"]
)
async def test_what_was_acknowledged_is_there_after_another_process_closed_the_file(
    what: str, tmp_path: Path
) -> None:
    """Whatever this process opened, read or closed beside, the other one sees that the file is in use."""
    path = tmp_path / "memory.db"
    command = [sys.executable, "-c", USES, str(path), what, OTHER]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=120)
    assert "stored\n" == done.stdout, done.stderr
    async with remanence.open(path, embedder="none") as memory:
        held = {one.text for one in await memory.list()}
        assert [] == [str(one) for one in await memory.doctor() if not one.ok]

    assert {"The boathouse is green.", "Another process was here.", "This was acknowledged."} <= held


ERASES = """
import asyncio, sys
import remanence

async def main():
    async with remanence.open(sys.argv[1], embedder="none") as memory:
        for number in range(12):
            said = await memory.learn(f"Wilhelmina hides key number {number}.")
            await memory.erase.apply(await memory.erase.show(said.id))
        print(len([one for one in await memory.doctor() if not one.ok]))

asyncio.run(main())
"""
COMES_AND_GOES = """
import asyncio, sys
import remanence

async def main():
    while True:
        async with remanence.open(sys.argv[1], embedder="none") as memory:
            await memory.list()

asyncio.run(main())
"""


async def test_an_erasure_goes_on_while_another_process_opens_and_closes_the_file(tmp_path: Path) -> None:
    """What it looks through beside the file ends none of its locks."""
    path = tmp_path / "memory.db"
    async with remanence.open(path, embedder="none") as memory:
        await memory.learn("The boathouse is green.")
    other = await asyncio.create_subprocess_exec(sys.executable, "-c", COMES_AND_GOES, str(path))
    try:
        command = [sys.executable, "-c", ERASES, str(path)]
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=120)
    finally:
        other.kill()
        await other.wait()

    assert (0, "0\n") == (done.returncode, done.stdout), done.stderr


async def test_a_process_holds_no_more_files_open_than_it_needs(tmp_path: Path) -> None:
    """An erasure keeps a handle on each file that it looked through, once, until the database is closed."""
    handles = Path("/proc/self/fd")
    if not handles.exists():
        pytest.skip("this system does not list the open files of a process in /proc")
    path = tmp_path / "memory.db"
    before = len([*handles.iterdir()])
    counts = []
    async with remanence.open(path, embedder="none") as memory:
        for number in range(4):
            said = await memory.learn(f"Wilhelmina hides key {number}.")
            await memory.erase.apply(await memory.erase.show(said.id))
            counts.append(len([*handles.iterdir()]))

    assert counts[0] == counts[-1]
    assert before == len([*handles.iterdir()])
