"""The commands that read and write memories: each calls one verb of the engine and returns what it answers.

Knows which arguments a verb takes; must not know how an answer is printed or a database opened.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from remanence.core.errors import InvalidInput, NotFound
from remanence.core.keywords import ActionName, IfExists, KindName, OutcomeName, StatusName, TrustName
from remanence.faces.cli import options
from remanence.faces.cli.options import IfLinkRevision, IfRevision, Memory, Name, Names, Relation, Text
from remanence.faces.cli.running import counting_until_stopped
from remanence.faces.style import Undoable, counting
from remanence.flows.base.context import LISTED_MAX
from remanence.flows.recall.filters import ANY

Tags = Annotated[list[str], Parameter(metavar="TAG", help="One tag or several.")]
HoldName = Annotated[str, Parameter(help="The name of the hold, such as audit-2027.")]
Share = Annotated[float | None, Parameter(help="From 0 to 1.")]


def _formats(_context: Any) -> Sequence[str]:
    from remanence.write.transcripts.formats import AUTO, IMPORTERS

    return [AUTO, *IMPORTERS]


Format = Annotated[
    str,
    Parameter(
        name="--format",
        metavar="FORMAT",
        completer=_formats,
        help="auto, chatgpt, claude, elfmem, graphiti, jsonl, langgraph, letta, locomo, mcp-memory, mem0, notes,"
        " openai, vault, or a registered one.",
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
    dry_run: Annotated[
        bool, Parameter(help="Show what would be stored and what the model would be asked; write nothing.")
    ] = False,
) -> Any:
    if dry_run:
        with counting("looking through") as progress:
            return await memory.ingest(
                file, format=form, trust=trust, extract=extract, dry_run=True, progress=progress
            )
    rest = "the same command takes in the rest, nothing twice"
    with counting_until_stopped("taking in", "turns are taken in", rest) as progress:
        return await memory.ingest(file, format=form, trust=trust, extract=extract, progress=progress)


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
    from remanence.auditing import audit as audit_path
    from remanence.faces.cli import files

    with counting("judging") as progress:
        answer = await audit_path(file, format=form, policy=policy, examples=examples, progress=progress)
    if html is not None:
        files.write(html, answer.html())
    return None if html == "-" else answer


async def learn(
    text: Text,
    /,
    *,
    memory: Memory,
    about: options.TextOptions = options.TextOptions(),
    key: Annotated[str | None, Parameter(help="Your own id; an existing id is left unchanged.")] = None,
) -> Any:
    return await memory.learn(text, key=key, **about.values())


async def put(
    key: Annotated[str, Parameter(help="Your own id for it.")],
    text: Text,
    /,
    *,
    memory: Memory,
    about: options.TextOptions = options.TextOptions(),
    if_revision: Annotated[
        int | None,
        Parameter(help="Fail unless the key's memory has this revision; 0: unless the key is new."),
    ] = None,
) -> Any:
    return await memory.put(key, text, if_revision=if_revision, **about.values())


async def consolidate(
    *,
    memory: Memory,
    listen: Annotated[bool, Parameter(help="Extract facts from learned and ingested texts too.")] = False,
) -> Any:
    with counting("consolidating") as progress:
        return await memory.consolidate(progress, listen=listen)


async def recall(
    query: Annotated[str, Parameter(help="A question, or words to look for.")],
    /,
    *,
    memory: Memory,
    narrow: options.Narrow = options.Narrow(),
    text: options.Alone = False,
    reasons: options.Reasons = options.Reasons(),
) -> Any:
    answer = await memory.recall(query, **narrow.values(), **reasons.values())
    return answer.text if text else answer if reasons.why else options.drop_score_parts(answer)


async def get(
    name: Name,
    /,
    *,
    memory: Memory,
    as_of: Annotated[options.When, Parameter(help="Show it as it was at this time.")] = None,
) -> Any:
    return await memory.get(name, as_of=as_of)


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
    return page.cut(await memory.list(tags=tuple(tag or ()), limit=limit, **equal, **page.values()))


async def count(
    by: Annotated[
        str | None, Parameter(help="Such as category, speaker, tier, topic or attributes.project.")
    ] = None,
    /,
    *,
    memory: Memory,
    selection: options.Selection = options.Selection(),
    limit: Annotated[int, Parameter(help="Maximum number of values.")] = 100,
) -> Any:
    return await memory.count(by, limit=limit, **selection.filter_values())


async def update(
    name: Name, /, *, memory: Memory, edit: options.Edit = options.Edit(), if_revision: IfRevision = None
) -> Any:
    return await memory.update(name, if_revision=if_revision, **options.given_of(edit))


async def tag(name: Name, tags: Tags, /, *, memory: Memory, if_revision: IfRevision = None) -> Any:
    return await memory.tag(name, *tags, if_revision=if_revision)


async def untag(name: Name, tags: Tags, /, *, memory: Memory, if_revision: IfRevision = None) -> Any:
    return await memory.untag(name, *tags, if_revision=if_revision)


async def pin(names: Names, /, *, memory: Memory, if_revision: IfRevision = None) -> Any:
    return await memory.pin(names, if_revision=if_revision)


async def unpin(names: Names, /, *, memory: Memory, if_revision: IfRevision = None) -> Any:
    return await memory.unpin(names, if_revision=if_revision)


async def hold(
    name: Name,
    reason: HoldName,
    /,
    *,
    memory: Memory,
    until: Annotated[options.When, Parameter(help="End of the hold; no end if absent.")] = None,
    if_revision: IfRevision = None,
) -> Any:
    return await memory.hold(name, reason, until, if_revision=if_revision)


async def release(name: Name, reason: HoldName, /, *, memory: Memory, if_revision: IfRevision = None) -> Any:
    return await memory.release(name, reason, if_revision=if_revision)


async def confirm(names: Names, /, *, memory: Memory, if_revision: IfRevision = None) -> Any:
    return await memory.confirm(names, if_revision=if_revision)


async def dispute(names: Names, /, *, memory: Memory) -> Any:
    return await memory.dispute(names)


async def correct(name: Name, text: Text, /, *, memory: Memory, if_revision: IfRevision = None) -> Any:
    return await memory.correct(name, text, if_revision=if_revision)


async def supersede(
    old: Annotated[Name, Parameter(metavar="OLD", help="The outdated memory.")],
    by: Annotated[Name, Parameter(metavar="BY", help="The memory that takes its place.")],
    /,
    *,
    memory: Memory,
    if_revision: IfRevision = None,
) -> Any:
    return await memory.supersede(old, by, if_revision=if_revision)


async def forget(
    names: Names,
    /,
    *,
    memory: Memory,
    forbid: Annotated[bool, Parameter(help="Also reject this text in the future.")] = False,
    if_revision: IfRevision = None,
) -> Any:
    return await memory.forget(names, forbid=forbid, if_revision=if_revision)


async def restore(names: Names, /, *, memory: Memory, if_revision: IfRevision = None) -> Any:
    return await memory.restore(names, if_revision=if_revision)


async def link(
    source: Name,
    target: Name,
    relation: Relation,
    /,
    *,
    memory: Memory,
    weight: Annotated[Share, Parameter(help="Weight, from 0 to 1.")] = None,
    confidence: Annotated[Share, Parameter(help="Confidence, from 0 to 1.")] = None,
    if_exists: Annotated[IfExists, Parameter(help="What to do if the link exists.")] = "reinforce",
    if_revision: IfLinkRevision = None,
) -> Any:
    new_link = await memory.link(
        source,
        target,
        relation,
        weight=weight,
        confidence=confidence,
        if_exists=if_exists,
        if_revision=if_revision,
    )
    cut = f"remanence unlink {new_link.source} {new_link.target} {new_link.relation.label}"
    return Undoable(new_link, cut if new_link.count == 1 else "remanence undo last")


async def unlink(
    source: Name, target: Name, relation: Relation, /, *, memory: Memory, if_revision: IfLinkRevision = None
) -> Any:
    return await memory.unlink(source, target, relation, if_revision=if_revision)


async def links(name: Name, /, *, memory: Memory) -> Any:
    return await memory.links(name)


async def graph_find_related(
    name: Name | None = None,
    /,
    *,
    memory: Memory,
    query: Annotated[
        str | None, Parameter(help="Start from the best answers to this question instead of a memory.")
    ] = None,
    hops: Annotated[int, Parameter(help="Maximum distance in links, 1 to 3.")] = 3,
    limit: Annotated[int, Parameter(help="Maximum number of memories.")] = 10,
) -> Any:
    return await memory.graph.find_related(name, query=query, hops=hops, limit=limit)


async def graph_contradictions(
    *,
    memory: Memory,
    every: Annotated[bool, Parameter(name="--all", help="Also list resolved contradictions.")] = False,
    limit: Annotated[int | None, Parameter(help="Maximum number; all if absent.")] = None,
    after: Annotated[
        tuple[str, str] | None,
        Parameter(metavar="ONE OTHER", help="Continue after this pair, the last of an earlier list."),
    ] = None,
) -> Any:
    behind = None if after is None else await _find_contradiction(memory, after)
    return await memory.graph.contradictions(open_only=not every, limit=limit, after=behind)


async def _find_contradiction(memory: Memory, names: tuple[str, str]) -> Any:
    """Return the contradiction of two memories, resolved or not."""
    ends = {(await memory.get(options.name_of(name))).seq for name in names}
    for pair in await memory.graph.contradictions(open_only=False):
        if {pair.one.seq, pair.other.seq} == ends:
            return pair
    raise InvalidInput(
        f"{names[0]} and {names[1]} do not contradict each other",
        recovery="name the two memories of the last line of a list before",
    )


async def graph_merge(
    keep: Name,
    other: Name,
    /,
    *,
    memory: Memory,
    if_revision: IfRevision = None,
) -> Any:
    return await memory.graph.merge(keep, other, if_revision=if_revision)


async def graph_link_duplicates(*, memory: Memory) -> Any:
    return await memory.graph.link_duplicates()


async def graph_resolve(
    one: Name,
    other: Name,
    /,
    *,
    memory: Memory,
    keep: Annotated[Name | None, Parameter(help="The memory to keep; neither if absent.")] = None,
    if_revision: Annotated[
        int | None,
        Parameter(help="Fail unless the replaced memory (without --keep: the link) has this revision."),
    ] = None,
) -> Any:
    return await memory.graph.resolve(one, other, keep, if_revision=if_revision)


async def rate(
    signal: Annotated[float, Parameter(help="0 misled, 0.5 neither, 1 helped.")],
    names: Names,
    /,
    *,
    memory: Memory,
) -> Any:
    return await memory.rate(names, signal)


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


async def status(*, memory: Memory) -> Any:
    return await memory.status()


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


async def begin_session(
    *,
    memory: Memory,
    task_type: Annotated[str, Parameter(name="--task", help="The kind of task.")] = "general",
) -> Any:
    session = await memory.begin_session(task_type, heartbeats=False)
    return Undoable({"session": session}, f"remanence end-session {session}")


async def end_session(
    session: Annotated[
        str | None,
        Parameter(
            metavar="ID", help="The session id that `begin-session` printed; the open session if absent."
        ),
    ] = None,
    /,
    *,
    memory: Memory,
) -> Any:
    session = session or await _open_one(memory)
    return {"session": session, "hours": round(await memory.end_session(session), 4)}


async def _open_one(memory: Memory) -> str:
    """Name the only open session that no process keeps alive by itself."""
    found = [one.id for one in (await memory.status()).sessions if one.every is None]
    if not found:
        raise NotFound("no session is open", recovery="begin one with `remanence begin-session`")
    if len(found) > 1:
        raise InvalidInput(f"{len(found)} sessions are open", recovery=f"name one: {', '.join(found)}")
    return found[0]
