"""A forecast, or the end of images, cut off: `python -m tests.flows.forecasting_at_fault FOLDER WHAT HOW STEP`.

`killed` ends the process before a statement of SQL, a rename or a removal; `error` and `full` let the statement of that
number fail as on a disk that cannot be read, or holds no more. Each is a fork of one process, and what it left is
opened and judged by another. Prints, as JSON, what was found.
"""

import hashlib
import json
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import remanence
from remanence import Engine, RemanenceError
from remanence.core.clock import DAY, ManualClock
from remanence.flows.base.undo_data_expiry import expire
from remanence.store.sqlite import database_file
from remanence_store_kit.dump import dump
from tests.flows.erasing_at_fault import Found, apart, counted

LEARNED, LATER = 12, 61 * DAY
BROKEN = {
    "error": (sqlite3.SQLITE_IOERR, "SQLITE_IOERR", "disk I/O error"),
    "full": (sqlite3.SQLITE_FULL, "SQLITE_FULL", "database or disk is full"),
}


def main() -> None:
    """Cut it off at each place, some apart, until it comes to its end."""
    folder, what, how, step = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
    before = apart(lambda: prepared(folder))
    seen: Counter[str] = Counter()
    wrong = []
    for place in count(1, step):
        shutil.rmtree(folder / "now", ignore_errors=True)
        shutil.copytree(folder / "base", folder / "now")
        came = apart(lambda place=place: done(folder, what, how, place))  # type: ignore[misc]
        found = apart(lambda: judged(folder, what, before))
        wrong += [[place, came, bad] for bad in [*found.get("bad", [found]), *came.get("bad", [])]]
        seen[came["came"]] += 1
        if came["came"] == "done":
            break
    print(json.dumps({"seen": seen, "wrong": wrong}))


def opened(path: Path, at: int = 0) -> Engine:
    """Open a file, at once or so much later."""
    clock = ManualClock()
    clock.set(clock.now() + at)
    return remanence.open(path, embedder="hashed", clock=clock, policy="default")


async def prepared(folder: Path) -> Found:
    """Keep memories, change and hold some; return what the file holds."""
    (folder / "base").mkdir()
    async with opened(folder / "base" / "memory.db") as memory:
        for number in range(LEARNED):
            await memory.learn(f"The boathouse {number} opens at {number}.", category="message")
        await memory.consolidate()
        await memory.tag([1, 2, 5], "boats")
        await memory.hold(1, "an audit")
    async with opened(folder / "base" / "memory.db") as memory:
        return await _content(memory)


async def _content(memory: Engine) -> Found:
    """Return what a file holds, how often its memories were used, and what its audit says."""
    core = memory._core
    held = await dump(core.store, core.scope)
    uses = [row["uses"] for row in held.memories.values()]
    verbs = [part.cause.verb for part in await core.store.history(core.scope, after=0, limit=1_000)]
    return {"kept": _digest(repr(held.drop_unrestorable())), "uses": uses, "verbs": verbs}


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


async def done(folder: Path, what: str, how: str, place: int) -> Found:
    """Foretell with uses that are owed, or end images, cut off at a place; say what came, and what is wrong with it."""
    path = folder / "now" / "memory.db"
    from_now = counted(path.parent) if how == "killed" else failing(*BROKEN[how])
    memory = await opened(path, LATER if what == "expire" else 0)
    await memory.review.settle("clock", "accept")
    if what == "forecast":
        await memory.recall("boathouse")
    from_now(place)
    came, bad = "done", []
    try:
        await (memory.forecast(9) if what == "forecast" else expire(memory._core))
    except RemanenceError as error:
        came = "refused"
        bad += [] if error.recovery else [repr(error)]
    from_now(0)
    await (memory.forecast(9) if what == "forecast" else expire(memory._core))
    return {"came": came, "bad": bad}


def failing(code: int, name: str, message: str) -> Callable[[int], None]:
    """Count statements from when the answer is called; that of a number fails, before it does anything."""
    left_to_do = [0]

    class Failing(sqlite3.Connection):
        def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:
            is_counted = not sql.startswith("ROLLBACK")  # without which nothing could be taken back
            left_to_do[0] -= is_counted
            if is_counted and left_to_do[0] == 0:
                broken = sqlite3.OperationalError(message)
                broken.sqlite_errorcode, broken.sqlite_errorname = code, name
                raise broken
            return super().execute(sql, *given)

    plain = sqlite3.connect
    database_file.sqlite3.connect = lambda *given, **more: plain(*given, factory=Failing, **more)  # type: ignore[attr-defined]
    return lambda place: left_to_do.__setitem__(0, place)


async def judged(folder: Path, what: str, before: Found) -> Found:
    """Return what is wrong with what was left: anything but uses, a piece of an end, an unsound store."""
    async with opened(folder / "now" / "memory.db", LATER if what == "expire" else 0) as memory:
        await memory.review.settle("clock", "accept")
        found = await _content(memory)
        bad = [str(check) for check in await memory.doctor() if not check.ok]
        bad += [] if found["kept"] == before["kept"] else ["other content"]
        if what == "forecast":
            counted_in = [now - was for now, was in zip(found["uses"], before["uses"], strict=True)]
            bad += [] if {*counted_in} <= {0, 1} else [f"uses: {counted_in}"]
            more = found["verbs"][len(before["verbs"]) :]
            bad += [] if {*more} <= {"use"} else [f"other runs: {more}"]
            await memory.forecast(9)
        else:
            await expire(memory._core)
            held, other = await memory.history(1), await memory.history(3)
            bad += [] if held and not other else ["images that are held, or that are left"]
            bad += [str(check) for check in await memory.doctor() if not check.ok]
    return {"bad": bad}


if __name__ == "__main__":
    main()
