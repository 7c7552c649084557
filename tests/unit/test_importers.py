"""What sources of other memories may hold oddly: read as far as it makes sense, counted, or refused with its place."""

import json
from typing import Any

import pytest

from remanence.core.clock import to_datetime, to_micros
from remanence.core.errors import IngestError
from remanence.core.model import Relation, Status, Turn
from remanence.write.import_relations import Dating, TurnPlace, decide_relations
from remanence.write.imported import ImportedTurn
from remanence.write.transcripts.formats import Transcript, parse_source
from remanence.write.transcripts.importer_source import Source, SqliteTable
from remanence.write.transcripts.item_fields import make_version_key
from tests import importer_sources as sources
from tests.importer_sources import at

HISTORY = ("memory_id", "old_memory", "new_memory", "event", "created_at", "updated_at", "role")
BLOCKS = ("id", "content", "category", "status", "created_at", "confidence", "pinned", "superseded_by")


def read(format: str, whole: Any, *, lines: bool = False) -> Transcript:  # noqa: A002
    """Read a value as the one file of a source."""
    text = "\n".join(map(json.dumps, whole)) if lines else json.dumps(whole)
    return parse_source(Source("it.json", {"it.json": text.encode()}), format)


def read_table(format: str, name: str, columns: tuple[str, ...], *rows: tuple[Any, ...]) -> Transcript:  # noqa: A002
    """Read rows as the one table of a database."""
    return parse_source(Source("it.db", databases={"it.db": {name: SqliteTable(columns, rows)}}), format)


def texts(transcript: Transcript) -> list[str]:
    """Return what the turns say."""
    return [turn.text for turn in transcript.turns]


def test_a_history_without_its_beginning_begins_with_what_was_there() -> None:
    """The text before an update is the first version; an event that nobody knows is counted."""
    found = read_table(
        "mem0",
        "history",
        HISTORY,
        ("m1", "old", "new", "UPDATE", at(1), at(2), "user"),
        ("m1", "new", "new", "UPDATE", at(1), at(3), "user"),
        ("m2", "lost", None, "DELETE", at(1), at(4), None),
        ("m3", None, None, "ADD", at(1), at(1), None),
        ("m4", None, "x", "NOOP", at(1), at(1), None),
        ("m5", None, None, "DELETE", at(1), at(1), None),
    )
    keys = [
        (turn.key, turn.replaced_by, turn.is_deleted)
        for turn in found.turns
        if isinstance(turn, ImportedTurn)
    ]

    assert [(make_version_key("m1", "old"), "m1", False), ("m1", None, False), ("m2", None, True)] == keys
    assert {"event of an unknown kind": 1} == found.skipped


def test_whose_memory_it_is_and_who_said_it_are_kept_apart() -> None:
    """`actor_id` speaks, of either part of a store; without one the role tells whether it was the user."""
    item = sources.memory("m1", "said by somebody", 1, actor_id="Bo", agent_id="skipper")
    found = read("mem0", {"results": [item, sources.memory("m2", "of the user", 1)]}).turns
    columns = (*HISTORY, "actor_id")
    (event,) = read_table(
        "mem0", "history", columns, ("m3", None, "new", "ADD", at(1), at(1), "user", "Vera")
    ).turns

    assert [("Bo", {"user_id": "ines"}), ("ines", None)] == [(one.speaker, one.attributes) for one in found]
    assert "Vera" == event.speaker


def test_what_get_all_says_stands_whatever_the_history_says() -> None:
    """It is later; what the memory said before has a key of its own, and so has what it said before that, again."""
    rows = (
        ("m1", None, "old", "ADD", at(1), at(1), None),
        ("m1", "old", "mid", "UPDATE", at(1), at(2), None),
        ("m1", "mid", "old", "UPDATE", at(1), at(2), None),
        ("m1", "old", None, "DELETE", at(1), at(2), None),
    )
    old, mid = (make_version_key("m1", text) for text in ("old", "mid"))
    answer = {"results": [sources.memory("m1", "new", 1), sources.memory("m2", " ", 1)]}
    source = Source(
        "store",
        {"get_all.json": json.dumps(answer).encode(), "note.txt": b"x"},
        {"history.db": {"history": SqliteTable(HISTORY, rows), "messages": SqliteTable(("id",), [])}},
        is_folder=True,
    )
    found = parse_source(source)
    keys = [(turn.key, turn.text, turn.is_deleted) for turn in found.turns if isinstance(turn, ImportedTurn)]

    assert [
        (old, "old", False),
        (mid, "mid", False),
        (f"{old}+", "old", False),
        ("m1", "new", False),
    ] == keys
    assert {"no text in it": 1} == found.skipped


@pytest.mark.parametrize(
    ("format", "whole", "says"),
    [
        ("mem0", {"results": [{"id": "a", "memory": "x", "metadata": []}]}, "'metadata' is not an object"),
        ("mem0", {"id": "a", "memory": "x", "relations": []}, "relations and no memories"),
        ("mem0", [{"id": "a", "memory": "x"}, {"memory": "y"}], "'id' is missing"),
        ("mem0", {"other": 1}, "it holds no memories of mem0"),
        ("graphiti", {"edges": [{"uuid": "a", "fact": "x"}, {"uuid": "b"}]}, "neither a fact"),
        ("graphiti", {"edges": [{"uuid": "a", "fact": "x", "created_at": 5}]}, "is not a time"),
        ("letta", [{"agents": [], "blocks": []}], "not an agent file"),
        ("letta", {"agents": [{"messages": 4}], "blocks": []}, "'messages' is not a list"),
        ("letta", {"agents": [4], "blocks": []}, "an agent is not an object"),
        ("mcp-memory", {"type": "entity", "observations": []}, "an entity without a name"),
        ("mcp-memory", {"type": "relation", "relationType": "r", "from": 4}, "a relation without 'from'"),
        ("mcp-memory", {"entities": [{"name": "a", "observations": 4}]}, "a list of observations"),
        ("elfmem", {"id": 1}, "it holds no blocks of elfmem"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_place(format: str, whole: Any, says: str) -> None:  # noqa: A002
    """One error that names the line and says what to do."""
    with pytest.raises(IngestError, match=says) as raised:
        read(format, whole)

    assert raised.value.line >= 1
    assert raised.value.recovery


def test_a_graph_may_hold_other_parts_and_empty_ones() -> None:
    """They are counted; an episode without its own time has that of its arrival."""
    found = read(
        "graphiti",
        {
            "episodes": [
                {"uuid": "e1", "content": "Hm.", "valid_at": None, "created_at": at(1)},
                {"uuid": "e2", "content": "", "valid_at": at(1)},
            ],
            "edges": [{"uuid": "f1", "fact": ""}],
            "nodes": [{"uuid": "n1", "name": "Ines"}],
            "communities": [],
        },
    )

    assert (["Hm."], sources.at(1)) == (texts(found), at(1))
    assert found.turns[0].said_at is not None
    assert {"part that is neither edges, episodes nor nodes": 1, "no text in it": 2} == found.skipped


def test_agents_say_odd_things() -> None:
    """Texts that only look packed are texts; a call that cannot be read says nothing."""
    call = {"function": {"name": "send_message", "arguments": "{"}}
    messages = [
        {"id": "m1", "role": "user", "content": "{not packed"},
        {"id": "m2", "role": "assistant", "content": [{"type": "text", "text": "hm"}], "tool_calls": [call]},
        {"role": "assistant", "content": "No id."},
        {"id": "m4", "role": "assistant", "content": "x\0"},
        {"id": "m5", "role": "user", "content": 7},
    ]
    found = read("letta", {"agents": [{"messages": messages}, {}], "blocks": [], "tools": [1], "files": None})

    assert ["{not packed", "No id."] == texts(found)
    assert 4 == sum(found.skipped.values())


def test_entities_and_relations_come_in_once() -> None:
    """A relation that is said twice, and texts that cannot be kept."""
    relation = {"type": "relation", "from": "Ines", "to": "pier", "relationType": "likes"}
    odd = {"type": "entity", "name": "Ines", "observations": [4, "y\0"]}
    found = read("mcp-memory", [odd, relation, relation], lines=True)

    assert ["Ines likes pier"] == texts(found)
    assert 2 == sum(found.skipped.values())


@pytest.mark.parametrize(
    ("value", "says"), [("{", "is not JSON"), ("[]", "is not an object"), (b"\xff", "is not JSON")]
)
def test_an_item_of_a_store_that_is_damaged_is_refused(value: Any, says: str) -> None:
    """With the number of its row."""
    columns = ("prefix", "key", "value", "created_at", "updated_at")
    rows = [
        ("a", "k", one, "2026-01-01 09:00:00", "2026-01-01 09:00:00") for one in (b'{"text": "x"}', value)
    ]
    with pytest.raises(IngestError, match=f"it.db:2: .*{says}"):
        read_table("langgraph", "store", columns, *rows)


def test_blocks_may_be_empty_or_pinned() -> None:
    """A pin has no place."""
    found = read_table(
        "elfmem",
        "blocks",
        BLOCKS,
        ("b1", "", "knowledge", "active", at(1), 0.5, 0, None),
        ("b2", "The tide is in.", "knowledge", "active", at(1), 7.0, 1, None),
    )

    assert (["The tide is in."], None) == (texts(found), found.turns[0].confidence)
    assert {"no text in it": 1, "pin": 1} == found.skipped


def test_names_and_tags_that_are_none_are_left_out() -> None:
    """A number is a name; what does not print is none, and 64 tags are the most."""
    tags = [f"t{number}" for number in range(66)]
    found = read(
        "mem0", {"results": [sources.memory("m1", "x", 1, agent_id=7, run_id="a\nb", categories=tags)]}
    )

    assert ("7", None, 64) == (found.turns[0].agent, found.turns[0].thread, len(found.turns[0].tags))
    assert {"run_id that is no name": 1, "tag beyond 64": 2} == found.skipped


def test_a_folder_with_a_memory_that_is_cut_off_is_refused() -> None:
    """Beside a history it would be missed by nobody."""
    rows = (("m1", None, "old", "ADD", at(1), at(1), None),)
    source = Source(
        "store",
        {"get_all.json": b'{"results": ['},
        {"history.db": {"history": SqliteTable(HISTORY, rows)}},
        is_folder=True,
    )
    with pytest.raises(IngestError, match="not JSON"):
        parse_source(source)


def turn(key: str, text: str = "x", **more: Any) -> ImportedTurn:
    """Return a turn that says more."""
    return ImportedTurn(text, key=key, **more)


def test_circles_that_arise_where_texts_are_equal_are_left_out() -> None:
    """Each text of two turns is replaced by the other: nothing is."""
    turns = [
        turn("a", replaced_by="b"),
        turn("b", is_deleted=True),
        turn("c", replaced_by="d"),
        turn("d", is_deleted=True),
    ]
    places = [TurnPlace(seq, Status.INBOX) for seq in (1, 2, 2, 1)]
    decision = decide_relations(turns, places, ())

    assert ((), {"replaced by what says the same as it": 2}) == (decision.superseded, dict(decision.skipped))


def test_a_chain_goes_on_in_what_was_linked_before() -> None:
    """A successor that was replaced before is one; one whose own successor is of another source is left out."""
    turns = [turn("a", replaced_by="b"), Turn("y", key="b"), Turn("z", key="c")]
    known = TurnPlace(1, Status.INBOX, is_new=False)
    places = [known, TurnPlace(2, Status.SUPERSEDED, is_new=False), TurnPlace(3, Status.INBOX, is_new=False)]
    supersedes = int(Relation.SUPERSEDES)

    assert 1 == len(decide_relations(turns, places, {(3, 2, supersedes)}).superseded)
    assert () == decide_relations(turns, places, {(9, 2, supersedes)}).superseded
    assert () == decide_relations(turns, places, {(2, 1, supersedes)}).superseded


def test_a_text_that_replaces_itself_stays() -> None:
    """Both turns are one memory, and the later one stands... as a tombstone, where it was deleted."""
    turns = [turn("a", replaced_by="b"), turn("b", is_deleted=True)]
    places = [TurnPlace(1, Status.INBOX), TurnPlace(1, Status.INBOX, is_own=False)]

    assert ((), ()) == (
        decide_relations(turns, places, ()).superseded,
        decide_relations(turns, places, ()).forgotten,
    )


def test_a_time_of_validity_is_added_and_never_replaced() -> None:
    """Nor turned round by what is there."""
    turns = [turn("a", valid_from=5, valid_until=9)]

    def dated(begins: int | None, ends: int | None) -> tuple[Dating, ...]:
        place = TurnPlace(1, Status.ACTIVE, is_new=False, valid_from=begins, valid_to=ends)
        return decide_relations(turns, [place], ()).dated

    assert (Dating(1, 5, 9),) == dated(None, None)
    assert (Dating(1, 6, 9),) == dated(6, None)
    assert () == dated(6, 8)
    assert () == dated(10, None)


def test_servers_that_grew_out_of_the_memory_server_are_read() -> None:
    """Other names of fields, observations with times, nested lines, a graph as one document; what is odd is counted."""
    person = {
        "name": "Ines",
        "entity_type": "person",
        "observations": [
            {"content": "sails", "timestamp": at(2), "durability": "long-term"},
            {"content": "owns a dinghy", "ts": 1_772_539_200_000},
            {"blob": 4},
            "likes rain",
        ],
        "createdAt": "2026-03-01",
    }
    moors = {"from_entity": "Ines", "to_entity": "pier nine", "relation_type": "moors_at"}
    nested = [{"type": "entity", "data": person}, {"type": "relation", **moors}, {"type": "relation"}]
    found = [
        read("auto", [*nested, 4], lines=True),
        read("auto", {"entities": [person, 4], "relations": [moors, {"from": "Ines"}]}),
        read("mcp-memory", [person, moors, 4, {}]),
    ]
    expected = [
        ("Ines: sails", "2026-03-02"),
        ("Ines: owns a dinghy", "2026-03-03"),
        ("Ines: likes rain", "2026-03-01"),
        ("Ines moors at pier nine", None),
    ]

    for one in found:
        assert "mcp-memory" == one.format
        assert expected == [
            (turn.text, None if turn.said_at is None else f"{to_datetime(to_micros(turn.said_at)):%F}")
            for turn in one.turns
        ]
        assert {"durability": "long-term", "entity": "Ines", "type": "person"} == one.turns[0].attributes
        assert ("text that is no text but of type dict", 1) in one.skipped.items()
        assert 3 == sum(one.skipped.values())
    assert "line 4: " in found[0].examples["line that is no entity or relation"]


def test_one_line_of_a_graph_that_is_cut_glued_or_foreign_keeps_no_other_out() -> None:
    """Also where it is the first; where nothing can be read the first flaw is said."""
    good = json.dumps({"type": "entity", "name": "Ines", "observations": ["sails"]})
    lines = [
        good[9:],
        good + good.replace("sails", "rows"),
        "Starting server",
        '{"level": "info"}',
        good[:-9],
    ]
    found = parse_source(Source("m", {"m": "\n".join([*lines, good.replace("sails", "swims")]).encode()}))
    with pytest.raises(IngestError, match="m:1: not JSON"):
        parse_source(Source("m", {"m": "\n".join(lines[2:]).encode()}), "mcp-memory")

    assert ["Ines: sails", "Ines: rows", "Ines: swims"] == texts(found)
    assert {"line that is not JSON": 3, "line that is no entity or relation": 1} == found.skipped


def test_ids_of_agent_files_count_within_their_agent() -> None:
    """Each file counts from 0: neither a message nor a block of one takes the place of another's."""

    def agent(name: str, text: str) -> dict[str, Any]:
        messages = [{"id": "message-0", "role": "user", "content": text}]
        agents = [{"id": "agent-0", "name": name, "messages": messages, "block_ids": ["block-0"]}]
        return {"agents": agents, "blocks": [{"id": "block-0", "label": "human", "value": text}]}

    keys = [turn.key for name in ("skipper", "bosun") for turn in read("letta", agent(name, name)).turns]

    assert 4 == len(set(keys))


@pytest.mark.parametrize("levels", [1, 2, 4, 5, 9])
def test_json_in_json_is_read_up_to_a_depth(levels: int) -> None:
    """As some hand out agent files; deeper ones are refused with what to do."""
    text = json.dumps(sources.AGENTS, indent=1)
    for _ in range(levels):
        text = json.dumps(text)
    source = Source("it.af", {"it.af": text.encode()})
    if levels > 4:
        with pytest.raises(IngestError, match="in one another"):
            parse_source(source)
    else:
        found = parse_source(source)

        assert ("letta", 5) == (found.format, len(found.turns))
