"""What is measured of a memory that is cut: of made-up conversations in the form that anybody can write."""

import json
from pathlib import Path

import pytest

from benchmarks.budget.__main__ import UNCUT, measure, report
from benchmarks.budget.data import read
from benchmarks.budget.engines import Ours
from benchmarks.budget.made import made

TURNS = 40  # of each conversation
CUTS = [
    (policy, per, 0.25)
    for policy in ("keep-value", "random", "episodic-cap")
    for per in ("memories", "words")
] + [("keep-value", "condensed", 0.25)]


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the beginnings of a chat and of an assistant's log as JSON lines."""
    path = tmp_path_factory.mktemp("made") / "made.jsonl"
    every = [list(rows) for _, rows in made()]
    some = [row for rows in (every[0], every[-1]) for row in _beginning(rows)]
    path.write_text("\n".join(map(json.dumps, some)) + "\n", encoding="utf-8")
    return path


def _beginning(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    turns = [row for row in rows if "text" in row][:TURNS]
    names = {str(row["id"]) for row in turns}
    return turns + [row for row in rows if "question" in row and {*row["evidence"]} <= names]  # type: ignore[misc]


def test_lines_are_read_as_conversations(lines: Path) -> None:
    """Each thread is one, in order, with its questions; what is made up is always the same."""
    chat, log = read(lines)
    (first,) = read(None, 1)

    assert ["chat-0", "log-3"] == [chat.name, log.name]
    assert [TURNS, TURNS] == [len(chat.turns), len(log.turns)]
    assert first.turns[:TURNS] == chat.turns
    assert all(one.evidence <= {turn.source for turn in log.turns} for one in log.questions)
    assert {"user", "assistant"} == {turn.role or "user" for turn in log.turns}


def test_an_open_archive_finds_what_a_closed_one_has_lost(
    lines: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No cut keeps more than its share; with the archive open nearly all is found again, where nothing was pruned."""
    data = read(lines)
    adapter = Ours("none")
    report(adapter, measure(adapter, data, CUTS))
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    figures = {(one["name"], one["policy"], one.get("per"), one.get("archive")): one["value"] for one in told}
    stands = {(one["policy"], one["per"]): one["stands"] for one in told if "stands" in one}
    whole = figures["budget.recall@10", UNCUT, None, None]
    found = {
        archive: figures["budget.recall@10", "keep-value", "memories", archive]
        for archive in ("closed", "open")
    }

    assert all(share <= 27 for (_, per), share in stands.items() if per == "memories")
    assert stands["keep-value", "memories"] == pytest.approx(25, abs=2)
    assert stands["keep-value", "words"] < stands["keep-value", "condensed"]
    assert found["closed"] < found["open"] >= 0.95 * whole
    assert (
        figures["budget.kept_evidence", "random", "memories", None]
        < figures["budget.kept_evidence", "keep-value", "memories", None]
    )
    assert figures["budget.kept_recall@10", "keep-value", "words", "open"] == pytest.approx(
        100 * figures["budget.recall@10", "keep-value", "words", "open"] / whole, abs=0.01
    )
