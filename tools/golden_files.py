"""Keeps what a release wrote, for the tests of all later ones: python -m tools.golden_files.

A file that was lived with in two scopes, as `tests.flows.upgrades` does, an export of it, and what both hold, in
tests/releases/VERSION. Run once a release, from its last commit.
"""

import asyncio
import json
import lzma
import tempfile
from pathlib import Path

from remanence import __version__
from tests.flows.upgrades import live, opened

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "releases"


async def keep(folder: Path) -> None:
    """Write the file, its export and a list of its memories."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "memory.db"
        await live(path)
        async with opened(path) as memory:
            lines = [line async for line in memory.export()]
            held = [
                [one.id, one.text, one.status.label, list(one.tags)] for one in await memory.list(limit=1_000)
            ]
        (folder / "work.jsonl.xz").write_bytes(lzma.compress(b"".join(lines)))
        (folder / "memory.db.xz").write_bytes(lzma.compress(path.read_bytes()))
    (folder / "held.json").write_text(json.dumps(sorted(held), indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    (FOLDER / __version__).mkdir(parents=True)
    asyncio.run(keep(FOLDER / __version__))
