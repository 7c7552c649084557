"""The commands of conversations, frames and the smaller shelves: boxes, entities, guidelines, review and others.

Knows arguments, what a host's hook passes on standard input and how a command is taken back; must not know what is
behind them.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from shlex import quote
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from remanence.core.errors import InvalidInput, format_value
from remanence.core.model import Link, RecallResult, Relation, short_id
from remanence.core.timescale import ClockName
from remanence.faces import style
from remanence.faces.cli import options
from remanence.faces.cli.options import (
    FRAME,
    SHOWN_FRAME,
    Alone,
    Budget,
    Limit,
    Memory,
    Name,
    Reasons,
    Room,
    drop_score_parts,
    given_of,
    name_of,
    pairs,
)
from remanence.faces.style import Undoable
from remanence.flows.recall.profiling import Profile
from remanence.flows.write.noting import NoteResult

if TYPE_CHECKING:
    from remanence.recall.frames import Frame


RECALLED = 5  # memories that are shown for a line of a chat
PROMPT = "> "
NO_ENTITIES = "no entity: a writer that extracts names brings them, or an import"
KEPT_OUT = frozenset({"gated", "quarantined"})
HOOK_FIELDS = ("prompt", "session_id", "hook_event_name")  # that tell a hook's JSON from a text with a brace
BOM = "\ufeff"  # what some shells put before what they pipe


async def note(
    text: Annotated[
        str,
        Parameter(
            converter=options.text_of,
            help="The text; - reads it, or a hook's JSON with prompt and session_id, from standard input.",
        ),
    ],
    /,
    *,
    memory: Memory,
    about: options.TextOptions = options.TextOptions(),
    key: Annotated[str | None, Parameter(help="Your own id; a repeated id is stored once.")] = None,
) -> Any:
    prompt, of_host = parse_prompt(text)
    return await memory.note(prompt, later=True, key=key, **{**of_host, **about.values()})


async def chat(
    *, memory: Memory, speaker: Annotated[str | None, Parameter(help="The speaker's name.")] = None
) -> Any:
    turns = facts = 0
    try:
        async with memory.session("chat"):
            async for line in _lines():
                turns += 1
                facts += await _note_line(memory, line, speaker)
    except asyncio.CancelledError:  # Ctrl-C: what was said is noted, and the session has ended
        if (task := asyncio.current_task()) is not None:
            task.uncancel()
    return {"noted": turns, "facts": facts}


def parse_prompt(given: str) -> tuple[str, dict[str, Any]]:
    """Return what was said, and what a host's hook says of it where that is JSON: a prompt is the user's, in a session.

    The host vouches for it: what the memory returned for the same prompt makes it no echo.
    """
    given = given.removeprefix(BOM)
    if not given.lstrip().startswith("{"):
        return given, {}
    try:
        read = json.loads(given)
    except (ValueError, RecursionError) as error:
        if any(f'"{name}"' in given for name in HOOK_FIELDS):
            raise InvalidInput(
                f"this begins like a hook's JSON and is none: {error}",
                recovery="pass whole JSON with prompt and session_id; what is a text all the same: `learn -`",
            ) from error
        return given, {}
    prompt, session = read.get("prompt"), read.get("session_id")
    if prompt is None:
        return given, {}
    if not isinstance(prompt, str) or not isinstance(session, str | None):
        raise InvalidInput(
            f"prompt {format_value(prompt)} with session_id {format_value(session)}",
            recovery="pass both as texts, in JSON",
        )
    return prompt, {"role": "user"} | ({} if session is None else {"session": session})


async def _note_line(memory: Memory, line: str, speaker: str | None) -> int:
    """Show what is known about a line, note it, and show what became known by it; return how many facts."""
    try:
        answer = await memory.recall(line, limit=RECALLED)
        receipt: NoteResult = await memory.note(line, later=True, speaker=speaker, role="user")
    except InvalidInput as error:
        _write([f"  not noted: {error}", f"  → {error.recovery}"])
        return 0
    if len(answer) and not answer.is_weak:
        _write(answer.text.splitlines())
    if receipt.status in KEPT_OUT:
        _write([f"  {receipt.learn_result}"])
        return 0
    hearing = (await memory.consolidate()).heard
    facts = [line async for line in _describe_new_facts(memory, receipt)]
    _write(
        [f"  known now: {one}" for one in facts] + [f"  not listened to yet: {one}" for one in hearing.failed]
    )
    return len(facts)


async def _describe_new_facts(memory: Memory, noted: NoteResult) -> AsyncIterator[str]:
    """Yield a line for each fact that became known by a turn, and for the turn where it is one itself."""
    links = await memory.links(noted.seq)
    for seq in sorted(link.source for link in links if link.target == noted.seq and link.source > noted.seq):
        fact = await memory.get(seq)
        instead = _describe_replaced(seq, await memory.links(seq))
        yield f"{short_id(seq)} {fact.category or 'fact'}: {fact.text}{instead}"
    turn = await memory.get(noted.seq)
    is_fact = turn.category is not None and noted.status == "stored"
    instead = _describe_replaced(noted.seq, links)
    if is_fact or instead:
        yield f"{short_id(turn.seq)} {turn.category or 'turn'}: as said{instead}"


def _describe_replaced(seq: int, links: Sequence[Link]) -> str:
    """Say whose place a memory has taken, and what else it is newer than."""
    said = ""
    for relation, words in ((Relation.SUPERSEDES, "instead of"), (Relation.NEWER, "newer than")):
        over = [link.target for link in links if link.source == seq and link.relation is relation]
        said += f" ({words} {', '.join(map(short_id, over))})" if over else ""
    return said


def _write(lines: Sequence[str]) -> None:
    style.write_lines([style.Text(one) for one in lines], sys.stdout)


async def _lines() -> AsyncIterator[str]:
    """Yield the lines that somebody types until there are no more; whoever stops listening leaves the thread behind."""
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[str | None]()

    def read() -> None:
        with suppress(RuntimeError):  # the loop has ended
            for line in _read_stdin_lines():
                loop.call_soon_threadsafe(lines.put_nowait, line)
            loop.call_soon_threadsafe(lines.put_nowait, None)

    Thread(target=read, name="remanence-chat", daemon=True).start()
    while (line := await lines.get()) is not None:
        if line.strip():
            yield line.strip()


def _read_stdin_lines() -> Any:
    """Yield lines from standard input, after a prompt where somebody types."""
    asks = sys.stdin.isatty()
    while True:
        if asks:
            sys.stdout.write(PROMPT)
            sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            return
        yield line


# Options that may be given several times, and the fields that they fill.
_MANY = {
    "tag": "tags",
    "category": "categories",
    "guarantee": "guarantees",
    "weight": "weights",
    "term": "terms",
}
FrameName = Annotated[str, FRAME, Parameter(help="self, attention, task, simulate or one of yours.")]
ShownFrame = Annotated[
    str,
    SHOWN_FRAME,
    Parameter(
        help="boot (the start context), profile, self, attention, task, simulate or one of yours."
        " boot takes --budget alone, profile nothing."
    ),
]


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Definition:
    """What to change of a frame; what is not named stays, or is as in `attention`."""

    weight: Annotated[
        list[str] | None, Parameter(metavar="PART=SHARE", help="The five weights; they add up to 1.")
    ] = None
    tag: Annotated[list[str] | None, Parameter(help="Only memories with any of these, such as self/*.")] = (
        None
    )
    category: Annotated[list[str] | None, Parameter(help="Only memories of these categories.")] = None
    guarantee: Annotated[
        list[str] | None, Parameter(help="A tag whose memories are always returned first.")
    ] = None
    guaranteed_share: Annotated[
        float | None,
        Parameter(help="Share of the budget for guaranteed memories if there is a question, 0 to 1."),
    ] = None
    budget: Budget = None
    limit: Limit = None
    window_hours: Annotated[
        float | None, Parameter(help="Only memories learned or used within this many hours.")
    ] = None
    template: Annotated[str | None, Parameter(help="The text around {memories}.")] = None
    clock: Annotated[ClockName | None, Parameter(help="The clock for recency.")] = None
    profile: Annotated[
        bool | None, Parameter(negative="--no-profile", help="Show the profile after the memories.")
    ] = None

    term: Annotated[
        list[str] | None,
        Parameter(
            help="A term to add to the score: used, important, lifecycle, confirmed, rated, helpful, cold_start."
        ),
    ] = None
    diversity: Annotated[float | None, Parameter(help="Preference for diverse memories, from 0 to 1.")] = None
    per_token: Annotated[
        bool | None,
        Parameter(negative="--no-per-token", help="Prefer the best score per token."),
    ] = None

    def values(self) -> dict[str, Any]:
        """Return the fields of a frame that were named."""
        definition = {_MANY.get(name, name): value for name, value in given_of(self).items()}
        return definition | ({"weights": _shares(definition["weights"])} if self.weight else {})


async def frame(
    name: ShownFrame,
    query: Annotated[str | None, Parameter(help="A question; none weighs all.")] = None,
    /,
    *,
    memory: Memory,
    room: Room = Room(),
    text: Alone = False,
    reasons: Reasons = Reasons(),
) -> Any:
    answer: RecallResult | Profile = await memory.frame(name, query, **room.values(), **reasons.values())
    if text:
        return str(answer) if isinstance(answer, Profile) else answer.text
    return answer if reasons.why or isinstance(answer, Profile) else drop_score_parts(answer)


async def frames_get(
    name: Annotated[str | None, FRAME, Parameter(help="One frame; all if absent.")] = None,
    /,
    *,
    memory: Memory,
) -> Any:
    if name is None:
        return await memory.frames.get()
    kept = await memory.frames.get(name)
    return kept.row | {"name": kept.name}


async def frames_set(
    name: FrameName,
    /,
    *,
    memory: Memory,
    definition: Definition = Definition(),
    off: Annotated[
        bool, Parameter(negative=(), help="Reset a built-in frame, delete one of yours; give it alone.")
    ] = False,
) -> Any:
    changes = definition.values()
    if not off:
        frame = await memory.frames.set(name, **changes)
        return Undoable(frame, f"remanence frames set {name} --off")
    if changes:
        raise InvalidInput("--off beside other options", recovery="give --off alone")
    before = await memory.frames.get(name)
    kept = await memory.frames.set(name, off=True)
    if kept == before:
        return kept
    return Undoable({"removed": name} if kept is None else kept, _render_set_command(before))


def _render_set_command(frame: "Frame") -> str:
    """Return the command that defines a frame as it is."""
    words = ["remanence frames set", frame.name]
    for field, value in frame.row.items():
        option = next((one for one, many in _MANY.items() if many == field), field).replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{option}" if value else f"--no-{option}")
            continue
        each = [f"{part}={share}" for part, share in value.items()] if isinstance(value, Mapping) else value
        each = each if isinstance(each, Sequence) and not isinstance(each, str) else [each]
        words += [f"--{option} {quote(str(one))}" for one in each if one is not None]
    return " ".join(words)


def _shares(given: list[str]) -> Mapping[str, float]:
    try:
        return {part: float(share) for part, share in pairs(given, "--weight").items()}
    except ValueError as error:
        raise InvalidInput(
            f"a weight is no number: {error}", recovery="write it like --weight recency=0.2"
        ) from error


EntityName = Annotated[str, Parameter(help="A name of the entity, or its number (332 or #332), id or key.")]
AfterNumber = Annotated[
    int | None, Parameter(metavar="NUMBER", help="Continue after this one, the last of an earlier list.")
]
ENTITY_TYPE = "Only of this type: person, project, tool, company, place or other."


async def conversations_list(
    *,
    memory: Memory,
    session: Annotated[str | None, Parameter(help="Only segments of this session.")] = None,
    of: Annotated[
        Name | None, Parameter(help="Only segments that contain this turn, or a fact's turns.")
    ] = None,
    open_only: Annotated[bool, Parameter(name="--open", help="Only open segments.")] = False,
    threads: Annotated[bool, Parameter(negative=(), help="List threads instead of segments.")] = False,
    segments_min: Annotated[
        int, Parameter(help="With --threads: only threads with at least this many segments.")
    ] = 1,
    limit: Annotated[int, Parameter(help="Maximum number.")] = 20,
    after: AfterNumber = None,
) -> Any:
    if threads and session is None and of is None and not open_only:
        return await memory.conversations.list(
            threads=True, segments_min=segments_min, limit=limit, after=after
        )
    if threads or segments_min != 1:
        raise InvalidInput(
            "options of segments beside options of threads",
            recovery="give --session, --of and --open without --threads, --segments-min with it",
        )
    return await memory.conversations.list(
        session=session, of=of, open_only=open_only, limit=limit, after=after
    )


async def conversations_get(
    number: Annotated[int | None, Parameter(help="The number of a segment.")] = None,
    /,
    *,
    memory: Memory,
    thread: Annotated[
        int | None, Parameter(metavar="NUMBER", help="The number of a thread, instead of a segment.")
    ] = None,
) -> Any:
    if number is None and thread is not None:
        return await memory.conversations.get(thread=thread)
    if number is None or thread is not None:
        raise InvalidInput(
            "no segment and no thread is named, or both are", recovery="give a number, or --thread NUMBER"
        )
    return await memory.conversations.get(number)


async def entities_list(
    *,
    memory: Memory,
    type: Annotated[str | None, Parameter(help=ENTITY_TYPE)] = None,  # noqa: A002 - the option's name
    limit: Annotated[int, Parameter(help="Maximum number.")] = 100,
    after: Annotated[
        str | None, Parameter(metavar="ENTITY", help="Continue after this one, the last of an earlier list.")
    ] = None,
) -> Any:
    cursor = None if after is None else name_of(after)
    listed = await memory.entities.list(type=type, limit=limit, after=cursor)
    if not listed:
        style.write_lines([style.Text(NO_ENTITIES, "dim")], sys.stderr)
    return listed


async def entities_get(name: EntityName, /, *, memory: Memory) -> Any:
    return await memory.entities.get(name_of(name))


async def entities_split(
    entity: EntityName,
    off: Annotated[
        list[str], Parameter(help="Names that belong to the other entity, or memories that mention it.")
    ],
    /,
    *,
    memory: Memory,
) -> Any:
    return await memory.entities.split(name_of(entity), [name_of(one) for one in off])


async def entities_alias(
    entity: EntityName, name: Annotated[str, Parameter(help="The alias.")], /, *, memory: Memory
) -> Any:
    return await memory.entities.alias(name_of(entity), name)


async def guidelines(
    lines: Annotated[
        list[str] | None,
        Parameter(help="Line numbers of the draft, or your own text; shown if absent."),
    ] = None,
    /,
    *,
    memory: Memory,
    off: Annotated[bool, Parameter(negative=(), help="Set none.")] = False,
) -> Any:
    before = await memory.guidelines()
    if not lines and not off:
        return before
    chosen = [int(one) if one.isascii() and one.isdigit() else one for one in lines or ()]
    back = " ".join(["remanence guidelines", *(map(quote, before.active) if before.active else ["--off"])])
    return Undoable(await memory.guidelines(*chosen, off=off), back)


ReviewSort = Literal[
    "contradiction", "quarantine", "proposal", "held-plan", "clock-in-doubt", "interrupted-run"
]


async def review_list(
    *,
    memory: Memory,
    sort: Annotated[ReviewSort | None, Parameter(help="Only items of this kind.")] = None,
    settled: Annotated[
        bool, Parameter(negative=(), help="With --sort contradiction: settled ones, too.")
    ] = False,
    limit: Annotated[int, Parameter(help="Maximum number of each kind.")] = 20,
    after: Annotated[
        str | None,
        Parameter(
            metavar="CURSOR", help="Continue after this item of an earlier list, with items of its kind."
        ),
    ] = None,
) -> Any:
    named: Any = None if sort is None else sort.replace("-", " ")
    return await memory.review.list(named, settled=settled, limit=limit, after=after)


async def review_settle(
    item: Annotated[
        str, Parameter(help="An item of `review list`, such as contradiction/102/331; clock; or a memory.")
    ],
    choice: Annotated[
        str,
        Parameter(
            help="One of its choices: the memory that is right, or both; accept, decline, forget, forbid; undo."
        ),
    ],
    /,
    *,
    memory: Memory,
    only: Annotated[
        list[str] | None,
        Parameter(metavar="WHAT", help="Of several proposals only this tag or older memory; repeatable."),
    ] = None,
    if_revision: Annotated[
        int | None,
        Parameter(
            help="Fail unless the memory that gives way or is accepted (both: the link) has this revision."
        ),
    ] = None,
) -> Any:
    return await memory.review.settle(
        name_of(item), name_of(choice), only=[name_of(one) for one in only or ()], if_revision=if_revision
    )
