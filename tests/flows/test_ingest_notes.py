"""A folder of notes comes in through the public verbs."""

from pathlib import Path

import pytest

import remanence
from remanence.core.errors import IngestError, InvalidInput, NotFound
from remanence.flows.write import source_reading


def write(folder: Path, files: dict[str, str]) -> None:
    """Write some files into a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


async def test_a_folder_comes_in_whole_and_a_second_time_only_what_is_new(
    memory: remanence.Engine, tmp_path: Path
) -> None:
    """Also what lies in folders below; what is hidden, no note or a link is left alone."""
    files = {
        "roof.md": "# 2026-01-14\nThe roof was repaired.\n",
        "2026/2026-02-03.md": "The dentist was kind.\n",
        ".hidden/x.md": "# 2026-01-14\nA secret.\n",
        "list.csv": "a,b",
        "empty.md": "\n",
    }
    write(tmp_path / "diary", files)
    (tmp_path / "diary" / "link.md").symlink_to(tmp_path / "diary" / "roof.md")
    first = await memory.ingest(tmp_path / "diary", trust="user")
    write(tmp_path / "diary", {"roof.md": files["roof.md"] + "\n## 2026-01-15\nIt leaks again.\n"})
    again = await memory.ingest(tmp_path / "diary", trust="user")
    texts = {one.text: (str(one.said_at), one.thread) for one in await memory.list()}

    assert (2, 2, "notes") == (first.turns, first.stored, first.format)
    assert (3, 1, 2) == (again.turns, again.stored, again.known)
    assert {"The roof was repaired.", "The dentist was kind.", "It leaks again."} == {*texts}
    assert "2026/2026-02-03.md" == texts["The dentist was kind."][1]


async def test_a_bad_day_anywhere_stores_nothing(memory: remanence.Engine, tmp_path: Path) -> None:
    """The error names the file and the line; a folder without notes is none."""
    write(tmp_path / "diary", {"a.md": "# 2026-01-14\nFine.\n", "sub/b.md": "# 2026-13-14\nHm.\n"})
    (tmp_path / "bare").mkdir()
    with pytest.raises(IngestError, match="no day") as raised:
        await memory.ingest(tmp_path / "diary")
    with pytest.raises(NotFound, match="no notes in"):
        await memory.ingest(tmp_path / "bare")

    assert "sub/b.md:1" in str(raised.value)
    assert [] == await memory.list()


async def test_a_note_that_cannot_be_read_is_our_error(
    memory: remanence.Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever runs the tests may read everything, so the file refuses; nothing is stored."""
    write(tmp_path / "diary", {"a.md": "# 2026-01-14\nFine.\n"})
    monkeypatch.setattr(source_reading, "read_named", _refuse)
    with pytest.raises(InvalidInput, match=r"cannot read .*a\.md"):
        await memory.ingest(tmp_path / "diary")

    assert [] == await memory.list()


def _refuse(*_: object, **__: object) -> bytes:
    raise PermissionError(13, "Permission denied")
