"""What a user may set, per scope and for every process: numbers and words, each declared here with its bounds.

Numbers of curation are those of a policy's rules, numbers of a frame its own; they are no settings.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from remanence.core.arguments import check_count
from remanence.core.errors import InvalidInput, NameUnknown, format_value
from remanence.core.results import Result, visible
from remanence.core.toml import parse_toml
from remanence.flows.base.context import QUIET, Core
from remanence.flows.base.permission_checks import verb_class
from remanence.flows.indexes.archive_index import (
    INDEXED_MOST,
    INDEXED_MOST_BUILT_IN,
    LINKS,
    LINKS_BUILT_IN,
    OPEN,
    OPEN_BUILT_IN,
    STALE,
    STALE_BUILT_IN,
)
from remanence.gate.personal_rules import PERSONAL, parse_rules
from remanence.read.extraction import (
    EXTRACT_INSTRUCTION,
    EXTRACT_NEVER,
    EXTRACT_ONLY,
    INSTRUCTION_CHARS_MAX,
    wanted_of,
)
from remanence.store.base import SETTING_PREFIX, Bookkeeping, setting_row
from remanence.text.analysis import check_text

WORDS_MAX = 10_000
MIRROR_FOLDER = "mirror_folder"
DOCUMENT_CHARS_MAX = 100_000
EXTRACTED = (EXTRACT_ONLY, EXTRACT_NEVER, EXTRACT_INSTRUCTION)


@dataclass(frozen=True, slots=True, repr=False)
class Setting(Result):
    """One setting, what it is now, and whether a user said so: a whole number between two bounds, or words.

    Of words `least` and `most` count the characters. What is `advanced` tunes the inside, and rarely needs anybody.
    """

    name: str
    value: int | str
    least: int
    most: int
    meaning: str
    source: Literal["builtin", "user"] = "builtin"
    advanced: bool = False

    def __str__(self) -> str:
        value = f"{self.value:,}" if isinstance(self.value, int) else repr(self.value)
        return visible(f"{self.name} = {value} ({self.meaning})")


# They tune the inside: how turns are cut, when a step comes, what is kept in memory.
ADVANCED = frozenset(
    "archive_indexed_most box_gap_minutes box_overlap_percent box_turns consolidate_at_end consolidate_extractions"
    " consolidate_idle_minutes consolidate_minutes heartbeat_seconds recall_links summaries_run"
    " trace_days trace_overlap_percent".split()
)
SETTINGS: Mapping[str, Setting] = {
    one.name: replace(one, advanced=one.name in ADVANCED)
    for one in (
        Setting(
            INDEXED_MOST,
            INDEXED_MOST_BUILT_IN,
            0,
            1_000_000_000,
            "the most archived memories that recall keeps whole in memory; of more it keeps hashes of their words",
        ),
        Setting("audit_days", 60, 1, 36_500, "for how many days what a run changed can be taken back"),
        Setting(
            "boot_tokens", 1_600, 1, 1_000_000, "how many tokens `boot` returns where no budget is given"
        ),
        Setting("box_gap_minutes", 30, 1, 100_000, "after so many minutes without a turn a box is sealed"),
        Setting(
            "box_overlap_percent",
            35,
            0,
            100,
            "below this overlap of what is spoken of, another matter begins and a box is sealed",
        ),
        Setting("box_turns", 50, 2, 1_000, "the most turns in a box; the next one begins another"),
        Setting("boxes", 1, 0, 1, "whether turns that were listened to are put into boxes"),
        Setting(
            "consolidate_at_end",
            1_000,
            0,
            1_000_000,
            "how much of the inbox the end of a session makes active",
        ),
        Setting(
            "consolidate_extractions",
            3,
            0,
            10_000,
            "after so many extractions that found something it consolidates by itself; 0 for never",
        ),
        Setting(
            "consolidate_idle_minutes",
            30,
            0,
            1_000_000,
            "after so many quiet minutes it consolidates what waits by itself; 0 for never",
        ),
        Setting(
            "consolidate_minutes",
            10,
            0,
            1_000_000,
            "so many minutes lie between two consolidations by itself",
        ),
        Setting(
            "embedder_tokens_day",
            50_000_000,
            1_000,
            1_000_000_000_000,
            "how many tokens an embedder on a server may take a day, UTC, before work waits",
        ),
        Setting(
            "embedder_tokens_run",
            20_000_000,
            1_000,
            1_000_000_000_000,
            "how many tokens an embedder on a server may take in one run before work waits",
        ),
        Setting(
            "engine_actions",
            1,
            0,
            1,
            "whether the engine extracts, links and sums up by itself; else it waits",
        ),
        Setting(
            "episodes_prunable",
            50,
            0,
            10_000_000,
            "above so many prunable episodes `doctor` advises to compact",
        ),
        Setting(
            EXTRACT_INSTRUCTION,
            "",
            0,
            INSTRUCTION_CHARS_MAX,
            "what a writer is to look for in turns and what to leave alone; rules follow none",
        ),
        Setting(
            EXTRACT_NEVER, "", 0, WORDS_MAX, "categories of which no fact is extracted, with commas between"
        ),
        Setting(
            EXTRACT_ONLY, "", 0, WORDS_MAX, "categories of which alone facts are extracted; none for all ten"
        ),
        Setting(
            "frame_limit", 5, 1, 1_000, "how many memories a frame returns where it says no number itself"
        ),
        Setting("heartbeat_seconds", 60, 1, 3_600, "how often an open session's time is counted"),
        Setting(
            MIRROR_FOLDER,
            "",
            0,
            4_000,
            "the folder that ticks keep as a mirror, by its whole path; none for no mirror",
        ),
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
            PERSONAL,
            "",
            0,
            1_000,
            "which personal data are kept, by kind and trust; none for what user and agent say, but no PIN or password",
        ),
        Setting("profile_lines", 100, 1, 1_000, "how many lines a profile has at most"),
        Setting(
            OPEN,
            OPEN_BUILT_IN,
            0,
            1,
            "whether recall also finds what is archived, behind what is as good and stands",
        ),
        Setting(
            LINKS,
            LINKS_BUILT_IN,
            0,
            100,
            "how much of the best score a recall adds to what links of the best lead to, in percent; 0 for nothing",
        ),
        Setting(
            STALE,
            STALE_BUILT_IN,
            0,
            1,
            "whether recall and frames find what is stale or archived by its lifecycle; 0 leaves it out before ranking",
        ),
        Setting(
            "summaries_run",
            10,
            0,
            1_000,
            "how many archived memories one run of a policy sums up at most, by a writer or without",
        ),
        Setting(
            "summary_tokens",
            1_500,
            0,
            1_000_000,
            "how many tokens reflections that are drawn together may have; 0 to leave them as they are",
        ),
        Setting("trace_days", 7, 1, 3_650, "a box joins a trace at most so many days away"),
        Setting("trace_overlap_percent", 40, 1, 100, "from this overlap of topics on a box joins a trace"),
        Setting("traces", 1, 0, 1, "whether sealed boxes are joined to traces"),
        Setting(
            "writer_cents",
            0,
            0,
            1_000_000,
            "how many cents a million tokens of the writer cost, questions and answers alike; 0 where not known",
        ),
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
    values = await _values(core, names)
    assert all(isinstance(value, int) for value in values), names
    return [int(value) for value in values]


def rows_of(*names: str) -> tuple[str, ...]:
    """Return the bookkeeping's names of some settings, for who reads more than settings at once."""
    return tuple(setting_row(_find_setting(name).name) for name in names)


def numbers_in(rows: Mapping[str, Any], *names: str) -> list[int]:
    """Return what some settings are that are numbers, by rows that were read."""
    return [int(_current(_find_setting(name), rows).value) for name in names]


def words_in(rows: Mapping[str, Any], *names: str) -> list[str]:
    """Return what some settings are that are words, by rows that were read."""
    return [str(_current(_find_setting(name), rows).value) for name in names]


async def words(core: Core, *names: str) -> list[str]:
    """Return what some settings are now that are words, by one read."""
    values = await _values(core, names)
    assert all(isinstance(value, str) for value in values), names
    return [str(value) for value in values]


async def _values(core: Core, names: tuple[str, ...]) -> list[int | str]:
    declarations = [_find_setting(name) for name in names]
    request = Bookkeeping(core.clock.now(), get=tuple(map(setting_row, names)))
    rows = (await core.store.bookkeep(core.scope, request)).values
    return [_current(one, rows).value for one in declarations]


@verb_class("settings")
class Settings:
    """The settings of a memory: `memory.settings`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def all(self, *, advanced: bool = False) -> list[Setting]:
        """List the settings.

        Those that tune the inside come with `advanced`, or once a user has set them.
        """
        every = await self._read_settings()
        return [one for one in every if advanced or not one.advanced or one.source == "user"]

    async def _read_settings(self) -> list[Setting]:
        request = Bookkeeping(self._core.clock.now(), under=(SETTING_PREFIX,))
        rows = (await self._core.store.bookkeep(self._core.scope, request)).values
        return [_current(one, rows) for one in SETTINGS.values()]

    async def get(self, name: str) -> Setting:
        """Show one setting.

        Raises NameUnknown where there is none of that name.
        """
        declaration = _find_setting(name)
        request = Bookkeeping(self._core.clock.now(), get=(setting_row(name),))
        return _current(declaration, (await self._core.store.bookkeep(self._core.scope, request)).values)

    async def document(self) -> str:
        """Return all settings as one TOML document for `load`."""
        return (
            "\n".join(
                f"{one.name} = {write_toml(one.value)}  # {one.meaning}"
                for one in await self._read_settings()
            )
            + "\n"
        )

    async def load(self, document: str) -> list[Setting]:
        """Load settings from a TOML document, all or nothing; others are reset.

        Returns the settings that are otherwise than before. Raises InvalidInput where the document cannot be read or a
        value is out of its bounds, NameUnknown for a setting that there is not.
        """
        new_values = read_document(document)
        before = await self._read_settings()
        after = {one.name: new_values.get(one.name, SETTINGS[one.name].value) for one in before}
        for name, value in new_values.items():
            self._check(_find_setting(name), value, after)
        rows = {setting_row(name): {"source": "user", "value": value} for name, value in new_values.items()}
        rows |= {row: default for row, default in built_in().items() if row not in rows}
        await self._core.store.bookkeep(
            self._core.scope, Bookkeeping(self._core.clock.now(), put={**rows, QUIET: None})
        )
        old_values = {one.name: one.value for one in before}
        return [one for one in await self._read_settings() if one.value != old_values[one.name]]

    async def set(self, name: str, value: int | str) -> Setting:
        """Change a setting for every process that opens this scope.

        Raises InvalidInput where the value is out of its bounds, or where nothing is left to extract.
        """
        values = {one.name: one.value for one in await self._read_settings()}
        self._check(_find_setting(name), value, {**values, name: value})
        row = {"source": "user", "value": value}
        await self._core.store.bookkeep(
            self._core.scope, Bookkeeping(self._core.clock.now(), put={setting_row(name): row, QUIET: None})
        )
        return await self.get(name)

    @staticmethod
    def _check(one: Setting, value: object, after: Mapping[str, Any]) -> None:
        """Refuse a value out of its bounds, and lists that would leave nothing to extract; `after` is all there is."""
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
        if one.name in EXTRACTED:
            wanted_of(*[after[name] for name in EXTRACTED])


def write_toml(value: int | str) -> str:
    """Write the value of a setting as a document has it."""
    return str(value) if isinstance(value, int) else json.dumps(value)


def read_document(document: str) -> dict[str, Any]:
    """Read names and values of a document."""
    try:
        if len(document) > DOCUMENT_CHARS_MAX:
            raise InvalidInput(
                f"a document of {len(document):,} characters",
                recovery=f"settings take at most {DOCUMENT_CHARS_MAX:,}",
            )
        return parse_toml(document)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(
            f"the settings are no TOML: {format_value(str(error))}",
            recovery="write lines such as note_turns = 5",
        ) from error


def _current(declared: Setting, rows: Mapping[str, Any]) -> Setting:
    """Say what a setting is now, by the rows of the bookkeeping."""
    row = rows.get(setting_row(declared.name))
    return declared if row is None else replace(declared, value=row["value"], source=row["source"])


def _find_setting(name: str) -> Setting:
    if name not in SETTINGS:
        raise NameUnknown("setting", str(name), SETTINGS)
    return SETTINGS[name]
