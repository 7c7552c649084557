"""What a user may set, per scope and for every process: numbers and words, each declared here with its bounds.

Numbers of curation are those of a policy's rules, numbers of a frame its own; they are no settings.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import tzinfo
from pathlib import Path
from typing import Any, Literal, overload

from remanence.core.arguments import check_count
from remanence.core.errors import InvalidInput, NameUnknown, format_value
from remanence.core.local_time import place_time, to_local
from remanence.core.results import Result, visible
from remanence.flows.base.context import QUIET, Core
from remanence.flows.base.permission_checks import verb_class
from remanence.flows.base.recall_settings import (
    LEAVES_OUT,
    LINKS,
    LINKS_BUILT_IN,
    find_policy_value,
    parse_left_out,
)
from remanence.flows.base.zones import ZONE, find_zone
from remanence.gate.personal_rules import PERSONAL, parse_rules
from remanence.read.extraction import (
    EXTRACT_CATEGORIES,
    EXTRACT_INSTRUCTION,
    INSTRUCTION_CHARS_MAX,
    wanted_of,
)
from remanence.store.base import Bookkeeping, setting_row
from remanence.text.analysis import check_text

WORDS_MAX = 10_000
ZONE_CHARS_MAX = 100
MIRROR_FOLDER = "mirror_folder"


@dataclass(frozen=True, slots=True, repr=False)
class Setting(Result):
    """One setting and its current value: a whole number between two bounds, or words.

    Of words `least` and `most` count the characters. `source` says who set the value: a user, the policy in force, or
    nobody.
    """

    name: str
    value: int | str
    least: int
    most: int
    meaning: str
    source: Literal["builtin", "user", "policy"] = "builtin"

    @property
    def is_switch(self) -> bool:
        """Whether it is on or off: 1 or 0."""
        return isinstance(self.value, int) and (self.least, self.most) == (0, 1)

    def __str__(self) -> str:
        value = f"{self.value:,}" if isinstance(self.value, int) else repr(self.value)
        return visible(f"{self.name} = {value} ({self.meaning})")


SETTINGS: Mapping[str, Setting] = {
    one.name: one
    for one in (
        Setting("audit_days", 60, 1, 36_500, "Keep undo data for this many days."),
        Setting(
            "boot_tokens",
            1_600,
            1,
            1_000_000,
            "Limit the start context to this many tokens if no budget is given.",
        ),
        Setting("boxes", 1, 0, 1, "Group turns into boxes by subject, and boxes into traces; 0 = off."),
        Setting(
            "consolidate_idle_minutes",
            30,
            0,
            1_000_000,
            "Consolidate after this many minutes without anything new; 0 = off.",
        ),
        Setting(
            "embedder_tokens_day",
            50_000_000,
            1_000,
            1_000_000_000_000,
            "Use at most this many tokens of an embedder on a server per day (UTC); the rest waits.",
        ),
        Setting(
            "engine_actions",
            1,
            0,
            1,
            "Let the engine extract, link and summarize by itself; 0 = off, the work waits.",
        ),
        Setting(
            EXTRACT_CATEGORIES,
            "",
            0,
            WORDS_MAX,
            "Extract only facts of these categories, with commas between, or all but those written as -NAME;"
            " empty = all.",
        ),
        Setting(
            EXTRACT_INSTRUCTION,
            "",
            0,
            INSTRUCTION_CHARS_MAX,
            "Tell the model which facts to extract and which to ignore, in your own words; rules without a model"
            " ignore it.",
        ),
        Setting(
            "frame_limit",
            5,
            1,
            1_000,
            "Return at most this many memories from a frame without its own limit.",
        ),
        Setting(
            MIRROR_FOLDER,
            "",
            0,
            4_000,
            "Keep the memory as text files in this folder (absolute path); empty = no mirror.",
        ),
        Setting(
            "note_minutes",
            15,
            0,
            10_000,
            "Extract facts when the oldest turn has waited this many minutes; 0 = off.",
        ),
        Setting("note_turns", 5, 0, 10_000, "Extract facts after this many turns; 0 = off."),
        Setting(
            PERSONAL,
            "",
            0,
            1_000,
            "Keep or replace personal data by kind and trust; empty = keep what user and agent say, mask PINs and"
            " passwords.",
        ),
        Setting(
            LEAVES_OUT,
            "",
            0,
            100,
            "Leave archived or stale memories out of recall: archived, stale or archived,stale; empty = leave none"
            " out.",
        ),
        Setting(
            LINKS,
            LINKS_BUILT_IN,
            0,
            100,
            "Raise memories linked to the best results by up to this percent of the best score; 0 = off.",
        ),
        Setting(
            "summary_tokens",
            1_500,
            0,
            1_000_000,
            "Merge related reflections into one of at most this many tokens; 0 = off.",
        ),
        Setting(
            "writer_cents",
            0,
            0,
            1_000_000,
            "Price of the model in cents per million tokens, input and output alike; 0 = unknown.",
        ),
        Setting(
            "writer_tokens_day",
            2_000_000,
            1_000,
            1_000_000_000_000,
            "Use at most this many tokens of the model per day (UTC); the rest waits until tomorrow.",
        ),
        Setting(
            ZONE,
            "",
            0,
            ZONE_CHARS_MAX,
            "Use the clocks of this IANA zone, such as Europe/Oslo, where a time names none; empty = UTC.",
        ),
    )
}


def built_in() -> dict[str, dict[str, Any]]:
    """Return the rows of the bookkeeping that hold the settings where nobody has set them."""
    return {setting_row(name): {"source": "builtin", "value": one.value} for name, one in SETTINGS.items()}


async def seed(core: Core, rows: Mapping[str, Mapping[str, Any]]) -> None:
    """Put built-in rows where there are none, and in place of what an older version put; a user's stay."""
    now = core.clock.now()
    current = (await core.store.bookkeep(core.scope, Bookkeeping(now, get=tuple(rows)))).values
    swap = {
        name: (current.get(name), row)
        for name, row in rows.items()
        if name not in current or (current[name] != row and current[name]["source"] == "builtin")
    }
    if swap and not core.reads_only:
        await core.store.bookkeep(core.scope, Bookkeeping(now, swap=swap))


async def number(core: Core, name: str) -> int:
    """Return what a setting is now that is a number."""
    return (await numbers(core, name))[0]


async def numbers(core: Core, *names: str) -> list[int]:
    """Return what some settings are now that are numbers, by one read."""
    values = await _read_values(core, names)
    assert all(isinstance(value, int) for value in values), names
    return [int(value) for value in values]


def rows_of(*names: str) -> tuple[str, ...]:
    """Return the bookkeeping's names of some settings, for who reads more than settings at once."""
    return tuple(setting_row(_find_setting(name).name) for name in names)


def numbers_in(rows: Mapping[str, Any], *names: str) -> list[int]:
    """Return what some settings are that are numbers, by rows that were read."""
    return [int(_describe_setting(_find_setting(name), rows).value) for name in names]


def words_in(rows: Mapping[str, Any], *names: str) -> list[str]:
    """Return what some settings are that are words, by rows that were read."""
    return [str(_describe_setting(_find_setting(name), rows).value) for name in names]


async def words(core: Core, *names: str) -> list[str]:
    """Return what some settings are now that are words, by one read."""
    values = await _read_values(core, names)
    assert all(isinstance(value, str) for value in values), names
    return [str(value) for value in values]


async def read_zone(core: Core) -> tzinfo | None:
    """Return the zone of a scope, None where it has none; another process may have said so since."""
    (name,) = await words(core, ZONE)
    return find_zone(name) if name else None


async def read_local_now(core: Core) -> int:
    """Return what the clocks of a scope show now, in microseconds as if they showed UTC."""
    return int(to_local(*place_time(core.clock.now(), await read_zone(core))))


async def _read_values(core: Core, names: tuple[str, ...]) -> list[int | str]:
    declarations = [_find_setting(name) for name in names]
    request = Bookkeeping(core.clock.now(), get=tuple(map(setting_row, names)))
    rows = (await core.store.bookkeep(core.scope, request)).values
    return [_describe_setting(one, rows).value for one in declarations]


@verb_class("settings")
class Settings:
    """The settings of a memory: `memory.settings`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    @overload
    async def get(self, name: None = None) -> list[Setting]: ...
    @overload
    async def get(self, name: str) -> Setting: ...
    async def get(self, name: str | None = None) -> Setting | list[Setting]:
        """Show one setting, or all.

        Raises NameUnknown where there is none of that name.
        """
        declared = SETTINGS.values() if name is None else [_find_setting(name)]
        request = Bookkeeping(self._core.clock.now(), get=tuple(setting_row(one.name) for one in declared))
        rows = (await self._core.store.bookkeep(self._core.scope, request)).values
        current = [_follow_policy(self._core, _describe_setting(one, rows)) for one in declared]
        return current if name is None else current[0]

    async def set(self, name: str, value: int | str | None) -> Setting:
        """Change a setting for every process that opens this scope; None resets it.

        Raises NameUnknown where there is none of that name, InvalidInput where the value is out of its bounds.
        """
        declared = _find_setting(name)
        if value is not None:
            _check_value(declared, value)
        row = (
            {"source": "user", "value": value}
            if value is not None
            else {"source": "builtin", "value": declared.value}
        )
        await self._core.store.bookkeep(
            self._core.scope, Bookkeeping(self._core.clock.now(), put={setting_row(name): row, QUIET: None})
        )
        return await self.get(name)


def _check_value(one: Setting, value: object) -> None:
    """Refuse a value out of its bounds, and words that mean nothing."""
    if isinstance(one.value, int):
        check_count(one.name, value, one.least, one.most)
        return
    if not isinstance(value, str) or len(value) > one.most:
        raise InvalidInput(
            f"{one.name} is {format_value(value)}",
            recovery=f"use a text of at most {one.most:,} characters",
        )
    if value:
        check_text(value)
    if one.name == MIRROR_FOLDER and value and not Path(value).is_absolute():
        raise InvalidInput(
            f"{one.name} is {format_value(value)}",
            recovery="name the folder by its whole path, from the root on",
        )
    if one.name == PERSONAL:
        parse_rules(value)
    if one.name == LEAVES_OUT:
        parse_left_out(value)
    if one.name == ZONE:
        find_zone(value)
    if one.name == EXTRACT_CATEGORIES:
        wanted_of(value, "")


def _describe_setting(declared: Setting, rows: Mapping[str, Any]) -> Setting:
    """Say what a setting is now, by the rows of the bookkeeping."""
    row = rows.get(setting_row(declared.name))
    return declared if row is None else replace(declared, value=row["value"], source=row["source"])


def _follow_policy(core: Core, current: Setting) -> Setting:
    """Put what the policy says in place of a built-in value."""
    said = find_policy_value(core.policy.recall, current.name) if current.source == "builtin" else None
    return current if said is None else replace(current, value=said, source="policy")


def _find_setting(name: str) -> Setting:
    if name not in SETTINGS:
        raise NameUnknown("setting", str(name), SETTINGS)
    return SETTINGS[name]
