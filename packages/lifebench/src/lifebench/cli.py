"""The command `lifebench`: run a suite, report, fetch the cases of others."""

import argparse
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from lifebench import forgeteval, forgetting
from lifebench.adapter import LOAD
from lifebench.cases import Case, Results, ResultsRefused
from lifebench.check import Life
from lifebench.report import write_report
from lifebench.runner import AdapterFault, MachineFault, Sandbox
from lifebench.worlds import World, WorldImpossible

ADAPTERS = Path(__file__).with_name("adapters")
Unit = tuple[str, Iterable[Case]]


def main(words: list[str] | None = None) -> int:
    """Run the command and return its exit code: 0 done, 2 refused, 74 the machine cannot go on, 130 interrupted."""
    given = make_parser().parse_args(words)
    try:
        given.run(given)
    except (ResultsRefused, forgeteval.CasesUnknown, WorldImpossible) as refused:
        print(refused, file=sys.stderr)
        return 2
    except (MachineFault, OSError) as fault:
        print(f"stopped, the same command goes on: {fault}", file=sys.stderr)
        return 74
    except KeyboardInterrupt:
        print("interrupted; the same command goes on", file=sys.stderr)
        return 130
    return 0


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="lifebench", description=__doc__)
    commands = parser.add_subparsers(required=True)
    shown = argparse.ArgumentDefaultsHelpFormatter
    run = commands.add_parser("run", help="run a suite on a system", formatter_class=shown)
    run.add_argument("--adapter", required=True, help="NAME, NAME:VARIANT or FILE.py[:VARIANT]")
    run.add_argument("--suite", required=True, choices=["months", "forgetting", "forgeteval"])
    run.add_argument("--seed", type=int, default=1, help="of the first world")
    run.add_argument("--worlds", type=int, default=1, help="how many worlds, each with the next seed")
    run.add_argument("--days", type=int, default=180, help="of each world")
    run.add_argument("--facts", type=int, help="facts a world; 0.8 a day without it")
    run.add_argument("--turns", type=int, help="turns a day beside first statements and orders; 4 without it")
    run.add_argument("--python", default=sys.executable, help="the Python that the system is installed for")
    run.add_argument("--limit-s", type=float, default=60.0, help="seconds that a call may take")
    run.add_argument(
        "--cases", type=Path, default=Path("forgeteval"), help="where `fetch forgeteval` put the cases"
    )
    run.add_argument("--results", type=Path, default=Path("lifebench-results"), help="the folder of results")
    run.set_defaults(run=run_suite)
    report = commands.add_parser(
        "report", help="print the matrix of all results, and write it with the failures"
    )
    report.add_argument("--results", type=Path, default=Path("lifebench-results"))
    report.set_defaults(run=lambda given: print(write_report(given.results)))
    fetch = commands.add_parser("fetch", help="fetch the cases of a suite that others wrote")
    fetch.add_argument("suite", choices=["forgeteval"])
    fetch.add_argument("--to", type=Path, default=Path("forgeteval"))
    fetch.add_argument("--url", default=forgeteval.URL)
    fetch.add_argument("--commit", default=forgeteval.COMMIT)
    fetch.set_defaults(run=lambda given: forgeteval.fetch_cases(given.url, given.commit, given.to))
    return parser


def run_suite(given: argparse.Namespace) -> None:
    """Run the units of a suite that have no results yet."""
    file, variant = find_adapter(given.adapter)
    given.python = find_python(given.python)
    name = f"{file.stem}:{variant}" if variant else file.stem
    size = "as published"
    if given.suite == "months":
        size = f"{given.days} days"
        size += f", {given.facts} facts" if given.facts is not None else ""
        size += f", {given.turns} turns a day" if given.turns is not None else ""
    heading = {"adapter": name, "suite": given.suite, "seed": given.seed, "size": size}
    label = re.sub(r"[^\w.]+", "-", f"{name}-{given.suite}-seed{given.seed}-{size}")
    results = Results(given.results / f"{label}.jsonl", heading)
    is_new = False
    for unit, cases in list_units(given, file, variant):
        if unit in results.units:
            continue
        if not is_new:
            check_loads(file, variant, given.python, given.limit_s)
            is_new = True
        results.add(unit, cases)
        failed = sum(case.verdict == "failed" for case in results.units[unit])
        print(
            f"{name} {given.suite} {unit}: {failed} of {len(results.units[unit])} checks failed", flush=True
        )

    if not is_new:
        print(f"all of it was measured before: delete {results.path} to measure a changed adapter anew")


def check_loads(file: Path, variant: str, python: str, limit_s: float) -> None:
    """Load an adapter once; raise `ResultsRefused` before anything is measured if that fails."""
    with Sandbox(file, variant, python, limit_s) as sandbox:
        try:
            sandbox.call(LOAD)
        except AdapterFault as fault:
            raise ResultsRefused(f"{file} cannot be loaded by {python}: {fault}") from fault


def find_python(named: str) -> str:
    """Return the whole path of a Python; that of an environment is a link, which must stay one."""
    found = shutil.which(named)
    if found is None:
        raise ResultsRefused(f"there is no Python that can be run at {named}")
    return str(Path(found).absolute())


def find_adapter(named: str) -> tuple[Path, str]:
    """Return the file and the variant that a name stands for."""
    name, _, variant = named.partition(":")
    file = Path(name) if name.endswith(".py") else ADAPTERS / f"{name}.py"
    if not file.exists():
        known = ", ".join(sorted(path.stem for path in ADAPTERS.glob("[!_]*.py")))
        raise ResultsRefused(f"there is no adapter {name}: name a file, or one of {known}")
    return file.resolve(), variant


def list_units(given: argparse.Namespace, file: Path, variant: str) -> Iterator[Unit]:
    """Yield the units of a suite: its name, and its cases as they come."""

    def start() -> Sandbox:
        return Sandbox(file, variant, given.python, given.limit_s)

    if given.suite == "months":
        for seed in range(given.seed, given.seed + given.worlds):
            world = World(seed, given.days, given.facts, given.turns)
            yield f"world {seed}", live(start, world)
    elif given.suite == "forgetting":
        for seed in range(given.seed, given.seed + given.worlds):
            yield f"canary {seed}", forgetting.run_canary(start, seed)
    else:
        for one in forgeteval.load_cases(given.cases):
            yield one.id, forgeteval.run_case(start, one)


def live(start: Callable[[], Sandbox], world: World) -> Iterator[Case]:
    """Yield the cases of one world, and end the process that lived it."""
    with start() as sandbox:
        yield from Life(sandbox).cases(world.events())


if __name__ == "__main__":
    sys.exit(main())
