"""Exports of conversations and vaults come in with their ids, dates and links; what is damaged is said or counted."""

import json
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.clock import to_datetime, to_micros
from remanence.core.errors import IngestError, InvalidInput, RemanenceError
from remanence.core.model import Relation
from remanence.flows.consolidate.ingesting import IngestResult
from remanence.flows.write import archive_reading
from remanence.flows.write.extracting import parse_transcript
from remanence.write.renewals import GONE
from remanence.write.transcripts.formats import Transcript
from tests import export_sources as exports
from tests.export_sources import EXPORT_WRITERS, chat, node, said, tree
from tests.importer_sources import ODD_VALUES, list_holders


def read(path: Path, data: Any, format: str = "auto") -> Transcript:  # noqa: A002
    """Write a value as JSON and read it as a source."""
    path.write_text(json.dumps(data))
    return parse_transcript(path, format)


def times_of(found: Transcript) -> list[str]:
    """Return the minutes in which turns were said."""
    return [f"{to_datetime(to_micros(turn.said_at or 0)):%H:%M:%S}" for turn in found.turns]


def test_a_claude_export_keeps_ids_and_order(tmp_path: Path) -> None:
    """Threads and keys are Claude's; what has no time takes the one before, so that the order holds."""
    found = parse_transcript(EXPORT_WRITERS["claude"](tmp_path), "auto")
    messages = found.turns[:4]

    assert "claude" == found.format
    assert [
        ("k1", "k1:u1", "user"),
        ("k1", "k1:u2", "assistant"),
        ("k2", "k2:u3", "user"),
        ("k2", "k2:u4", "assistant"),
    ] == [(turn.thread, turn.key, turn.role) for turn in messages]
    assert ["09:01:00", "09:02:00", "09:00:00", "09:00:00"] == times_of(Transcript(messages, "", ()))
    assert [
        ("Ines runs a harbour.", "Work"),
        ("She likes short answers.", "Work"),
        ("Plan the winter.", None),
    ] == [(turn.text, (turn.attributes or {}).get("heading")) for turn in found.turns[4:]]
    assert {"file of the export that is not read": 2} == found.skipped


def test_words_come_from_the_blocks_and_all_else_is_counted(tmp_path: Path) -> None:
    """`text` may be empty or stand for a tool; blocks of another kind and files have no place."""
    blocks: list[Any] = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "text", "text": "It is low at three."},
        {"type": "tool_use", "name": "tides"},
        {"type": "hologram"},
        {"kind": 7},
    ]
    found = read(
        tmp_path / "chats.json",
        [
            chat(
                "k1",
                said(
                    "u1",
                    "human",
                    "Look at this.",
                    1,
                    content=[],
                    attachments=[{"file_name": "a.txt"}],
                ),
                said("u2", "assistant", "", 2, content=blocks, files=[{"file_name": "b.png"}]),
                said("u3", "human", "", 3),
                said("u4", "tool", "Nobody asked.", 4),
                said("u2", "assistant", "It is low at three.", 5),
            ),
            chat("k2"),
        ],
    )

    assert ["Look at this.", "It is low at three."] == [turn.text for turn in found.turns]
    assert {
        "attachment of a message": 1,
        "file of a message": 1,
        "part of type thinking": 1,
        "part of type tool_use": 1,
        "part of type hologram": 1,
        "part of type object": 1,
        "no text in it": 1,
        "of a sender that is neither the person nor Claude": 1,
        "message that is there twice": 1,
        "conversation without messages": 1,
    } == found.skipped
    assert "Chat k2" == found.examples["conversation without messages"]


def test_the_branch_of_claude_that_is_shown_is_taken(tmp_path: Path) -> None:
    """Also where the messages lead back to themselves; without such a mark all are taken."""
    messages = [
        said("u1", "human", "One.", 1, parent_message_uuid="u3"),
        said("u2", "assistant", "Two.", 2, parent_message_uuid="u1"),
        said("u3", "assistant", "Three.", 3, parent_message_uuid="u1"),
    ]
    shown = read(tmp_path / "a.json", [chat("k1", *messages, current_leaf_message_uuid="u3")])
    every = read(tmp_path / "a.json", [chat("k1", *messages)])

    assert ["k1:u1", "k1:u3"] == [turn.key for turn in shown.turns]
    assert {"of a branch that is not shown": 1} == shown.skipped
    assert ["k1:u1", "k1:u2", "k1:u3"] == [turn.key for turn in every.turns]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("1601-01-01T00:00:00Z", None),
        ("9999-12-31T23:59:59-12:00", None),
        ("9999-12-31T23:59:59Z", None),
        ("soon", None),
        (7, None),
        ("2026-03-01T10:00:00", "10:00:00"),
    ],
)
def test_a_time_that_is_none_is_counted(tmp_path: Path, given: Any, expected: str | None) -> None:
    """The message takes the time of its conversation; one without a zone is UTC."""
    message = said("u1", "human", "Ahoy.", None) | {"created_at": given}
    found = read(tmp_path / "a.json", [chat("k1", message)])

    assert [expected or "09:00:00"] == times_of(found)
    assert (expected is None) == ("time that is not one" in found.skipped)


@pytest.mark.parametrize(
    "chats",
    [[{"uuid": "k1"}], [{"uuid": "", "chat_messages": []}], [{**chat("k1"), "chat_messages": 3}], [3]],
)
def test_what_is_no_conversation_of_claude_is_refused(tmp_path: Path, chats: Any) -> None:
    """With its line, and a way out."""
    with pytest.raises(IngestError):
        read(tmp_path / "a.json", [chat("k0", said("u0", "human", "Ahoy.", 1)), *chats])


def test_parts_of_a_chatgpt_export_come_in_order(tmp_path: Path) -> None:
    """By number and not by name; what both parts have comes in once; what lies beside them is counted."""
    parts = {"conversations-010.json": exports.TREES[0], "conversations-2.json": exports.TREES[1]}
    files = {name: json.dumps(part) for name, part in parts.items()}
    files |= {"conversations-011.json": "[]", "more/conversations.json": files["conversations-2.json"]}
    found = parse_transcript(exports.write_files(tmp_path / "x", {**files, "user.json": "{"}), "auto")

    assert ("chatgpt", ["t2:n3", "t2:n4", "t1:n1", "t1:n2"]) == (
        found.format,
        [turn.key for turn in found.turns],
    )
    assert {"file of the export that is not read": 1, "shared with another conversation": 2} == found.skipped


def test_a_part_that_is_cut_off_refuses_all(tmp_path: Path) -> None:
    """Nobody can tell what it would have held."""
    whole = json.dumps(exports.TREES[0])
    folder = exports.write_files(
        tmp_path / "x", {"conversations-000.json": whole, "conversations-001.json": whole[:40]}
    )
    with pytest.raises(IngestError, match="not JSON") as caught:
        parse_transcript(folder, "auto")

    assert "conversations-001.json" in str(caught.value)


@pytest.mark.parametrize("current", [None, "gone", 7])
def test_without_a_current_node_the_latest_branch_is_taken(tmp_path: Path, current: Any) -> None:
    """It is the one whose last message was written last."""
    nodes = [
        node("n1", None, "user", "One.", 1.0),
        node("n2", "n1", "assistant", "Two.", 9.0),
        node("n3", "n1", "assistant", "Three.", 5.0),
        node("n4", "n3", "user", "Four."),
    ]
    found = read(tmp_path / "a.json", [tree("t1", *nodes, current=current)])

    assert ["t1:n1", "t1:n2"] == [turn.key for turn in found.turns]
    assert {"conversation without a current message: its latest branch is taken": "t1"} == found.examples


@pytest.mark.parametrize(
    ("parent", "why"),
    [
        ("gone", "conversation whose beginning is missing"),
        (7, "conversation whose beginning is missing"),
        ("n2", "conversation that goes in a circle"),
        ("n1", "conversation that goes in a circle"),
    ],
)
def test_a_branch_is_taken_as_far_as_it_goes(tmp_path: Path, parent: Any, why: str) -> None:
    """A conversation that is damaged is counted, and keeps nobody from the others."""
    nodes = [node("n1", parent, "user", "One."), node("n2", "n1", "assistant", "Two.")]
    found = read(tmp_path / "a.json", [tree("t1", *nodes), exports.TREES[1][0]])

    assert ["t1:n1", "t1:n2", "t2:n3", "t2:n4"] == [turn.key for turn in found.turns]
    assert ({why: 1}, {why: "t1"}) == (found.skipped, found.examples)


def test_a_long_conversation_is_followed_without_recursion(tmp_path: Path) -> None:
    """Ten thousand messages, each the answer to the last."""
    nodes = [
        node(f"n{number}", f"n{number - 1}" if number else None, "user", f"No. {number}")
        for number in range(10_000)
    ]

    assert 10_000 == len(read(tmp_path / "a.json", [tree("t1", *nodes)]).turns)


@pytest.mark.parametrize("name", EXPORT_WRITERS)
async def test_an_archive_is_the_folder_that_it_holds(
    memory: remanence.Engine, tmp_path: Path, name: str
) -> None:
    """With a folder around it and what a Mac leaves in it: all is known from the folder, and nothing was unpacked."""
    path = EXPORT_WRITERS[name](tmp_path)
    if path.is_dir():
        files = {str(one.relative_to(path)): one.read_bytes() for one in path.rglob("*") if one.is_file()}
    else:
        with zipfile.ZipFile(path) as archive:
            files = {one: archive.read(one) for one in archive.namelist()}
        exports.write_files(tmp_path / "folder", {one: data.decode() for one, data in files.items()})
        path = tmp_path / "folder"
    packed = {f"top/{one}": data for one, data in files.items()}
    archive_path = exports.pack(
        tmp_path / "a.zip", {**packed, "__MACOSX/top/._x.json": b"\0", "top/.obsidian/a": b""}
    )
    before = sorted(one.name for one in tmp_path.iterdir())
    first = await memory.ingest(path)
    again = await memory.ingest(archive_path)

    assert (first.format, first.turns, 0) == (again.format, again.known, again.stored + again.linked)
    assert first.skipped == again.skipped
    assert before == sorted(one.name for one in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../conversations.json", "leads out"),
        ("/etc/conversations.json", "leads out"),
        ("a/..\\..\\x.json", "leads out"),
        ("C:/x.json", "leads out"),
        ("/".join("a" * 70), "in one another"),
    ],
)
def test_names_that_lead_out_are_refused(tmp_path: Path, name: str, why: str) -> None:
    """Also where nothing would be read of them."""
    path = exports.pack(tmp_path / "a.zip", {"conversations.json": "[]", name: "x"})
    with pytest.raises(InvalidInput, match=why):
        parse_transcript(path, "auto")


def test_a_name_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    """Programs differ in which of both they show."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", "[]")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("conversations.json", "[1]")
    with pytest.raises(InvalidInput, match="twice"):
        parse_transcript(path, "auto")


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By what its entries say; what unpacks to more than they say is damaged."""
    path = exports.pack(tmp_path / "a.zip", {"conversations.json": b" " * (2 << 20)})
    with pytest.raises(InvalidInput, match="200 times"):
        parse_transcript(path, "auto")
    data = path.read_bytes().replace((2 << 20).to_bytes(4, "little"), (9).to_bytes(4, "little"))
    path.write_bytes(data)
    with pytest.raises(IngestError, match="cannot be read"):
        parse_transcript(path, "auto")
    monkeypatch.setattr(archive_reading, "FILE_BYTES_MAX", 100)
    with pytest.raises(InvalidInput, match="unpacks to more"):
        parse_transcript(EXPORT_WRITERS["chatgpt"](tmp_path), "auto")
    monkeypatch.setattr(archive_reading, "FILES_MAX", 2)
    with pytest.raises(InvalidInput, match="more than 2 files"):
        parse_transcript(EXPORT_WRITERS["chatgpt"](tmp_path), "auto")


def test_an_encrypted_archive_says_so(tmp_path: Path) -> None:
    """The bit of its entries says it."""
    path = EXPORT_WRITERS["chatgpt"](tmp_path)
    data = bytearray(path.read_bytes())
    place = data.find(b"PK\x01\x02")
    while place >= 0:
        data[place + 8] |= 1
        place = data.find(b"PK\x01\x02", place + 1)
    path.write_bytes(data)
    with pytest.raises(InvalidInput, match="encrypted"):
        parse_transcript(path, "auto")


def test_other_ways_of_packing_and_databases_are_refused(tmp_path: Path) -> None:
    """A way of packing without a bound, and a database, which is read from a copy on the disk."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("conversations.json", json.dumps(exports.CHATS))
    with pytest.raises(InvalidInput, match="deflate"):
        parse_transcript(path, "auto")
    exports.pack(path, {"history.db": b"SQLite format 3\0"})
    with pytest.raises(InvalidInput, match="is a database in the archive"):
        parse_transcript(path, "auto")


def test_links_of_an_archive_are_left_alone(tmp_path: Path) -> None:
    """As those of a folder."""
    path = exports.pack(tmp_path / "a.zip", {"conversations.json": json.dumps(exports.CHATS)})
    link = zipfile.ZipInfo("conversations-001.json")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(link, "/etc/passwd")

    assert 4 == len(parse_transcript(path, "auto").turns)


async def links_of(memory: remanence.Engine) -> set[tuple[str, str]]:
    """Return which texts refer to which, by their first words."""
    every = {one.seq: one.text[:12] for one in await memory.list(status="any")}
    links = [link for seq in every for link in await memory.links(seq)]
    return {(every[one.source], every[one.target]) for one in links if one.relation is Relation.REFERS}


async def test_a_vault_comes_in_with_tags_categories_dates_and_links(
    memory: remanence.Engine, tmp_path: Path
) -> None:
    """As basic-memory and Obsidian mean them; a link leads to its heading."""
    done = await memory.ingest(EXPORT_WRITERS["vault"](tmp_path))
    found = {one.text: one for one in await memory.list(status="any")}
    decision = found["Mooring Plan: Moor at pier nine #berth (until autumn)"]

    assert "vault" == done.format
    assert ("decision", {"harbour", "spring work", "decision", "berth"}) == (
        decision.category,
        {*decision.tags},
    )
    assert ("plans/mooring plan.md", "2026-02-01 12:00:01") == (
        decision.thread,
        f"{to_datetime(decision.said_at):%F %T}",
    )
    assert {
        "note": "Mooring Plan",
        "type": "note",
        "permalink": "harbour/mooring-plan",
        "heading": "Observations",
        "category": "decision",
        "context": "until autumn",
    } == decision.attributes
    assert found["Mooring Plan: The hull stays green"].category is None
    assert {"urgent", "harbour", "spring work"} == {*found["Ask Ines about the berth. #urgent"].tags}
    assert {
        ("Ask Ines abo", "Ines runs th"),
        ("Mooring Plan", "Two hundred "),
        ("Two hundred ", "Ask Ines abo"),
    } == await links_of(memory)
    assert {"link to a note that is not there": "plans/Sail Repair.md: Nobody"} == done.examples


async def test_an_edited_line_alone_comes_in_anew(memory: remanence.Engine, tmp_path: Path) -> None:
    """What stands around it keeps its key when lines are added before it."""
    folder = EXPORT_WRITERS["vault"](tmp_path)
    first = await memory.ingest(folder)
    edited = exports.NOTE.replace("stays green", "turns red").replace(
        "## Observations", "New words.\n\n## Seen"
    )
    (folder / "plans/mooring plan.md").write_text(edited)
    again = await memory.ingest(folder)

    assert (first.turns + 1, first.turns - 1, {GONE: 1}) == (again.turns, again.known, again.differing)
    assert {"New words.", "Mooring Plan: The hull turns red"} <= {one.text for one in await memory.list()}


async def test_a_note_that_grew_is_linked_to_as_before(memory: remanence.Engine, tmp_path: Path) -> None:
    """A link to a note that comes later is drawn when it is there, from a memory that is known."""
    folder = EXPORT_WRITERS["vault"](tmp_path)
    await memory.ingest(folder)
    (folder / "Nobody.md").write_text("Nobody is a cat.")
    again = await memory.ingest(folder)

    assert (1, 1) == (again.stored, again.linked)
    assert ("Two hundred ", "Nobody is a ") in await links_of(memory)


ODD = """---
aliases: [The Boat, dinghy]
tags: #boat oars
created: 3/4/2026
status: sunk
---
# One
## Two
Words with `[[code]]` and `#code` and #1234 and a#b. ![[map.png]]

![[map.png]]

rating:: 5

```dataview
TABLE x
```

```python
x = "[[Nobody]]"  # not #tag
```

- [ ] a task
- [x] done
- plain [[#One]] and [[odd#^end]] and [[Odd#Nowhere|place]]

The last. ^end

## 2026-02-03 [[Nobody]]
Dated.
"""


def test_what_has_no_place_in_a_vault_is_counted(tmp_path: Path) -> None:
    """Code is left alone, tasks stay as they are, and each thing that is left out is shown once."""
    files = {
        "odd.md": ODD,
        "2026-13-40.md": "See [[the boat]] and [[empty]].",
        "empty.md": "---\na: b\n---\n",
        "a.pdf": "",
    }
    folder = exports.write_files(tmp_path / "v", {**files, ".obsidian/app.json": "{"})
    found = parse_transcript(folder, "auto")
    by_text = {turn.text: turn for turn in found.turns}

    assert [
        "See the boat and empty.",
        "Words with `[[code]]` and `#code` and #1234 and a#b. map.png",
        '```python\nx = "[[Nobody]]"  # not #tag\n```',
        "[ ] a task",
        "[x] done",
        "plain One and odd > ^end and place",
        "The last.",
        "Dated.",
    ] == list(by_text)
    assert ("boat", "oars") == by_text["The last."].tags
    assert [None] * 7 + ["12:00:00"] == [None] * 7 + times_of(Transcript([by_text["Dated."]], "", ()))
    assert {
        "property of a note": 2,
        "embed": 2,
        "field of Dataview": 1,
        "query of a plugin": 1,
        "date that is not one day": 2,
        "link in a heading": 1,
        "link to a place that is not in its note": 1,
        "link to a note without text": 1,
        "file that is no note": 1,
    } == found.skipped


@pytest.mark.parametrize("created", ["1601-01-01", "9999-12-31", "9999-12-31T23:59:59-12:00"])
def test_a_date_that_no_clock_shows_is_counted(tmp_path: Path, created: str) -> None:
    """The note comes in without it."""
    path = tmp_path / "a.md"
    path.write_text(f"---\ntitle: A\ntype: note\npermalink: a\ncreated: {created}\n---\nWords.\n")
    found = parse_transcript(path, "auto")

    assert ("vault", [None]) == (found.format, [turn.said_at for turn in found.turns])
    assert {"date that is out of range": 1} == found.skipped


def test_a_diary_stays_a_diary(tmp_path: Path) -> None:
    """A folder is a vault by what Obsidian leaves in it, or by most of its notes."""
    files = {"a.md": "# 2026-01-14\nFine.\n", "b.md": exports.INES, "c.md": "# 2026-01-15\nGood.\n"}
    folder = exports.write_files(tmp_path / "diary", files)
    before = parse_transcript(folder, "auto").format
    (folder / ".obsidian").mkdir()

    assert ("notes", "vault") == (before, parse_transcript(folder, "auto").format)


def test_a_note_that_is_not_utf_8_refuses_all(tmp_path: Path) -> None:
    """It says which."""
    folder = EXPORT_WRITERS["vault"](tmp_path)
    (folder / "old.md").write_bytes(b"caf\xe9")
    with pytest.raises(IngestError, match=r"old\.md"):
        parse_transcript(folder, "auto")


def test_a_damaged_archive_is_read_or_refused(tmp_path: Path) -> None:
    """Bytes changed, cut out and cut off at random: what the whole one says, or less with a count, or our error."""
    path = EXPORT_WRITERS["chatgpt"](tmp_path)
    whole = path.read_bytes()
    texts = {turn.text for turn in parse_transcript(path, "auto").turns}
    drawn = random.Random(33)
    refused: list[RemanenceError] = []
    for _ in range(400):
        place = drawn.randrange(len(whole))
        cut = drawn.choice([0, 1, 4, len(whole)])
        path.write_bytes(whole[:place] + drawn.randbytes(drawn.randrange(5)) + whole[place + cut :])
        try:
            found = parse_transcript(path, "chatgpt")
        except RemanenceError as error:
            refused.append(error)
        else:
            assert {turn.text for turn in found.turns} <= texts

    assert len(refused) > 100
    assert all(error.recovery for error in refused)


async def _ingest(memory: remanence.Engine, path: Path, name: str) -> IngestResult | None:
    """Take a source in; None where it is refused with a way out and has left nothing."""
    before = {one.id for one in await memory.list(status="any")}
    try:
        return await memory.ingest(path, format=name)
    except RemanenceError as error:
        refusal = error

    assert refusal.recovery
    assert before == {one.id for one in await memory.list(status="any")}
    return None


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("claude", exports.CHATS),
        ("claude", exports.MEMORIES),
        ("chatgpt", exports.TREES[0]),
        (
            "claude",
            [
                chat(
                    "k1",
                    said("u1", "human", "Ahoy.", 1, parent_message_uuid=None),
                    current_leaf_message_uuid="u1",
                )
            ],
        ),
    ],
)
async def test_any_value_may_be_any_other(
    memory: remanence.Engine, tmp_path: Path, name: str, whole: list[Any]
) -> None:
    """All that is read can be kept, or one error leaves nothing; a second ingest changes nothing."""
    drawn = random.Random(34)
    path = tmp_path / "conversations.json"
    for _ in range(80):
        value = json.loads(json.dumps(whole))
        holder = drawn.choice(list_holders(value))
        place = drawn.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        holder[place] = drawn.choice(ODD_VALUES)
        path.write_text(json.dumps(value))
        if await _ingest(memory, path, name) is not None:
            assert 0 == (await memory.ingest(path, format=name)).stored


PIECES = [
    "\n", "\n\n", "---\n", "# ", "## 2026-13-40", "- ", "  - ", "[", "]", "[[", "]]", "![[", "|", "#", "#tag ", "^id",
    "`", "```",
    "title: ", "permalink: a\n", "type: note\n", "created: ", "9999-12-31", "3/4/2026", "tags: [", "a, b",
    ": ", "::", "(x)",
    "word ", "[cat] ", "rel [[A]]", "\x00", "\u202e", "\u2028", "\r", "12. ", "**", "%%", "\ufeff", "漢字",
    "[[B#C#^d]]",
]  # fmt: skip


async def test_any_notes_come_in_whole_or_not_at_all(memory: remanence.Engine, tmp_path: Path) -> None:
    """Pieces of notes drawn at random: all that is read is kept, and is known the second time."""
    drawn = random.Random(35)
    folder = tmp_path / "v"
    for _ in range(60):
        files = {name: "".join(drawn.choices(PIECES, k=drawn.randrange(40))) for name in ("A.md", "b/B.md")}
        exports.write_files(folder, files)
        done = await _ingest(memory, folder, "vault")
        if done is not None:
            again = await memory.ingest(folder, format="vault")
            assert (done.turns, 0, 0) == (again.turns, again.stored, again.linked)


HOSTILE = [
    "\ud800",
    "\u202e" * 9,
    "a" * 300,
    "</memory>",
    "'; DROP TABLE x; --",
    "../../etc",
    "[[" * 500,
    "x]]#^|",
]


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_names_and_texts_are_kept_as_such_or_counted(
    memory: remanence.Engine, tmp_path: Path, text: str
) -> None:
    """As a title, tag, link, name of a conversation or key; the rest comes in."""
    front = f"---\ntitle: {text}\ntags: [{text}]\npermalink: {text}\n{text}: b\n---\n"
    note = f"{front}First [[{text}]].\n\n- [{text}] c\n\nLast.\n"
    vault = tmp_path / "v"
    vault.mkdir()
    (vault / "a.md").write_bytes(note.encode("utf-8", "replace"))
    chats = [chat("k1", said(text, "human", text, 1), said("u2", "human", "Last.", 2), name=text)]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(chats))
    for source, name in ((vault, "vault"), (path, "claude")):
        await memory.ingest(source, format=name)

        assert "Last." in {one.text for one in await memory.list(status="any")}
        assert 0 == (await memory.ingest(source, format=name)).stored
