"""The commands for what is said in a conversation: note a turn, listen to what waits, talk on the terminal.

Knows what a host's hook passes on standard input; must not know how a turn is kept or what is extracted from it.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from threading import Thread
from typing import Annotated, Any

from cyclopts import Parameter

from remanence.errors import InvalidInput, shown
from remanence.faces.cli import options, style
from remanence.faces.cli.options import Memory
from remanence.flows.write.noting import Noted
from remanence.model import short_id

RECALLED = 5  # memories that are shown for a line of a chat
PROMPT = "> "


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
    about: options.About = options.About(),
    key: Annotated[
        str | None, Parameter(help="A stable name of yours; noted twice it is stored once.")
    ] = None,
) -> Any:
    given = about.values()
    said, session = prompted(text)
    if session is not None:
        given.setdefault("session", session)
    return await memory.note(said, later=True, key=key, **given)


async def flush(*, memory: Memory) -> Any:
    return await memory.flush()


async def chat(
    *, memory: Memory, speaker: Annotated[str | None, Parameter(help="The name of who speaks.")] = None
) -> Any:
    noted = facts = 0
    try:
        async with memory.session("chat"):
            async for line in _lines():
                noted += 1
                facts += await _heard(memory, line, speaker)
    except asyncio.CancelledError:  # Ctrl-C: what was said is noted, and the session has ended
        if (task := asyncio.current_task()) is not None:
            task.uncancel()
    return {"noted": noted, "facts": facts}


def prompted(given: str) -> tuple[str, str | None]:
    """Return what was said and in which session, from a text or from what a host's hook passes as JSON."""
    if not given.lstrip().startswith("{"):
        return given, None
    try:
        read = json.loads(given)
    except (ValueError, RecursionError):
        return given, None
    prompt, session = read.get("prompt"), read.get("session_id")
    if prompt is None:
        return given, None
    if not isinstance(prompt, str) or not isinstance(session, str | None):
        raise InvalidInput(
            f"prompt {shown(prompt)} with session_id {shown(session)}", recovery="pass both as texts, in JSON"
        )
    return prompt, session


async def _heard(memory: Memory, line: str, speaker: str | None) -> int:
    """Show what is known about a line, note it, and show what became known by it; return how many facts."""
    answer = await memory.recall(line, limit=RECALLED)
    if len(answer) and not answer.is_weak:
        style.write_lines([style.Text(one) for one in answer.text.splitlines()], sys.stdout)
    noted: Noted = await memory.note(line, later=True, speaker=speaker)
    if noted.status == "gated":
        style.write_lines([style.Text(f"  {noted.learned}")], sys.stdout)
        return 0
    await memory.flush()
    links = await memory.links(noted.seq)
    known = [await memory.get(link.source) for link in links if link.target == noted.seq]
    new = [one for one in known if one.seq > noted.seq]
    turn = await memory.get(noted.seq)
    told = [f"{short_id(one.seq)} {one.category or 'fact'}: {one.text}" for one in new]
    is_fact = turn.category is not None and noted.status == "stored"
    told += [f"{short_id(turn.seq)} {turn.category}: as said"] * is_fact
    style.write_lines([style.Text(f"  known now: {one}") for one in told], sys.stdout)
    return len(told)


async def _lines() -> AsyncIterator[str]:
    """Yield the lines that somebody types until there are no more; whoever stops listening leaves the thread behind."""
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[str | None]()

    def read() -> None:
        with suppress(RuntimeError):  # the loop has ended
            for line in _typed():
                loop.call_soon_threadsafe(lines.put_nowait, line)
            loop.call_soon_threadsafe(lines.put_nowait, None)

    Thread(target=read, name="remanence-chat", daemon=True).start()
    while (line := await lines.get()) is not None:
        if line.strip():
            yield line.strip()


def _typed() -> Any:
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
