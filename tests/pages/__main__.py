"""Writes every generated file: python -m tests.pages."""

from tests.pages import PAGES, ROOT

for path, text in PAGES.items():
    written = text()
    if not path.exists() or path.read_text(encoding="utf-8") != written:
        path.write_text(written, encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
