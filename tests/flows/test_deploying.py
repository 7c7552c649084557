"""The files for operators are what they say: their commands run, and what checks such files finds nothing."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

import remanence.sync
from tests.flows.test_rest import COMMAND, ROOT, WAIT, Server

SERVING, RUNNING = ROOT / "deploy" / "remanence.service", ROOT / "deploy" / "remanence-run.service"
CONTAINER = ROOT / "deploy" / "Containerfile"
EXPOSURE_MAX = 15  # tenths, of 100; it has 12
MODULE = COMMAND[:3]  # the command line, with no arguments


def read_unit(file: Path) -> dict[str, list[str]]:
    """Return the settings of a unit."""
    settings: dict[str, list[str]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and line[0] not in "#[":
            name, _, value = line.partition("=")
            settings.setdefault(name, []).append(value)
    return settings


def read_instructions() -> list[tuple[str, str]]:
    """Return the instructions of the container file, each with its arguments."""
    lines = CONTAINER.read_text(encoding="utf-8").splitlines()
    parts = [line.partition(" ") for line in lines if line and not line.startswith("#")]
    return [(name, rest) for name, _, rest in parts]


@contextmanager
def run_command(words: Sequence[str], folder: Path) -> Iterator[Server]:
    """Run the command line with such words, on a port that is free, and end it as a supervisor does."""
    process = subprocess.Popen(
        [*MODULE, *words, "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=folder,
        env={"PYTHONPATH": str(ROOT / "src"), "REMANENCE_DB": str(folder / "agent.db")},
    )
    assert process.stdout is not None
    try:
        yield Server(int(process.stdout.readline().rpartition(":")[2]), process, folder / "agent.db")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=WAIT)
        assert 0 == process.returncode
    finally:
        process.kill()
        process.wait(WAIT)


def test_the_unit_starts_and_ends_the_server(tmp_path: Path) -> None:
    """Its command is one, and the state is where the unit may write."""
    unit = read_unit(SERVING)
    (command,) = unit["ExecStart"]
    program, *words = shlex.split(command)
    at = words.index("/var/lib/remanence/agent.db")
    words[at] = str(tmp_path / "agent.db")

    assert ("/opt/remanence/bin/remanence", ["remanence"]) == (program, unit["StateDirectory"])
    with run_command(words, tmp_path) as server:
        assert 200 == server.send("/health", method="GET").status
    assert 0o600 == (tmp_path / "agent.db").stat().st_mode & 0o777


def test_the_unit_of_due_jobs_runs_until_it_is_ended(tmp_path: Path) -> None:
    """Beside the server, in the folder where it may write, with a copy before the first deletion."""
    unit = read_unit(RUNNING)
    (command,) = unit["ExecStart"]
    _, *words = [word.replace("/var/lib/remanence", str(tmp_path)) for word in shlex.split(command)]
    with remanence.sync.open(tmp_path / "agent.db", embedder="none") as memory:
        memory.learn("The key hangs in the shed.")
        memory.policy.use("default")
    process = subprocess.Popen(
        [*MODULE, *words, "--embedder", "none"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT / "src")},
    )
    assert process.stderr is not None
    said = process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=WAIT)

    assert (["remanence"], "default" in said, 0) == (unit["StateDirectory"], True, process.returncode)


@pytest.mark.parametrize("file", [SERVING, RUNNING], ids=lambda file: str(file.stem))
def test_what_checks_units_finds_nothing(file: Path, tmp_path: Path) -> None:
    """Neither a word that is none, nor more rights than such a service needs."""
    checker = shutil.which("systemd-analyze")
    if checker is None:
        pytest.skip("there is no systemd-analyze here")
    unit = tmp_path / file.name
    program = tmp_path / "remanence"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit.write_text(file.read_text(encoding="utf-8").replace("/opt/remanence/bin/remanence", str(program)))
    for words in (["verify"], ["security", "--offline=yes", f"--threshold={EXPOSURE_MAX}"]):
        done = subprocess.run([checker, *words, str(unit)], capture_output=True, text=True, check=False)
        if "unrecognized option" in done.stderr:
            pytest.skip(f"this systemd-analyze has no {words}")
        assert 0 == done.returncode, done.stdout + done.stderr
        assert words != ["verify"] or not done.stderr, done.stderr


def test_the_container_is_no_root_and_keeps_its_volume() -> None:
    """What it copies is there and in the source distribution; the words of a list are JSON."""
    instructions = read_instructions()
    at = max(number for number, (name, _) in enumerate(instructions) if name == "FROM")
    last = dict(instructions[at:])
    copies = [rest.split()[:-1] for name, rest in instructions if name == "COPY" and "--from" not in rest]
    packed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]

    assert ("10001", "/var/lib/remanence") == (last["USER"], last["VOLUME"])
    assert last["VOLUME"] == last["WORKDIR"] and f"{last['VOLUME']}/agent.db" in last["ENV"]
    assert copies
    for name in {name for some in copies for name in some}:
        assert (ROOT / name).exists()
        assert f"/{name}" in {*packed["sdist"]["include"], "/pyproject.toml"}


def test_the_command_of_the_container_answers_its_health_check(tmp_path: Path) -> None:
    """As long as it runs, and not after that."""
    last = dict(read_instructions())
    words = [*json.loads(last["ENTRYPOINT"])[1:], *json.loads(last["CMD"])]
    _, _, check = last["HEALTHCHECK"].partition(" CMD ")
    with run_command(words, tmp_path) as server:
        python, *rest = json.loads(check)
        asked = [one.replace(":8377/", f":{server.port}/") for one in rest]
        assert ("python", True) == (python, asked != rest)
        run = [sys.executable, *asked]
        assert 0 == subprocess.run(run, check=False, capture_output=True, env={**os.environ}).returncode
        assert 401 == server.send("/v1/status", {}, heads={"host": "localhost:8377"}).status
    assert 0 != subprocess.run(run, check=False, capture_output=True).returncode


def test_a_file_is_backed_up_beside_its_server_and_put_back(tmp_path: Path) -> None:
    """As the page says: while it serves, and with the server stopped; tokens and memories are those of then."""
    file, copy = tmp_path / "agent.db", tmp_path / "monday.db"
    with run_command(["serve", "--embedder", "none"], tmp_path) as server:
        with remanence.sync.open(file, embedder="none") as memory:
            secret = memory.token.add("desk", scopes=["default"], role="write").secret
        assert 200 == server.send("/v1/learn", {"text": "The key hangs in the shed."}, token=secret).status
        with remanence.sync.open(file, embedder="none") as memory:
            memory.backup(copy)
        assert 200 == server.send("/v1/learn", {"text": "The mast was painted."}, token=secret).status
    assert not [one for one in tmp_path.iterdir() if one.name.endswith("-wal")]
    file.rename(tmp_path / "damaged.db")
    shutil.copyfile(copy, file)
    with run_command(["serve", "--embedder", "none"], tmp_path) as server:
        found = server.send("/v1/list", {}, token=secret).document

    assert ["The key hangs in the shed."] == [one["text"] for one in found]
