"""The export of claude.ai: conversations with their messages, and what Claude remembers.

Knows that format; must not know other formats.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from remanence.core.model import NAME_CHARS_MAX, Kind, Role, Turn
from remanence.write.transcripts import base, export_files, item_fields, markdown, turn_fields
from remanence.write.transcripts.base import child, objects
from remanence.write.transcripts.content_types import LEFT_OUT, ContentTypes
from remanence.write.transcripts.importer_source import SkipCounts, Source
from remanence.write.transcripts.item_fields import MessageKeys
from remanence.write.transcripts.turn_fields import FlawError, Path

_ROLES: Mapping[Any, Role] = {"human": Role.USER, "assistant": Role.ASSISTANT}
CONTENT = ContentTypes(
    {
        "text": ("text",),
        "voice_note": ("text",),
        "tool_use": LEFT_OUT,
        "tool_result": LEFT_OUT,
        "thinking": LEFT_OUT,
        "redacted_thinking": LEFT_OUT,
        "image": LEFT_OUT,
        "document": LEFT_OUT,
        "token_budget": LEFT_OUT,
        "flag": LEFT_OUT,
    }
)
_NO_TIME = "time that is not one"


class Claude:
    """The conversations of an export, and the memories beside them."""

    reads_sources: Literal[True] = True
    summary = "a Claude export: its conversations.json or memories.json, its folder or zip archive"

    def recognises(self, source: Source) -> bool:
        """Tell whether a file of conversations begins with one of Claude, or with what Claude remembers."""
        return export_files.holds_conversations(
            source, lambda head: "chat_messages" in head or _is_memory(head)
        )

    def turns(self, source: Source, skipped: SkipCounts) -> Iterator[Turn]:
        """Yield the messages of all conversations, then the memories; other files are counted."""
        keys, seen = MessageKeys(), set[str]()
        for name, text in export_files.read_conversations(source):
            yield from base.read(text, name, lambda whole, _: _read_file(whole, keys, seen, skipped), skipped)
        names = (
            [name for name in source.list_files(".json") if _is_memory_file(name)] if source.is_folder else []
        )
        for name in names:
            text = source.text(name)
            yield from base.read(text, name, lambda whole, _: _read_memories(whole, seen, skipped), skipped)
        export_files.note_other_files(source, {*export_files.list_candidates(source), *names}, skipped)


def _is_memory(one: Mapping[str, Any]) -> bool:
    return "conversations_memory" in one


def _is_memory_file(name: str) -> bool:
    return f"/{name}".lower().endswith("/memories.json") or "/memories/" in f"/{name}".lower()


def _read_file(whole: Any, keys: MessageKeys, seen: set[str], skipped: SkipCounts) -> Iterator[Turn]:
    """Read what a file holds that is named like conversations: these, or memories where it was given alone."""
    objects_of = [one for _, one in objects(whole, "a list of conversations")]
    if objects_of and all(map(_is_memory, objects_of)):
        yield from _read_memories(whole, seen, skipped)
        return
    for place, conversation in objects(whole, "a list of conversations"):
        yield from _read_conversation(conversation, place, keys, skipped)


def _read_conversation(
    conversation: Mapping[str, Any], place: Path, keys: MessageKeys, skipped: SkipCounts
) -> Iterator[Turn]:
    thread = turn_fields.check_at(place, turn_fields.plain_name, "uuid", conversation.get("uuid"))
    messages = child(conversation, "chat_messages", list, place)
    if not messages:
        skipped.note("conversation without messages", conversation.get("name") or thread)
    said_at = _read_time(conversation.get("created_at"), skipped)
    equal: Counter[str] = Counter()
    for number, message in _list_shown(conversation, messages, skipped):
        if not isinstance(message, dict):
            raise FlawError(
                "a message is not an object", "export it again", (*place, "chat_messages", number)
            )
        said_at = _read_time(message.get("created_at"), skipped) or said_at
        sender = message.get("sender")
        role = _ROLES.get(sender) if isinstance(sender, str) else None
        if role is None:
            skipped.note("of a sender that is neither the person nor Claude", sender)
            continue
        text = _read_text(message, skipped)
        if text is None or not item_fields.can_keep_text(text, message.get("uuid"), skipped):
            continue
        given = message.get("uuid")
        id_ = given if item_fields.is_name(given) else turn_fields.content_key("claude", thread, text, equal)
        key = keys.take(str(id_), thread, text)
        if key is None:
            skipped.note("message that is there twice", id_)
        else:
            yield Turn(
                text=text,
                kind=Kind.EPISODIC.label,
                role=role.label,
                thread=thread,
                session=thread,
                said_at=said_at,
                source=f"{thread}:{id_}"[-NAME_CHARS_MAX:],
                key=key,
            )


def _list_shown(
    conversation: Mapping[str, Any], messages: Sequence[Any], skipped: SkipCounts
) -> list[tuple[int, Any]]:
    """Return the messages of the branch that is shown, where a conversation says which, else all; with their places."""
    numbers = {
        message["uuid"]: number
        for number, message in enumerate(messages)
        if isinstance(message, dict) and isinstance(message.get("uuid"), str)
    }
    at = conversation.get("current_leaf_message_uuid")
    branch: dict[int, None] = {}
    while isinstance(at, str) and at in numbers and numbers[at] not in branch:
        branch[numbers[at]] = None
        at = messages[numbers[at]].get("parent_message_uuid")
    if not branch:
        return list(enumerate(messages))
    skipped.update(
        {"of a branch that is not shown": beside} if (beside := len(messages) - len(branch)) else {}
    )
    return [(number, messages[number]) for number in reversed(branch)]


def _read_time(given: Any, skipped: SkipCounts) -> datetime | None:
    """Return a time; one that is none, or that no clock shows, is counted. One without a zone is UTC, as all others."""
    try:
        return item_fields.read_moment("created_at", given, is_utc=True)
    except FlawError:
        skipped.note(_NO_TIME, given)
        return None


def _read_text(message: Mapping[str, Any], skipped: SkipCounts) -> str | None:
    """Return what was said in words: the blocks of text, else the text; what else is in a message is counted.

    `text` may be empty, or have a line in place of each block that is no text, so the blocks come first.
    """
    said = CONTENT.read_text(message.get("content"), skipped)
    for what in ("attachments", "files"):
        for one in _list_objects(message.get(what)):
            skipped.note(f"{what[:-1]} of a message", one.get("file_name") or one.get("uuid"))
            said = said or None
    given = message.get("text")
    words = said or (given.strip() if isinstance(given, str) else "")
    return words or said


def _list_objects(given: Any) -> list[dict[str, Any]]:
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


def _read_memories(whole: Any, seen: set[str], skipped: SkipCounts) -> Iterator[Turn]:
    """Yield what Claude remembers: of all conversations, of each project, and its files of memory."""
    for _, one in objects(whole, "a list of memories"):
        yield from _read_memory("", one.get("conversations_memory"), None, seen, skipped)
        projects = one.get("project_memories")
        for project, text in projects.items() if isinstance(projects, dict) else ():
            yield from _read_memory(project, text, None, seen, skipped)
        for file in _list_objects(one.get("memory_files")):
            said_at = _read_time(file.get("updated_at"), skipped)
            yield from _read_memory(str(file.get("path")), file.get("content"), said_at, seen, skipped)


def _read_memory(
    place: str, text: Any, said_at: datetime | None, seen: set[str], skipped: SkipCounts
) -> Iterator[Turn]:
    """Yield each paragraph and item of a text that Claude remembers; `place` is a project or file, or empty."""
    if not isinstance(text, str):
        if text is not None:
            skipped.note("memory that is no text", place)
        return
    heading, equal = "", Counter[str]()
    for block in markdown.read_blocks(text.splitlines()):
        if block.heading is not None:
            heading = block.heading
            continue
        words = markdown.join_lines(block.lines)
        if (bold := markdown.read_bold(words)) is not None:
            heading = bold
            continue
        key = turn_fields.content_key("claude-memory", place, words, equal)
        if words and key not in seen and item_fields.can_keep_text(words, key, skipped):
            seen.add(key)
            yield Turn(
                text=words,
                kind=Kind.SEMANTIC.label,
                said_at=said_at,
                source="claude-memory",
                key=key,
                attributes=item_fields.keep_attributes({"heading": heading, "place": place}),
            )
