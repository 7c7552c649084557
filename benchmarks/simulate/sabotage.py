"""Faults that are planted, one for each criterion: the checker has to notice each of them.

A fault is a policy beside the janitor's, or a part of the engine that is put out of order while the days go by.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

from remanence.core.change import Cause, Change, Entry
from remanence.core.clock import DAY
from remanence.core.snapshot import Bools, Snapshot
from remanence.curate.planner.protection import Guarding
from remanence.engine import Engine
from remanence.flows.schedule import ticking
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.memory.memory_store import MemoryStore

CAME = ("said_at", "learned_at")  # columns of when a memory came
_EXTENDED = 'version = 1\nextend = "janitor"\n'
# The janitor's own rules select nothing that a rail protects: this one does, so that rails have something to keep.
JANITOR = f"""{_EXTENDED}
[[rule]]
name = "sweep"
every = "rapid"
phase = "expire"
where = "category in ('identity', 'agent_key', 'migration', 'configuration', 'task', 'session_context')"
do = "prune"
because = "nobody asked for it"
"""


@dataclass(frozen=True)
class Fault:
    """What is wrong, by which policy the fleet goes, and what of the engine is put out of order meanwhile."""

    says: str
    policy: str = JANITOR
    broken: tuple[Any, str, Callable[[Any], Any]] | None = None

    @contextmanager
    def planted(self) -> Iterator[None]:
        """Put it out of order for a block."""
        if self.broken is None:
            yield
            return
        where, name, instead = self.broken
        with patch.object(where, name, instead(getattr(where, name))):
            yield


def _off(*rules: str) -> str:
    return _EXTENDED + "".join(f'[[override]]\nname = "{rule}"\noff = true\n' for rule in rules)


def _failing(jobs: Mapping[str, Any]) -> Mapping[str, Any]:
    async def fail(_: object) -> None:
        raise OSError("no room is left")

    return {**jobs, "consolidate": fail}


def _unguarded(blocked: Callable[[Guarding, str], Bools]) -> Callable[[Guarding, str], Bools]:
    return lambda self, action: blocked(self, action) & False


def _writing(plan: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def planned(self: Engine, *args: Any, **more: Any) -> Any:
        await self.learn("Somebody asked what would be curated.")
        return await plan(self, *args, **more)

    return planned


def _forgetful(commit: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def committed(self: SqliteStore, scope: str, entries: Any, cause: Cause) -> Any:
        return await commit(self, scope, entries, replace(cause, fired=()))

    return committed


def _restoring_more(commit: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    def more(entry: Entry) -> Entry:
        if isinstance(entry, Change) and entry.table == "memories" and entry.after is not None:
            return replace(entry, after={**entry.after, "importance": 0.5})
        return entry

    async def committed(self: SqliteStore, scope: str, entries: Any, cause: Cause) -> Any:
        kept = [more(entry) for entry in entries] if cause.verb == "restore" else entries
        return await commit(self, scope, kept, cause)

    return committed


def _younger(snapshot: Callable[..., Awaitable[Snapshot]]) -> Callable[..., Awaitable[Snapshot]]:
    async def read(self: MemoryStore, *args: Any, **more: Any) -> Snapshot:
        seen = await snapshot(self, *args, **more)
        later = {name: column + DAY for name, column in seen.columns.items() if name in CAME}
        return replace(seen, columns={**seen.columns, **later})

    return read


_AGAIN = f"""{_EXTENDED}
[[rule]]
name = "best"
every = "rapid"
phase = "reinforce"
where = "status == 'active'"
order = "uses desc"
top = 5
period = "40 hours"
do = "reinforce"
because = "the five that are used most stay fresh"
"""

_CHANGED = _EXTENDED + "[[override]]\n{}\n"
_OLDEST_FIRST = 'name = "hot-budget"\norder = "last_used asc, seq asc"'
_ANY_TIME = 'name = "cold-used"\nwhere = "tier == \'cold\' and uses(7) >= 1"'

FAULTS: Mapping[str, Fault] = {
    "E1": Fault("work of each tick fails", broken=(ticking, "JOBS", _failing)),
    "E2": Fault("nothing keeps warm memory within its budget", _off("warm-budget")),
    "E3": Fault("read notices have no life time", _off("read-notices")),
    # The budget takes most of them before their time.
    "E4": Fault(
        "finished tasks have no life time, nor cold memory a budget", _off("finished-tasks", "cold-budget")
    ),
    "E5": Fault("no guard is asked", JANITOR, (Guarding, "mark_blocked", _unguarded)),
    "E6": Fault("a dry run writes", broken=(Engine, "plan", _writing)),
    "E7": Fault("a rule with a period fires at each run", _AGAIN, (SqliteStore, "commit", _forgetful)),
    "E8": Fault("what is restored matters more than before", broken=(SqliteStore, "commit", _restoring_more)),
    "E9": Fault(
        "the memory store says that all came a day later", broken=(MemoryStore, "snapshot", _younger)
    ),
    "E10": Fault("nothing cools that is not used", _off("hot-unused")),
    "E11": Fault("the hot budget keeps what was used longest ago", _CHANGED.format(_OLDEST_FIRST)),
    "E12": Fault(
        "whatever was used once comes nearer, however long ago that was", _CHANGED.format(_ANY_TIME)
    ),
    "E13": Fault("nothing keeps in place what is worked with", _off("busy")),
}
