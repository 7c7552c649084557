"""Conversations in three formats become turns, or one error with its line."""

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from remanence.core.clock import to_micros
from remanence.core.errors import IngestError, InvalidInput
from remanence.core.model import TEXT_CHARS_MAX, Turn
from remanence.write.imported import EXPORT
from remanence.write.transcripts.formats import AUTO, IMPORTERS, Transcript, detect_importer, parse
from remanence.write.transcripts.importer_source import Source
from remanence.write.transcripts.jsonl import FIELDS

NOON = to_micros(datetime(2026, 3, 3, 12, tzinfo=UTC))


def rows(*given: Mapping[str, Any]) -> str:
    """Write objects as lines."""
    return "".join(json.dumps(row) + "\n" for row in given)


def refused(data: str | bytes, name: Any = "auto") -> IngestError:
    """Return the error that a file is refused with."""
    with pytest.raises(IngestError) as caught:
        parse(data, name, "talk.txt")
    return caught.value


def sample(**changed: Any) -> dict[str, Any]:
    """Build a LoCoMo sample of two sessions."""
    conversation = {
        "speaker_a": "Ines",
        "session_10": [{"speaker": "Ines", "dia_id": "D10:1", "text": "The sails came back."}],
        "session_10_date_time": "12:00 pm on 3 March, 2026",
        "session_2": [
            {"speaker": "Ines", "dia_id": "D2:1", "text": "We lost a mast."},
            {"speaker": "Tom", "dia_id": "D2:2", "text": "Look at it.", "blip_caption": "a broken mast"},
        ],
        "session_2_date_time": "12:30 am on 1 March, 2026",
        "session_3_date_time": "1:00 pm on 2 March, 2026",
    }
    return {"sample_id": "boat-1", "qa": [], "conversation": conversation | changed}


def message(id_: str, parent: str | None, role: str, *parts: Any, **more: Any) -> dict[str, Any]:
    """Build one node of an exported conversation."""
    content = {"content_type": "text", "parts": list(parts)}
    return {
        "id": id_,
        "parent": parent,
        "message": {"id": id_, "author": {"role": role}, "content": content, **more},
    }


def conversation(*nodes: dict[str, Any], current: str | None, **more: Any) -> dict[str, Any]:
    """Build an exported conversation whose shown branch ends at `current`."""
    mapping = {"root": {"id": "root", "parent": None, "message": None}} | {node["id"]: node for node in nodes}
    return {
        "conversation_id": "c1",
        "create_time": 1772539200.0,
        "mapping": mapping,
        "current_node": current,
    } | more


def test_a_line_may_hold_every_field_of_a_turn() -> None:
    """A line gives a turn with just what it says."""
    row: dict[str, Any] = {
        "text": "Paint the hull.",
        "category": "task",
        "kind": "procedural",
        "tags": ["hull", "hull", "spring"],
        "role": "assistant",
        "speaker": "Bosun",
        "agent": "bosun",
        "thread": "yard",
        "session": "yard/1",
        "said_at": "2026-03-03T13:00:00+01:00",
        "source": "log:1",
        "key": "k1",
        "state": "pending",
        "severity": "low",
        "confidence": 1,
        "attributes": {"litres": 4},
    }

    assert [
        Turn(**{**row, "tags": ("hull", "spring"), "said_at": datetime.fromisoformat(str(row["said_at"]))})
    ] == parse(rows(row)).turns


@pytest.mark.parametrize("name", [one.name for one in fields(Turn)])
def test_every_field_of_a_turn_is_checked(name: str) -> None:
    """No field of `Turn`, nor one that it gains, is taken over unchecked."""
    assert name in FIELDS
    assert 1 == refused(rows({"text": "Yes.", name: -1.5})).line


def test_a_time_may_be_in_microseconds() -> None:
    """An integer counts microseconds."""
    assert NOON == parse(rows({"text": "Noon.", "said_at": NOON})).turns[0].said_at


def test_blank_lines_and_unicode_separators_are_no_turns() -> None:
    """Only a line feed ends a line."""
    data = '{"text": "One\u2028still one."}\r\n\r\n{"text": "Two."}'

    assert ["One\u2028still one.", "Two."] == [turn.text for turn in parse(data).turns]


def test_lines_keep_their_keys_when_the_file_grows() -> None:
    """A file that was appended to gives the old lines their old keys, equal lines apart."""
    first = rows({"text": "Ahoy."}, {"text": "Ahoy."})
    grown = rows({"text": "New."}) + first + rows({"text": "Ahoy."})

    keys = [turn.key for turn in parse(first, source="a").turns]

    assert keys == [turn.key for turn in parse(grown, source="a").turns][1:3]
    assert 2 == len(set(keys))
    assert not set(keys) & {turn.key for turn in parse(first, source="b").turns}


def test_a_line_names_itself_as_the_source() -> None:
    """A turn without a source is traced to its file and line."""
    assert ["log.jsonl:2"] == [
        turn.source for turn in parse("\n" + rows({"text": "Two."}), source="log.jsonl").turns
    ]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ('{"text": "a", "speeker": "Tom"}', "did you mean 'speaker'?"),
        ('{"text": "a", "role": "asistant"}', "did you mean 'assistant'?"),
        ('{"text": "a", "kind": "episode"}', "did you mean 'episodic'?"),
        ('{"text": "a", "said_at": "2026-03-03T12:00:00"}', "has no time zone"),
        ('{"text": "a", "said_at": "noon"}', "not a time"),
        ('{"text": "a", "said_at": 1772539200}', "microseconds"),
        ('{"text": "a", "said_at": true}', "not a time"),
        ('{"text": "a", "said_at": "9999-01-01T00:00:00Z"}', "out of range"),
        ('{"text": "a", "tags": "boat"}', "not a list"),
        ('{"text": "a", "tags": ["boat", ""]}', "not a name"),
        ('{"text": "a", "thread": "x\\ny"}', "not a name"),
        ('{"text": "a", "confidence": 1.5}', "between 0 and 1"),
        ('{"text": "a", "confidence": NaN}', "NaN is not JSON"),
        ('{"text": "a", "attributes": []}', "not an object"),
        ('{"text": "a", "attributes": {"a": 1e999}}', "too large"),
        ('{"text": " "}', "empty"),
        ('{"text": "a\\u0000b"}', "NUL"),
        ('{"text": 4}', "not a string"),
        ('{"speaker": "Tom"}', "no field 'text'"),
        ('["text"]', "not a JSON object"),
        ('{"text": "a"', "not JSON"),
        (', {"text": "a"}', "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"text": "second", "key": "k"}', "on line 1 already"),
        (json.dumps({"text": f"{'x' * (TEXT_CHARS_MAX + 1)}\0"}), "NUL"),
    ],
)
def test_a_wrong_line_is_left_out_and_named(row: str, says: str) -> None:
    """The rest comes in; the line is counted with its number, what is wrong and what to do."""
    found = parse(rows({"text": "Good.", "key": "k"}) + "\n" + row + "\n" + rows({"text": "Fine."}))
    ((reason, count),) = found.skipped.items()

    assert ["Good.", "Fine."] == [turn.text for turn in found.turns]
    assert ("line that is", 1) == (reason[:12], count)
    assert "line 3: " == found.examples[reason][:8]
    assert says in found.examples[reason]


@pytest.mark.parametrize(
    ("data", "line", "says"),
    [
        ('{"text": "a", "speeker": "Tom"}\n[1]\n', 1, "did you mean 'speaker'?"),
        ('\n{"text": \n{"words": "a"}', 2, "not JSON"),
        (b'{"text": "\xff"}\n{"text": "\xfe"}', 1, "UTF-8"),
        (f"{rows({'format': EXPORT})}{rows({'text': 'a', 'seq': 1})}", 1, "remanence import"),
    ],
)
def test_a_file_of_which_no_line_can_be_read_is_refused(data: str | bytes, line: int, says: str) -> None:
    """By its first flaw, with what to do."""
    error = refused(data, "jsonl")

    assert line == error.line
    assert says in f"{error} {error.recovery}"
    assert str(error).startswith(f"talk.txt:{line}: ")


def test_what_is_glued_on_a_line_is_read_and_what_was_cut_is_counted() -> None:
    """Values behind each other, with or without a comma; cut at the beginning, in the middle, in a letter."""
    lines = [
        b'xt": "cut"}',
        b'{"text": "One."}{"text": "Two."}',
        b'{"text": "Three."}, {"text": "Four."},',
        b'{"text": "Five."}{"text": "Si',
        b'{"text": "Seven."}',
        b'{"text": "Eight, at the caf\xc3',
    ]
    found = parse(b"\n".join(lines), source="a.jsonl")

    assert ("jsonl", ["One.", "Two.", "Three.", "Four.", "Five.", "Seven."]) == (
        found.format,
        [turn.text for turn in found.turns],
    )
    assert {"line that is not JSON": 3} == found.skipped
    assert ["line 1", "line 4", "line 6"] == re.findall(r"line \d", found.examples["line that is not JSON"])
    assert 6 == len({turn.key for turn in found.turns})


def test_sessions_are_taken_in_order_with_their_times() -> None:
    """LoCoMo's sessions follow their numbers, a second a turn, and the caption belongs to the text."""
    found = parse(json.dumps([sample()]))

    assert ("locomo", ("boat-1",)) == (found.format, found.threads)
    midnight = to_micros(datetime(2026, 3, 1, 0, 30, tzinfo=UTC))
    expected = [
        ("We lost a mast.", "Ines", "boat-1/session_2", midnight, "boat-1:D2:1"),
        (
            "Look at it. [shares a photo: a broken mast]",
            "Tom",
            "boat-1/session_2",
            midnight + 10**6,
            "boat-1:D2:2",
        ),
        ("The sails came back.", "Ines", "boat-1/session_10", NOON, "boat-1:D10:1"),
    ]
    assert expected == [
        (turn.text, turn.speaker, turn.session, to_micros(turn.said_at or 0), turn.key)
        for turn in found.turns
    ]


@pytest.mark.parametrize(
    ("changed", "says", "line"),
    [
        ({"session_2_date_time": "soon"}, "'soon' is not a time", 15),
        ({"session_2_date_time": "1:00 pm on 31 June, 2026"}, "day", 15),
        ({"session_10": {}}, "'session_10' is missing or not a list", 7),
        ({"session_10": [4]}, "not an object", 8),
        ({"session_10": [{"speaker": "Ines", "text": "No id."}]}, "'dia_id'", 8),
        ({"session_10": [{"speaker": "Ines", "dia_id": "D2:1", "text": "Again."}]}, "twice", 7),
        ({"session_10": [{"speaker": "Ines", "dia_id": "D10:1", "text": ""}]}, "empty", 8),
    ],
)
def test_a_flaw_in_a_sample_is_named_by_its_line(changed: dict[str, Any], says: str, line: int) -> None:
    """The line is that of the innermost thing that is wrong."""
    error = refused(json.dumps([sample(**changed)], indent=1), "locomo")

    assert says in str(error)
    assert line == error.line


def test_the_branch_that_was_shown_last_is_taken() -> None:
    """Of an exported tree the turns on the way to the current node count; the rest is counted as left out."""
    nodes = (
        message("m0", "root", "system", "Be brief."),
        message("m1", "m0", "user", "When is high tide?", create_time=1772539201.5),
        message("m2", "m1", "assistant", "At nine."),
        message("m3", "m1", "assistant", "At ten.", {"content_type": "image_asset_pointer"}, "Sharp."),
        message("m4", "m3", "user", {"content_type": "image_asset_pointer"}),
        message("m5", "m4", "user", "Thanks."),
    )
    found = parse(json.dumps([conversation(*nodes, current="m5")]))

    assert "chatgpt" == found.format
    assert [
        ("c1:m1", "user", "When is high tide?"),
        ("c1:m3", "assistant", "At ten.\nSharp."),
        ("c1:m5", "user", "Thanks."),
    ] == [(turn.key, turn.role, turn.text) for turn in found.turns]
    assert [1_772_539_201_500_000] * 3 == [turn.said_at for turn in found.turns]
    assert {"of the system or a tool": 1, "part of type image_asset_pointer": 2} == found.skipped


def test_a_message_without_a_usable_time_takes_the_last_one() -> None:
    """What is no time, or none that a clock can show, counts as not said; code for a tool is no word to the user."""
    nodes = (
        message("m1", "root", "user", "One.", create_time=True),
        message("m2", "m1", "user", "Two.", create_time=1e30),
        message("m3", "m2", "assistant", "Three."),
    )
    nodes[2]["message"] |= {"content": {"content_type": "code", "text": "print(3)"}, "recipient": "python"}
    found = parse(json.dumps([conversation(*nodes, current="m3")]))

    assert [("One.", NOON), ("Two.", NOON)] == [(turn.text, turn.said_at) for turn in found.turns]
    assert {"part of type code, for a tool": 1} == found.skipped


@pytest.mark.parametrize(
    ("data", "line"),
    [
        ("[4]", 1),
        ("[{}]", 1),
        ('"a]"', 1),
        ("4", 1),
        ('[\n{"mapping": {}, "id": "a"},\n4]', 3),
        ('{"mapping": 4,\n"mapping": {}}', 1),
    ],
)
def test_something_else_is_no_export(data: str, line: int) -> None:
    """An entry that is no conversation is named by its line."""
    assert line == refused(data, "chatgpt").line


@pytest.mark.parametrize("first", ["4", "{}"])
def test_a_part_that_is_given_twice_is_named_by_the_first(first: str) -> None:
    """The last of two parts of one name is read; a flaw in it is still one error with a line."""
    last = '{"session_1": [], "session_1_date_time": 0}'
    data = f'[{{"sample_id": "s", "conversation":\n{first}, "conversation":\n{last}}}]'

    assert 2 == refused(data, "locomo").line


def test_a_lone_conversation_needs_no_list() -> None:
    """One conversation by itself is an export too."""
    found = parse(json.dumps(conversation(message("m1", "root", "user", "Ahoy."), current="m1")))

    assert ["Ahoy."] == [turn.text for turn in found.turns]


def test_ids_of_messages_count_within_their_conversation() -> None:
    """What a copied conversation shares with another is one turn; texts that differ are two, whatever their ids."""
    uuid = "0b7e4c1a-9d2f-4e55-8a31-6c2d9e0f1a2b"
    first = conversation(message("m1", "root", "user", "Ahoy."), current="m1")
    other = conversation(
        message("m1", "root", "user", "Cast off."),
        message(uuid, "m1", "assistant", "Aye."),
        current=uuid,
        conversation_id="c3",
    )
    found = parse(json.dumps([first, {**first, "conversation_id": "c2"}, other]))
    again = parse(json.dumps([other, first]))

    assert [("c1:m1", "Ahoy."), ("c3:m1", "Cast off."), (uuid, "Aye.")] == [
        (turn.key, turn.text) for turn in found.turns
    ]
    assert {"shared with another conversation": 1} == found.skipped
    assert {turn.key for turn in found.turns} == {turn.key for turn in again.turns}


def test_a_message_that_cannot_be_learnt_is_counted() -> None:
    """Nobody can mend an export by hand, so one message of it never stops the rest."""
    nodes = (message("m1", "root", "user", "x\0"), message("m2", "m1", "user", "Yes."))
    found = parse(json.dumps([conversation(*nodes, current="m2")]))

    assert ["c1:m2"] == [turn.key for turn in found.turns]
    assert 1 == sum(found.skipped.values())


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (conversation(current="root", mapping=[]), "'mapping' is missing"),
        (conversation(current="root", conversation_id=""), "conversation_id"),
    ],
)
def test_a_damaged_export_is_refused(broken: dict[str, Any], says: str) -> None:
    """What is no conversation at all is an error."""
    error = refused(json.dumps([conversation(current=None), broken], indent=0), "chatgpt")

    assert says in str(error)
    assert error.line > 2


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ('{"text": "a"}\n{"text": "b"}', "jsonl"),
        ('{"text": "a"\n', "jsonl"),
        ('\ufeff{"text": "a"}', "jsonl"),
        (json.dumps([sample()]), "locomo"),
        (json.dumps(sample(), indent=1), "locomo"),
        (json.dumps(conversation(current=None)), "chatgpt"),
        (json.dumps([conversation(current=None)]), "chatgpt"),
    ],
)
def test_formats_are_told_apart(data: str, expected: str) -> None:
    """The first object says which format a file has."""
    assert expected == detect_importer(Source("a", {"a": data.encode()}), IMPORTERS, [])


@pytest.mark.parametrize(
    "data", ["", " \n", "[]", "[[]]", "4", '[{"text": "a"}]', "Ahoy.", "[1,", b"\xff\xfe", b"[\n\xff]"]
)
def test_what_is_no_conversation_is_refused(data: str | bytes) -> None:
    """A file of another kind is refused with what to do."""
    assert refused(data).recovery


@pytest.mark.parametrize("name", ["locomo", "chatgpt"])
def test_a_wrong_name_of_the_format_is_an_error(name: str) -> None:
    """The format that was named is the one that is read."""
    assert refused('[{"text": "a"}]', name).line == 1


def test_an_unknown_format_names_the_nearest() -> None:
    """A misspelt format is told apart from a malformed file."""
    with pytest.raises(InvalidInput, match="jsnl") as caught:
        parse("{}", "jsnl", "a")

    assert "did you mean 'jsonl'?" == caught.value.recovery


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["text", "conversation", "session_1", "session_1_date_time", "sample_id", "mapping", "tags"]
            )
            | st.sampled_from(
                [
                    "current_node",
                    "conversation_id",
                    "message",
                    "parent",
                    "content",
                    "author",
                    "parts",
                    "said_at",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(data=st.text() | st.binary() | JSON.map(json.dumps), name=st.sampled_from([AUTO, *IMPORTERS]))
@example(data="[" * 200_000, name="auto")
@example(data='{"mapping": {"a": {"parent": {}}}, "current_node": "a", "id": "x"}', name="auto")
@example(data='{"text": 1e999}', name="auto")
@example(data='{"text": "a", "said_at": ' + "9" * 5_000 + "}", name="auto")
def test_garbage_gives_turns_or_one_error(data: str | bytes, name: Any) -> None:
    """Whatever a file holds, the answer is a transcript or an `IngestError` with a line of that file."""
    answer: Transcript | IngestError
    try:
        answer = parse(data, name)
    except IngestError as error:
        answer = error
    lines = data.count("\n") if isinstance(data, str) else data.count(b"\n")

    if isinstance(answer, Transcript):
        assert all(turn.text.strip() and turn.key for turn in answer.turns)
    else:
        assert 1 <= answer.line <= lines + 1
        assert answer.recovery


CHAT = [
    {"role": "system", "content": "You are a harbour master."},
    {"role": "user", "content": "Where is berth nine?", "name": "Mara"},
    {"role": "assistant", "content": [{"type": "text", "text": "Past the crane."}, {"type": "image_url"}]},
    {"role": "assistant", "content": None, "tool_calls": []},
    {"role": "user", "content": "Where is berth nine?"},
]
SAID = [("user", "Where is berth nine?"), ("assistant", "Past the crane."), ("user", "Where is berth nine?")]


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(CHAT),
        json.dumps(CHAT, indent=2),
        json.dumps({"messages": CHAT}),
        json.dumps({"messages": CHAT}) + "\n",
        "\n".join(map(json.dumps, CHAT)),
    ],
)
def test_messages_become_turns(data: str) -> None:
    """What user and assistant said in words is taken, in order; the rest is counted by its reason."""
    found = parse(data, source="chat.json")

    assert "openai" == found.format
    assert SAID == [(turn.role, turn.text) for turn in found.turns]
    assert ["Mara", None, None] == [turn.speaker for turn in found.turns]
    assert ("chat.json",) == found.threads
    assert {
        "of the system or a tool": 1,
        "part of type image_url": 1,
        "no text in it": 1,
    } == found.skipped
    assert 3 == len({turn.key for turn in found.turns})


@pytest.mark.parametrize(
    ("field", "given", "said_at"),
    [
        ("timestamp", "2026-09-02T10:00:00+02:00", datetime.fromisoformat("2026-09-02T10:00:00+02:00")),
        ("created_at", 1_788_336_000, 1_788_336_000_000_000),
        ("time", "2026-09-02T10:00:00", None),
        ("date", "soon", None),
    ],
)
def test_a_message_may_say_who_said_it_and_when(
    field: str, given: object, said_at: datetime | int | None
) -> None:
    """Many logs have fields that the format has not; a time that cannot be read is counted, and the text is taken."""
    message = {"role": "user", "content": "The lamp is lit.", "speaker": "Mara", field: given}
    found = parse(json.dumps([message]), source="chat.json")
    (turn,) = found.turns

    assert ("openai", "Mara", said_at) == (found.format, turn.speaker, turn.said_at)
    assert (said_at is None) == bool(found.skipped)


def test_each_object_of_messages_is_a_conversation() -> None:
    """One a line or one a list element: each has a thread, its id or the file's name with its number."""
    several = [{"id": "c1", "messages": CHAT}, {"messages": CHAT}]
    lines = parse("\n".join(map(json.dumps, several)), source="a.jsonl")
    listed = parse(json.dumps(several), source="a.jsonl")

    assert ("c1", "a.jsonl#2") == lines.threads == listed.threads
    assert lines.turns == listed.turns


def test_a_grown_list_of_messages_keeps_its_keys() -> None:
    """What was read before is known by the same key."""
    before, after = parse(json.dumps(CHAT[:3])), parse(json.dumps(CHAT))

    assert [turn.key for turn in before.turns] == [turn.key for turn in after.turns][:2]


@pytest.mark.parametrize(
    ("data", "line", "says"),
    [
        (json.dumps([CHAT[1], {"content": "a"}], indent=0), 7, "a message has no role"),
        ('{"messages": 4}\n{"messages": 5}', 1, "'messages' is missing or not a list"),
        ('{"messages": [\n{"messages": [', 2, "not JSON"),
        (json.dumps([{"role": "user", "content": "a", "name": 7}]), 1, "name"),
    ],
)
def test_malformed_messages_are_refused_with_their_line(data: str, line: int, says: str) -> None:
    """Nothing of the file is taken, and the line is said."""
    error = refused(data, "openai")

    assert line == error.line
    assert says in str(error)


def test_a_wrong_line_of_messages_is_left_out_and_named() -> None:
    """The conversations and messages around it come in."""
    good, named = {"role": "user", "content": "Aye."}, {"role": "user", "content": "No.", "name": 7}
    lines = [
        '{"id": "c1", "messages": [',
        *map(json.dumps, [{"messages": [good, 4, named]}, {"messages": 5}]),
    ]
    found = parse("\n".join([*lines, json.dumps(good)]), source="a.jsonl")

    assert ("openai", ["Aye.", "Aye."], ["a.jsonl#2", "a.jsonl"]) == (
        found.format,
        [turn.text for turn in found.turns],
        [turn.thread for turn in found.turns],
    )
    assert {
        "line that is not JSON": 1,
        "line that is no message": 1,
        "line with what is no message": 2,
    } == found.skipped
    assert "line 3: 'messages'" in found.examples["line that is no message"]
