"""What `doctor` calls damaged it also tells a way out of, and the way leads to a sound file."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import remanence.sync
from remanence.store.base import GO_BACK, Check
from tests.command_line import typed

# One for each check that a file can fail without another program's hand in its tables' shape.
DAMAGE = {
    "rows": "UPDATE memories SET text = 'Ferry 7 never leaves.' WHERE seq = 7",
    "references": "DELETE FROM states WHERE seq = 7",
    "sums": "UPDATE states SET uses = uses + 1 WHERE seq = 7",
    "audit": "UPDATE runs SET at = at - 1 WHERE position = 2",
    "full text": "DELETE FROM waiting",
}


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A database of some memories."""
    path = tmp_path_factory.mktemp("content") / "a.db"
    with remanence.sync.open(path, embedder="hashed") as memory:
        for number in range(12):
            memory.learn(f"Ferry {number} leaves at nine.")
    return path.read_bytes()


def damage(path: Path, content: bytes, statement: str) -> None:
    """Make a database, and let another program change it."""
    path.write_bytes(content)
    path.chmod(0o600)
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA foreign_keys = OFF")
        assert other.execute(statement).rowcount
        other.commit()


@pytest.mark.parametrize("name", DAMAGE)
def test_each_damage_has_a_way_out(name: str, content: bytes, tmp_path: Path) -> None:
    """Every check that fails has advice, in Python and on the command line."""
    damage(tmp_path / "a.db", content, DAMAGE[name])
    with remanence.sync.open(tmp_path / "a.db", embedder="hashed") as memory:
        found = [check for check in memory.doctor() if not check.ok]
    shown = typed("--db", str(tmp_path / "a.db"), "--embedder", "hashed", "doctor")

    assert name in {check.name for check in found}
    assert [] == [check.name for check in found if "export" not in check.advice]
    damaged = [line for line in shown.output.splitlines() if "DAMAGED" in line]
    assert len(damaged) >= 1
    assert [] == [line for line in damaged if "export" not in line]
    assert 1 == shown.exit_code


@pytest.mark.parametrize("name", ["rows", "sums", "audit", "full text"])
def test_the_way_out_leads_to_a_sound_file(name: str, content: bytes, tmp_path: Path) -> None:
    """What can be read is exported and taken into a new file, all memories of it."""
    damage(tmp_path / "a.db", content, DAMAGE[name])
    out, new = str(tmp_path / "out.jsonl"), str(tmp_path / "new.db")
    for words in (
        ("--db", str(tmp_path / "a.db"), "export", out),
        # Of a text that is not what was written the import says that it was edited, and names this option.
        ("--db", new, "import", out, "--trust", "user", *["--edited"] * (name == "rows")),
        ("--db", new, "doctor"),
    ):
        done = typed("--embedder", "hashed", *words)
        assert 0 == done.exit_code, done.output
    with remanence.sync.open(new, embedder="hashed") as memory:
        assert 12 == len(memory.list(limit=100))


def test_damage_without_advice_of_its_own_has_the_common_one() -> None:
    """So has a check of a store that somebody else wrote; what is sound says nothing."""
    assert [GO_BACK, "mend it", ""] == [
        Check("a", ok=False, detail="x").advice,
        Check("a", ok=False, detail="x", advice="mend it").advice,
        Check("a", ok=True, detail="x").advice,
    ]
