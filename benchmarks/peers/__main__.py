"""How this engine stands beside others.

`python -m benchmarks.peers [--data locomo10.json]` makes the table of all peers: what each finds, what learning and
recall cost, what it weighs. `--verbs` makes that of what a caller writes: lines of code to remember, find, filter,
correct, forget, delete a user, and what of that user stays in the files.
"""

import argparse
import tempfile
from pathlib import Path

from benchmarks.peers import table, verbs_table


def main() -> None:
    """Make one of the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, help="the conversations of LoCoMo; made-up texts without it")
    parser.add_argument("--only", nargs="+", choices=[engine.name for engine in table.ENGINES])
    cache = Path(tempfile.gettempdir()) / "remanence-peers"
    parser.add_argument("--env", type=Path, default=cache, help="where the peers' environments are kept")
    parser.add_argument("--limit-s", type=float, default=600, help="wall seconds a step may take")
    parser.add_argument("--verbs", action="store_true", help="make the table of what a caller writes")
    given = parser.parse_args()
    if given.verbs:
        verbs_table.measure(given.env, given.limit_s)
        return
    table.measure(given.data, given.only, given.env, given.limit_s)


if __name__ == "__main__":
    main()
