"""Small sources in the formats of other memories, written as the programs write them; every text is made up."""

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.export_sources import EXPORT_WRITERS

HISTORY = """CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT,
    created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT)"""
MESSAGES = """CREATE TABLE messages (id TEXT PRIMARY KEY, session_scope TEXT, role TEXT, content TEXT, name TEXT,
    created_at DATETIME)"""
ELFMEM = """
    CREATE TABLE blocks (id TEXT PRIMARY KEY, content TEXT NOT NULL, category TEXT NOT NULL, source TEXT NOT NULL,
        created_at TEXT NOT NULL, status TEXT NOT NULL, archive_reason TEXT, confidence REAL NOT NULL DEFAULT 0.5,
        reinforcement_count INTEGER NOT NULL DEFAULT 0, decay_lambda REAL NOT NULL DEFAULT 0.01,
        last_reinforced_at REAL NOT NULL DEFAULT 0, self_alignment REAL, embedding BLOB, pinned INTEGER DEFAULT 0,
        superseded_by TEXT);
    CREATE TABLE block_tags (block_id TEXT NOT NULL, tag TEXT NOT NULL, UNIQUE (block_id, tag));
    CREATE TABLE edges (from_id TEXT NOT NULL, to_id TEXT NOT NULL, weight REAL NOT NULL, reinforcement_count INTEGER,
        created_at TEXT NOT NULL, relation_type TEXT DEFAULT 'similar');
    CREATE TABLE contradictions (block_a_id TEXT, block_b_id TEXT, score REAL, resolved INTEGER, created_at TEXT);
"""
STORE = """CREATE TABLE store (prefix text NOT NULL, key text NOT NULL, value text NOT NULL,
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    expires_at TIMESTAMP, ttl_minutes REAL, PRIMARY KEY (prefix, key))"""


def at(day: int, hour: int = 9) -> str:
    """Write a time in March 2026."""
    return f"2026-03-{day:02}T{hour:02}:00:00.250000+00:00"


def write_rows(path: Path, schema: str, rows: Mapping[str, list[tuple[Any, ...]]]) -> Path:
    """Write a database."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(schema)
        for table, several in rows.items():
            for row in several:
                connection.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)
        connection.commit()
    return path


def memory(id_: str, text: str, day: int, updated: int | None = None, **more: Any) -> dict[str, Any]:
    """Return a memory as `get_all` has it."""
    times = {"created_at": at(day), "updated_at": at(day if updated is None else updated)}
    return {"id": id_, "memory": text, "hash": "00", "metadata": None, **times, "user_id": "ines", **more}


ANSWER = {
    "results": [
        memory("m1", "Ines moors at pier nine", 1, 4, metadata={"topic": "boat"}, role="user"),
        memory(
            "m3",
            "The engine wants oil",
            3,
            role="assistant",
            agent_id="skipper",
            run_id="r1",
            categories=["boat"],
        ),
    ]
}
EVENTS: list[tuple[Any, ...]] = [
    ("h1", "m1", None, "Ines moors at pier two", "ADD", at(1), at(1), 0, None, "user"),
    ("h2", "m2", None, "Ines dislikes rain", "ADD", at(2), at(2), 0, None, "user"),
    ("h3", "m3", None, "The engine wants oil", "ADD", at(3), at(3), 0, None, "assistant"),
    (
        "h4",
        "m1",
        "Ines moors at pier two",
        "Ines moors at pier five",
        "UPDATE",
        at(1),
        at(3),
        0,
        None,
        "user",
    ),
    (
        "h5",
        "m1",
        "Ines moors at pier five",
        "Ines moors at pier nine",
        "UPDATE",
        at(1),
        at(4),
        0,
        None,
        "user",
    ),
    ("h6", "m2", "Ines dislikes rain", None, "DELETE", at(2), at(5), 1, None, "user"),
]


def write_history(path: Path) -> Path:
    """Write a `history.db`."""
    waiting = ("w1", "user_id=ines", "user", "Is the tide in?", None, at(5))
    return write_rows(path, f"{HISTORY};{MESSAGES};", {"history": EVENTS, "messages": [waiting]})


def write_mem0(folder: Path) -> Path:
    """Write a folder with both parts of a store of mem0."""
    store = folder / "mem0"
    store.mkdir()
    (store / "get_all.json").write_text(json.dumps(ANSWER))
    write_history(store / "history.db")
    return store


def edge(
    uuid: str, fact: str, begins: int | None, ends: int | None, expired: int | None, **more: Any
) -> dict[str, Any]:
    """Return a fact as Graphiti has it."""
    times = zip(("valid_at", "invalid_at", "expired_at"), (begins, ends, expired), strict=True)
    said = {name: None if day is None else at(day) for name, day in times}
    ends_named = {
        "source_node_uuid": "n1",
        "target_node_uuid": "n2",
        "name": "MOORS_AT",
        "group_id": "harbour",
    }
    return {"uuid": uuid, "fact": fact, "created_at": at(6), "episodes": ["e1"], **ends_named, **said, **more}


GRAPH = {
    "nodes": [{"uuid": "n1", "name": "Ines", "summary": "A sailor.", "group_id": "harbour"}],
    "episodes": [
        {
            "uuid": "e1",
            "name": "talk",
            "content": "Ines: I moved the boat from two to nine.",
            "valid_at": at(4),
            "created_at": at(6),
            "source": "message",
            "source_description": "radio",
            "group_id": "harbour",
        }
    ],
    "edges": [
        edge("f1", "Ines moors at pier two", 1, 4, 6),
        edge("f2", "Ines moors at pier nine", 4, None, None),
        edge("f3", "Ines rents a shed", None, 5, 6, name="RENTS"),
        edge("f4", "Ines paints the hull", 5, 3, None, name="PAINTS"),
    ],
}


def write_graphiti(folder: Path) -> Path:
    """Write a graph."""
    path = folder / "graph.json"
    path.write_text(json.dumps(GRAPH))
    return path


def message(id_: str, role: str, text: str, day: int, **more: Any) -> dict[str, Any]:
    """Return a message of an agent file."""
    content = [{"type": "text", "text": text}]
    return {"type": "message", "id": id_, "role": role, "content": content, "created_at": at(day), **more}


AGENTS: dict[str, Any] = {
    "agents": [
        {
            "id": "agent-0",
            "name": "skipper",
            "block_ids": ["block-0"],
            "messages": [
                message("message-0", "system", "You are a skipper.", 1),
                message("message-1", "user", "Where is the key?", 1),
                message("message-2", "assistant", "The key is under the bench.", 1),
                message("message-3", "user", json.dumps({"type": "heartbeat", "reason": "alarm"}), 2),
                message(
                    "message-4",
                    "user",
                    json.dumps({"type": "user_message", "message": "Thanks, found it."}),
                    2,
                ),
                message(
                    "message-5",
                    "assistant",
                    "They are glad.",
                    2,
                    tool_calls=[
                        {"function": {"name": "send_message", "arguments": '{"message": "Fair winds!"}'}}
                    ],
                ),
            ],
        }
    ],
    "blocks": [
        {
            "id": "block-0",
            "label": "human",
            "value": "Ines sails on Sundays.",
            "description": "who it serves",
        },
        {"id": "block-1", "label": "persona", "value": ""},
    ],
    "tools": [{"id": "tool-0", "name": "send_message"}],
}


def write_letta(folder: Path) -> Path:
    """Write an agent file."""
    path = folder / "skipper.af"
    path.write_text(json.dumps(AGENTS, indent=1))
    return path


LINES: list[dict[str, Any]] = [
    {
        "type": "entity",
        "name": "Ines",
        "entityType": "person",
        "observations": ["sails on Sundays", "owns a dinghy"],
    },
    {"type": "entity", "name": "pier nine", "entityType": "place", "observations": []},
    {"type": "relation", "from": "Ines", "to": "pier nine", "relationType": "moors_at"},
    {"type": "note", "text": "a line of a version to come"},
]


def write_mcp(folder: Path) -> Path:
    """Write the file of a memory server."""
    path = folder / "memory.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    return path


def write_langgraph(folder: Path) -> Path:
    """Write a file as SqliteStore lays it out; `tests/integrations` has one that it wrote itself."""
    times = [
        (f"2026-03-0{made} 09:00:00", f"2026-03-0{again} 09:00:00")
        for made, again in ((1, 1), (1, 2), (3, 3))
    ]
    store = [
        ("ines.notes", "k1", '{"text": "The shed is locked", "kind": "note"}', *times[0], None, None),
        (
            "ines.notes",
            "k2",
            '{"content": {"content": "The dinghy leaks"}}',
            *times[1],
            "2026-03-09 09:00:00+00:00",
            9,
        ),
        ("ines", "k3", '{"city": "Porto", "berths": 2}', *times[2], None, None),
        ("ines", "k4", "{}", *times[2], None, None),
    ]
    return write_rows(folder / "store.db", STORE, {"store": store})


def block(
    id_: str, text: str, status: str, reason: str | None = None, by: str | None = None
) -> tuple[Any, ...]:
    """Return a block of elfmem."""
    return (id_, text, "knowledge", "api", at(1), status, reason, 0.7, 2, 0.01, 3.5, None, b"\0" * 8, 0, by)


def write_elfmem(folder: Path) -> Path:
    """Write a database of elfmem."""
    blocks = [
        block("b1", "Low tide is at three", "archived", "superseded", "b2"),
        block("b2", "Low tide is at four", "active"),
        block("b3", "I value plain words", "active"),
        block("b4", "A gull sat on the mast", "archived", "decayed"),
    ]
    return write_rows(
        folder / "elfmem.db",
        ELFMEM,
        {
            "blocks": blocks,
            "block_tags": [("b3", "self/value")],
            "edges": [
                ("b2", "b3", 0.7, 1, at(1), "supports"),
                ("b2", "b4", 0.7, 1, at(1), "predicts"),
            ],
            "contradictions": [("b1", "b3", 0.9, 1, at(2)), ("b2", "b3", 0.8, 0, at(2))],
        },
    )


MEMORY_WRITERS: Mapping[str, Callable[[Path], Path]] = {
    "mem0": write_mem0,
    "graphiti": write_graphiti,
    "letta": write_letta,
    "mcp-memory": write_mcp,
    "langgraph": write_langgraph,
    "elfmem": write_elfmem,
}
WRITERS = {**MEMORY_WRITERS, **EXPORT_WRITERS}
# What no reader of a source may stumble over, wherever it stands.
ODD_VALUES: list[Any] = [
    *[None, 0, 5, -1, 1.5, 1e308, 10**40, True, [], {}, [[]], [None], {"a": {}}, {"text": "y"}],
    *["", "text", "tool_use", "\ud800", "a\nb", "\x00", at(1), "2026-13-45T00:00:00Z", "x" * 300],
]


def list_holders(value: Any) -> list[Any]:
    """Return each object and list in a value that holds anything, and the value itself where it does."""
    if not isinstance(value, dict | list) or not value:
        return []
    inside = value.values() if isinstance(value, dict) else value
    return [value, *(holder for one in inside for holder in list_holders(one))]
