"""An agent file of Letta (`.af`): the blocks of its memory, and the messages of its agents.

Knows that format, in both its shapes; must not know other formats.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Literal

from remanence.core.clock import to_micros
from remanence.core.model import Kind, Turn
from remanence.write.imported import ImportedTurn
from remanence.write.transcripts import base, item_fields
from remanence.write.transcripts.content_types import LEFT_OUT, ContentTypes
from remanence.write.transcripts.importer_source import SkipCounts, Source
from remanence.write.transcripts.item_fields import MessageKeys
from remanence.write.transcripts.turn_fields import FlawError, Path

CONTENT = ContentTypes(
    {
        "text": ("text",),
        **dict.fromkeys(
            ("reasoning", "redacted_reasoning", "omitted_reasoning", "summarized_reasoning"), LEFT_OUT
        ),
        **dict.fromkeys(("tool_call", "tool_return", "image"), LEFT_OUT),
    }
)
# What agents of Letta hear and say in JSON of its own, inside the text of a message.
_USER = "user_message"
_SEND = "send_message"
_NO_PLACE = ("tools", "files", "sources", "mcp_servers", "groups", "skills")


class Letta:
    """Blocks and messages of agents."""

    reads_sources: Literal[True] = True
    summary = "an agent file of Letta (.af)"

    def recognises(self, source: Source) -> bool:
        """Tell whether the object has agents and blocks, or the memory of one agent."""
        return not source.is_folder and bool(item_fields.find_files(source, _is_agent_file))

    def turns(self, source: Source, skipped: SkipCounts) -> Iterator[Turn]:
        """Yield the blocks, then the messages of each agent."""
        for name in item_fields.require_files(source, _is_agent_file, "agent of Letta"):
            yield from base.read(source.text(name), name, partial(_read_agents), skipped)


def _is_agent_file(head: Mapping[str, Any]) -> bool:
    """Tell whether an object has agents and blocks, or the memory of one agent."""
    return (isinstance(head.get("agents"), list) and "blocks" in head) or (
        isinstance(head.get("core_memory"), list) and "agent_type" in head
    )


def _read_agents(whole: Any, skipped: Any) -> Iterator[Turn]:
    if not isinstance(whole, dict):
        raise FlawError("the file is not an agent file", "name the format that it has")
    for name in _NO_PLACE:
        several = whole.get(name)
        for one in several if isinstance(several, list) else ():
            skipped.note(f"one of {name}", one.get("name", name) if isinstance(one, dict) else one)
    if "agents" not in whole:
        yield from _read_blocks(whole, "core_memory", skipped)
        yield from _read_messages(whole, (), skipped)
        return
    yield from _read_blocks(whole, "blocks", skipped)
    for number, agent in enumerate(base.child(whole, "agents", list, ())):
        path: Path = ("agents", number)
        yield from _read_messages(item_fields.require_object(agent, "an agent", path), path, skipped)


def _read_blocks(whole: Mapping[str, Any], part: str, skipped: SkipCounts) -> Iterator[Turn]:
    for number, one in enumerate(base.child(whole, part, list, ())):
        path = (part, number)
        block = item_fields.require_object(one, "a block", path)
        label, value = block.get("label"), block.get("value")
        if not item_fields.can_keep_text(value, label, skipped):
            continue
        id_, owner = block.get("id"), _find_owner(block, whole)
        name = f"{owner}/{label}" if id_ is None else item_fields.make_id_key(str(id_), f"{owner}/{label}")
        yield ImportedTurn(
            text=str(value),
            kind=Kind.SEMANTIC.label,
            agent=item_fields.keep_name("agent", whole.get("name"), skipped),
            said_at=item_fields.read_moment("updated_at", block.get("updated_at"), path, is_utc=True),
            source="letta",
            key=item_fields.make_key(name),
            attributes=item_fields.keep_attributes({"label": label, "description": block.get("description")}),
        )


def _find_owner(block: Mapping[str, Any], whole: Mapping[str, Any]) -> str:
    """Return the name of the agent that has a block: ids in agent files count from 0 in each file."""
    agents = whole.get("agents")
    for agent in agents if isinstance(agents, list) else ():
        held = agent.get("block_ids") if isinstance(agent, dict) else None
        if isinstance(held, list) and block.get("id") in held:
            return str(agent.get("name", ""))
    return str(whole.get("name", ""))


def _read_messages(agent: Mapping[str, Any], path: Path, skipped: SkipCounts) -> Iterator[Turn]:
    messages = agent.get("messages")
    if messages is None:
        return
    if not isinstance(messages, list):
        raise FlawError("'messages' is not a list", "export it again", path)
    name = item_fields.keep_name("agent", agent.get("name"), skipped)
    thread = item_fields.keep_name("agent", agent.get("id") or agent.get("name"), skipped)
    keys = MessageKeys()
    for number, one in enumerate(messages):
        place = (*path, "messages", number)
        message = item_fields.require_object(one, "a message", place)
        text = _find_said(message, skipped)
        if text is None:
            continue
        at = item_fields.read_moment("created_at", message.get("created_at"), place, is_utc=True)
        micros = None if at is None else to_micros(at)
        given = message.get("id") or item_fields.digest(f"{micros}{number}{text}")
        key = keys.take(str(given), f"{name}/{thread}", text)
        if key is None:
            skipped.note("message that is there twice", given)
        elif item_fields.can_keep_text(text, key, skipped):
            is_user = message.get("role") == "user"
            yield ImportedTurn(
                text=text,
                kind=Kind.EPISODIC.label,
                role="user" if is_user else "assistant",
                speaker=item_fields.keep_name("name", message.get("name"), skipped) if is_user else name,
                agent=name,
                thread=thread,
                session=thread,
                said_at=at,
                source="letta",
                key=key,
            )


def _find_said(message: Mapping[str, Any], skipped: SkipCounts) -> str | None:
    """Return what a message says to somebody; None for what is counted: of the system, a tool, or a thought."""
    role, content = message.get("role"), message.get("content", message.get("text"))
    calls = message.get("tool_calls")
    if role == "user":
        text = CONTENT.read_text(content, skipped)
        packed = None if text is None else _unpack_object(text)
        if packed is None:
            return text
        if packed.get("type") == _USER and "message" in packed:
            return str(packed["message"])
    elif role == "assistant":
        if not calls:
            return CONTENT.read_text(content, skipped)
        several = calls if isinstance(calls, list) else []
        sent = [said for call in several if (said := _find_spoken_words(call)) is not None]
        if sent:
            return "\n".join(sent)
    skipped.note("message of the system or a tool, or a thought", message.get("id"))
    return None


def _unpack_object(text: str) -> Mapping[str, Any] | None:
    """Return the JSON object that a text is; None where it is none."""
    if not text.startswith("{"):
        return None
    try:
        value = base.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) and "type" in value else None


def _find_spoken_words(call: Any) -> str | None:
    """Return what a call of the tool that speaks says."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or function.get("name") != _SEND:
        return None
    try:
        arguments = base.loads(str(function.get("arguments")))
    except ValueError:
        return None
    said = arguments.get("message") if isinstance(arguments, dict) else None
    return said if isinstance(said, str) else None
