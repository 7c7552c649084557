"""The commands that read and write memories: each calls one verb of the engine and returns what it answers.

Knows which arguments a verb takes; must not know how an answer is printed or a database opened.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from remanence.core.errors import InvalidInput, NotFound
from remanence.core.keywords import (
    ActionName,
    KindName,
    OutcomeName,
    StatusName,
    TrustName,
)
from remanence.faces.cli import options
from remanence.faces.cli.options import Memory
from remanence.faces.cli.running import counting_until_stopped
from remanence.faces.style import Undoable, counting
from remanence.flows.base.context import LISTED_MAX
from remanence.flows.recall.filters import ANY

Tags = Annotated[list[str], Parameter(metavar="TAG", help="One tag or several.")]
Share = Annotated[float | None, Parameter(help="From 0 to 1.")]


def _list_formats(_context: Any) -> Sequence[str]:
    from remanence.write.transcripts.formats import AUTO, IMPORTERS

    return [AUTO, *IMPORTERS]


Format = Annotated[
    str,
    Parameter(
        name="--format",
        metavar="FORMAT",
        completer=_list_formats,
        help="auto, chatgpt, claude, claude-code, codex, cursor, elfmem, graphiti, jsonl, langgraph, letta, locomo,"
        " mcp-memory, mem0, notes, openai, opencode, vault, or a registered one.",
    ),
]


async def ingest(
    file: Annotated[
        str,
        options.INPUT,
        Parameter(
            help="A file of conversation, notes or another memory, or a folder; - reads standard input."
        ),
    ],
    /,
    *,
    memory: Memory,
    form: Format = "auto",
    trust: Annotated[TrustName, Parameter(help="Trust of the source.")] = "outside",
    extract: Annotated[bool, Parameter(help="Also extract facts from new texts with the model.")] = False,
    actions: Annotated[
        bool, Parameter(help="Of coding sessions also take in edits and commands, one line each.")
    ] = False,
    dry_run: Annotated[
        bool, Parameter(help="Show what would be stored and what the model would be asked; write nothing.")
    ] = False,
) -> Any:
    if dry_run:
        with counting("looking through") as progress:
            return await memory.ingest(
                file,
                format=form,
                trust=trust,
                extract=extract,
                actions=actions,
                dry_run=True,
                progress=progress,
            )
    rest = "the same command takes in the rest, nothing twice"
    with counting_until_stopped("taking in", "turns are taken in", rest) as progress:
        return await memory.ingest(
            file, format=form, trust=trust, extract=extract, actions=actions, progress=progress
        )


async def audit(
    file: Annotated[
        str,
        options.INPUT,
        Parameter(help="A file, a folder or a database that `ingest` reads; - reads standard input."),
    ],
    /,
    *,
    form: Format = "auto",
    examples: Annotated[int, Parameter(help="Number of examples shown for each kind.")] = 3,
    html: Annotated[
        str | None, options.OUTPUT, Parameter(help="Write an HTML page to this new file; - prints it.")
    ] = None,
    policy: Annotated[
        str, options.POLICY, Parameter(metavar="POLICY", help="A preset's name or a TOML file.")
    ] = "default",
) -> Any:
    from remanence.audit_source import audit as audit_path
    from remanence.faces.cli import files

    with counting("judging") as progress:
        answer = await audit_path(file, format=form, policy=policy, examples=examples, progress=progress)
    if html is not None:
        files.write(html, answer.html())
    return None if html == "-" else answer


async def consolidate(
    *,
    memory: Memory,
    listen: Annotated[bool, Parameter(help="Extract facts from learned and ingested texts too.")] = False,
    duplicates: Annotated[
        bool, Parameter(help="Then link near duplicates found among all memories by their words.")
    ] = False,
) -> Any:
    with counting("consolidating") as progress:
        return await memory.consolidate(progress, listen=listen, duplicates=duplicates)


async def list_(
    *,
    memory: Memory,
    kind: Annotated[KindName | None, Parameter(help="Only this kind.")] = None,
    category: Annotated[str | None, Parameter(help="Only this category.")] = None,
    tag: Annotated[list[str] | None, Parameter(help="Only with this tag; repeatable.")] = None,
    status: Annotated[
        list[StatusName | Literal["any"]] | None,
        Parameter(help="Only with this status, repeatable; inbox and active if absent."),
    ] = None,
    page: options.ListPage = options.ListPage(),
) -> Any:
    columns = {"kind": kind, "category": category, "status": status}
    equal: dict[str, Any] = {name: value for name, value in columns.items() if value}
    if ANY in equal.get("status", ()):
        equal["status"] = ANY
    # One more is asked for than is shown, to say whether there are more.
    limit = page.limit + (1 <= page.limit < LISTED_MAX)
    return page.cut(
        await memory.list(tags=tuple(tag or ()), limit=limit, **equal, **await page.values(memory))
    )


async def history(
    name: Annotated[
        str | None, Parameter(metavar="MEMORY|RUN", help="A memory or a run; all runs if absent.")
    ] = None,
    /,
    *,
    memory: Memory,
    limit: Annotated[int, Parameter(help="Maximum number; of a run, memories for each action.")] = 100,
    verb: Annotated[str | None, Parameter(help="Only the runs of this verb, such as curate.")] = None,
    after: Annotated[
        str | None,
        Parameter(metavar="RUN", help="Continue after this run: later runs of a memory, else older runs."),
    ] = None,
    decision: Annotated[
        ActionName | Literal["any"] | None,
        Parameter(help="Only runs in which the engine decided so by itself, with these decisions."),
    ] = None,
    outcome: Annotated[OutcomeName | None, Parameter(help="Only decisions with this outcome.")] = None,
) -> Any:
    about = None if name is None else options.name_of(name)
    try:
        return await memory.history(
            about, limit=limit, verb=verb, after=after, decision=decision, outcome=outcome
        )
    except NotFound:
        if name is None:
            raise
        with suppress(NotFound):
            return await memory.history(run=name, limit=limit)
        raise


async def undo(
    run: Annotated[
        str, Parameter(help="The id of the run, as its receipt says; last: the newest run of yours.")
    ],
    /,
    *,
    memory: Memory,
) -> Any:
    from remanence.flows.undo.runs import LAST, find_last

    # By its id: `last` is an older one, once this one is taken back.
    name = (await find_last(memory._core)).run if run == LAST else run  # noqa: SLF001 # a part of this command
    rest = f"remanence undo {name} takes back the rest"
    with counting_until_stopped("undoing", "changes are taken back", rest) as progress:
        return await memory.undo(run, progress=progress)


async def session(
    name: Annotated[
        str | None,
        Parameter(metavar="ID", help="With --off: the session to end, by its id; the open one if absent."),
    ] = None,
    /,
    *,
    memory: Memory,
    task_type: Annotated[str | None, Parameter(name="--task", help="The kind of task.")] = None,
    off: Annotated[
        bool, Parameter(negative=(), help="End a session and make its inbox memories active.")
    ] = False,
) -> Any:
    if (name is not None and not off) or (task_type is not None and off):
        raise InvalidInput(
            "a session is begun with --task and ended by its id", recovery="give the id with --off alone"
        )
    if not off:
        begun = await memory.begin_session(task_type or "general", heartbeats=False)
        return Undoable({"session": begun}, f"remanence session {begun} --off")
    open_one = name or await _open_one(memory)
    return {"session": open_one, "hours": round(await memory.end_session(open_one), 4)}


async def _open_one(memory: Memory) -> str:
    """Name the only open session that no process keeps alive by itself."""
    found = [one.id for one in (await memory.status()).sessions if one.every is None]
    if not found:
        raise NotFound("no session is open", recovery="begin one with `remanence session`")
    if len(found) > 1:
        raise InvalidInput(f"{len(found)} sessions are open", recovery=f"name one: {', '.join(found)}")
    return found[0]
