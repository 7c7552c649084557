"""What was erased is in no file either where another SQLite than Python's own writes them."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests import IMPORT_PATH

HANGS_AFTER_S = 300
PROGRAM = """
import sys
import pysqlite3
sys.modules["sqlite3"] = pysqlite3
import asyncio
from pathlib import Path
from tests.flows import test_erasing
assert test_erasing.sqlite3 is pysqlite3
asyncio.run(test_erasing.test_a_hundred_of_a_hundred_random_memories_leave_no_byte(Path(sys.argv[1])))
print(pysqlite3.sqlite_version)
"""


@pytest.mark.skipif(
    find_spec("pysqlite3") is None, reason="pysqlite3-binary is built for Linux on x86-64 only"
)
def test_a_hundred_of_a_hundred_leave_no_byte_on_a_newer_sqlite(tmp_path: Path) -> None:
    """The same test, in a process where `sqlite3` is the newest that is packed for Python."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": IMPORT_PATH},
        capture_output=True,
        text=True,
        timeout=HANGS_AFTER_S,
        check=False,
    )

    assert 0 == done.returncode, done.stderr
    assert (3, 40) <= tuple(map(int, done.stdout.split(".")))
