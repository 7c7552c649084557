"""Memories of other programs come in with their ids, times and history, once; what has no place is said."""

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.clock import to_micros
from remanence.core.errors import IngestError, InvalidInput, RemanenceError
from remanence.core.model import STANDING, Relation, Status, Trust
from remanence.flows.write import source_reading
from remanence.flows.write.extracting import parse_transcript
from remanence.write.transcripts.item_fields import make_version_key
from remanence.write.transcripts.long_texts import CUT
from tests import importer_sources as sources
from tests.importer_sources import MEMORY_WRITERS, ODD_VALUES, WRITERS, at, list_holders


def micros(day: int) -> int:
    """Return a time of the fixtures in microseconds."""
    return to_micros(datetime.fromisoformat(at(day)))


async def by_key(memory: remanence.Engine) -> dict[str, remanence.Memory]:
    """Return what there is, of any status."""
    return {str(one.key): one for one in await memory.list(status="any")}


async def links_of(memory: remanence.Engine, key: str) -> set[tuple[str, Relation, str]]:
    """Return the links of a memory, by keys."""
    names = {one.seq: str(one.key) for one in await memory.list(status="any")}
    return {(names[one.source], one.relation, names[one.target]) for one in await memory.links(key)}


@pytest.mark.parametrize("name", WRITERS)
async def test_a_second_ingest_changes_nothing(memory: remanence.Engine, tmp_path: Path, name: str) -> None:
    """Each format is recognised and believed as what comes from outside; undone, the last run first, it is gone."""
    path = WRITERS[name](tmp_path)
    first = await memory.ingest(path)
    before = await by_key(memory)
    again = await memory.ingest(path)

    assert name == first.format
    assert {Trust.OUTSIDE} == {one.trust for one in before.values()}
    assert (first.turns, 0, 0, 0, ()) == (
        again.known,
        again.stored,
        again.superseded,
        again.linked,
        again.runs,
    )
    assert before == await by_key(memory)

    for run in reversed(first.runs):
        await memory.undo(run)

    assert not [one for one in await memory.list(status="any") if one.status in STANDING]


@pytest.mark.parametrize("parts", [("",), ("get_all.json", "history.db"), ("history.db", "get_all.json")])
async def test_mem0_comes_with_its_history(
    memory: remanence.Engine, tmp_path: Path, parts: tuple[str, ...]
) -> None:
    """Both parts together or one after the other: versions follow each other, and what was deleted is a tombstone."""
    store = WRITERS["mem0"](tmp_path)
    done = [await memory.ingest(store / part) for part in parts][-1]
    found = await by_key(memory)

    two, five = (make_version_key("m1", f"Ines moors at pier {pier}") for pier in ("two", "five"))

    assert {"m1", two, five, "m2", "m3"} == found.keys()
    assert (Status.SUPERSEDED, micros(1), micros(3)) == _times(found[two])
    assert (Status.SUPERSEDED, micros(3), micros(4)) == _times(found[five])
    assert (Status.INBOX, micros(4), None) == _times(found["m1"])
    assert (Status.PRUNED, micros(2), micros(5)) == _times(found["m2"])
    assert ("skipper", "skipper", "assistant", ("boat",)) == (
        found["m3"].speaker,
        found["m3"].agent,
        found["m3"].role.label,
        found["m3"].tags,
    ) or parts[0] == "history.db"
    if parts == ("",):
        assert {"message that waits to be remembered": 1} == done.skipped
        assert {"topic": "boat"} == found["m1"].attributes


def _times(one: remanence.Memory) -> tuple[Status, int, int | None]:
    return one.status, one.said_at, one.valid_to


async def test_a_mem0_store_that_moved_on_is_brought_up_to_date(
    memory: remanence.Engine, tmp_path: Path
) -> None:
    """An update and a deletion since the first ingest are history here, too."""
    store = WRITERS["mem0"](tmp_path)
    await memory.ingest(store)
    with closing(sqlite3.connect(store / "history.db")) as connection:
        rows = [
            (
                "h7",
                "m1",
                "Ines moors at pier nine",
                "Ines sold the boat",
                "UPDATE",
                at(1),
                at(8),
                0,
                None,
                "user",
            ),
            ("h8", "m3", "The engine wants oil", None, "DELETE", at(3), at(9), 1, None, "user"),
        ]
        connection.executemany(f"INSERT INTO history VALUES ({','.join('?' * 10)})", rows)
        connection.commit()
    (store / "get_all.json").write_text(
        json.dumps({"results": [sources.memory("m1", "Ines sold the boat", 1, 8)]})
    )
    done = await memory.ingest(store)
    found = await by_key(memory)

    assert (1, 1, 1) == (done.stored, done.superseded, done.forgotten)
    was = found[make_version_key("m1", "Ines moors at pier nine")]

    assert (Status.SUPERSEDED, micros(8)) == (was.status, was.valid_to)
    assert "Ines sold the boat" == found["m1"].text
    assert Status.PRUNED is found["m3"].status
    assert (0, ()) == ((again := await memory.ingest(store)).stored, again.runs)


async def test_facts_are_extracted_from_what_stands(telling: remanence.Engine, tmp_path: Path) -> None:
    """Not from what was replaced or deleted, though it came in by the same ingest."""
    was, now_said, gone = (
        "My sister Vera moved to Ghent.",
        "My sister Vera moved to Lyon.",
        "I don't eat shellfish.",
    )
    events: list[tuple[Any, ...]] = [
        ("h1", "m1", None, was, "ADD", at(1), at(1), 0, None, "user"),
        ("h2", "m1", was, now_said, "UPDATE", at(1), at(2), 0, None, "user"),
        ("h3", "m2", None, gone, "ADD", at(1), at(1), 0, None, "user"),
        ("h4", "m2", gone, None, "DELETE", at(1), at(3), 1, None, "user"),
    ]
    store = tmp_path / "store"
    store.mkdir()
    sources.write_rows(store / "history.db", sources.HISTORY, {"history": events})
    (store / "get_all.json").write_text(json.dumps({"results": [sources.memory("m1", now_said, 1, 2)]}))
    await telling.ingest(store, extract=True)
    facts = [one.text for one in await telling.list(status="any") if one.key is None]

    assert 1 == len(facts)
    assert "Lyon" in facts[0]


async def test_graphiti_keeps_both_times_and_guesses_nothing(
    memory: remanence.Engine, tmp_path: Path
) -> None:
    """A fact is replaced by the one that began as it ended; one that only ended stays, with its end."""
    done = await memory.ingest(WRITERS["graphiti"](tmp_path))
    found = await by_key(memory)

    assert (Status.SUPERSEDED, micros(1), micros(4)) == _validity(found["f1"])
    assert (Status.INBOX, micros(4), None) == _validity(found["f2"])
    assert (Status.INBOX, None, micros(5)) == _validity(found["f3"])
    assert (Status.INBOX, None, None) == _validity(found["f4"])
    assert micros(6) == found["f1"].said_at
    assert micros(4) == found["e1"].said_at
    assert ("f2", Relation.LEARNED_FROM, "e1") in await links_of(memory, "f2")
    assert {"name": "RENTS", "source": "Ines", "target": "n2"}.items() <= dict(
        found["f3"].attributes or {}
    ).items()
    assert {"validity that ends before it begins": 1, "summary of an entity": 1} == done.skipped
    assert {"validity that ends before it begins": "f4", "summary of an entity": "Ines"} == done.examples


def _validity(one: remanence.Memory) -> tuple[Status, int | None, int | None]:
    return one.status, one.valid_from, one.valid_to


async def test_letta_says_what_was_said_and_what_its_blocks_hold(
    memory: remanence.Engine, tmp_path: Path
) -> None:
    """What an agent thinks, hears from its own system and calls is counted."""
    done = await memory.ingest(WRITERS["letta"](tmp_path))
    said = {one.text: (one.role.label, one.speaker, one.said_at) for one in (await by_key(memory)).values()}

    assert ("user", None, micros(1)) == said["Where is the key?"]
    assert ("assistant", "skipper", micros(1)) == said["The key is under the bench."]
    assert {"Thanks, found it.", "Fair winds!", "Ines sails on Sundays."} < said.keys()
    assert 5 == len(said)
    assert {
        "no text in it": 1,
        "one of tools": 1,
        "message of the system or a tool, or a thought": 2,
    } == done.skipped


async def test_an_older_agent_file_comes_in_too(memory: remanence.Engine, tmp_path: Path) -> None:
    """One agent, with its memory inside."""
    agent = sources.AGENTS["agents"][0]
    old = {
        "agent_type": "memgpt_agent",
        "name": "skipper",
        "core_memory": [{"label": "human", "value": "Ines sails.", "updated_at": at(3)}],
        "messages": agent["messages"],
    }
    (tmp_path / "old.af").write_text(json.dumps(old))
    done = await memory.ingest(tmp_path / "old.af")

    assert ("letta", 5) == (done.format, done.stored)


async def test_the_memory_server_gives_observations_and_relations(
    memory: remanence.Engine, tmp_path: Path
) -> None:
    """An observation names its entity, a relation is linked to what was observed of its ends."""
    done = await memory.ingest(WRITERS["mcp-memory"](tmp_path))
    found = {one.text: one for one in (await by_key(memory)).values()}

    assert {"Ines: sails on Sundays", "Ines: owns a dinghy", "Ines moors at pier nine"} == found.keys()
    (link,) = await memory.links(found["Ines moors at pier nine"])
    assert (Relation.REFERS, found["Ines: sails on Sundays"].seq) == (link.relation, link.target)
    assert {
        "entity without observations": 1,
        "line that is no entity or relation": 1,
    } == done.skipped


async def test_a_store_of_langgraph_comes_with_namespaces_and_ends(
    memory: remanence.Engine, tmp_path: Path
) -> None:
    """The text is the field that says it; times are UTC; what was to be deleted then holds until then."""
    done = await memory.ingest(WRITERS["langgraph"](tmp_path))
    found = await by_key(memory)

    assert "The shed is locked" == found["ines.notes/k1"].text
    assert {"kind": "note", "namespace": ["ines", "notes"]} == found["ines.notes/k1"].attributes
    leaks = found["ines.notes/k2"]
    assert ("The dinghy leaks", "ines.notes") == (leaks.text, leaks.thread)
    assert leaks.valid_to is not None
    assert "city: Porto\nberths: 2" == found["ines/k3"].text
    assert {"no text in it": 1} == done.skipped


async def test_elfmem_comes_with_tags_links_and_history(memory: remanence.Engine, tmp_path: Path) -> None:
    """What was superseded is history, what was archived for another reason a tombstone."""
    done = await memory.ingest(WRITERS["elfmem"](tmp_path))
    found = await by_key(memory)

    assert [Status.SUPERSEDED, Status.INBOX, Status.INBOX, Status.PRUNED] == [
        found[key].status for key in ("b1", "b2", "b3", "b4")
    ]
    assert (("self/value",), 0.7) == (found["b3"].tags, found["b3"].confidence)
    assert {("b2", Relation.SUPPORTS, "b3"), ("b2", Relation.CONTRADICTS, "b3")} <= await links_of(
        memory, "b2"
    )
    assert {
        "name of a relation that comes in as refers": 1,
        "contradiction that is resolved": 1,
    } == done.skipped


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("mem0", lambda text: text.replace("2026-03-03T", "1601-01-01T")),
        ("mem0", lambda text: text.replace("2026-03-03T", "9999-12-31T")),
        ("mem0", lambda text: text.replace("+00:00", "")),
        ("mem0", lambda text: text[:-30]),
        ("mem0", lambda text: text.replace('"id": "m3", ', "")),
        ("graphiti", lambda text: text.replace("2026-03-05T", "1601-01-01T")),
        ("graphiti", lambda text: text.replace("2026-03-05T", "yesterday")),
        ("graphiti", lambda text: text[:-3]),
        ("letta", lambda text: text[:-9]),
        ("letta", lambda text: text.replace("2026-03-02T", "9999-03-02T")),
        ("mcp-memory", lambda text: text.replace(":", ";")),
    ],
)
async def test_a_flaw_leaves_nothing(
    memory: remanence.Engine, tmp_path: Path, name: str, change: Callable[[str], str]
) -> None:
    """One error that says where and what to do; nothing came in."""
    path = WRITERS[name](tmp_path)
    file = path / "get_all.json" if path.is_dir() else path
    file.write_text(change(file.read_text()))
    with pytest.raises(IngestError) as raised:
        await memory.ingest(path, format=name)

    assert raised.value.recovery
    assert [] == await memory.list(status="any")


@pytest.mark.parametrize("name", WRITERS)
async def test_a_source_that_is_none_of_a_format_is_refused(
    memory: remanence.Engine, tmp_path: Path, name: str
) -> None:
    """Whatever it is instead: a named format is not read as nothing."""
    others = {other: WRITERS[other](tmp_path) for other in WRITERS if other != name}
    for path in others.values():
        with pytest.raises(IngestError):
            await memory.ingest(path, format=name)

    assert [] == await memory.list(status="any")


async def test_a_database_in_use_is_read_and_left_alone(memory: remanence.Engine, tmp_path: Path) -> None:
    """What is only in its log yet comes in, under a lock that its owner holds; no file appears, none changes."""
    store = tmp_path / "store"
    store.mkdir()
    path = store / "history.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(sources.HISTORY)
        connection.executemany(f"INSERT INTO history VALUES ({','.join('?' * 10)})", sources.EVENTS)
        connection.execute("BEGIN IMMEDIATE")
        before = {one.name: (one.stat().st_size, one.stat().st_mtime_ns) for one in store.iterdir()}
        done = await memory.ingest(path)

        assert before == {one.name: (one.stat().st_size, one.stat().st_mtime_ns) for one in store.iterdir()}
    assert 5 == done.stored


async def test_what_is_no_database_of_a_memory_is_refused(memory: remanence.Engine, tmp_path: Path) -> None:
    """Another program's, an empty one, one cut off, one that is only called so."""
    other = sources.write_rows(
        tmp_path / "other.db", "CREATE TABLE songs (title TEXT)", {"songs": [("Aria",)]}
    )
    cut = tmp_path / "cut.db"
    whole = WRITERS["elfmem"](tmp_path).read_bytes()
    cut.write_bytes(whole[: len(whole) // 2])
    torn = tmp_path / "torn.db"
    torn.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    named = tmp_path / "named.db"
    named.write_bytes(b"SQLite format 3\0")
    for path in (other, cut, torn, named):
        with pytest.raises(IngestError) as raised:
            await memory.ingest(path)
        assert raised.value.recovery
    assert [] == await memory.list(status="any")


async def test_what_is_too_large_is_refused_unread(
    memory: remanence.Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its size alone: a file of a gigabyte that holds nothing, a database, a table of many rows."""
    huge = tmp_path / "huge.json"
    with huge.open("wb") as stream:
        stream.truncate(1 << 30)
    with pytest.raises(InvalidInput, match="larger than"):
        await memory.ingest(huge)
    huge.unlink()
    path = WRITERS["elfmem"](tmp_path)
    monkeypatch.setattr(source_reading, "ROWS_MAX", 3)
    with pytest.raises(InvalidInput, match="more than 3 rows"):
        await memory.ingest(path)
    monkeypatch.setattr(source_reading, "FILE_BYTES_MAX", 100)
    with pytest.raises(InvalidInput, match="larger than"):
        await memory.ingest(path)
    assert [] == await memory.list(status="any")


async def test_links_and_hidden_files_of_a_folder_are_left_alone(
    memory: remanence.Engine, tmp_path: Path
) -> None:
    """A link in a folder leads nowhere; what a program keeps in a folder below is its own."""
    store = WRITERS["mem0"](tmp_path)
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text(json.dumps({"results": [sources.memory("x", "From elsewhere", 1)]}))
    (store / "link.json").symlink_to(elsewhere)
    (store / "qdrant").mkdir()
    (store / "qdrant" / "storage.sqlite").write_bytes(b"SQLite format 3\0" + b"\xff" * 5_000)
    (store / ".hidden.json").write_text(elsewhere.read_text())
    done = await memory.ingest(store)

    assert 5 == done.stored
    assert "x" not in await by_key(memory)


async def test_a_broken_database_does_not_stop_a_folder_of_notes(
    memory: remanence.Engine, tmp_path: Path
) -> None:
    """Notes are notes, whatever lies beside them; where there are none, the damage is said."""
    (tmp_path / "broken.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 5_000)
    with pytest.raises(IngestError, match="cannot be read"):
        await memory.ingest(tmp_path)
    (tmp_path / "day.md").write_text("# 2026-03-01\nThe shed is locked.\n")

    assert ("notes", 1) == ((done := await memory.ingest(tmp_path)).format, done.stored)


@pytest.mark.parametrize("name", WRITERS)
def test_damage_is_said_or_does_no_harm(tmp_path: Path, name: str) -> None:
    """Bytes changed, cut out and cut off at random: turns, or one error of ours with a way out."""
    path = WRITERS[name](tmp_path)
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    whole = {file: file.read_bytes() for file in files}
    drawn = random.Random(31)
    outcomes: set[bool | None] = set()
    for _ in range(150):
        file = drawn.choice(files)
        file.write_bytes(_damage(whole[file], drawn))
        try:
            outcomes.add(len(parse_transcript(path, drawn.choice(["auto", name])).turns) > 0)
        except RemanenceError as error:
            outcomes.add(None if error.recovery else False)
        file.write_bytes(whole[file])

    assert None in outcomes


def _damage(data: bytes, drawn: random.Random) -> bytes:
    """Change some bytes, cut some out, or cut the end off."""
    place = drawn.randrange(len(data))
    match drawn.randrange(4):
        case 0:
            return data[:place]
        case 1:
            return data[:place] + data[place + drawn.randrange(1, 40) :]
        case 2:
            return data[:place] + drawn.randbytes(drawn.randrange(1, 9)) + data[place + 4 :]
        case _:
            signs = b'{}[]",:0n'
            return data[:place] + bytes([drawn.choice(signs)]) + data[place + 1 :]


@pytest.mark.parametrize("name", MEMORY_WRITERS)
async def test_values_of_other_types_are_said_or_do_no_harm(
    memory: remanence.Engine, tmp_path: Path, name: str
) -> None:
    """Any value of a source may be any other: all that is read can be kept, or one error leaves nothing."""
    path = WRITERS[name](tmp_path)
    drawn = random.Random(33)
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    whole = {file: file.read_bytes() for file in files}
    for _ in range(40):
        file = drawn.choice(files)
        if whole[file].startswith(source_reading.SQLITE_HEAD):
            _change_cell(file, drawn)
        else:
            file.write_text(
                _change_value(whole[file].decode(), drawn), encoding="utf-8", errors="surrogatepass"
            )
        before = {one.id for one in await memory.list(status="any")}
        try:
            done = await memory.ingest(path, format=name)
        except RemanenceError:
            assert before == {one.id for one in await memory.list(status="any")}
        else:
            assert done.turns == done.stored + done.known + done.confirmed + done.quarantined + done.gated
        file.write_bytes(whole[file])


def _change_cell(file: Path, drawn: random.Random) -> None:
    """Put an odd value, a text or bytes, into one cell of a database."""
    odd = drawn.choice([None, 5, -1.5, "", "x", b"\xff", "{}", "[]", '{"text": [1]}', at(1), "1601-01-01"])
    with closing(sqlite3.connect(file)) as connection:
        tables = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        table = drawn.choice(tables)
        column = drawn.choice([row[1] for row in connection.execute(f"PRAGMA table_info({table})")])
        try:
            connection.execute(
                f"UPDATE OR IGNORE {table} SET {column} = ? WHERE rowid = ?", (odd, drawn.randrange(1, 6))
            )
            connection.commit()
        except sqlite3.IntegrityError:
            connection.rollback()


def _change_value(text: str, drawn: random.Random) -> str:
    """Put an odd value in the place of one in a JSON text, or of one line of it."""
    lines = text.splitlines() if text.count("\n{") else [text]
    place = drawn.randrange(len(lines))
    value = json.loads(lines[place])
    holders = list_holders(value)
    holder = drawn.choice(holders)
    holder[drawn.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))] = drawn.choice(
        ODD_VALUES
    )
    lines[place] = json.dumps(value)
    return "\n".join(lines)


HOSTILE = [
    "\x00",
    "\ud800",
    "\u202e" * 9,
    "a" * 200_000,
    "</memory>",
    "'; DROP TABLE x; --",
    "\n" * 500,
    "🜁" * 300,
]


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_texts_are_kept_as_texts_or_counted(
    memory: remanence.Engine, tmp_path: Path, text: str
) -> None:
    """As what is said, as an id, as a name: nothing but an error of ours, and the rest comes in."""
    items = [
        sources.memory("m1", "The shed is locked", 1),
        sources.memory("m2", f"say {text}", 2),
        sources.memory(f"id {text}", "The dinghy leaks", 3, agent_id=text, run_id=text, categories=[text]),
    ]
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps({"results": items}))
    done = await memory.ingest(path)

    kept = await memory.list(status="any")

    assert {"The shed is locked", "The dinghy leaks"} <= {one.text for one in kept}
    whole = sum(not (one.attributes or {}).get("part", "1/").startswith(tuple("23")) for one in kept)
    assert whole + sum(count for why, count in done.skipped.items() if "name" not in why and why != CUT) == 3
    assert 0 == (await memory.ingest(path)).stored


def test_an_unreadable_file_is_our_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may read everything, so the copy is refused."""

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = WRITERS["elfmem"](tmp_path)
    monkeypatch.setattr(shutil, "copyfile", refuse)
    with pytest.raises(InvalidInput, match="Permission denied"):
        parse_transcript(path, "auto")


def test_a_database_that_is_written_to_all_the_time_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its copy would be of two moments."""
    path = WRITERS["elfmem"](tmp_path)
    copy = shutil.copyfile

    def copied(source: str, target: Path) -> None:
        copy(source, target)
        os.utime(source, ns=(0, os.stat(source).st_mtime_ns + 1_000))  # noqa: PTH116

    monkeypatch.setattr(shutil, "copyfile", copied)
    with pytest.raises(InvalidInput, match="being written to"):
        parse_transcript(path, "auto")
