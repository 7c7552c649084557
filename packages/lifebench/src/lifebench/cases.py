"""What one check came to, and the files of results: a case a line, so that a run that was ended goes on."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import lifebench

Verdict = Literal["passed", "failed", "unsupported"]


class ResultsRefused(Exception):
    """A file of results that this version cannot continue or read."""


@dataclass(frozen=True)
class Case:
    """One check: its column of the matrix, its kind within the column, and what it came to."""

    column: str
    kind: str
    name: str
    verdict: Verdict
    why: str = ""


class Results:
    """The file of one adapter, suite and seed. A unit (a world, a case) is complete once its end is written."""

    def __init__(self, path: Path, heading: dict[str, Any]) -> None:
        self.path = path
        self._heading = {"lifebench": lifebench.VERSION, **heading}
        self.units: dict[str, list[Case]] = {}
        if path.exists():
            found, self.units = read(path)
            if found not in ({}, self._heading):
                raise ResultsRefused(
                    f"{path} is of another run ({found}): move it away or name another folder"
                )
            self._rewrite()

    def add(self, unit: str, cases: Iterable[Case]) -> None:
        """Run a unit and append its cases as they come."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        is_new = not self.path.exists()
        kept = self.units.setdefault(unit, [])
        with self.path.open("a", encoding="utf-8") as file:
            if is_new:
                file.write(json.dumps(self._heading) + "\n")
            for case in cases:
                file.write(json.dumps({"unit": unit, **asdict(case)}) + "\n")
                kept.append(case)
            file.write(json.dumps({"unit": unit, "end": True}) + "\n")

    def _rewrite(self) -> None:
        """Keep complete units alone: what was written of others is run again."""
        lines = [json.dumps(self._heading)]
        for unit, cases in self.units.items():
            lines += [json.dumps({"unit": unit, **asdict(case)}) for case in cases]
            lines.append(json.dumps({"unit": unit, "end": True}))
        beside = self.path.with_suffix(".new")
        beside.write_text("\n".join(lines) + "\n", encoding="utf-8")
        beside.replace(self.path)


def read(path: Path) -> tuple[dict[str, Any], dict[str, list[Case]]]:
    """Return the heading and the complete units of a file; both are empty before the first line is written."""
    lines = _parse(path)
    heading = next(lines, {})
    if heading and heading.get("lifebench") != lifebench.VERSION:
        raise ResultsRefused(
            f"{path} was written by version {heading.get('lifebench')} of the suites, this is {lifebench.VERSION}: "
            "move it away and run again"
        )
    begun: dict[str, list[Case]] = {}
    complete: dict[str, list[Case]] = {}
    for line in lines:
        unit = line.pop("unit")
        if line.get("end"):
            complete[unit] = begun.pop(unit, [])
        else:
            begun.setdefault(unit, []).append(Case(**line))
    return heading, complete


def _parse(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file up to one that was not written to its end."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            try:
                yield json.loads(line)
            except ValueError:
                return
