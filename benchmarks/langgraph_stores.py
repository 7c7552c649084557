"""LangGraph's stores in milliseconds, ours and theirs: python -m benchmarks.langgraph_stores [ITEMS]."""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from langgraph.store.base import BaseStore
from langgraph.store.sqlite import SqliteStore

from remanence.integrations.langgraph import RemanenceStore

ITEMS, SEARCHES, FOLDERS = 300, 30, 10


def measure(store: BaseStore, items: int) -> dict[str, float]:
    """Put, get, search and put again; return milliseconds of the wall's clock for one of each."""

    def put(words: str) -> Callable[[int], None]:
        return lambda number: store.put(
            ("b", str(number % FOLDERS)), str(number), {"text": f"note {number} about {words}", "n": number}
        )

    jobs: dict[str, tuple[int, Callable[[int], object]]] = {
        "put": (items, put("kettles")),
        "get": (items, lambda number: store.get(("b", str(number % FOLDERS)), str(number))),
        "search": (SEARCHES, lambda number: store.search(("b", str(number % FOLDERS)))),
        "filter": (SEARCHES, lambda _: store.search(("b",), filter={"n": {"$gt": items // 2}})),
        "namespaces": (SEARCHES, lambda _: store.list_namespaces()),
        "put again": (items, put("pots")),
    }
    found: dict[str, float] = {}
    for name, (times, job) in jobs.items():
        started = time.perf_counter()
        for number in range(times):
            job(number)
        found[name] = round(1_000 * (time.perf_counter() - started) / times, 2)
    return found


def main() -> None:
    """Print a line of JSON for each store, both on a file."""
    items = int(sys.argv[1]) if len(sys.argv) > 1 else ITEMS
    with tempfile.TemporaryDirectory() as folder:
        with RemanenceStore.open(Path(folder) / "ours.db") as ours:
            print(json.dumps({"store": "RemanenceStore", "items": items, **measure(ours, items)}))
        with SqliteStore.from_conn_string(str(Path(folder) / "theirs.db")) as theirs:
            theirs.setup()
            print(json.dumps({"store": "SqliteStore", "items": items, **measure(theirs, items)}))


if __name__ == "__main__":
    main()
