"""What a source may do to whoever looks into it or takes it in: nothing is shown, computed or lost by its will."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import get_args

import pytest

import remanence
from remanence.core.errors import IngestError
from remanence.core.model import STANDING, Status
from remanence.faces.cli import commands
from remanence.flows.write import source_reading
from remanence.write.transcripts.formats import AUTO, IMPORTERS
from remanence.write.transcripts.long_texts import CUT
from tests.command_line import typed
from tests.importer_sources import HISTORY, at, write_rows

TOKEN = "ghp_aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5"


def mem0(path: Path, *rows: dict[str, object]) -> Path:
    """Write what mem0 answers."""
    path.write_text(json.dumps({"results": list(rows)}))
    return path


@pytest.mark.parametrize("dry_run", [True, False])
async def test_what_is_left_out_is_shown_without_its_secrets(
    memory: remanence.Engine, tmp_path: Path, dry_run: bool
) -> None:
    """Also where it stands at the end of a long line, which is cut behind the screening."""
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "a.md").write_text(
        f"---\napi_key: {TOKEN}\nlong: {'words ' * 16}{TOKEN}\n---\nThe roof is new.\n\nkey:: {TOKEN}\n[[{TOKEN}]]\n"
    )
    result = await memory.ingest(vault, dry_run=dry_run)

    assert result.examples
    assert TOKEN[:12] not in f"{result} {result.to_dict()}"
    assert TOKEN not in str(result.examples)


async def test_every_answer_says_what_was_left_out_by_reason(
    memory: remanence.Engine, tmp_path: Path
) -> None:
    """As an object, printed, as JSON and as a page, of a dry run, an ingest and an audit, and on the command line."""
    path = tmp_path / "talk.jsonl"
    path.write_text(f'{{"text": "The roof is new."}}\n{{"text": "The {TOKEN}"\n{{"{TOKEN}": 1}}\n')
    dry, done, audited = (
        await memory.ingest(path, dry_run=True),
        await memory.ingest(path),
        await remanence.audit(path),
    )
    by_command = [
        typed(verb, str(path), "--db", str(tmp_path / "a.db")).output for verb in ("ingest", "audit")
    ]
    by_json = [json.loads(typed(verb, str(path), "--json").output) for verb in ("audit",)]
    reasons = {"line that is not JSON": 1, "line that is no turn": 1}

    assert [reasons] * 4 == [dry.skipped, done.skipped, audited.skipped, by_json[0]["skipped"]]
    for shown in (str(dry), str(done), str(audited), audited.html(), *by_command):
        assert "left out 1: line that is not JSON (such as line 2: " in shown
        assert "left out 1: line that is no turn (such as line 3: " in shown
        assert TOKEN not in shown
    assert "line 2: " == by_json[0]["examples"]["line that is not JSON"][:8]


async def test_an_error_is_told_without_the_secret_that_stood_there(
    memory: remanence.Engine, tmp_path: Path
) -> None:
    """With its place and way out as they were."""
    path = mem0(tmp_path / "m.json", {"id": "1", "memory": "The roof is new.", "created_at": TOKEN})
    with pytest.raises(IngestError) as told:
        await memory.ingest(path)
    with pytest.raises(IngestError) as audited:
        await remanence.audit(path)

    assert TOKEN not in f"{told.value} {told.value.recovery} {audited.value}"
    assert "[secret: " in str(told.value) and 1 <= told.value.line
    assert told.value.recovery


async def test_an_id_that_looks_like_a_secret_is_hashed(memory: remanence.Engine, tmp_path: Path) -> None:
    """The rest comes in, what names the id finds it, and a second ingest changes nothing."""
    path = tmp_path / "history.db"
    events = (
        ("h1", TOKEN, None, "The boat is red.", "ADD", at(1), at(1), 0, None, None),
        ("h2", TOKEN, "The boat is red.", "The boat is blue.", "UPDATE", at(1), at(2), 0, None, None),
        ("h3", "m2", None, "The roof is new.", "ADD", at(1), at(1), 0, None, None),
    )
    write_rows(path, HISTORY, {"history": list(events)})
    dry, done = await memory.ingest(path, dry_run=True), await memory.ingest(path)
    before = await memory.list(status="any")
    again = await memory.ingest(path)
    texts = {one.text: (one.status, one.key or "") for one in before}

    assert [(3, 1)] * 2 == [(one.stored, one.superseded) for one in (dry, done)]
    assert [2, 2, 2] == [one.hashed for one in (dry, done, again)]
    assert (0, 3, ()) == (again.stored, again.known, again.runs)
    assert before == await memory.list(status="any")
    assert Status.SUPERSEDED is texts["The boat is red."][0]
    assert "sha:" == texts["The boat is blue."][1][:4]
    assert TOKEN not in f"{done} {before}"
    assert "kept as a hash: 2 ids of the source" in str(done)


async def test_a_text_that_is_too_long_comes_in_as_parts(memory: remanence.Engine, tmp_path: Path) -> None:
    """Cut where it pauses, nothing lost, counted, found again by its keys; also where a line of JSON says it."""
    words = [f"Line {number} of the log is of no use.{' ' * (number % 3)}" for number in range(9_000)]
    text = "\n".join(words)
    path = mem0(tmp_path / "m.json", {"id": "m1", "memory": text}, {"id": "m2", "memory": "The roof is new."})
    dry, done = await memory.ingest(path, dry_run=True), await memory.ingest(path)
    parts = [one for one in await memory.list(oldest_first=True) if one.key != "m2"]
    lines = [line for part in parts for line in part.text.split("\n")]

    assert [(5, {CUT: 1}, "m1")] * 2 == [(one.stored, one.skipped, one.examples[CUT]) for one in (dry, done)]
    assert ["m1", "m1#2", "m1#3", "m1#4"] == [one.key for one in parts]
    assert [{"part": f"{number}/4"} for number in range(1, 5)] == [one.attributes for one in parts]
    assert [line.strip() for line in words] == [line.strip() for line in lines]
    assert (0, 5, ()) == ((again := await memory.ingest(path)).stored, again.known, again.runs)
    talk = tmp_path / "talk.jsonl"
    talk.write_text(json.dumps({"text": f"{'x' * 150_000}{TOKEN}", "key": "t"}) + "\n")
    assert 2 == (await memory.ingest(talk)).stored
    talk.write_text(json.dumps({"text": f"{'x' * 150_000}\0"}) + "\n")
    with pytest.raises(IngestError, match="NUL"):
        await memory.ingest(talk)


async def test_what_a_database_computes_is_not_read(memory: remanence.Engine, tmp_path: Path) -> None:
    """A few bytes of it would be gigabytes; what it holds comes in."""
    path = tmp_path / "history.db"
    with closing(sqlite3.connect(path)) as made, made:
        made.execute(HISTORY)
        for number in range(9):
            made.execute(
                "INSERT INTO history (id, memory_id, new_memory, event, created_at) VALUES (?, ?, ?, 'ADD', ?)",
                (f"h{number}", f"m{number}", f"The boat {number} is red.", "2026-01-01T00:00:00+00:00"),
            )
        # Last, as it would be computed for each row that comes in.
        made.execute("ALTER TABLE history ADD COLUMN pad TEXT GENERATED ALWAYS AS (hex(zeroblob(400000000)))")

    assert 9 == (await memory.ingest(path)).stored


async def test_a_table_that_holds_too_much_is_refused_before_all_of_it_is_read(
    memory: remanence.Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit of what is read of a source holds for its rows as well."""
    path = tmp_path / "history.db"
    with closing(sqlite3.connect(path)) as made, made:
        made.execute(HISTORY)
        made.execute(
            "INSERT INTO history (id, memory_id, new_memory, event) VALUES ('h', 'm', 'The boat is red.', 'ADD')"
        )
    monkeypatch.setattr(source_reading, "FILE_BYTES_MAX", 20_000)
    assert 1 == (await memory.ingest(path)).turns
    with closing(sqlite3.connect(path)) as made, made:
        made.execute("UPDATE history SET new_memory = ?", ("red " * 5_100,))
    monkeypatch.setattr(
        source_reading, "_copy_database", lambda path, copy: copy.write_bytes(path.read_bytes())
    )
    with pytest.raises(remanence.InvalidInput, match="holds more than"):
        await memory.ingest(path)


async def test_one_source_forgets_nothing_of_another_that_has_its_key(
    memory: remanence.Engine, tmp_path: Path
) -> None:
    """The key alone does not say that two are the same."""
    (tmp_path / "talk.jsonl").write_text(json.dumps({"key": "m1", "text": "The cat is called Tom."}) + "\n")
    await memory.ingest(tmp_path / "talk.jsonl")
    path = tmp_path / "history.db"
    with closing(sqlite3.connect(path)) as made, made:
        made.execute(HISTORY)
        made.execute(
            "INSERT INTO history (id, memory_id, old_memory, event, created_at, is_deleted)"
            " VALUES ('h1', 'm1', 'Bob likes rum.', 'DELETE', '2026-01-01T00:00:00+00:00', 1)"
        )
    result = await memory.ingest(path)

    assert 0 == result.forgotten
    assert (await memory.get("m1")).status in STANDING


async def test_a_source_without_memories_is_audited(tmp_path: Path) -> None:
    """It holds nothing of any kind."""
    audited = await remanence.audit(mem0(tmp_path / "m.json", {"id": "1", "memory": ""}))

    assert 0 == audited.memories
    assert "0 of 0 would remain" in str(audited)


async def test_what_to_do_next_can_be_typed_as_it_is_told(tmp_path: Path) -> None:
    """With the folder that the source lies in, and its name quoted."""
    path = mem0(tmp_path / "m; id #.json", {"id": "1", "memory": "The roof is new."})

    assert f"remanence ingest '{path}' --dry-run" in str(await remanence.audit(path))


def test_a_dry_run_that_is_refused_leaves_the_last_change_to_be_undone(tmp_path: Path) -> None:
    """It changed nothing, so it is no last command that was refused."""
    path = str(tmp_path / "a.db")
    assert 0 == typed("learn", "The roof is new.", "--db", path).exit_code
    assert 0 != typed("ingest", "no-such-file", "--dry-run", "--db", path).exit_code
    assert 0 == typed("undo", "last", "--db", path).exit_code


def test_the_help_names_every_format() -> None:
    """Those that are built in."""
    parameter = get_args(commands.Format)[1]
    named = str(parameter.help).removesuffix(", or a registered one.").split(", ")

    assert [AUTO, *sorted(IMPORTERS)] == named
