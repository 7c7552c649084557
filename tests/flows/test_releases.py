"""What a release wrote is read by every later version, as the page on stability promises."""

import json
import lzma
from pathlib import Path

import pytest

import remanence
from tests import ROOT
from tests.flows.upgrades import opened

RELEASES = sorted((ROOT / "tests" / "releases").iterdir())


async def _read(memory: remanence.Engine) -> list[list[object]]:
    return sorted(
        [one.id, one.text, one.status.label, list(one.tags)] for one in await memory.list(limit=1_000)
    )


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: str(release.name))
async def test_a_file_of_a_release_is_opened(release: Path, tmp_path: Path) -> None:
    """With its memories, sound, and with a run that can be undone."""
    path = tmp_path / "memory.db"
    path.write_bytes(lzma.decompress((release / "memory.db.xz").read_bytes()))
    async with opened(path) as memory:
        held = await _read(memory)
        unsound = [one for one in await memory.doctor() if not one.ok]
        (edit,) = await memory.history(limit=1, verb="update")
        await memory.undo(edit.run)
        undone = [one.text for one in await memory.list(limit=1_000) if "ferry" in one.text]

    assert (json.loads((release / "held.json").read_text()), []) == (held, unsound)
    assert ["The ferry leaves at noon."] == undone


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: str(release.name))
async def test_an_export_of_a_release_is_imported(release: Path, tmp_path: Path) -> None:
    """All its memories, by the same ids."""
    lines = lzma.decompress((release / "work.jsonl.xz").read_bytes()).splitlines()
    async with opened(tmp_path / "memory.db") as memory:
        await memory.import_(lines, trust="user")
        held = await _read(memory)

    assert json.loads((release / "held.json").read_text()) == held
