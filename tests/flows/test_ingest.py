"""A file of conversation comes in whole, once, or not at all, on both stores."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import IngestError, NameUnknown, NotFound

SAID = [
    {"text": "High tide is at nine.", "speaker": "Ines", "thread": "harbour"},
    {"text": "Thanks, that is all.", "speaker": "Ines", "thread": "harbour"},
    {"text": "Paint the red buoy.", "category": "task", "state": "pending"},
    {
        "text": "Thanks, that is all.",
        "speaker": "Ines",
        "thread": "harbour",
        "said_at": "2026-01-02T09:00:00Z",
    },
]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write rows as lines of JSON."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


async def counts(memory: remanence.Engine) -> Mapping[str, Any]:
    """Return what there is, by number and by how often it was confirmed and whence it came."""
    found = await memory.list(status="any")
    return {one.text: (one.confirmations, one.sources, one.revision, one.touched) for one in found}


async def test_a_second_ingest_changes_nothing(memory: remanence.Engine, tmp_path: Path) -> None:
    """All turns are known the second time, those too that were repeats the first time."""
    file = written(tmp_path / "talk.jsonl", SAID)
    first = await memory.ingest(file)
    before = await counts(memory)
    second = await memory.ingest(file)

    assert (4, 3, 1, 0, ("harbour",)) == (
        first.turns,
        first.stored,
        first.confirmed,
        first.known,
        first.threads,
    )
    assert (4, 0, 0, 4) == (second.turns, second.stored, second.confirmed, second.known)
    assert before == await counts(memory)


async def test_a_file_that_grew_brings_what_is_new(memory: remanence.Engine, tmp_path: Path) -> None:
    """Old lines are known, new ones are stored, and a new repeat confirms."""
    file = written(tmp_path / "talk.jsonl", SAID)
    await memory.ingest(file)
    grown = await memory.ingest(written(file, [*SAID, SAID[1], {"text": "Low tide is at three."}]))

    assert (1, 1, 4) == (grown.stored, grown.confirmed, grown.known)
    assert 2 == (await counts(memory))["Thanks, that is all."][0]


@pytest.mark.parametrize(
    "wrong",
    [{"text": "Mast.", "category": "tusk"}, {"text": "Mast.", "category": "task", "state": "done-ish"}],
)
async def test_a_file_that_names_what_no_policy_has_leaves_nothing(
    memory: remanence.Engine, tmp_path: Path, wrong: dict[str, Any]
) -> None:
    """In one line at the end, and no line is taken in."""
    with pytest.raises(NameUnknown):
        await memory.ingest(written(tmp_path / "talk.jsonl", [*SAID, wrong]))

    assert {} == await counts(memory)


async def test_an_old_conversation_keeps_its_times(
    memory: remanence.Engine, tmp_path: Path, clock: ManualClock
) -> None:
    """When it was said is what the file says; when it was learned is now."""
    await memory.ingest(
        written(tmp_path / "talk.jsonl", [{"text": "Ahoy.", "said_at": "2023-05-08T12:00:00+02:00"}])
    )
    (found,) = await memory.list(status="any")

    assert 1_683_540_000_000_000 == found.said_at
    assert clock.now() == found.learned_at


async def test_what_cannot_be_read_is_said(memory: remanence.Engine, tmp_path: Path) -> None:
    """A missing file and a folder without notes are errors with a way out."""
    with pytest.raises(NotFound, match=r"no file .*gone\.jsonl"):
        await memory.ingest(tmp_path / "gone.jsonl")
    with pytest.raises(NotFound, match="no notes in"):
        await memory.ingest(tmp_path)


async def test_of_an_export_it_is_said_what_takes_it(memory: remanence.Engine, tmp_path: Path) -> None:
    """An export is no file of turns: `import` brings it whole."""
    await memory.learn("High tide is at nine.")
    path = tmp_path / "export.jsonl"
    path.write_bytes(b"".join([line async for line in memory.export()]))
    with pytest.raises(IngestError, match="an export of a memory") as refused:
        await memory.ingest(path)

    assert "import it: remanence import FILE" == refused.value.recovery


async def test_progress_is_told(memory: remanence.Engine, tmp_path: Path) -> None:
    """Whoever waits hears how many of the turns are in, and how many of what waits are active; one is a repeat."""
    heard: list[tuple[int, int]] = []

    def hear(done: int, of: int) -> None:
        heard.append((done, of))

    await memory.ingest(written(tmp_path / "talk.jsonl", SAID), progress=hear)
    await memory.consolidate(progress=hear)

    assert [(0, 4), (4, 4), (0, 3), (3, 3)] == heard
