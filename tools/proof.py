"""Measures again what docs/proof.md says: python -m tools.proof [--keep] [--cases FOLDER] [--peers mem0 …].

Runs lifebench with the systems that need no environment of their own, into build/proof, then holds each case against
the one that is published in docs/proof. Cases have no times, so that they are equal on every machine. With `--keep`
they are published in their place. ForgetEval-Adv is run if FOLDER has its cases; what is published of it holds none of
its authors' texts. `--peers` runs other memories, too, in the environments of `benchmarks.peers`.
"""

import argparse
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers.systems import ENVIRONMENTS
from benchmarks.peers.systems import SYSTEMS as PEERS

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED, MEASURED = ROOT / "docs" / "proof", ROOT / "build" / "proof"
SYSTEMS = (
    "remanence:static",
    "remanence:none",
    "fts5",
    *(f"degenerate:{one}" for one in ("everything", "newest", "amnesia", "silence")),
)
SUITES = (("months", "--days", "180", "--worlds", "5"), ("forgetting", "--worlds", "2"))
CASES = ROOT / "build" / "forgeteval"
PAGE = ROOT / "docs" / "proof.md"
LABELS = {
    "remanence:static": "Remanence",
    "remanence:none": "without vectors",
    "fts5": "FTS5",
    "mem0": "mem0",
    "mcp_memory_service": "mcp-memory-service",
    "chroma": "chromadb",
    "langgraph": "LangGraph",
    "elfmem": "elfmem",
    "hippo": "hippo",
    "basic_memory": "basic-memory",
    "letta": "Letta",
}
FORGETEVAL_LABELS = {
    **LABELS,
    "degenerate:everything": "keeps everything",
    "degenerate:amnesia": "forgets everything",
    "degenerate:silence": "answers nothing",
}
_LEVEL = 9
LIMIT_S = "300"  # Letta takes a minute to start


def main() -> None:
    """Measure, compare, and print the matrix."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--keep", action="store_true", help="publish what was measured")
    parser.add_argument("--cases", type=Path, default=CASES, help="the folder of the cases of ForgetEval-Adv")
    peers = [name for name, system in PEERS.items() if system.adapter not in SYSTEMS]
    parser.add_argument("--peers", nargs="+", choices=peers, default=[], help="run these memories of others")
    parser.add_argument("--worlds", help="how many worlds each of them has, if it is slow")
    parser.add_argument("--env", type=Path, default=ENVIRONMENTS, help="where their environments are kept")
    given = parser.parse_args()
    suites = list_suites(given.cases)
    for system in SYSTEMS:
        measure(system, suites)
    for name in given.peers:
        python = str(PEERS[name].make_environment(given.env))
        worlds = ("--worlds", given.worlds) if given.worlds else ()
        measure(PEERS[name].adapter, SUITES, "--python", python, "--limit-s", LIMIT_S, *worlds)
    print(run("report"))
    differ = 0
    for file in sorted(MEASURED.glob("*.jsonl")):
        published = PUBLISHED / f"{file.name}.xz"
        before = lzma.decompress(published.read_bytes()).splitlines() if published.exists() else []
        now = read_publishable(file)
        count = len(set(before) ^ set(now))
        differ += count
        print(f"{file.name}: {len(now):,} lines, {count:,} differ", file=sys.stderr)
        if given.keep:
            published.write_bytes(lzma.compress(b"\n".join([*now, b""]), preset=_LEVEL))
    if given.keep:
        text = PAGE.read_text(encoding="utf-8")
        for name, table in (("months", draw_table()), ("forgeteval", draw_forgeteval())):
            text = replace_table(text, name, table)
        PAGE.write_text(text, encoding="utf-8")
    sys.exit(1 if differ and not given.keep else 0)


def measure(adapter: str, suites: Sequence[tuple[str, ...]], *more: str) -> None:
    """Run suites on a system, or go on with what was begun."""
    for suite, *options in suites:
        run("run", "--adapter", adapter, "--suite", suite, "--seed", "1", *options, *more)


def list_suites(cases: Path) -> list[tuple[str, ...]]:
    """Return the suites with their options; that of others only if its cases are there."""
    if cases.is_dir():
        return [*SUITES, ("forgeteval", "--cases", str(cases))]
    print(
        f"ForgetEval-Adv is skipped: there is no folder {cases}. "
        "`lifebench fetch forgeteval --to FOLDER` fetches its cases; name FOLDER with --cases.",
        file=sys.stderr,
    )
    return list(SUITES)


def read_publishable(file: Path) -> list[bytes]:
    """Return the lines of results that may be published: of a suite of others without the reasons, which quote it."""
    lines = file.read_bytes().splitlines()
    if json.loads(lines[0])["suite"] != "forgeteval":
        return lines
    return [
        json.dumps({name: value for name, value in json.loads(line).items() if name != "why"}).encode()
        for line in lines
    ]


def replace_table(text: str, name: str, table: str) -> str:
    """Return a page with another table between the comment of this name and the next end."""
    before, begin, after = text.partition(f"<!-- {name} -->\n")
    return f"{before}{begin}{table}\n{after[after.index('<!-- end -->') :]}"


def draw_table() -> str:
    """Return the matrix of months with the systems that are published, each share with its interval over worlds."""
    with tempfile.TemporaryDirectory() as name:
        for file in PUBLISHED.glob("*-months-*.jsonl.xz"):
            (Path(name) / file.stem).write_bytes(lzma.decompress(file.read_bytes()))
        lines = run("report", results=Path(name)).splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("|")]
    head = {name: at for at, name in enumerate(rows[0])}
    shown = [name for name in LABELS if name in head]
    table = ["| | " + " | ".join(LABELS[name] for name in shown) + " |", "|---" * (len(shown) + 1) + "|"]
    table += [
        f"| {row[0]} | " + " | ".join(_shorten(row[head[name]]) for name in shown) + " |" for row in rows[2:]
    ]
    return "\n".join(table)


def draw_forgeteval() -> str:
    """Return the matrix of ForgetEval-Adv: the cases that passed each scorer, and by kind the one that probes."""
    counts: dict[str, dict[str, Counter[str]]] = {}
    for file in PUBLISHED.glob("*-forgeteval-*.jsonl.xz"):
        heading, *cases = map(json.loads, lzma.decompress(file.read_bytes()).splitlines())
        rows = counts.setdefault(heading["adapter"], {"final query": Counter(), "probed": Counter()})
        for case in cases:
            if "end" not in case:
                rows[case["column"]][case["verdict"]] += 1
            if case.get("column") == "probed":
                rows.setdefault(case["kind"].replace("_", " "), Counter())[case["verdict"]] += 1
    shown = [name for name in FORGETEVAL_LABELS if name in counts]
    heads = ["| | of | " + " | ".join(FORGETEVAL_LABELS[name] for name in shown) + " |"]
    heads.append("|---" * (len(shown) + 2) + "|")
    return "\n".join(
        heads
        + [
            f"| {row} | {of.total()} | "
            + " | ".join(str(counts[name][row]["passed"]) for name in shown)
            + " |"
            for row, of in counts[shown[0]].items()
        ]
    )


def _shorten(cell: str) -> str:
    """Return a share and its interval in whole percent."""
    found = re.match(r"([\d.]+) % \[([\d.]+)–([\d.]+)\]", cell)
    return "{:.0f} [{:.0f}–{:.0f}]".format(*map(float, found.groups())) if found else "–"


def run(command: str, *words: str, results: Path = MEASURED) -> str:
    """Run a command of lifebench, and return what it prints."""
    return subprocess.run(
        [sys.executable, "-m", "lifebench.cli", command, *words, "--results", str(results)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "packages" / "lifebench" / "src")},
    ).stdout


if __name__ == "__main__":
    main()
