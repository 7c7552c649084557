"""Adapters that misbehave: what each comes to, and that nothing of it is left."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lifebench.cli import main
from lifebench.runner import AdapterFault, MachineFault, Sandbox
from lifebench.session import GaveUp, Session

from .conftest import HERE, Run

HOSTILE = str(HERE / "hostile.py")
Start = Callable[..., Sandbox]
ABOUT = {"text": "The boat is called Otter.", "scope": "main", "by": "user", "source": ""}


def open_and_write(sandbox: Sandbox) -> None:
    """Open the memory and write a text."""
    sandbox.call("open", folder=str(sandbox.root / "memory"))
    sandbox.call("write", **ABOUT)


@pytest.mark.parametrize(
    ("variant", "why"),
    [("hangs", "hung in `write`"), ("ends", "died in `write`"), ("exits", "died in `write`")],
)
def test_a_call_that_does_not_come_back_is_a_fault(start: Start, variant: str, why: str) -> None:
    """A call that hangs is ended after its time, and one whose process ended is told apart from it."""
    with pytest.raises(AdapterFault, match=why):
        open_and_write(start(variant, 2.0 if variant == "hangs" else 20.0))


@pytest.mark.parametrize("variant", ["prints", "closes_output", "forks"])
def test_prints_and_forks_do_no_harm(start: Start, variant: str) -> None:
    """Answers go through a pipe of their own, and a child that comes back to the loop answers nothing."""
    sandbox = start(variant)
    open_and_write(sandbox)
    sandbox.call("write", **ABOUT)

    assert [ABOUT["text"]] * 2 == sandbox.call("rows", question="boat", limit=5, scope="main")


def test_children_are_ended(start: Start) -> None:
    """A child that left the session of its parent is found and ended."""
    sandbox = start("leaves_children")
    open_and_write(sandbox)
    sandbox.stop()

    assert 1 == sandbox.left_processes
    assert [] == sandbox._find_marked()


def test_the_work_of_children_is_counted(start: Start) -> None:
    """The CPU time of a memory is that of all processes that it started."""
    sandbox = start("works_in_child")
    open_and_write(sandbox)

    assert sandbox.cpu_s() >= 0.3


def test_what_is_written_elsewhere_is_found(start: Start) -> None:
    """Home, working and temporary folder lie in the sandbox, so a file there is seen and searched."""
    sandbox = start("writes_elsewhere")
    open_and_write(sandbox)
    sandbox.stop()

    assert ["home/notes.txt"] == sandbox.stray_files()
    assert {"Mine"} == sandbox.find_bytes(["Mine", "Otter"])


@pytest.mark.parametrize("variant", ["says_nothing", "says_number", "says_object"])
def test_an_answer_of_another_type_is_a_fault(start: Start, variant: str) -> None:
    """Rows are texts: anything else is no answer."""
    session = Session(start(variant), 0.0)
    session.open()

    with pytest.raises(AdapterFault):
        session.rows("boat", 5)


def test_a_full_disk_says_nothing_about_the_system(start: Start) -> None:
    """The machine's fault stops the run."""
    with pytest.raises(MachineFault, match="no space"):
        open_and_write(start("fills_disk"))


def test_an_echo_passes_no_absence(run: Run) -> None:
    """A memory that answers with the question fails where a value must be gone."""
    (cases,) = run(f"{HOSTILE}:echoes", "months", "--days", "20").values()

    assert "passed" not in {case.verdict for case in cases if case.column in {"forgotten", "erased", "found"}}


def test_an_adapter_that_ends_again_and_again_fails_every_column(run: Run) -> None:
    """After some faults the world is given up, and no column is left open."""
    (cases,) = run(f"{HOSTILE}:ends", "months", "--days", "9").values()

    assert {"failed"} == {case.verdict for case in cases}
    assert 16 == len({case.column for case in cases})


def test_a_session_gives_up_when_nothing_opens(tmp_path: Path) -> None:
    """An adapter that cannot be imported ends the world with its reason."""
    broken = tmp_path / "broken.py"
    broken.write_text("import nothing_of_this_name\n")
    with Sandbox(broken, "", sys.executable, 20.0) as sandbox:
        session = Session(sandbox, 0.0)
        with pytest.raises(GaveUp, match="nothing_of_this_name"):
            session.recover(AdapterFault("test"))


def test_no_variable_reaches_the_adapter(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of the user are not handed to a system."""
    monkeypatch.setenv("SECRET_KEY", "x")
    sandbox = start("")
    open_and_write(sandbox)
    (pid,) = sandbox._find_marked()

    assert b"SECRET_KEY" not in Path(f"/proc/{pid}/environ").read_bytes()


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    """Ctrl-C ends the adapter too; the same command then runs what is missing, and the results are as without it."""
    command = ["run", "--adapter", "fts5", "--suite", "months", "--days", "6", "--worlds", "3", "--results"]
    source = str(HERE.parent / "src")
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from lifebench.cli import main; sys.exit(main())",
            *command,
            "cut",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": source, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline()  # the first world is done, the second has begun
    process.send_signal(2)
    process.communicate()

    assert process.returncode in {0, 130}
    assert [] == list(tmp_path.glob("lifebench-*"))
    assert 0 == main([*command, str(tmp_path / "cut")])
    assert 0 == main([*command, str(tmp_path / "whole")])
    (cut,), (whole,) = (list((tmp_path / name).iterdir()) for name in ("cut", "whole"))
    assert whole.read_text() == cut.read_text()
