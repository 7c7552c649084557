"""The example of an agent loop does what it says: it remembers from one process to the next, within its budget."""

import subprocess
import sys
from pathlib import Path

import pytest

import remanence
from examples import agent

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> str:
    """Run the example as a reader would; return what it prints."""
    command = [sys.executable, "-m", "examples.agent", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=True).stdout


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """Let it live two days on one file, each in a process of its own."""
    path = tmp_path_factory.mktemp("agent") / "quill.db"
    return path, run(str(path)), run(str(path))


def test_the_second_run_remembers(told: tuple[Path, str, str]) -> None:
    """What was told, decided and rejected in one process is answered in the next; what nobody told is not made up."""
    _, first, second = told

    assert "Quill begins with 0 memories." in first
    assert 'When does the open day start?\nQuill: "We have decided that the open day' in first
    assert "1911?\nQuill: I do not know; nobody has told me." in first
    assert "Quill begins with 3 memories." in second
    assert 'dry suit need?\nQuill: "Pia is allergic to latex' in second
    assert 'Sunday rejected?\nQuill: "We tried a Sunday' in second


def test_it_leaves_what_it_claims(told: tuple[Path, str, str]) -> None:
    """Decisions are decisions, what helped is rated, sessions have ended, and everything is sound."""
    with remanence.sync.open(told[0]) as memory:
        kept = memory.list()
        state = memory.status()
        sound = [check.ok for check in memory.doctor()]

    assert {"decision": 2, "fact": 1} == state.categories
    assert [1_000, 1_000, 0] == sorted((one.helped for one in kept), reverse=True)
    assert () == tuple(state.sessions)
    assert all(one.session for one in kept)
    assert all(sound)


def test_a_prompt_has_room_for_what_is_recalled(tmp_path: Path) -> None:
    """However much is known, the model is shown no more than the budget."""
    seen = []

    class Watching(agent.Script):
        def reply(self, said: str, recalled: remanence.RecallResult) -> agent.Reply:
            seen.append(recalled)
            return super().reply(said, recalled)

    with remanence.sync.open(tmp_path / "memory.db", embedder="hashed") as memory:
        memory.learn([f"Boat {number} for the open day, and soup." for number in range(200)])
        agent.Agent(memory, Watching()).hear("Mara", "What about the open day?")

    assert 1 < len(seen[0].memories) < 200
    assert seen[0].tokens <= agent.BUDGET


def test_it_runs_without_a_file() -> None:
    """Without a file both days are told, and nothing is left."""
    shown = run()

    assert shown.index("--- The first day") < shown.index("--- The second day") < shown.index("begins with 3")
