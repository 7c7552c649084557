"""Texts that nobody wrote for the gate and that hold next to no secret: Python's own code, and what packages say."""

import importlib.metadata
import sysconfig
from collections.abc import Iterator
from pathlib import Path

TEST_FOLDERS = frozenset({"test", "tests", "testmock", "idle_test"})


def library_texts(*, tests: bool) -> Iterator[tuple[str, str]]:
    """Yield path and text of each module of the standard library, of its tests or of the rest."""
    root = Path(sysconfig.get_path("stdlib"))
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).parts
        if "site-packages" not in parts and tests == (not TEST_FOLDERS.isdisjoint(parts)):
            yield "/".join(parts), path.read_text(encoding="utf-8", errors="replace")


def readme_texts() -> Iterator[tuple[str, str]]:
    """Yield name and description of each installed distribution that has one."""
    for one in importlib.metadata.distributions():
        text = one.metadata.json.get("description") or ""
        if isinstance(text, str) and text:
            yield str(one.metadata["Name"]), text
