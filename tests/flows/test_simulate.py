"""The simulated fleet and its checker: what is met is met for a reason, and each planted fault is noticed."""

import ast
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from benchmarks.simulate import __main__ as simulate
from benchmarks.simulate import checker
from benchmarks.simulate.__main__ import Asked
from benchmarks.simulate.checker import SAYS
from benchmarks.simulate.sabotage import FAULTS
from remanence.core.model import Reason, Relation, Status, Tier

# How many days a fault needs to show, with one agent or more.
DAYS = {"E2": 2, "E3": 9, "E4": 16, "E11": 2, "E12": 4}
AGENTS = {"E12": 3}
QUICK = ("E5",)


async def printed(
    folder: Path, capsys: pytest.CaptureFixture[str], asked: Asked
) -> dict[str, dict[str, Any]]:
    """Simulate, and return the figures by name."""
    await simulate.measured(folder, asked)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return {line["name"].removeprefix("simulate."): line for line in lines}


async def test_a_short_simulation_meets_all_criteria(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each was looked at, and what was said is what the design asks for."""
    figures = await printed(tmp_path, capsys, Asked(agents=1, days=1))

    assert (len(SAYS), []) == (figures["criteria_met"]["value"], figures["criteria_met"]["missed"])
    assert {name: figures["said"][name] for name in ("notices", "sessions", "tasks", "entries", "recalls")} == {
        "notices": 20, "sessions": 4, "tasks": 5, "entries": 10, "recalls": 20,
    }  # fmt: skip


@pytest.mark.parametrize(
    "name", [one if one in QUICK else pytest.param(one, marks=pytest.mark.deep) for one in SAYS]
)
async def test_a_planted_fault_is_noticed(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The criterion that it concerns is missed, and fewer are met."""
    figures = await printed(
        tmp_path, capsys, Asked(agents=AGENTS.get(name, 1), days=DAYS.get(name, 1), sabotage=name)
    )

    assert figures["criteria_met"]["value"] < len(SAYS)
    assert name in figures["criteria_met"]["missed"]
    assert figures[name]["looks"]


@pytest.mark.deep
async def test_a_jumping_clock_ends_as_the_grid_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Seven days by beats at which something is due, and by every beat of five minutes: the same rows."""
    held = []
    for grid in (False, True):
        folder = tmp_path / str(grid)
        folder.mkdir()
        await printed(folder, capsys, Asked(agents=1, days=7, grid=grid))
        held.append(_held(folder / "fleet.db"))

    assert held[0] == held[1]


@pytest.mark.deep
async def test_a_year_meets_all_criteria(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of one agent."""
    figures = await printed(tmp_path, capsys, Asked(agents=1, days=365))

    assert [] == figures["criteria_met"]["missed"]


def test_the_checker_knows_no_planner() -> None:
    """It imports nothing of the package."""
    tree = ast.parse(Path(checker.__file__).read_text())
    modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names}

    assert not [one for one in modules if one.partition(".")[0] in ("remanence", "benchmarks")]


def test_the_checker_reads_what_the_file_means() -> None:
    """The numbers that it has of its own are those of the file's labels."""
    assert [checker.INBOX, checker.ACTIVE, checker.SUPERSEDED, checker.ARCHIVED, checker.PRUNED] == [
        Status.INBOX, Status.ACTIVE, Status.SUPERSEDED, Status.ARCHIVED, Status.PRUNED,
    ]  # fmt: skip
    assert [checker.HOT, checker.WARM, checker.COLD] == [Tier.HOT, Tier.WARM, Tier.COLD]
    assert (checker.MERGED, checker.LEARNED_FROM) == (Reason.MERGED, Relation.LEARNED_FROM)
    assert FAULTS.keys() == SAYS.keys()


def _held(path: Path) -> dict[str, list[Any]]:
    """Return what memories are by key: ids and run numbers are drawn anew each time."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT key, text, status, status_at, tier, tier_at, state, reason, uses, tokens"
            " FROM states JOIN memories USING (seq) ORDER BY seq"
        ).fetchall()
        tags = connection.execute(
            "SELECT seq, name FROM tags JOIN names ON no = tag ORDER BY 1, 2"
        ).fetchall()
        links = connection.execute(
            "SELECT source, target, relation, count FROM links ORDER BY 1, 2, 3"
        ).fetchall()
    return {"memories": rows, "tags": tags, "links": links}
