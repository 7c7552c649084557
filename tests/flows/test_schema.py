"""What the document of the routes says is so: requests made from it are answered as it says, and none with 5xx."""

import subprocess
import sys
from pathlib import Path

import pytest

import remanence.sync
from tests.flows.test_rest import Server, start, stop

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


@pytest.fixture
def server(tmp_path: Path) -> Server:
    """A server of its own, which may be filled with anything."""
    file = tmp_path / "agent.db"
    with remanence.sync.open(file, embedder="none") as memory:
        secret = memory.token.add("one", scopes=["default"], role="erase").secret
        memory.learn("The ferry leaves at nine.", key="ferry")
    served = start(file)
    served.tokens["default", "erase"] = secret
    return served


def ask_everything(server: Server, *more: str) -> str:
    """Ask every route but that of events, which has no end, and return the report; raise where one answers wrongly."""
    try:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "run"),
                f"http://127.0.0.1:{server.port}/openapi.json",
                *("--header", f"Authorization: Bearer {server.tokens['default', 'erase']}"),
                *("--exclude-path", "/v1/events", "--checks", CHECKS, "--request-timeout", "60"),
                *("--generation-deterministic", "--no-color", "--warnings", "off", *more),
            ],
            cwd=server.file.parent,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        stop(server)
    assert 0 == done.returncode, done.stdout[-5_000:] + done.stderr
    return done.stdout


def test_a_few_requests_of_each_route_are_answered_as_it_says(server: Server) -> None:
    """The same few in each run."""
    report = ask_everything(server, "--phases", "fuzzing", "--max-examples", "3")

    assert "No issues found" in report
    assert "Fuzzing" in report and "passed" in report


@pytest.mark.deep
def test_the_corners_of_every_argument_are_answered_as_it_says(server: Server) -> None:
    """Each bound, each type, each one that is missing: about 7,700 requests."""
    assert "No issues found" in ask_everything(server, "--phases", "coverage")
