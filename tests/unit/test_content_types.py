"""Content of messages is read where it holds words; whatever else it is gets named and counted, and is never empty."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from remanence.write.imported import SkipCounts
from remanence.write.transcripts import chatgpt, claude, langgraph_store, letta, openai
from remanence.write.transcripts.content_types import TYPES_MAX, ContentTypes
from remanence.write.transcripts.formats import Transcript, parse, parse_source
from remanence.write.transcripts.importer_source import Source, SqliteTable

UUID = "7f3a1b2c-0d4e-4f6a-9b8c-1a2b3c4d5e6f"
AT = "2026-03-01T09:00:00+00:00"


def of_chatgpt(part: Mapping[str, Any]) -> Transcript:
    """Read an export with one message that has this content."""
    said = {"id": UUID, "author": {"role": "user"}, "content": part}
    nodes = {"n": {"id": "n", "parent": None, "message": said}}
    return parse(json.dumps({"conversation_id": "c", "mapping": nodes, "current_node": "n"}), "chatgpt")


def of_claude(part: Mapping[str, Any]) -> Transcript:
    """Read an export with one message of this block."""
    said = {"uuid": UUID, "sender": "human", "text": "", "content": [part], "created_at": AT}
    return parse(json.dumps([{"uuid": "c", "chat_messages": [said]}]), "claude")


def of_openai(part: Mapping[str, Any]) -> Transcript:
    """Read messages, one of which is made of this part."""
    return parse(json.dumps([{"role": "user", "content": [part]}]), "openai")


def of_letta(part: Mapping[str, Any]) -> Transcript:
    """Read an agent file with one message of this part."""
    said = {"id": UUID, "role": "user", "content": [part], "created_at": AT}
    return parse(json.dumps({"agents": [{"name": "a", "messages": [said]}], "blocks": []}), "letta")


def of_langgraph(part: Mapping[str, Any]) -> Transcript:
    """Read a store with one item of this part."""
    columns = ("prefix", "key", "value", "created_at", "updated_at")
    row = ("a", "k", json.dumps({"content": [part]}), AT, AT)
    return parse_source(
        Source("it.db", databases={"it.db": {"store": SqliteTable(columns, [row])}}), "langgraph"
    )


READERS: Mapping[Callable[[Mapping[str, Any]], Transcript], ContentTypes] = {
    of_chatgpt: chatgpt.CONTENT,
    of_claude: claude.CONTENT,
    of_openai: openai.CONTENT,
    of_letta: letta.CONTENT,
    of_langgraph: langgraph_store.CONTENT,
}
ROWS = [
    (read, table, kind, fields)
    for read, table in READERS.items()
    for kind, fields in {**table.fields, "hologram_pointer": ()}.items()
]


@pytest.mark.parametrize(("read", "table", "kind", "fields"), ROWS)
def test_a_type_is_read_or_named_and_never_called_empty(
    read: Callable[[Mapping[str, Any]], Transcript],
    table: ContentTypes,
    kind: str,
    fields: tuple[str, ...],
) -> None:
    """Each type of each table, and one that none knows: its words come in, or it is counted under its name."""
    held = {name: f"Words of {name}." for name in fields}
    found = read({table.type_field: kind, "asset": "sediment://1", **held})
    without = read({table.type_field: kind, "asset": "sediment://1"})

    assert "\n".join(held.values()) == "\n".join(turn.text for turn in found.turns)
    assert ({} if fields else {f"part of type {kind}": 1}) == found.skipped
    assert ([], {f"part of type {kind}": 1}) == (without.turns, without.skipped)


def test_a_voice_chat_says_what_was_spoken() -> None:
    """Parts within a part, beside recordings that are counted."""
    found = of_chatgpt(
        {
            "content_type": "multimodal_text",
            "parts": [
                {"content_type": "audio_transcription", "text": "The kiln is hot.", "direction": "in"},
                {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://2"},
                "And it hums.",
            ],
        }
    )

    assert ["The kiln is hot.\nAnd it hums."] == [turn.text for turn in found.turns]
    assert {"part of type audio_asset_pointer": 1} == found.skipped


def test_what_the_user_and_the_model_keep_for_all_chats_is_read_whoever_sends_it() -> None:
    """In exports the system sends both."""

    def read(content: Mapping[str, Any]) -> list[tuple[str, str]]:
        said = {"id": UUID, "author": {"role": "system"}, "content": content}
        nodes = {"n": {"id": "n", "parent": None, "message": said}}
        found = parse(json.dumps({"id": "c", "mapping": nodes, "current_node": "n"}), "chatgpt")
        return [(str(turn.role), turn.text) for turn in found.turns]

    profile = {
        "content_type": "user_editable_context",
        "user_profile": "I fire pots.",
        "user_instructions": "",
    }
    kept = {"content_type": "model_editable_context", "model_set_context": "1. The user fires pots."}

    assert [("user", "I fire pots.")] == read(profile)
    assert [("assistant", "1. The user fires pots.")] == read(kept)


@pytest.mark.parametrize(
    ("message", "texts", "skipped"),
    [
        ({"content": None, "refusal": "I may not."}, ["I may not."], {}),
        ({"content": None, "audio": {"id": "a", "transcript": "Aye."}}, ["Aye."], {}),
        (
            {"content": None, "tool_calls": [{"type": "function", "function": {"name": "tide"}}]},
            [],
            {"part of type tool_call": 1},
        ),
        ({"content": {"type": "text", "text": "Lone."}}, ["Lone."], {}),
        ({"content": [{"type": "markdown", "text": "Of another log."}]}, ["Of another log."], {}),
        ({"content": []}, [], {"no text in it": 1}),
        ({"content": [[[{"text": "Deep."}]], 7]}, ["Deep."], {"part of type number": 1}),
    ],
)
def test_a_message_says_more_than_its_content(
    message: dict[str, Any], texts: list[str], skipped: dict[str, int]
) -> None:
    """Refusals, what was spoken, calls; what is empty is called so."""
    found = parse(json.dumps([{"role": "assistant", **message}]), "openai")

    assert (texts, skipped) == ([turn.text for turn in found.turns], found.skipped)


def test_parts_in_one_another_and_types_without_end_are_bounded() -> None:
    """Neither a deep content nor one of a thousand types, or of a type that is no name, does any harm."""
    deep: Any = {"type": "text", "text": "Lost."}
    for _ in range(5_000):
        deep = [deep]
    skips = SkipCounts()
    texts = [openai.CONTENT.read_text(deep, skips)]
    texts += [openai.CONTENT.read_text({"type": f"t{number}"}, skips) for number in range(1_000)]
    texts += [openai.CONTENT.read_text({"type": "a\nb" * 99}, skips)]

    assert [None] * 1_002 == texts
    assert (1_002, TYPES_MAX + 2) == (skips.total(), len(skips))
