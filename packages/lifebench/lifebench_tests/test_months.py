"""The suite of months: what passes it, and that each bug fails the column that is there for it."""

import re
from collections import Counter
from pathlib import Path

import pytest

import lifebench
from lifebench.cases import Case
from lifebench.check import COLUMNS

from .conftest import HERE, Run

ORACLE = str(HERE / "oracle.py")
DEGENERATE = ("everything", "newest", "amnesia", "silence")


def list_failures(units: dict[str, list[Case]]) -> dict[str, Case]:
    """Return a failure of each column that has one."""
    return {case.column: case for cases in units.values() for case in cases if case.verdict == "failed"}


def test_a_right_memory_passes_every_column(run: Run) -> None:
    """Every check can be passed, and each column has cases."""
    units = run(ORACLE, "months", "--days", "60", "--turns", "6")

    assert {} == list_failures(units)
    assert set(COLUMNS) == {case.column for cases in units.values() for case in cases}


@pytest.mark.parametrize(
    ("bug", "columns"),
    [
        ("keeps old", {"current"}),
        ("oldest first", {"said change"}),
        ("obeys anybody", {"outside"}),
        ("lies", {"forgotten", "undo"}),
        ("first hit", {"forgotten", "current"}),
        ("forgets all", {"forgotten", "found", "not pruned"}),
        ("comes back", {"back", "bytes"}),
        ("keeps bytes", {"bytes"}),
        ("merges", {"found"}),
        ("prunes", {"not pruned", "not merged", "found"}),
        ("undoes nothing", {"undo"}),
        ("over budget", {"budget"}),
    ],
)
def test_each_bug_fails_its_column(run: Run, bug: str, columns: set[str]) -> None:
    """A memory with one bug fails the columns that are there for it."""
    failed = list_failures(run(f"{ORACLE}:{bug}", "months", "--days", "60", "--turns", "6"))

    assert columns <= set(failed)


@pytest.mark.parametrize("bug", ["keeps old", "keeps bytes", "over budget"])
def test_a_bug_fails_nothing_else(run: Run, bug: str) -> None:
    """What a column judges is not judged by others."""
    failed = list_failures(run(f"{ORACLE}:{bug}", "months", "--days", "60", "--turns", "6"))

    assert 1 == len(failed)


@pytest.mark.parametrize("variant", DEGENERATE)
def test_a_degenerate_memory_fails_by_far(run: Run, variant: str) -> None:
    """What is no memory fails most checks of at least two columns: no absence is credited without a presence."""
    counts: Counter[tuple[str, str]] = Counter()
    for case in run(f"degenerate:{variant}", "months", "--days", "45")["world 1"]:
        counts[case.column, case.verdict] += 1

    assert 2 <= sum(counts[column, "failed"] > counts[column, "passed"] for column in COLUMNS)
    assert counts["found", "failed"] > counts["found", "passed"]


@pytest.mark.parametrize(
    ("memory", "why"),
    [
        (f"{ORACLE}:forgets all", "the control is gone too"),
        ("degenerate:silence", "not found before the order"),
        ("degenerate:newest", "not found before the order"),
    ],
)
def test_no_absence_counts_without_a_presence(run: Run, memory: str, why: str) -> None:
    """What is gone because all is gone, or because it never was there, is not forgotten."""
    cases = [case for case in run(memory, "months", "--days", "45")["world 1"] if case.column == "forgotten"]

    assert any(case.why.startswith(why) for case in cases)
    assert all(case.verdict == "failed" for case in cases if case.why.startswith(why))
    assert memory == "degenerate:newest" or {"failed"} == {case.verdict for case in cases}


@pytest.mark.parametrize(("facts", "found"), [("0", 0), ("1", 1)])
def test_a_world_of_no_fact_or_one(run: Run, facts: str, found: int) -> None:
    """A world with nothing to know has no case of knowing; a world of one fact has one."""
    (cases,) = run(ORACLE, "months", "--days", "2", "--facts", facts).values()

    assert found == sum(case.column == "found" for case in cases)
    assert {} == list_failures({"world": cases})


def test_what_a_system_lacks_is_neither_passed_nor_failed(run: Run) -> None:
    """An order that the system has no call for is unsupported."""
    units = run("fts5", "months", "--days", "30")

    assert {"unsupported"} == {case.verdict for case in units["world 1"] if case.column == "undo"}


def test_every_adapter_is_short() -> None:
    """An adapter is one file of at most 150 lines."""
    files = list((HERE.parent / "src" / "lifebench" / "adapters").glob("*.py"))

    assert 7 < len(files)
    assert [] == [path.name for path in files if len(Path(path).read_text().splitlines()) > 150]


def test_the_example_of_the_readme_runs(run: Run, tmp_path: Path) -> None:
    """The adapter that the page shows is whole, and what the page says of it is so."""
    text = (HERE.parent / "README.md").read_text()
    (tmp_path / "mine.py").write_text(text.partition("```python\n")[2].partition("```")[0])
    verdicts = Counter(
        (case.column, case.verdict)
        for case in run(str(tmp_path / "mine.py"), "months", "--days", "31")["world 1"]
    )

    assert verdicts["forgotten", "passed"]
    assert verdicts["undo", "unsupported"]
    assert verdicts["not pruned", "failed"] > verdicts["not pruned", "passed"]


def test_bytes_of_files_that_cannot_be_read_prove_nothing(run: Run, tmp_path: Path) -> None:
    """What compresses its files passes no check of bytes, whether it erases or not."""
    adapter = tmp_path / "squeezed.py"
    source = (Path(lifebench.__file__).parent / "adapters" / "fts5.py").read_text(encoding="utf-8")
    squeezed = """
    def close(self) -> None:
        pass

    def settle(self) -> None:
        import zlib
        from pathlib import Path
        rows = repr(self._db.execute("SELECT * FROM t").fetchall())
        Path(self._folder, "squeezed").write_bytes(zlib.compress(rows.encode()))
"""
    source = source.replace('f"{folder}/fts5.db"', '":memory:"').replace(
        "self._db = ", "self._folder = folder\n        self._db = "
    )
    adapter.write_text(
        re.sub(r"\n    def close.*?\n\n", squeezed + "\n", source, flags=re.DOTALL), encoding="utf-8"
    )
    cases = [one for unit in run(str(adapter), "months", "--days", "29").values() for one in unit]

    assert {"unsupported"} == {one.verdict for one in cases if one.column == "bytes"}
