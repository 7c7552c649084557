"""A memory is closed while the disk is full: what was answered is kept, and what was not written is said."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import remanence

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
