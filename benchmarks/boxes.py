"""How well boxes are cut where a reader cut the same sessions: `python -m benchmarks.boxes PATH [--part …]`.

PATH is LoCoMo; the labels name sessions and turns of it by their numbers. Each sample is ingested up to its last
labelled session, and the boxes of the labelled ones are compared. A cut is the first turn of a box; `within` 1 counts
one beside the reader's. `inner` are cuts within sessions; `all` counts the beginnings of sessions too, which a silence
tells, but the first. `every` is what cutting after every so many turns, as many as the reader's boxes have, would get.
"""

import argparse
import asyncio
import json
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import remanence
from benchmarks.labels import cuts
from benchmarks.report import figure, note, settings

Cuts = Sequence[
    tuple[frozenset[int], frozenset[int]]
]  # of each session the reader's, and those that were made


def main() -> None:
    """Measure one embedder on one or more parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--embedder", choices=("auto", "hashed", "none"), nargs="*", default=["auto"])
    parser.add_argument("--part", choices=("first", "second"), nargs="*", default=["first"])
    given = parser.parse_args()
    samples = {one["sample_id"]: one for one in json.loads(given.path.read_text(encoding="utf-8"))}
    settings(parts=given.part)
    for embedder in given.embedder:
        for part in given.part:
            labels: dict[str, dict[int, frozenset[int]]] = defaultdict(dict)
            for one in cuts(part):
                labels[one.sample][one.session] = frozenset(one.cuts)
            found = asyncio.run(measured(samples, labels, embedder))
            report(found, [size for _, _, size in found], embedder=embedder, part=part)


async def measured(
    samples: Mapping[str, Any], labels: Mapping[str, Mapping[int, frozenset[int]]], embedder: str
) -> list[tuple[frozenset[int], frozenset[int], int]]:
    """Return of each session the reader's cuts, those that were made, and how many turns it has."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for sample, sessions in labels.items():
            file = Path(folder) / f"{sample}.json"
            file.write_text(json.dumps([until(samples[sample], max(sessions))]), encoding="utf-8")
            async with remanence.open(Path(folder) / f"{sample}.db", embedder=embedder) as memory:
                await memory.ingest(file, format="locomo", trust="user", extract=True)
                starts = await beginnings(memory)
            for session, reader in sessions.items():
                size = len(samples[sample]["conversation"][f"session_{session}"])
                found.append((reader, frozenset(starts[session] - {min(starts[session])}), size))
            note(f"{sample}: {len(sessions)} sessions")
    return found


def until(sample: Mapping[str, Any], last: int) -> dict[str, Any]:
    """Return a sample without the sessions after one."""
    told = sample["conversation"]
    later = {name for name in told if name.startswith("session_") and int(name.split("_")[1]) > last}
    return {**sample, "conversation": {name: value for name, value in told.items() if name not in later}}


async def beginnings(memory: remanence.Engine) -> dict[int, set[int]]:
    """Return of each session with which turns its boxes begin."""
    starts: dict[int, set[int]] = defaultdict(set)
    for box in await memory.conversations.list(limit=1_000):
        dialogue = next(one for one in box.turns[0].sources if ":" in one)
        session, turn = dialogue.rpartition("D")[2].split(":")
        starts[int(session)].add(int(turn))
    return starts


def report(
    found: Sequence[tuple[frozenset[int], frozenset[int], int]], sizes: Sequence[int], **fields: Any
) -> None:
    """Print the figures."""
    pairs = [(reader, made) for reader, made, _ in found]
    step = round(sum(sizes) / sum(len(reader) + 1 for reader, _ in pairs))
    every = [
        (reader, frozenset(range(1 + step, size + 1, step)))
        for (reader, _), size in zip(pairs, sizes, strict=True)
    ]
    for within in (0, 1):
        for kind, beginnings in (("inner", 0), ("all", len(pairs) - 1)):
            for name, value in scores(pairs, within, beginnings).items():
                figure(f"boxes.{kind}.{name}", value, "", within=within, sessions=len(pairs), **fields)
        figure("boxes.every.f1", scores(every, within, 0)["f1"], "", within=within, step=step, **fields)


def scores(pairs: Cuts, within: int, beginnings: int) -> dict[str, float]:
    """Return precision, recall and F1; `beginnings` are cuts that both have."""
    hits = beginnings + sum(hit(reader, made, within) for reader, made in pairs)
    made = beginnings + sum(len(one) for _, one in pairs)
    known = beginnings + sum(len(one) for one, _ in pairs)
    precision, recall = hits / max(1, made), hits / max(1, known)
    both = precision + recall
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / both if both else 0.0}


def hit(reader: frozenset[int], made: frozenset[int], within: int) -> int:
    """Count the cuts that lie at one of the reader's, each of these counted once."""
    left, count = set(reader), 0
    for cut in sorted(made):
        near = [one for one in left if abs(one - cut) <= within]
        if near:
            left.remove(min(near, key=lambda one: abs(one - cut)))
            count += 1
    return count


if __name__ == "__main__":
    main()
