"""People read and type short ids: every face names a memory by its number, and counts what was left out."""

import asyncio
from pathlib import Path

import pytest

import remanence
from tests.command_line import typed

KEPT = 7
POLICY = """\
version = 1
name = "all"
[[rule]]
name = "away"
every = "deep"
phase = "expire"
where = "status == 'active'"
do = "archive"
because = "nothing stays"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with ten memories about a gate."""

    async def fill() -> None:
        async with remanence.open(tmp_path / "m.db") as memory:
            await memory.learn(
                [f"Gate {number} of the long north pier shuts at six." for number in range(10)]
            )
            await memory.consolidate()

    asyncio.run(fill())
    return tmp_path / "m.db"


def test_what_a_recall_left_out_is_counted(path: Path) -> None:
    """One line says how many; which they were is said where somebody asks why, by short id."""
    words = ("recall", "the gate of the north pier", "--budget", "60", "--db", str(path))
    plain, why = typed(*words).stdout.splitlines(), typed(*words, "--why").stdout.splitlines()

    (count,) = (line for line in plain if "left out" in line)
    assert count.endswith(" by the budget")
    assert 2 < len([line for line in why if "left out #" in line])
    assert not any(len(word) == 32 for line in (*plain, *why) for word in line.split())


def test_what_a_plan_left_out_is_counted_by_reason(path: Path, tmp_path: Path) -> None:
    """A line a reason with the first names; a single one stands as it is, and --json has each."""
    rules, kept, db = tmp_path / "all.toml", tmp_path / "plan.json", ("--db", str(path))
    rules.write_text(POLICY)
    typed("plan", "--policy", str(rules), "-o", str(kept), *db)
    assert 0 == typed("pin", *map(str, range(1, KEPT + 1)), *db).exit_code
    typed("hold", "8", "audit", *db)
    done = typed("apply", str(kept), "--policy", str(rules), *db).stdout.splitlines()

    assert [
        f"  left out {KEPT}: #1, #2, #3, #4, #5, …: protected: pinned",
        "  left out: #8: protected: held",
    ] == [line for line in done if "left out" in line]


async def test_a_refusal_names_a_memory_as_people_do(path: Path) -> None:
    """What is protected, held or fallen is named by its number, and the way out can be typed as it stands."""
    async with remanence.open(path) as memory:
        await memory.pin(3)
        with pytest.raises(remanence.Protected, match="memory #3 is protected: pinned"):
            await memory.forget(3)
        await memory.forget(4)
        with pytest.raises(remanence.InvalidInput) as refused:
            await memory.correct(4, "The gate is gone.")

        assert "memory #4 is pruned" in str(refused.value)
        assert refused.value.recovery.endswith("restore 4")
