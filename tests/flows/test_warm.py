"""A process that starts warm is what it would be had it started cold."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import warm

pytestmark = pytest.mark.skipif(warm.IS_COLD, reason="all start cold: this is `make deep`, or no Linux")

PROGRAM = """
# warm
import os, signal, sys
def end(how):
    if how == "code":
        sys.exit(3)
    if how == "words":
        sys.exit("no more")
    if how == "error":
        raise ValueError("no more")
    if how == "kill":
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "full":
        sys.stdout = open("/dev/full", "w")
        print("lost")
said = sys.argv[1:], sys.path[0], os.getcwd(), os.environ["WHO"], sys.stdin.read(), oct(os.umask(0))
print(said, os.getppid(), os.getsid(0) == os.getpid(), __name__, end="")
end(sys.argv[1])
"""


@pytest.fixture(params=["warm", "cold"], autouse=True)
def started(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How processes start."""
    monkeypatch.setattr(warm, "IS_COLD", request.param == "cold" or warm.IS_COLD)
    return str(request.param)


@pytest.mark.parametrize(
    ("how", "code", "told"),
    [
        ("ending", 0, ""),
        ("code", 3, ""),
        ("words", 1, "no more\n"),
        ("error", 1, "ValueError: no more\n"),
        ("kill", -signal.SIGKILL, ""),
        ("full", 120, "No space left on device\n"),
    ],
)
def test_a_program_is_a_process_of_its_own(how: str, code: int, told: str, tmp_path: Path) -> None:
    """It has its words, folder, environment, streams, mask and session, and ends as it would."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, how, "é"],
        cwd=tmp_path,
        env={**os.environ, "WHO": "Ana"},
        input="ß",
        capture_output=True,
        text=True,
        start_new_session=True,
        check=False,
    )
    umask = os.umask(0)
    os.umask(umask)
    said = ([how, "é"], "", str(tmp_path), "Ana", "ß", oct(umask))

    assert f"{said} {os.getpid()} True __main__" == done.stdout
    assert code == done.returncode
    assert done.stderr.endswith(told) and bool(told) == bool(done.stderr)


@pytest.mark.parametrize(
    ("words", "environment", "is_warm"),
    [
        ([warm.SCRIPT, "chat"], {}, True),
        ([sys.executable, "-c", warm.MAIN, "chat"], {}, True),
        ([warm.SCRIPT, "chat"], {"PYTHONPATH": "/srv/more"}, False),
        ([warm.SCRIPT, "chat"], {"PYTHONUTF8": "1"}, False),
        ([sys.executable, "-c", "import sys; sys.stdin.read()"], {}, False),
    ],
)
def test_what_asks_for_more_starts_cold(
    words: list[str], environment: dict[str, str], is_warm: bool, started: str, tmp_path: Path
) -> None:
    """Only plain commands, and programs that say so, are forked."""
    with subprocess.Popen(
        words,
        cwd=tmp_path,
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    ) as process:
        line = Path(f"/proc/{process.pid}/cmdline").read_bytes()
        process.kill()

    assert (is_warm and started == "warm") == (b"tests.warm" in line)
    assert -signal.SIGKILL == process.returncode
