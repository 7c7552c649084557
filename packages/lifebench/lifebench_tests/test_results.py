"""Files of results, intervals, the report, and the bounds of the package."""

import ast
import json
import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from lifebench.cases import Case, Results, ResultsRefused, read
from lifebench.cli import find_python, main
from lifebench.questions import QUESTIONS
from lifebench.report import write_report
from lifebench.stats import estimate_share, wilson
from lifebench.worlds import ATTRIBUTES, World

SOURCE = Path(__file__).parents[1] / "src" / "lifebench"
CASE = Case("found", "fact", "Where?", "passed")
HEADING = {"adapter": "a", "suite": "months", "seed": 1, "size": "2 days"}


def list_imports(path: Path) -> set[str]:
    """Return the modules that a file imports."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    names = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    return names | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


def test_a_torn_line_and_a_unit_without_its_end_are_run_again(tmp_path: Path) -> None:
    """A run that was killed leaves a file that goes on after its last complete unit."""
    path = tmp_path / "a.jsonl"
    Results(path, HEADING).add("world 1", [CASE])
    with path.open("a") as file:
        file.write(json.dumps({"unit": "world 2", **CASE.__dict__}) + '\n{"unit": "wor')
    again = Results(path, HEADING)
    again.add("world 2", [CASE, CASE])

    assert {"world 1": [CASE], "world 2": [CASE, CASE]} == read(path)[1]


@pytest.mark.parametrize("begun", ["", '{"lifebench": 1, "adap'])
def test_a_run_that_was_killed_before_its_first_line_begins_anew(tmp_path: Path, begun: str) -> None:
    """A file without a whole line is no result of another version, neither for the run nor for a report."""
    path = tmp_path / "a.jsonl"
    path.write_text(begun)
    Results(tmp_path / "b.jsonl", HEADING).add("world 1", [CASE])
    assert "1/1" in write_report(tmp_path)
    Results(path, HEADING).add("world 1", [CASE])

    assert (HEADING | {"lifebench": 1}, {"world 1": [CASE]}) == read(path)


def test_results_of_another_version_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line says so, and nothing is overwritten."""
    path = tmp_path / "fts5-months-seed1-2-days.jsonl"
    path.write_text(json.dumps({"lifebench": 0, **HEADING}) + "\n")

    assert 2 == main(
        ["run", "--adapter", "fts5", "--suite", "months", "--days", "2", "--results", str(tmp_path)]
    )
    assert 2 == main(["report", "--results", str(tmp_path)])
    assert "was written by version 0" in capsys.readouterr().err.splitlines()[0]
    assert 1 == len(path.read_text().splitlines())


def test_results_of_another_run_are_refused(tmp_path: Path) -> None:
    """A file is continued only by the run that began it."""
    path = tmp_path / "a.jsonl"
    Results(path, HEADING).add("world 1", [CASE])

    with pytest.raises(ResultsRefused, match="another run"):
        Results(path, {**HEADING, "seed": 2})


def test_a_file_that_cannot_grow_stops_the_run_with_one_line(tmp_path: Path) -> None:
    """Results that cannot be written end the run with a code of its own; with room the same command goes on."""
    program = "import resource, sys; from lifebench.cli import find_python, main; {}; sys.exit(main())"
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, resource.RLIM_INFINITY))"
    words = [
        "run",
        "--adapter",
        "degenerate:silence",
        "--suite",
        "months",
        "--days",
        "9",
        "--results",
        "kept",
    ]
    done = {
        act: subprocess.run(
            [sys.executable, "-c", program.format(act), *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(SOURCE.parent)},
            capture_output=True,
            text=True,
            check=False,
        )
        for act in (limit, "pass")
    }

    assert {limit: 74, "pass": 0} == {act: one.returncode for act, one in done.items()}
    assert 1 == len(done[limit].stderr.splitlines())
    assert "the same command goes on" in done[limit].stderr


def test_an_unknown_adapter_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """The line names those that there are."""
    assert 2 == main(["run", "--adapter", "nobody", "--suite", "months"])
    assert "fts5" in capsys.readouterr().err


@pytest.mark.parametrize(("size", "number"), [("--facts", "99999999"), ("--days", "-1"), ("--turns", "-1")])
def test_an_impossible_world_is_refused(size: str, number: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One line tells the sizes that there are."""
    assert 2 == main(["run", "--adapter", "fts5", "--suite", "months", size, number])
    assert 1 == len(capsys.readouterr().err.splitlines())


def test_a_report_of_nothing_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder without results is named."""
    assert 2 == main(["report", "--results", str(tmp_path)])
    assert str(tmp_path) in capsys.readouterr().err


def test_intervals() -> None:
    """An interval holds the share, is narrower with more checks and wider where worlds differ."""
    assert (0.0, 0.2775) == tuple(round(bound, 4) for bound in wilson(0, 10))
    alike, apart = estimate_share([(50, 100)] * 8), estimate_share([(0, 100), (100, 100)] * 4)

    assert alike.low <= 0.5 <= alike.high
    assert apart.high - apart.low > 2 * (alike.high - alike.low)
    assert estimate_share([(10, 10)]).low < estimate_share([(1000, 1000)]).low < 1.0


def test_the_report_tells_apart_what_is_missing(tmp_path: Path) -> None:
    """A column is a share, unsupported, or without a case; failures are listed with their text."""
    failed = Case("found", "near", "Which boat?", "failed", "not in the prompt")
    lacks = Case("undo", "undo", "undo", "unsupported", "it reverts nothing")
    Results(tmp_path / "a.jsonl", HEADING).add("world 1", [CASE, failed, lacks])
    text = write_report(tmp_path)

    assert "| found | 50.0 % [9.5–90.5] (1/2) |" in text
    assert "| undo | unsupported |" in text
    assert "| back | no case |" in text
    assert "Which boat?: not in the prompt" in (tmp_path / "failures-a-months-2-days.md").read_text()


def test_generator_and_checker_share_no_code() -> None:
    """What makes worlds imports nothing of this package, and what judges does not import it."""
    assert not {name for name in list_imports(SOURCE / "worlds.py") if name.startswith("lifebench")}
    for name in ("check", "questions", "session", "runner", "cases"):
        assert "lifebench.worlds" not in list_imports(SOURCE / f"{name}.py")


def test_nothing_but_the_standard_library_is_imported_outside_adapters() -> None:
    """The package stands alone, and no system is imported but by its adapter."""
    own = {*sys.stdlib_module_names, "lifebench"}

    assert set() == {
        name
        for path in SOURCE.glob("*.py")
        for name in list_imports(path)
        if name.partition(".")[0] not in own
    }


def test_a_world_is_its_seed() -> None:
    """The same seed gives the same events, another seed others."""
    first, again, other = (list(World(seed, 40).events()) for seed in (3, 3, 4))

    assert first == again
    assert first != other


def test_values_are_unique_and_every_attribute_can_be_asked_for() -> None:
    """No value is said of two things, so a value that is found is the right one."""
    events = [event for event in World(1, 120).events() if event.value and event.do == "write"]
    owners: dict[str, set[tuple[str, str, str]]] = {}
    for event in events:
        owners.setdefault(event.value, set()).add(event.key)

    assert {1} == {len(keys) for keys in owners.values()}
    assert ATTRIBUTES.keys() == QUESTIONS.keys()


def test_a_world_of_a_million_turns_is_a_stream() -> None:
    """Events are made one by one: the first of a world of 10^6 turns a day come at once."""
    world = World(1, 2, facts=10, turns=10**6)
    events = world.events()

    assert 50_000 == sum(1 for _ in islice(events, 50_000))


def test_what_cannot_be_loaded_is_refused_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the Python and the reason, and without a file of results that would stay."""
    adapter, results = tmp_path / "mine.py", tmp_path / "results"
    adapter.write_text("import nothing_of_this_name\n", encoding="utf-8")
    command = [
        "run",
        "--adapter",
        str(adapter),
        "--suite",
        "months",
        "--days",
        "3",
        "--results",
        str(results),
    ]
    code, told = main(command), capsys.readouterr().err
    missing, of_python = main([*command, "--python", str(tmp_path / "python")]), capsys.readouterr().err

    assert (2, 2, False) == (code, missing, results.exists())
    assert f"cannot be loaded by {sys.executable}" in told and "nothing_of_this_name" in told
    assert "there is no Python that can be run at" in of_python


def test_a_python_of_a_relative_path_is_found_and_stays_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system runs in another folder, and an environment is known by its link."""
    (tmp_path / "env").mkdir()
    (tmp_path / "env" / "python").symlink_to(sys.executable)
    monkeypatch.chdir(tmp_path)

    assert str(tmp_path / "env" / "python") == find_python("env/python")


def test_what_was_measured_before_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever changed an adapter learns which file to delete."""
    command = ["run", "--adapter", "fts5", "--suite", "months", "--days", "3", "--results", str(tmp_path)]
    assert 0 == main(command)
    first = capsys.readouterr().out
    assert 0 == main(command)
    again = capsys.readouterr().out

    assert "measured before" not in first
    assert f"delete {next(tmp_path.glob('*.jsonl'))}" in again
