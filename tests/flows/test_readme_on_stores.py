"""The example of the README says the same on every store, with nothing changed but the place."""

import os
import re
import runpy
from pathlib import Path

import pytest

PLACES = ("memory", "file", "folder", "postgres", "graph")
README = Path(__file__).parents[2] / "README.md"


@pytest.mark.parametrize("kind", PLACES)
def test_the_example_runs_everywhere(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it prints is what stands below it."""
    places = {"memory": ":memory:", "file": str(tmp_path / "a.db"), "folder": f"{tmp_path / 'all'}{os.sep}"}
    place = places.get(kind) or request.getfixturevalue(
        {"postgres": "postgres_address"}.get(kind, "neo4j_address")
    )
    found = re.search(
        r"```python\n(.*?)```\n\n```text\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL
    )
    assert found is not None
    code, printed = found.groups()
    script = tmp_path / "example.py"
    script.write_text(code.replace('"agent.db"', repr(place)), encoding="utf-8")
    runpy.run_path(str(script), run_name="__main__")

    assert printed == capsys.readouterr().out
