"""What each list of words brings to what rules find: it is emptied, and the conversations are scored again.

Each list is tried in a process of its own, as languages are read once. Knows the package's language files as text.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from benchmarks.labels import Part
from benchmarks.labels.conversations import conversations
from benchmarks.report import figure, settings
from remanence.languages.language_files import VARIABLE

_SECTION = re.compile(r"^\[([\w.]+)\]$")
_ENTRY = re.compile(r"^(\"[^\"]+\"|[\w-]+) = ('''|\"\"\"|'|\").*$")
FIGURES = ("updates.linked", "links.right", "facts.right", "kept", "answers.top", "answers.stale")


def report_ablations(part: Part, prefix: str) -> None:
    """Print by how much figures of rules differ without each list whose name begins so; nothing of what is equal."""
    whole = _score(part, None) or {}
    codes = sorted({one.language for one in conversations(part)})
    lists = [one for code in codes for one in _list_names(code) if ".".join(one).startswith(prefix)]
    settings(part=part, lists=len(lists), **whole)
    for code, section, name in lists:
        found = _score(part, (code, section, name))
        if found is None:
            figure("conversation.ablated.needed", 1, "list", list=f"{code}.{section}.{name}")
            continue
        for one, value in whole.items():
            if found.get(one, 0.0) != value:
                change = found.get(one, 0.0) - value
                figure(f"conversation.ablated.{one}", change, "points", list=f"{code}.{section}.{name}")


def _score(part: Part, without: tuple[str, str, str] | None) -> dict[str, float] | None:
    """Return the figures of rules, without a list where one is named; None where no language is one without it."""
    with tempfile.TemporaryDirectory() as folder:
        path, more = Path(folder) / "language.toml", {}
        if without is not None:
            path.write_text("".join(_leave_out(*without)), encoding="utf-8")
            more = {VARIABLE: str(path)}
        command = [sys.executable, "-m", "benchmarks.conversation", "--part", part, "--writer", "rules"]
        done = subprocess.run(
            command, env={**os.environ, **more}, capture_output=True, text=True, check=without is None
        )
    if done.returncode:
        return None
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {
        name: row["value"]
        for row in rows
        if row.get("language") == "all"
        if (name := row["name"].removeprefix("conversation.")) in FIGURES
    }


def _read_lines(code: str) -> Iterator[tuple[str, str, str]]:
    """Yield the lines of a language's file with their section and the list that they belong to."""
    section = name = closes = ""
    for line in (
        (files("remanence.languages") / f"{code}.toml").read_text(encoding="utf-8").splitlines(keepends=True)
    ):
        if closes:
            yield section, name, line
            closes = "" if line.rstrip().endswith(closes) else closes
            name = name if closes else ""
            continue
        if found := _SECTION.match(line.strip()):
            section = found[1]
        if entry := _ENTRY.match(line.rstrip()):
            name = entry[1]
            is_open = len(entry[2]) > 1 and line.count(entry[2]) == 1
            closes = entry[2] if is_open else ""
        yield section, name, line
        name = name if closes else ""


def _list_names(code: str) -> list[tuple[str, str, str]]:
    return list(
        dict.fromkeys((code, section, name) for section, name, _ in _read_lines(code) if name and section)
    )


def _leave_out(code: str, section: str, name: str) -> Iterator[str]:
    """Yield the lines of a language's file with one list emptied."""
    for at, own, line in _read_lines(code):
        if (at, own) != (section, name):
            yield line
        elif _ENTRY.match(line.rstrip()):
            yield f"{name} = ''\n"
