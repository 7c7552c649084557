"""One erasure after another, each cut off at another place: `python -m tests.flows.erasing_at_fault FOLDER HOW STEP`.

`killed` ends the process before a statement of SQL, a rename or a removal in the folder; `full` lets no file grow past
so many bytes. Each is a fork of one process; what it left is opened and judged by another. Prints, as JSON, what was
found.
"""

import asyncio
import json
import os
import resource
import shutil
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from typing import Any

import remanence
from remanence import Engine, RemanenceError
from remanence.core.clock import ManualClock
from remanence.store.sqlite import database_file

SAID = (
    "Wilhelmina hides the Quirkleton key beneath the marmalade bridge.",
    "Quirkleton saw Bartholomeus near the Zanzibarium at dusk.",
    "The Zanzibarium opens when Bartholomeus sings.",
)
WORDS = ("Quirkleton", "Zanzibarium", "Bartholomeus", "marmalade")
OTHERS = 10
GROWN_MAX = 1 << 20  # bytes that no file of so small a memory reaches
FULL_FROM = 1 << 12
EVENTS = frozenset({"os.rename", "os.remove"})
Found = dict[str, Any]


def main() -> None:
    """Cut off the erasure at each place, some apart, until one comes to its end."""
    folder, how, step = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    apart(lambda: prepared(folder))
    seen: Counter[str] = Counter()
    wrong = []
    places = count(1, step) if how == "killed" else range(FULL_FROM, GROWN_MAX, step)
    for place in places:
        shutil.rmtree(folder / "now", ignore_errors=True)
        shutil.copytree(folder / "base", folder / "now")
        came = apart(lambda place=place: erased(folder, how, place))  # type: ignore[misc]
        found = apart(lambda: judged(folder))
        wrong += [[place, came, bad] for bad in [*found.get("bad", [found]), *came.get("bad", [])]]
        seen[came["came"]] += 1
        if came["came"] == "done":
            break
    print(json.dumps({"seen": seen, "wrong": wrong}))


def apart(work: Callable[[], Awaitable[Found]]) -> Found:
    """Do something in a fork, and return what it found; that it was killed where it was."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, json.dumps(asyncio.run(_told(work))).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        said = told.read()
    os.waitpid(child, 0)
    found: Found = json.loads(said) if said else {"came": "killed"}
    return found


async def _told(work: Callable[[], Awaitable[Found]]) -> Found:
    return await work()


def opened(path: Path) -> Engine:
    """Open a file."""
    return remanence.open(path, embedder="hashed", clock=ManualClock(), erased_since="erase")


async def prepared(folder: Path) -> Found:
    """Keep memories, change them, and keep an older copy."""
    (folder / "base").mkdir()
    async with opened(folder / "base" / "memory.db") as memory:
        await memory.learn([*SAID, *(f"The boathouse {n} opens at {n}." for n in range(OTHERS))])
        await memory.consolidate()
        await memory.tag([1, 2, 5], "boats")
        await memory.update(1, text=f"{SAID[0]} Or did.")
        await memory.backup(folder / "older.db")
    return {}


async def erased(folder: Path, how: str, place: int) -> Found:
    """Erase what was said, cut off at a place; return what came of it, and what is wrong with that."""
    path = folder / "now" / "memory.db"
    killed_at = counted(path.parent)
    memory = await opened(path)
    shown = await memory.erase.show([1, 2, 3])
    if how == "killed":
        killed_at(place)
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (place, resource.RLIM_INFINITY))
    came, bad = "refused", []
    try:
        done = await memory.erase.apply(shown)
        came = "pending" if done.pending else "done"
        if came == "done" and (left(path) or not list(path.parent.glob("*.erased"))):
            bad.append(f"falsely proven: {left(path)}")
    except RemanenceError as error:
        if not error.recovery:
            bad.append(repr(error))
    return {"came": came, "bad": bad}


def counted(folder: Path) -> Callable[[int], None]:
    """Count statements, renames and removals from when the answer is called; that of a number is never begun."""
    left_to_do = [0]

    def reached(*_: object) -> None:
        left_to_do[0] -= 1
        if left_to_do[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def heard(event: str, arguments: tuple[object, ...]) -> None:
        if event in EVENTS and str(arguments[0]).startswith(str(folder)):
            reached()

    def connect(*arguments: Any, **more: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = plain(*arguments, **more)
        connection.set_trace_callback(reached)
        return connection

    plain, database_file.sqlite3.connect = sqlite3.connect, connect  # type: ignore[attr-defined]
    sys.addaudithook(heard)
    return lambda place: left_to_do.__setitem__(0, place)


async def judged(folder: Path) -> Found:
    """Return what is wrong with what was left: torn, not to be finished, not gone, or back with an older copy."""
    path = folder / "now" / "memory.db"
    bad: list[str] = []
    async with opened(path) as memory:
        texts = [one.text for one in await memory.list()]
        stands = {any(said in text for text in texts) for said in SAID}
        if len(stands) > 1 or len(texts) != OTHERS + len(SAID) * (True in stands):
            bad.append(f"torn: {texts}")
        if True in stands:
            await memory.erase.apply(await memory.erase.show([1, 2, 3]))
        done = await memory.erase.apply()
        bad += [str(done)] if done is not None and not (done.is_well and not done.pending) else []
        bad += [str(check) for check in await memory.doctor() if not check.ok or check.name == "erased"]
    bad += left(path)
    shutil.copy(folder / "older.db", path)
    async with opened(path) as memory:
        bad += [text for text in [one.text for one in await memory.list()] if "boathouse" not in text]
    return {"bad": [*bad, *left(path)]}


def left(path: Path) -> list[str]:
    """Return which words stand in a file of the database."""
    data = b"".join(one.read_bytes() for one in sorted(path.parent.glob(f"{path.name}*")))
    return [word for word in WORDS if word.encode() in data or word.lower().encode() in data]


if __name__ == "__main__":
    main()
