"""What every engine's process does alike: `SOMETHING_store.py STEP STORE MATERIAL`. Needs the standard library alone.

An engine is a class that is opened on a folder and a function that looks vectors up, keeps (id, text), and answers a
question with ids, best first.
"""

import json
import sys
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DEPTH = 10
WARM = 3  # questions asked first and not counted
Item = tuple[str, str]  # id, text


class Prepared:
    """Vectors made beforehand, looked up by their texts, so that nobody is measured by what it embeds with."""

    def __init__(self, texts: Sequence[str], path: Path) -> None:
        kept = array("f", path.read_bytes())
        self.dimensions = len(kept) // max(1, len(texts))
        self._kept = kept
        self._row = {text: row for row, text in enumerate(texts)}
        # mem0 embeds what it has stripped, elfmem what it has put into small letters too.
        self._bare = {text.strip().lower(): row for row, text in enumerate(texts)}

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts."""
        found = (self._row.get(text, self._bare.get(text.strip().lower())) for text in texts)
        rows = [row * self.dimensions for row in found if row is not None]
        assert len(rows) == len(texts), "an engine asks for the vector of a text that it was not given"
        return [list(self._kept[row : row + self.dimensions]) for row in rows]


def main(engine: Callable[[Path, Prepared], Any]) -> None:
    """Take one step and print what it took, one JSON object a line."""
    step, folder, material = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    given = json.loads((material / "given.json").read_text(encoding="utf-8"))
    vectors = Prepared([text for _, text in given["items"]] + given["questions"], material / "vectors.f32")
    store = engine(folder, vectors)
    STEPS[step](store, [tuple(item) for item in given["items"]], given["questions"])
    store.close()


def tell(**fields: Any) -> None:
    """Print one line."""
    print(json.dumps(fields), flush=True)


@contextmanager
def timed(**fields: Any) -> Iterator[None]:
    """Print what a block took: CPU seconds of all threads."""
    cpu = time.process_time()
    yield
    tell(cpu_s=time.process_time() - cpu, **fields)


def one(store: Any, items: Sequence[Item], _: Sequence[str]) -> None:
    """Learn one by one."""
    with timed(of="one"):
        for item in items:
            store.add(*item)


def bulk(store: Any, items: Sequence[Item], _: Sequence[str]) -> None:
    """Learn all at once, then do what the engine wants done before it is asked, if anything."""
    with timed(of="bulk"):
        store.add_many(items)
    with timed(of="settle"):
        store.settle()


def recall(store: Any, items: Sequence[Item], questions: Sequence[str]) -> None:
    """Ask, and tell what was found; an engine that keeps no ids names its hits by their texts."""
    found = [store.search(question) for question in questions[:WARM]]
    for question in questions[WARM:]:
        with timed(of="recall"):
            found.append(store.search(question))
    names = {text: name for name, text in items}
    tell(found=[[names.get(hit, hit) for hit in hits[:DEPTH]] for hits in found])


def keep(store: Any, items: Sequence[Item], _: Sequence[str]) -> None:
    """Let the engine forget until a share of it stands, and tell what does; the share follows on the command line."""
    names = {text: name for name, text in items}
    tell(kept=[names.get(text, text) for text in store.keep(float(sys.argv[4]))])


STEPS: dict[str, Callable[[Any, Sequence[Item], Sequence[str]], None]] = {
    "one": one,
    "bulk": bulk,
    "recall": recall,
    "keep": keep,
}
