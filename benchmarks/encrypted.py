"""What encryption costs: one memory in a plain and in an encrypted file: python -m benchmarks.encrypted [MEMORIES].

CPU time of a process of its own for each, in turns; the medians are printed.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import remanence.sync

MEMORIES, RECALLS, OPENINGS, ROUNDS = 1_000, 50, 5, 3
KEYS = {"plain": None, "passphrase": "a passphrase of five words", "raw key": "x'" + "5a" * 32 + "'"}


def measure(key: str | None, memories: int) -> dict[str, float]:
    """Return CPU milliseconds for one learn, one of a list, one recall, one opening, one line of an import."""
    texts = [
        f"Boat {number * 7919 % 10_007} lies at pier {number} of harbour {number % 17}."
        for number in range(memories)
    ]
    found: dict[str, float] = {}

    def take(name: str, times: int, job: Callable[[], object]) -> None:
        started = time.process_time()
        job()
        found[name] = 1_000 * (time.process_time() - started) / times

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.db"
        with remanence.sync.open(path, key=key) as memory:
            memory.learn("The first one loads what is loaded once.")
            memory.recall("what is loaded?")
            take("learn", 100, lambda: [memory.learn(f"Crate {number} holds rope.") for number in range(100)])
            take("learn a list", memories, lambda: memory.learn(texts))
            take(
                "recall",
                RECALLS,
                lambda: [memory.recall(f"where lies boat {number}?") for number in range(RECALLS)],
            )
            lines = list(memory.export())
        with remanence.sync.open(Path(folder) / "n.db", key=key) as memory:
            take("import", memories, lambda: memory.import_(lines, trust="user"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.db"
        with remanence.sync.open(path, key=key) as memory:
            memory.learn("Something.")
        take(
            "open again",
            OPENINGS,
            lambda: [remanence.sync.open(path, key=key).close() for _ in range(OPENINGS)],
        )
    return found


def main() -> None:
    """Print a line of JSON for each way to open a file."""
    memories = int(sys.argv[1]) if len(sys.argv) > 1 else MEMORIES
    if len(sys.argv) > 2:
        print(json.dumps(measure(KEYS[sys.argv[2]], memories)))
        return
    rounds: dict[str, list[dict[str, float]]] = {name: [] for name in KEYS}
    for _ in range(ROUNDS):
        for name, found in rounds.items():
            command = [sys.executable, "-m", "benchmarks.encrypted", str(memories), name]
            found.append(json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout))
    for name, found in rounds.items():
        print(
            json.dumps(
                {"file": name, **{one: round(median(each[one] for each in found), 2) for one in found[0]}}
            )
        )


if __name__ == "__main__":
    main()
