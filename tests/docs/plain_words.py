"""Collects what users read: pages, rows of verbs, help of options, errors and templates, sentence by sentence."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from remanence.core.verbs import SHELVES, TABLE

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "remanence"
UNREAD = frozenset({"seeds.md", "architecture.md"})  # of the seeds and for who works on the code
SUBJECT = re.compile(r"(?:What|Who|Whoever|Whose|One that)\b(?!.*\?$)")
DECODED = re.compile(r"\b(?:so many|so far|comes to|stands?|goes)\b")
_SPLIT = re.compile(r"(?<=[.!?]) +|; |: (?=[A-Za-z])")
_MARKS = " *|#->"


def find_unclear_sentences() -> list[tuple[str, str]]:
    """Return where each sentence stands that begins with a pronoun as its subject, or has a word to decode."""
    return [
        (where, sentence)
        for where, text in [*_pages(), *_rows(), *_strings(), *_templates()]
        for sentence in (one.strip(_MARKS) for one in _SPLIT.split(text))
        if SUBJECT.match(sentence) or DECODED.search(sentence)
    ]


def _pages() -> Iterator[tuple[str, str]]:
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        if "decisions" in path.parts or path.name in UNREAD:
            continue
        text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        text = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "`…`", text))
        for paragraph in re.split(r"\n\s*\n|\n(?=[-*|#] ?)", text):
            yield path.name, " ".join(paragraph.split())


def _rows() -> Iterator[tuple[str, str]]:
    yield from SHELVES.items()
    for row in TABLE:
        for text in (row.summary, row.use_when, row.cost, row.returns, row.next):
            yield row.name, text


def _strings() -> Iterator[tuple[str, str]]:
    """Yield the texts of errors and of helps of options."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                texts = [*node.exc.args, *(one.value for one in node.exc.keywords)]
            elif isinstance(node, ast.Call):
                texts = [one.value for one in node.keywords if one.arg in {"help", "description", "recovery"}]
            else:
                continue
            yield from ((path.name, text) for text in map(_read_text, texts) if text)


def _read_text(node: ast.expr) -> str:
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(
        str(one.value) if isinstance(one, ast.Constant) and isinstance(one.value, str) else "…"
        for one in parts
    )


def _templates() -> Iterator[tuple[str, str]]:
    for path in sorted(SOURCE.rglob("*.html")):
        text = re.sub(r"\{[%{#].*?[%}#]\}", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        yield from ((path.name, line.strip()) for line in re.sub(r"<[^>]+>", "\n", text).split("\n"))
