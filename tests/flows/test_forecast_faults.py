"""A forecast that is cut off leaves the file as it was; the end of images, whole pieces and a chain that is proven."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import IMPORT_PATH, ROOT

HANGS_AFTER_S = 1_800
ENVIRONMENT = {**os.environ, "PYTHONPATH": IMPORT_PATH}


@pytest.mark.deep
@pytest.mark.skipif(sys.platform != "linux", reason="it forks")
@pytest.mark.parametrize("how", ["killed", "error", "full"])
@pytest.mark.parametrize("what", ["forecast", "expire"])
def test_cut_off_at_any_statement_it_loses_nothing(what: str, how: str, tmp_path: Path) -> None:
    """Killed before every fourth statement, or failing at each; a forecast writes nothing but uses that are owed."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.flows.forecasting_at_fault",
            str(tmp_path),
            what,
            how,
            "4" if how == "killed" else "1",
        ],
        env=ENVIRONMENT,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=HANGS_AFTER_S,
        check=False,
    )
    assert 0 == done.returncode, done.stderr
    found = json.loads(done.stdout)

    assert [] == found["wrong"]
    assert {"done", "killed" if how == "killed" else "refused"} <= found["seen"].keys()
