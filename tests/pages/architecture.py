"""The map of the code: `docs/architecture.md`, whose list of folders and modules is written from their docstrings."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests import KIT, ROOT

SOURCE = ROOT / "src" / "remanence"
FILE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- modules: written by `make pages` -->\n", "<!-- end of modules -->"
# From the base up, as the law in `tests/laws/structure.py` has them.
FOLDERS = (
    "languages", "core", "text", "read", "gate", "write", "write/transcripts", "edit", "recall",
    "curate", "curate/language", "curate/policy", "curate/planner", "curate/forecast",
    "llm", "store", "store/sql", "store/sqlite", "store/folder", "store/postgres", "store/neo4j",
    "flows/indexes", "flows/base", "flows/write", "flows/undo", "flows/edit", "flows/exchange", "flows/recall",
    "flows/curate", "flows/entities", "flows/consolidate", "flows/mirror", "flows/erase", "flows/inspect",
    "flows/schedule", "flows/scopes",
    "faces", "faces/cli", "faces/mcp", "faces/rest", "faces/dashboard", "integrations",
)  # fmt: skip
KIT_FOLDERS = ("remanence_store_kit", "remanence_store_kit/memory")


def page() -> str:
    """Return the page with its list of modules as they are now."""
    before, _, rest = FILE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{''.join(_sections())}\n{END}{after}"


def _sections() -> Iterator[str]:
    folders = [(name, SOURCE / name) for name in FOLDERS] + [(name, KIT / name) for name in KIT_FOLDERS]
    for name, folder in folders:
        yield f"\n### `{name}/`\n\n{_summary(folder / '__init__.py')}\n\n"
        for path in sorted(folder.glob("*.py")):
            if path.stem not in ("__init__", "env"):
                yield f"- `{path.stem}`: {_summary(path)}\n"


def _summary(path: Path) -> str:
    """Return the first paragraph of a module's docstring as one line."""
    told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(told.partition("\n\n")[0].split())
