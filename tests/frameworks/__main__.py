"""Runs tests that others wrote against our adapters: python -m tests.frameworks [PACKAGE …], or make test-frameworks.

The tests come unchanged out of the source distributions that frameworks.toml names, into build/frameworks; a fixture of
ours gives them our store. Prints a line of JSON for each package, one for each test that was not as cannot_hold.toml
says, and fails where there is one. What cannot be downloaded is skipped, with the reason.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "frameworks"
FIXTURES = HERE / "fixtures"
SECONDS_MAX = 1_800


class Absent(Exception):
    """A distribution, or what its tests need, that cannot be had here."""


@dataclass(frozen=True, slots=True)
class Framework:
    """One row of frameworks.toml."""

    package: str
    version: str
    sha256: str
    files: Sequence[str]
    fixture: str
    needs: Sequence[str] = ()
    options: Sequence[str] = ()


def main() -> int:
    """Run the tests of the named packages, of all where none is named; 1 where one was not as expected."""
    frameworks = [Framework(**row) for row in _read("frameworks.toml")["framework"]]
    wanted = sys.argv[1:] or [one.package for one in frameworks]
    unknown = sorted({*wanted} - {one.package for one in frameworks})
    if unknown:
        sys.exit(f"frameworks.toml has no {', '.join(unknown)}")
    listed = _read("cannot_hold.toml").get("cannot_hold", [])
    is_bad = False
    for framework in frameworks:
        if framework.package not in wanted:
            continue
        try:
            outcomes = _run_tests(framework)
        except Absent as absent:
            _say({"package": framework.package, "version": framework.version, "skipped": str(absent)})
            continue
        whys = {
            test: row["why"] for row in listed if row["package"] == framework.package for test in row["tests"]
        }
        is_bad |= report(framework, outcomes, whys)
    return int(is_bad)


def report(framework: Framework, outcomes: Mapping[str, Mapping[str, str]], whys: Mapping[str, str]) -> bool:
    """Say what passed, and each test that was not as listed; tell whether there is one."""
    passed = {test for test, one in outcomes.items() if one["outcome"] == "passed"}
    failed = {test for test, one in outcomes.items() if one["outcome"] == "failed"}
    held_back = {test: name for test in outcomes if (name := _listed_as(test, whys)) is not None}
    unlisted, pass_now = sorted(failed - held_back.keys()), sorted(passed & held_back.keys())
    gone = sorted({*whys} - {*held_back.values()})
    counts = {"tests": len(outcomes), "passed": len(passed), "cannot hold": len(failed & held_back.keys())}
    skipped = len(outcomes) - len(passed) - len(failed)
    _say(
        {"package": framework.package, "version": framework.version, **counts, "skipped by them": skipped}
        | {file: _count_file(file, outcomes) for file in framework.files}
    )
    for test in unlisted:
        _say(
            {
                "package": framework.package,
                "fails, and is not listed": test,
                "reason": outcomes[test]["reason"],
            }
        )
    for test in pass_now:
        _say({"package": framework.package, "is listed, and passes": test})
    for name in gone:
        _say({"package": framework.package, "is listed, and was not run": name})
    if not outcomes:
        _say({"package": framework.package, "nothing ran": list(framework.files)})
    return bool(unlisted or pass_now or gone or not outcomes)


def _listed_as(test: str, whys: Mapping[str, str]) -> str | None:
    """Return the name by which a test is listed: its own, or that without its parameters."""
    return next((name for name in (test, test.partition("[")[0]) if name in whys), None)


def _count_file(file: str, outcomes: Mapping[str, Mapping[str, str]]) -> str:
    of_file = [one["outcome"] for test, one in outcomes.items() if test.startswith(f"{file}::")]
    return f"{of_file.count('passed')}/{len(of_file)}"


def _run_tests(framework: Framework) -> dict[str, dict[str, str]]:
    """Run the tests of a distribution where they lie; return the worst outcome of each."""
    folder = _unpack(framework)
    needed = _install(framework.needs)
    written = BUILD / f"{framework.package}.jsonl"
    written.unlink(missing_ok=True)
    command = [
        *(sys.executable, "-m", "pytest", "-q", "--no-header", "--tb=short", "-p", "no:cacheprovider"),
        *("-p", "framework_outcomes", "-p", framework.fixture),
        *("-c", os.devnull, f"--rootdir={folder}", "-o", "asyncio_mode=auto", "-W", "ignore"),
        *framework.options,
        *framework.files,
    ]
    paths = [str(FIXTURES), str(ROOT / "src"), *map(str, needed)]
    log = BUILD / f"{framework.package}.log"
    with log.open("w", encoding="utf-8") as file:
        ran = subprocess.run(
            command,
            cwd=folder,
            env={
                **os.environ,
                **_SILENT,
                "PYTHONPATH": os.pathsep.join(paths),
                "FRAMEWORK_OUTCOMES": str(written),
            },
            stdout=file,
            stderr=subprocess.STDOUT,
            timeout=SECONDS_MAX,
            check=False,
        )
    if ran.returncode not in (0, 1) or not written.exists():
        sys.exit(f"pytest ended with {ran.returncode}:\n{log.read_text(encoding='utf-8')[-4_000:]}")
    outcomes: dict[str, dict[str, str]] = {}
    for line in written.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        if one["test"] not in outcomes or one["outcome"] == "failed":
            outcomes[one["test"]] = one
    return outcomes


# What frameworks would send to their makers.
_SILENT = {
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "DO_NOT_TRACK": "1",
}


def _unpack(framework: Framework) -> Path:
    """Return the folder of a distribution, unpacked anew: nothing of an earlier run is in it."""
    archive = _download(framework)
    digest = sha256(archive.read_bytes()).hexdigest()
    if digest != framework.sha256:
        sys.exit(f"{archive} is not the distribution that was read: its sha256 is {digest}")
    folder = BUILD / archive.name.removesuffix(".tar.gz")
    shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(archive) as packed:
        packed.extractall(BUILD, filter="data")
    return folder


def _download(framework: Framework) -> Path:
    """Return the source distribution, fetched once."""
    stem = framework.package.replace("-", "_")
    archive = BUILD / f"{stem}-{framework.version}.tar.gz"
    if not archive.exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        wanted = f"{framework.package}=={framework.version}"
        _pip("download", "--no-deps", "--no-binary", ":all:", "--dest", str(BUILD), wanted)
    if not archive.exists():
        raise Absent(f"{archive.name} is not what was downloaded")
    return archive


def _install(needs: Sequence[str]) -> list[Path]:
    """Install what tests need beside the environment; return the folders where it is."""
    folders = [BUILD / "needs" / need for need in needs]
    for need, folder in zip(needs, folders, strict=True):
        if not folder.exists():
            _pip("install", "--no-deps", "--target", str(folder), need)
    return folders


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        complaint = next(
            (line for line in reversed(ran.stderr.splitlines()) if line.strip()), "no reason given"
        )
        raise Absent(f"pip {arguments[0]} {arguments[-1]}: {complaint}")


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / name).read_text(encoding="utf-8"))


def _say(line: Mapping[str, Any]) -> None:
    print(json.dumps(line, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    sys.exit(main())
