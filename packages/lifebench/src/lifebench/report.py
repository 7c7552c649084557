"""Makes the matrix of all results of a folder, and a file of failures for each adapter and suite."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from lifebench import check, forgeteval, forgetting
from lifebench.cases import Case, ResultsRefused, read
from lifebench.stats import estimate_share

ORDER = {"months": check.COLUMNS, "forgetting": forgetting.COLUMNS, "forgeteval": forgeteval.COLUMNS}
Units = dict[str, list[Case]]


def write_report(folder: Path) -> str:
    """Return the matrix as Markdown; write it and the failures into the folder."""
    suites: dict[tuple[str, str], dict[str, Units]] = defaultdict(lambda: defaultdict(dict))
    for path in sorted(folder.glob("*.jsonl")):
        heading, units = read(path)
        for unit, cases in units.items():
            suites[heading["suite"], heading["size"]][heading["adapter"]][f"{heading['seed']} {unit}"] = cases
    if not suites:
        raise ResultsRefused(f"there are no results in {folder}")
    parts = [
        "# lifebench",
        "Each cell: checks that passed, with an interval of 95 % over worlds. There is no total.",
    ]
    for (suite, size), adapters in sorted(suites.items()):
        parts += [f"## {suite} ({size})", make_matrix(ORDER[suite], adapters)]
        for adapter, units in adapters.items():
            text = list_failures(adapter, suite, units)
            label = re.sub(r"[^\w.]+", "-", f"failures-{adapter}-{suite}-{size}")
            (folder / f"{label}.md").write_text(text, encoding="utf-8")
    text = "\n\n".join(parts) + "\n"
    (folder / "report.md").write_text(text, encoding="utf-8")
    return text


def make_matrix(columns: Sequence[str], adapters: dict[str, Units]) -> str:
    """Return a table with a row a column of the suite and a column a system."""
    lines = ["| |" + " | ".join(adapters) + " |", "|---" * (len(adapters) + 1) + "|"]
    for column in columns:
        cells = [_fill_cell(column, units) for units in adapters.values()]
        lines.append(f"| {column} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def list_failures(adapter: str, suite: str, units: Units) -> str:
    """Return the failures of one system by column and kind, with the text of each."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    numbers: Counter[tuple[str, str]] = Counter()
    for unit, cases in units.items():
        for case in cases:
            numbers[case.column, case.kind] += 1
            if case.verdict == "failed":
                found[case.column, case.kind].append(f"* {unit}, {case.name}: {case.why}")
    parts = [f"# {adapter}, {suite}: what failed, by column and kind"]
    for of, lines in sorted(found.items(), key=lambda item: -len(item[1])):
        parts += [f"## {of[0]}, {of[1]}: {len(lines)} of {numbers[of]}", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def _fill_cell(column: str, units: Units) -> str:
    worlds: list[tuple[int, int]] = []
    missing = 0
    for cases in units.values():
        verdicts = Counter(case.verdict for case in cases if case.column == column)
        missing += verdicts["unsupported"]
        checks = verdicts["passed"] + verdicts["failed"]
        if checks:
            worlds.append((verdicts["passed"], checks))
    if not worlds:
        return "unsupported" if missing else "no case"
    return str(estimate_share(worlds)) + (f", {missing} unsupported" if missing else "")
