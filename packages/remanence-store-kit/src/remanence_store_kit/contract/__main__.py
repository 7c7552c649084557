"""`python -m remanence_store_kit.contract PACKAGE:STORE` prints which capabilities of a store hold, a line each.

Called from a shell. PACKAGE:STORE is what makes a store that is new and empty: a class or a function without arguments.
"""

import sys
from argparse import ArgumentParser
from pkgutil import resolve_name

from remanence_store_kit.contract.report import report_contract


def main(words: list[str]) -> int:
    """Print what holds; return 0 where all does that the store has, 1 where something fails."""
    parser = ArgumentParser("python -m remanence_store_kit.contract", description=__doc__)
    parser.add_argument("store", metavar="PACKAGE:STORE", help="what makes a store, new and empty")
    parser.add_argument(
        "--other",
        metavar="PACKAGE:STORE",
        help="what makes a second store on the data of one that it is given",
    )
    parser.add_argument("--traces", action="store_true", help="print what pytest says, too")
    asked = parser.parse_args(words)
    try:
        other = None if asked.other is None else resolve_name(asked.other)
        store = resolve_name(asked.store)
    except (ImportError, AttributeError, ValueError) as error:
        parser.error(f"no store is found: {error}")
    report = report_contract(store, other)
    sys.stdout.write(f"{report.output}\n{report}\n" if asked.traces else f"{report}\n")
    return 0 if report.is_kept else 1


if __name__ == "__main__":
    sys.path.insert(0, "")
    sys.exit(main(sys.argv[1:]))
