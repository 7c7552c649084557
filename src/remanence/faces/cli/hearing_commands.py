"""The commands for what is said in a conversation: note a turn, listen to what waits, talk on the terminal.

Knows what a host's hook passes on standard input; must not know how a turn is kept or what is extracted from it.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from threading import Thread
from typing import Annotated, Any

from cyclopts import Parameter

from remanence.core.errors import InvalidInput, format_value
from remanence.core.model import Link, Relation, short_id
from remanence.faces import style
from remanence.faces.cli import options
from remanence.faces.cli.options import Memory
from remanence.flows.write.noting import NoteResult

RECALLED = 5  # memories that are shown for a line of a chat
PROMPT = "> "
KEPT_OUT = frozenset({"gated", "quarantined"})
HOOK_FIELDS = ("prompt", "session_id", "hook_event_name")  # that tell a hook's JSON from a text with a brace
BOM = "\ufeff"  # what some shells put before what they pipe


async def note(
    text: Annotated[
        str,
        Parameter(
            converter=options.text_of,
            help="What was said; - reads it, or a hook's JSON with prompt and session_id, from standard input.",
        ),
    ],
    /,
    *,
    memory: Memory,
    about: options.TextOptions = options.TextOptions(),
    key: Annotated[
        str | None, Parameter(help="A stable name of yours; noted twice it is stored once.")
    ] = None,
) -> Any:
    fields = about.values()
    prompt, session = parse_prompt(text)
    if session is not None:
        fields.setdefault("session", session)
    return await memory.note(prompt, later=True, key=key, **fields)


async def chat(
    *, memory: Memory, speaker: Annotated[str | None, Parameter(help="The name of who speaks.")] = None
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


def parse_prompt(given: str) -> tuple[str, str | None]:
    """Return what was said and in which session, from a text or from what a host's hook passes as JSON."""
    given = given.removeprefix(BOM)
    if not given.lstrip().startswith("{"):
        return given, None
    try:
        read = json.loads(given)
    except (ValueError, RecursionError) as error:
        if any(f'"{name}"' in given for name in HOOK_FIELDS):
            raise InvalidInput(
                f"this begins like a hook's JSON and is none: {error}",
                recovery="pass whole JSON with prompt and session_id; what is a text all the same: `learn -`",
            ) from error
        return given, None
    prompt, session = read.get("prompt"), read.get("session_id")
    if prompt is None:
        return given, None
    if not isinstance(prompt, str) or not isinstance(session, str | None):
        raise InvalidInput(
            f"prompt {format_value(prompt)} with session_id {format_value(session)}",
            recovery="pass both as texts, in JSON",
        )
    return prompt, session


async def _note_line(memory: Memory, line: str, speaker: str | None) -> int:
    """Show what is known about a line, note it, and show what became known by it; return how many facts."""
    try:
        answer = await memory.recall(line, limit=RECALLED)
        receipt: NoteResult = await memory.note(line, later=True, speaker=speaker)
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
    """Say whose place a memory has taken."""
    over = [link.target for link in links if link.source == seq and link.relation is Relation.SUPERSEDES]
    return f" (instead of {', '.join(map(short_id, over))})" if over else ""


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
