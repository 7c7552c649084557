"""How fast memories of other programs come in, beside `learn`: `python -m benchmarks.importing [--memories N]`.

Each format gets a source of N memories with made-up texts. Measured are CPU seconds, reading and parsing included;
`learn` takes the same turns in the same round, through an opening that is trusted as far as the source: what comes
from outside is looked through for orders, whichever way it comes. Rounds alternate; the median counts.
"""

import argparse
import asyncio
import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import remanence
from benchmarks.corpus import Maker
from benchmarks.report import figure, settings, spent
from remanence.core.model import Trust
from remanence.flows.write.extracting import parse_transcript
from tests import export_sources as exports
from tests import importer_sources as sources

START = datetime(2026, 1, 1, tzinfo=UTC)
NOTE_LINES = 10  # of a note of a vault
UPDATED_SHARE = 10  # of so many memories of mem0 one was changed, and so has a version before


def main() -> None:
    """Measure each format and `learn` in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=list(WRITERS), choices=list(WRITERS))
    given = parser.parse_args()
    settings(memories=given.memories, rounds=given.rounds)
    with tempfile.TemporaryDirectory() as folder:
        for name in given.only:
            path = WRITERS[name](Path(folder), given.memories)
            measure(name, path, given.rounds)


def measure(name: str, path: Path, rounds: int) -> None:
    """Print how many memories a second a source comes in with, how many are learned, and the ratio, by trust."""
    turns = parse_transcript(path, name).turns
    for trust in (Trust.OUTSIDE, Trust.USER):
        taken: list[float] = []
        learned: list[float] = []
        for number in range(rounds):
            for imports in (True, False) if number % 2 else (False, True):
                into = taken if imports else learned
                into.append(asyncio.run(_spend(path if imports else None, turns, trust)))
        imported, plain = len(turns) / median(taken), len(turns) / median(learned)
        what = f"import.{name}.{trust.label}"
        figure(what, imported, "memories/CPU s", memories=len(turns))
        figure(f"{what}.learn", plain, "memories/CPU s", memories=len(turns))
        figure(f"{what}.ratio", imported / plain, "", rounds=rounds)


async def _spend(path: Path | None, turns: Sequence[remanence.Turn], trust: Trust) -> float:
    """Return the CPU seconds that one way into a new file takes."""
    with tempfile.TemporaryDirectory() as folder:
        async with remanence.open(Path(folder, "memory.db"), trust=trust) as memory:
            with spent() as it:
                if path is None:
                    await memory.learn(turns)
                else:
                    await memory.ingest(path, trust=trust)
    return it.cpu_s


def _texts(count: int) -> Iterator[tuple[int, str, str]]:
    """Yield number, time and text of each memory."""
    for number, text in enumerate(Maker(7).texts(count)):
        yield number, (START + timedelta(minutes=number)).isoformat(), text


def _write_mem0(folder: Path, count: int) -> Path:
    store = folder / "mem0"
    store.mkdir()
    items, events = [], []
    for number, at, text in _texts(count):
        id_, updated = f"m{number}", at
        events.append((f"h{number}", id_, None, text, "ADD", at, at, 0, None, "user"))
        if not number % UPDATED_SHARE:
            updated, was, text = f"{at[:-6]}.5+00:00", text, f"{text} again"  # noqa: PLW2901
            events.append((f"u{number}", id_, was, text, "UPDATE", at, updated, 0, None, "user"))
        items.append(
            {
                "id": id_,
                "memory": text,
                "created_at": at,
                "updated_at": updated,
                "user_id": "ines",
                "metadata": None,
            }
        )
    (store / "get_all.json").write_text(json.dumps({"results": items}))
    sources.write_rows(store / "history.db", sources.HISTORY, {"history": events})
    return store


def _write_graphiti(folder: Path, count: int) -> Path:
    edges: list[dict[str, Any]] = [
        {"uuid": f"f{number}", "fact": text, "created_at": at, "valid_at": at, "episodes": [], "name": "SAID"}
        for number, at, text in _texts(count)
    ]
    path = folder / "graph.json"
    path.write_text(json.dumps({"edges": edges}))
    return path


def _write_letta(folder: Path, count: int) -> Path:
    messages = [
        {"id": f"message-{number}", "role": "user", "content": text, "created_at": at}
        for number, at, text in _texts(count)
    ]
    path = folder / "agent.af"
    path.write_text(
        json.dumps({"agents": [{"id": "a", "name": "skipper", "messages": messages}], "blocks": []})
    )
    return path


def _write_mcp(folder: Path, count: int) -> Path:
    path = folder / "memory.jsonl"
    with path.open("w") as stream:
        for number, _, text in _texts(count):
            one = {"type": "entity", "name": f"n{number}", "entityType": "thing", "observations": [text]}
            stream.write(json.dumps(one) + "\n")
    return path


def _write_langgraph(folder: Path, count: int) -> Path:
    rows = [
        ("notes", f"k{number}", json.dumps({"text": text}), at[:-6], at[:-6], None, None)
        for number, at, text in _texts(count)
    ]
    return sources.write_rows(folder / "store.db", sources.STORE, {"store": rows})


def _write_elfmem(folder: Path, count: int) -> Path:
    blocks: list[tuple[Any, ...]] = []
    for number, at, text in _texts(count):
        blocks.append(
            (*sources.block(f"b{number}", text, "active")[:4], at, *sources.block("", "", "active")[5:])
        )
    path = sources.write_rows(folder / "elfmem.db", sources.ELFMEM, {"blocks": blocks})
    edges = [(f"b{number}", f"b{number + 1}", 0.7, 1, "", "similar") for number in range(count - 1)]
    with closing(sqlite3.connect(path)) as connection:
        connection.executemany("INSERT INTO edges VALUES (?,?,?,?,?,?)", edges)
        connection.commit()
    return path


def _write_claude(folder: Path, count: int) -> Path:
    chats = [
        exports.chat(f"k{number}", exports.said(f"u{number}", "human", text, None, created_at=at))
        for number, at, text in _texts(count)
    ]
    return exports.pack(folder / "claude.zip", {"conversations.json": json.dumps(chats)})


def _write_chatgpt(folder: Path, count: int) -> Path:
    trees = [
        exports.tree(f"t{number}", exports.node(f"n{number}", None, "user", text, START.timestamp() + number))
        for number, _, text in _texts(count)
    ]
    parts = {"conversations-000.json": trees[::2], "conversations-001.json": trees[1::2]}
    return exports.write_files(folder / "chatgpt", {name: json.dumps(part) for name, part in parts.items()})


def _write_vault(folder: Path, count: int) -> Path:
    """Write notes of ten observations, each with a link to the next note."""
    notes: dict[str, str] = {".obsidian/app.json": "{}"}
    for number, at, text in _texts(count):
        name = f"Note {number // NOTE_LINES}.md"
        front = f"---\ntitle: Note {number // NOTE_LINES}\ntags: [yard]\ncreated: {at}\n---\n"
        link = f" [[Note {number // NOTE_LINES + 1}]]" if not number % NOTE_LINES else ""
        notes[name] = f"{notes.get(name, front)}- {text} #wharf{link}\n"
    return exports.write_files(folder / "vault", notes)


WRITERS: Mapping[str, Callable[[Path, int], Path]] = {
    "mem0": _write_mem0,
    "graphiti": _write_graphiti,
    "letta": _write_letta,
    "mcp-memory": _write_mcp,
    "langgraph": _write_langgraph,
    "elfmem": _write_elfmem,
    "claude": _write_claude,
    "chatgpt": _write_chatgpt,
    "vault": _write_vault,
}

if __name__ == "__main__":
    main()
