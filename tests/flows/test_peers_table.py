"""The table of other memories: what their processes are asked, what is counted, and how rows are laid out."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

import lifebench
from benchmarks.peers.notes import Data, Notes, read
from benchmarks.peers.systems import SYSTEMS, System
from benchmarks.peers.table import Bench, Life, Row, TooSlow, choose_changes, markdown

NOTES = Notes(
    items=[("a", "Ann (3 May 2024): the ferry leaves at noon"), ("b", "Bo (4 May 2024): the pier is closed")],
    questions=["When does the ferry leave?", "Is the pier open?"],
    evidence=[frozenset("a"), frozenset("b")],
)
MORE = replace(NOTES, items=[*NOTES.items, ("c", "Cy (5 May 2024): the gulls are loud")])
DATA = Data("two and three notes", [NOTES], NOTES, MORE)
FIGURES = {
    *("found in 10", "learn, of 2", "recall, of 2", "learn, of 3", "recall, of 3"),
    *("start", "settle", "disk", "supersede", "forget", "erase"),
}


class HereSystem(System):
    """A system that is installed for the Python of the tests."""

    def make_environment(self, folder: Path) -> Path:
        """Make nothing."""
        return Path(sys.executable)


def measure(adapter: str, tmp_path: Path) -> Row:
    """Measure a system on a few notes."""
    row = Row()
    Bench("it", HereSystem(adapter), tmp_path, 60, row).measure(DATA, is_first=True)
    return row


@pytest.mark.parametrize("adapter", ["fts5", "remanence:given"])
def test_a_system_is_filled_asked_and_changed(adapter: str, tmp_path: Path) -> None:
    """All calls are measured, and rows are held against the evidence by their texts."""
    row = measure(adapter, tmp_path)
    figures = {name: values for (name, _), values in row.figures.items()}

    assert {} == row.stopped
    assert FIGURES == figures.keys()
    assert [100.0] == figures["found in 10"]


def test_a_call_that_a_system_lacks_has_no_figure(tmp_path: Path) -> None:
    """A system that answers nothing finds nothing, and a call that it has is measured."""
    (tmp_path / "mute.py").write_text(
        "from lifebench.adapter import Adapter\n"
        "class Memory(Adapter):\n"
        "    def open(self, folder): pass\n"
        "    def write(self, **given): pass\n"
        "    def rows(self, **given): return []\n"
    )
    figures = {
        name: values for (name, _), values in measure(str(tmp_path / "mute.py"), tmp_path).figures.items()
    }

    assert {"supersede", "forget", "erase"} == FIGURES - figures.keys()
    assert [0.0] == figures["found in 10"]


def test_a_system_that_stops_says_where(tmp_path: Path) -> None:
    """A fault is told for each store, and no share of the evidence is."""
    (tmp_path / "broken.py").write_text("import nowhere_to_be_found\n")
    broken = measure(str(tmp_path / "broken.py"), tmp_path)

    assert {"2 texts", "3 texts"} == broken.stopped.keys()
    assert "nowhere_to_be_found" in broken.stopped["2 texts"]
    assert {} == broken.figures


def test_a_system_that_is_too_slow_is_given_up(tmp_path: Path) -> None:
    """After the end of its time no more calls are made, and it says in which call that was."""
    NOTES.write_vectors(tmp_path / "vectors")
    with HereSystem("fts5").start(tmp_path, 60) as memory, pytest.raises(TooSlow, match="write 1 of 2"):
        Life(memory, NOTES, 0.0, Row()).live(str(tmp_path / "vectors"), {})


def test_each_change_names_texts_of_its_own() -> None:
    """What is forgotten was not replaced before."""
    changes = choose_changes(read(None).large)
    queries = [one["query"] for given in changes.values() for one in given]

    assert 60 == len(set(queries)) == len(queries)


def test_the_table_has_medians_and_dashes() -> None:
    """Columns are those of all rows; small figures keep two decimals, large ones none."""
    rows = {
        "one": Row({("found", "%"): [60.0, 61.26, 90.0], ("start", "s"): [1.234]}),
        "other": Row({("found", "%"): [100.4]}),
    }

    assert markdown(rows).splitlines() == [
        "| | found, % | start, s |",
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


def test_every_adapter_is_in_the_table() -> None:
    """An adapter that comes with lifebench is compared, or is no memory."""
    files = (Path(lifebench.__file__).parent / "adapters").glob("[!_]*.py")
    named = {system.adapter.partition(":")[0] for system in SYSTEMS.values()}

    assert {path.stem for path in files} - {"degenerate"} == named
