"""Numbers that a user may set, per scope and for every process: each declared here with its bounds and its meaning.

Numbers of curation are those of a policy's rules, numbers of a frame its own; they are no settings.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from remanence.arguments import check_count
from remanence.errors import NameUnknown
from remanence.flows.core import Core
from remanence.results import Result
from remanence.signatures import checked_class
from remanence.store.base import Bookkeeping

UNDER = "setting/"  # what the bookkeeping's names of settings begin with


@dataclass(frozen=True, slots=True, repr=False)
class Setting(Result):
    """One setting: a whole number between two bounds, what it is now, and whether a user said so."""

    name: str
    value: int
    least: int
    most: int
    meaning: str
    source: Literal["builtin", "user"] = "builtin"

    def __str__(self) -> str:
        return f"{self.name} = {self.value:,} ({self.meaning})"


SETTINGS: Mapping[str, Setting] = {
    one.name: one
    for one in (
        Setting(
            "boot_tokens", 1_600, 1, 1_000_000, "how many tokens `boot` returns where no budget is given"
        ),
        Setting(
            "consolidate_at_end",
            1_000,
            0,
            1_000_000,
            "how much of the inbox the end of a session makes active",
        ),
        Setting(
            "episodes_prunable",
            50,
            0,
            10_000_000,
            "above so many prunable episodes `doctor` advises to compact",
        ),
        Setting(
            "frame_limit", 5, 1, 1_000, "how many memories a frame returns where it says no number itself"
        ),
        Setting("heartbeat_seconds", 60, 1, 3_600, "how often an open session's time is counted"),
        Setting("note_at_once", 1, 0, 1, "whether a turn with a high signal is listened to at once"),
        Setting(
            "note_minutes",
            15,
            0,
            10_000,
            "after so many minutes the oldest turn has waited long enough; 0 for never",
        ),
        Setting("note_turns", 5, 0, 10_000, "so many waiting turns are listened to together; 0 for never"),
        Setting(
            "writer_tokens_day",
            2_000_000,
            1_000,
            1_000_000_000_000,
            "how many tokens a writer's answers may take a day, UTC, before work waits",
        ),
        Setting(
            "writer_tokens_run",
            1_000_000,
            1_000,
            1_000_000_000_000,
            "how many tokens a writer's answers may take in one run before work waits",
        ),
    )
}


def built_in() -> dict[str, dict[str, Any]]:
    """Return the rows of the bookkeeping that hold the settings where nobody has set them."""
    return {_row(name): {"source": "builtin", "value": one.value} for name, one in SETTINGS.items()}


async def seed(core: Core, rows: Mapping[str, Mapping[str, Any]]) -> None:
    """Put built-in rows where there are none, and in place of what an older version put; a user's stay."""
    now = core.clock.now()
    held = (await core.store.bookkeep(core.scope, Bookkeeping(now, get=tuple(rows)))).values
    swap = {
        name: (held.get(name), row)
        for name, row in rows.items()
        if name not in held or (held[name] != row and held[name]["source"] == "builtin")
    }
    if swap:
        await core.store.bookkeep(core.scope, Bookkeeping(now, swap=swap))


async def number(core: Core, name: str) -> int:
    """Return what a setting is now."""
    return (await Settings(core).get(name)).value


@checked_class
class Settings:
    """The settings of a memory: `memory.settings`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def all(self) -> list[Setting]:
        """List all settings, by name."""
        asked = Bookkeeping(self._core.clock.now(), under=(UNDER,))
        rows = (await self._core.store.bookkeep(self._core.scope, asked)).values
        return [_current(one, rows) for one in SETTINGS.values()]

    async def get(self, name: str) -> Setting:
        """Show one setting.

        Raises NameUnknown where there is none of that name.
        """
        declared = _declared(name)
        asked = Bookkeeping(self._core.clock.now(), get=(_row(name),))
        return _current(declared, (await self._core.store.bookkeep(self._core.scope, asked)).values)

    async def set(self, name: str, value: int) -> Setting:
        """Set a setting for every process that opens this scope."""
        one = _declared(name)
        check_count(name, value, one.least, one.most)
        row = {"source": "user", "value": value}
        await self._core.store.bookkeep(
            self._core.scope, Bookkeeping(self._core.clock.now(), put={_row(name): row})
        )
        return await self.get(name)


def _row(name: str) -> str:
    return f"{UNDER}{name}"


def _current(declared: Setting, rows: Mapping[str, Any]) -> Setting:
    """Say what a setting is now, by the rows of the bookkeeping."""
    row = rows.get(_row(declared.name))
    return declared if row is None else replace(declared, value=row["value"], source=row["source"])


def _declared(name: str) -> Setting:
    if name not in SETTINGS:
        raise NameUnknown("setting", str(name), SETTINGS)
    return SETTINGS[name]
