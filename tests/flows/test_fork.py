"""A process that is forked while a memory is open is told to open its own; it never waits for a thread it lacks."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
HANGS_AFTER_S = 300  # only where the child waits for ever
ROOT = Path(__file__).parents[2]

# The child does its work in a thread with a loop of its own, as servers do, and tells what came of it.
PROGRAM = """
import asyncio, json, os, sys, threading
import remanence

def told(act):
    try:
        act()
    except remanence.StoreUnavailable as error:
        return [str(error), error.recovery]
    return "worked"

def in_child(acts):
    read, write = os.pipe()
    if os.fork() == 0:
        said = {}
        thread = threading.Thread(target=lambda: said.update({name: told(act) for name, act in acts.items()}))
        thread.start()
        thread.join()
        os.write(write, json.dumps(said).encode())
        os._exit(0)
    os.close(write)
    os.wait()
    return json.loads(os.read(read, 65536))

async def asynchronous(path):
    async with remanence.open(path, embedder="hashed") as memory:
        await memory.learn("before the fork", key="a")
        frames = memory.frames
        await memory._group_commit._turn.acquire()  # as it is while a learn is under way
        said = in_child({
            "learn": lambda: asyncio.run(memory.learn("in the child")),
            "get": lambda: asyncio.run(memory.get("a")),
            "frames": lambda: asyncio.run(frames.get()),
            "close": lambda: asyncio.run(memory.close()),
        })
        memory._group_commit._turn.release()
        await memory.learn("after the fork")
        return said, (await memory.status()).memories

said, memories = asyncio.run(asynchronous(sys.argv[1]))
with remanence.sync.open(sys.argv[1], embedder="hashed") as memory:
    memory._portal._lock.acquire()  # as it is while another thread calls
    plain = in_child({"learn": lambda: memory.learn("in the child"), "close": memory.close})
    memory._portal._lock.release()
    memory.learn("after the second fork")
    print(json.dumps({"async": said, "sync": plain, "memories": [memories, memory.status().memories]}))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the children and the parent tell."""
    path = tmp_path_factory.mktemp("fork") / "memory.db"
    program = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", PROGRAM, str(path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        program, capture_output=True, text=True, timeout=HANGS_AFTER_S, check=False, env=environment
    )

    assert "" == done.stderr
    return json.loads(done.stdout)


TOLD = [
    "this memory was opened by the process that this one was forked from",
    "open the memory in the child; the parent keeps its own",
]


def test_an_async_child_is_told(said: Any) -> None:
    """Every verb says so at once, whatever was under way in the parent; closing is the parent's."""
    assert {"learn": TOLD, "get": TOLD, "frames": TOLD, "close": "worked"} == said["async"]


def test_a_plain_child_is_told(said: Any) -> None:
    """The same through the plain twins."""
    assert {"learn": TOLD, "close": "worked"} == said["sync"]


def test_the_parent_goes_on(said: Any) -> None:
    """What the children tried changed nothing."""
    assert [2, 3] == said["memories"]
