"""The `conversations.json` of a ChatGPT export: trees of messages, of which the branch last shown is taken.

Knows that format; must not know other formats.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from remanence.core.model import NAME_CHARS_MAX, Kind, Turn
from remanence.write.transcripts import base, export_files, turn_fields
from remanence.write.transcripts.base import child, objects
from remanence.write.transcripts.content_types import LEFT_OUT, ContentTypes
from remanence.write.transcripts.importer_source import SkipCounts, Source
from remanence.write.transcripts.item_fields import MessageKeys
from remanence.write.transcripts.turn_fields import Path

CONTENT = ContentTypes(
    {
        "text": ("parts", "text"),
        "multimodal_text": ("parts",),
        "audio_transcription": ("text",),
        "code": ("text",),
        "user_editable_context": ("user_profile", "user_instructions"),
        "model_editable_context": ("model_set_context",),
        # What a model thought, what a program or a page said to it, and what is no text.
        "thoughts": LEFT_OUT,
        "reasoning_recap": LEFT_OUT,
        "execution_output": LEFT_OUT,
        "system_error": LEFT_OUT,
        "tether_quote": LEFT_OUT,
        "tether_browsing_display": LEFT_OUT,
        "computer_output": LEFT_OUT,
        "image_asset_pointer": LEFT_OUT,
        "audio_asset_pointer": LEFT_OUT,
        "real_time_user_audio_video_asset_pointer": LEFT_OUT,
        "video_container_asset_pointer": LEFT_OUT,
    },
    type_field="content_type",
)
_ROLES = ("user", "assistant")
# Whose words they are, whoever sends them: in exports they come from the system, too.
_ROLES_OF_TYPES = {"user_editable_context": "user", "model_editable_context": "assistant"}


class ChatGPT:
    """The conversations of an export."""

    reads_sources: Literal[True] = True
    summary = "a ChatGPT export: its conversations.json, also in parts, its folder or zip archive"

    def recognises(self, source: Source) -> bool:
        """Tell whether the first object of a file of conversations maps its nodes."""
        return export_files.holds_conversations(source, lambda head: "mapping" in head)

    def turns(self, source: Source, skipped: SkipCounts) -> Iterator[Turn]:
        """Yield the turns of all conversations; other files are counted."""
        keys = MessageKeys()
        for name, text in export_files.read_conversations(source):
            yield from base.read(
                text, name, lambda whole, _: _read_conversations(whole, keys, skipped), skipped
            )
        export_files.note_other_files(source, export_files.list_candidates(source), skipped)


def _read_conversations(whole: Any, keys: MessageKeys, skipped: SkipCounts) -> Iterator[Turn]:
    """Yield what user and assistant said in every conversation; all else is counted in `skipped` by its reason."""
    for place, conversation in objects(whole, "a list of conversations"):
        yield from _read_turns(conversation, place, keys, skipped)


def _read_turns(
    conversation: Mapping[str, Any], place: Path, keys: MessageKeys, skipped: SkipCounts
) -> Iterator[Turn]:
    mapping = child(conversation, "mapping", dict, place)
    conversation_id = conversation.get("conversation_id") or conversation.get("id")
    thread = turn_fields.check_at(place, turn_fields.plain_name, "conversation_id", conversation_id)
    said_at = turn_fields.read_seconds(conversation.get("create_time"))
    current = conversation.get("current_node")
    if mapping and not (isinstance(current, str) and current in mapping):
        skipped.note("conversation without a current message: its latest branch is taken", thread)
        current = _find_latest(mapping)
    for node, message in _follow_branch(mapping, current, thread, skipped):
        said_at = turn_fields.read_seconds(message.get("create_time")) or said_at
        role = _read_role(message)
        if role not in _ROLES:
            skipped["of the system or a tool"] += 1
            continue
        text = _read_text(message, skipped)
        if text is None:
            continue
        problem = turn_fields.problem_of(text) if text else "no text in it"
        if problem:
            skipped[problem] += 1
            continue
        id_ = turn_fields.check_at(place, turn_fields.plain_name, "id", message.get("id") or node)
        key = keys.take(id_, thread, text)
        if key is None:
            skipped["shared with another conversation"] += 1
        else:
            yield Turn(
                text=text,
                kind=Kind.EPISODIC.label,
                role=role,
                thread=thread,
                session=thread,
                said_at=said_at,
                source=f"{thread}:{id_}"[-NAME_CHARS_MAX:],
                key=key,
            )


def _find_latest(mapping: Mapping[str, Any]) -> str | None:
    """Return the last node of the branch that was written to last, of those that nothing follows."""
    messages = {
        name: node["message"]
        for name, node in mapping.items()
        if isinstance(node, dict) and isinstance(node.get("message"), dict)
    }
    followed = {str(node.get("parent")) for node in mapping.values() if isinstance(node, dict)}
    ends = [name for name in messages if name not in followed] or list(messages)
    times = {name: turn_fields.read_seconds(messages[name].get("create_time")) or 0 for name in ends}
    return max(reversed(ends), key=times.__getitem__, default=None)


def _follow_branch(
    mapping: Mapping[str, Any], current: Any, thread: str, skipped: SkipCounts
) -> list[tuple[str, Mapping[str, Any]]]:
    """Follow the parents of the current node and return (node, message) from the first to the last.

    Where a parent is missing, or comes again, the branch begins; that is counted.
    """
    branch: list[tuple[str, Mapping[str, Any]]] = []
    visited: set[str] = set()
    while current is not None:
        node = mapping.get(current) if isinstance(current, str) else None
        if not isinstance(node, dict):
            skipped.note("conversation whose beginning is missing", thread)
            break
        if current in visited:
            skipped.note("conversation that goes in a circle", thread)
            break
        visited.add(current)
        message = node.get("message")
        if isinstance(message, dict):
            branch.append((current, message))
        current = node.get("parent")
    return branch[::-1]


def _read_role(message: Mapping[str, Any]) -> str:
    author, content = message.get("author"), message.get("content")
    kind = content.get("content_type") if isinstance(content, dict) else None
    given = str(author.get("role")) if isinstance(author, dict) else ""
    return _ROLES_OF_TYPES.get(kind, given) if isinstance(kind, str) else given


def _read_text(message: Mapping[str, Any], skipped: SkipCounts) -> str | None:
    """Return what a message says, None where all of it is left out; code that is sent to a tool is a call."""
    content, recipient = message.get("content"), message.get("recipient")
    is_code = isinstance(content, dict) and content.get("content_type") == "code"
    if is_code and isinstance(recipient, str) and recipient != "all":
        skipped.note("part of type code, for a tool", recipient)
        return None
    return CONTENT.read_text(content, skipped)
