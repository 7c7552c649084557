"""Every file of this repository that is written from the source: `make pages` writes them all, a test compares."""

from collections.abc import Callable, Mapping
from pathlib import Path

from remanence.curate.language import reference
from tests.pages import architecture, cli, errors, mcp, picture, python, settings, sync_stub, tables

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs" / "reference"

PAGES: Mapping[Path, Callable[[], str]] = {
    **tables.FILES,  # first: without it no page is made that opens a memory
    architecture.FILE: architecture.page,
    DOCS / "cli.md": cli.page,
    DOCS / "errors.md": errors.page,
    DOCS / "mcp.md": mcp.page,
    DOCS / "policy.md": reference.reference,
    DOCS / "python.md": python.page,
    DOCS / "settings.md": settings.page,
    sync_stub.STUB: sync_stub.stub,
    picture.FILE: picture.draw_forecast,
}
