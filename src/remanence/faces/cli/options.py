"""The options that commands share, as dataclasses whose fields become options of the command line.

Knows names, help texts and how words on a command line become values; must not know what a verb does with them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from remanence.errors import InvalidInput
from remanence.model import SHORT_ID_CHARS

DATABASE = "agent.db"


@dataclass(frozen=True, slots=True)
class Common:
    """Where the memory is, whose it is, and how to answer; may stand before or after the name of a command."""

    db: Annotated[
        str | None,
        typer.Option(help=f"The database file; {DATABASE} where neither this nor REMANENCE_DB says another."),
    ] = None
    scope: Annotated[str | None, typer.Option(help="Whose memory; 'default' where nothing is said.")] = None
    agent: Annotated[str | None, typer.Option(help="Who writes and asks.")] = None
    policy: Annotated[
        str | None,
        typer.Option(help="The curation policy: a preset's name or a TOML file; else the adopted one."),
    ] = None
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")] = False

    def over(self, outer: "Common") -> "Common":
        """Return these options, and those said before the command's name where these say nothing."""
        said = ((one.name, getattr(self, one.name), one.default) for one in fields(self))
        return replace(outer, **{name: value for name, value, unsaid in said if value != unsaid})


@dataclass(frozen=True, slots=True)
class About:
    """What a text to learn is about and where it comes from."""

    category: Annotated[
        str | None, typer.Option(help="A category that the policy declares, such as task.")
    ] = None
    kind: Annotated[str | None, typer.Option(help="semantic, episodic or procedural.")] = None
    tag: Annotated[list[str] | None, typer.Option(help="A tag; may be given several times.")] = None
    role: Annotated[
        str | None,
        typer.Option(help="Who speaks: user, assistant, system or tool; told by the speaker if absent."),
    ] = None
    speaker: Annotated[str | None, typer.Option(help="The name of who said it.")] = None
    thread: Annotated[str | None, typer.Option(help="The conversation it belongs to.")] = None
    session: Annotated[str | None, typer.Option(help="The part of the conversation.")] = None
    said_at: Annotated[
        str | None, typer.Option(help="When it was said, such as 2026-03-01T09:30; now if absent.")
    ] = None
    source: Annotated[str | None, typer.Option(help="Where it can be looked up.")] = None
    state: Annotated[str | None, typer.Option(help="A state of its category, such as pending.")] = None
    severity: Annotated[str | None, typer.Option(help="info, low, medium, high or critical.")] = None
    confidence: Annotated[float | None, typer.Option(help="How sure it is, from 0 to 1.")] = None
    attribute: Annotated[list[str] | None, typer.Option(help="NAME=VALUE; may be given several times.")] = (
        None
    )

    def values(self) -> dict[str, Any]:
        """Return the fields of a `Turn` that were given."""
        given = _given(self)
        given["tags"] = tuple(given.pop("tag", ()))
        return _times(_attributes(given), "said_at")


@dataclass(frozen=True, slots=True)
class Edit:
    """What to change of a memory; what is not named stays."""

    text: Annotated[str | None, typer.Option(help="The new text.")] = None
    category: Annotated[str | None, typer.Option(help="A category that the policy declares.")] = None
    kind: Annotated[str | None, typer.Option(help="semantic, episodic or procedural.")] = None
    state: Annotated[str | None, typer.Option(help="A state of its category.")] = None
    severity: Annotated[str | None, typer.Option(help="info, low, medium, high or critical.")] = None
    lifecycle: Annotated[str | None, typer.Option(help="candidate, validated, active or stale.")] = None
    confidence: Annotated[float | None, typer.Option(help="How sure it is, from 0 to 1.")] = None
    valid_from: Annotated[str | None, typer.Option(help="Since when it holds.")] = None
    valid_to: Annotated[str | None, typer.Option(help="Until when it holds.")] = None
    attribute: Annotated[list[str] | None, typer.Option(help="NAME=VALUE; replaces all attributes.")] = None

    def values(self) -> dict[str, Any]:
        """Return the columns that were named."""
        return _times(_attributes(_given(self)), "valid_from", "valid_to")


@dataclass(frozen=True, slots=True)
class Narrow:
    """How to narrow a recall and how much to return."""

    limit: Annotated[int, typer.Option(min=1, help="At most so many memories.")] = 10
    budget: Annotated[int | None, typer.Option(min=1, help="At most so many tokens.")] = None
    asker: Annotated[str | None, typer.Option(help="Who asks, where the question says I and my.")] = None
    thread: Annotated[str | None, typer.Option(help="Only this conversation.")] = None
    where: Annotated[
        list[str] | None, typer.Option(help="COLUMN=VALUE, such as category=task or tags=boats.")
    ] = None
    since: Annotated[str | None, typer.Option(help="Only what was said at or after this time.")] = None
    until: Annotated[str | None, typer.Option(help="Only what was said at or before this time.")] = None
    count_use: Annotated[bool, typer.Option(help="Count the returned memories as used.")] = True

    def values(self) -> dict[str, Any]:
        """Return the arguments of `recall`."""
        given = {name: getattr(self, name) for name in ("limit", "budget", "asker", "thread", "count_use")}
        if self.where:
            given["filters"] = pairs(self.where, "--where")
        if self.since or self.until:
            given["between"] = (moment(self.since or "1971-01-01"), moment(self.until or "2254-12-31"))
        return given


def moment(text: str) -> datetime:
    """Read a time; one without a zone is UTC."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(
            f"{text!r} is not a time", recovery="write it like 2026-03-01T09:30 or 2026-03-01"
        ) from None
    return read if read.tzinfo is not None else read.replace(tzinfo=UTC)


def pairs(given: list[str], option: str) -> dict[str, str]:
    """Read NAME=VALUE words."""
    for word in given:
        if "=" not in word.strip("="):
            raise InvalidInput(
                f"{option} {word!r} is not NAME=VALUE", recovery=f"write it like {option} name=value"
            )
    return {name.strip(): value for name, _, value in (word.partition("=") for word in given)}


def name_of(word: str) -> int | str:
    """Read what names a memory: a number is its sequence number, unless it is as long as a short id."""
    is_number = word.isascii() and word.isdigit() and len(word) < SHORT_ID_CHARS
    return int(word) if is_number else word


def _given(options: Any) -> dict[str, Any]:
    values: Mapping[str, Any] = {one.name: getattr(options, one.name) for one in fields(options)}
    return {name: value for name, value in values.items() if value is not None and value != []}


def _attributes(given: dict[str, Any]) -> dict[str, Any]:
    if "attribute" in given:
        given["attributes"] = pairs(given.pop("attribute"), "--attribute")
    return given


def _times(given: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: moment(value) if name in names else value for name, value in given.items()}
