"""The commands that read and write memories: each calls one verb of the engine and returns what it answers.

Knows which arguments a verb takes; must not know how an answer is printed or a database opened.
"""

import asyncio
import sys
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from remanence.errors import InvalidInput, NotFound
from remanence.faces.cli.options import About, Edit, Narrow, moment, name_of
from remanence.faces.cli.progress import counting, waiting
from remanence.faces.cli.running import Interrupted, Verb, verb

if TYPE_CHECKING:
    from remanence.engine import Engine

Name = Annotated[str, typer.Argument(metavar="MEMORY", help="Its sequence number, id or key.")]


def _text(given: str) -> str:
    """Read a text from standard input where that is wanted: once, however often the verb is then tried."""
    try:
        return sys.stdin.read() if given == "-" else given
    except UnicodeDecodeError as error:
        raise typer.BadParameter(f"standard input is not {error.encoding}") from None


Text = Annotated[str, typer.Argument(help="The text; - reads it from standard input.", callback=_text)]
Tags = Annotated[list[str], typer.Argument(help="One tag or several.")]
Relation = Annotated[str, typer.Argument(help="A relation such as supports, causes or elaborates.")]
IfRevision = Annotated[
    int | None, typer.Option(min=0, help="Only while it has this revision, as `get` shows it.")
]
IfLinkRevision = Annotated[
    int | None,
    typer.Option(min=0, help="Only while the link has this revision, as `links --json` shows it; 0: none."),
]


def add(app: typer.Typer) -> None:
    """Give an app the commands of this module."""
    makers: tuple[Verb, ...] = (ingest, learn, put)
    for maker in makers:
        verb(app, makes=True)(maker)
    for other in _EVERY:
        verb(app)(other)
    verb(app, "list")(list_memories)


async def ingest(
    memory: "Engine",
    file: Annotated[str, typer.Argument(help="A file of conversation.")],
    form: Annotated[
        str,
        typer.Option("--format", help="auto, chatgpt, jsonl, locomo, openai, or a registered one."),
    ] = "auto",
) -> Any:
    """Take a file of conversation in, all of it checked first; a second time takes in only what is new."""
    taken = 0

    def took(count: int) -> None:
        nonlocal taken
        taken = count
        if progress is not None:
            progress(count)

    with counting("taking in") as progress:
        try:
            return await memory.ingest(file, format=form, progress=took)
        except asyncio.CancelledError:  # what was being committed then is whole as well
            raise Interrupted(
                f"at least {taken:,} turns are taken in; the same command takes in the rest, nothing twice"
            ) from None


async def learn(
    memory: "Engine",
    text: Text,
    about: About,
    key: Annotated[
        str | None, typer.Option(help="A stable name of yours; known already = nothing to do.")
    ] = None,
) -> Any:
    """Take one text in."""
    return await memory.learn(text, key=key, **about.values())


async def put(
    memory: "Engine",
    key: Annotated[str, typer.Argument(help="A stable name of yours.")],
    text: Text,
    about: About,
    if_revision: Annotated[
        int | None,
        typer.Option(min=0, help="Only while the key's memory has this revision; 0: only if it has none."),
    ] = None,
) -> Any:
    """Store a text under a key, or bring the memory that has the key to this text."""
    return await memory.put(key, text, if_revision=if_revision, **about.values())


async def consolidate(memory: "Engine") -> Any:
    """Turn the inbox active and link what is near or similar."""
    inbox = (await memory.status()).statuses.get("inbox", 0)
    with counting("consolidating", inbox) as progress:
        return await memory.consolidate(progress)


async def recall(
    memory: "Engine",
    query: Annotated[str, typer.Argument(help="A question, or words to look for.")],
    narrow: Narrow,
    explain: Annotated[bool, typer.Option("--explain", help="Show the parts of every score.")] = False,
) -> Any:
    """Find the memories that answer a question best."""
    answer = await memory.recall(query, **narrow.values())
    return (
        answer
        if explain
        else replace(answer, memories=tuple(replace(hit, parts={}) for hit in answer.memories))
    )


async def get(memory: "Engine", name: Name) -> Any:
    """Show one memory whole."""
    return await memory.get(name_of(name))


async def list_memories(
    memory: "Engine",
    kind: Annotated[str | None, typer.Option(help="semantic, episodic or procedural.")] = None,
    category: Annotated[str | None, typer.Option(help="Only this category.")] = None,
    tag: Annotated[
        list[str] | None, typer.Option(help="Only with this tag; may be given several times.")
    ] = None,
    status: Annotated[
        list[str] | None,
        typer.Option(
            help="Only inbox, active, superseded, archived or pruned; may be given several times."
            " What stands if absent: inbox and active."
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 100,
) -> Any:
    """List what stands, or what has a status, newest first."""
    asked = {"kind": kind, "category": category, "status": status}
    equal: dict[str, Any] = {name: value for name, value in asked.items() if value}
    return await memory.list_memories(tags=tuple(tag or ()), limit=limit, **equal)


async def update(memory: "Engine", name: Name, edit: Edit, if_revision: IfRevision = None) -> Any:
    """Change what a memory says or where it stands."""
    return await memory.update(name_of(name), if_revision=if_revision, **edit.values())


async def tag(memory: "Engine", name: Name, tags: Tags, if_revision: IfRevision = None) -> Any:
    """Add tags."""
    return await memory.tag(name_of(name), *tags, if_revision=if_revision)


async def untag(memory: "Engine", name: Name, tags: Tags, if_revision: IfRevision = None) -> Any:
    """Take tags away."""
    return await memory.untag(name_of(name), *tags, if_revision=if_revision)


async def pin(memory: "Engine", name: Name, if_revision: IfRevision = None) -> Any:
    """Protect a memory from moving down, archive and destruction."""
    return await memory.pin(name_of(name), if_revision=if_revision)


async def unpin(memory: "Engine", name: Name, if_revision: IfRevision = None) -> Any:
    """Take the pin away."""
    return await memory.unpin(name_of(name), if_revision=if_revision)


async def hold(
    memory: "Engine",
    name: Name,
    reason: Annotated[str, typer.Argument(help="The name of the hold, such as audit-2026.")],
    until: Annotated[str | None, typer.Option(help="Until when; for good if absent.")] = None,
    if_revision: IfRevision = None,
) -> Any:
    """Forbid the destruction of a memory and another text under a named hold."""
    ends = None if until is None else moment(until)
    return await memory.hold(name_of(name), reason, ends, if_revision=if_revision)


async def release(
    memory: "Engine",
    name: Name,
    reason: Annotated[str, typer.Argument(help="The name of the hold.")],
    if_revision: IfRevision = None,
) -> Any:
    """Lift a named hold."""
    return await memory.release(name_of(name), reason, if_revision=if_revision)


async def confirm(memory: "Engine", name: Name, if_revision: IfRevision = None) -> Any:
    """Say that a memory was the answer; an archived one comes back."""
    return await memory.confirm(name_of(name), if_revision=if_revision)


async def dispute(memory: "Engine", name: Name) -> Any:
    """Say that somebody denied a memory."""
    return await memory.dispute(name_of(name))


async def correct(memory: "Engine", name: Name, text: Text, if_revision: IfRevision = None) -> Any:
    """Learn a corrected text, which supersedes the old memory."""
    return await memory.correct(name_of(name), text, if_revision=if_revision)


async def supersede(
    memory: "Engine",
    old: Annotated[str, typer.Argument(help="The memory that no longer holds.")],
    by: Annotated[str, typer.Argument(help="The memory that takes its place.")],
    if_revision: Annotated[
        int | None, typer.Option(min=0, help="Only while the old one has this revision, as `get` shows it.")
    ] = None,
) -> Any:
    """Let one memory take another's place, its pin and its holds."""
    return await memory.supersede(name_of(old), name_of(by), if_revision=if_revision)


async def forget(memory: "Engine", name: Name, if_revision: IfRevision = None) -> Any:
    """Make a memory a tombstone, which `restore` brings back."""
    return await memory.forget(name_of(name), if_revision=if_revision)


async def restore(memory: "Engine", name: Name, if_revision: IfRevision = None) -> Any:
    """Bring a fallen memory back to active."""
    return await memory.restore(name_of(name), if_revision=if_revision)


async def link(
    memory: "Engine",
    source: Name,
    target: Name,
    relation: Relation,
    weight: Annotated[float | None, typer.Option(help="How strong it is, from 0 to 1.")] = None,
    confidence: Annotated[float | None, typer.Option(help="How sure it is, from 0 to 1.")] = None,
    if_exists: Annotated[str, typer.Option(help="reinforce, update, skip or error.")] = "reinforce",
    if_revision: IfLinkRevision = None,
) -> Any:
    """Draw a link between two memories, or strengthen the one that is there."""
    wish: dict[str, Any] = {"relation": relation, "if_exists": if_exists}  # the engine knows their names
    return await memory.link(
        name_of(source),
        name_of(target),
        weight=weight,
        confidence=confidence,
        if_revision=if_revision,
        **wish,
    )


async def unlink(
    memory: "Engine", source: Name, target: Name, relation: Relation, if_revision: IfLinkRevision = None
) -> Any:
    """Cut a link."""
    wish: dict[str, Any] = {"relation": relation}
    return await memory.unlink(name_of(source), name_of(target), if_revision=if_revision, **wish)


async def links(memory: "Engine", name: Name) -> Any:
    """List the links of a memory."""
    return await memory.links(name_of(name))


async def history(
    memory: "Engine",
    name: Annotated[
        str | None, typer.Argument(metavar="[MEMORY|RUN]", help="A memory or a run; all runs if absent.")
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, help="At most so many; of a run, memories of each action.")
    ] = 100,
) -> Any:
    """Show what happened to a memory, what a run did, or the newest runs."""
    try:
        return await memory.history(None if name is None else name_of(name), limit=limit)
    except NotFound:
        if name is None:
            raise
        with suppress(NotFound):
            return await memory.describe_run(name, limit=limit)
        raise


async def status(memory: "Engine") -> Any:
    """Show the memory in numbers."""
    return await memory.status()


async def undo(
    memory: "Engine",
    run: Annotated[
        str | None, typer.Argument(metavar="[RUN]", help="The id of the run, as its receipt says.")
    ] = None,
    last: Annotated[bool, typer.Option("--last", help="The newest run that can be undone.")] = False,
) -> Any:
    """Take a run back, whole or not at all."""
    if last == (run is not None):
        raise InvalidInput(
            "undo takes one run", recovery="name it as its receipt and `history` do, or say --last alone"
        )
    with waiting("undoing"):
        return await (memory.undo_last() if run is None else memory.undo(run))


_EVERY: tuple[Verb, ...] = (
    *(
        consolidate,
        recall,
        get,
        update,
        tag,
        untag,
        pin,
        unpin,
        hold,
        release,
        confirm,
        dispute,
        correct,
        supersede,
    ),
    *(forget, restore, link, unlink, links, history, status, undo),
)
