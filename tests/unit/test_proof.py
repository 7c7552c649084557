"""What is published of measurements: cases that others wrote without their texts, and the tables of the page."""

import json
import lzma
from pathlib import Path

import pytest

from tools import proof


def write_results(path: Path, suite: str) -> None:
    """Write results of two cases, one of which failed."""
    case = {"unit": "adv_swap_01", "kind": "swap_names", "name": "adv_swap_01"}
    lines = [
        {"lifebench": 1, "adapter": "fts5", "suite": suite},
        {**case, "column": "final query", "verdict": "passed", "why": ""},
        {**case, "column": "probed", "verdict": "failed", "why": "still there ['a text of theirs']"},
        {"unit": "adv_swap_01", "end": True},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_cases_of_others_are_published_without_their_texts(tmp_path: Path) -> None:
    """Of ForgetEval-Adv the reason goes, which quotes; of our own suites every line is published as it is."""
    theirs, ours = tmp_path / "theirs.jsonl", tmp_path / "ours.jsonl"
    write_results(theirs, "forgeteval")
    write_results(ours, "months")

    assert ours.read_bytes().splitlines() == proof.read_publishable(ours)
    lines = proof.read_publishable(theirs)
    assert b"a text of theirs" not in b"".join(lines)
    assert {"unit", "kind", "name", "column", "verdict"} == set(json.loads(lines[2]))


def test_no_published_case_of_others_has_a_text() -> None:
    """A line has an id, a kind and an outcome, and each system has all cases by both scorers."""
    files = list(proof.PUBLISHED.glob("*-forgeteval-*.xz"))
    assert len(proof.SYSTEMS) == len(files)
    for file in files:
        _, *lines = map(json.loads, lzma.decompress(file.read_bytes()).splitlines())
        assert {"unit", "column", "kind", "name", "verdict", "end"} == {
            name for line in lines for name in line
        }
        assert 2 * 385 == sum("verdict" in line for line in lines)


def test_a_suite_without_its_cases_is_skipped_and_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its folder it is run."""
    assert list(proof.SUITES) == proof.list_suites(tmp_path / "none")
    assert "ForgetEval-Adv is skipped: there is no folder" in capsys.readouterr().err
    assert ("forgeteval", "--cases", str(tmp_path)) == proof.list_suites(tmp_path)[-1]
    assert not capsys.readouterr().err


def test_the_table_counts_what_passed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By each scorer, and by kind for the one that probes; other tables of the page stay."""
    write_results(tmp_path / "results.jsonl", "forgeteval")
    file = tmp_path / "fts5-forgeteval-seed1.jsonl.xz"
    file.write_bytes(lzma.compress((tmp_path / "results.jsonl").read_bytes()))
    monkeypatch.setattr(proof, "PUBLISHED", tmp_path)

    table = proof.draw_forgeteval()

    assert ["| | of | FTS5 |", "|---|---|---|"] == table.splitlines()[:2]
    assert ["| final query | 1 | 1 |", "| probed | 1 | 0 |", "| swap names | 1 | 0 |"] == table.splitlines()[
        2:
    ]
    page = "<!-- months -->\n| a |\n<!-- end -->\n<!-- forgeteval -->\n| b |\n<!-- end -->\nend"
    assert page.replace("| b |", "| c |") == proof.replace_table(page, "forgeteval", "| c |")
