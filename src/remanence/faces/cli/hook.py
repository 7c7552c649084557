"""The command that coding hosts call at their hooks: reads the host's JSON, and answers in the words of that host.

Knows the events of Claude Code, Codex and Cursor and what each may be answered; must not know how a memory is opened.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from remanence.core.errors import InvalidInput, format_value
from remanence.core.half_characters import mend_text
from remanence.core.model import NAME_CHARS_MAX, TEXT_CHARS_MAX
from remanence.faces.cli import options
from remanence.faces.cli.options import Memory
from remanence.llm.prompt_memories import find_room, show_begun, show_recalled

if TYPE_CHECKING:
    from remanence.core.keywords import RoleName

BUDGET = 800
BOM = "\ufeff"  # what some shells put before what they pipe
HOOK_FIELDS = ("prompt", "session_id", "hook_event_name")  # that tell a hook's JSON from a text with a brace
# Which of the host's names of a session, and of what the assistant said, is there.
SESSIONS = ("session_id", "conversation_id")
ANSWERS = ("last_assistant_message", "text")
SUBAGENT = "agent_id"  # is there where no person is asked


async def hook(
    event: Annotated[
        str,
        Parameter(converter=options.text_of, help="- reads the host's JSON from standard input."),
    ],
    /,
    *,
    memory: Memory,
    budget: Annotated[int, Parameter(help="Maximum number of tokens of memories.")] = BUDGET,
) -> Any:
    told = _read(event)
    name = told["hook_event_name"]
    is_cursor = name[:1].islower()
    do = EVENTS.get(name)
    remembered = "" if do is None else await do(memory, told, budget)
    answer = _answer_cursor(name, remembered) if is_cursor else _answer_claude(name, remembered)
    return json.dumps(answer) if answer or is_cursor else None


def _read(event: str) -> Mapping[str, Any]:
    """Return what the host tells; raise InvalidInput for what is no JSON of a hook."""
    recovery = "call it as a hook of Claude Code, Codex or Cursor: they pass JSON with hook_event_name"
    try:
        told = json.loads(event.removeprefix(BOM))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"this is no JSON of a hook: {error}", recovery=recovery) from error
    name = told.get("hook_event_name") if isinstance(told, dict) else None
    if not isinstance(name, str) or not isinstance(told, dict):
        raise InvalidInput(f"hook_event_name {format_value(name)} names no event", recovery=recovery)
    return told


async def _begin_session(memory: Memory, _told: Mapping[str, Any], budget: int) -> str:
    """Listen to what still waits, and show what to begin with."""
    await memory.consolidate()
    return show_begun(await memory.frame("boot", budget=find_room(budget)))


async def _hear_prompt(memory: Memory, told: Mapping[str, Any], budget: int) -> str:
    """Show what answers a prompt, then hear it; a subagent's prompt is nobody's word."""
    prompt = _text(told, ("prompt",))
    if not prompt:
        return ""
    answer = await memory.recall(prompt[:TEXT_CHARS_MAX], budget=find_room(budget))
    if SUBAGENT not in told:
        await _note_words(memory, told, prompt, "user")
    return "" if answer.is_weak else show_recalled(answer)


async def _hear_prompt_alone(memory: Memory, told: Mapping[str, Any], _budget: int) -> str:
    """Hear a prompt where the host takes no context for it."""
    await _note_words(memory, told, _text(told, ("prompt",)), "user")
    return ""


async def _hear_answer(memory: Memory, told: Mapping[str, Any], _budget: int) -> str:
    """Hear what the assistant said last."""
    await _note_words(memory, told, _text(told, ANSWERS), "assistant")
    return ""


async def _listen_to_waiting(memory: Memory, _told: Mapping[str, Any], _budget: int) -> str:
    """Find facts in what was said, and make what waits active."""
    await memory.consolidate()
    return ""


async def _note_words(memory: Memory, told: Mapping[str, Any], words: str, role: "RoleName") -> None:
    if words:
        session = _text(told, SESSIONS)
        named = (
            session
            if len(session) <= NAME_CHARS_MAX and session.isprintable()
            else sha256(session.encode()).hexdigest()
        )
        await memory.note(words[:TEXT_CHARS_MAX], later=True, role=role, session=named or None)


def _text(told: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """Return the first text that has one of these names, "" where none is there; raise InvalidInput for no text."""
    found = next((value for name in names if (value := told.get(name)) is not None), "")
    if not isinstance(found, str):
        raise InvalidInput(f"{names[0]} is {format_value(found)}", recovery="pass a text, in JSON")
    found, _ = mend_text(
        found.replace("\0", "")
    )  # no memory holds a zero character, and a host is told nothing
    return "" if found.isspace() else found


def _answer_claude(name: str, remembered: str) -> dict[str, Any]:
    """Answer Claude Code or Codex, which read no answer as nothing to say."""
    said = {"hookEventName": name, "additionalContext": remembered}
    return {"hookSpecificOutput": said} if remembered else {}


def _answer_cursor(name: str, remembered: str) -> dict[str, Any]:
    """Answer Cursor, which lets a prompt through by a word of its own."""
    go_on = {"continue": True} if name == "beforeSubmitPrompt" else {}
    return go_on | ({"additional_context": remembered} if remembered else {})


# What is done at each event; at any other, nothing.
EVENTS: Mapping[str, Callable[[Memory, Mapping[str, Any], int], Awaitable[str]]] = {
    "SessionStart": _begin_session,
    "sessionStart": _begin_session,
    "UserPromptSubmit": _hear_prompt,
    "beforeSubmitPrompt": _hear_prompt_alone,
    "Stop": _hear_answer,
    "afterAgentResponse": _hear_answer,
    "PreCompact": _listen_to_waiting,
    "preCompact": _listen_to_waiting,
    "SessionEnd": _listen_to_waiting,
    "sessionEnd": _listen_to_waiting,
}


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
