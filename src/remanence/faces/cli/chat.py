"""The command that talks to a memory on a terminal: it shows what it recalls for each line, and what it learned.

Knows lines that somebody types; must not know how facts are extracted.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from threading import Thread
from typing import Annotated, Any

from cyclopts import Parameter

from remanence.core.errors import InvalidInput
from remanence.core.model import Link, Relation, short_id
from remanence.faces import style
from remanence.faces.cli.options import Memory
from remanence.flows.write.noting import NoteResult

RECALLED = 5  # memories that are shown for a line of a chat
PROMPT = "> "
KEPT_OUT = frozenset({"gated", "quarantined"})


async def chat(
    *, memory: Memory, speaker: Annotated[str | None, Parameter(help="The speaker's name.")] = None
) -> Any:
    turns = facts = 0
    try:
        async with memory.session("chat"):
            async for line in _read_lines():
                turns += 1
                facts += await _note_line(memory, line, speaker)
    except asyncio.CancelledError:  # Ctrl-C: what was said is noted, and the session has ended
        if (task := asyncio.current_task()) is not None:
            task.uncancel()
    return {"noted": turns, "facts": facts}


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


async def _read_lines() -> AsyncIterator[str]:
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
