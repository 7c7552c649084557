"""An erasure that is cut off, or has others beside it, is whole, to be finished, or not begun; never falsely proven."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from remanence import Conflict, Engine
from tests import IMPORT_PATH, ROOT
from tests.flows.erasing_at_fault import WORDS, left
from tests.flows.test_erasing import opened

HANGS_AFTER_S = 1_800
ENVIRONMENT = {**os.environ, "PYTHONPATH": IMPORT_PATH}


@pytest.mark.skipif(sys.platform != "linux", reason="it forks, and limits files")
@pytest.mark.parametrize(
    ("how", "step"),
    [
        ("killed", 150),
        pytest.param("killed", 1, marks=pytest.mark.deep),
        ("full", 1 << 18),
        pytest.param("full", 1 << 11, marks=pytest.mark.deep),
    ],
)
def test_an_erasure_that_is_cut_off_is_whole_or_to_be_finished(how: str, step: int, tmp_path: Path) -> None:
    """Killed before each statement, rename and removal, or on a disk that is full from each size of a file on."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.flows.erasing_at_fault", str(tmp_path), how, str(step)],
        env=ENVIRONMENT,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=HANGS_AFTER_S,
        check=False,
    )
    assert 0 == done.returncode, done.stderr
    found = json.loads(done.stdout)

    assert [] == found["wrong"]
    assert {"done", "killed" if how == "killed" else "pending"} <= found["seen"].keys()


BESIDE = """
import asyncio, random, sys
from pathlib import Path
import remanence
from remanence import RemanenceError
from remanence.core.clock import ManualClock

async def main(path, folder):
    chance = random.Random(7)
    async with remanence.open(path, embedder="hashed", clock=ManualClock()) as memory:
        print("ready", flush=True)
        while not (folder / "stop").exists():
            one, other = chance.sample(range(1, 25), 2)
            work = [
                lambda: memory.update(one, text=f"{(chance.choice(WORDS))} is near {chance.randrange(1000)}."),
                lambda: memory.tag(one, f"tag{chance.randrange(5)}"),
                lambda: memory.merge(one, other),
                lambda: memory.mirror.sync(folder / "mirror"),
                lambda: memory.restore(one),
            ]
            try:
                await chance.choice(work)()
            except RemanenceError as error:
                print(type(error).__name__, flush=True)
        await memory.mirror.sync(folder / "mirror")

WORDS = sys.argv[3].split()
asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
"""


async def test_an_erasure_beside_processes_that_edit_merge_and_mirror(tmp_path: Path) -> None:
    """Whatever they write meanwhile, what is erased in the end is nowhere, the folder of the mirror included."""
    path = tmp_path / "memory.db"
    async with opened(path) as memory:
        await memory.learn([f"{WORDS[n % 4]} was seen by the harbour, {n} times." for n in range(1, 25)])
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            BESIDE,
            str(path),
            str(tmp_path),
            " ".join(WORDS),
            env=ENVIRONMENT,
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        assert b"ready\n" == await process.stdout.readline()
        for first in range(1, 25, 4):
            await _erased(memory, first)
        (tmp_path / "stop").touch()
        await process.communicate()
        assert 0 == process.returncode
        while (done := await memory.erase.apply()) is not None and done.pending:
            await asyncio.sleep(0.01)
        wrong = [str(check) for check in await memory.doctor() if not check.ok]
        stand = await memory.list(status="any")

    assert ([], []) == (wrong, stand)
    assert [] == left(path)
    assert [] == [
        one for one in (tmp_path / "mirror").rglob("*.md") if "seen by the harbour" in one.read_text()
    ]


async def _erased(memory: Engine, first: int) -> None:
    """Show and erase four memories, again where somebody changed one in between."""
    while True:
        found = [one.seq for one in await memory.list(status="any") if first <= one.seq < first + 4]
        if not found:
            return
        try:
            await memory.erase.apply(await memory.erase.show(found))
        except Conflict:
            continue
