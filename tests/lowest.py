"""Prints the oldest versions that pyproject.toml allows, as constraints for an installer: python -m tests.lowest."""

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def main() -> None:
    """Print `name==version` for each dependency of the package, its extras and its development."""
    data = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    extras = data["project"]["optional-dependencies"].values()
    groups = (data["project"]["dependencies"], data["dependency-groups"]["dev"], *extras)
    for line in sorted({lowest(one) for group in groups for one in group}):
        print(line)


def lowest(requirement: str) -> str:
    """Return `name==version` of the lowest version that a requirement allows; for which machine is left out."""
    match = re.fullmatch(r"([A-Za-z0-9_.-]+)[>=~]=([0-9][0-9a-z.]*)(?:;.*)?", requirement)
    if match is None:
        sys.exit(
            f"{requirement!r} has no lower bound alone: write it as name>=version, name~=version or name==version"
        )
    return "==".join(match.groups())


if __name__ == "__main__":
    main()
