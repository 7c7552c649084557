"""The tests; a package, so that one test module may import helpers of another."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KIT = ROOT / "packages" / "remanence-store-kit" / "src"  # what proves stores, a distribution of its own
LIFEBENCH = (
    ROOT / "packages" / "lifebench" / "src"
)  # what measures memories of any kind, a distribution of its own
# Where a process of a test finds this checkout: the product, the kit and the tests.
IMPORT_PATH = os.pathsep.join(map(str, (ROOT / "src", KIT, ROOT)))
