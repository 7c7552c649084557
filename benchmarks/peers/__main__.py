"""How this engine stands beside others: `python -m benchmarks.peers [--data locomo10.json] [--only mem0 …] [--runs 3]`.

Prints what each system finds, what its calls cost, and what it weighs. What systems do with replaced, forgotten and
erased texts is measured by lifebench with the same adapters: `python -m tools.proof --peers`.
"""

import argparse
from pathlib import Path

from benchmarks.peers.notes import read
from benchmarks.peers.systems import ENVIRONMENTS, SYSTEMS
from benchmarks.peers.table import Bench, Row, markdown
from benchmarks.report import settings


def main() -> None:
    """Measure the systems, one after the other, and print the figures and the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, help="the conversations of LoCoMo; made-up texts without it")
    parser.add_argument("--conversations", type=int, help="ask only so many of them")
    parser.add_argument("--only", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--runs", type=int, default=1, help="how often; the table has the medians")
    parser.add_argument(
        "--env", type=Path, default=ENVIRONMENTS, help="where the systems' environments are kept"
    )
    parser.add_argument("--limit-s", type=float, default=600, help="wall seconds that a store may take")
    given = parser.parse_args()
    data = read(given.data, given.conversations)
    settings(data=data.name, small=len(data.small.items), large=len(data.large.items), runs=given.runs)
    rows = {name: Row() for name in given.only}
    for name, row in rows.items():
        row.add("installed", SYSTEMS[name].count_installed_mb(given.env), "MB")
        bench = Bench(name, SYSTEMS[name], given.env, given.limit_s, row)
        for number in range(given.runs):
            bench.measure(data, is_first=number == 0)
        row.report(name)
    print(markdown(rows))


if __name__ == "__main__":
    main()
