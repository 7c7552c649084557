"""The table of other engines: what their processes are given and print, and how rows are laid out."""

import sys
from pathlib import Path

import pytest

from benchmarks.peers import table, verbs_table
from benchmarks.peers.notes import Data, Notes, read
from benchmarks.peers.table import ENGINES, Row, markdown

NOTES = Notes(
    items=[("a", "Ann (3 May 2024): the ferry leaves at noon"), ("b", "Bo (4 May 2024): the pier is closed")],
    questions=["When does the ferry leave?", "Is the pier open?", "ferry", "pier", "ferry noon"],
    evidence=[frozenset(name) for name in "ababa"],
)


@pytest.mark.parametrize("name", ["FTS5", "Remanence, given"])
def test_an_engine_is_filled_and_asked_in_processes_of_its_own(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every question that is not for warming up is timed, and what is found is held against the evidence."""
    (engine,) = [engine for engine in ENGINES if engine.name == name]
    monkeypatch.setenv("PYTHONPATH", f"{table.ROOT}:{table.ROOT / 'src'}")
    row = Row()
    table.Bench(engine, Path(sys.executable), Data("two notes", [NOTES], NOTES, NOTES), 60, row).run()

    assert {} == row.stopped
    assert (100.0, "%") == row.figures["R@10"]
    assert {"one by one", "bulk", "settle", "recall at 2", "disk at 2", "R@10"} == row.figures.keys()


def test_an_engine_that_fails_has_no_figures(tmp_path: Path) -> None:
    """Why it stopped stands in the row, and its cells are empty."""
    broken = table.Engine("broken", str(tmp_path / "nothing.py"), "", "pass")
    row = Row()
    table.Bench(broken, Path(sys.executable), Data("two notes", [NOTES], NOTES, NOTES), 60, row).run()

    assert {} == row.figures
    assert {"failed"} == row.stopped.keys()


def test_a_figure_that_an_engine_has_not_is_a_dash() -> None:
    """Columns are those of all rows; small figures keep two decimals, large ones none."""
    rows = {"one": Row({"R@10": (61.26, "%"), "bulk": (1.234, "s")}), "other": Row({"R@10": (100.4, "%")})}

    assert markdown(rows).splitlines() == [
        "| | R@10, % | bulk, s |",
        "|---|---|---|",
        "| one | 61.3 | 1.23 |",
        "| other | 100 | – |",
    ]


def test_made_up_notes_can_be_answered() -> None:
    """Without a data set each question is of words of one text, which is its evidence."""
    data = read(None)
    texts = dict(data.small.items)
    held = [
        set(question.split()) <= set(texts[next(iter(sought))].split())
        for question, sought in zip(data.small.questions, data.small.evidence, strict=True)
    ]

    assert (629, 5_880, True) == (len(data.small.items), len(data.large.items), all(held))


def test_our_verbs_do_each_step_and_leave_nothing_of_a_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every column of the table of verbs is taken, and each step is checked by what the memory then holds."""
    monkeypatch.setenv("PYTHONPATH", str(table.ROOT / "src"))
    (ours,) = [peer for peer in verbs_table.PEERS if not peer.package]
    told = {line["step"]: line for line in verbs_table.run(ours, tmp_path, 60)}

    assert {*verbs_table.COLUMNS, "version", "on disk"} == told.keys()
    assert all(line["is_right"] for line in told.values() if "is_right" in line)
    assert 0 == told["left in the files"]["texts"]
